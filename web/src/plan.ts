// Reads a scenario, the tables of a TOML file, and makes its plan from the parts that Python prepared. The plan equals
// the one of `ackclock run`; tests compare them. Scenarios with other fields have to be opened by `ackclock lab FILE`.

import type { Catalogue, Json, Parameter, Tables } from "./catalogue";
import { type Moment, lossOf, makeChanges, momentsOf, scheduleOf } from "./changes";
import { RATE, SIZE, TIME, type Quantity, parse } from "./quantity";
import { type Field, type Fields, ScenarioError, readField, readFields, readTable, refuse } from "./reading";

/** Times of a plan are picoseconds, which JavaScript counts exactly up to 2.5 h. */
const LONGEST_RUN = 9000e12;
const MOST_GROUPS = 20;
const MOST_BINS = 10_000_000;
const HEADER_BYTES = 40;

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
  /** What plots over time mark. */
  readonly moments: readonly Moment[];
  /** The names and values of the scenario that notices need, as in `labels` of `notices.py`. */
  readonly labels?: Tables;
}

export function describe(given: unknown, catalogue: Catalogue): Described {
  const top = readTable(given, "Scenario", "", catalogue.tables);
  const { measure, dumbbell, clients } = top as { measure: Tables; dumbbell: Record<"bottleneck" | "reverse" | "access", Tables | undefined>; clients: Tables[] };
  const [profile, packetSize] = [top["profile"] as string, octets(top["packet_size"])];
  const duration = time(top["duration"]);
  const from = time(measure["from"]);
  if (duration > LONGEST_RUN) throw refuse("duration", top["duration"], "must be at most 9000 s in the lab");
  if (from >= duration) throw refuse("measure.from", measure["from"], "must be before the end of the run");
  if ((measure["link"] ?? "bottleneck") !== "bottleneck") throw refuse("measure.link", measure["link"], "must be bottleneck in the lab");
  if (clients.length === 0 || clients.length > MOST_GROUPS) throw refuse("clients", clients, `must be an array of 1 to ${MOST_GROUPS} tables`);

  const link = (table: Tables, at: string): Tables => {
    const { place } = (table["loss"] ?? {}) as Tables;
    return {
      rate: base(RATE, table["rate"]), delay: time(table["delay"]), queue: queue(table["queue"], profile, packetSize, `${at}.queue`, catalogue),
      ...(table["loss"] === undefined ? {} : { loss: lossOf(table["loss"] as Tables), ...(place === "before" ? {} : { loss_place: place ?? null }) }),
    };
  };
  const { rate, delay, ...way } = link(dumbbell.bottleneck ?? {}, "dumbbell.bottleneck") as { rate: number; delay: number; queue: Tables };
  const { reverse: back, access: shared } = dumbbell;
  const reverse = back === undefined ? { rate, delay, queue: queue(undefined, profile, packetSize, "", catalogue) } : link(back, "dumbbell.reverse");

  const groups: Group[] = [];
  const links: Tables[] = [];
  let ownLaws = 0;
  const planned = clients.map((table, place) => {
    const at = `clients.${place}`;
    const [size, count] = [octets(table["packet_size"] ?? packetSize), table["count"] as number];
    const { transport, variant, isOwn } = transportOf(table["transport"] as Tables, profile, size, `${at}.transport`, catalogue);
    if (isOwn) put(transport, ["sender", "congestion", "number"], ownLaws++);
    const { kind } = table["source"] as { kind: string };
    const headers = size - dataBytes(transport, size);
    if (variant === "" && ["greedy", "transfers"].includes(kind)) throw refuse(`${at}.source.kind`, kind, "must be a source that sends at given times, as UDP does not pace");
    const timed = scheduleOf(table, at, duration);
    if (variant !== "" && size <= headers) throw refuse(`${at}.packet_size`, size, `must be above ${headers} for TCP`);
    const own = (table["access"] ?? shared) as Tables | undefined;
    if (own === undefined) throw new ScenarioError(`${at}.access: is missing; must be a link`);
    const access = link(own, table["access"] === undefined ? "dumbbell.access" : `${at}.access`);
    links.push(access);
    const direction = (table["direction"] ?? "forward") as "forward" | "reverse";
    groups.push({
      name: (table["name"] ?? `clients-${place}`) as string, count, kind: variant === "" ? "udp" : "tcp", variant, source: kind, packetSize: size,
      rtt: delay + (reverse["delay"] as number) + 2 * (access["delay"] as number), direction,
    });
    return {
      count, path: null, reverse: direction === "reverse", packet_size: size, spread: time(table["spread"] ?? "0 s"), ...timed,
      ...(table["priority"] === 0 ? {} : { priority: table["priority"] ?? 0 }),
      ...((table["weight"] ?? 1) === 1 ? {} : { weight: table["weight"] }),
      transport,
      source: sourceOf(table["source"] as Tables, dataBytes(transport, size), size, duration, `${at}.source`),
    };
  });
  if (new Set(groups.map(({ name }) => name)).size < groups.length) throw new ScenarioError("clients: two groups have the same name");
  const bin = measure["bin"] === undefined ? defaultBin(groups) : time(measure["bin"]);
  if (bin === 0) throw new ScenarioError("measure.bin: is missing; must be a time, since no link has a delay");
  const givenBin = measure["bin"] ?? `${bin / 1e12} s`;
  const ofDefault = measure["bin"] === undefined ? "; without a value, it is the mean round-trip time" : "";
  if (bin > duration) throw refuse("measure.bin", givenBin, `must be at most the duration (${duration / 1e12} s)${ofDefault}`);
  if (duration / bin > MOST_BINS) throw refuse("measure.bin", givenBin, `must give at most ${MOST_BINS} bins${ofDefault}`);
  const plan = {
    duration,
    measure: { from, bin, link: 0, ...convergenceOf(measure["convergence"], duration) },
    topology: { kind: "dumbbell", bottleneck: { rate, delay, ...way }, reverse, access: links.map((each) => [each, structuredClone(each)]) },
    groups: planned,
    records: [],
    captures: [],
  };
  makeChanges(top["changes"], { plan, links: [], nodes: [], groups: groups.map(({ name }) => name), measured: "bottleneck", duration, ...readers(catalogue) }, catalogue);
  return {
    plan,
    moments: momentsOf(top["changes"], clients, groups.map(({ name }) => name)),
    groups, profile, rate, duration, bin, from, link: 0, queue: way.queue["kind"] as string,
    labels: { groups: groups.map(({ name }) => ({ name })), link: "bottleneck", packet_size: packetSize, room: catalogue.room[profile] ?? 0 },
  };
}

function convergenceOf(given: Json | undefined, duration: number): Tables {
  if (given === undefined) return {};
  const { window, delta } = given as { window: string; delta: number };
  if (time(window) < 10 || time(window) > duration) throw refuse("measure.convergence.window", window, `must be from 10 ps to the duration, ${duration / 1e12} s`);
  return { convergence: { window: time(window), delta } };
}

/** A value that was read, in its base unit. */
const base = (quantity: Quantity, text: Json | undefined): number => Number(parse(quantity, String(text)) ?? 0n);
const time = (text: Json | undefined): number => base(TIME, text);
const octets = (value: Json | undefined): number => (typeof value === "string" ? base(SIZE, value) : Number(value));

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

/** A plan's queue with the defaults of a profile. */
export function discipline(kind: string, profile: string, packetSize: number, catalogue: Catalogue): Tables {
  const made = structuredClone(catalogue.disciplines[profile]?.[kind] ?? {});
  for (const name of catalogue.sized[profile]?.[kind] ?? []) made[name] = packetSize;
  return made;
}

const schemasOf = (parameters: readonly Parameter[]): Record<string, Field> => Object.fromEntries(parameters.map(({ name, schema }) => [name, schema ?? {}]));

/** A parameter as in a plan, where times are picoseconds. */
const plannedValue = (value: Json, { kind, or }: Parameter): Json =>
  kind !== "time" && kind !== "rate" ? value : value === or ? null : base(kind === "time" ? TIME : RATE, value);

function queue(given: Json | undefined, profile: string, packetSize: number, at: string, catalogue: Catalogue): Tables {
  const { kind, values } = queueValues(given ?? { kind: "droptail" }, at, catalogue);
  return { ...discipline(kind, profile, packetSize, catalogue), ...values };
}

/** Read what a change gives of a queue and of a law. */
export const readers = (catalogue: Catalogue) => ({
  queue: (given: Json, before: Tables, at: string): Tables => {
    const { kind, values } = queueValues(given, at, catalogue);
    if (kind !== before["kind"]) throw refuse(`${at}.kind`, kind, `must be ${before["kind"]}, as before`);
    return values;
  },
  law: (given: Json, before: Tables, at: string): Tables => {
    const table = readTable(given, "Tcp", at, catalogue.tables);
    const fields: Fields = catalogue.tables["Tcp"]?.fields ?? {};
    const variant = readField(table, "variant", fields, at);
    const kind = catalogue.variants[variant]?.congestion ?? "";
    if (kind !== before["kind"]) throw refuse(`${at}.variant`, variant, `must have the law ${before["kind"]}, as before`);
    const parameters = catalogue.laws[kind]?.parameters ?? [];
    const own = readFields(table, { kind: fields["kind"] ?? {}, variant: fields["variant"] ?? {}, ...schemasOf(parameters) }, [], at, catalogue.tables);
    return Object.fromEntries(parameters.flatMap((each) => (own[each.name] === undefined ? [] : [[each.name, plannedValue(own[each.name] ?? null, each)]])));
  },
});

/** Reads a queue's table: its kind, and what it gives, as in a plan. */
function queueValues(given: Json, at: string, catalogue: Catalogue): { kind: string; values: Tables } {
  const table = readTable(given, "Queue", at, catalogue.tables);
  const fields: Fields = catalogue.tables["Queue"]?.fields ?? {};
  const kind = readField(table, "kind", fields, at);
  const parameters = catalogue.queues[kind]?.parameters ?? [];
  const { packets, bytes, count_in_service: counts, ...own } = readFields(table, { ...fields, ...schemasOf(parameters) }, [], at, catalogue.tables);
  if (packets !== undefined && bytes !== undefined) throw new ScenarioError(`${at}.bytes: must be absent when packets is given`);
  const values: Tables = {};
  if (packets !== undefined) values["limit"] = { packets };
  if (bytes !== undefined) values["limit"] = { bytes: octets(bytes) };
  if (counts !== undefined) values["count_in_service"] = counts;
  for (const each of parameters) if (own[each.name] !== undefined) values[each.name] = plannedValue(own[each.name] ?? null, each);
  return { kind, values };
}

/** A window in packets, from bytes of data. */
export const windowOf = (bytes: bigint, transport: Tables, packetSize: number): number =>
  Math.max(1, Math.floor(Number(bytes) / dataBytes(transport, packetSize)));

/** Packets per second, from bits per second on the wire. */
export const packetRate = (bits: bigint, packetSize: number): number => Number(bits) / (8 * packetSize);

function transportOf(table: Tables, profile: string, packetSize: number, at: string, catalogue: Catalogue): { transport: Tables; variant: string; isOwn: boolean } {
  if (table["kind"] === "udp") return { transport: { kind: "udp", sizes: table["packet_sizes"] ?? null }, variant: "", isOwn: false };
  const own = table["law"] === undefined ? undefined : catalogue.law;
  const { transports, recoveries } = own ?? catalogue;
  const usual = usualRecovery(table["variant"] !== undefined, own !== undefined);
  const fields: Fields = catalogue.tables["Tcp"]?.fields ?? {};
  const variant = readField(table, "variant", fields, at);
  const transport = sizedTransport(transports[profile]?.[variant] ?? {}, packetSize);
  const allowed = recoveries[profile]?.[variant] ?? {};
  const recovery = String(table["recovery"] ?? usual ?? recoveryOf(transport));
  const [options, law] = [catalogue.options.filter(({ name }) => catalogue.follows[recovery]?.[name]), own ?? catalogue.laws[catalogue.variants[variant]?.congestion ?? ""]];
  const read = readFields(table, {
    kind: fields["kind"] ?? {}, variant: fields["variant"] ?? {}, recovery: { enum: Object.keys(allowed) },
    ...Object.fromEntries(options.map(({ name }) => [name, fields[name] ?? {}])),
    ...schemasOf(law?.parameters ?? []),
    ...(own === undefined ? {} : { law: { enum: [own.law] } }),
  }, [], at, catalogue.tables);
  for (const [place, value] of allowed[recovery] ?? []) put(transport, place, value);
  // a server has the parameters of its law, which are not in plans
  for (const each of own === undefined ? law?.parameters ?? [] : []) {
    if (read[each.name] !== undefined) put(transport, ["sender", "congestion", each.name], plannedValue(read[each.name] ?? null, each));
  }
  for (const option of options) {
    const value = read[option.name];
    if (value === undefined) continue;
    const isInBytes = option.kind === "whole" && typeof value === "string";
    const planned = isInBytes ? windowOf(parse(SIZE, value) ?? 0n, transport, packetSize) : plannedValue(value, option);
    for (const place of catalogue.follows[recovery]?.[option.name] ?? []) put(transport, place, planned);
  }
  if (read["sack_blocks"] === 0) {
    if (recovery === "sack") throw refuse(`${at}.sack_blocks`, 0, "must be at least 1 with recovery sack; recovery rack allows 0");
    put(transport, ["sender", "has_sack"], false);
  }
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

/** A source as in a plan: packets per second, times in seconds, sizes in packets. */
function sourceOf(table: Tables, payload: number, packetSize: number, duration: number, at: string): Tables {
  const distribution = (name: string, quantity: Quantity, by: number): Tables => {
    const { mean, ...of } = table[name] as Tables;
    const value = parse(quantity, String(mean));
    if (value === undefined) throw refuse(`${at}.${name}.mean`, mean, `must be a ${quantity === TIME ? "time" : "size"}`);
    return { ...of, mean: Number(value) / by };
  };
  const rate = typeof table["rate"] === "string" ? packetRate(parse(RATE, table["rate"]) ?? 0n, packetSize) : table["rate"] ?? null;
  const size = parse(SIZE, String(table["size"]));
  switch (table["kind"]) {
    case "greedy":
      return { kind: "greedy", packets: size === undefined ? null : Number((size + BigInt(payload) - 1n) / BigInt(payload)) };
    case "onoff":
      return { ...table, rate, on: distribution("on", TIME, 1e12), off: distribution("off", TIME, 1e12) };
    case "fgn": {
      const bin = time(table["bin"]);
      return { ...table, kind: "fractional", rate, bin, bins: Math.ceil(duration / bin) };
    }
    case "transfers":
      return { ...table, size: distribution("size", SIZE, payload), think: distribution("think", TIME, 1e12) };
    default:
      return { ...table, rate };
  }
}
