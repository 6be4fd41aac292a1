// The settings of what changes during a run: when the sources of a group are active, and changes of links. A text that is
// no such value stays in the scenario, so that the message about it names its field.

import { parse as parseToml } from "smol-toml";

import type { Json, Tables } from "./catalogue";
import { OF_FLOWS, OF_LINKS, STOPS, completes, neverEnds, periodsOf } from "./changes";
import { element } from "./dom";
import { choiceKnob, textKnob } from "./knob";

const ENDS = [
  ["", "never", ""], ["stop", "at a time", "All sources of the group stop at this time"],
  ["duration", "after a time", "Each source stops this long after its own start"],
  ["active", "in pauses", "The sources are active in periods such as 5 s to 20 s, 30 s to 45 s"],
] as const;
const CHANGEABLE = [...OF_LINKS, ...OF_FLOWS];
/** What a new change of a field is. */
const NEW: Readonly<Record<string, (queue: string) => Json>> = {
  rate: () => "1 Mbps", delay: () => "50 ms", up: () => false,
  loss: () => ({ kind: "random", probability: 0.01 }), queue: (kind) => ({ kind, packets: 50 }), transport: () => ({ kind: "tcp", variant: "cubic" }), via: () => [],
};

/** Sets fields of a table; null removes one. */
type Set = (values: Tables, rebuild?: boolean) => void;

/** The settings of the periods in which the sources of a group are active, other than its start. */
export function periodKnobs(id: (name: string) => string, group: Tables, set: Set): HTMLElement[] {
  const kind = STOPS.find((name) => (group[name] ?? null) !== null) ?? "";
  const start = String(group["start"] ?? "0 s");
  const first = { stop: start === "0 s" ? "10 s" : `${start.replace(/^[0-9.]+/, (number) => String(2 * Number(number)))}`, duration: "10 s" };
  const value = group[kind] ?? "";
  const written = Array.isArray(value) ? (value as [string, string][]).map((pair) => pair.join(" to ")).join(", ") : String(value);
  const source = group["source"] as Tables;
  return [
    choiceKnob(id("ends"), "Stops", kind, ENDS, (now) => {
      const cleared = { stop: null, duration: null, active: null, unfinished: null };
      if (now === "active") set({ ...cleared, start: null, active: [[start, String(group["stop"] ?? first.stop)]] }, true);
      else {
        const begins = (group["active"] as string[][] | undefined)?.[0]?.[0];
        set({ ...cleared, ...(begins === undefined ? {} : { start: begins }), ...(now === "" ? {} : { [now]: first[now as "stop" | "duration"] }) }, true);
      }
    }),
    ...(kind === "" ? [] : [
      textKnob(id("until"), kind === "active" ? "Active from … to …" : kind === "stop" ? "Stops at" : "Stops after", written, (text) => set({ [kind]: kind === "active" ? periodsOf(text) ?? text : text }), kind === "active"),
      ...(completes(source) || neverEnds(source) ? [] : [choiceKnob(id("unfinished"), "Unsent data", String(group["unfinished"] ?? "dropped"), [["dropped", "dropped", ""], ["drained", "drained", ""]], (now) => set({ unfinished: now }))]),
    ]),
  ];
}

/** The settings of the changes of links and flows. */
export function changeKnobs(changes: readonly Tables[], links: readonly string[], queue: string, set: (changes: Tables[], rebuild: boolean) => void): HTMLElement {
  const names = element("datalist", { id: "links" }, ...links.map((value) => element("option", { value })));
  const add = element("button", { type: "button", id: "add-change" }, "Add a change");
  add.addEventListener("click", () => set([...structuredClone(changes) as Tables[], { at: "5 s", rate: NEW["rate"]?.(queue) ?? null }], true));
  const blocks = changes.map((change, place) => {
    const id = (name: string): string => `c${place}-${name}`;
    const put: Set = (values, rebuild = false) => {
      const made = structuredClone(changes) as Tables[];
      const now = made[place] ?? {};
      for (const [name, value] of Object.entries(values)) {
        // the other fields of this form begin with what the change has now
        for (const table of [now, change]) {
          if (value === null) delete table[name];
          else table[name] = value;
        }
      }
      set(made, rebuild);
    };
    const remove = element("button", { type: "button", id: id("remove"), "aria-label": `Remove change ${place + 1}` }, "Remove");
    remove.addEventListener("click", () => set(changes.filter((other) => other !== change), true));
    const absent = CHANGEABLE.filter((name) => (change[name] ?? null) === null);
    return element(
      "div", { class: "change", role: "group", "aria-label": `Change ${place + 1}` },
      element("div", { class: "bar" }, element("span", { class: "spare" }, `Change ${place + 1}`), remove),
      textKnob(id("at"), "At", String(change["at"]), (text) => put({ at: text })),
      ...(OF_LINKS.every((name) => absent.includes(name)) ? [] : [textKnob(id("links"), "Link", ((change["links"] ?? [links[0] ?? ""]) as string[]).join(", "), (text) => put({ links: text.split(",").map((name) => name.trim()) }), true, "links")]),
      ...(OF_FLOWS.every((name) => absent.includes(name)) ? [] : [textKnob(id("groups"), "Groups", ((change["groups"] ?? []) as string[]).join(", "), (text) => put({ groups: text === "" ? null : text.split(",").map((name) => name.trim()) }), true)]),
      ...CHANGEABLE.filter((name) => !absent.includes(name)).map((name) => fieldKnob(id(name), name, change, put)),
      ...(absent.length === 0 ? [] : [choiceKnob(id("also"), "Also change", "", [["", "–", ""], ...absent.map((name) => [name, name, ""] as const)], (name) => put({ [name]: NEW[name]?.(queue) ?? null }, true))]),
    );
  });
  return element("fieldset", {}, element("legend", {}, element("span", { class: "spare" }, "Changes")), ...blocks, element("div", { class: "bar" }, add), names);
}

function fieldKnob(id: string, name: string, change: Tables, put: Set): HTMLElement {
  if (name === "up") {
    const value = change["up"] === true ? "up" : String(change["waiting"] ?? "kept");
    const states = [["up", "up", ""], ["kept", "down, queue kept", ""], ["lost", "down, queue lost", ""]] as const;
    return choiceKnob(id, "Link is", value, states, (now) => put(now === "up" ? { up: true, waiting: null } : { up: false, waiting: now }));
  }
  const isTable = name !== "rate" && name !== "delay";
  const set = (text: string): void => put({ [name]: isTable ? tableOf(text) : text });
  const field = textKnob(id, name.replace(/^./, (letter) => letter.toUpperCase()), isTable ? inline(change[name] ?? null) : String(change[name]), set, isTable);
  if (name !== "delay") return field;
  const box = element("input", { type: "checkbox", id: `${id}-reorders` });
  box.checked = change["reorders"] === true;
  box.addEventListener("change", () => put({ reorders: box.checked ? true : null }));
  return element("div", {}, field, element("div", { class: "knob" }, element("label", { for: box.id }, "Packets overtake"), box));
}

/** A value as in TOML, in one line. */
function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, each]) => `${name} = ${inline(each)}`).join(", ")} }`;
}

function tableOf(text: string): Json {
  try {
    return (parseToml(`value = ${text}`) as Tables)["value"] ?? text;
  } catch {
    return text;
  }
}
