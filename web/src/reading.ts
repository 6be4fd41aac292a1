// Reads the tables of a scenario strictly, by the schema of Python's models (python/ackclock/lab/fields.py): each problem
// names the field, its value and what is allowed.

import type { Json, Tables } from "./catalogue";
import { QUANTITIES, parse } from "./quantity";

/** A field: a table, an array of tables, or a value. */
export interface Field {
  /** Name of the table. */
  readonly table?: string;
  /** For tables of several kinds, the name of the table of each. */
  readonly kinds?: Readonly<Record<string, string>>;
  readonly items?: Field;
  /** Of an array of two values, the field of each. */
  readonly pair?: Field;
  readonly default?: Json;
  readonly type?: "string" | "integer" | "number" | "boolean" | "array";
  readonly anyOf?: readonly Field[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly "x-allowed"?: string;
  readonly "x-quantity"?: "time" | "rate" | "size";
  readonly "x-least"?: string;
  readonly "x-most"?: string;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Schema {
  readonly fields: Fields;
  readonly required: readonly string[];
  /** Whether there are further fields, which are read by `readFields`. */
  readonly isOpen: boolean;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** A scenario that the lab cannot simulate. */
export class ScenarioError extends Error {}

const LONGEST_SHOWN = 60;

export function refuse(field: string, value: unknown, allowed: string): ScenarioError {
  const text = typeof value === "string" ? `'${value}'` : typeof value === "bigint" ? String(value) : String(JSON.stringify(value));
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return new ScenarioError(`${field}: ${shown} is not allowed; ${allowed}`);
}

/** Reads a table with the defaults of its fields. */
export function readTable(given: unknown, name: string, at: string, schemas: Schemas): Tables {
  const { fields, required, isOpen } = schemas[name] ?? { fields: {}, required: [], isOpen: false };
  return isOpen ? tableOf(given, at) : readFields(given, fields, required, at, schemas);
}

/** Reads a table that has no other fields than these. */
export function readFields(given: unknown, fields: Fields, required: readonly string[], at: string, schemas: Schemas): Tables {
  const table = tableOf(given, at);
  const path = (name: string): string => (at === "" ? name : `${at}.${name}`);
  const unknown = Object.keys(table).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw new ScenarioError(`${path(unknown)}: the lab does not have this field; ackclock run may`);
  const made: Tables = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(table, name) ? table[name] : field.default;
    if (value !== undefined) made[name] = read(value, field, path(name), schemas);
    else if (required.includes(name)) throw new ScenarioError(`${path(name)}: is missing; ${allowed(field)}`);
  }
  return made;
}

/** Reads a field on which other fields of its table depend. */
export function readField(table: Tables, name: string, { [name]: field = {} }: Fields, at: string): string {
  const value = table[name] ?? field.default;
  if (value === undefined) throw new ScenarioError(`${at}.${name}: is missing; ${allowed(field)}`);
  return String(read(value, field, `${at}.${name}`, {}));
}

function read(given: unknown, field: Field, at: string, schemas: Schemas): Json {
  if (field.table !== undefined) return readTable(given, field.table, at, schemas);
  if (field.kinds !== undefined) {
    const { kind } = tableOf(given, at);
    const word: Field = { enum: Object.keys(field.kinds) };
    if (kind === undefined) throw new ScenarioError(`${at}.kind: is missing; ${allowed(word)}`);
    return readTable(given, field.kinds[String(read(kind, word, `${at}.kind`, schemas))] ?? "", at, schemas);
  }
  const { items = field.pair, pair, minItems = 0, uniqueItems } = field;
  if (items !== undefined && Array.isArray(given) && (pair === undefined || given.length === 2)) {
    if (given.length < minItems || (uniqueItems && new Set(given).size < given.length)) throw refuse(at, given, allowed(field));
    const one = { ...items, "x-allowed": items["x-allowed"] ?? allowed(field) };
    return given.map((each, place) => read(each, one, `${at}.${place}`, schemas));
  }
  const value = typeof given === "bigint" ? Number(given) : given;
  const wrong = problem(value, field);
  if (wrong !== undefined) throw refuse(at, given, wrong);
  return value as Json;
}

function tableOf(given: unknown, at: string): Tables {
  if (typeof given !== "object" || given === null || Array.isArray(given) || given instanceof Date) throw refuse(at, given, "must be a table");
  return given as Tables;
}

const allowed = ({ table, kinds, ...field }: Field): string =>
  field["x-allowed"] ?? (table ?? kinds ? "must be a table" : field.items ? "must be an array of tables" : field.pair ? "must be a pair of a beginning and an end" : `must be one of ${(field.enum ?? [field.const]).join(", ")}`);

/** What is allowed instead of a value; undefined if the value is right. */
function problem(value: unknown, field: Field): string | undefined {
  const { type, minimum = -1e308, maximum = 1e308, exclusiveMinimum = -Infinity } = field;
  if (field.anyOf !== undefined) {
    const found = field.anyOf.map((each) => problem(value, each));
    // a quantity out of its range has a message of its own
    return found.includes(undefined) ? undefined : found.find((each) => each?.includes(" from ") && typeof value === "string") ?? allowed(field);
  }
  const isNumber = typeof value === "number" && value >= minimum && value <= maximum && value > exclusiveMinimum;
  const isRight = field.const !== undefined ? value === field.const
    : field.enum !== undefined ? field.enum.includes(value as Json)
    : type === "integer" ? isNumber && Number.isInteger(value)
    : type === "number" ? isNumber
    : type === "boolean" ? typeof value === "boolean"
    : type === "array" ? false
    : typeof value === "string" && new RegExp(field.pattern ?? "", "u").test(value);
  const { "x-quantity": noun, "x-least": least = "", "x-most": most = "" } = field;
  if (!isRight || noun === undefined) return isRight ? undefined : allowed(field);
  const [base, low = 0n, high = 0n] = [value as string, least, most].map((text) => parse(QUANTITIES[noun], text));
  if (base === undefined) return allowed(field);
  return base < low || base > high ? `must be a ${noun} from ${least} to ${most}` : undefined;
}
