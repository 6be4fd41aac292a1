// The buttons that choose the part of the run that is shown.

import { element } from "./dom";

/** What the buttons do. */
export interface Actions {
  readonly zoom: (span: readonly [number, number] | undefined) => void;
  readonly packets: () => void;
}

/** Packets that fit into a picture of single packets. */
const MOST_CLOSE = 4000;
const SHORTEST = 1e-4;

export class TimeBar {
  readonly root: HTMLElement;
  readonly waiting = element("div", { class: "progress" });
  private readonly buttons: Record<"in" | "out" | "left" | "right" | "whole" | "packets", HTMLButtonElement>;
  private zoomed: readonly [number, number] | undefined;
  private duration = 1;

  constructor(private readonly actions: Actions) {
    const button = (text: string, label: string, act: () => void): HTMLButtonElement => {
      const made = element("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.buttons = {
      in: button("+", "Zoom in", () => this.scale(0.5)),
      out: button("−", "Zoom out", () => this.scale(2)),
      left: button("◂", "Earlier", () => this.shift(-0.5)),
      right: button("▸", "Later", () => this.shift(0.5)),
      whole: button("Whole run", "Show the whole run", () => this.actions.zoom(undefined)),
      packets: button("Packets", "Show single packets of this time", () => this.actions.packets()),
    };
    const hint = element("span", { class: "quiet" }, "Drag over a plot to zoom; double-click for the whole run.");
    this.root = element("div", { class: "bar", role: "toolbar", "aria-label": "Time" }, ...Object.values(this.buttons), hint, this.waiting);
  }

  get zoom(): readonly [number, number] | undefined {
    return this.zoomed;
  }

  /** The part of the run that is shown. */
  get span(): readonly [number, number] {
    return this.zoomed ?? [0, this.duration];
  }

  /** Chooses a part within the run; one that is as long as the run is the whole run. */
  set(zoom: readonly [number, number] | undefined, duration: number): void {
    this.duration = duration;
    if (zoom === undefined || zoom[0] >= duration) {
      this.zoomed = undefined;
      return;
    }
    const width = Math.min(duration, Math.max(SHORTEST, zoom[1] - zoom[0]));
    const from = Math.min(Math.max(0, zoom[0]), duration - width);
    this.zoomed = width >= duration ? undefined : [from, from + width];
  }

  /** Shows which buttons can be used. */
  update(rate: number, isDumbbell: boolean): void {
    const { in: _, out, left, right, whole, packets } = this.buttons;
    const [from, until] = this.span;
    whole.disabled = out.disabled = this.zoomed === undefined;
    left.disabled = this.zoomed === undefined || from <= 0;
    right.disabled = this.zoomed === undefined || until >= this.duration;
    packets.disabled = !isDumbbell || ((until - from) * rate) / 8 / 1500 > MOST_CLOSE;
    packets.title = isDumbbell ? `Show single packets of this time: zoom in until it has at most ${MOST_CLOSE}` : "Single packets are drawn for dumbbells";
  }

  private scale(by: number): void {
    const [from, until] = this.span;
    const [middle, half] = [(from + until) / 2, ((until - from) * by) / 2];
    this.actions.zoom([middle - half, middle + half]);
  }

  private shift(by: number): void {
    const [from, until] = this.span;
    const step = (until - from) * by;
    this.actions.zoom([from + step, until + step]);
  }
}
