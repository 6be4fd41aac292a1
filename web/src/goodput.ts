// The goodput of each flow over time, from its ACKs.
//
// An ACK arrives in an instant, but the bottleneck needed time for its data, and an ACK that fills a hole acknowledges
// what was delivered while the hole was open. Bars of the data acknowledged in each bin would exceed the rate of the link.
// So data is counted when it was delivered: an ACK at time t for n bits takes the last n bits of the link's capacity
// before t that no later ACK has taken. Such bars contain all data and never exceed the rate.

import type { Column, Table } from "./engine";
import type { Shown, View } from "./view";

/** A flow has a band of its own if there are at most these. */
const MOST_BANDS = 12;
const BINS = 200;
/** The time of data that is drawn when its ACK arrives, in seconds, and bits that are none, as a rest of rounding. */
const [INSTANT, LEAST] = [1e-9, 1e-3];

/** The rate of a link over time: `rates[i]` holds from `times[i]` on. */
export interface Course {
  readonly times: readonly number[];
  readonly rates: readonly number[];
}

const column = (table: Table, name: string): Column => table.columns[name] ?? new Float64Array(table.rows);

export function groupOf(shown: Shown, flow: number): number {
  let group = shown.groups.length - 1;
  while (group > 0 && (shown.groups[group]?.first ?? 0) > flow) group -= 1;
  return group;
}

/** Data delivered in bins of equal width, in bit/s. */
export function goodput(acks: Table | undefined, shown: Shown, from: number, until: number): View["goodput"] {
  const width = (until - from) / BINS;
  const x = Float64Array.from({ length: BINS }, (_, place) => from + (place + 0.5) * width);
  const count = shown.groups.reduce((sum, { flows }) => sum + flows, 0);
  const each = count <= MOST_BANDS;
  const bands = each
    ? Array.from({ length: count }, (_, flow) => ({ group: groupOf(shown, flow), values: new Float64Array(BINS) }))
    : shown.groups.map((_, group) => ({ group, values: new Float64Array(BINS) }));
  if (acks === undefined) return { x, bands };
  const [times, flows] = [column(acks, "time"), column(acks, "flow")];
  const groups = Uint32Array.from({ length: count }, (_, flow) => groupOf(shown, flow));
  // the first number of a connection with a handshake is its SYN
  const more = advances(acks, Float64Array.from(groups, (group) => (shown.groups[group]?.handshake === true ? 1 : 0)));
  const links = { forward: new Backwards(shown.courses.forward), reverse: new Backwards(shown.courses.reverse) };
  const put = (values: Float64Array | undefined) => (begin: number, end: number, rate: number): void => {
    if (values === undefined || end <= from || begin >= until) return;
    const last = Math.min(BINS - 1, Math.floor((end - from) / width));
    for (let bin = Math.max(0, Math.floor((begin - from) / width)); bin <= last; bin += 1) {
      const part = Math.min(end, from + (bin + 1) * width) - Math.max(begin, from + bin * width);
      if (part > 0) values[bin] = (values[bin] ?? 0) + (part * rate) / width;
    }
  };
  for (let row = acks.rows - 1; row >= 0; row -= 1) {
    const segments = more[row] ?? 0;
    if (segments === 0) continue;
    const [time, flow] = [times[row] ?? 0, flows[row] ?? 0];
    const group = groups[flow] ?? 0;
    const { packetSize = 0, crosses } = shown.groups[group] ?? {};
    const [bits, add] = [segments * packetSize * 8, put(bands[each ? flow : group]?.values)];
    const link = crosses === undefined ? undefined : links[crosses];
    // in a graph flows need not share a link
    if (link === undefined) add(time - INSTANT, time, bits / INSTANT);
    else link.take(time, bits, add);
  }
  return { x, bands };
}

/** The segments that each ACK acknowledges for the first time, beyond what each flow's `last` number is at first. */
function advances(acks: Table, last: Float64Array): Float64Array {
  const [flows, numbers] = [column(acks, "flow"), column(acks, "ack")];
  const more = new Float64Array(acks.rows);
  for (let row = 0; row < acks.rows; row += 1) {
    const [flow, ack] = [flows[row] ?? 0, numbers[row] ?? 0];
    const reached = last[flow] ?? 0;
    if (ack <= reached) continue;
    more[row] = ack - reached;
    last[flow] = ack;
  }
  return more;
}

/** The capacity of a link, taken from the end of the run backwards. */
class Backwards {
  private free = Infinity;
  private piece: number;

  constructor(private readonly course: Course) {
    this.piece = course.times.length - 1;
  }

  take(time: number, bits: number, put: (begin: number, end: number, rate: number) => void): void {
    const { times, rates } = this.course;
    let end = Math.min(time, this.free);
    while (bits > LEAST && this.piece >= 0) {
      const since = times[this.piece] ?? 0;
      const rate = rates[this.piece] ?? 0;
      if (end <= since) {
        this.piece -= 1;
        continue;
      }
      const begin = rate > 0 ? Math.max(since, end - bits / rate) : since;
      if (rate > 0) put(begin, end, rate);
      bits -= (end - begin) * rate;
      end = begin;
    }
    this.free = end;
  }
}
