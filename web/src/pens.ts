// How groups differ besides their colours: by dashes of lines and by markers, for readers who see few colours and for
// print in grey.

import type uPlot from "uplot";

/** What marks are drawn on: a plot of uPlot, or a plot in a picture file. */
export type Surface = Pick<uPlot, "ctx" | "bbox" | "valToPos">;

const DASHES: readonly (readonly number[])[] = [[], [8, 3], [2, 2], [9, 3, 2, 3], [5, 5], [12, 3], [1, 3], [6, 2, 1, 2, 1, 2]];
const MARKERS = ["●", "■", "▲", "◆", "▼", "★", "✚", "○"] as const;
/** Markers on a line. */
const MARKS = 7;

export const dashOf = (group: number): readonly number[] => DASHES[group % DASHES.length] ?? [];
export const markerOf = (group: number): string => MARKERS[group % MARKERS.length] ?? "";

/** Draws some markers on a line; those of different groups are at different times. */
export function onLine(surface: Surface, x: ArrayLike<number>, values: ArrayLike<number>, group: number, fill: string): void {
  for (let mark = 0; mark < MARKS; mark += 1) {
    const place = Math.floor(((mark + 0.3 + 0.13 * (group % 5)) / MARKS) * values.length);
    marker(surface, x[place] ?? NaN, values[place] ?? NaN, group, fill);
  }
}

/** Draws markers in a band between two lines, where it has room for them. */
export function inBand(surface: Surface, x: ArrayLike<number>, low: ArrayLike<number>, high: ArrayLike<number>, group: number, fill: string): void {
  for (let mark = 0; mark < MARKS; mark += 1) {
    const place = Math.floor(((mark + 0.5) / MARKS) * high.length);
    const [from, until] = [low[place] ?? 0, high[place] ?? 0];
    const room = surface.valToPos(from, "y", true) - surface.valToPos(until, "y", true);
    if (room > 13 * devicePixelRatio) marker(surface, x[place] ?? NaN, (from + until) / 2, group, fill);
  }
}

function marker({ ctx, bbox, valToPos }: Surface, x: number, y: number, group: number, fill: string): void {
  const [left, top] = [valToPos(x, "x", true), valToPos(y, "y", true)];
  if (!Number.isFinite(left) || !Number.isFinite(top) || left < bbox.left || left > bbox.left + bbox.width || top < bbox.top) return;
  ctx.save();
  ctx.fillStyle = fill;
  ctx.font = `${10 * devicePixelRatio}px "DejaVu Sans", system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.fillText(markerOf(group), left, top + 3.6 * devicePixelRatio);
  ctx.restore();
}
