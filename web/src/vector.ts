// Draws a plot without uPlot, for picture files of lines and texts.

import type { Moment } from "./changes";
import { nice, splitsOf } from "./clock";
import { colour, shown } from "./dom";
import { moments } from "./marks";
import type { Surface } from "./pens";
import type { Content, Line, Titles } from "./plot";
import type { SvgContext } from "./svg";

/** A place for a plot. */
export interface Frame {
  readonly context: SvgContext;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const MARGIN = { left: 52, right: 8, top: 6, bottom: 38 };
const FONT = "11px system-ui, sans-serif";

export function drawn({ context, left, top, width, height }: Frame, titles: Titles, content: Content, marked: readonly Moment[]): void {
  const inner = { left: left + MARGIN.left, top: top + MARGIN.top, width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const { span, logarithmic = false } = content;
  const scale = (value: number, [low, high]: readonly [number, number]): number => {
    const of = logarithmic ? Math.log : (number: number): number => number;
    return (of(value) - of(low)) / (of(high) - of(low));
  };
  const range = [content.bottom ?? 0, content.top] as const;
  const x = (value: number): number => inner.left + scale(value, span) * inner.width;
  const y = (value: number): number => inner.top + (1 - scale(value, range)) * inner.height;
  const ratio = devicePixelRatio;
  axes(context, titles, content, inner, x, y);
  context.save();
  context.beginPath();
  context.rect(inner.left, inner.top, inner.width, inner.height);
  context.clip();
  for (const line of content.lines) drawLine(context, content, line, x, y);
  // marks are drawn in the pixels of the screen
  context.scale(1 / ratio, 1 / ratio);
  const surface: Surface = {
    ctx: context.canvas2d,
    bbox: { left: inner.left * ratio, top: inner.top * ratio, width: inner.width * ratio, height: inner.height * ratio },
    valToPos: (value, which) => (which === "x" ? x(value) : y(value)) * ratio,
  };
  content.over?.(surface);
  moments(surface, marked);
  context.restore();
}

type Inner = Pick<DOMRect, "left" | "top" | "width" | "height">;
type Scale = (value: number) => number;

function axes(context: SvgContext, titles: Titles, { span, top, bottom = 0, logarithmic = false }: Content, inner: Inner, x: Scale, y: Scale): void {
  const [right, floor] = [inner.left + inner.width, inner.top + inner.height];
  const ticks = (low: number, high: number, most: number): number[] => {
    if (logarithmic) return splitsOf(low, high);
    const step = nice((high - low) / most);
    return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, place) => (Math.ceil(low / step) + place) * step);
  };
  const isNamed = (value: number): boolean => !logarithmic || value.toExponential().startsWith("1e");
  const [across, up] = [ticks(span[0], span[1], inner.width / 80), ticks(bottom, top, inner.height / 30)];
  context.save();
  context.strokeStyle = colour("grid");
  context.lineWidth = 1;
  context.beginPath();
  for (const value of across) lineOf(context, [x(value), inner.top], [x(value), floor]);
  for (const value of up) lineOf(context, [inner.left, y(value)], [right, y(value)]);
  context.stroke();
  context.fillStyle = colour("soft");
  context.font = FONT;
  context.textAlign = "center";
  for (const value of across.filter(isNamed)) context.fillText(shown(value, 4), x(value), floor + 15);
  context.fillText(titles.x, inner.left + inner.width / 2, floor + 30);
  context.textAlign = "right";
  for (const value of up.filter(isNamed)) context.fillText(shown(value, 4), inner.left - 6, y(value) + 4);
  context.translate(inner.left - MARGIN.left + 10, inner.top + inner.height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText(titles.y, 0, 0);
  context.restore();
}

function lineOf(context: SvgContext, [fromX, fromY]: readonly [number, number], [toX, toY]: readonly [number, number]): void {
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
}

function drawLine(context: SvgContext, content: Content, line: Line, x: Scale, y: Scale): void {
  const points = (values: ArrayLike<number>): (readonly [number, number])[] => {
    const found: (readonly [number, number])[] = [];
    for (let place = 0; place < values.length; place += 1) {
      const [at, value] = [x(content.x[place] ?? NaN), y(values[place] ?? NaN)];
      const last = found.at(-1);
      if (line.stepped === true && last !== undefined) found.push([at, last[1]]);
      // a value that repeats adds nothing to a line
      if (found.length > 1 && last?.[1] === value && found.at(-2)?.[1] === value) found.pop();
      found.push([at, value]);
    }
    return found;
  };
  const own = points(line.values);
  const trace = (all: readonly (readonly [number, number])[], joins = false): void => {
    let isOpen = joins;
    for (const [left, top] of all) {
      if (!Number.isFinite(left) || !Number.isFinite(top)) isOpen = false;
      else if (isOpen) context.lineTo(left, top);
      else {
        context.moveTo(left, top);
        isOpen = true;
      }
    }
  };
  context.save();
  if (line.fill !== undefined) {
    const below = line.above === undefined ? own.map(([left]) => [left, y(content.bottom ?? 0)] as const) : points(content.lines[line.above - 1]?.values ?? []);
    context.fillStyle = line.fill;
    context.beginPath();
    trace(own);
    trace(below.toReversed(), true);
    context.fill();
  }
  context.strokeStyle = line.stroke;
  context.lineWidth = line.width ?? 1.25;
  context.setLineDash(line.dash ?? []);
  context.beginPath();
  trace(own);
  context.stroke();
  if (line.points === true) {
    context.setLineDash([]);
    context.beginPath();
    for (const [left, top] of own) context.arc(left, top, 2.5);
    context.fillStyle = colour("paper");
    context.fill();
    context.stroke();
  }
  context.restore();
}
