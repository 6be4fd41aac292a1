// Reads tables strictly: each problem names the field, its value and what is allowed.

import { type Quantity, SIZE, parse } from "./quantity";

/** A scenario that the lab cannot simulate. */
export class ScenarioError extends Error {}

const LONGEST_SHOWN = 60;

export function refuse(field: string, value: unknown, allowed: string): ScenarioError {
  const text = typeof value === "string" ? `'${value}'` : String(JSON.stringify(value));
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return new ScenarioError(`${field}: ${shown} is not allowed; ${allowed}`);
}

/** One table of a scenario. Every field must be taken before `done`. */
export class Reader {
  private readonly left: Map<string, unknown>;

  constructor(
    table: unknown,
    private readonly at: string,
  ) {
    if (typeof table !== "object" || table === null || Array.isArray(table) || table instanceof Date) {
      throw refuse(at, table, "must be a table");
    }
    this.left = new Map(Object.entries(table));
  }

  path(name: string): string {
    return this.at === "" ? name : `${this.at}.${name}`;
  }

  has(name: string): boolean {
    return this.left.has(name);
  }

  holdsText(name: string): boolean {
    return typeof this.left.get(name) === "string";
  }

  take(name: string): unknown {
    const value = this.left.get(name);
    this.left.delete(name);
    return value;
  }

  private required(name: string, allowed: string): unknown {
    if (!this.left.has(name)) throw new ScenarioError(`${this.path(name)}: is missing; ${allowed}`);
    return this.take(name);
  }

  /** A quantity in its base unit. */
  quantity(name: string, kind: Quantity, low: string, high: string, absent?: string): bigint {
    const allowed = `must be a ${kind.noun} from ${low} to ${high}, such as '${kind.example}'`;
    const given = absent !== undefined && !this.has(name) ? absent : this.required(name, allowed);
    const value = typeof given === "string" ? parse(kind, given) : undefined;
    const [least, most] = [parse(kind, low) ?? 0n, parse(kind, high) ?? 0n];
    if (value === undefined || value < least || value > most) throw refuse(this.path(name), given, allowed);
    return value;
  }

  number(name: string, low: number, high: number, absent?: number): number {
    const allowed = `must be a number from ${low} to ${high}`;
    const given = absent !== undefined && !this.has(name) ? absent : this.required(name, allowed);
    const value = typeof given === "bigint" ? Number(given) : given;
    if (typeof value !== "number" || !(value >= low && value <= high)) throw refuse(this.path(name), given, allowed);
    return value;
  }

  whole(name: string, low: number, high: number, absent?: number): number {
    const allowed = `must be an integer from ${low} to ${high}`;
    const given = absent !== undefined && !this.has(name) ? absent : this.required(name, allowed);
    if (typeof given !== "number" || !Number.isInteger(given) || given < low || given > high) {
      throw refuse(this.path(name), given, allowed);
    }
    return given;
  }

  /** A number of bytes, as an integer or as a size with its unit. */
  octets(name: string, low: number, high: number, absent?: number): number {
    const given = this.left.get(name);
    if (typeof given !== "string") return this.whole(name, low, high, absent);
    return Number(this.quantity(name, SIZE, `${low} B`, `${high} B`));
  }

  word<Word extends string>(name: string, words: readonly Word[], absent?: Word): Word {
    const allowed = `must be one of ${words.join(", ")}`;
    const given = absent !== undefined && !this.has(name) ? absent : this.required(name, allowed);
    const found = words.find((word) => word === given);
    if (found === undefined) throw refuse(this.path(name), given, allowed);
    return found;
  }

  flag(name: string, absent: boolean): boolean {
    const given = this.has(name) ? this.take(name) : absent;
    if (typeof given !== "boolean") throw refuse(this.path(name), given, "must be true or false");
    return given;
  }

  text(name: string, pattern: RegExp, allowed: string, absent: string): string {
    const given = this.has(name) ? this.take(name) : absent;
    if (typeof given !== "string" || !pattern.test(given)) throw refuse(this.path(name), given, allowed);
    return given;
  }

  table(name: string): Reader {
    return new Reader(this.required(name, "must be a table"), this.path(name));
  }

  tables(name: string, most: number): Reader[] {
    const given = this.required(name, "must be an array of tables");
    if (!Array.isArray(given) || given.length === 0 || given.length > most) {
      throw refuse(this.path(name), given, `must be an array of 1 to ${most} tables`);
    }
    return given.map((each, place) => new Reader(each, `${this.path(name)}.${place}`));
  }

  /** The fields that have not been taken. */
  rest(): string[] {
    return [...this.left.keys()];
  }

  done(): void {
    const [name] = this.rest();
    if (name !== undefined) {
      throw new ScenarioError(`${this.path(name)}: the lab does not have this field; ackclock run may`);
    }
  }
}
