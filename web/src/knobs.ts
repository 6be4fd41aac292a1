// The settings of a scenario: a form that changes the tables of its TOML.

import type { Catalogue, Json, Parameter, Tables } from "./catalogue";
import { element, groupColour } from "./dom";
import { type Numeric, choiceKnob, numericKnob, parameterKnob } from "./knob";
import { discipline, packetRate, recoveryOf, sizedTransport, usualRecovery, windowOf } from "./plan";
import { type Quantity, RATE, SIZE, TIME, format, parse } from "./quantity";
import { changeKnobs, periodKnobs } from "./timing";

export interface Change {
  readonly tables: Tables;
  readonly seed: string;
}

const at = (tables: Json | undefined, ...names: (string | number)[]): Json | undefined => {
  let found = tables;
  for (const name of names) found = typeof found === "object" && found !== null ? (found as Record<string | number, Json>)[name] : undefined;
  return found;
};

const time = (text: Json | undefined, absent: string): number => Number(parse(TIME, typeof text === "string" ? text : absent) ?? 0n);
const timeText = (picoseconds: number): string => format(TIME, BigInt(Math.round(picoseconds / 1e6)) * 1_000_000n);
const rateText = (rate: number): string => format(RATE, BigInt(Math.round(rate)));

const MS = 1e9;
const S = 1e12;
const MOST_GROUPS = 8;

export class Knobs {
  private change: Change = { tables: {}, seed: "1" };
  private open = new Set<string>();
  /** When measuring begins in runs that are long enough for it. */
  private from: Json | undefined;

  constructor(
    private readonly form: HTMLElement,
    private readonly catalogue: Catalogue,
    private readonly changed: (change: Change) => void,
  ) {
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  /** Shows the settings of a scenario. */
  show(change: Change): void {
    this.change = structuredClone(change);
    this.from = undefined;
    this.build();
  }

  /** Opens the parts of the form that have these fields. */
  reveal(paths: readonly string[]): void {
    for (const path of paths) {
      const group = /^clients\.(\d+)\.transport\./.exec(path);
      const id = group === null ? "queue-more" : `g${group[1] ?? ""}-tcp-more`;
      if (!path.endsWith(".packets")) this.form.querySelector(`#${id}`)?.setAttribute("open", "");
    }
  }

  private get tables(): Tables {
    return this.change.tables;
  }

  /** What is allowed for a field, in units of the base unit of its quantity. */
  private bounds(table: string, name: string, quantity?: Quantity, unit = 1): { least?: number; most?: number } {
    const { anyOf, ...whole } = this.catalogue.tables[table]?.fields[name] ?? {};
    const field = anyOf?.find((each) => each["x-least"] !== undefined || each.minimum !== undefined) ?? whole;
    const [least, most] = quantity === undefined
      ? [field.minimum, field.maximum]
      : [field["x-least"], field["x-most"]].map((text) => (text === undefined ? undefined : Number(parse(quantity, text) ?? 0n) / unit));
    return { ...(least === undefined ? {} : { least }), ...(most === undefined ? {} : { most }) };
  }

  /** The default of a field. */
  private usual(table: string, field: string): Json | undefined {
    return this.catalogue.tables[table]?.fields[field]?.default;
  }

  private emit(rebuild = false): void {
    if (rebuild) this.build();
    this.changed(structuredClone(this.change));
  }

  private build(): void {
    const focused = document.activeElement?.id;
    this.open = new Set([...this.form.querySelectorAll("details[open]")].map(({ id }) => id));
    this.form.replaceChildren(this.network(), ...this.groups(), this.changes(), this.run());
    for (const id of this.open) this.form.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
    if (focused) document.getElementById(focused)?.focus();
  }

  private network(): HTMLElement {
    const bottleneck = at(this.tables, "dumbbell", "bottleneck") as Tables;
    const queue = (at(bottleneck, "queue") ?? { kind: "droptail" }) as Tables;
    const kind = String(queue["kind"]);
    const profile = String(this.tables["profile"] ?? this.usual("Scenario", "profile"));
    const setQueue = (name: string, value: Json): void => {
      bottleneck["queue"] = { ...queue, [name]: value };
      Object.assign(queue, { [name]: value });
      this.emit();
    };
    const room = this.catalogue.room[profile] ?? 100_000;
    const part = discipline(kind, profile, this.packetSize(), this.catalogue);
    const limit = (queue["packets"] ?? at(part, "limit", "packets") ?? room) as number;
    const loss = at(bottleneck, "loss");
    return this.fieldset("Bottleneck", undefined, [
      this.numeric({
        id: "rate", label: "Rate", unit: "Mbit/s", low: 0.1, high: 1000, logarithmic: true, ...this.bounds("Link", "rate", RATE, 1e6),
        value: Number(parse(RATE, String(bottleneck["rate"])) ?? 0n) / 1e6,
        set: (value) => {
          bottleneck["rate"] = rateText(value * 1e6);
          this.emit();
        },
      }),
      this.choice("queue", "Queue", kind, Object.entries(this.catalogue.queues).map(([name, { doc }]) => [name, name, doc]), (value) => {
        bottleneck["queue"] = { kind: value, ...(queue["packets"] === undefined ? {} : { packets: queue["packets"] }) };
        this.emit(true);
      }),
      ...(queue["bytes"] === undefined
        ? [this.numeric({ id: "buffer", label: "Buffer", unit: "packets", low: 1, high: 10_000, logarithmic: true, whole: true, ...this.bounds("Queue", "packets"), value: limit, set: (value) => setQueue("packets", value) })]
        : []),
      this.parameters("queue", `Parameters of ${kind}`, this.catalogue.queues[kind]?.parameters ?? [], (name) => queue[name] ?? at(part, name), setQueue),
      ...(loss === undefined || at(loss, "kind") === "random"
        ? [this.numeric({
          id: "loss", label: "Random loss", unit: "%", low: 0, high: 10, most: 100, value: 100 * Number(at(loss, "probability") ?? 0),
          set: (value) => {
            if (value === 0) delete bottleneck["loss"];
            else bottleneck["loss"] = { kind: "random", probability: Number((value / 100).toPrecision(6)), ...(at(loss, "place") === "after" ? { place: "after" } : {}) };
            this.emit();
          },
        })]
        : []),
    ]);
  }

  private changes(): HTMLElement {
    const { clients, changes } = this.tables as { clients: Tables[]; changes?: Tables[] };
    const queue = String(at(this.tables, "dumbbell", "bottleneck", "queue", "kind") ?? "droptail");
    return changeKnobs(changes ?? [], linksOf(clients.map(({ count }) => Number(count ?? 1))), queue, (now, rebuild) => {
      if (now.length > 0) this.tables["changes"] = now;
      else delete this.tables["changes"];
      this.emit(rebuild);
    });
  }

  private groups(): HTMLElement[] {
    const clients = this.tables["clients"] as Tables[];
    const add = element("button", { type: "button", id: "add" }, "Add a group");
    add.disabled = clients.length >= MOST_GROUPS;
    add.addEventListener("click", () => {
      const copy = structuredClone(clients.at(-1) ?? {});
      delete copy["name"];
      clients.push(copy);
      this.emit(true);
    });
    return [...clients.map((group, place) => this.group(group, place, clients)), element("div", { class: "bar" }, add)];
  }

  private group(group: Tables, place: number, clients: Tables[]): HTMLElement {
    const transport = group["transport"] as Tables;
    const source = group["source"] as Tables;
    const isTcp = transport["kind"] === "tcp";
    const own = transport["law"] === undefined ? undefined : this.catalogue.law;
    const variant = String(transport["variant"] ?? this.usual("Tcp", "variant"));
    const id = (name: string): string => `g${place}-${name}`;
    const remove = element("button", { type: "button", id: id("remove"), "aria-label": `Remove group ${place + 1}` }, "Remove");
    remove.disabled = clients.length < 2;
    remove.addEventListener("click", () => {
      clients.splice(place, 1);
      this.emit(true);
    });
    const profile = String(this.tables["profile"] ?? this.usual("Scenario", "profile"));
    const usual = (own ?? this.catalogue).transports[profile]?.[variant];
    const part = usual && sizedTransport(usual, this.packetSize(group));
    const recoveries = Object.keys((own ?? this.catalogue).recoveries[profile]?.[variant] ?? {});
    const recovery = String(transport["recovery"] ?? usualRecovery(transport["variant"] !== undefined, own !== undefined) ?? recoveryOf(usual));
    const places = this.catalogue.follows[recovery] ?? {};
    const law = own ?? this.catalogue.laws[this.catalogue.variants[variant]?.congestion ?? ""];
    const setTransport = (name: string, value: Json): void => {
      transport[name] = value;
      this.emit();
    };
    const laws = Object.entries(this.catalogue.variants)
      .sort(([, a], [, b]) => a.era.localeCompare(b.era))
      .map(([name, { doc, era }]) => [name, name, doc, era] as const);
    const offered = this.catalogue.law;
    const eras = [
      ...(offered === undefined ? [] : [[offered.law, offered.name, offered.doc, "in Python"] as const]),
      ...laws, ["udp", "udp", "Sends each packet immediately", "without congestion control"] as const,
    ];
    return this.fieldset(String(group["name"] ?? `Group ${place + 1}`), place, [
      this.choice(id("law"), "Law", isTcp ? (own?.law ?? variant) : "udp", eras, (value) => {
        group["transport"] = value === "udp" ? { kind: "udp" } : { kind: "tcp", [value === offered?.law ? "law" : "variant"]: value };
        if (value === "udp" && ["greedy", "transfers"].includes(String(source["kind"]))) group["source"] = { kind: "constant", rate: 100 };
        this.emit(true);
      }),
      this.numeric({
        id: id("count"), label: "Flows", unit: "", low: 1, high: 1000, logarithmic: true, whole: true, ...this.bounds("Clients", "count"), value: Number(group["count"] ?? 1),
        set: (value) => {
          group["count"] = value;
          this.emit();
        },
      }),
      this.numeric({
        id: id("rtt"), label: "Round-trip time", unit: "ms", low: 1, high: 1000, logarithmic: true, least: 0.01, most: 3.6e6, value: this.rtt(group) / MS,
        set: (value) => {
          this.setRtt(place, value * MS);
          this.emit();
        },
      }),
      ...(group["active"] === undefined ? [this.numeric({
        id: id("start"), label: "Start", unit: "s", low: 0, high: Math.max(1, time(this.tables["duration"], "30 s") / S), value: time(group["start"], "0 s") / S,
        set: (value) => {
          group["start"] = timeText(value * S);
          this.emit();
        },
      })] : []),
      ...periodKnobs(id, group, (values, rebuild) => {
        for (const [name, value] of Object.entries(values)) {
          if (value === null) delete group[name];
          else group[name] = value;
        }
        this.emit(rebuild);
      }),
      this.numeric({
        id: id("spread"), label: "Random delay of starts", unit: "s", low: 0, high: Math.max(1, time(this.tables["duration"], "30 s") / S), value: time(group["spread"], "0 s") / S,
        set: (value) => {
          group["spread"] = timeText(value * S);
          this.emit();
        },
      }),
      this.choice(id("source"), "Source", String(source["kind"]), sources(isTcp), (value) => {
        group["source"] = newSource(value);
        this.emit(true);
      }),
      ...this.source(id, source, this.packetSize(group)),
      ...(isTcp && (law?.parameters.length ?? 0) > 0
        ? [this.parameters(id("law"), `Parameters of ${own?.name ?? variant}`, law?.parameters ?? [], (name) => transport[name] ?? own?.defaults[name] ?? at(part, "sender", "congestion", name), setTransport)]
        : []),
      ...(isTcp && recoveries.length > 1
        ? [this.choice(id("recovery"), "Loss recovery", recovery, recoveries.map((name) => [name, name, ""] as const), (value) => {
          transport["recovery"] = value;
          this.emit(true);
        })]
        : []),
      ...(isTcp
        ? [this.parameters(
          id("tcp"), "Options of TCP", this.catalogue.options.filter(({ name }) => places[name] !== undefined),
          (name) => {
            const [given, usual] = [transport[name], at(part, ...(places[name]?.[0] ?? []))];
            const bytes = typeof given === "string" && part !== undefined ? parse(SIZE, given) : undefined;
            return bytes === undefined || part === undefined ? given ?? usual : windowOf(bytes, part, this.packetSize(group));
          },
          setTransport,
        )]
        : []),
    ], remove);
  }

  private source(id: (name: string) => string, source: Tables, packetSize: number): HTMLElement[] {
    const number = (name: string, label: string, unit: string, low: number, high: number, logarithmic = false): HTMLElement =>
      this.numeric({
        id: id(name), label, unit, low, high, logarithmic,
        value: typeof source[name] === "string" ? packetRate(parse(RATE, source[name]) ?? 0n, packetSize) : Number(source[name]),
        set: (value) => {
          source[name] = value;
          this.emit();
        },
      });
    const mean = (name: string, label: string, unit: "ms" | "kB"): HTMLElement => {
      const of = source[name] as Tables;
      const text = String(of["mean"]);
      return this.numeric({
        id: id(name), label, unit, low: 1, high: unit === "ms" ? 60_000 : 100_000, logarithmic: true,
        value: unit === "ms" ? time(text, "1 s") / MS : Number(parse(SIZE, text) ?? 0n) / 1e3,
        set: (value) => {
          of["mean"] = unit === "ms" ? timeText(value * MS) : format(SIZE, BigInt(Math.round(value * 1e3)));
          this.emit();
        },
      });
    };
    switch (source["kind"]) {
      case "poisson":
      case "constant":
        return [number("rate", "Rate of each flow", "packets/s", 0.1, 100_000, true)];
      case "onoff":
        return [number("rate", "Rate while on", "packets/s", 0.1, 100_000, true), mean("on", "Mean time on", "ms"), mean("off", "Mean time off", "ms")];
      case "fgn":
        return [number("rate", "Mean rate", "packets/s", 0.1, 100_000, true), number("hurst", "Hurst parameter", "", 0.5, 0.99), number("cov", "c.o.v. of the rate", "", 0, 1)];
      case "transfers":
        return [mean("size", "Mean size", "kB"), mean("think", "Mean think time", "ms")];
      default:
        return [];
    }
  }

  /** Size of a packet of a group, or by default of the scenario's packets. */
  private packetSize(group: Tables = {}): number {
    return Number(group["packet_size"] ?? this.tables["packet_size"] ?? this.usual("Scenario", "packet_size"));
  }

  /** The link of a group's clients, its own or the shared one. */
  private access(group: Tables | undefined): Tables {
    return (at(group, "access") ?? at(this.tables, "dumbbell", "access") ?? { rate: "1 Gbps", delay: "0 s" }) as Tables;
  }

  private rtt(group: Tables): number {
    const dumbbell = this.tables["dumbbell"] as Tables;
    const there = time(at(dumbbell, "bottleneck", "delay"), "0 s");
    const back = time(at(dumbbell, "reverse", "delay") ?? at(dumbbell, "bottleneck", "delay"), "0 s");
    return there + back + 2 * time(this.access(group)["delay"], "0 s");
  }

  /** Changes the delay of the group's access links; that of the bottleneck too if it is more than a quarter of the RTT. */
  private setRtt(place: number, rtt: number): void {
    const clients = this.tables["clients"] as Tables[];
    const dumbbell = this.tables["dumbbell"] as Tables;
    const bottleneck = dumbbell["bottleneck"] as Tables;
    const wanted = clients.map((group, other) => (other === place ? rtt : this.rtt(group)));
    const accesses = clients.map((group) => structuredClone(this.access(group)));
    if (time(bottleneck["delay"], "0 s") > rtt / 2.5 || at(dumbbell, "reverse", "delay") !== undefined) {
      bottleneck["delay"] = timeText(rtt / 4);
      if (dumbbell["reverse"] !== undefined) (dumbbell["reverse"] as Tables)["delay"] = bottleneck["delay"];
    }
    const shared = time(bottleneck["delay"], "0 s");
    for (const [other, group] of clients.entries()) {
      if (other !== place && this.rtt(group) === wanted[other]) continue;
      group["access"] = { ...accesses[other], delay: timeText(Math.max(0, (wanted[other] ?? rtt) / 2 - shared)) };
    }
  }

  private run(): HTMLElement {
    const measure = (this.tables["measure"] ?? {}) as Tables;
    const setMeasure = (name: string, value: Json | undefined): void => {
      const changed = { ...(this.tables["measure"] as Tables | undefined) };
      if (value === undefined) delete changed[name];
      else changed[name] = value;
      this.tables["measure"] = changed;
      this.emit();
    };
    const duration = time(this.tables["duration"], "30 s") / S;
    const length = this.numeric({
      id: "duration", label: "Duration", unit: "s", low: 1, high: 300, logarithmic: true, least: 1e-6, most: 9000, value: duration,
      set: (value) => {
        this.tables["duration"] = timeText(value * S);
        const now = (this.tables["measure"] ?? {}) as Tables;
        this.from ??= now["from"];
        if (this.from !== undefined) {
          if (time(this.from, "0 s") >= value * S) delete now["from"];
          else now["from"] = this.from;
        }
        this.emit();
      },
    });
    // the ranges of other settings end with the run
    length.addEventListener("change", () => this.build());
    return this.fieldset("Run", undefined, [
      length,
      this.numeric({
        id: "seed", label: "Seed", unit: "", low: 1, high: 100, whole: true, most: Number.MAX_SAFE_INTEGER, value: Number(this.change.seed),
        set: (value) => {
          this.change = { ...this.change, seed: String(value) };
          this.emit();
        },
      }),
      this.numeric({ id: "from", label: "Measure from", unit: "s", low: 0, high: Math.max(1, duration * 0.9), value: time(measure["from"], "0 s") / S, set: (value) => {
        this.from = undefined;
        setMeasure("from", timeText(value * S));
      } }),
      this.numeric({
        id: "bin", label: "Bin of arrivals", unit: "ms", low: 1, high: 1000, logarithmic: true, ...this.bounds("Measure", "bin", TIME, MS), least: 0.001,
        value: measure["bin"] === undefined ? this.meanRtt() / MS : time(measure["bin"], "100 ms") / MS,
        set: (value) => setMeasure("bin", timeText(value * MS)),
      }),
      this.choice("profile", "Defaults", String(this.tables["profile"] ?? this.usual("Scenario", "profile")), Object.entries(this.catalogue.profiles).map(([name, doc]) => [name, name, doc]), (value) => {
        this.tables["profile"] = value;
        this.emit(true);
      }),
    ]);
  }

  private meanRtt(): number {
    const clients = this.tables["clients"] as Tables[];
    const flows = clients.reduce((sum, group) => sum + Number(group["count"] ?? 1), 0);
    return clients.reduce((sum, group) => sum + Number(group["count"] ?? 1) * this.rtt(group), 0) / flows;
  }

  private fieldset(title: string, group: number | undefined, children: readonly HTMLElement[], last?: HTMLElement): HTMLElement {
    const dot = group === undefined ? [] : [element("span", { class: "dot", style: `background:var(--${groupColour(group)})` })];
    const legend = element("legend", {}, ...dot, element("span", { class: "spare" }, title), ...(last === undefined ? [] : [last]));
    return element("fieldset", {}, legend, ...children);
  }

  numeric(knob: Numeric): HTMLElement {
    return numericKnob(knob);
  }

  private choice(
    id: string,
    label: string,
    value: string,
    options: readonly (readonly [string, string, string, string?])[],
    set: (value: string) => void,
  ): HTMLElement {
    return choiceKnob(id, label, value, options, set);
  }

  private parameters(
    id: string,
    title: string,
    parameters: readonly Parameter[],
    get: (name: string) => Json | undefined,
    set: (name: string, value: Json) => void,
  ): HTMLElement {
    const details = element("details", { class: "more", id: `${id}-more` }, element("summary", {}, title));
    details.hidden = parameters.length === 0;
    // many fields: made when they are looked at
    details.addEventListener("toggle", () => {
      if (!details.open || details.children.length > 1) return;
      details.append(...parameters.map((parameter) => parameterKnob(`${id}-${parameter.name}`, parameter, get(parameter.name), (value) => set(parameter.name, value))));
    });
    return details;
  }
}

/** The links of a dumbbell whose groups have these numbers of clients, that can change. */
export function linksOf(counts: readonly number[]): string[] {
  const firsts = counts.map(((sum) => (count) => (sum += count) - count)(0));
  const access = firsts.flatMap((first, place) => (counts[place] === 1 ? [`access.${first}`] : []));
  return ["bottleneck", ...access].flatMap((name) => [name, `${name}.reverse`]);
}

function sources(isTcp: boolean): (readonly [string, string, string])[] {
  return [
    ...(isTcp ? [["greedy", "greedy", "Data is always available"] as const] : []),
    ["poisson", "Poisson", "Single packets at exponential intervals"],
    ["constant", "constant", "Packets at equal intervals"],
    ["onoff", "on and off (Pareto)", "Alternating periods; many such sources make self-similar traffic"],
    ["fgn", "self-similar", "A rate that follows fractional Gaussian noise"],
    ...(isTcp ? [["transfers", "transfers", "Transfers of random sizes, each after a think time"] as const] : []),
  ];
}

function newSource(kind: string): Tables {
  switch (kind) {
    case "poisson":
    case "constant":
      return { kind, rate: 100 };
    case "onoff":
      return { kind, rate: 100, on: { kind: "pareto", mean: "500 ms", shape: 1.2 }, off: { kind: "exponential", mean: "1500 ms" } };
    case "fgn":
      return { kind, rate: 200, hurst: 0.8, cov: 0.3, bin: "100 ms" };
    case "transfers":
      return { kind, size: { kind: "pareto", mean: "60 kB", shape: 1.2 }, think: { kind: "exponential", mean: "1 s" } };
    default:
      return { kind };
  }
}
