// Unpacks the parts of the page. They are compressed with LZMA, which needs a quarter less than what browsers unpack.
//
// The format is that of the LZMA SDK (lzma-specification.txt, 2015): a range decoder with adaptive probabilities of
// bits, of which literals and repeated sequences consist. The header of 13 bytes has the parameters, the size of the
// dictionary, and the size of the data, which the file must know: an end marker is not read. The whole output is the
// dictionary. Data comes from the page itself, so that a damaged text only gives a damaged result.

const HEADER = 13;
/** Probabilities have 11 bits, and move by a 32nd of the distance. */
const [BITS, EVEN, SHIFT] = [11, 1024, 5];
const SMALLEST = 2 ** 24;
const STATES = 12;
/** The shortest repeated sequence. */
const LEAST = 2;
/** Distances from this slot on have bits of equal probability, above the four lowest bits. */
const [FIRST_MODELLED, LAST_MODELLED, ALIGN] = [4, 14, 4];

const even = (count: number): Uint16Array => new Uint16Array(count).fill(EVEN);

/** Probabilities of the lengths of sequences. */
class Lengths {
  readonly choice = even(2);
  readonly low = Array.from({ length: 16 }, () => even(8));
  readonly middle = Array.from({ length: 16 }, () => even(8));
  readonly high = even(256);
}

export function unpacked(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(packed.buffer, packed.byteOffset);
  const parameters = view.getUint8(0);
  const [context, position, states] = [parameters % 9, 2 ** (Math.floor(parameters / 9) % 5) - 1, 2 ** Math.floor(parameters / 45) - 1];
  const out = new Uint8Array(view.getUint32(5, true));
  // the first byte of the code is always 0
  let [at, range, code] = [HEADER + 5, 0xffffffff, view.getUint32(HEADER + 1)];

  const widen = (): void => {
    if (range >= SMALLEST) return;
    range = (range << 8) >>> 0;
    code = ((code << 8) | (packed[at++] ?? 0)) >>> 0;
  };
  const bit = (of: Uint16Array, place: number): 0 | 1 => {
    const probability = of[place] ?? EVEN;
    const bound = (range >>> BITS) * probability;
    const isSet = code >= bound;
    if (isSet) {
      range -= bound;
      code -= bound;
      of[place] = probability - (probability >>> SHIFT);
    } else {
      range = bound;
      of[place] = probability + ((2 ** BITS - probability) >>> SHIFT);
    }
    widen();
    return isSet ? 1 : 0;
  };
  /** Bits from the highest one on, each with a probability that depends on those before. */
  const tree = (of: Uint16Array, bits: number): number => {
    let node = 1;
    for (let place = 0; place < bits; place += 1) node = 2 * node + bit(of, node);
    return node - 2 ** bits;
  };
  /** The same from the lowest bit on; the probabilities begin after `from`. */
  const reverse = (of: Uint16Array, from: number, bits: number): number => {
    let [node, value] = [1, 0];
    for (let place = 0; place < bits; place += 1) {
      const one = bit(of, from + node);
      node = 2 * node + one;
      value += one * 2 ** place;
    }
    return value;
  };
  const direct = (bits: number): number => {
    let value = 0;
    for (let place = 0; place < bits; place += 1) {
      range = Math.floor(range / 2);
      const one = code >= range ? 1 : 0;
      if (one === 1) code -= range;
      value = 2 * value + one;
      widen();
    }
    return value;
  };
  const lengthOf = ({ choice, low, middle, high }: Lengths, place: number): number => {
    if (bit(choice, 0) === 0) return LEAST + tree(low[place] ?? high, 3);
    return bit(choice, 1) === 0 ? LEAST + 8 + tree(middle[place] ?? high, 3) : LEAST + 16 + tree(high, 8);
  };

  const literals = Array.from({ length: (position + 1) * 2 ** context }, () => even(0x300));
  const [isMatch, isLong] = [even(STATES * 16), even(STATES * 16)];
  const [isRepeat, isSecond, isThird, isFourth] = [even(STATES), even(STATES), even(STATES), even(STATES)];
  const slots = Array.from({ length: 4 }, () => even(64));
  const [near, align] = [even(128), even(16)];
  const [lengths, repeated] = [new Lengths(), new Lengths()];
  let [state, first, second, third, fourth] = [0, 0, 0, 0, 0];

  const literal = (end: number): number => {
    const before = end > 0 ? out[end - 1] ?? 0 : 0;
    const of = literals[(end & position) * 2 ** context + (before >>> (8 - context))] ?? isMatch;
    let node = 1;
    if (state >= 7) {
      // after a sequence, the byte that would continue it is a hint until it is wrong
      let hint = out[end - first - 1] ?? 0;
      while (node < 0x100) {
        const expected = (hint >>> 7) & 1;
        hint <<= 1;
        const one = bit(of, (1 + expected) * 0x100 + node);
        node = 2 * node + one;
        if (one !== expected) break;
      }
    }
    while (node < 0x100) node = 2 * node + bit(of, node);
    return node & 0xff;
  };
  const distanceOf = (length: number): number => {
    const slot = tree(slots[Math.min(length - LEAST, 3)] ?? isMatch, 6);
    if (slot < FIRST_MODELLED) return slot;
    const bits = (slot >>> 1) - 1;
    const base = (2 + (slot & 1)) * 2 ** bits;
    if (slot < LAST_MODELLED) return base + reverse(near, base - slot, bits);
    return base + direct(bits - ALIGN) * 2 ** ALIGN + reverse(align, 0, ALIGN);
  };

  for (let end = 0; end < out.length;) {
    const place = end & states;
    if (bit(isMatch, state * 16 + place) === 0) {
      out[end] = literal(end);
      end += 1;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length = 1;
    if (bit(isRepeat, state) === 0) {
      [fourth, third, second] = [third, second, first];
      length = lengthOf(lengths, place);
      first = distanceOf(length);
      state = state < 7 ? 7 : 10;
    } else {
      let isShort = false;
      if (bit(isSecond, state) === 0) isShort = bit(isLong, state * 16 + place) === 0;
      else if (bit(isThird, state) === 0) [first, second] = [second, first];
      else if (bit(isFourth, state) === 0) [first, second, third] = [third, first, second];
      else [first, second, third, fourth] = [fourth, first, second, third];
      if (!isShort) length = lengthOf(repeated, place);
      state = state < 7 ? (isShort ? 9 : 8) : 11;
    }
    for (const until = Math.min(end + length, out.length); end < until; end += 1) out[end] = out[end - first - 1] ?? 0;
  }
  return out;
}

/** Unpacks what an element of the page contains, in base 64. */
export const contentOf = (id: string): Uint8Array<ArrayBuffer> =>
  unpacked(Uint8Array.from(atob(document.getElementById(id)?.textContent?.trim() ?? ""), (letter) => letter.charCodeAt(0)));
