// The records that a drawing of a run needs.

import type { Json, Tables } from "./catalogue";
import type { Course } from "./goodput";
import type { Described } from "./plan";
import type { Shown } from "./view";

/** Samples of the queue in a run. */
const SAMPLES = 4000;
/** Maximum number of flows whose windows are drawn. */
const MOST_FLOWS = 48;
/** Packets of a run above which windows are sampled instead of recorded at each change. */
const MOST_PACKETS = 1_000_000;
/** The finest bins of arrivals are measure.bin divided by a power of two, and no more than these. */
const FINEST = 1e9;
const MOST_BINS = 1 << 17;
/** Disciplines with one queue, whose packets leave in the order of their arrival. */
const IN_ORDER = ["droptail", "red", "codel", "cobalt", "pie"];

export interface Request {
  readonly plan: string;
  readonly shown: Shown;
}

export function requestOf(scenario: Described, plan: Tables = scenario.plan): Request {
  let first = 0;
  const topology = scenario.plan["topology"] as Tables;
  const isDumbbell = topology["kind"] === "dumbbell";
  const planned = plan["groups"] as Tables[];
  const groups = scenario.groups.map(({ count, packetSize, kind, direction }, place) => {
    const sender = (planned[place]?.["transport"] as Tables | undefined)?.["sender"] as Tables | undefined;
    const group = { first, flows: count, packetSize, tcp: kind === "tcp", handshake: sender?.["handshake"] === true, ...(isDumbbell ? { crosses: direction } : {}) };
    first += count;
    return group;
  });
  const flows = chosen(groups);
  const fine = finest(scenario.bin, scenario.duration);
  const size = Math.max(40, ...groups.map(({ packetSize }) => packetSize));
  const packets = ((scenario.duration / 1e12) * scenario.rate) / 8 / size;
  const every = Math.max(1, Math.round(scenario.duration / SAMPLES));
  const all = Array.from({ length: Math.min(first, 100_000) }, (_, flow) => flow);
  const records: Tables[] = [
    { kind: "windows", flows: [...flows], every: packets > MOST_PACKETS ? every : null },
    { kind: "acks", flows: all },
    { kind: "phases", flows: firsts(groups) },
    { kind: "queue", links: [scenario.link], every },
    { kind: "gauges", links: [scenario.link], every },
    { kind: "arrivals", links: [scenario.link], bin: fine },
    { kind: "drops", links: [scenario.link] },
    ...(usesEcn(plan) ? [{ kind: "marks", links: [scenario.link] }] : []),
  ];
  const shown = {
    duration: scenario.duration / 1e12,
    from: scenario.from / 1e12,
    bin: scenario.bin / 1e12,
    fine: fine / 1e12,
    rate: scenario.rate,
    groups, flows,
    courses: { forward: courseOf(topology["bottleneck"], scenario.rate), reverse: courseOf(topology["reverse"], scenario.rate) },
    isFifo: isDumbbell && IN_ORDER.includes(scenario.queue),
  };
  return { plan: JSON.stringify({ ...plan, records }), shown };
}

/** The rate of a planned link over time, in seconds. */
function courseOf(link: Json | undefined, usual: number): Course {
  const rate = (link as Tables | undefined)?.["rate"] ?? usual;
  if (typeof rate === "number") return { times: [0], rates: [rate] };
  const { times, rates, period } = rate as unknown as { times: number[]; rates: number[]; period: number | null };
  // a trace that repeats is not unrolled: its highest rate bounds it
  return period == null ? { times: times.map((time) => time / 1e12), rates } : { times: [0], rates: [Math.max(...rates)] };
}

/** Whether any sender uses ECN, so that queues can mark packets. */
const usesEcn = (plan: Tables): boolean =>
  (plan["groups"] as Tables[]).some(({ transport }) => (((transport as Tables)["sender"] as Tables | undefined)?.["ecn"] ?? "off") !== "off");

/** The first TCP flow of each group, whose phases are drawn. */
const firsts = (groups: Shown["groups"]): number[] => groups.filter(({ tcp }) => tcp).map(({ first }) => first);

/** TCP flows, evenly from all groups. */
function chosen(groups: Shown["groups"]): number[] {
  const tcp = groups.filter((group) => group.tcp);
  const each = Math.max(1, Math.floor(MOST_FLOWS / Math.max(1, tcp.length)));
  return tcp.flatMap(({ first, flows }) => Array.from({ length: Math.min(flows, each) }, (_, place) => first + place));
}

function finest(bin: number, duration: number): number {
  let fine = bin;
  while (fine % 2 === 0 && fine / 2 >= FINEST && (2 * duration) / fine <= MOST_BINS) fine /= 2;
  return fine;
}
