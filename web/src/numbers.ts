// The numbers of a run and of its groups.

import type { Catalogue } from "./catalogue";
import { element, groupColour, rateShown, shown, timeShown } from "./dom";
import type { Measures } from "./engine";
import type { Drawn } from "./panel";
import { markerOf } from "./pens";

const percent = (value: number | null | undefined): string => shown(value == null ? null : 100 * value);
const milliseconds = (value: number | null | undefined): string => shown(value == null ? null : value * 1e3);

/** The measures of the run, each with its name and unit. */
export function numbersOf({ scenario, outcome }: Drawn, defined: Catalogue["measures"]): HTMLElement[] {
  const s = outcome.summary;
  const transfers = outcome.groups.flatMap((group, place) => (group["completion_p50"] == null ? [] : [{ group, name: outcome.groups.length > 1 ? `${scenario.groups[place]?.name ?? ""}: ` : "" }]));
  const entry = (measure: string, name: string, value: string, unit = ""): HTMLElement =>
    element("div", {}, element("dt", { title: defined[measure] ?? name }, name), element("dd", {}, value, ...(unit === "" ? [] : [" ", element("small", {}, unit)])));
  return [
    entry("throughput_bps", "throughput", ...rateShown(s["throughput_bps"])),
    entry("payload_bps", "payload", ...rateShown(s["payload_bps"])),
    entry("utilization", "utilization", percent(s["utilization"]), "%"),
    entry("loss", "loss", percent(s["loss"]), "%"),
    ...(s["marks"] ? [entry("marks", "marks", shown(s["marks"]))] : []),
    entry("sojourn_mean", "mean wait", ...timeShown(s["sojourn_mean"])),
    entry("sojourn_p95", "95 % wait", ...timeShown(s["sojourn_p95"])),
    entry("queue_mean", "mean queue", shown(s["queue_mean"]), "packets"),
    entry("cov", "c.o.v.", shown(s["cov"])),
    entry("retransmissions", "retransmissions", shown(s["retransmissions"])),
    entry("timeouts", "timeouts", shown(s["timeouts"])),
    ...transfers.flatMap(({ group, name }) => [
      entry("completion_p50", `${name}median completion`, ...timeShown(group["completion_p50"])),
      entry("completion_p95", `${name}95 % completion`, ...timeShown(group["completion_p95"])),
    ]),
    entry("jain_index", "Jain's index", shown(s["jain_index"])),
    ...["join", "leave", "rate"].flatMap((name) => {
      const found = s[`convergence_${name}`];
      return found == null ? [] : [entry(`convergence_${name}`, `convergence, ${name}`, ...timeShown(found))];
    }),
  ];
}

/** The part of the run that the numbers are about, and the part that the plots show. */
export function spansOf({ scenario, view }: Drawn): string {
  const [from, end] = [scenario.from / 1e12, scenario.duration / 1e12];
  const numbers = from === 0 ? `the whole run, ${shown(end, 4)} s` : `from ${shown(from, 4)} s to the end at ${shown(end, 4)} s`;
  const plots = view.from <= 0 && view.until >= end ? "the whole run" : `${shown(view.from, 4)} to ${shown(view.until, 4)} s`;
  return `Numbers: ${numbers}. Plots over time: ${plots}.`;
}

/** A table with a row for each group. */
export function groupsOf({ scenario, outcome }: Drawn): HTMLElement {
  const heads = ["group", "law", "flows", "goodput", "payload", "share, %", "loss, %", "retransmissions", "timeouts", "delay, ms", "RTT, ms", "limited by"];
  const total = outcome.groups.reduce((sum, group) => sum + (group["goodput_bps"] ?? 0), 0);
  const rows = outcome.groups.map((group: Measures, place) => {
    const of = scenario.groups[place];
    const name = element("td", {}, element("span", { class: "glyph", style: `color:var(--${groupColour(place)})`, "aria-hidden": "true" }, markerOf(place)), of?.name ?? "");
    const values = [
      of?.kind === "tcp" ? of.variant : "udp", shown(of?.count), rateShown(group["goodput_bps"]).join(" "),
      rateShown(group["payload_bps"]).join(" "), percent(total === 0 ? null : (group["goodput_bps"] ?? 0) / total), percent(group["loss"]), shown(group["retransmissions"]),
      shown(group["timeouts"]), milliseconds(group["delay_mean"]), milliseconds(group["rtt_mean"]), limitedBy(group),
    ];
    return element("tr", {}, name, ...values.map((value) => element("td", {}, value)));
  });
  return element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, ...rows));
}

/** What limited a group, the largest share of its time first, as `ackclock run` prints it. */
function limitedBy(group: Measures): string {
  const shares = Object.entries(group).filter((each): each is [string, number] => each[0].startsWith("limited_") && each[1] !== null);
  const shown = shares.filter(([, share]) => share >= 0.005).sort(([, a], [, b]) => b - a);
  return shown.map(([name, share]) => `${name.slice("limited_".length).replaceAll("_", " ")} ${Math.round(100 * share)}%`).join(", ") || "–";
}
