import type { Answer } from "../src/engine";

/** A digest of each column of each table, of its values as 64-bit floating-point numbers. */
export function digests<Digest>(answer: Answer, digest: (bytes: Uint8Array<ArrayBuffer>) => Digest): Record<string, Record<string, Digest>> {
  return Object.fromEntries(
    Object.entries(answer.tables).map(([name, table]) => [
      name,
      Object.fromEntries(
        Object.entries(table.columns).map(([column, values]) => [column, digest(new Uint8Array(Float64Array.from(values).buffer))]),
      ),
    ]),
  );
}
