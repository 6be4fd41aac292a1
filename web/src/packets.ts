// Single packets: what the record `packets` says of each packet's way over the links.

import type { Answer, Column } from "./engine";

/** A packet on one link. Times are in seconds; NaN if the event is outside of the recorded time or did not happen. */
export interface Crossing {
  readonly link: number;
  readonly flow: number;
  readonly kind: "syn" | "data" | "ack";
  readonly segment: number;
  readonly retransmission: boolean;
  enqueued: number;
  sent: number;
  received: number;
  /** Time at which the packet was dropped or lost. */
  lost: number;
  marked: boolean;
}

export interface Moment {
  readonly crossings: readonly Crossing[];
  /** ACKs at the senders: time, flow and number. */
  readonly acks: readonly { readonly time: number; readonly flow: number; readonly ack: number }[];
  /** Windows of the senders after each change. */
  readonly windows: readonly { readonly time: number; readonly flow: number; readonly cwnd: number }[];
}

const MOST_EVENTS = 200_000;

export function momentsOf({ tables }: Answer): Moment {
  const { packets, acks, windows } = tables;
  if (packets === undefined) throw new Error("the run has no record of packets");
  if (packets.rows > MOST_EVENTS) {
    throw new Error(`zoom: ${packets.rows.toLocaleString("en")} packet events are too many to draw; choose a shorter time`);
  }
  const column = (name: string): Column => packets.columns[name] ?? new Float64Array(packets.rows);
  const [times, links, flows, events, kinds, segments, again, marked] = [
    "time", "link", "flow", "event", "kind", "segment", "retransmission", "marked",
  ].map(column) as [Column, Column, Column, Column, Column, Column, Column, Column];
  const [eventWords, kindWords] = [packets.words["event"] ?? [], packets.words["kind"] ?? []];
  const crossings: Crossing[] = [];
  const open = new Map<string, Crossing[]>();
  for (let row = 0; row < packets.rows; row += 1) {
    const [time, link, flow, segment] = [times[row] ?? 0, links[row] ?? 0, flows[row] ?? 0, segments[row] ?? 0];
    const kind = (kindWords[kinds[row] ?? 0] ?? "data") as Crossing["kind"];
    const event = eventWords[events[row] ?? 0] ?? "";
    // of packets of the same number on the same link, the first one is ahead
    const name = `${link} ${flow} ${kind} ${segment}`;
    const ahead = open.get(name) ?? [];
    let crossing = event === "enqueue" ? undefined : ahead[0];
    if (crossing === undefined) {
      crossing = { link, flow, kind, segment, retransmission: again[row] === 1, enqueued: NaN, sent: NaN, received: NaN, lost: NaN, marked: false };
      crossings.push(crossing);
      ahead.push(crossing);
      open.set(name, ahead);
    }
    crossing.marked ||= marked[row] === 1;
    switch (event) {
      case "enqueue":
        crossing.enqueued = time;
        break;
      case "dequeue":
        crossing.sent = time;
        break;
      case "receive":
        crossing.received = time;
        ahead.shift();
        break;
      default:
        crossing.lost = time;
        ahead.shift();
    }
  }
  return {
    crossings,
    acks: Array.from({ length: acks?.rows ?? 0 }, (_, row) => ({
      time: acks?.columns["time"]?.[row] ?? 0, flow: acks?.columns["flow"]?.[row] ?? 0, ack: acks?.columns["ack"]?.[row] ?? 0,
    })),
    windows: Array.from({ length: windows?.rows ?? 0 }, (_, row) => ({
      time: windows?.columns["time"]?.[row] ?? 0, flow: windows?.columns["flow"]?.[row] ?? 0, cwnd: windows?.columns["cwnd"]?.[row] ?? 0,
    })),
  };
}
