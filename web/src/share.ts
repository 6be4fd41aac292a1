// Scenarios and scripts in the address, after `#`: compressed TOML or text, or a compressed document that `ackclock lab` made.

/** Longest text that the page reads from an address. A scenario of 20 groups has some 5 kB. */
const LONGEST_ADDRESS = 64 * 1024;
const LONGEST_TEXT = 512 * 1024;
/** Letters of the words about a scenario that are shown. */
const MOST_WORDS = 4000;

export class AddressError extends Error {}

async function piped(bytes: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new AddressError(`the scenario in the address has more than ${most / 1024} kB of text`);
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function packed(text: string): Promise<string> {
  const bytes = await piped(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Infinity);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpacked(packed: string): Promise<string> {
  if (packed.length > LONGEST_ADDRESS) throw new AddressError(`the address is longer than ${LONGEST_ADDRESS / 1024} kB`);
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const text = await piped(bytes, new DecompressionStream("deflate-raw"), LONGEST_TEXT);
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch (error) {
    if (error instanceof AddressError) throw error;
    throw new AddressError("the address does not contain a scenario: it is incomplete or damaged");
  }
}

export interface Address {
  readonly toml?: string;
  readonly story?: string;
  readonly document?: string;
  /** The text of a script, or the name of one in the catalogue. */
  readonly script?: string;
  readonly scriptName?: string;
  readonly profile?: string;
  readonly variant?: string;
  readonly seed: string;
  /** The TOML of the run A beside the scenario, with its seed. */
  readonly pinned?: string;
  readonly pinnedSeed?: string;
  /** What is said about the scenario. */
  readonly title?: string;
  readonly text?: string;
  /** The number of an exercise. */
  readonly exercise?: string;
  readonly zoom?: readonly [number, number];
  /** Whether the words are about other settings. */
  readonly changed?: boolean;
}

/** Reads what follows `#` in an address, or `?`. */
export async function read(hash: string): Promise<Address | undefined> {
  const fields = new Map(hash.replace(/^[#?]/, "").split("&").slice(0, 20).map((field) => {
    const at = field.indexOf("=");
    return at < 0 ? [field, ""] as const : [field.slice(0, at), field.slice(at + 1)] as const;
  }));
  const [scenario, story, document, script, scriptName, exercise, pinned, words, pinnedSeed] = ["s", "story", "d", "c", "script", "exercise", "a", "w", "aseed"].map((name) => fields.get(name));
  if ([scenario, story, document, script, scriptName, exercise].every((each) => each === undefined)) return undefined;
  const [title = "", ...text] = words === undefined ? [] : (await unpacked(words)).slice(0, MOST_WORDS).split("\n");
  const [profile, variant] = [fields.get("profile"), fields.get("variant")];
  const zoom = /^([0-9.]{1,20})-([0-9.]{1,20})$/.exec(fields.get("zoom") ?? "");
  return {
    seed: fields.get("seed") ?? "1",
    ...(scenario === undefined ? {} : { toml: await unpacked(scenario) }),
    ...(document === undefined ? {} : { document: await unpacked(document) }),
    ...(story === undefined ? {} : { story }),
    ...(script === undefined ? {} : { script: await unpacked(script) }),
    ...(scriptName === undefined ? {} : { scriptName }),
    ...(exercise === undefined ? {} : { exercise }),
    ...(pinned === undefined ? {} : { pinned: await unpacked(pinned) }),
    ...(pinnedSeed === undefined ? {} : { pinnedSeed }),
    ...(words === undefined ? {} : { title, text: text.join(" ") }),
    ...(fields.get("changed") === "1" ? { changed: true } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(variant === undefined ? {} : { variant }),
    ...(zoom === null ? {} : { zoom: [Number(zoom[1]), Number(zoom[2])] as const }),
  };
}
