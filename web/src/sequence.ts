// The time-sequence picture of a script: what arrives, what the sender does, and what the script expects instead.

import { Clock } from "./clock";
import type { Conformance, PictureEvent } from "./conform";
import { colour, element, shown } from "./dom";
import { Drawing, HEIGHT, MARGIN, type Mark, type Point, least, most } from "./drawing";
import type { Key } from "./plot";
import type { Frame } from "./vector";

/** The pointer reaches events at this distance, in pixels. */
const REACH = 14;

export class Sequence {
  readonly root = element("figure");
  readonly canvas = element("canvas", { class: "sequence", role: "img" });
  readonly name = "Sequence numbers over time";
  keys: readonly Key[] = [];
  private readonly caption = element("figcaption");
  private readonly tip = element("div", { class: "tip", "aria-hidden": "true", hidden: "" });
  private found: Conformance | undefined;
  private clock = new Clock([]);
  private zoom: Point | undefined;
  private line: number | undefined;
  private marks: Mark[] = [];
  private drag: Point | undefined;

  /** `pointed` hears the line below the pointer, and whether it was clicked. */
  constructor(private readonly pointed: (line: number | undefined, isClicked: boolean) => void) {
    this.root.append(this.caption, this.canvas, this.tip);
    this.canvas.addEventListener("pointerdown", ({ offsetX }) => (this.drag = [offsetX, offsetX]));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.release(event));
    this.canvas.addEventListener("pointerleave", () => {
      this.drag = undefined;
      this.tip.hidden = true;
      this.pointed(undefined, false);
      this.draw();
    });
    this.canvas.addEventListener("dblclick", () => this.whole());
  }

  show(found: Conformance): void {
    const ends = (each: Conformance | undefined): string => JSON.stringify([each?.picture.events.at(0)?.time, each?.picture.events.at(-1)?.time]);
    if (ends(found) !== ends(this.found)) this.zoom = undefined;
    this.found = found;
    this.clock = new Clock(found.picture.pauses);
    this.draw();
  }

  /** Emphasises the events of a line of the script. */
  emphasise(line: number | undefined): void {
    if (line === this.line) return;
    this.line = line;
    this.draw();
  }

  private whole(): void {
    this.zoom = undefined;
    this.draw();
  }

  private move({ offsetX, offsetY }: PointerEvent): void {
    if (this.drag !== undefined) {
      this.drag = [this.drag[0], offsetX];
      this.draw();
      return;
    }
    const event = this.nearest(offsetX, offsetY);
    this.tip.textContent = event === undefined ? "" : told(event);
    this.tip.hidden = event === undefined;
    const { offsetLeft, offsetTop, clientWidth } = this.canvas;
    this.tip.style.left = `${offsetLeft + Math.max(0, Math.min(offsetX + 12, clientWidth - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${offsetTop + Math.max(2, offsetY - 34)}px`;
    this.pointed(event?.line, false);
  }

  private release({ offsetX, offsetY }: PointerEvent): void {
    const drag = this.drag;
    this.drag = undefined;
    if (drag === undefined) return;
    const [from, until] = [Math.min(...drag), Math.max(...drag)];
    if (until - from > 4) {
      this.zoom = [this.place(from), this.place(until)];
      this.draw();
    } else this.pointed(this.nearest(offsetX, offsetY)?.line, true);
  }

  private nearest(x: number, y: number): PictureEvent | undefined {
    let [best, least]: [PictureEvent | undefined, number] = [undefined, REACH];
    for (const mark of this.marks) {
      const away = Math.abs(mark.x - x) + Math.max(0, mark.top - y, y - mark.bottom);
      if (away < least) [best, least] = [mark.event, away];
    }
    return best;
  }

  /** The span of the picture, in seconds of it. */
  private span(): Point {
    if (this.zoom !== undefined) return this.zoom;
    const times = (this.found?.picture.events ?? []).flatMap(({ time, until }) => [time, until ?? time]);
    const [first, last] = [least(times), most(times)].map((time) => this.clock.shown(time)) as [number, number];
    const room = 0.02 * (last - first) || 1e-3;
    return [first - room, last + 1.5 * room];
  }

  private place(x: number): number {
    const [from, until] = this.span();
    return from + ((x - MARGIN.left) / (this.canvas.clientWidth - MARGIN.left - MARGIN.right)) * (until - from);
  }

  draw(): void {
    const width = this.canvas.clientWidth;
    const context = this.canvas.getContext("2d");
    if (context === null || width === 0 || this.found === undefined) return;
    const ratio = devicePixelRatio;
    [this.canvas.width, this.canvas.height] = [width * ratio, HEIGHT * ratio];
    this.canvas.style.height = `${HEIGHT}px`;
    context.scale(ratio, ratio);
    context.fillStyle = colour("paper");
    context.fillRect(0, 0, width, HEIGHT);
    context.font = "11px system-ui, sans-serif";
    new Drawing(context, width, this.found, this.clock, this.span(), this.line).draw(this.marks = []);
    if (this.drag !== undefined) {
      context.fillStyle = colour("accent");
      context.globalAlpha = 0.15;
      context.fillRect(Math.min(...this.drag), MARGIN.top, Math.abs(this.drag[1] - this.drag[0]), HEIGHT - MARGIN.top - MARGIN.bottom);
    }
    this.captioned(this.found);
    this.canvas.setAttribute("aria-label", spoken(this.found));
  }

  get height(): number {
    return HEIGHT;
  }

  /** Draws into a picture file. */
  picture({ context, left, top, width }: Frame): void {
    if (this.found === undefined) return;
    context.save();
    context.translate(left, top);
    context.font = "11px system-ui, sans-serif";
    new Drawing(context.canvas2d, width, this.found, this.clock, this.span(), this.line).draw([]);
    context.restore();
  }

  private captioned({ picture: { events } }: Conformance): void {
    const segments = events.filter((event) => event.kind === "segment");
    const acks = events.filter((event) => event.kind === "ack");
    const key = (is: boolean, name: string, label: string, shape: Key["shape"] = "tick"): Key[] => (is ? [{ label, stroke: colour(name), shape }] : []);
    const isPeer = segments.some(({ status }) => status === "given");
    this.keys = [
      ...key(segments.some(({ status }) => status !== "missing"), "accent", isPeer ? "segment that arrives" : "segment sent"),
      ...key(segments.some(({ retransmission }) => retransmission), "drop", "retransmission"),
      ...key(segments.some(({ lost }) => lost), "drop", "× lost"),
      ...key(segments.some(({ start, end, status }) => start === end && status !== "missing"), "accent", "○ window probe"),
      ...key(acks.length > 0, "g2", isPeer ? "ACK sent" : "ACK that arrives", "line"),
      ...key(acks.some(({ sacks }) => sacks !== undefined), "g3", "SACK block"),
      ...key(acks.some(({ limit = Infinity }) => limit <= highest(events)), "faint", "end of the window", "dashed"),
      ...key(events.some((event) => event.kind === "ack" && event.ece || event.kind === "segment" && (event.cwr || event.ce)), "g6", "◆ ECN"),
      ...key(events.some(({ status, kind }) => status === "missing" && kind !== "assertion"), "warn", "expected by the script", "dashed"),
      ...key(events.some(({ kind }) => kind === "assertion"), "g2", "✓ assertion"),
    ];
    const made = this.keys.map(({ label, stroke, shape = "line" }) =>
      /^[×○◆✓]/u.test(label)
        ? element("span", { class: "key" }, element("span", { style: `color:${stroke}` }, label.slice(0, 1)), label.slice(1))
        : element("span", { class: "key" }, element("i", { class: shape === "line" ? "" : shape, style: `border-color:${stroke}` }), label));
    this.caption.replaceChildren(element("b", {}, this.name), ...made);
  }
}

const highest = (events: readonly PictureEvent[]): number => most(events.map((event) => (event.kind === "segment" ? event.end : event.kind === "ack" ? event.ack : 0)));

const STATUSES: Readonly<Record<PictureEvent["status"], string>> = {
  given: "arrives", met: "as expected", wrong: "not expected", missing: "expected", free: "not compared",
};

function told(event: PictureEvent): string {
  const { time, line, status } = event;
  const where = `${shown(time, 6)} s${line === undefined ? "" : `, line ${line}`}: `;
  switch (event.kind) {
    case "assertion":
      return `${where}${event.text}, which ${status === "met" ? "holds" : "fails"}`;
    case "ack": {
      const blocks = (event.sacks ?? []).map(([start, end]) => `, SACK ${start}:${end}`).join("");
      return `${where}ACK ${event.ack}${blocks}${event.ece ? ", ECE" : ""}, ${STATUSES[status]}`;
    }
    case "segment": {
      const words = [event.retransmission && "retransmission", event.lost && "lost", event.ce && "CE", event.cwr && "CWR"].filter(Boolean);
      const what = event.start === event.end ? "window probe" : `${event.start}:${event.end} (${event.end - event.start})`;
      return `${where}${[what, ...words, STATUSES[status]].join(", ")}`;
    }
  }
}

/** The picture in a sentence, for those who do not see it. */
function spoken({ picture: { events, truncated }, outcome: { verdict } }: Conformance): string {
  const count = (is: (event: PictureEvent) => boolean): number => events.filter(is).length;
  const segments = count(({ kind, status }) => kind === "segment" && status !== "missing");
  const again = count((event) => event.kind === "segment" && event.retransmission === true);
  const acks = count(({ kind, status }) => kind === "ack" && status !== "missing");
  const differs = verdict.verdict === "differs" ? ` The first difference is at ${shown(verdict.time, 6)} s.` : "";
  return `${segments} segments, ${again} of them retransmissions; ${acks} ACKs.${differs}${truncated ? " The run has more events than the picture." : ""}`;
}
