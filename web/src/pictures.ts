// Picture files: all plots below each other, runs side by side, as pixels (PNG) or as lines and texts (SVG).

import { colour } from "./dom";
import { markerOf } from "./pens";
import type { Plot } from "./plot";
import { SvgContext } from "./svg";

/** What a picture file needs of a plot. */
export type Figure = Pick<Plot, "canvas" | "name" | "keys" | "height" | "picture">;

const TITLE = 20;
const MARGIN = 12;
/** Width of a run in an SVG file. */
const WIDTH = 760;

/** A context that draws titles: of a canvas, or of an SVG file. */
type Context = Pick<CanvasRenderingContext2D, "fillStyle" | "font" | "textAlign" | "fillText" | "fillRect" | "measureText">;

export async function pngOf(runs: readonly (readonly Figure[])[]): Promise<Blob> {
  const ratio = devicePixelRatio;
  const columns = runs.map((plots) => plots.flatMap((plot) => (plot.canvas === undefined ? [] : [{ plot, canvas: plot.canvas }])));
  const widths = columns.map((column) => Math.max(0, ...column.map(({ canvas }) => canvas.width)));
  const heights = columns.map((column) => column.reduce((sum, { canvas }) => sum + canvas.height + TITLE * ratio, 0));
  const figure = document.createElement("canvas");
  figure.width = widths.reduce((sum, width) => sum + width + MARGIN * ratio, MARGIN * ratio);
  figure.height = Math.max(...heights) + 2 * MARGIN * ratio;
  const context = figure.getContext("2d");
  if (context === null) throw new Error("figure: the browser cannot draw it");
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, figure.width, figure.height);
  let left = MARGIN * ratio;
  for (const [place, column] of columns.entries()) {
    let top = MARGIN * ratio;
    for (const { plot, canvas } of column) {
      titled(context, plot, left, top, ratio);
      context.drawImage(canvas, left, top + TITLE * ratio);
      top += canvas.height + TITLE * ratio;
    }
    left += (widths[place] ?? 0) + MARGIN * ratio;
  }
  return new Promise((resolve, reject) => figure.toBlob((blob) => (blob === null ? reject(new Error("figure: the browser cannot write it")) : resolve(blob)), "image/png"));
}

export function svgOf(runs: readonly (readonly Figure[])[]): string {
  const heights = runs.map((plots) => plots.reduce((sum, { height }) => sum + height + TITLE, 0));
  const context = new SvgContext(runs.length * (WIDTH + MARGIN) + MARGIN, Math.max(...heights) + 2 * MARGIN);
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, context.width, context.height);
  for (const [place, plots] of runs.entries()) {
    const left = MARGIN + place * (WIDTH + MARGIN);
    let top = MARGIN;
    for (const plot of plots) {
      titled(context.canvas2d, plot, left, top, 1);
      plot.picture({ context, left, top: top + TITLE, width: WIDTH, height: plot.height });
      top += plot.height + TITLE;
    }
  }
  return context.done("Ackclock lab");
}

/** Writes the title of a plot and what its lines are. */
function titled(context: Context, { name, keys }: Figure, left: number, top: number, ratio: number): void {
  const ink = colour("ink");
  const base = top + 13 * ratio;
  context.textAlign = "left";
  context.fillStyle = ink;
  context.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  context.fillText(name, left, base);
  let at = left + context.measureText(name).width + 14 * ratio;
  context.font = `${11 * ratio}px system-ui, sans-serif`;
  for (const { label, stroke, group } of keys) {
    context.fillStyle = stroke;
    if (group === undefined) context.fillRect(at, top + 7 * ratio, 12 * ratio, 3 * ratio);
    else context.fillText(markerOf(group), at, base);
    context.fillStyle = ink;
    context.fillText(label, at + 16 * ratio, base);
    at += context.measureText(label).width + 30 * ratio;
  }
}
