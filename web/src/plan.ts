// Reads a scenario, the tables of a TOML file, and makes its plan from the parts that Python prepared. The plan equals
// the one of `ackclock run`; tests compare them. Scenarios with other fields have to be opened by `ackclock lab FILE`.

import type { Catalogue, Json, Parameter, Tables } from "./catalogue";
import { type Quantity, RATE, SIZE, TIME, parse } from "./quantity";
import { Reader, ScenarioError, refuse } from "./reading";

/** Times of a plan are picoseconds, which JavaScript counts exactly up to 2.5 h. */
const LONGEST_RUN = "9000 s";
const LONGEST_WAIT = "1000000 s";
const MOST_GROUPS = 20;
const MOST_FLOWS = 1_000_000;
const MOST_BINS = 10_000_000;
const HEADER_BYTES = 40;
export const DEFAULT_VARIANT = "reno";

export interface Group {
  readonly name: string;
  readonly count: number;
  readonly kind: "tcp" | "udp";
  readonly variant: string;
  readonly source: string;
  readonly packetSize: number;
  /** Round-trip propagation delay, in picoseconds. */
  readonly rtt: number;
  readonly direction: "forward" | "reverse";
}

/** What the page shows about a scenario besides its plan. */
export interface Described {
  readonly plan: Tables;
  readonly groups: readonly Group[];
  readonly profile: string;
  readonly rate: number;
  readonly duration: number;
  readonly bin: number;
  readonly from: number;
  /** The engine's number of the measured link. */
  readonly link: number;
  /** Name of the queue discipline of the bottleneck. */
  readonly queue: string;
  /** The names and values of the scenario that notices need, as in `labels` of `notices.py`. */
  readonly labels?: Tables;
}

export function describe(tables: unknown, catalogue: Catalogue): Described {
  const top = new Reader(tables, "");
  const profile = top.word("profile", Object.keys(catalogue.profiles), "rfc");
  const duration = Number(top.quantity("duration", TIME, "1 us", LONGEST_RUN));
  const packetSize = top.octets("packet_size", 1, 65535, 1500);
  const measure = top.has("measure") ? top.table("measure") : new Reader({}, "measure");
  const from = Number(measure.quantity("from", TIME, "0 s", LONGEST_RUN, "0 s"));
  const givenBin = measure.has("bin") ? Number(measure.quantity("bin", TIME, "1 ps", LONGEST_RUN)) : undefined;
  if (measure.has("link")) measure.word("link", ["bottleneck"]);
  measure.done();

  const dumbbell = top.table("dumbbell");
  const forth = dumbbell.table("bottleneck");
  const { rate, delay } = line(forth);
  const measured = queue(forth, profile, packetSize, catalogue);
  const bottleneck = { rate, delay, queue: measured, ...impairments(forth) };
  forth.done();
  const back = dumbbell.has("reverse") ? dumbbell.table("reverse") : undefined;
  const reverse = back === undefined
    ? { rate, delay, queue: queue(undefined, profile, packetSize, catalogue) }
    : { ...line(back), queue: queue(back, profile, packetSize, catalogue), ...impairments(back) };
  back?.done();
  const shared = dumbbell.has("access") ? access(dumbbell.table("access"), profile, packetSize, catalogue) : undefined;
  dumbbell.done();

  const planned: Tables[] = [];
  let ownLaws = 0;
  const groups: Group[] = [];
  const links: Tables[] = [];
  for (const [place, table] of top.tables("clients", MOST_GROUPS).entries()) {
    const own = table.has("access") ? access(table.table("access"), profile, packetSize, catalogue) : shared;
    if (own === undefined) throw new ScenarioError(`${table.path("access")}: is missing; must be a link`);
    links.push(own);
    const size = table.octets("packet_size", 1, 65535, packetSize);
    const direction = table.word("direction", ["forward", "reverse"], "forward");
    const name = table.text("name", /^[^\W\d][\w.>-]{0,63}$/u, "must be a name that begins with a letter", `clients-${place}`);
    const { transport, variant, isOwn } = transportOf(table.table("transport"), profile, size, catalogue);
    if (isOwn) put(transport, ["sender", "congestion", "number"], ownLaws++);
    const { source, name: sourceName } = sourceOf(table.table("source"), dataBytes(transport, size), size, duration);
    if (variant === "" && ["greedy", "transfers"].includes(sourceName)) {
      throw refuse(table.path("source.kind"), sourceName, "must be a source that sends at given times, as UDP does not pace");
    }
    const priority = table.whole("priority", 0, 7, 0);
    const count = table.whole("count", 1, MOST_FLOWS, 1);
    const start = Number(table.quantity("start", TIME, "0 s", LONGEST_RUN, "0 s"));
    const spread = Number(table.quantity("spread", TIME, "0 s", LONGEST_WAIT, "0 s"));
    if (start >= duration) throw refuse(table.path("start"), `${start / 1e12} s`, `must be before the end, at ${duration / 1e12} s`);
    if (start + spread > duration) {
      throw refuse(table.path("spread"), `${spread / 1e12} s`, `must be at most ${(duration - start) / 1e12} s, so that all flows start before the end`);
    }
    const headers = size - dataBytes(transport, size);
    if (variant !== "" && size <= headers) throw refuse(table.path("packet_size"), size, `must be above ${headers} for TCP`);
    planned.push({
      count,
      path: null,
      reverse: direction === "reverse",
      packet_size: size,
      start,
      spread,
      ...(priority > 0 ? { priority } : {}),
      transport,
      source,
    });
    const rtt = delay + (reverse.delay as number) + 2 * (own["delay"] as number);
    groups.push({ name, count, kind: variant === "" ? "udp" : "tcp", variant, source: sourceName, packetSize: size, rtt, direction });
    table.done();
  }
  top.done();
  const flows = groups.reduce((sum, group) => sum + group.count, 0);
  if (flows > MOST_FLOWS) throw refuse("clients", flows, `must have at most ${MOST_FLOWS} flows`);
  if (new Set(groups.map((group) => group.name)).size < groups.length) {
    throw new ScenarioError("clients: two groups have the same name");
  }
  if (from >= duration) throw refuse("measure.from", `${from / 1e12} s`, "must be before the end of the run");
  const bin = givenBin ?? defaultBin(groups);
  if (bin === 0) throw new ScenarioError("measure.bin: is missing; must be a time, since no link has a delay");
  if (bin > duration) throw refuse("measure.bin", `${bin / 1e12} s`, `must be at most the duration (${duration / 1e12} s)`);
  if (duration / bin > MOST_BINS) throw refuse("measure.bin", `${bin / 1e12} s`, `must give at most ${MOST_BINS} bins`);
  return {
    plan: {
      duration,
      measure: { from, bin, link: 0 },
      topology: {
        kind: "dumbbell",
        bottleneck,
        reverse,
        access: links.map((each) => [each, each]),
      },
      groups: planned,
      records: [],
      captures: [],
    },
    groups, profile, rate, duration, bin, from, link: 0, queue: measured["kind"] as string,
    labels: { groups: groups.map(({ name }) => ({ name })), link: "bottleneck", packet_size: packetSize, room: catalogue.room[profile] ?? 0 },
  };
}

/** The mean round-trip propagation delay, rounded half to even to microseconds, as Python rounds. */
function defaultBin(groups: readonly Group[]): number {
  const total = groups.reduce((sum, { count, rtt }) => sum + BigInt(count) * BigInt(rtt), 0n);
  const flows = groups.reduce((sum, { count }) => sum + BigInt(count), 0n);
  return Number(rounded(total, flows * 1_000_000n) * 1_000_000n || rounded(total, flows));
}

function rounded(value: bigint, by: bigint): bigint {
  const [whole, rest] = [value / by, 2n * (value % by)];
  return rest > by || (rest === by && whole % 2n === 1n) ? whole + 1n : whole;
}

function line(link: Reader): { rate: number; delay: number } {
  return {
    rate: Number(link.quantity("rate", RATE, "1 bps", "1000 Gbps")),
    delay: Number(link.quantity("delay", TIME, "0 s", "3600 s")),
  };
}

function access(link: Reader, profile: string, packetSize: number, catalogue: Catalogue): Tables {
  const made = { ...line(link), queue: queue(link, profile, packetSize, catalogue), ...impairments(link) };
  link.done();
  return made;
}

function impairments(link: Reader): Tables {
  const made: Tables = {};
  if (link.has("loss")) {
    const loss = link.table("loss");
    const place = loss.word("place", ["before", "after"], "before");
    const kind = loss.word("kind", ["random", "gilbert-elliott"]);
    made["loss"] = kind === "random"
      ? { kind, probability: loss.number("probability", 0, 1) }
      : {
        kind,
        to_bad: loss.number("to_bad", 0, 1),
        to_good: loss.number("to_good", 1e-9, 1),
        good: loss.number("good", 0, 1, 0),
        bad: loss.number("bad", 0, 1, 1),
      };
    if (place !== "before") made["loss_place"] = place;
    loss.done();
  }
  return made;
}

/** A plan's queue with the defaults of a profile. */
export function discipline(kind: string, profile: string, packetSize: number, catalogue: Catalogue): Tables {
  const made = structuredClone(catalogue.disciplines[profile]?.[kind] ?? {});
  for (const name of catalogue.sized[profile]?.[kind] ?? []) made[name] = packetSize;
  return made;
}

function queue(link: Reader | undefined, profile: string, packetSize: number, catalogue: Catalogue): Tables {
  const table = link?.has("queue") ? link.table("queue") : new Reader({ kind: "droptail" }, "queue");
  const kind = table.word("kind", Object.keys(catalogue.queues));
  const made = discipline(kind, profile, packetSize, catalogue);
  if (table.has("packets") && table.has("bytes")) throw new ScenarioError(`${table.path("bytes")}: must be absent when packets is given`);
  if (table.has("packets")) made["limit"] = { packets: table.whole("packets", 1, 1e15) };
  if (table.has("bytes")) made["limit"] = { bytes: table.octets("bytes", 1, 1e15) };
  if (table.has("count_in_service")) made["count_in_service"] = table.flag("count_in_service", true);
  for (const parameter of catalogue.queues[kind]?.parameters ?? []) {
    if (table.has(parameter.name)) made[parameter.name] = parameterValue(table, parameter);
  }
  table.done();
  return made;
}

/** Options in packets that may be given in bytes of data. */
export const WINDOWS: ReadonlySet<string> = new Set(["max_window", "initial_window"]);

/** A window in packets, from bytes of data. */
export const windowOf = (bytes: bigint, transport: Tables, packetSize: number): number =>
  Math.max(1, Math.floor(Number(bytes) / dataBytes(transport, packetSize)));

/** Packets per second, from bits per second on the wire. */
export const packetRate = (bits: bigint, packetSize: number): number => Number(bits) / (8 * packetSize);

function transportOf(
  table: Reader,
  profile: string,
  packetSize: number,
  catalogue: Catalogue,
): { transport: Tables; variant: string; isOwn: boolean } {
  if (table.word("kind", ["tcp", "udp"]) === "udp") {
    const transport = { kind: "udp", sizes: table.word("packet_sizes", ["fixed", "exponential"], "fixed") };
    table.done();
    return { transport, variant: "", isOwn: false };
  }
  const own = table.has("law") ? catalogue.law : undefined;
  const { transports, recoveries } = own ?? catalogue;
  if (own !== undefined) {
    table.word("law", [own.law]);
    // the server has the parameters, which are not in its plans
    for (const parameter of own.parameters) if (table.has(parameter.name)) parameterValue(table, parameter);
  }
  const usual = usualRecovery(table.has("variant"), own !== undefined);
  const variant = table.word("variant", Object.keys(catalogue.variants), DEFAULT_VARIANT);
  const transport = sizedTransport(transports[profile]?.[variant] ?? {}, packetSize);
  const allowed = recoveries[profile]?.[variant] ?? {};
  const recovery = table.word("recovery", Object.keys(allowed), usual ?? recoveryOf(transport));
  for (const [place, value] of allowed[recovery] ?? []) put(transport, place, value);
  const law = own === undefined ? catalogue.laws[catalogue.variants[variant]?.congestion ?? ""] : undefined;
  for (const parameter of law?.parameters ?? []) {
    if (table.has(parameter.name)) put(transport, ["sender", "congestion", parameter.name], parameterValue(table, parameter));
  }
  for (const option of catalogue.options) {
    const places = catalogue.follows[recovery]?.[option.name];
    if (places === undefined || !table.has(option.name)) continue;
    const value = WINDOWS.has(option.name) && table.holdsText(option.name)
      ? windowOf(table.quantity(option.name, SIZE, "1 B", "1000000 GB"), transport, packetSize)
      : parameterValue(table, option);
    for (const place of places) put(transport, place, value);
  }
  table.done();
  return { transport, variant, isOwn: own !== undefined };
}

/** The recovery of a law in Python without a variant, whose default is not the profile's. */
export const usualRecovery = (hasVariant: boolean, isOwn: boolean): string | undefined => (isOwn && !hasVariant ? "rack" : undefined);

/** The loss recovery of a plan's transport. */
export const recoveryOf = (transport: Tables | undefined): string => String((transport?.["sender"] as Tables | undefined)?.["recovery"]);

/** A plan's transport with the defaults of a profile, for packets of another size than the catalogue's. */
export function sizedTransport(usual: Tables, packetSize: number): Tables {
  const transport = structuredClone(usual);
  const { packet_size: size, payload } = usual["sender"] as { packet_size: number; payload: number };
  put(transport, ["sender", "payload"], packetSize - (size - payload));
  put(transport, ["sender", "packet_size"], packetSize);
  return transport;
}

/** Bytes of data in a full packet, as `data_bytes` of `traffic.py` computes them for TCP. */
function dataBytes(transport: Tables, packetSize: number): number {
  const sender = transport["sender"] as { payload: number } | undefined;
  return Math.min(sender?.payload ?? Infinity, packetSize - HEADER_BYTES);
}

/** Sets a value at its place in nested tables and arrays, which must exist. */
export function put(tables: Json, place: readonly (string | number)[], value: Json): void {
  let at: Json | undefined = tables;
  for (const name of place.slice(0, -1)) at = inside(at, name);
  const last = place.at(-1);
  if (last === undefined || inside(at, last) === undefined) throw new ScenarioError(`${place.join(".")}: is not in the plan`);
  (at as Record<string | number, Json>)[last] = value;
}

function inside(tables: Json | undefined, name: string | number): Json | undefined {
  if (typeof tables !== "object" || tables === null || !Object.hasOwn(tables, name)) return undefined;
  return (tables as Record<string | number, Json>)[name];
}

function parameterValue(table: Reader, parameter: Parameter): Json {
  const { name, kind, min, max, above } = parameter;
  const [low, high] = [min ?? -1e308, max ?? 1e308];
  switch (kind) {
    case "flag":
      return table.flag(name, false);
    case "choice":
      return table.word(name, parameter.choices ?? []);
    case "whole":
      return table.whole(name, low, high);
    case "time": {
      const given = table.take(name);
      if (parameter.or != null && given === parameter.or) return null;
      const value = typeof given === "string" ? parse(TIME, given) : undefined;
      const allowed = `must be a time from ${low / 1e12} s to ${high / 1e12} s${parameter.or == null ? "" : `, or ${parameter.or}`}`;
      if (value === undefined || value < BigInt(low) || value > BigInt(high)) throw refuse(table.path(name), given, allowed);
      return Number(value);
    }
    default: {
      const value = table.number(name, low, high);
      if (above != null && value <= above) throw refuse(table.path(name), value, `must be a number above ${above}`);
      return value;
    }
  }
}

const LEAST_RATE = 1e-6;
const MOST_RATE = 1e9;

function sourceOf(table: Reader, payload: number, packetSize: number, duration: number): { source: Tables; name: string } {
  const kind = table.word("kind", ["greedy", "poisson", "constant", "onoff", "fgn", "transfers"]);
  // packets per second, or bits per second on the wire as a text
  const rate = (): number => table.holdsText("rate")
    ? packetRate(table.quantity("rate", RATE, "1 bps", "1000 Gbps"), packetSize)
    : table.number("rate", LEAST_RATE, MOST_RATE);
  let source: Tables;
  switch (kind) {
    case "greedy": {
      const size = table.has("size") ? table.quantity("size", SIZE, "1 B", "1000000 GB") : undefined;
      source = { kind, packets: size === undefined ? null : Number((size + BigInt(payload) - 1n) / BigInt(payload)) };
      break;
    }
    case "onoff":
      source = { kind, rate: rate(), on: period(table.table("on")), off: period(table.table("off")) };
      break;
    case "fgn": {
      const bin = Number(table.quantity("bin", TIME, "1 us", LONGEST_RUN));
      source = {
        kind: "fractional",
        rate: rate(),
        hurst: table.number("hurst", 0.01, 0.99),
        cov: table.number("cov", 0, 1),
        bin,
        bins: Math.ceil(duration / bin),
      };
      break;
    }
    case "transfers":
      source = {
        kind,
        size: distribution(table.table("size"), SIZE, "1 B", "1000000 GB", (bytes) => Number(bytes) / payload),
        think: period(table.table("think")),
      };
      break;
    default:
      source = { kind, rate: rate() };
  }
  table.done();
  return { source, name: kind };
}

const period = (table: Reader): Tables =>
  distribution(table, TIME, "1 us", LONGEST_WAIT, (picoseconds) => Number(picoseconds) / 1e12);

function distribution(table: Reader, quantity: Quantity, low: string, high: string, convert: (value: bigint) => number): Tables {
  const kind = table.word("kind", ["fixed", "exponential", "pareto", "lognormal"]);
  const made: Tables = { kind, mean: convert(table.quantity("mean", quantity, low, high)) };
  if (kind === "pareto") made["shape"] = table.number("shape", 1.01, 100);
  if (kind === "lognormal") made["sigma"] = table.number("sigma", 0.01, 5);
  table.done();
  return made;
}
