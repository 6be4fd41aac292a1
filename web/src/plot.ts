// A plot of the page: uPlot in the page's colours, with a caption, a text for screen readers, and zoom by dragging.

import uPlot from "uplot";

import type { Moment } from "./changes";
import { splitsOf } from "./clock";
import { colour, element, shown } from "./dom";
import { moments } from "./marks";
import { type Surface, markerOf } from "./pens";
import { type Frame, drawn } from "./vector";

export interface Line {
  readonly label: string;
  readonly stroke: string;
  readonly values: ArrayLike<number>;
  readonly width?: number;
  readonly dash?: readonly number[];
  readonly fill?: string;
  /** Place of the line below, counted from 1: the area between them is filled. */
  readonly above?: number;
  readonly points?: boolean;
  readonly stepped?: boolean;
}

export interface Key {
  readonly label: string;
  readonly stroke: string;
  readonly shape?: "line" | "dashed" | "block" | "tick";
  /** Of a group's lines, the group, which has a marker. */
  readonly group?: number;
}

/** A mark at a time that says something when it is pointed at. */
export interface Note {
  readonly at: number;
  readonly text: string;
}

export interface Content {
  readonly x: ArrayLike<number>;
  readonly span: readonly [number, number];
  readonly lines: readonly Line[];
  readonly keys?: readonly Key[];
  readonly top: number;
  readonly bottom?: number;
  readonly logarithmic?: boolean;
  /** Draws over the lines. */
  readonly over?: (plot: Surface) => void;
  /** A sentence for those who do not see the plot. */
  readonly spoken: string;
}

export interface Titles {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly height: number;
}

/** Cursors of all plots over time move together. */
const sync = uPlot.sync("time");

export class Plot {
  readonly root = element("figure");
  private readonly caption = element("figcaption");
  private readonly place = element("div", { role: "img" });
  private readonly tip = element("div", { class: "tip", "aria-hidden": "true" });
  private readonly notes = element("div", { class: "notes", role: "group", "aria-label": "Timeouts" });
  private noted: readonly Note[] = [];
  private plot: uPlot | undefined;
  private drawn = "";
  private content: Content | undefined;

  constructor(
    private readonly titles: Titles,
    private readonly zoomed?: (from: number, until: number) => void,
    private readonly whole?: () => void,
    private readonly marked: () => readonly Moment[] = () => [],
  ) {
    this.root.append(this.caption, this.place, this.notes, this.tip);
    this.notes.hidden = true;
  }

  draw(content: Content): void {
    this.content = content;
    const width = this.root.clientWidth;
    if (width < 60) return;
    const form = JSON.stringify([
      width, content.logarithmic, matchMedia("(prefers-color-scheme: dark)").matches, content.keys,
      content.lines.map(({ label, stroke, width: pen, dash, fill, above, points, stepped }) => [label, stroke, pen, dash, fill, above, points, stepped]),
    ]);
    const data = [content.x, ...content.lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
    if (this.plot === undefined || form !== this.drawn) {
      this.plot?.destroy();
      this.plot = new uPlot(this.options(content, width), data, this.place);
      this.drawn = form;
      this.captioned(content);
    } else {
      this.plot.setData(data);
    }
    const marks = this.marked().map(({ at, text }) => ` ${text} at ${shown(at)} s.`);
    this.place.setAttribute("aria-label", `${this.titles.title}. ${content.spoken}${marks.join("")}`);
  }

  /** Puts marks at the lower edge of the plot. */
  note(notes: readonly Note[]): void {
    this.noted = notes;
    const { plot } = this;
    this.notes.hidden = notes.length === 0 || plot === undefined;
    if (plot === undefined) return;
    // a new plot has its places only once it is drawn
    if (!Number.isFinite(plot.valToPos(plot.scales["x"]?.max ?? 0, "x"))) {
      requestAnimationFrame(() => { if (this.noted === notes && this.plot === plot && this.root.isConnected) this.note(notes); });
      return;
    }
    const [left, bottom] = [this.place.offsetLeft + plot.over.offsetLeft, this.place.offsetTop + plot.over.offsetTop + plot.over.offsetHeight];
    this.notes.replaceChildren(...notes.map(({ at, text }) => {
      const x = left + plot.valToPos(at, "x");
      const said = element("span", { "aria-hidden": "true", class: x > this.root.clientWidth / 2 ? "left" : "" }, text);
      return element("button", { type: "button", "aria-label": text, style: `left:${x - 12}px;top:${bottom - 26}px` }, element("i", { "aria-hidden": "true" }, "!"), said);
    }));
  }

  /** Draws the plot into a picture file. */
  picture(frame: Frame): void {
    if (this.content !== undefined) drawn(frame, this.titles, this.content, this.marked());
  }

  /** Draws again, in the colours and the size that the page has now. */
  redraw(): void {
    if (this.content === undefined) return;
    this.draw(this.content);
    this.note(this.noted);
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.plot?.ctx.canvas;
  }

  get height(): number {
    return this.titles.height;
  }

  get name(): string {
    return this.titles.title;
  }

  get keys(): readonly Key[] {
    return this.content?.keys ?? [];
  }

  private captioned({ keys = [] }: Content): void {
    const made = keys.map(({ label, stroke, shape = "line", group }) => {
      if (group !== undefined) return element("span", { class: "key" }, element("span", { class: "glyph", "aria-hidden": "true", style: `color:${stroke}` }, markerOf(group)), label);
      const mark = element("i", { class: shape === "line" ? "" : shape, style: shape === "block" ? `background:${stroke}` : `border-color:${stroke}` });
      return element("span", { class: "key" }, mark, label);
    });
    this.caption.replaceChildren(element("b", {}, this.titles.title), ...made);
  }

  private options(content: Content, width: number): uPlot.Options {
    const { titles } = this;
    const [soft, grid] = [colour("soft"), colour("grid")];
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 }, font, labelFont: font };
    const logarithmic = content.logarithmic === true;
    const overTime = this.zoomed !== undefined;
    const decades: uPlot.Axis = { ...axis, splits: (_, __, low, high) => splitsOf(low, high), values: (_, splits) => splits.map((value) => (value !== null && value.toExponential().startsWith("1e") ? shown(value, 2) : "")) };
    return {
      width,
      height: titles.height,
      legend: { show: false },
      scales: {
        x: { time: false, distr: logarithmic ? 3 : 1, range: () => [...this.now().span] },
        y: { distr: logarithmic ? 3 : 1, range: () => [this.now().bottom ?? 0, this.now().top] },
      },
      axes: [
        { ...(logarithmic ? decades : axis), label: titles.x, labelSize: 15, labelGap: 0, size: 24, space: 60 },
        {
          ...(logarithmic ? decades : axis), label: titles.y, labelSize: 16, labelGap: 0, size: 46, space: 26,
          ...(logarithmic ? {} : { values: (_: uPlot, splits: number[]) => splits.map((value) => shown(value, 4)) }),
        },
      ],
      series: [
        {},
        ...content.lines.map((line) => ({
          label: line.label,
          stroke: line.stroke,
          width: line.width ?? 1.25,
          points: { show: line.points === true, size: 5 },
          spanGaps: false,
          ...(line.dash === undefined ? {} : { dash: [...line.dash] }),
          ...(line.fill === undefined || line.above !== undefined ? {} : { fill: line.fill }),
          ...(line.stepped === true && uPlot.paths.stepped !== undefined ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
        })),
      ],
      bands: content.lines.flatMap(({ above, fill }, place) =>
        above === undefined || fill === undefined ? [] : [{ series: [place + 1, above] as [number, number], fill }],
      ),
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: overTime, y: false, setScale: false },
        ...(overTime ? { sync: { key: sync.key, setSeries: false } } : {}),
        bind: { dblclick: () => () => { this.whole?.(); return null; } },
      },
      hooks: {
        draw: [(plot) => this.now().over?.(plot), (plot) => moments(plot, this.marked())],
        setCursor: [(plot) => this.tell(plot)],
        setSelect: [(plot) => this.select(plot)],
      },
    };
  }

  private now(): Content {
    if (this.content === undefined) throw new Error("the plot has no content");
    return this.content;
  }

  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoomed?.(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  }

  private tell(plot: uPlot): void {
    const { idx } = plot.cursor;
    if (idx === null || idx === undefined || this.content === undefined) {
      this.tip.textContent = "";
      return;
    }
    const seen = new Set<string>();
    const parts = this.content.lines.flatMap(({ label, values }) => {
      const value = values[idx];
      if (label === "" || seen.has(label) || value === undefined || Number.isNaN(value)) return [];
      seen.add(label);
      return [`${label} ${shown(value)}`];
    });
    this.tip.textContent = `${shown(this.content.x[idx], 4)} s: ${parts.slice(0, 4).join(", ")}`;
  }
}
