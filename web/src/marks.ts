// Lines over a plot of uPlot, such as those at the changes of a run.

import type uPlot from "uplot";

import type { Moment } from "./changes";
import { colour } from "./dom";

/** The changes of a run, each with its words where there is room; words near others go below them. */
export function moments(plot: uPlot, all: readonly Moment[]): void {
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

export function vertical(plot: uPlot, x: number, stroke: string, label: string, row = 0, isLeft = false): void {
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

export function stroked(plot: uPlot, stroke: string, dash: readonly number[], path: (context: CanvasRenderingContext2D) => void): void {
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
