// Lines over a plot, such as those at the changes of a run.

import type { Moment } from "./changes";
import { colour } from "./dom";
import type { Surface } from "./pens";
import type { Phase } from "./view";

/** The changes of a run, each with its words where there is room; words near others go below them. */
export function moments(plot: Surface, all: readonly Moment[]): void {
  const { left, width, height } = plot.bbox;
  const [stroke, line] = [colour("soft"), 11 * devicePixelRatio];
  const rows = Math.max(1, Math.floor(height / line / 3));
  const ends = Array.from({ length: rows }, () => -Infinity);
  for (const { at, text } of all) {
    const x = plot.valToPos(at, "x", true);
    if (x < left || x > left + width) continue;
    const row = ends.findIndex((end) => end < x);
    const room = plot.ctx.measureText(text).width + 12 * devicePixelRatio;
    vertical(plot, x, stroke, row < 0 ? "" : text, Math.max(0, row), x + room > left + width);
    if (row >= 0) ends[row] = x + room;
  }
}

export function vertical(plot: Surface, x: number, stroke: string, label: string, row = 0, isLeft = false): void {
  const { top, height } = plot.bbox;
  stroked(plot, stroke, [2, 3], (context) => {
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.fillStyle = stroke;
    context.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    context.textAlign = isLeft ? "right" : "left";
    context.fillText(label, x + (isLeft ? -4 : 4) * devicePixelRatio, top + (12 + 11 * row) * devicePixelRatio);
  });
}

export function stroked(plot: Surface, stroke: string, dash: readonly number[], path: (context: CanvasRenderingContext2D) => void): void {
  const { ctx } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((each) => each * devicePixelRatio));
  path(ctx);
  ctx.stroke();
  ctx.restore();
}

/** Phases in which a sender spends most of its time, which are not coloured. */
export const isUsual = (phase: string): boolean => ["congestion_avoidance", "probe_bw:cruise"].includes(phase);

/** The parts of phases' names that have a colour of their own, and the colours. */
const PHASES = { slow_start: "slow", startup: "startup", timeout: "timeout", recovery: "recovery", drain: "drain", rtt: "rtt", refill: "probe", up: "up" } as const;

/** The colour of a sender's phase. */
export const phaseColour = (phase: string): string => Object.entries(PHASES).find(([part]) => phase.includes(part))?.[1] ?? "other";

/** A dashed line at a value. */
export function level(plot: Surface, value: number, stroke: string): void {
  const y = plot.valToPos(value, "y", true);
  const { left, width, top } = plot.bbox;
  if (y < top) return;
  stroked(plot, stroke, [4, 4], (context) => {
    context.moveTo(left, y);
    context.lineTo(left + width, y);
  });
}

/** Short lines at the top of a plot. */
export function ticks(plot: Surface, groups: readonly Float64Array[], stroke: string, row: number): void {
  const top = plot.bbox.top + row * 9 * devicePixelRatio;
  stroked(plot, stroke, [], (context) => {
    for (const times of groups) {
      for (const time of times) {
        const x = Math.round(plot.valToPos(time, "x", true)) + 0.5;
        context.moveTo(x, top);
        context.lineTo(x, top + 7 * devicePixelRatio);
      }
    }
  });
}

/** Bars at the top of a plot, a row for each flow, that show the phases of its sender. */
export function strip(plot: Surface, phases: readonly Phase[], flows: readonly number[]): void {
  const { ctx, bbox } = plot;
  const height = 5 * devicePixelRatio;
  const fills = new Map<string, string>();
  ctx.save();
  for (const { flow, from, until, phase } of phases) {
    const row = flows.indexOf(flow);
    if (row < 0 || isUsual(phase)) continue;
    const [left, right] = [plot.valToPos(from, "x", true), plot.valToPos(until, "x", true)];
    let fill = fills.get(phase);
    if (fill === undefined) fills.set(phase, (fill = colour(phaseColour(phase))));
    ctx.fillStyle = fill;
    ctx.fillRect(left, bbox.top + row * (height + devicePixelRatio), Math.max(devicePixelRatio, right - left), height);
  }
  ctx.restore();
}
