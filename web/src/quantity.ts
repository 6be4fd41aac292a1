// Rates, times and sizes as texts with units, converted exactly. tools/lab_parts.py writes the units.

import described from "../../target/lab/quantities.json";

export interface Quantity {
  /** The units as multiples of the base unit. */
  readonly units: Readonly<Record<string, number>>;
  /** The units that `format` chooses from, smallest first. */
  readonly spoken: readonly string[];
  /** The unit in which zero is written. */
  readonly plain: string;
}

export const QUANTITIES: Readonly<Record<"time" | "rate" | "size", Quantity>> = described;
export const { time: TIME, rate: RATE, size: SIZE } = QUANTITIES;

const WRITTEN = /^([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?\s*([A-Za-z/]*)$/;
const LONGEST = 64;

/** Converts a text to the base unit: picoseconds, bit/s or bytes. Undefined if it is not such a quantity. */
export function parse({ units }: Quantity, text: string): bigint | undefined {
  const written = text.length <= LONGEST ? WRITTEN.exec(text.trim()) : null;
  const unit = Object.hasOwn(units, written?.[3] ?? "") ? units[written?.[3] ?? ""] : undefined;
  if (written === null || unit === undefined) return undefined;
  const [whole = "", part = ""] = (written[1] ?? "").split(".");
  const exponent = Number(written[2] ?? 0) - part.length;
  const digits = BigInt(whole + part) * BigInt(unit);
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** Writes a value in the largest unit that keeps it an integer. */
export function format({ units, spoken, plain }: Quantity, value: bigint): string {
  const unit = value === 0n ? undefined : spoken.findLast((name) => value % BigInt(units[name] ?? 1) === 0n);
  return `${value / BigInt(units[unit ?? ""] ?? 1)} ${unit ?? plain}`;
}
