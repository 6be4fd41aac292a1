// Rates, times and sizes as texts with units, converted exactly, as in python/ackclock/values/quantity.py.

export interface Quantity {
  readonly noun: string;
  readonly example: string;
  readonly units: ReadonlyMap<string, bigint>;
  /** The units that `format` chooses from, smallest first. */
  readonly spoken: readonly string[];
  /** The unit in which zero is written. */
  readonly plain: string;
  /** Further units, which are read but never written. */
  readonly accepted?: ReadonlyMap<string, bigint>;
}

const units = (of: Record<string, bigint>): ReadonlyMap<string, bigint> => new Map(Object.entries(of));

export const TIME: Quantity = {
  noun: "time",
  example: "25 ms",
  units: units({
    ps: 1n, ns: 10n ** 3n, us: 10n ** 6n, ms: 10n ** 9n, s: 10n ** 12n, min: 60n * 10n ** 12n, h: 3600n * 10n ** 12n,
  }),
  spoken: ["ps", "ns", "us", "ms", "s"],
  plain: "s",
};

export const RATE: Quantity = {
  noun: "rate",
  example: "10 Mbps",
  units: units({ bps: 1n, kbps: 10n ** 3n, Mbps: 10n ** 6n, Gbps: 10n ** 9n }),
  spoken: ["bps", "kbps", "Mbps", "Gbps"],
  plain: "bps",
  accepted: units({
    "b/s": 1n, "kb/s": 10n ** 3n, "Mb/s": 10n ** 6n, "Gb/s": 10n ** 9n,
    "bit/s": 1n, "kbit/s": 10n ** 3n, "Mbit/s": 10n ** 6n, "Gbit/s": 10n ** 9n,
    "B/s": 8n, "kB/s": 8n * 10n ** 3n, "MB/s": 8n * 10n ** 6n, "GB/s": 8n * 10n ** 9n,
  }),
};

export const SIZE: Quantity = {
  noun: "size",
  example: "1 MB",
  units: units({ B: 1n, kB: 10n ** 3n, KiB: 2n ** 10n, MB: 10n ** 6n, MiB: 2n ** 20n, GB: 10n ** 9n }),
  spoken: ["B", "kB", "MB", "GB"],
  plain: "B",
};

const WRITTEN = /^([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?\s*([A-Za-z/]*)$/;
const LONGEST = 64;

/** Converts a text to the base unit: picoseconds, bit/s or bytes. Undefined if it is not such a quantity. */
export function parse(quantity: Quantity, text: string): bigint | undefined {
  const written = text.length <= LONGEST ? WRITTEN.exec(text.trim()) : null;
  const name = written?.[3] ?? "";
  const unit = quantity.units.get(name) ?? quantity.accepted?.get(name);
  if (written === null || unit === undefined) return undefined;
  const [whole = "", part = ""] = (written[1] ?? "").split(".");
  const exponent = Number(written[2] ?? 0) - part.length;
  const digits = BigInt(whole + part) * unit;
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** Writes a value in the largest unit that keeps it an integer. */
export function format(quantity: Quantity, value: bigint): string {
  if (value === 0n) return `0 ${quantity.plain}`;
  for (const unit of [...quantity.spoken].reverse()) {
    const size = quantity.units.get(unit) ?? 1n;
    if (value % size === 0n) return `${value / size} ${unit}`;
  }
  return `${value} ${quantity.plain}`;
}

/** A time in seconds. */
export const seconds = (picoseconds: number): number => picoseconds / 1e12;
