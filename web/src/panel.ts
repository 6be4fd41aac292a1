// The drawings and numbers of one run: A or B.

import type uPlot from "uplot";

import type { Catalogue } from "./catalogue";
import { colour, element, faded, groupColour, rateShown, shown, timeShown } from "./dom";
import type { Measures, Outcome } from "./engine";
import type { Described } from "./plan";
import { stroked, vertical } from "./marks";
import { type Content, type Key, type Line, Plot } from "./plot";
import type { Phase, View } from "./view";

export interface Drawn {
  readonly scenario: Described;
  readonly outcome: Outcome;
  readonly notices: readonly string[];
  readonly view: View;
}

/** The greatest values, so that two runs side by side have the same axes. */
export type Tops = Record<"cwnd" | "queue" | "gauge" | "goodput" | "rtt" | "arrivals" | "cov", number>;

const FEW_FLOWS = 8;

export class Panel {
  readonly root = element("section", { class: "run" });
  private readonly heading = element("h2");
  private readonly numbers = element("dl", { class: "numbers" });
  private readonly notices = element("ul", { class: "notices", "aria-label": "Notices" });
  private readonly groups = element("div", { class: "scroll", role: "region", tabindex: "0" });
  private readonly plots: Record<"cwnd" | "queue" | "gauge" | "goodput" | "rtt" | "arrivals" | "ladder", Plot>;
  private readonly choice = element("select", { "aria-label": "State of the queue discipline" });
  private readonly gaugeBox = element("div");
  private drawn: Drawn | undefined;
  private tops: Tops | undefined;

  constructor(
    private readonly catalogue: Catalogue,
    zoomed: (from: number, until: number) => void,
    whole: () => void,
  ) {
    const over = (title: string, y: string, height: number): Plot => new Plot({ title, x: "time, s", y, height }, zoomed, whole, () => this.drawn?.scenario.moments ?? []);
    this.plots = {
      cwnd: over("Congestion windows", "packets", 210),
      queue: over("Queue of the bottleneck", "packets", 170),
      gauge: over("State of the queue discipline", "value", 130),
      goodput: over("Goodput, stacked by flow", "Mbit/s", 160),
      rtt: over("Smoothed round-trip time", "ms", 150),
      arrivals: over("Arrivals at the bottleneck", "packets per bin", 150),
      ladder: new Plot({ title: "Burstiness by time scale", x: "width of a bin, s", y: "c.o.v. of arrivals", height: 190 }),
    };
    this.choice.addEventListener("change", () => this.redraw());
    this.gaugeBox.append(this.plots.gauge.root, element("div", { class: "bar" }, this.choice));
    const { cwnd, queue, goodput, rtt, arrivals, ladder } = this.plots;
    this.root.append(
      this.heading, this.numbers, this.notices, cwnd.root, queue.root, goodput.root, rtt.root, arrivals.root, this.gaugeBox, ladder.root, this.groups,
    );
  }

  set title(parts: readonly [string, string]) {
    this.heading.replaceChildren(parts[0], " ", element("span", { class: "quiet" }, parts[1]));
    this.heading.hidden = parts[0] === "";
    const name = parts[0] === "" ? "" : `${parts[0]}: `;
    this.root.setAttribute("aria-label", `${name}results`);
    this.groups.setAttribute("aria-label", `${name}results of each group`);
  }

  /** The plots in their order, for a figure. */
  get figures(): Plot[] {
    const { cwnd, queue, gauge, goodput, rtt, arrivals, ladder } = this.plots;
    const all = [cwnd, queue, goodput, rtt, arrivals, ...(this.gaugeBox.hidden ? [] : [gauge]), ladder];
    return all.filter(({ root }) => !root.hidden);
  }

  draw(drawn: Drawn, tops: Tops): void {
    this.drawn = drawn;
    this.tops = tops;
    this.root.classList.remove("stale");
    this.summarise(drawn);
    this.redraw();
  }

  redraw(): void {
    const { drawn, tops } = this;
    if (drawn === undefined || tops === undefined) return;
    const { view } = drawn;
    const span = [view.from, view.until] as const;
    const hasTcp = drawn.scenario.groups.some(({ kind }) => kind === "tcp");
    for (const { root } of [this.plots.cwnd, this.plots.goodput, this.plots.rtt]) root.hidden = !hasTcp;
    this.plots.cwnd.draw({ ...this.windows(drawn, tops), x: view.x, span });
    this.plots.queue.draw({ ...this.queue(drawn, tops), x: view.x, span });
    this.gauge(drawn, span);
    this.plots.goodput.draw({ ...this.goodput(drawn, tops), x: view.goodput.x, span });
    this.plots.rtt.draw({ ...this.rtt(drawn, tops), x: view.x, span });
    this.plots.arrivals.draw({ ...this.arrivals(drawn, tops), x: view.arrivals.x, span });
    this.plots.ladder.draw(this.ladder(drawn, tops));
  }

  private groupKeys({ scenario }: Drawn, udp = false): Key[] {
    return scenario.groups.flatMap(({ name, kind, variant }, group) =>
      kind === "tcp" || udp ? [{ label: name.startsWith("clients-") ? (kind === "tcp" ? variant : "udp") : name, stroke: colour(groupColour(group)), shape: "line" as const }] : [],
    );
  }

  private groupsOf({ scenario, view }: Drawn): number[] {
    const ends = scenario.groups.map(((sum) => ({ count }) => (sum += count))(0));
    return view.flows.map((flow) => ends.findIndex((end) => flow < end));
  }

  private perFlow(drawn: Drawn, series: readonly Float64Array[]): Line[] {
    const groups = this.groupsOf(drawn);
    const many = series.length > FEW_FLOWS;
    return series.map((values, place) => {
      const group = groups[place] ?? 0;
      const stroke = colour(groupColour(group));
      return { label: drawn.scenario.groups[group]?.name ?? "", stroke: many ? faded(stroke, 0.55) : stroke, values, width: many ? 1 : 1.3 };
    });
  }

  private windows(drawn: Drawn, tops: Tops): Omit<Content, "x" | "span"> {
    const { view } = drawn;
    const groups = this.groupsOf(drawn);
    const lines = this.perFlow(drawn, view.cwnd);
    const firsts = groups.map((group, place) => (groups.indexOf(group) === place ? place : -1)).filter((place) => place >= 0);
    const limit = tops.cwnd * 1.3;
    const thresholds = firsts.slice(0, 4).map((place) => ({
      label: "",
      stroke: faded(colour(groupColour(groups[place] ?? 0)), 0.6),
      values: (view.ssthresh[place] ?? new Float64Array()).map((value) => (value <= limit ? value : NaN)),
      width: 1,
      dash: [3, 3],
    }));
    const strips = firsts.map((place) => view.flows[place] ?? 0);
    const phases = [...new Set(view.phases.filter(({ flow }) => strips.includes(flow)).map(({ phase }) => phase))].filter((phase) => !isUsual(phase));
    return {
      lines: [...lines, ...thresholds],
      keys: [
        ...this.groupKeys(drawn),
        ...(thresholds.length > 0 ? [{ label: "ssthresh", stroke: colour("reference"), shape: "dashed" as const }] : []),
        ...phases.map((phase) => ({ label: phase.replaceAll("_", " "), stroke: colour(phaseColour(phase)), shape: "block" as const })),
      ],
      top: tops.cwnd * 1.12 + 1,
      over: (plot) => strip(plot, view.phases, strips),
      spoken: `${view.flows.length} flows from ${shown(view.from)} to ${shown(view.until)} s; the largest window has ${shown(tops.cwnd)} packets.`,
    };
  }

  private queue(drawn: Drawn, tops: Tops): Omit<Content, "x" | "span"> {
    const { view, outcome } = drawn;
    const average = view.gauges.find(({ name }) => name === "avg");
    const [ink, accent, drop, mark] = [colour("queue"), colour("accent"), colour("drop"), colour("mark")];
    const inPackets = average !== undefined && maximum(average.values) <= tops.queue * 1.5 + 1;
    const marked = view.marks.some((times) => times.length > 0);
    return {
      lines: [
        { label: "waiting", stroke: ink, values: view.queue, width: 1, fill: faded(ink.length === 7 ? ink : "#808080", 0.12) },
        ...(average !== undefined && inPackets ? [{ label: "average", stroke: accent, values: average.values, width: 1.6 }] : []),
      ],
      keys: [
        { label: "waiting", stroke: ink },
        ...(inPackets ? [{ label: "RED's average", stroke: accent }] : []),
        { label: "drops", stroke: drop, shape: "tick" },
        ...(marked ? [{ label: "marks", stroke: mark, shape: "tick" as const }] : []),
      ],
      top: tops.queue * 1.15 + 1,
      over: (plot) => {
        ticks(plot, view.drops, drop, 0);
        ticks(plot, view.marks, mark, 1);
      },
      spoken: `At most ${shown(maximum(view.queue))} packets wait; ${shown(outcome.summary["drops"])} drops and ${shown(outcome.summary["marks"] ?? 0)} marks.`,
    };
  }

  private gauge({ view }: Drawn, span: readonly [number, number]): void {
    const names = view.gauges.map(({ name }) => name);
    this.gaugeBox.hidden = names.length === 0;
    if (names.length === 0) return;
    if (names.join() !== [...this.choice.options].map(({ value }) => value).join()) {
      this.choice.replaceChildren(
        ...names.map((name) => {
          const gauge = this.catalogue.gauges[name];
          return element("option", { value: name }, `${name}: ${gauge?.doc ?? ""}${gauge?.unit ? ` (${gauge.unit})` : ""}`.slice(0, 110));
        }),
      );
    }
    const chosen = view.gauges.find(({ name }) => name === this.choice.value) ?? view.gauges[0];
    if (chosen === undefined) return;
    this.plots.gauge.draw({
      x: view.x,
      span,
      lines: [{ label: chosen.name, stroke: colour("accent"), values: chosen.values }],
      keys: [{ label: chosen.name, stroke: colour("accent") }],
      top: maximum(chosen.values) * 1.12 || 1,
      spoken: `${chosen.name} is at most ${shown(maximum(chosen.values))}.`,
    });
  }

  private goodput(drawn: Drawn, tops: Tops): Omit<Content, "x" | "span"> {
    const { view, scenario } = drawn;
    const sum = new Float64Array(view.goodput.x.length);
    const lines = view.goodput.bands.map(({ group, values }, place): Line => {
      values.forEach((value, bin) => (sum[bin] = (sum[bin] ?? 0) + value / 1e6));
      const stroke = colour(groupColour(group));
      const fill = faded(stroke, place % 2 === 0 ? 0.55 : 0.38);
      return { label: "", stroke: faded(stroke, 0.9), values: sum.slice(), width: 0.7, fill, stepped: true, ...(place > 0 ? { above: place } : {}) };
    });
    return {
      lines,
      keys: [...this.groupKeys(drawn).map((key) => ({ ...key, shape: "block" as const })), { label: "rate of the bottleneck", stroke: colour("reference"), shape: "dashed" }],
      top: tops.goodput * 1.12,
      over: (plot) => level(plot, scenario.rate / 1e6, colour("reference")),
      spoken: drawn.outcome.groups.map((group, place) => `${scenario.groups[place]?.name ?? ""}: ${rateShown(group["goodput_bps"]).join(" ")}`).join("; "),
    };
  }

  private rtt(drawn: Drawn, tops: Tops): Omit<Content, "x" | "span"> {
    const { view, scenario } = drawn;
    const series = view.srtt.map((values) => values.map((value) => value * 1e3));
    return {
      lines: this.perFlow(drawn, series),
      keys: [...this.groupKeys(drawn), { label: "without queues", stroke: colour("reference"), shape: "dashed" }],
      top: tops.rtt * 1e3 * 1.12,
      over: (plot) => {
        for (const [place, { rtt, kind }] of scenario.groups.entries()) if (kind === "tcp") level(plot, rtt / 1e9, faded(colour(groupColour(place)), 0.7));
      },
      spoken: `The largest one is ${shown(maxima(series))} ms.`,
    };
  }

  private arrivals(drawn: Drawn, tops: Tops): Omit<Content, "x" | "span"> {
    const { view, scenario, outcome } = drawn;
    const stroke = colour("accent");
    const capacity = (scenario.rate * scenario.bin) / 1e12 / 8 / (scenario.groups[0]?.packetSize ?? 1500);
    return {
      lines: [{ label: "packets", stroke, values: view.arrivals.values, width: 1 }],
      keys: [
        { label: `per ${timeShown(scenario.bin / 1e12).join(" ")}`, stroke },
        { label: "rate of the bottleneck", stroke: colour("reference"), shape: "dashed" },
      ],
      top: tops.arrivals * 1.12 + 1,
      over: (plot) => level(plot, capacity, colour("reference")),
      spoken: `Their coefficient of variation is ${shown(outcome.summary["cov"])}.`,
    };
  }

  private ladder({ view, scenario }: Drawn, tops: Tops): Content {
    const { scale, cov, poisson } = view.ladder;
    const [first, last] = [scale[0] ?? 0.01, scale.at(-1) ?? 1];
    const least = Math.min(...Array.from(cov).filter((value) => value > 0), ...poisson);
    const stroke = colour("accent");
    return {
      x: scale,
      span: [first / 1.2, last * 1.2],
      lines: [
        { label: "c.o.v.", stroke, values: cov, points: true, width: 1.5 },
        { label: "Poisson", stroke: colour("reference"), values: poisson, dash: [4, 4] },
      ],
      keys: [
        { label: "arrivals", stroke },
        { label: "Poisson arrivals of the same rate", stroke: colour("reference"), shape: "dashed" },
      ],
      logarithmic: true,
      bottom: Number.isFinite(least) ? least / 1.5 : 0.01,
      top: tops.cov * 1.5,
      over: (plot) => {
        const at = plot.valToPos(scenario.bin / 1e12, "x", true);
        if (at > plot.bbox.left) vertical(plot, at, colour("reference"), "measure.bin");
      },
      spoken: `The coefficient of variation falls from ${shown(cov[0])} in bins of ${timeShown(first).join(" ")} to ${shown(cov.at(-1))} in bins of ${timeShown(last).join(" ")}.`,
    };
  }

  private summarise({ scenario, outcome, notices }: Drawn): void {
    const s = outcome.summary;
    const entry = (name: string, value: string, unit = ""): HTMLElement =>
      element("div", {}, element("dt", { title: name }, name), element("dd", {}, value, ...(unit === "" ? [] : [" ", element("small", {}, unit)])));
    const percent = (value: number | null | undefined): string => shown(value == null ? null : 100 * value);
    this.numbers.replaceChildren(
      entry("throughput", ...rateShown(s["throughput_bps"])),
      entry("payload", ...rateShown(s["payload_bps"])),
      entry("utilization", percent(s["utilization"]), "%"),
      entry("loss", percent(s["loss"]), "%"),
      ...(s["marks"] ? [entry("marks", shown(s["marks"]))] : []),
      entry("mean wait", ...timeShown(s["sojourn_mean"])),
      entry("95 % wait", ...timeShown(s["sojourn_p95"])),
      entry("mean queue", shown(s["queue_mean"]), "packets"),
      entry("c.o.v.", shown(s["cov"])),
      entry("retransmissions", shown(s["retransmissions"])),
      entry("timeouts", shown(s["timeouts"])),
      entry("Jain's index", shown(s["jain_index"])),
      ...["join", "leave", "rate"].flatMap((name) => {
        const found = s[`convergence_${name}`];
        return found == null ? [] : [entry(`convergence, ${name}`, ...timeShown(found))];
      }),
    );
    this.notices.replaceChildren(...notices.map((notice) => element("li", {}, notice)));
    this.notices.hidden = notices.length === 0;
    const milliseconds = (value: number | null | undefined): string => shown(value == null ? null : value * 1e3);
    const heads = ["group", "law", "flows", "goodput", "payload", "share, %", "loss, %", "retransmissions", "timeouts", "delay, ms", "RTT, ms", "limited by"];
    const total = outcome.groups.reduce((sum, group) => sum + (group["goodput_bps"] ?? 0), 0);
    const rows = outcome.groups.map((group: Measures, place) => {
      const of = scenario.groups[place];
      const name = element("td", {}, element("span", { class: "dot", style: `background:var(--${groupColour(place)})` }), of?.name ?? "");
      const values = [
        of?.kind === "tcp" ? of.variant : "udp", shown(of?.count), rateShown(group["goodput_bps"]).join(" "),
        rateShown(group["payload_bps"]).join(" "), percent(total === 0 ? null : (group["goodput_bps"] ?? 0) / total), percent(group["loss"]), shown(group["retransmissions"]),
        shown(group["timeouts"]), milliseconds(group["delay_mean"]), milliseconds(group["rtt_mean"]), limitedBy(group),
      ];
      return element("tr", {}, name, ...values.map((value) => element("td", {}, value)));
    });
    this.groups.replaceChildren(
      element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, ...rows)),
    );
  }
}

/** What limited a group, the largest share of its time first, as `ackclock run` prints it. */
function limitedBy(group: Measures): string {
  const shares = Object.entries(group).filter((each): each is [string, number] => each[0].startsWith("limited_") && each[1] !== null);
  const shown = shares.filter(([, share]) => share >= 0.005).sort(([, a], [, b]) => b - a);
  return shown.map(([name, share]) => `${name.slice("limited_".length).replaceAll("_", " ")} ${Math.round(100 * share)}%`).join(", ") || "–";
}

export function topsOf(drawn: readonly Drawn[]): Tops {
  const greatest = (of: (drawn: Drawn) => number): number => Math.max(1e-9, ...drawn.map(of));
  return {
    cwnd: greatest(({ view }) => maxima(view.cwnd)),
    queue: greatest(({ view }) => maximum(view.queue)),
    gauge: 1,
    goodput: greatest(({ view, scenario }) => Math.max((scenario.rate / 1e6) * 1.1, ...stackTops(view))),
    rtt: greatest(({ view, scenario }) => Math.max(maxima(view.srtt), ...scenario.groups.map(({ rtt }) => rtt / 1e12))),
    arrivals: greatest(({ view }) => maximum(view.arrivals.values)),
    cov: greatest(({ view }) => Math.max(maximum(view.ladder.cov), maximum(view.ladder.poisson))),
  };
}

function stackTops({ goodput }: View): number[] {
  const sum = new Float64Array(goodput.x.length);
  for (const { values } of goodput.bands) values.forEach((value, bin) => (sum[bin] = (sum[bin] ?? 0) + value / 1e6));
  // a hole that is filled acknowledges much at once; such peaks do not set the scale
  const sorted = sum.toSorted();
  return [sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 0];
}

function maximum(values: ArrayLike<number>): number {
  let most = 0;
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place] ?? 0;
    if (value > most) most = value;
  }
  return most;
}

const maxima = (series: readonly ArrayLike<number>[]): number => Math.max(0, ...series.map(maximum));

/** Phases in which a sender spends most of its time, which are not coloured. */
const isUsual = (phase: string): boolean => ["congestion_avoidance", "probe_bw:cruise"].includes(phase);

/** The colour of a sender's phase. Phases of the same kind share one, whatever the law calls them. */
export function phaseColour(phase: string): string {
  if (/slow_start|startup/.test(phase)) return "slow";
  if (phase === "timeout") return "timeout";
  if (phase === "recovery") return "recovery";
  return /rtt|refill|up/.test(phase) ? "probe" : "other";
}

function level(plot: uPlot, value: number, stroke: string): void {
  const y = plot.valToPos(value, "y", true);
  const { left, width, top } = plot.bbox;
  if (y < top) return;
  stroked(plot, stroke, [4, 4], (context) => {
    context.moveTo(left, y);
    context.lineTo(left + width, y);
  });
}

/** Short lines at the top of a plot. */
function ticks(plot: uPlot, groups: readonly Float64Array[], stroke: string, row: number): void {
  const top = plot.bbox.top + row * 9 * devicePixelRatio;
  stroked(plot, stroke, [], (context) => {
    for (const times of groups) {
      for (const time of times) {
        const x = Math.round(plot.valToPos(time, "x", true)) + 0.5;
        context.moveTo(x, top);
        context.lineTo(x, top + 7 * devicePixelRatio);
      }
    }
  });
}

/** Bars at the top of a plot, a row for each flow, that show the phases of its sender. */
function strip(plot: uPlot, phases: readonly Phase[], flows: readonly number[]): void {
  const { ctx, bbox } = plot;
  const height = 5 * devicePixelRatio;
  const fills = new Map<string, string>();
  ctx.save();
  for (const { flow, from, until, phase } of phases) {
    const row = flows.indexOf(flow);
    if (row < 0 || isUsual(phase)) continue;
    const [left, right] = [plot.valToPos(from, "x", true), plot.valToPos(until, "x", true)];
    let fill = fills.get(phase);
    if (fill === undefined) fills.set(phase, (fill = colour(phaseColour(phase))));
    ctx.fillStyle = fill;
    ctx.fillRect(left, bbox.top + row * (height + devicePixelRatio), Math.max(devicePixelRatio, right - left), height);
  }
  ctx.restore();
}
