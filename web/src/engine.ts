// The engine: calls the four functions of crates/wasm. Runs in a worker, and in Node for tests.

import type { Tables } from "./catalogue";
import type { Conformance, Setup } from "./conform";

export type Column = Float64Array | Uint32Array | Uint8Array;

export interface Table {
  readonly rows: number;
  readonly columns: Readonly<Record<string, Column>>;
  /** Words of columns of words, whose values are places in these lists. */
  readonly words: Readonly<Record<string, readonly string[]>>;
}

export type Measures = Readonly<Record<string, number | null>>;

export interface Outcome {
  readonly summary: Measures;
  readonly groups: readonly Measures[];
  readonly elsewhere: readonly Measures[];
}

export interface Answer {
  readonly outcome: Outcome;
  /** A server does not count events. */
  readonly events?: number | undefined;
  /** Absent without labels. */
  readonly notices?: readonly string[] | undefined;
  readonly tables: Readonly<Record<string, Table>>;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  room(length: number): number;
  simulate(seed: bigint, from: number, until: number): number;
  conform(seed: bigint): number;
  answer(): number;
}

interface Header {
  readonly outcome: Outcome;
  readonly events?: number;
  readonly notices?: readonly string[];
  readonly tables: readonly {
    readonly name: string;
    readonly rows: number;
    readonly columns: readonly { readonly name: string; readonly kind: string; readonly at: number; readonly words?: string[] }[];
  }[];
}

/** A plan that the engine refuses; the message names the field. */
export class PlanError extends Error {}

export class Engine {
  private constructor(private readonly exports: Exports) {}

  static async of(module: WebAssembly.Module, progress: (fraction: number) => void = () => undefined): Promise<Engine> {
    const instance = await WebAssembly.instantiate(module, { page: { progress } });
    return new Engine(instance.exports as unknown as Exports);
  }

  /**
   * Runs a plan; of tables with times, the answer has the rows within [from, until), in seconds. With labels, the names of
   * the scenario in JSON, it has notices.
   */
  run(plan: string, seed: bigint, labels = "null", from = -Infinity, until = Infinity): Answer {
    const { exports } = this;
    this.write(`{"plan":${plan},"labels":${labels}}`);
    const length = exports.simulate(seed, from, until);
    return decoded(exports.memory.buffer, exports.answer(), length);
  }

  /** What a script demands of its sender. Throws a `PlanError` with line and column if the text is not a script. */
  setup(script: string): Setup {
    return this.conform<{ setup: Setup }>({ script }, 1n).setup;
  }

  /** Runs a script against a sender and a receiver, as in a plan. */
  script(script: string, transport: Tables, seed: bigint): Conformance {
    return this.conform<Conformance>({ script, transport }, seed);
  }

  private conform<Found extends object>(question: { readonly script: string; readonly transport?: Tables }, seed: bigint): Found {
    const { exports } = this;
    this.write(JSON.stringify(question));
    exports.conform(seed);
    return headerOf<Found>(exports.memory.buffer, exports.answer()).header;
  }

  private write(question: string): void {
    const { exports } = this;
    const text = new TextEncoder().encode(question);
    const at = exports.room(text.length);
    new Uint8Array(exports.memory.buffer, at, text.length).set(text);
  }
}

/** The header of an answer, and its length. */
function headerOf<Found extends object>(memory: ArrayBuffer, start: number): { header: Found; size: number } {
  const size = new DataView(memory, start, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(memory, start + 4, size))) as Found & { readonly error?: string };
  if (header.error !== undefined) throw new PlanError(header.error);
  return { header, size };
}

export function decoded(memory: ArrayBuffer, start: number, length: number): Answer {
  const { header, size } = headerOf<Header>(memory, start);
  const values = start + Math.ceil((4 + size) / 8) * 8;
  if (values > start + length) throw new Error("the engine's answer is incomplete");
  const tables: Record<string, Table> = {};
  for (const { name, rows, columns } of header.tables) {
    const table = { rows, columns: {} as Record<string, Column>, words: {} as Record<string, readonly string[]> };
    for (const { name: column, kind, at, words } of columns) {
      table.columns[column] = copied(memory, values + at, rows, kind);
      if (words !== undefined) table.words[column] = words;
    }
    tables[name] = table;
  }
  return { outcome: header.outcome, events: header.events, notices: header.notices, tables };
}

function copied(memory: ArrayBuffer, at: number, rows: number, kind: string): Column {
  switch (kind) {
    case "f64":
      return new Float64Array(memory.slice(at, at + 8 * rows));
    case "u32":
      return new Uint32Array(memory.slice(at, at + 4 * rows));
    case "u64":
      return Float64Array.from(new BigUint64Array(memory.slice(at, at + 8 * rows)), Number);
    default:
      return new Uint8Array(memory.slice(at, at + rows));
  }
}
