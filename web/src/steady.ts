// Notices about the course of a run, in the words of python/ackclock/running/steady.py; tests compare both.

import type { Tables } from "./catalogue";
import type { Facts } from "./engine";
import type { Described } from "./plan";
import { TIME, format } from "./quantity";

const BATCH = 5;
const LEAST_BATCHES = 10;
const WORTH_LEAVING_OUT = 0.05;
const STAGED = 0.05;
const LATE = 0.5;
const SHARE_CHANGE = 0.05;

/** As Python's format `.4g`. */
export function general(value: number, digits: number): string {
  if (value === 0) return "0";
  const [mantissa = "", exponent = "0"] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  if (power < -4 || power >= digits) {
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${short}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const fixed = value.toFixed(Math.max(0, digits - 1 - power));
  return fixed.includes(".") ? fixed.replace(/\.?0+$/, "") : fixed;
}

export const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;

/** The values in the warm-up by MSER-5; undefined if there are too few values, null if they still drift. */
export function warmup(values: readonly number[]): number | null | undefined {
  const batches = Math.floor(values.length / BATCH);
  if (batches < LEAST_BATCHES) return undefined;
  const sums = Array.from({ length: batches }, (_, batch) => values.slice(batch * BATCH, (batch + 1) * BATCH).reduce((sum, value) => sum + value, 0));
  const [origin, furthest] = [sums.at(-1) ?? 0, Math.floor(batches / 2)];
  let [total, squares, best, at] = [0, 0, Infinity, 0];
  for (let cut = batches - 1; cut >= 0; cut -= 1) {
    const deviation = (sums[cut] ?? 0) - origin;
    total += deviation;
    squares += deviation * deviation;
    if (cut > furthest) continue;
    const left = batches - cut;
    const error = (squares - (total * total) / left) / left ** 2;
    if (error <= best) [best, at] = [error, cut];
  }
  return at === furthest ? null : at * BATCH;
}

export function* steadyState(scenario: Described, { bins }: Facts): Iterable<string> {
  const [width, from] = [scenario.bin, scenario.from].map((time) => format(TIME, BigInt(time)));
  if (bins.length < 2) yield `cov is undefined: the measured time contains fewer than two whole bins of ${width}.`;
  if (!hasSteadyState(scenario, bins)) return;
  const length = warmup(bins);
  if (length === null) {
    yield "The run does not reach steady state: arrivals still drift half-way through the measured time. Simulate a longer time.";
  } else if (length) {
    const end = (scenario.from + length * scenario.bin) / 1e12;
    const [[mean, cov], [laterMean, laterCov]] = [meanAndCov(bins), meanAndCov(bins.slice(length))];
    const byChance = 3 / Math.sqrt(bins.length);
    const changes = ([["cov", cov, laterCov, byChance], ["arrivals per bin", mean, laterMean, byChance * laterCov]] as const)
      .filter(([, now, later, share]) => Math.abs(later - now) > Math.max(WORTH_LEAVING_OUT, share) * now)
      .map(([name, now, later]) => `${name} would be ${general(later, 4)}, not ${general(now, 4)}`);
    if (changes.length > 0) {
      yield `The run does not reach steady state before ${general(end, 4)} s: measured from there, ${changes.join(" and ")}. A later measure.from (now ${from}) excludes the start.`;
    }
  }
}

function meanAndCov(bins: readonly number[]): [number, number] {
  const total = bins.reduce((sum, value) => sum + value, 0);
  const squares = bins.reduce((sum, value) => sum + value * value, 0);
  return [total / bins.length, total === 0 ? 0 : Math.sqrt(bins.length * squares - total ** 2) / total];
}

const planned = (scenario: Described): Tables[] => scenario.plan["groups"] as Tables[];

/** Whether all flows send from the start of the measured time to its end. */
function hasSteadyState(scenario: Described, bins: readonly number[]): boolean {
  for (const group of planned(scenario)) {
    const source = group["source"] as Tables;
    if (source["kind"] === "greedy" && typeof source["packets"] === "number") return false;
    if (absent(scenario, group, 1) > STAGED) return false;
  }
  const last = bins.length === 0 ? bins : bins.slice(-Math.ceil(STAGED * bins.length));
  return last.some(Boolean) || !bins.some(Boolean);
}

/** The share of the measured time before the flows of a group start, after this share of their spread. */
function absent({ from, duration }: Described, group: Tables, spread: number): number {
  const start = (group["start"] as number) + spread * ((group["spread"] as number | undefined) ?? 0);
  return Math.min(Math.max(start - from, 0) / (duration - from), 1);
}

export function* lateStarts(scenario: Described): Iterable<string> {
  for (const [place, group] of planned(scenario).entries()) {
    const share = absent(scenario, group, 0.5);
    if (share < LATE) continue;
    const [start, from] = [(group["start"] as number) / 1e12, format(TIME, BigInt(scenario.from))] as const;
    yield `The flows of group ${scenario.groups[place]?.name ?? ""} start at ${general(start, 4)} s: rates and shares average over the whole measured time, in ${percent(share)} of which they have not started. A later measure.from (now ${from}) excludes that time.`;
  }
}

export function* changingShares(scenario: Described, { bins, thirds }: Facts): Iterable<string> {
  if (!hasSteadyState(scenario, bins)) return;
  const [middle, last] = ([1, 2] as const).map((third) => thirds.reduce((sum, counts) => sum + counts[third], 0)) as [number, number];
  if (middle === 0 || last === 0) return;
  let [largest, text] = [0, ""];
  for (const [place, [, second, third]] of thirds.entries()) {
    const [before, after] = [second / middle, third / last];
    const byChance = 3 * Math.sqrt((before * (1 - before)) / middle + (after * (1 - after)) / last);
    const change = Math.abs(after - before);
    if (change > Math.max(SHARE_CHANGE, byChance, largest)) {
      largest = change;
      text = `The share of group ${scenario.groups[place]?.name ?? ""} still changes: ${percent(before)} of all arrivals in the second third of the measured time, ${percent(after)} in the last. Simulate a longer time.`;
    }
  }
  if (text) yield text;
}
