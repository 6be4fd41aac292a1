// The time axis of a picture: long silences are shortened.

import type { Pause } from "./conform";

/** Times of a picture whose pauses are shortened. */
export class Clock {
  constructor(private readonly pauses: readonly Pause[]) {}

  shown(time: number): number {
    let place = time;
    for (const { from, until, shown: length } of this.pauses) {
      if (time <= from) break;
      place -= (Math.min(time, until) - from) * (1 - length / (until - from));
    }
    return place;
  }

  time(place: number): number {
    let time = place;
    for (const { from, until, shown: length } of this.pauses) {
      if (time <= from) break;
      time += Math.min((time - from) / length, 1) * (until - from - length);
    }
    return time;
  }

  /** Multiples of a step outside of pauses. */
  ticks(low: number, high: number, step: number): number[] {
    const ends = [low, ...this.pauses.flatMap(({ from, until }) => [from, until]), high];
    const found = [];
    for (let place = 0; place < ends.length; place += 2) {
      const [from, until] = [Math.max(low, ends[place] ?? 0), Math.min(high, ends[place + 1] ?? 0)];
      for (let number = Math.ceil(from / step - 1e-9); number * step <= until + 1e-9 * step; number += 1) found.push(number * step);
    }
    return found;
  }
}

/** The least round number that is not below. */
export function nice(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * (1 - 1e-9)) ?? 10 * power;
}

/** The multiples of powers of ten from `low` to `high`. */
export function splitsOf(low: number, high: number): number[] {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (let digit = 1; digit < 10; digit += 1) {
      const value = Number(`${digit}e${power}`);
      if (value >= low && value <= high) found.push(value);
    }
  }
  return found;
}
