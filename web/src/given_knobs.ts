// The settings of a scenario that comes with its plan: a form that edits its fields.

import type { Json, Tables } from "./catalogue";
import { element } from "./dom";
import { type Given, editedScenario, tableOfGroups } from "./given";
import { numericKnob, textKnob } from "./knob";
import { linksOf } from "./knobs";
import { RATE, TIME, format, parse } from "./quantity";
import { changeKnobs, periodKnobs } from "./timing";

/** Groups with settings of their own. */
const MOST_GROUPS = 20;

export class GivenKnobs {
  constructor(
    private readonly form: HTMLElement,
    private readonly changed: (state: { change: { tables: Tables; seed: string }; given: Given }) => void,
  ) {}

  show(change: { readonly tables: Tables; readonly seed: string }, given: Given): void {
    let [seed, edits] = [change.seed, { ...given.edits }];
    const emit = (rebuild = false): void => {
      const state = { change: { tables: change.tables, seed }, given: { ...given, edits } };
      if (rebuild) this.show(state.change, state.given);
      this.changed(state);
    };
    const edit = (path: string, value: Json): void => void (edits = { ...edits, [path]: value });
    const knobs = given.knobs.map((knob) => {
      const { path, label, kind, low, high } = knob;
      const quantity = kind === "time" ? TIME : RATE;
      const now = edits[path] ?? knob.value;
      const value = typeof now === "string" ? Number(parse(quantity, now) ?? 0n) : Number(now);
      const [scale, name] = kind === "time" ? (knob.value >= 1e12 ? [1e12, "s"] : [1e9, "ms"]) : kind === "rate" ? [1e6, "Mbit/s"] : [1, ""];
      return numericKnob({
        id: `k-${path.replaceAll(".", "-")}`, label, unit: name, low: low / scale, high: high / scale, value: value / scale, whole: kind === "whole", logarithmic: low > 0,
        set: (now) => {
          edit(path, kind === "time" || kind === "rate" ? format(quantity, BigInt(Math.round(now * scale))) : kind === "whole" ? Math.round(now) : now);
          emit();
        },
      });
    });
    const seedKnob = numericKnob({
      id: "seed", label: "Seed", unit: "", low: 1, high: 100, whole: true, most: Number.MAX_SAFE_INTEGER, value: Number(seed),
      set: (value) => {
        seed = String(value);
        emit();
      },
    });
    const box = (title: string, ...children: HTMLElement[]): HTMLElement => element("fieldset", {}, element("legend", {}, title), ...children);
    const scenario = editedScenario({ ...given, edits });
    const table = tableOfGroups(scenario);
    const groups = (scenario[table] as Tables[]).slice(0, MOST_GROUPS).map((group, place) => box(
      String(group["name"]),
      ...(group["active"] == null ? [textKnob(`g${place}-start`, "Start", String(group["start"] ?? "0 s"), (text) => { edit(`${table}.${place}.start`, text); emit(); })] : []),
      ...periodKnobs((name) => `g${place}-${name}`, group, (values, rebuild) => {
        for (const [name, value] of Object.entries(values)) edit(`${table}.${place}.${name}`, value);
        emit(rebuild);
      }),
    ));
    const links = given.links.length > 0 ? given.links : linksOf((given.plan["groups"] as { count: number }[]).map(({ count }) => count));
    const { link } = scenario["measure"] as { link: string };
    const changes = changeKnobs((scenario["changes"] ?? []) as Tables[], [link, ...links.filter((name) => name !== link)], given.described.queue, (now, rebuild) => {
      edit("changes", now);
      emit(rebuild);
    });
    this.form.replaceChildren(box(given.name, seedKnob, ...knobs), ...groups, changes);
  }
}
