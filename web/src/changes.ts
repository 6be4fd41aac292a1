// What changes during a run: links and flows (`changes` of a scenario), and the periods in which sources are active. A
// plan has them as steps of its links, changes of its groups and their schedules (crates/net/src/link, plan/changes.rs,
// source/schedule.rs).

import type { Catalogue, Json, Tables } from "./catalogue";
import { RATE, TIME, format, parse } from "./quantity";
import { ScenarioError, readTable, refuse } from "./reading";

/** The fields of links and of groups of flows that can change. */
export const OF_LINKS = ["rate", "delay", "loss", "queue", "up"] as const;
export const OF_FLOWS = ["transport", "via"] as const;
/** The end of the longest run. */
const NEVER = 17280000e12;

/** A change or a start or stop of sources, for a mark in plots over time. */
export interface Moment {
  /** In seconds. */
  readonly at: number;
  readonly text: string;
}

/** Finds a link of a plan by its name: undefined if there is none, null for that of one of several clients. */
export type Find = (name: string) => Tables | null | undefined;

/** Finds the links of a dumbbell's plan, or of a graph's, whose links have these names. */
export function finder(plan: Tables, names: readonly string[]): Find {
  const topology = plan["topology"] as Tables;
  if (topology["kind"] === "graph") return (name) => (topology["links"] as Tables[])[names.indexOf(name)]?.["link"] as Tables | undefined;
  return (name) => {
    const forward = name.replace(/\.reverse$/, "");
    if (forward === "bottleneck") return topology[forward === name ? "bottleneck" : "reverse"] as Tables;
    let client = Number(/^access\.(0|[1-9][0-9]{0,8})$/.exec(forward)?.[1] ?? Infinity);
    for (const [place, { count }] of (plan["groups"] as { count: number }[]).entries()) {
      if (client < count) return count === 1 ? (topology["access"] as Tables[][])[place]?.[forward === name ? 0 : 1] : null;
      client -= count;
    }
    return undefined;
  };
}

interface Change {
  readonly at: number;
  readonly path: string;
  readonly table: Tables;
  /** Where its losses are, if it says so. */
  readonly place: Json | undefined;
}

/** Reads a table for a queue or a law of the plan: the values that it gives, as in a plan. */
type Read = (given: Json, before: Tables, at: string) => Tables;

/** What changes need to know of a scenario. */
export interface Changeable {
  readonly plan: Tables;
  /** The names of a graph's links and nodes, in the order of the plan; empty for a dumbbell. */
  readonly links: readonly string[];
  readonly nodes: readonly string[];
  readonly groups: readonly string[];
  /** Name of the measured link. */
  readonly measured: string;
  readonly duration: number;
  readonly queue: Read;
  readonly law: Read;
}

/** Makes the changes of a scenario in its plan. */
export function makeChanges(given: Json | undefined, of: Changeable, catalogue: Catalogue): void {
  const changes = read(given, of.duration, catalogue).toSorted((a, b) => a.at - b.at);
  changeLinks(changes, of);
  changeFlows(changes, of);
}

function read(given: Json | undefined, duration: number, catalogue: Catalogue): Change[] {
  return ((given ?? []) as Tables[]).map((raw, place): Change => {
    const path = `changes.${place}`;
    const change = readTable(raw, "Change", path, catalogue.tables);
    const at = time(change["at"]);
    if (at >= duration) throw refuse(`${path}.at`, change["at"], `must be before the end, at ${duration / 1e12} s`);
    const [links, flows] = [OF_LINKS, OF_FLOWS].map((names) => names.some((name) => change[name] !== undefined));
    if (!links && !flows) throw new ScenarioError(`${path}.rate: is missing; one of ${[...OF_LINKS, ...OF_FLOWS].join(", ")} must be given`);
    if (!links && change["links"] !== undefined) throw refuse(`${path}.links`, change["links"], `must be absent unless one of ${OF_LINKS.join(", ")} is given`);
    if (!flows && change["groups"] !== undefined) throw refuse(`${path}.groups`, change["groups"], `must be absent unless one of ${OF_FLOWS.join(", ")} is given`);
    if (change["waiting"] !== undefined && change["up"] !== false) throw refuse(`${path}.waiting`, change["waiting"], "must be absent unless up is false");
    if (change["reorders"] === true && change["delay"] === undefined) throw refuse(`${path}.reorders`, true, "must be absent unless delay is given");
    return { at, path, table: change, place: (raw["loss"] as Tables | undefined)?.["place"] };
  });
}

function changeLinks(changes: readonly Change[], { plan, links: names, measured, queue }: Changeable): void {
  const find = finder(plan, names);
  const of = new Map<string, Change[]>();
  for (const change of changes) {
    const { path, table } = change;
    if (OF_LINKS.every((name) => table[name] === undefined)) continue;
    for (const [place, name] of ((table["links"] ?? [measured]) as string[]).entries()) {
      const where = table["links"] === undefined ? `${path}.links` : `${path}.links.${place}`;
      const link = find(name);
      if (link === undefined) throw refuse(where, name, "must be the name of a link");
      if (link === null) throw refuse(where, name, "must not be the link of one of several clients in a group");
      of.set(name, [...(of.get(name) ?? []), change]);
    }
  }
  for (const [name, own] of of) {
    const link = find(name) as Tables;
    changeLosses(link, own);
    changeQueue(link, own, queue);
    changeDelay(link, own);
    changeRate(link, own);
  }
}

function changeFlows(changes: readonly Change[], { plan, nodes, groups, law }: Changeable): void {
  for (const { at, path, table } of changes) {
    const { transport, via } = table;
    if (transport === undefined && via === undefined) continue;
    if (table["groups"] === undefined && groups.length > 1) throw new ScenarioError(`${path}.groups: is missing; must be given, as there are several groups: ${groups.join(", ")}`);
    for (const [place, name] of ((table["groups"] ?? groups.slice(0, 1)) as string[]).entries()) {
      const group = (plan["groups"] as Tables[])[groups.indexOf(name)];
      if (group === undefined) throw refuse(`${path}.groups.${place}`, name, `must be one of ${groups.join(", ")}`);
      const made: Tables = { at };
      if (transport !== undefined) {
        const before = lawOf(group);
        if (before === undefined) throw refuse(`${path}.transport`, transport, `must be absent: group ${name} has no law whose parameters can change`);
        made["congestion"] = { ...before, ...law(transport, before, `${path}.transport`) };
      }
      if (via !== undefined) {
        if (nodes.length === 0) throw refuse(`${path}.via`, via, "must be absent in a dumbbell, where each flow has one path");
        made["via"] = (via as string[]).map((node, step) => {
          if (!nodes.includes(node)) throw refuse(`${path}.via.${step}`, node, `must be one of ${nodes.join(", ")}`);
          return nodes.indexOf(node);
        });
      }
      group["changes"] = [...((group["changes"] ?? []) as Tables[]), made];
    }
  }
}

/** The law of a group's flows after the changes so far. */
function lawOf(group: Tables): Tables | undefined {
  const changed = ((group["changes"] ?? []) as Tables[]).findLast(({ congestion }) => congestion !== undefined);
  const sender = (group["transport"] as Tables)["sender"] as Tables | undefined;
  return (changed ?? sender)?.["congestion"] as Tables | undefined;
}

function changeRate(link: Tables, changes: readonly Change[]): void {
  const traced = typeof link["rate"] === "object" && link["rate"] !== null;
  if (!changes.some(({ table }) => table["rate"] !== undefined || table["up"] !== undefined)) return;
  const course = (traced ? link["rate"] : { times: [0], rates: [link["rate"]], period: null }) as { times: number[]; rates: number[] };
  const outages: number[][] = [];
  let [rate, since, down] = [course.rates[0] ?? 0, 0, ""];
  for (const { at, path, table } of changes) {
    if (table["rate"] !== undefined) {
      if (traced) throw refuse(`${path}.rate`, table["rate"], "must be absent: the link has a rate_trace");
      rate = Number(parse(RATE, String(table["rate"])));
    }
    if (table["up"] !== undefined) {
      const now = table["up"] === true ? "" : String(table["waiting"] ?? "kept");
      if (now === "lost" && link["shaper"] !== undefined) throw refuse(`${path}.waiting`, now, "must be kept: packets of a link with a shaper wait for tokens");
      if (now === "kept" && traced) throw refuse(`${path}.waiting`, now, "must be lost: the link has a rate_trace, in which a rate of 0 keeps the packets");
      if (now !== down) {
        if (down === "lost" && at > since) outages.push([since, at]);
        [down, since] = [now, at];
      }
    }
    if (!traced) step(course.times, course.rates, at, down === "kept" ? 0 : rate);
  }
  if (down === "lost") outages.push([since, NEVER]);
  // after any run, since the engine lets every rate of 0 end
  else if (down === "kept") step(course.times, course.rates, NEVER, rate);
  link["rate"] = { ...course, ...(outages.length > 0 ? { outages } : {}) };
}

function step(times: number[], values: number[], at: number, value: number): void {
  if (times.at(-1) === at) values[values.length - 1] = value;
  else if (values.at(-1) !== value) {
    times.push(at);
    values.push(value);
  }
}

function changeDelay(link: Tables, changes: readonly Change[]): void {
  const changed = changes.filter(({ table }) => table["delay"] !== undefined);
  if (changed.length === 0) return;
  const [times, delays] = [[0], [link["delay"] as number]];
  const jitter = link["jitter"] as { reorders: boolean } | undefined;
  for (const { at, path, table } of changed) {
    if (link["delay_trace"] !== undefined) throw refuse(`${path}.delay`, table["delay"], "must be absent: the link has a delay_trace");
    const reorders = table["reorders"] === true;
    if (jitter !== undefined && jitter.reorders !== reorders) throw refuse(`${path}.reorders`, reorders, `must be ${jitter.reorders} as jitter.reorders: a link has one order`);
    step(times, delays, at, time(table["delay"]));
  }
  const least = Math.min(...delays);
  link["delay"] = least;
  link["delay_trace"] = { times, extra: delays.map((delay) => delay - least), period: null, reorders: changed.some(({ table }) => table["reorders"] === true) };
}

function changeQueue(link: Tables, changes: readonly Change[], readQueue: Read): void {
  let queue = link["queue"] as Tables;
  const found: Tables[] = [];
  for (const { at, path, table } of changes) {
    if (table["queue"] === undefined) continue;
    queue = { ...queue, ...readQueue(table["queue"], queue, `${path}.queue`) };
    found.push({ at, queue });
  }
  if (found.length > 0) link["queue_changes"] = found;
}

function changeLosses(link: Tables, changes: readonly Change[]): void {
  const changed = changes.filter(({ table }) => table["loss"] !== undefined);
  if (changed.length === 0) return;
  const first = link["loss"] as Tables | undefined;
  if (first?.["kind"] === "trace") throw refuse(`${changed[0]?.path}.loss`, changed[0]?.table["loss"], "must be absent: the link has a loss_trace");
  const own = first === undefined ? (changed[0]?.table["loss"] as Tables)["place"] : link["loss_place"];
  const place = own ?? "before";
  link["loss_changes"] = changed.map(({ at, path, table, place: given }) => {
    if (given !== undefined && given !== place) throw refuse(`${path}.loss.place`, given, `must be ${place}, as before`);
    return { at, loss: lossOf(table["loss"] as Tables) };
  });
  if (place !== "before") link["loss_place"] = place;
}

/** Losses as in a plan. */
export function lossOf({ place: _, ...loss }: Tables): Tables {
  for (const name of ["good_time", "bad_time"]) if (loss[name] !== undefined) loss[name] = time(loss[name]);
  return loss;
}

const time = (text: Json | undefined): number => Number(parse(TIME, String(text)) ?? 0n);
const ENDING = ["transfers", "requests", "connections", "pages"];
/** The fields that say when sources stop. */
export const STOPS = ["stop", "duration", "active"] as const;

/** Whether sources complete what they have begun, or never end. */
export const completes = (source: Tables): boolean => ENDING.includes(String(source["kind"]));
export const neverEnds = (source: Tables): boolean => source["kind"] === "greedy" && (source["size"] ?? null) === null;

/** Reads when the sources of a group are active: their start, and the schedule of the plan if they stop. */
export function scheduleOf(group: Tables, at: string, end: number): { start: number; schedule?: Tables } {
  const active = (group["active"] ?? null) as [string, string][] | null;
  const given = STOPS.filter((name) => (group[name] ?? null) !== null);
  for (const name of given.slice(1)) throw refuse(`${at}.${name}`, group[name], `must be absent when ${given[0]} is given`);
  const periods = (active ?? []).map((period) => period.map(time) as [number, number]);
  for (const [place, [begin, until]] of periods.entries()) {
    const before = periods[place - 1]?.[1] ?? 0;
    if (begin < before) throw refuse(`${at}.active`, active, `in the pair at ${place}, '${active?.[place]?.[0]}' must not be before the end of the period before, at ${format(TIME, BigInt(before))}`);
    if (until <= begin) throw refuse(`${at}.active`, active, `in the pair at ${place}, '${active?.[place]?.[1]}' must be later than the beginning, ${active?.[place]?.[0]}`);
  }
  const first = active?.[0]?.[0] ?? "0 s";
  if (active !== null && (group["start"] ?? null) !== null && time(group["start"]) !== time(first)) throw refuse(`${at}.start`, group["start"], `must be absent, or the beginning of the first active period, ${first}`);
  const start = time(group["start"] ?? first);
  if (start >= end) throw refuse(`${at}.start`, group["start"] ?? first, `must be before the end, at ${end / 1e12} s`);
  const spread = time(group["spread"] ?? "0 s");
  if (start + spread > end) throw refuse(`${at}.spread`, group["spread"], `must be at most ${format(TIME, BigInt(end - start))}, so that all flows start before the end`);
  const unfinished = group["unfinished"] ?? null;
  const [kind] = given;
  if (kind === undefined) {
    if (unfinished !== null) throw refuse(`${at}.unfinished`, unfinished, "must be absent unless stop, duration or active is given");
    return { start };
  }
  const stop = kind === "duration" ? undefined : kind === "stop" ? time(group["stop"]) : periods[0]?.[1] ?? 0;
  const last = kind === "stop" ? stop ?? 0 : periods.at(-1)?.[1] ?? 0;
  if (kind === "stop" && last <= start) throw refuse(`${at}.stop`, group["stop"], `must be after the start, at ${group["start"] ?? "0 s"}`);
  if (last > end) throw refuse(`${at}.${kind}`, group[kind], `must be at most the end, at ${end / 1e12} s`);
  if (stop !== undefined && spread > stop - start) throw refuse(`${at}.spread`, group["spread"], `must be at most ${format(TIME, BigInt(stop - start))}, so that all sources start before they stop`);
  const source = group["source"] as Tables;
  if (unfinished === "drained" && neverEnds(source)) throw refuse(`${at}.unfinished`, unfinished, "must be dropped for a greedy source without a size, whose data never ends");
  if (unfinished === "dropped" && completes(source)) throw refuse(`${at}.unfinished`, unfinished, `must be drained for ${source["kind"]}: a transfer that has begun is completed`);
  return {
    start,
    schedule: { stop: stop === undefined ? { after: time(group["duration"]) } : { at: stop }, again: periods.slice(1), unfinished: unfinished ?? (completes(source) ? "drained" : "dropped") },
  };
}

/** What is marked in plots over time: changes of links, and where groups start and stop. */
export function momentsOf(changes: Json | undefined, groups: readonly Tables[], names: readonly string[]): Moment[] {
  const found: Moment[] = [];
  const mark = (at: number, text: string): unknown => found.push({ at: at / 1e12, text });
  for (const table of (changes ?? []) as Tables[]) {
    const said = ["rate", "delay"].filter((name) => (table[name] ?? null) !== null).map((name) => `${name} ${table[name]}`);
    said.push(...["loss", "queue"].filter((name) => (table[name] ?? null) !== null));
    if ((table["up"] ?? null) !== null) said.push(table["up"] === true ? "up" : "down");
    const parameters = Object.entries((table["transport"] ?? {}) as Tables).filter(([name]) => !["kind", "variant"].includes(name));
    said.push(...parameters.map(([name, value]) => `${name} ${String(value)}`));
    if (Array.isArray(table["via"])) said.push(table["via"].length > 0 ? `via ${table["via"].join("-")}` : "shortest path");
    mark(time(table["at"]), said.join(", "));
  }
  for (const [place, group] of groups.entries()) {
    const periods = (group["active"] ?? [[group["start"] ?? "0 s", group["stop"] ?? null]]) as [string, string | null][];
    for (const [begin, until] of periods) {
      const start = time(begin);
      const end = until === null ? (group["duration"] ?? null) === null ? undefined : start + time(group["duration"]) : time(until);
      if (start > 0) mark(start, `+ ${names[place]}`);
      if (end !== undefined) mark(end, `− ${names[place]}`);
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

/** The pairs of times in a field such as "5 s to 45 s, 50 s to 60 s"; undefined if it has another form. */
export function periodsOf(text: string): [string, string][] | undefined {
  const pairs = text.split(",").map((each) => each.split(/\s+to\s+/).map((part) => part.trim()));
  return pairs.every((pair) => pair.length === 2 && pair.every((part) => part !== "")) ? (pairs as [string, string][]) : undefined;
}

