// Why a sender had to wait for its retransmission timer.

import type { Column, Table } from "./engine";
import type { Phase } from "./view";

export interface Timeout {
  readonly flow: number;
  readonly at: number;
  readonly why: string;
}

/** Timeouts that are explained: more would cover the plot. */
const MOST = 12;
/** A fast retransmit needs this many duplicate ACKs. */
const DUPLICATES = 3;

/** Explains the timeouts among the phases of a span that begins at a time, by what was lost before and by the window. */
export function timeoutsOf(phases: readonly Phase[], begin: number, drops: Table | undefined, windows: Table | undefined): Timeout[] {
  const found = phases.filter(({ phase, from }) => phase === "timeout" && from > begin).sort((a, b) => a.from - b.from).slice(0, MOST);
  return found.map(({ flow, from }) => {
    const before = phases.findLast((other) => other.flow === flow && other.until === from);
    const state = windows === undefined ? undefined : lastBefore(windows, flow, from);
    const lost = drops === undefined ? [] : lostBefore(drops, flow, Math.min(before?.from ?? 0, from) - 2 * (state?.srtt ?? 0), from);
    return { flow, at: from, why: reason(before?.phase === "recovery", lost, state) };
  });
}

interface State {
  readonly cwnd: number;
  readonly srtt: number;
  readonly rto: number;
}

function reason(inRecovery: boolean, lost: readonly number[], state: State | undefined): string {
  const timer = state === undefined || !(state.rto > 0) ? "" : ` of ${seconds(state.rto)}`;
  const again = lost.length - new Set(lost).size;
  const packets = (count: number): string => `${count} packet${count === 1 ? "" : "s"}`;
  if (again > 0) return `a retransmission was lost too, and only the timer${timer} notices that`;
  if (inRecovery) return `the timer${timer} ended while the sender still repaired a burst of ${packets(lost.length)} lost`;
  if (lost.length === 0) return `no ACK came back before the timer${timer} ended`;
  if (state !== undefined && state.cwnd <= DUPLICATES + 1) return `the window of ${packets(Math.floor(state.cwnd))} is too small for ${DUPLICATES} duplicate ACKs, so that nothing but the timer${timer} shows the loss`;
  return `${packets(lost.length)} lost, and fewer than ${DUPLICATES} duplicate ACKs came back before the timer${timer} ended`;
}

const seconds = (time: number): string => (time < 1 ? `${Math.round(1e3 * time)} ms` : `${Number(time.toPrecision(3))} s`);
const column = (table: Table, name: string): Column => table.columns[name] ?? new Float64Array(table.rows);

/** The segments of a flow that were dropped in a span of time, each as often as it was dropped. */
function lostBefore(drops: Table, flow: number, from: number, until: number): number[] {
  const [times, flows, segments] = [column(drops, "time"), column(drops, "flow"), column(drops, "segment")];
  const found: number[] = [];
  for (let row = 0; row < drops.rows && (times[row] ?? 0) < until; row += 1) {
    if (flows[row] === flow && (times[row] ?? 0) >= from) found.push(segments[row] ?? 0);
  }
  return found;
}

/** The state of a sender before a time. */
function lastBefore(windows: Table, flow: number, until: number): State | undefined {
  const [times, flows, cwnd, srtt, rto] = ["time", "flow", "cwnd", "srtt", "rto"].map((name) => column(windows, name)) as [Column, Column, Column, Column, Column];
  let [low, high] = [0, windows.rows];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < until) low = middle + 1;
    else high = middle;
  }
  for (let row = low - 1; row >= 0; row -= 1) {
    if (flows[row] === flow) return { cwnd: cwnd[row] ?? NaN, srtt: srtt[row] ?? NaN, rto: rto[row] ?? NaN };
  }
  return undefined;
}
