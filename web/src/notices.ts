// The notices of a run of a dumbbell, in the words of python/ackclock/running/notices.py; tests compare both.

import type { Json, Tables } from "./catalogue";
import type { Outcome } from "./engine";
import type { Described, Group } from "./plan";
import { TIME, format } from "./quantity";
import { changingShares, general, lateStarts, percent, steadyState } from "./steady";

const MOST = 0.5;
const IDLE = 0.5;
const MARK_ALWAYS = new Set(["dualpi2", "python"]);
const CUT_WORTH_TELLING = 0.001;
const LEFT_OUT = 0.05;
const EXCESS_WORTH_TELLING = 0.001;
const RARE_SIZE = Math.log(1e6);
const LONGEST_PACKET = 65535;
const HEADER_BYTES = 40;

interface Queue {
  readonly kind: string;
  readonly packets: number | undefined;
  readonly bytes: number | undefined;
  readonly table: Tables;
}

interface Line {
  readonly name: string;
  readonly rate: number;
  readonly delay: number;
  readonly queue: Queue;
  readonly isLossy: boolean;
}

export function noticesOf(scenario: Described, outcome: Outcome, room: number): string[] {
  const { facts } = outcome;
  const links = linksOf(scenario);
  const measured = scenario.groups.filter(({ direction }) => direction === "forward");
  const bottleneck = links.bottleneck.queue;
  return [
    ...(measured.length === 0 ? ["No flow sends its data over the measured link, bottleneck."] : []),
    ...steadyState(scenario, facts),
    ...changingShares(scenario, facts),
    ...limits(scenario, outcome, links),
    ...red(bottleneck, facts.red_avg_max),
    ...unfinished(scenario, outcome),
    ...held(scenario, outcome, links, room),
    ...crossedBefore(scenario, outcome),
    ...redOutOfReach(bottleneck, measured),
    ...cutSizes(scenario),
    ...noRoom(scenario, links),
    ...smallBuffer(scenario, measured, bottleneck),
    ...overload(scenario, measured, links),
    ...unusedEcn(scenario, links),
    ...lateStarts(scenario),
  ];
}

interface Links {
  readonly bottleneck: Line;
  readonly reverse: Line;
  readonly access: readonly Line[];
}

function linksOf({ plan, groups }: Described): Links {
  const topology = plan["topology"] as Tables;
  const line = (table: Json | undefined, name: string): Line => {
    const { rate, delay, queue, loss } = table as Tables;
    const of = queue as Tables;
    const limit = of["limit"] as { packets?: number; bytes?: number };
    return { name, rate: rate as number, delay: delay as number, queue: { kind: of["kind"] as string, packets: limit.packets, bytes: limit.bytes, table: of }, isLossy: loss != null && (loss as Tables)["kind"] !== "list" };
  };
  return {
    bottleneck: line(topology["bottleneck"], "bottleneck"),
    reverse: line(topology["reverse"], "bottleneck.reverse"),
    access: (topology["access"] as Json[][]).map(([there], place) => line(there, `the access links of ${groups[place]?.name ?? ""}`)),
  };
}

/** The links that a group's data crosses, and those of its ACKs. */
function paths(group: Group, place: number, { bottleneck, reverse, access }: Links): [Line[], Line[]] {
  const own = access[place];
  if (own === undefined) return [[], []];
  return group.direction === "forward" ? [[own, bottleneck], [reverse, own]] : [[reverse, own], [own, bottleneck]];
}

/** Groups that the network's capacity did not limit, as in python/ackclock/running/limits.py. */
function* limits(scenario: Described, { summary, groups }: Outcome, links: Links): Iterable<string> {
  const planned = scenario.plan["groups"] as Tables[];
  const used = summary["utilization"] ?? 0;
  for (const [place, group] of scenario.groups.entries()) {
    const found = groups[place] ?? {};
    const [receiver, application] = [found["limited_receiver_window"] ?? 0, found["limited_application"] ?? 0];
    const loss = (found["limited_loss"] ?? 0) + (found["limited_timeout"] ?? 0);
    const [there] = paths(group, place, links);
    const crosses = group.direction === "forward";
    const { transport, source } = (planned[place] ?? {}) as { transport: Tables; source: Tables };
    if (receiver >= MOST) {
      const { rwnd, max_window } = transport["receiver"] as { rwnd: string; max_window: number };
      const rate = Math.min(scenario.rate, group.count * (links.access[place]?.rate ?? Infinity));
      const product = Math.round((rate * group.rtt) / 1e12 / 8 / group.packetSize);
      const below = crosses && max_window < product
        ? ` The window is below one bandwidth-delay product (${product} packets): a larger transport.max_window lets one flow fill the link.`
        : "";
      yield `Group ${group.name} was limited by its advertised window (${rwnd === "auto" ? 'rwnd = "auto", ' : ""}max_window = ${max_window}) in ${percent(receiver)} of its time: congestion control had little effect then.${below}`;
    }
    if (!crosses || used >= IDLE) continue;
    const lossy = there.filter(({ isLossy }) => isLossy).map(({ name }) => name);
    if (loss >= MOST && lossy.length > 0) {
      yield `Group ${group.name} was limited by loss in ${percent(loss)} of its time, while bottleneck was used to ${percent(used)}: the random loss of ${lossy.join(", ")} (loss), not the capacity, limits its rate.`;
    }
    if (application >= MOST && source["rate"] !== undefined) {
      const offered = (group.count * meanRate(source) * 8 * group.packetSize) / scenario.rate;
      yield `Group ${group.name} was limited by its application in ${percent(application)} of its time: its sources offer ${percent(offered)} of the rate of bottleneck, which was used to ${percent(used)}. A higher source.rate, or more flows, use more of it.`;
    }
  }
}

function* red({ kind, table }: Queue, highest: number | null): Iterable<string> {
  if (highest === null || kind !== "red") return;
  const [size, inBytes, threshold] = [table["mean_packet_size"] as number, table["unit"] === "bytes", table["min_th"] as number];
  const reached = inBytes ? highest / size : highest;
  if (reached > threshold) return;
  const unit = inBytes ? ` packets of ${general(size, 6)} bytes` : "";
  yield `RED never dropped early: its average queue reached ${general(reached, 3)}${unit}, below min_th (${general(threshold, 6)}).`;
}

function* unfinished(scenario: Described, { facts, groups }: Outcome): Iterable<string> {
  for (const [place, { name }] of scenario.groups.entries()) {
    const [left, ended] = [facts.unfinished[place] ?? 0, groups[place]?.["completed"] ?? 0];
    if (left > LEFT_OUT * (left + ended)) {
      yield `${left} of ${left + ended} transfers of group ${name} were incomplete at the end of the run. Completion times exclude them, and they tend to be the longest: simulate a longer time.`;
    }
  }
}

function* crossedBefore({ rate, duration, from }: Described, { summary, groups, facts }: Outcome): Iterable<string> {
  const carried = groups.reduce((sum, group) => sum + (group["throughput_bps"] ?? 0), 0);
  const excess = (summary["goodput_bps"] ?? 0) - carried;
  if (excess <= EXCESS_WORTH_TELLING * rate) return;
  const [more, before] = [(excess * (duration - from)) / 1e12 / 8, facts.crossed_before].map((bytes) => general(bytes / 1e6, 3));
  yield `Goodput exceeds the data that bottleneck carried in the measured time by ${more ?? ""} MB (${((100 * excess) / rate).toFixed(2)}% of the link's rate): ${before ?? ""} MB had crossed it before measure.from (${format(TIME, BigInt(from))}), and were then behind it or waited at receivers for missing data.`;
}

function* held(scenario: Described, { groups }: Outcome, links: Links, room: number): Iterable<string> {
  const measured = (scenario.duration - scenario.from) / 1e12;
  for (const [place, group] of scenario.groups.entries()) {
    const names: string[] = [];
    let least = 0;
    for (const { name, rate, delay, queue } of paths(group, place, links)[0]) {
      const each = (8 * group.packetSize) / rate;
      least += delay / 1e12 + each;
      if (queue.kind === "droptail" && queue.packets === room) names.push(name);
      else if (name !== "bottleneck") least += each * (queue.packets || (queue.bytes ?? 0) / group.packetSize);
    }
    if (names.length === 0) continue;
    const found = groups[place];
    const elsewhere = ((found?.["queue_mean"] ?? 0) * measured) / (found?.["departures"] || 1);
    const wait = names.includes("bottleneck") ? 0 : elsewhere;
    const waited = (found?.["delay_mean"] ?? 0) - wait - least;
    if (waited > group.rtt / 1e12) {
      yield `Packets of group ${group.name} waited ${general(waited, 3)} s on average in queues with the default limit of ${room.toLocaleString("en")} packets: ${names.join(", ")}. That is longer than the round trip without queues (${general(group.rtt / 1e12, 3)} s): these queues held more than one bandwidth-delay product.`;
    }
  }
}

function* redOutOfReach({ kind, table, packets, bytes }: Queue, measured: readonly Group[]): Iterable<string> {
  if (kind !== "red") return;
  const sizes = measured.length === 0 ? [1500] : measured.map(({ packetSize }) => packetSize);
  const [size, inBytes, threshold] = [table["mean_packet_size"] as number, table["unit"] === "bytes", table["max_th"] as number];
  const most = inBytes
    ? (packets === undefined ? (bytes ?? 0) : packets * Math.max(...sizes)) / size
    : bytes === undefined ? (packets ?? 0) : bytes / Math.min(...sizes);
  if (threshold < most) return;
  const unit = inBytes ? ` packets of ${general(size, 6)} bytes` : " packets";
  yield `RED cannot reach max_th (${general(threshold, 6)}): the queue of bottleneck is full at ${general(most, 4)}${unit}.`;
}

const isSpread = (scenario: Described, place: number): boolean => {
  const transport = (scenario.plan["groups"] as Tables[])[place]?.["transport"] as Tables;
  return transport["kind"] === "udp" && transport["sizes"] !== "fixed";
};

function* cutSizes(scenario: Described): Iterable<string> {
  for (const [place, { name, packetSize }] of scenario.groups.entries()) {
    const cut = Math.exp(-LONGEST_PACKET / packetSize);
    if (isSpread(scenario, place) && cut > CUT_WORTH_TELLING) {
      yield `Group ${name} cuts ${(100 * cut).toFixed(1)}% of its packets to ${LONGEST_PACKET} bytes: its mean packet size is ${(packetSize * (1 - cut)).toFixed(0)} bytes, not ${packetSize}.`;
    }
  }
}

function* noRoom(scenario: Described, links: Links): Iterable<string> {
  const told = new Set<string>();
  for (const [place, group] of scenario.groups.entries()) {
    const [there, back] = paths(group, place, links);
    const data = isSpread(scenario, place) ? Math.min(LONGEST_PACKET, Math.round(group.packetSize * RARE_SIZE)) : group.packetSize;
    for (const [way, size] of [[there, data], [back, group.kind === "tcp" ? HEADER_BYTES : 0]] as const) {
      for (const { name, queue } of way) {
        if (queue.bytes === undefined || queue.bytes >= size || told.has(`${name} ${size}`)) continue;
        told.add(`${name} ${size}`);
        yield `The queue of ${name} drops every packet of ${size} bytes: its limit is ${queue.bytes} bytes, and even an empty queue must have space for a packet.`;
      }
    }
  }
}

function* smallBuffer(scenario: Described, measured: readonly Group[], queue: Queue): Iterable<string> {
  const tcp = measured.filter(({ kind }) => kind === "tcp");
  const flows = tcp.reduce((sum, { count }) => sum + count, 0);
  if (flows === 0) return;
  const packet = tcp.reduce((sum, { count, packetSize }) => sum + count * packetSize, 0) / flows;
  const delay = tcp.reduce((sum, { count, rtt }) => sum + count * rtt, 0) / flows / 1e12;
  const product = (scenario.rate * delay) / 8 / packet;
  const buffer = queue.bytes === undefined ? (queue.packets ?? 0) : queue.bytes / packet;
  if (Math.round(buffer) < Math.round(product)) {
    yield `The buffer of bottleneck (${buffer.toFixed(0)} packets) is below one bandwidth-delay product (${product.toFixed(0)} packets of ${packet.toFixed(0)} bytes).`;
  }
}

function* unusedEcn(scenario: Described, links: Links): Iterable<string> {
  const planned = scenario.plan["groups"] as Tables[];
  for (const [place, group] of scenario.groups.entries()) {
    if (group.kind !== "tcp") continue;
    const ecn = ((planned[place]?.["transport"] as Tables)["sender"] as Tables)["ecn"] as string;
    const [there] = paths(group, place, links);
    if (ecn === "off" || there.some(({ queue }) => marks(queue))) continue;
    const queues = there.map(({ name, queue }) => `${queue.kind} at ${name}`).join(", ");
    yield `ECN (${ecn}) of group ${group.name} has no effect: no queue that its data crosses marks packets (${queues}). Queues with ecn = true or mark_above do.`;
  }
}

const marks = ({ kind, table }: Queue): boolean =>
  MARK_ALWAYS.has(kind) || ["ecn", "mark_above", "ce_threshold"].some((name) => Boolean(table[name]));

function* overload(scenario: Described, measured: readonly Group[], links: Links): Iterable<string> {
  const planned = scenario.plan["groups"] as Tables[];
  let offered = 0;
  for (const group of measured) {
    const place = scenario.groups.indexOf(group);
    if (group.kind !== "udp") continue;
    const narrowest = group.count * (links.access[place]?.rate ?? Infinity);
    offered += Math.min(group.count * meanRate(planned[place]?.["source"] as Tables) * 8 * group.packetSize, narrowest);
  }
  const share = offered / scenario.rate;
  if (share > 1) yield `UDP sources alone offer ${percent(share)} of the measured link's rate: the excess is lost at its queue.`;
}

/** Mean packets per second of a source; the clipping of noise is left out, which adds at most 8 %. */
function meanRate(source: Tables): number {
  const rate = (source["rate"] as number | undefined) ?? 0;
  if (source["kind"] !== "onoff") return rate;
  const [on, off] = [source["on"], source["off"]].map((period) => (period as Tables)["mean"] as number) as [number, number];
  return (rate * on) / (on + off);
}
