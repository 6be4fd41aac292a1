// The drawings and numbers of one run: A or B.

import type { Catalogue } from "./catalogue";
import { colour, element, faded, groupColour, rateShown, shown, timeShown } from "./dom";
import type { Outcome } from "./engine";
import type { Described } from "./plan";
import { isUsual, level, phaseColour, strip, ticks, vertical } from "./marks";
import { groupsOf, numbersOf, spansOf } from "./numbers";
import { type Surface, dashOf, inBand, onLine } from "./pens";
import { type Content, type Key, type Line, Plot } from "./plot";
import { type Tops, longest, maxima, maximum } from "./tops";
import type { View } from "./view";

export interface Drawn {
  readonly scenario: Described;
  readonly outcome: Outcome;
  readonly notices: readonly string[];
  readonly view: View;
}

const FEW_FLOWS = 8;

export class Panel {
  readonly root = element("section", { class: "run" });
  private readonly heading = element("h2");
  private readonly spans = element("p", { class: "quiet spans" });
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
      rtt: over("Round-trip time", "ms", 150),
      arrivals: over("Arrivals at the bottleneck", "packets per bin", 150),
      ladder: new Plot({ title: "Burstiness by time scale", x: "width of a bin, s", y: "c.o.v. of arrivals", height: 190 }),
    };
    this.choice.addEventListener("change", () => this.redraw());
    this.gaugeBox.append(this.plots.gauge.root, element("div", { class: "bar" }, this.choice));
    const { cwnd, queue, goodput, rtt, arrivals, ladder } = this.plots;
    this.root.append(
      this.heading, this.spans, this.numbers, this.notices, cwnd.root, queue.root, goodput.root, rtt.root, arrivals.root, this.gaugeBox, ladder.root, this.groups,
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
    this.numbers.replaceChildren(...numbersOf(drawn, this.catalogue.measures));
    this.notices.replaceChildren(...drawn.notices.map((notice) => element("li", {}, notice)));
    this.notices.hidden = drawn.notices.length === 0;
    this.groups.replaceChildren(groupsOf(drawn));
    this.redraw();
  }

  redraw(): void {
    const { drawn, tops } = this;
    if (drawn === undefined || tops === undefined) return;
    const { view } = drawn;
    const span = [view.from, view.until] as const;
    this.spans.textContent = spansOf(drawn);
    const hasTcp = drawn.scenario.groups.some(({ kind }) => kind === "tcp");
    for (const { root } of [this.plots.cwnd, this.plots.goodput, this.plots.rtt]) root.hidden = !hasTcp;
    this.plots.cwnd.draw({ ...this.windows(drawn, tops), x: view.x, span });
    this.plots.cwnd.note(view.timeouts.map(({ flow, at, why }) => ({ at, text: `Timeout of flow ${flow + 1} at ${shown(at, 4)} s: ${why}.` })));
    this.plots.queue.draw({ ...this.queue(drawn, tops), x: view.x, span });
    this.gauge(drawn, tops, span);
    const goodput = this.goodput(drawn, tops);
    this.plots.goodput.draw({ ...goodput, x: view.goodput.x, span });
    this.plots.goodput.root.dataset["most"] = String((maximum(goodput.lines.at(-1)?.values ?? []) * 1e6) / drawn.scenario.rate);
    this.plots.rtt.draw({ ...this.rtt(drawn, tops), x: view.x, span });
    this.plots.arrivals.draw({ ...this.arrivals(drawn, tops), x: view.arrivals.x, span });
    this.plots.ladder.draw(this.ladder(drawn, tops));
  }

  private groupKeys({ scenario }: Drawn, udp = false): Key[] {
    return scenario.groups.flatMap(({ name, kind, variant }, group) =>
      kind === "tcp" || udp ? [{ label: name.startsWith("clients-") ? (kind === "tcp" ? variant : "udp") : name, stroke: colour(groupColour(group)), shape: "line" as const, group }] : [],
    );
  }

  private groupsOfFlows({ scenario, view }: Drawn): number[] {
    const ends = scenario.groups.map(((sum) => ({ count }) => (sum += count))(0));
    return view.flows.map((flow) => ends.findIndex((end) => flow < end));
  }

  private perFlow(drawn: Drawn, series: readonly Float64Array[]): Line[] {
    const groups = this.groupsOfFlows(drawn);
    const many = series.length > FEW_FLOWS;
    return series.map((values, place) => {
      const group = groups[place] ?? 0;
      const stroke = colour(groupColour(group));
      return { label: drawn.scenario.groups[group]?.name ?? "", stroke: many ? faded(stroke, 0.55) : stroke, values, width: many ? 1 : 1.3, dash: dashOf(group) };
    });
  }

  /** Draws the markers of each group on the line of its first flow. */
  private marked(drawn: Drawn, series: readonly Float64Array[], surface: Surface): void {
    const groups = this.groupsOfFlows(drawn);
    if (drawn.scenario.groups.length < 2) return;
    for (const [place, group] of groups.entries()) {
      if (groups.indexOf(group) === place) onLine(surface, drawn.view.x, series[place] ?? [], group, colour(groupColour(group)));
    }
  }

  private windows(drawn: Drawn, tops: Tops): Omit<Content, "x" | "span"> {
    const { view } = drawn;
    const groups = this.groupsOfFlows(drawn);
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
      over: (plot) => {
        this.marked(drawn, view.cwnd, plot);
        strip(plot, view.phases, strips);
      },
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

  private gauge({ view }: Drawn, tops: Tops, span: readonly [number, number]): void {
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
      top: (tops.gauges[chosen.name] ?? 0) * 1.12 || 1,
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
      over: (plot) => {
        level(plot, scenario.rate / 1e6, colour("reference"));
        if (scenario.groups.length < 2) return;
        for (const [place, { group }] of view.goodput.bands.entries()) inBand(plot, view.goodput.x, lines[place - 1]?.values ?? [], lines[place]?.values ?? [], group, colour("ink"));
      },
      spoken: drawn.outcome.groups.map((group, place) => `${scenario.groups[place]?.name ?? ""}: ${rateShown(group["goodput_bps"]).join(" ")}`).join("; "),
    };
  }

  private rtt(drawn: Drawn, tops: Tops): Omit<Content, "x" | "span"> {
    const { view, scenario } = drawn;
    const series = view.srtt.map((values) => values.map((value) => value * 1e3));
    // what a packet needs that arrives now, of the group with the longest path
    const size = Math.max(...scenario.groups.map(({ packetSize }) => packetSize));
    const base = longest(scenario) + (size * 8) / scenario.rate;
    const path = view.wait.map((wait) => (base + wait) * 1e3);
    const isKnown = path.some((value) => !Number.isNaN(value));
    return {
      lines: [...(isKnown ? [{ label: "path", stroke: colour("queue"), values: path, width: 1, fill: faded(colour("queue"), 0.1) }] : []), ...this.perFlow(drawn, series)],
      keys: [
        ...(isKnown ? [{ label: "path, with the wait in the queue now", stroke: colour("queue") }] : []),
        ...this.groupKeys(drawn).map((key) => ({ ...key, label: `${key.label}, smoothed` })),
        { label: "without queues", stroke: colour("reference"), shape: "dashed" },
      ],
      top: tops.rtt * 1e3 * 1.12,
      over: (plot) => {
        this.marked(drawn, series, plot);
        for (const [place, { rtt, kind }] of scenario.groups.entries()) if (kind === "tcp") level(plot, rtt / 1e9, faded(colour(groupColour(place)), 0.7));
      },
      spoken: `${isKnown ? `That of the path is at most ${shown(maximum(path))} ms. ` : ""}The largest one that a sender has smoothed is ${shown(maxima(series))} ms.`,
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
    const stroke = colour("accent");
    return {
      x: scale,
      span: [tops.scale[0] / 1.2, tops.scale[1] * 1.2],
      lines: [
        { label: "c.o.v.", stroke, values: cov, points: true, width: 1.5 },
        { label: "Poisson", stroke: colour("reference"), values: poisson, dash: [4, 4] },
      ],
      keys: [
        { label: "arrivals", stroke },
        { label: "Poisson arrivals of the same rate", stroke: colour("reference"), shape: "dashed" },
      ],
      logarithmic: true,
      bottom: tops.leastCov / 1.5,
      top: tops.cov * 1.5,
      over: (plot) => {
        const at = plot.valToPos(scenario.bin / 1e12, "x", true);
        if (at > plot.bbox.left) vertical(plot, at, colour("reference"), "measure.bin");
      },
      spoken: `The coefficient of variation falls from ${shown(cov[0])} in bins of ${timeShown(scale[0]).join(" ")} to ${shown(cov.at(-1))} in bins of ${timeShown(scale.at(-1)).join(" ")}.`,
    };
  }
}
