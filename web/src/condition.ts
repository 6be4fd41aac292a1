// Conditions on runs, in the form of tools/lab_claims.py: a measure, RUN.MEASURE or RUN.GROUP.MEASURE, is at least or at
// most another one, or a value, times a factor.

import type { Drawn } from "./panel";

export interface Condition {
  readonly measure: string;
  readonly is: "at least" | "at most";
  readonly factor?: number;
  readonly of?: string;
  readonly value?: number;
  /** What helps if the condition does not hold. */
  readonly reply?: string;
}

/** What conditions need of a run. */
export type Judged = Pick<Drawn, "outcome" | "scenario">;
export type Runs = Readonly<Record<string, Judged>>;

export function measured(runs: Runs, name: string): number {
  const [run = "", ...rest] = name.split(".");
  const measure = rest.at(-1) ?? "";
  const judged = runs[run];
  const group = rest.length > 1 ? judged?.scenario.groups.findIndex((each) => each.name === rest[0]) : undefined;
  const measures = group === undefined ? judged?.outcome.summary : judged?.outcome.groups[group];
  return measures?.[measure] ?? NaN;
}

export const boundOf = (runs: Runs, { factor = 1, of, value = NaN }: Condition): number => factor * (of === undefined ? value : measured(runs, of));

export function holds(runs: Runs, condition: Condition): boolean {
  const [found, bound] = [measured(runs, condition.measure), boundOf(runs, condition)];
  return condition.is === "at least" ? found >= bound : found <= bound;
}
