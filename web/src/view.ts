// What a drawing shows of a run: every series reduced to two values per pixel column, its least and its greatest one, in
// the order in which they occur. Such a line looks like the line through all values.

import type { Answer, Column, Table } from "./engine";
import { type Course, goodput, groupOf } from "./goodput";
import { type Timeout, timeoutsOf } from "./timeouts";

/** What the page needs to know of a plan to show its runs. */
export interface Shown {
  readonly duration: number;
  readonly from: number;
  readonly bin: number;
  /** Width of the bins of the record of arrivals. */
  readonly fine: number;
  readonly rate: number;
  /** Flows of each group, their packet size, whether they are TCP, and the link of a dumbbell that their data crosses. */
  readonly groups: readonly { readonly first: number; readonly flows: number; readonly packetSize: number; readonly tcp: boolean; readonly handshake: boolean; readonly crosses?: "forward" | "reverse" }[];
  /** The rates of a dumbbell's two links. */
  readonly courses: Readonly<Record<"forward" | "reverse", Course>>;
  /** Whether all packets of the measured link wait in one queue, and leave in order. */
  readonly isFifo: boolean;
  /** The flows whose windows are drawn. */
  readonly flows: readonly number[];
}

export interface Span {
  readonly from: number;
  readonly until: number;
  readonly columns: number;
}

export interface Phase {
  readonly flow: number;
  readonly from: number;
  readonly until: number;
  readonly phase: string;
}

export interface View {
  readonly from: number;
  readonly until: number;
  /** Two times for each column. */
  readonly x: Float64Array;
  readonly flows: readonly number[];
  readonly cwnd: readonly Float64Array[];
  readonly ssthresh: readonly Float64Array[];
  readonly srtt: readonly Float64Array[];
  readonly queue: Float64Array;
  /** How long a packet would wait that arrives now, in seconds; NaN if that depends on its flow. */
  readonly wait: Float64Array;
  readonly gauges: readonly { readonly name: string; readonly values: Float64Array }[];
  /** Times of drops and marks, at most one for each column and group. */
  readonly drops: readonly Float64Array[];
  readonly marks: readonly Float64Array[];
  readonly phases: readonly Phase[];
  readonly timeouts: readonly Timeout[];
  /** Goodput in bit/s in bins; of each flow if there are few, otherwise of each group. */
  readonly goodput: { readonly x: Float64Array; readonly bands: readonly { readonly group: number; readonly values: Float64Array }[] };
  readonly arrivals: { readonly x: Float64Array; readonly values: Float64Array };
  readonly ladder: { readonly scale: Float64Array; readonly cov: Float64Array; readonly poisson: Float64Array };
}

export function viewOf(answer: Answer, shown: Shown, { from, until, columns }: Span): View {
  const { tables } = answer;
  const grid = new Grid(from, until, columns);
  const windows = sampled(tables["windows"], shown.flows, ["cwnd", "ssthresh", "srtt"], grid);
  const [cwnd = [], ssthresh = [], srtt = []] = windows;
  const queue = tables["queue"];
  const spans = phases(tables["phases"], from, until, shown.duration);
  return {
    from, until,
    x: grid.x,
    flows: shown.flows,
    cwnd, ssthresh, srtt,
    queue: queue === undefined ? grid.empty() : grid.held(numbers(queue, "time"), numbers(queue, "packets")),
    wait: queue === undefined || !shown.isFifo ? grid.empty() : grid.held(numbers(queue, "time"), waits(queue, shown.courses.forward)),
    gauges: gauges(tables["gauges"], grid),
    drops: signals(tables["drops"], shown, grid),
    marks: signals(tables["marks"], shown, grid),
    phases: spans,
    timeouts: timeoutsOf(spans, from, tables["drops"], tables["windows"]),
    goodput: goodput(tables["acks"], shown, from, until),
    arrivals: arrivals(tables["arrivals"], shown, from, until, columns),
    ladder: ladder(tables["arrivals"], shown),
  };
}

function numbers(table: Table, name: string): Column {
  return table.columns[name] ?? new Float64Array(table.rows);
}

/** Pixel columns of a span of time. */
class Grid {
  readonly x: Float64Array;
  private readonly width: number;

  constructor(
    readonly from: number,
    readonly until: number,
    readonly columns: number,
  ) {
    this.width = (until - from) / columns;
    this.x = Float64Array.from({ length: 2 * columns }, (_, place) => from + (this.width * (2 * place + 1)) / 4);
  }

  empty(): Float64Array {
    return new Float64Array(2 * this.columns).fill(NaN);
  }

  /** The column of a time; -1 before the span. */
  at(time: number): number {
    return time < this.from ? -1 : Math.min(this.columns, Math.floor((time - this.from) / this.width));
  }

  /** A series whose values hold until the next one. */
  held(times: Column, values: Column): Float64Array {
    const series = new Held(this.columns);
    for (let row = 0; row < times.length; row += 1) {
      const column = this.at(times[row] ?? 0);
      if (column >= this.columns) break;
      series.add(column, values[row] ?? NaN);
    }
    return series.done();
  }
}

/** Reduces a series whose values hold until the next one. */
class Held {
  readonly out: Float64Array;
  private column = -1;
  private last = NaN;
  private least = NaN;
  private most = NaN;
  private leastFirst = true;

  constructor(private readonly columns: number) {
    this.out = new Float64Array(2 * columns).fill(NaN);
  }

  add(column: number, value: number): void {
    if (column > this.column) {
      this.close(column);
      // the value that held at the beginning of the column also belongs to it
      this.least = this.most = Number.isNaN(this.last) ? value : this.last;
    }
    if (!(value >= this.least)) {
      this.least = value;
      this.leastFirst = false;
    }
    if (!(value <= this.most)) {
      this.most = value;
      this.leastFirst = true;
    }
    this.last = value;
  }

  private close(next: number): void {
    const { out } = this;
    if (this.column >= 0) {
      out[2 * this.column] = this.leastFirst ? this.least : this.most;
      out[2 * this.column + 1] = this.leastFirst ? this.most : this.least;
    }
    out.fill(this.last, 2 * Math.max(0, this.column + 1), 2 * Math.max(0, next));
    this.column = next;
    this.leastFirst = true;
  }

  done(): Float64Array {
    this.close(this.columns);
    return this.out;
  }
}

/** Series of the chosen flows, for each of the named columns. */
function sampled(table: Table | undefined, flows: readonly number[], names: readonly string[], grid: Grid): Float64Array[][] {
  if (table === undefined) return names.map(() => flows.map(() => grid.empty()));
  const places = new Int32Array(Math.max(0, ...flows) + 1).fill(-1);
  for (const [place, flow] of flows.entries()) places[flow] = place;
  const [times, of] = [numbers(table, "time"), numbers(table, "flow")];
  const values = names.map((name) => numbers(table, name));
  const series = names.map(() => flows.map(() => new Held(grid.columns)));
  for (let row = 0; row < table.rows; row += 1) {
    const column = grid.at(times[row] ?? 0);
    if (column >= grid.columns) break;
    const place = places[of[row] ?? 0] ?? -1;
    if (place < 0) continue;
    for (let name = 0; name < values.length; name += 1) series[name]?.[place]?.add(column, values[name]?.[row] ?? NaN);
  }
  return series.map((each) => each.map((held) => held.done()));
}

/** The time that a link needs for its queue, at its rate then. */
function waits(queue: Table, { times, rates }: Course): Float64Array {
  const [at, bytes] = [numbers(queue, "time"), numbers(queue, "bytes")];
  let piece = 0;
  return Float64Array.from(bytes, (waiting, row) => {
    while (piece + 1 < times.length && (times[piece + 1] ?? 0) <= (at[row] ?? 0)) piece += 1;
    const rate = rates[piece] ?? 0;
    return rate > 0 ? (waiting * 8) / rate : NaN;
  });
}

function gauges(table: Table | undefined, grid: Grid): { name: string; values: Float64Array }[] {
  if (table === undefined || table.rows === 0) return [];
  const [times, codes, values] = [numbers(table, "time"), numbers(table, "gauge"), numbers(table, "value")];
  const series = new Map<number, Held>();
  for (let row = 0; row < table.rows; row += 1) {
    const column = grid.at(times[row] ?? 0);
    if (column >= grid.columns) break;
    const code = codes[row] ?? 0;
    let held = series.get(code);
    if (held === undefined) series.set(code, (held = new Held(grid.columns)));
    held.add(column, values[row] ?? NaN);
  }
  return [...series].map(([code, held]) => ({ name: table.words["gauge"]?.[code] ?? String(code), values: held.done() }));
}

/** The times of drops or marks, by group. */
function signals(table: Table | undefined, shown: Shown, grid: Grid): Float64Array[] {
  const found = shown.groups.map(() => [] as number[]);
  const last = shown.groups.map(() => -1);
  if (table !== undefined) {
    const [times, flows] = [numbers(table, "time"), numbers(table, "flow")];
    for (let row = 0; row < table.rows; row += 1) {
      const column = grid.at(times[row] ?? 0);
      if (column < 0) continue;
      if (column >= grid.columns) break;
      const group = groupOf(shown, flows[row] ?? 0);
      if (last[group] !== column) found[group]?.push(times[row] ?? 0);
      last[group] = column;
    }
  }
  return found.map((times) => Float64Array.from(times));
}

function phases(table: Table | undefined, from: number, until: number, duration: number): Phase[] {
  if (table === undefined) return [];
  const [times, flows, codes] = [numbers(table, "time"), numbers(table, "flow"), numbers(table, "phase")];
  const words = table.words["phase"] ?? [];
  const open = new Map<number, number>();
  const found: Phase[] = [];
  const close = (flow: number, row: number, end: number): void => {
    const start = times[row] ?? 0;
    if (end > from && start < until) found.push({ flow, from: Math.max(start, from), until: Math.min(end, until), phase: words[codes[row] ?? 0] ?? "" });
  };
  for (let row = 0; row < table.rows; row += 1) {
    const flow = flows[row] ?? 0;
    const before = open.get(flow);
    if (before !== undefined) close(flow, before, times[row] ?? 0);
    open.set(flow, row);
  }
  for (const [flow, row] of open) close(flow, row, duration);
  return found;
}

/** Packets per bin of `measure.bin`; where columns are narrower than bins or few packets arrive, per larger bin. */
function arrivals(table: Table | undefined, shown: Shown, from: number, until: number, columns: number): View["arrivals"] {
  const packets = table === undefined ? new Float64Array() : numbers(table, "packets");
  const per = Math.max(1, Math.round(shown.bin / shown.fine));
  const bins = binned(packets, Math.floor(from / shown.fine), Math.ceil(until / shown.fine), per);
  const first = Math.floor(Math.floor(from / shown.fine) / per);
  const x = Float64Array.from(bins, (_, place) => (first + place + 0.5) * per * shown.fine);
  if (bins.length <= 2 * columns) return { x, values: bins };
  const grid = new Grid(from, until, columns);
  return { x: grid.x, values: grid.held(x, bins) };
}

/** Sums of `per` values; the first sum contains the value `from`, the last one the value before `until`. */
function binned(values: Column, from: number, until: number, per: number): Float64Array {
  const [first, end] = [Math.floor(from / per), Math.min(Math.ceil(until / per), Math.floor(values.length / per))];
  const sums = new Float64Array(Math.max(0, end - first));
  for (let bin = 0; bin < sums.length; bin += 1) {
    let sum = 0;
    for (let place = (first + bin) * per; place < (first + bin + 1) * per; place += 1) sum += values[place] ?? 0;
    sums[bin] = sum;
  }
  return sums;
}

const LEAST_BINS = 16;

/** The coefficient of variation of arrivals at time scales from the finest bins on, and of Poisson arrivals. */
function ladder(table: Table | undefined, shown: Shown): View["ladder"] {
  const all = table === undefined ? new Float64Array() : numbers(table, "packets");
  const measured = all.subarray(Math.ceil(shown.from / shown.fine));
  const [scale, cov, poisson]: [number[], number[], number[]] = [[], [], []];
  for (let per = 1; measured.length / per >= LEAST_BINS; per *= 2) {
    const bins = binned(measured, 0, measured.length, per);
    const mean = bins.reduce((sum, value) => sum + value, 0) / bins.length;
    if (mean === 0) continue;
    const variance = bins.reduce((sum, value) => sum + (value - mean) ** 2, 0) / bins.length;
    scale.push(per * shown.fine);
    cov.push(Math.sqrt(variance) / mean);
    poisson.push(1 / Math.sqrt(mean));
  }
  return { scale: Float64Array.from(scale), cov: Float64Array.from(cov), poisson: Float64Array.from(poisson) };
}
