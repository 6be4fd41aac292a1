// Draws the time-sequence picture of a script on a canvas, as tcptrace draws connections.

import { type Clock, nice } from "./clock";
import type { Conformance, Pause, PictureEvent } from "./conform";
import { colour, shown } from "./dom";

export const HEIGHT = 420;
export const MARGIN = { left: 86, right: 16, top: 18, bottom: 52 };
/** What is sent is drawn this far beside what arrives in the same instant, in pixels. */
const BESIDE = 4;
/** Least height of a segment that has caps, in pixels. */
const CAPPED = 7;

export type Point = readonly [number, number];

/** Where an event is drawn. */
export interface Mark {
  readonly event: PictureEvent;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** One drawing of a picture. */
export class Drawing {
  private readonly bottom = HEIGHT - MARGIN.bottom;
  private readonly right: number;
  private readonly events: readonly PictureEvent[];
  private readonly low: number;
  private readonly high: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    width: number,
    private readonly found: Conformance,
    private readonly clock: Clock,
    private readonly span: Point,
    private readonly line: number | undefined,
  ) {
    this.right = width - MARGIN.right;
    this.events = found.picture.events;
    const isShown = ({ time, until = time }: PictureEvent): boolean => clock.shown(until) >= span[0] && clock.shown(time) <= span[1];
    const numbers = this.events.filter(isShown).flatMap((event) => (event.kind === "segment" ? [event.start, event.end] : event.kind === "ack" ? [event.ack] : []));
    const [low, high] = numbers.length === 0 ? [0, 1] : [least(numbers), most(numbers)];
    const room = Math.max(1, 0.06 * (high - low));
    [this.low, this.high] = [low - 0.5 * room, high + room];
  }

  private x(time: number): number {
    const [from, until] = this.span;
    return MARGIN.left + ((this.clock.shown(time) - from) / (until - from)) * (this.right - MARGIN.left);
  }

  /** The place of an event: what is sent is drawn beside what arrives in the same instant. */
  private beside({ time, kind, status }: PictureEvent): number {
    return this.x(time) + (kind === "assertion" || status === "given" ? 0 : BESIDE);
  }

  private y(number: number): number {
    return this.bottom - ((number - this.low) / (this.high - this.low)) * (this.bottom - MARGIN.top);
  }

  draw(marks: Mark[]): void {
    const { context } = this;
    this.difference();
    this.axes();
    context.save();
    context.beginPath();
    context.rect(MARGIN.left, MARGIN.top, this.right - MARGIN.left, HEIGHT);
    context.clip();
    this.emphasis(marks);
    this.acks();
    this.segments();
    this.missing();
    this.context.restore();
  }

  /** Draws lines from pairs of points. */
  private strokes(lines: readonly (readonly [Point, Point])[], name: string, width: number, dash: number[] = []): void {
    const { context } = this;
    context.strokeStyle = colour(name);
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    for (const [[x, y], [toX, toY]] of lines) {
      context.moveTo(x, y);
      context.lineTo(toX, toY);
    }
    context.stroke();
    context.setLineDash([]);
  }

  private axes(): void {
    const { context, bottom, right } = this;
    const [from, until] = this.span.map((place) => this.clock.time(place)) as [number, number];
    const timeStep = nice((this.span[1] - this.span[0]) / Math.max(1, (right - MARGIN.left) / 80));
    const ticks = this.clock.ticks(Math.max(0, from), until, timeStep);
    const numberStep = nice((this.high - this.low) / 7);
    const numbers = [];
    for (let number = Math.max(0, Math.ceil(this.low / numberStep)); number * numberStep <= this.high; number += 1) numbers.push(number * numberStep);
    for (const pause of this.found.picture.pauses) this.pause(pause);
    const sharp = (at: number): number => Math.round(at) + 0.5;
    this.strokes(ticks.map((time) => [[sharp(this.x(time)), MARGIN.top], [sharp(this.x(time)), bottom]]), "grid", 1);
    this.strokes(numbers.map((number) => [[MARGIN.left, sharp(this.y(number))], [right, sharp(this.y(number))]]), "grid", 1);
    this.strokes([[[MARGIN.left, bottom + 0.5], [right, bottom + 0.5]], [[MARGIN.left + 0.5, MARGIN.top], [MARGIN.left + 0.5, bottom]]], "line", 1);
    context.fillStyle = colour("soft");
    context.textAlign = "center";
    const digits = Math.max(0, -Math.floor(Math.log10(timeStep) + 1e-9));
    for (const time of ticks) context.fillText(time.toFixed(digits), this.x(time), bottom + 31);
    context.fillText("time, s", (MARGIN.left + right) / 2, HEIGHT - 5);
    context.textAlign = "right";
    for (const number of numbers) context.fillText(shown(number, 9), MARGIN.left - 7, this.y(number) + 4);
    context.save();
    context.translate(11, (MARGIN.top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText("sequence number, bytes", 0, 0);
    context.restore();
  }

  /** A silence that is shortened: a hatched stripe with its length. */
  private pause({ from, until }: Pause): void {
    const { context, bottom } = this;
    const [left, right] = [Math.max(MARGIN.left, this.x(from) + 8), Math.min(this.right, this.x(until) - 8)];
    if (right - left < 4) return;
    context.save();
    context.beginPath();
    context.rect(left, MARGIN.top, right - left, bottom - MARGIN.top);
    context.clip();
    const lines: [Point, Point][] = [];
    for (let x = left - (bottom - MARGIN.top); x < right; x += 9) lines.push([[x, bottom], [x + bottom - MARGIN.top, MARGIN.top]]);
    this.strokes(lines, "grid", 2);
    context.restore();
    context.fillStyle = colour("soft");
    context.textAlign = "center";
    const text = `+${shown(until - from)} s`;
    if (context.measureText(text).width < right - left + 12) context.fillText(text, (left + right) / 2, bottom + 31);
  }

  /** The first difference: its time, and all that is not compared after it. */
  private difference(): void {
    const { context, bottom } = this;
    const { verdict } = this.found.outcome;
    if (verdict.verdict !== "differs") return;
    // an unexpected packet may be earlier than the expected one
    const wrong = this.events.find(({ status }) => status === "wrong");
    const at = Math.max(MARGIN.left, this.x(Math.min(verdict.time, wrong?.time ?? Infinity)) - 6);
    if (at > this.right) return;
    context.fillStyle = colour("warn-paper");
    context.fillRect(at, MARGIN.top, this.right - at, bottom - MARGIN.top);
    this.strokes([[[at, MARGIN.top], [at, bottom + 16]]], "warn", 1.5);
    const words = `first difference, line ${verdict.line}`;
    const room = Math.max(at - MARGIN.left, this.right - at);
    const whole = `${words}; nothing after it is compared`;
    const text = context.measureText(whole).width < room ? whole : words;
    const fits = at + context.measureText(text).width < this.right;
    context.fillStyle = colour("warn");
    context.textAlign = fits ? "left" : "right";
    context.fillText(text, at, MARGIN.top - 6);
  }

  /** Collects what can be pointed at, and emphasises the events of a line. */
  private emphasis(marks: Mark[]): void {
    for (const event of this.events) {
      const x = this.beside(event);
      if (x < MARGIN.left || x > this.right) continue;
      const [start, end] = event.kind === "segment" ? [event.start, event.end] : event.kind === "ack" ? [event.ack, event.ack] : [0, 0];
      const [top, bottom] = event.kind === "assertion" ? [this.bottom + 4, this.bottom + 16] : [this.y(end), this.y(start)];
      marks.push({ event, x, top, bottom });
    }
    if (this.line === undefined) return;
    const lines = marks.filter(({ event }) => event.line === this.line).map(({ x, top, bottom }): [Point, Point] => [[x, top - 3], [x, bottom + 3]]);
    this.context.globalAlpha = 0.25;
    this.strokes(lines, "accent", 13);
    this.context.globalAlpha = 1;
  }

  private acks(): void {
    const acks = this.events.filter((event) => event.kind === "ack").filter(({ status }) => status !== "missing");
    const stairs = (points: readonly Point[], name: string, width: number, dash: number[] = []): void => {
      const lines = points.flatMap(([x, number], place): [Point, Point][] => {
        const [y, next] = [this.y(number), points[place + 1]];
        const right = next === undefined ? this.right : next[0];
        return [[[x, y], [right, y]], ...(next === undefined ? [] : [[[right, y], [right, this.y(next[1])]] as [Point, Point]])];
      });
      this.strokes(lines, name, width, dash);
    };
    stairs(acks.flatMap((event) => (event.limit === undefined ? [] : [[this.beside(event), event.limit] as const])), "faint", 1, [4, 3]);
    let reached = 0;
    const ends = acks.map((event): Point => [this.beside(event), (reached = Math.max(reached, event.ack))]);
    stairs(ends, "g2", 1.4);
    // duplicates are ticks on the line
    const duplicates = ends.filter(([, end], place) => end === ends[place - 1]?.[1]);
    this.strokes(duplicates.map(([x, end]) => [[x, this.y(end) - 4], [x, this.y(end) + 4]]), "g2", 1.4);
    const blocks = acks.flatMap((event) => (event.sacks ?? []).map(([start, end]): [Point, Point] => [[this.beside(event), this.y(end) + 1], [this.beside(event), this.y(start) - 1]]));
    this.strokes(blocks, "g3", 2);
    this.strokes(caps(blocks), "g3", 1.5);
    for (const event of acks) if (event.ece) this.diamond(this.beside(event), this.y(event.ack));
  }

  private segments(): void {
    const segments = this.events.filter((event) => event.kind === "segment").filter(({ status }) => status !== "missing");
    for (const [again, name, width] of [[false, "accent", 2], [true, "drop", 3]] as const) {
      const bars = segments.filter(({ retransmission = false }) => retransmission === again).map((event): [Point, Point] => {
        const x = this.beside(event);
        const [bottom, top] = [this.y(event.start), this.y(event.end)];
        const gap = bottom - top > CAPPED ? 1 : 0;
        return [[x, Math.min(top + gap, bottom - 2)], [x, bottom - gap]];
      });
      this.strokes(bars, name, width);
      this.strokes(caps(bars), name, 1.5);
    }
    for (const event of segments) {
      const { start, end, lost, ce, cwr, status } = event;
      const [x, top, bottom] = [this.beside(event), this.y(end), this.y(start)];
      if (start === end) this.probe(x, bottom);
      if (lost) this.cross(x, (top + bottom) / 2, "drop", 4);
      if (ce || cwr) this.diamond(x, (top + bottom) / 2);
      if (status === "wrong") this.ring(x, top, bottom);
    }
  }

  /** What the script expects instead, and what it asserts. */
  private missing(): void {
    const { context } = this;
    context.strokeStyle = colour("warn");
    context.lineWidth = 1.4;
    context.setLineDash([3, 2]);
    for (const event of this.events) {
      if (event.status !== "missing" || event.kind === "assertion") continue;
      const [start, end] = event.kind === "segment" ? [event.start, event.end] : [event.ack, event.ack];
      const [left, right] = [this.x(event.time), this.x(event.until ?? event.time)];
      const [top, bottom] = [this.y(end), this.y(start)];
      const [width, height] = [Math.max(9, right - left + 9), Math.max(6, bottom - top)];
      context.strokeRect(left + BESIDE - 4.5, top + (bottom - top - height) / 2, width, height);
    }
    context.setLineDash([]);
    const seen = new Set<number>();
    for (const { kind, status, time } of this.events) {
      const [x, y] = [Math.round(this.x(time)), this.bottom + 10];
      // of many at one place, one is drawn
      if (kind !== "assertion" || status === "met" && seen.has(x)) continue;
      seen.add(x);
      if (status === "met") this.strokes([[[x - 4, y], [x - 1, y + 4]], [[x - 1, y + 4], [x + 5, y - 5]]], "g2", 2);
      else this.cross(x, y, "bad", 4.5);
    }
  }

  private cross(x: number, y: number, name: string, size: number): void {
    this.strokes([[[x - size, y - size], [x + size, y + size]], [[x - size, y + size], [x + size, y - size]]], name, 2);
  }

  private probe(x: number, y: number): void {
    const { context } = this;
    [context.fillStyle, context.strokeStyle, context.lineWidth] = [colour("paper"), colour("accent"), 2];
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  private diamond(x: number, y: number): void {
    const { context } = this;
    context.fillStyle = colour("g6");
    context.beginPath();
    for (const [dx, dy] of [[0, -5], [4, 0], [0, 5], [-4, 0]] as const) context.lineTo(x + dx, y + dy);
    context.fill();
  }

  private ring(x: number, top: number, bottom: number): void {
    const { context } = this;
    context.strokeStyle = colour("warn");
    context.lineWidth = 1.6;
    context.beginPath();
    context.ellipse(x, (top + bottom) / 2, 9, (bottom - top) / 2 + 7, 0, 0, 2 * Math.PI);
    context.stroke();
  }
}

/** Caps of vertical lines that are high enough. */
function caps(lines: readonly (readonly [Point, Point])[]): [Point, Point][] {
  return lines.filter(([[, top], [, bottom]]) => bottom - top > CAPPED - 2).flatMap((ends) => ends.map(([x, y]): [Point, Point] => [[x - 3, y], [x + 3, y]]));
}

export const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), Infinity);
export const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), -Infinity);
