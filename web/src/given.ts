// A scenario that the page cannot read by itself, such as a graph: `ackclock lab` gives its plan, and the settings that
// the page may change, each with its places in the plan.

import type { Catalogue, Json, Tables } from "./catalogue";
import { makeChanges, momentsOf, scheduleOf } from "./changes";
import { type Described, type Group, put, readers } from "./plan";
import { RATE, TIME, parse } from "./quantity";
import { readFields } from "./reading";

export interface GivenKnob {
  /** The field's path in the scenario. */
  readonly path: string;
  readonly label: string;
  readonly kind: "time" | "rate" | "whole" | "number";
  readonly low: number;
  readonly high: number;
  readonly value: number;
  readonly places: readonly (readonly (string | number)[])[];
}

export interface Given {
  readonly name: string;
  readonly text?: string;
  /** As in its file, and with all defaults, which the settings change. */
  readonly scenario: Tables;
  readonly effective: Tables;
  /** Without changes of links, and with sources that do not stop. */
  readonly plan: Tables;
  /** The names of a graph's links, in the order of the plan. */
  readonly links: readonly string[];
  readonly seed: string;
  readonly knobs: readonly GivenKnob[];
  readonly described: Omit<Described, "plan" | "moments">;
  /** Changed fields: paths in the scenario and their values as in TOML; null removes a field. */
  readonly edits?: Readonly<Record<string, Json>>;
}

const MOST_KNOBS = 200;
const TIMED = ["start", "spread", "stop", "duration", "active", "unfinished"];
const isTable = (value: unknown): value is Tables => typeof value === "object" && value !== null && !Array.isArray(value);

export function isGiven(value: unknown): value is Given {
  if (!isTable(value)) return false;
  const { name, scenario, effective, plan, links, seed, knobs, described, edits } = value as unknown as Given;
  return typeof name === "string" && isTable(scenario) && isTable(effective) && isTable(plan) && Array.isArray(links) && typeof seed === "string" && Array.isArray(knobs)
    && knobs.length <= MOST_KNOBS && knobs.every(isKnob) && Object.keys(edits ?? {}).every(isPlain) && isTable(described) && isDescribed(described as unknown as Described);
}

const isPlain = (path: string): boolean => path.split(".").every((name) => !["__proto__", "constructor", "prototype"].includes(name));

function isKnob(knob: unknown): knob is GivenKnob {
  if (!isTable(knob)) return false;
  const { path, label, kind, low, high, value, places } = knob as unknown as GivenKnob;
  return typeof path === "string" && isPlain(path) && typeof label === "string"
    && ["time", "rate", "whole", "number"].includes(kind) && [low, high, value].every(Number.isFinite) && Array.isArray(places);
}

function isDescribed({ groups, rate, duration, bin, from, link }: Described): boolean {
  return Array.isArray(groups) && groups.length > 0 && groups.length <= 1000 && groups.every(isGroup)
    && [rate, duration, bin].every((value) => Number.isFinite(value) && value > 0) && Number.isFinite(from) && Number.isInteger(link);
}

function isGroup(group: unknown): group is Group {
  const { name, count, kind, packetSize, rtt } = (group ?? {}) as Group;
  return typeof name === "string" && ["tcp", "udp"].includes(kind) && [count, packetSize, rtt].every((value) => Number.isFinite(value) && value >= 0) && count <= 1_000_000;
}

/** The scenario with what was changed. */
export function describeGiven(given: Given, catalogue: Catalogue): Described {
  const plan = structuredClone(given.plan);
  let { rate, duration } = given.described;
  const counts = given.described.groups.map(({ count }) => count);
  for (const [path, { places, kind }] of given.knobs.map((knob) => [knob.path, knob] as const)) {
    const edit = given.edits?.[path];
    if (edit === undefined) continue;
    const value = typeof edit === "string" ? Number(parse(kind === "time" ? TIME : RATE, edit) ?? 0n) : (edit as number);
    for (const place of places) put(plan, place, value);
    if (path.endsWith("bottleneck.rate")) rate = value;
    if (path === "duration") duration = value;
    const group = /^(?:clients|flows)\.([0-9]+)\.count$/.exec(path);
    if (group !== null) counts[Number(group[1])] = value;
  }
  const groups = given.described.groups.map((group, place) => ({ ...group, count: counts[place] ?? group.count }));
  const scenario = editedScenario(given);
  const table = tableOfGroups(scenario);
  const own = scenario[table] as Tables[];
  const { fields = {} } = catalogue.tables["Clients"] ?? {};
  for (const [place, group] of own.entries()) {
    const at = `${table}.${place}`;
    const timed = <Value>(all: Readonly<Record<string, Value>>): Record<string, Value> => Object.fromEntries(Object.entries(all).filter(([name]) => TIMED.includes(name)));
    const times = readFields(timed(group), timed(fields), [], at, catalogue.tables);
    Object.assign((plan["groups"] as Tables[])[place] ?? {}, scheduleOf({ ...times, source: group["source"] ?? {} }, at, duration));
  }
  const { link } = scenario["measure"] as { link: string };
  const nodes = ((scenario["nodes"] ?? []) as { name: string }[]).map(({ name }) => name);
  makeChanges(scenario["changes"], { plan, links: given.links, nodes, groups: groups.map(({ name }) => name), measured: link, duration, ...readers(catalogue) }, catalogue);
  return { ...given.described, plan, rate, duration, groups, moments: momentsOf(scenario["changes"], own, groups.map(({ name }) => name)) };
}

export const tableOfGroups = (scenario: Tables): "clients" | "flows" => ((scenario["clients"] as Json[] | undefined)?.length ? "clients" : "flows");

/** The tables of the scenario with what was changed. */
export function editedScenario({ effective, edits }: Given): Tables {
  const scenario = structuredClone(effective);
  for (const [path, value] of Object.entries(edits ?? {})) assign(scenario, path.split("."), value);
  return scenario;
}

/** Sets a field of nested tables by its path, as `ackclock run --set` does; null removes it. */
export function assign(tables: Tables, path: readonly string[], value: Json): void {
  let at = tables as Record<string, Json>;
  for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Record<string, Json>;
  const last = path.at(-1) ?? "";
  if (value === null) delete at[last];
  else at[last] = value;
}
