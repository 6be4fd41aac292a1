// Picture files: all plots below each other, runs side by side, as pixels (PNG) or as lines and texts (SVG).

import { colour } from "./dom";
import { markerOf } from "./pens";
import type { Key, Plot } from "./plot";
import { SvgContext } from "./svg";

/** What a picture file needs of a plot. */
export type Figure = Pick<Plot, "canvas" | "name" | "keys" | "height" | "picture">;

/** Height of a line of titles. */
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
  const figure = document.createElement("canvas");
  figure.width = widths.reduce((sum, width) => sum + width + MARGIN * ratio, MARGIN * ratio);
  const context = figure.getContext("2d");
  if (context === null) throw new Error("figure: the browser cannot draw it");
  const top = headed(runs) * ratio;
  const captions = columns.map((column, place) => column.map(({ plot }) => captionOf(context, plot, widths[place] ?? 0, ratio)));
  const heights = columns.map((column, place) => column.reduce((sum, { canvas }, row) => sum + canvas.height + heightOf(captions[place]?.[row]) * ratio, 0));
  figure.height = Math.max(...heights) + top + MARGIN * ratio;
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, figure.width, figure.height);
  let left = MARGIN * ratio;
  for (const [place, column] of columns.entries()) {
    named(context, runs, place, left, ratio);
    let at = top;
    for (const [row, { plot, canvas }] of column.entries()) {
      const caption = captions[place]?.[row] ?? [];
      titled(context, plot, caption, left, at, ratio);
      at += heightOf(caption) * ratio;
      context.drawImage(canvas, left, at);
      at += canvas.height;
    }
    left += (widths[place] ?? 0) + MARGIN * ratio;
  }
  return new Promise((resolve, reject) => figure.toBlob((blob) => (blob === null ? reject(new Error("figure: the browser cannot write it")) : resolve(blob)), "image/png"));
}

export function svgOf(runs: readonly (readonly Figure[])[]): string {
  const ruler = new SvgContext(0, 0).canvas2d;
  const captions = runs.map((plots) => plots.map((plot) => captionOf(ruler, plot, WIDTH, 1)));
  const heights = runs.map((plots, place) => plots.reduce((sum, { height }, row) => sum + height + heightOf(captions[place]?.[row]), 0));
  const top = headed(runs);
  const context = new SvgContext(runs.length * (WIDTH + MARGIN) + MARGIN, Math.max(...heights) + top + MARGIN);
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, context.width, context.height);
  for (const [place, plots] of runs.entries()) {
    const left = MARGIN + place * (WIDTH + MARGIN);
    named(context.canvas2d, runs, place, left, 1);
    let at = top;
    for (const [row, plot] of plots.entries()) {
      const caption = captions[place]?.[row] ?? [];
      titled(context.canvas2d, plot, caption, left, at, 1);
      at += heightOf(caption);
      plot.picture({ context, left, top: at, width: WIDTH, height: plot.height });
      at += plot.height;
    }
  }
  return context.done("Ackclock lab");
}

/** A place in a caption: a key, how far it is from the left edge, and its line. */
interface Placed {
  readonly key: Key;
  readonly across: number;
  readonly line: number;
}

const titleFont = (ratio: number): string => `600 ${12 * ratio}px system-ui, sans-serif`;
const keyFont = (ratio: number): string => `${11 * ratio}px system-ui, sans-serif`;
const heightOf = (caption: readonly Placed[] = []): number => TITLE * (1 + (caption.at(-1)?.line ?? 0));

/** Two runs have a line with their names. */
const headed = (runs: readonly unknown[]): number => MARGIN + (runs.length > 1 ? TITLE : 0);

function named(context: Context, runs: readonly unknown[], place: number, left: number, ratio: number): void {
  if (runs.length < 2) return;
  context.textAlign = "left";
  context.fillStyle = colour("ink");
  context.font = `700 ${14 * ratio}px system-ui, sans-serif`;
  context.fillText(place === 0 ? "A" : "B", left, (MARGIN + 13) * ratio);
}

/** Places the keys of a plot after its title; those that have no room there go to further lines. */
function captionOf(context: Context, { name, keys }: Figure, width: number, ratio: number): Placed[] {
  context.font = titleFont(ratio);
  let [across, line] = [context.measureText(name).width + 14 * ratio, 0];
  context.font = keyFont(ratio);
  return keys.map((key) => {
    const size = context.measureText(key.label).width + 30 * ratio;
    if (across + size > width && across > 0) [across, line] = [0, line + 1];
    const placed = { key, across, line };
    across += size;
    return placed;
  });
}

/** Writes the title of a plot and what its lines are. */
function titled(context: Context, { name }: Figure, caption: readonly Placed[], left: number, top: number, ratio: number): void {
  context.textAlign = "left";
  context.fillStyle = colour("ink");
  context.font = titleFont(ratio);
  context.fillText(name, left, top + 13 * ratio);
  context.font = keyFont(ratio);
  for (const { key, across, line } of caption) {
    const [at, base] = [left + across, top + (13 + line * TITLE) * ratio];
    context.fillStyle = key.stroke;
    if (key.group === undefined) for (const [x, y, width, height] of SHAPES[key.shape ?? "line"]) context.fillRect(at + x * ratio, base + y * ratio, width * ratio, height * ratio);
    else context.fillText(markerOf(key.group), at, base);
    context.fillStyle = colour("ink");
    context.fillText(key.label, at + 16 * ratio, base);
  }
}

/** The rectangles of the shapes of keys: left and top from the base of the line, width and height. */
const SHAPES: Readonly<Record<NonNullable<Key["shape"]>, readonly (readonly [number, number, number, number])[]>> = {
  line: [[0, -6, 12, 3]],
  dashed: [[0, -5, 3, 2], [5, -5, 3, 2], [10, -5, 3, 2]],
  block: [[0, -9, 11, 9]],
  tick: [[4, -9, 2, 9]],
};
