// Exercises: questions about runs, whose answers the page checks with the engine (web/exercises.toml).

import type { Json, Tables } from "./catalogue";
import { type Condition, type Judged, type Runs, boundOf, holds, measured } from "./condition";
import { rateShown, shown, timeShown } from "./dom";
import { labelOf } from "./labels";

/** A number that is wrong by a factor is this close to the number times the factor. */
const CLOSE = 0.06;

interface Common {
  readonly number: number;
  readonly title: string;
  readonly toml: string;
  readonly seed: string;
  readonly question: string;
  readonly hint: string;
  /** What students should find, which a right answer shows. */
  readonly finds: string;
}

/** A scenario to be changed until conditions hold: `start` is the scenario of the exercise, `yours` the student's run. */
export interface RunExercise extends Common {
  readonly kind: "run";
  readonly conditions: readonly Condition[];
  /** Fields that may be changed, with all fields in them. */
  readonly only: readonly string[];
}

/** A number to be estimated, and then measured by the page in the scenario with some changes. */
export interface NumberExercise extends Common {
  readonly kind: "number";
  readonly measure: string;
  readonly unit: string;
  /** The measure in one such unit. */
  readonly scale: number;
  /** The relative error that is accepted. */
  readonly tolerance: number;
  readonly with: Readonly<Record<string, Json>>;
}

/** A choice among runs, or among groups of a run: the right one has the greatest measure, or the least. */
export interface ChoiceExercise extends Common {
  readonly kind: "choice";
  readonly best: "greatest" | "least";
  readonly options: readonly { readonly says: string; readonly measure: string; readonly with: Readonly<Record<string, Json>> }[];
}

export type Exercise = RunExercise | NumberExercise | ChoiceExercise;

export interface Reply {
  readonly isRight: boolean;
  readonly text: string;
}

/** Judges a student's run. */
export function replyToRun({ conditions, only, finds }: RunExercise, start: Judged & { tables: Tables }, yours: Judged & { tables: Tables }): Reply {
  const other = differences(start.tables, yours.tables).find((path) => !only.some((each) => path === each || path.startsWith(`${each}.`)));
  if (other !== undefined) return { isRight: false, text: `You also changed ${labelOf(other)}. The exercise asks for a change of ${only.map(labelOf).join(" or ")} only: Reset returns to its scenario.` };
  const runs: Runs = { start, yours };
  const failed = conditions.filter((condition) => !holds(runs, condition));
  if (failed.length === 0) return { isRight: true, text: finds };
  const said = failed.map((condition) => {
    const name = condition.measure.replace(/^yours\./, "");
    const [found, bound] = [measured(runs, condition.measure), boundOf(runs, condition)].map((value) => inWords(name, value));
    return `${nameOf(name)} is ${found}, and must be ${condition.is} ${bound}. ${condition.reply ?? ""}`;
  });
  return { isRight: false, text: said.join(" ") };
}

/** Judges a student's number. */
export function replyToNumber({ measure, unit, scale, tolerance, finds }: NumberExercise, answer: number, run: Judged): Reply {
  const found = measured({ run }, measure) / scale;
  const ratio = answer / found;
  if (Math.abs(ratio - 1) <= tolerance) return { isRight: true, text: `The simulation has ${shown(found)} ${unit}. ${finds}` };
  const far = ratio > 5 || ratio < 0.2 ? "far " : "";
  const bits = Math.abs(ratio * 8 - 1) <= CLOSE || Math.abs(ratio / 8 - 1) <= CLOSE ? " It differs by a factor of 8: compare bits and bytes." : "";
  return { isRight: false, text: `${shown(answer, 4)} ${unit} is ${far}too ${ratio > 1 ? "much" : "little"}.${bits} Read the hint, and try again.` };
}

/** Judges a student's choice by the runs of all options. */
export function replyToChoice({ options, best, finds }: ChoiceExercise, chosen: number, runs: readonly Judged[]): Reply {
  const values = options.map(({ measure }, place) => measured(runs[place] === undefined ? {} : { run: runs[place] }, measure));
  const right = values.indexOf(best === "greatest" ? Math.max(...values) : Math.min(...values));
  const measures = options.map(({ says, measure }, place) => `${says}: ${inWords(measure.replace(/^run\./, ""), values[place] ?? NaN)}`);
  if (chosen === right) return { isRight: true, text: `${measures.join("; ")}. ${finds}` };
  // the other values would say which choice is right
  return { isRight: false, text: `${measures[chosen] ?? ""}. Another choice has ${best === "greatest" ? "more" : "less"}. Read the hint, and try again.` };
}

const NAMES: Readonly<Record<string, string>> = {
  utilization: "the utilization", throughput_bps: "the throughput", goodput_bps: "the goodput", sojourn_p95: "the 95 % wait", sojourn_mean: "the mean wait",
  sojourn_max: "the longest wait", loss: "the loss", jain_index: "Jain's index", marks: "the number of marks", timeouts: "the number of timeouts", cov: "the c.o.v. of arrivals",
};

const nameOf = (measure: string): string => {
  const name = NAMES[measure.split(".").at(-1) ?? ""] ?? measure;
  return name.replace(/^./, (letter) => letter.toUpperCase());
};

function inWords(measure: string, value: number): string {
  if (/_bps$/.test(measure)) return rateShown(value).join(" ");
  if (/sojourn|delay|rtt|completion/.test(measure)) return timeShown(value).join(" ");
  return /utilization$|loss$/.test(measure) ? `${shown(100 * value)} %` : shown(value);
}

/** The paths of the fields in which two scenarios differ. */
export function differences(a: Json | undefined, b: Json | undefined, at = ""): string[] {
  const isNested = (value: Json | undefined): value is Tables | Json[] => typeof value === "object" && value !== null;
  if (!isNested(a) || !isNested(b)) return JSON.stringify(a) === JSON.stringify(b) ? [] : [at];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].flatMap((name) => differences((a as Tables)[name], (b as Tables)[name], at === "" ? name : `${at}.${name}`));
}
