// The greatest values of runs, so that two runs side by side have the same axes.

import type { Drawn } from "./panel";
import type { View } from "./view";

export interface Tops extends Record<"cwnd" | "queue" | "goodput" | "rtt" | "arrivals" | "cov" | "leastCov", number> {
  /** The finest and the widest bins of the burstiness by time scale. */
  readonly scale: readonly [number, number];
  /** The greatest value of each state of the queue disciplines. */
  readonly gauges: Readonly<Record<string, number>>;
}

export function topsOf(drawn: readonly Drawn[]): Tops {
  const greatest = (of: (drawn: Drawn) => number): number => Math.max(1e-9, ...drawn.map(of));
  const least = (of: (drawn: Drawn) => number): number => {
    const found = Math.min(...drawn.map(of));
    return Number.isFinite(found) ? found : 0.01;
  };
  const gauges = drawn.flatMap(({ view }) => view.gauges);
  return {
    cwnd: greatest(({ view }) => maxima(view.cwnd)),
    queue: greatest(({ view }) => maximum(view.queue)),
    goodput: greatest(({ view, scenario }) => Math.max((scenario.rate / 1e6) * 1.1, stackTop(view))),
    rtt: greatest(({ view, scenario }) => Math.max(maxima(view.srtt), longest(scenario) + maximum(view.wait), ...scenario.groups.map(({ rtt }) => rtt / 1e12))),
    arrivals: greatest(({ view }) => maximum(view.arrivals.values)),
    scale: [least(({ view }) => view.ladder.scale[0] ?? 0.01), greatest(({ view }) => view.ladder.scale.at(-1) ?? 1)],
    gauges: Object.fromEntries(gauges.map(({ name }) => [name, maxima(gauges.filter((each) => each.name === name).map(({ values }) => values))])),
    leastCov: least(({ view: { ladder } }) => Math.min(...[...ladder.cov, ...ladder.poisson].filter((value) => value > 0))),
    cov: greatest(({ view }) => Math.max(maximum(view.ladder.cov), maximum(view.ladder.poisson))),
  };
}

function stackTop({ goodput }: View): number {
  const sum = new Float64Array(goodput.x.length);
  for (const { values } of goodput.bands) values.forEach((value, bin) => (sum[bin] = (sum[bin] ?? 0) + value / 1e6));
  return maximum(sum);
}

export function maximum(values: ArrayLike<number>): number {
  let most = 0;
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place] ?? 0;
    if (value > most) most = value;
  }
  return most;
}

export const maxima = (series: readonly ArrayLike<number>[]): number => Math.max(0, ...series.map(maximum));

/** The round-trip time of the group that has the longest one without queues, in seconds. */
export const longest = ({ groups }: Drawn["scenario"]): number => Math.max(...groups.map(({ rtt }) => rtt / 1e12));
