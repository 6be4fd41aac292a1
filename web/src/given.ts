// A scenario that the page cannot read by itself, such as a graph: `ackclock lab` gives its plan, and the settings that
// the page may change, each with its places in the plan.

import type { Json, Tables } from "./catalogue";
import { numericKnob } from "./knobs";
import { type Described, type Group, put } from "./plan";
import { RATE, TIME, format, parse } from "./quantity";

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
  readonly plan: Tables;
  readonly seed: string;
  readonly knobs: readonly GivenKnob[];
  readonly described: Omit<Described, "plan">;
  /** Changed fields: paths in the scenario and their values as in TOML. */
  readonly edits?: Readonly<Record<string, Json>>;
}

const MOST_KNOBS = 200;
const isTable = (value: unknown): value is Tables => typeof value === "object" && value !== null && !Array.isArray(value);

export function isGiven(value: unknown): value is Given {
  if (!isTable(value)) return false;
  const { name, scenario, effective, plan, seed, knobs, described } = value as unknown as Given;
  return typeof name === "string" && isTable(scenario) && isTable(effective) && isTable(plan) && typeof seed === "string" && Array.isArray(knobs)
    && knobs.length <= MOST_KNOBS && knobs.every(isKnob) && isTable(described) && isDescribed(described as unknown as Described);
}

function isKnob(knob: unknown): knob is GivenKnob {
  if (!isTable(knob)) return false;
  const { path, label, kind, low, high, value, places } = knob as unknown as GivenKnob;
  return typeof path === "string" && path.split(".").every((name) => !["__proto__", "constructor", "prototype"].includes(name)) && typeof label === "string"
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
export function describeGiven(given: Given): Described {
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
  return { ...given.described, plan, rate, duration, groups };
}

export class GivenKnobs {
  constructor(
    private readonly form: HTMLElement,
    private readonly changed: (state: { change: { tables: Tables; seed: string }; given: Given }) => void,
  ) {}

  show(change: { readonly tables: Tables; readonly seed: string }, given: Given): void {
    let [seed, edits] = [change.seed, { ...given.edits }];
    const emit = (): void => this.changed({ change: { tables: change.tables, seed }, given: { ...given, edits } });
    const knobs = given.knobs.map((knob) => {
      const { path, label, kind, low, high, value } = knob;
      const [scale, name] = kind === "time" ? (value >= 1e12 ? [1e12, "s"] : [1e9, "ms"]) : kind === "rate" ? [1e6, "Mbit/s"] : [1, ""];
      return numericKnob({
        id: `k-${path.replaceAll(".", "-")}`, label, unit: name, low: low / scale, high: high / scale, value: value / scale, whole: kind === "whole", logarithmic: low > 0,
        set: (now) => {
          const base = Math.round(now * scale);
          edits = { ...edits, [path]: kind === "time" ? format(TIME, BigInt(base)) : kind === "rate" ? format(RATE, BigInt(base)) : kind === "whole" ? Math.round(now) : now };
          emit();
        },
      });
    });
    const seedKnob = numericKnob({
      id: "seed", label: "Seed", unit: "", low: 1, high: 100, whole: true, value: Number(seed),
      set: (value) => {
        seed = String(value);
        emit();
      },
    });
    const title = document.createElement("fieldset");
    title.append(Object.assign(document.createElement("legend"), { textContent: given.name }), seedKnob, ...knobs);
    this.form.replaceChildren(title);
  }
}
