// Single packets: the time-sequence diagram of a flow as tcptrace draws it, and the dumbbell with its packets in flight.

import { choiceKnob } from "./knob";
import { colour, element, groupColour, shown } from "./dom";
import type { Crossing, Moment } from "./packets";
import type { Described } from "./plan";

/** Clients that the dumbbell shows. */
const MOST_CLIENTS = 16;
const HEIGHT = 300;
const MARGIN = { left: 58, right: 14, top: 12, bottom: 34 };

export interface Asked {
  readonly flow: number;
  readonly from: number;
  readonly until: number;
}

export class Close {
  private readonly sequence = element("canvas", { class: "close", role: "img" });
  private readonly dumbbell = element("canvas", { class: "close", role: "img" });
  private readonly clock = element("output", { class: "quiet" });
  private readonly slider = element("input", { type: "range", min: "0", max: "1000", value: "0", "aria-label": "Time of the picture", style: "flex:1;min-width:120px" });
  private readonly play = element("button", { type: "button", "aria-pressed": "false" }, "Play");
  private readonly tools = element("div", { class: "bar" });
  private moment: Moment | undefined;
  private scenario: Described | undefined;
  private asked: Asked = { flow: 0, from: 0, until: 1 };
  private now = 0;
  private slower = 0.02;
  private frame = 0;
  private drawnAt = 0;
  private steps: number[] = [];

  constructor(
    private readonly root: HTMLElement,
    private readonly choose: (flow: number) => void,
    shut: () => void,
  ) {
    const back = element("button", { type: "button", "aria-label": "One event back" }, "◂ Step");
    const next = element("button", { type: "button", "aria-label": "One event on" }, "Step ▸");
    const end = element("button", { type: "button" }, "Close");
    const speed = element("select", { "aria-label": "Speed" }, ...[[0.002, "1/500"], [0.005, "1/200"], [0.02, "1/50"], [0.1, "1/10"], [1, "1/1"]].map(([value, text]) => element("option", { value: String(value) }, `speed ${text}`)));
    speed.value = String(this.slower);
    speed.addEventListener("change", () => (this.slower = Number(speed.value)));
    this.play.addEventListener("click", () => (this.frame === 0 ? this.start() : this.pause()));
    back.addEventListener("click", () => this.step(-1));
    next.addEventListener("click", () => this.step(1));
    end.addEventListener("click", shut);
    this.slider.addEventListener("input", () => {
      this.pause();
      this.now = this.asked.from + (Number(this.slider.value) / 1000) * (this.asked.until - this.asked.from);
      this.draw();
    });
    const bar = element("div", { class: "bar" }, this.play, back, next, this.slider, speed, this.clock);
    root.append(element("h2", { style: "font-size:1rem;margin:14px 0 0" }, "Packets"), element("div", { class: "bar" }, this.tools, end));
    root.append(
      element("figure", {}, element("figcaption", {}, element("b", {}, "Segments and ACKs at the sender"), ...this.sequenceKeys()), this.sequence),
      element("figure", {}, element("figcaption", {}, element("b", {}, "Packets in flight"), "data to the right, ACKs back to the left; the bar at the gateway is its queue"), this.dumbbell),
      bar,
    );
  }

  private sequenceKeys(): HTMLElement[] {
    const key = (name: string, label: string, shape = ""): HTMLElement =>
      element("span", { class: "key" }, element("i", { class: shape, style: `border-color:var(--${name});background:${shape === "block" ? `var(--${name})` : "none"}` }), label);
    return [key("accent", "segment sent", "tick"), key("drop", "retransmission", "tick"), key("g2", "ACK"), key("reference", "ACK + cwnd"), key("drop", "× lost", "tick")];
  }

  show(moment: Moment, scenario: Described, asked: Asked): void {
    this.pause();
    this.moment = moment;
    this.scenario = scenario;
    this.asked = asked;
    this.now = asked.from;
    const times = moment.crossings.flatMap(({ enqueued, sent, received, lost }) => [enqueued, sent, received, lost]);
    this.steps = [...new Set(times.filter((time) => time >= asked.from && time <= asked.until))].sort((a, b) => a - b);
    const ends = this.ends();
    const flows = scenario.groups.flatMap(({ name, count, kind }, group) =>
      kind === "udp" ? [] : Array.from({ length: Math.min(count, 40) }, (_, place) => {
        const flow = (ends[group] ?? 0) - count + place;
        return [String(flow), `flow ${flow}`, name, name] as const;
      }),
    );
    this.tools.replaceChildren(choiceKnob("close-flow", "Flow", String(asked.flow), flows, (value) => this.choose(Number(value))));
    this.root.hidden = false;
    this.draw();
  }

  hide(): void {
    this.pause();
    this.root.hidden = true;
    this.moment = undefined;
  }

  get isShown(): boolean {
    return !this.root.hidden;
  }

  get flow(): number {
    return this.asked.flow;
  }

  get canvases(): HTMLCanvasElement[] {
    return [this.sequence, this.dumbbell];
  }

  private start(): void {
    if (this.now >= this.asked.until) this.now = this.asked.from;
    this.play.textContent = "Pause";
    this.play.setAttribute("aria-pressed", "true");
    this.drawnAt = performance.now();
    const tick = (at: number): void => {
      this.now += ((at - this.drawnAt) / 1000) * this.slower;
      this.drawnAt = at;
      if (this.now >= this.asked.until) {
        this.now = this.asked.until;
        this.pause();
      } else this.frame = requestAnimationFrame(tick);
      this.draw();
    };
    this.frame = requestAnimationFrame(tick);
  }

  private pause(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.play.textContent = "Play";
    this.play.setAttribute("aria-pressed", "false");
  }

  private step(by: number): void {
    this.pause();
    const { steps } = this;
    const place = steps.findIndex((time) => time > this.now);
    const after = place < 0 ? steps.length : place;
    const before = steps.findLastIndex((time) => time < this.now);
    this.now = (by > 0 ? steps[after] : steps[before]) ?? this.now;
    this.draw();
  }

  draw(): void {
    if (this.moment === undefined || this.scenario === undefined) return;
    this.slider.value = String(Math.round((1000 * (this.now - this.asked.from)) / (this.asked.until - this.asked.from)));
    this.clock.textContent = `${this.now.toFixed(6)} s`;
    this.drawSequence(this.moment, this.scenario);
    this.drawDumbbell(this.moment, this.scenario);
  }

  private ends(): number[] {
    let sum = 0;
    return (this.scenario?.groups ?? []).map(({ count }) => (sum += count));
  }

  private groupOf(flow: number): number {
    return this.ends().findIndex((end) => flow < end);
  }

  private context(canvas: HTMLCanvasElement, height: number): [CanvasRenderingContext2D, number] | undefined {
    const width = canvas.clientWidth;
    const context = canvas.getContext("2d");
    if (context === null || width === 0) return undefined;
    const ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    context.scale(ratio, ratio);
    context.fillStyle = colour("paper");
    context.fillRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    return [context, width];
  }

  private drawSequence(moment: Moment, scenario: Described): void {
    const made = this.context(this.sequence, HEIGHT);
    if (made === undefined) return;
    const [context, width] = made;
    const { flow, from, until } = this.asked;
    const group = this.groupOf(flow);
    const direction = scenario.groups[group]?.direction ?? "forward";
    // the first link on the way of the flow's data
    const first = direction === "forward" ? 2 + 2 * flow : 1;
    const own = moment.crossings.filter((crossing) => crossing.flow === flow && crossing.kind === "data");
    const segments = own.filter(({ link, enqueued }) => link === first && !Number.isNaN(enqueued));
    const lost = own.filter(({ lost: at }) => !Number.isNaN(at));
    const acks = moment.acks.filter((ack) => ack.flow === flow);
    const windows = moment.windows.filter((window) => window.flow === flow);
    const isShown = (time: number): boolean => time >= from && time <= until;
    const numbers = [
      ...segments.filter(({ enqueued }) => isShown(enqueued)).map(({ segment }) => segment),
      ...acks.filter(({ time }) => isShown(time)).map(({ ack }) => ack),
    ];
    const [low, high] = numbers.length === 0 ? [0, 1] : [Math.min(...numbers), Math.max(...numbers) + 2];
    const x = (time: number): number => MARGIN.left + ((time - from) / (until - from)) * (width - MARGIN.left - MARGIN.right);
    const y = (number: number): number => HEIGHT - MARGIN.bottom - ((number - low) / (high - low)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
    this.axes(context, width, x, y, low, high);
    context.save();
    context.beginPath();
    context.rect(MARGIN.left, MARGIN.top, width - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom);
    context.clip();
    const stairs = (points: readonly (readonly [number, number])[], stroke: string, pen: number): void => {
      context.beginPath();
      for (const [place, [time, number]] of points.entries()) {
        if (place === 0) context.moveTo(x(time), y(number));
        else {
          context.lineTo(x(time), y(points[place - 1]?.[1] ?? number));
          context.lineTo(x(time), y(number));
        }
      }
      const last = points.at(-1);
      if (last !== undefined) context.lineTo(x(until), y(last[1]));
      context.strokeStyle = stroke;
      context.lineWidth = pen;
      context.stroke();
    };
    let highest = 0;
    const acked = acks.map(({ time, ack }) => [time, (highest = Math.max(highest, ack))] as const);
    stairs(acked, colour("g2"), 1.4);
    let place = 0;
    const edge = acked.map(([time, ack]) => {
      while (place + 1 < windows.length && (windows[place + 1]?.time ?? Infinity) <= time + 1e-9) place += 1;
      return [time, ack + (windows[place]?.cwnd ?? NaN)] as const;
    });
    stairs(edge.filter(([, number]) => !Number.isNaN(number)), colour("reference"), 1);
    for (const { enqueued, segment, retransmission } of segments) {
      context.strokeStyle = colour(retransmission ? "drop" : groupColour(group));
      context.lineWidth = retransmission ? 2.5 : 1.6;
      context.beginPath();
      context.moveTo(x(enqueued), y(segment));
      context.lineTo(x(enqueued), Math.min(y(segment + 1), y(segment) - 2));
      context.stroke();
    }
    context.strokeStyle = colour("drop");
    context.lineWidth = 1.4;
    for (const { lost: time, segment } of lost) {
      const [at, of] = [x(time), y(segment + 0.5)];
      context.beginPath();
      context.moveTo(at - 3.5, of - 3.5);
      context.lineTo(at + 3.5, of + 3.5);
      context.moveTo(at - 3.5, of + 3.5);
      context.lineTo(at + 3.5, of - 3.5);
      context.stroke();
    }
    context.beginPath();
    context.strokeStyle = colour("faint");
    context.lineWidth = 1;
    context.moveTo(x(this.now), MARGIN.top);
    context.lineTo(x(this.now), HEIGHT - MARGIN.bottom);
    context.stroke();
    context.restore();
    const visible = segments.filter(({ enqueued }) => isShown(enqueued));
    const repeated = visible.filter(({ retransmission }) => retransmission).length;
    const losses = lost.filter(({ lost: time }) => isShown(time)).length;
    const heard = acks.filter(({ time }) => isShown(time)).length;
    const span = `${shown(from, 5)} to ${shown(until, 5)} s`;
    this.sequence.setAttribute("aria-label", `Flow ${flow}, ${span}: ${visible.length} segments sent, ${repeated} of them again; ${losses} lost; ${heard} ACKs.`);
  }

  private axes(context: CanvasRenderingContext2D, width: number, x: (time: number) => number, y: (number: number) => number, low: number, high: number): void {
    const { from, until } = this.asked;
    context.strokeStyle = colour("grid");
    context.fillStyle = colour("soft");
    context.lineWidth = 1;
    context.textAlign = "center";
    for (const time of round(from, until, width / 90)) {
      context.beginPath();
      context.moveTo(Math.round(x(time)) + 0.5, MARGIN.top);
      context.lineTo(Math.round(x(time)) + 0.5, HEIGHT - MARGIN.bottom);
      context.stroke();
      context.fillText(shown(time, 6), x(time), HEIGHT - MARGIN.bottom + 14);
    }
    context.textAlign = "right";
    for (const number of round(low, high, 6)) {
      context.beginPath();
      context.moveTo(MARGIN.left, Math.round(y(number)) + 0.5);
      context.lineTo(width - MARGIN.right, Math.round(y(number)) + 0.5);
      context.stroke();
      context.fillText(shown(number, 6), MARGIN.left - 6, y(number) + 4);
    }
    context.textAlign = "center";
    context.fillText("time, s", (MARGIN.left + width - MARGIN.right) / 2, HEIGHT - 4);
    context.save();
    context.translate(11, HEIGHT / 2);
    context.rotate(-Math.PI / 2);
    context.fillText("segment", 0, 0);
    context.restore();
  }

  private drawDumbbell(moment: Moment, scenario: Described): void {
    const ends = this.ends();
    const total = ends.at(-1) ?? 0;
    const clients = Array.from({ length: Math.min(total, MOST_CLIENTS) }, (_, flow) => flow);
    const height = Math.max(190, 60 + 22 * clients.length);
    const made = this.context(this.dumbbell, height);
    if (made === undefined) return;
    const [context, width] = made;
    const gateway = { x: width * 0.42, y: height / 2 };
    const server = { x: width - 46, y: height / 2 };
    const client = (flow: number): { x: number; y: number } => ({ x: 54, y: (height * (flow + 1)) / (clients.length + 1) });
    const gap = 4;
    context.lineWidth = 1;
    context.strokeStyle = colour("line");
    for (const flow of clients) {
      context.beginPath();
      context.moveTo(client(flow).x, client(flow).y);
      context.lineTo(gateway.x, gateway.y);
      context.stroke();
    }
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(gateway.x, gateway.y);
    context.lineTo(server.x, server.y);
    context.stroke();
    const node = (x: number, y: number, fill: string, radius: number): void => {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.fill();
    };
    for (const flow of clients) node(client(flow).x, client(flow).y, colour(groupColour(this.groupOf(flow))), 6);
    node(gateway.x, gateway.y, colour("queue"), 8);
    node(server.x, server.y, colour("queue"), 8);
    context.fillStyle = colour("soft");
    context.textAlign = "center";
    context.fillText("clients", 54, 14);
    context.fillText("gateway", gateway.x, gateway.y + 26);
    context.fillText("server", server.x, server.y + 26);
    const { now } = this;
    let [waiting, flying] = [0, 0];
    const queued: Crossing[] = [];
    for (const crossing of moment.crossings) {
      const { link, sent, received, lost, enqueued, kind, flow } = crossing;
      if (!Number.isNaN(lost) && Math.abs(now - lost) < 0.03 * (this.asked.until - this.asked.from) && now >= lost) {
        context.strokeStyle = colour("drop");
        context.lineWidth = 2;
        const fall = gateway.y + 34 + (400 * (now - lost)) / (this.asked.until - this.asked.from);
        context.strokeRect(gateway.x - 14, fall, 8, 5);
        continue;
      }
      if (now < enqueued || now >= received || !Number.isNaN(lost) && now >= lost) continue;
      if (Number.isNaN(sent) ? !Number.isNaN(enqueued) : now < sent) {
        if (link === 0) {
          waiting += 1;
          queued.push(crossing);
        }
        continue;
      }
      if (Number.isNaN(sent) || Number.isNaN(received)) continue;
      const at = (now - sent) / (received - sent);
      const [a, b] = link === 0 ? [gateway, server] : link === 1 ? [server, gateway] : link % 2 === 0 ? [client((link - 2) / 2), gateway] : [gateway, client((link - 3) / 2)];
      if (link >= 2 && flow >= MOST_CLIENTS) continue;
      flying += 1;
      const side = kind === "ack" || link % 2 === 1 ? gap : -gap;
      const [x, y] = [a.x + (b.x - a.x) * at, a.y + (b.y - a.y) * at + side];
      context.fillStyle = colour(groupColour(this.groupOf(flow)));
      if (kind === "ack") {
        context.beginPath();
        context.arc(x, y, 2.2, 0, 2 * Math.PI);
        context.fill();
      } else {
        context.fillRect(x - 4, y - 3, 8, 6);
        if (crossing.retransmission || crossing.marked) {
          context.strokeStyle = colour(crossing.retransmission ? "drop" : "mark");
          context.lineWidth = 1.5;
          context.strokeRect(x - 4, y - 3, 8, 6);
        }
      }
    }
    // the queue stands on the gateway, the oldest packet at the bottom
    queued.sort((a, b) => a.enqueued - b.enqueued);
    const each = Math.max(0.8, Math.min(5, (gateway.y - 24) / Math.max(1, queued.length)));
    for (const [place, { flow }] of queued.entries()) {
      context.fillStyle = colour(groupColour(this.groupOf(flow)));
      context.fillRect(gateway.x - 11, gateway.y - 14 - (place + 1) * each, 22, each > 2 ? each - 1 : each);
    }
    if (total > MOST_CLIENTS) {
      context.fillStyle = colour("soft");
      context.textAlign = "left";
      context.fillText(`the first ${MOST_CLIENTS} of ${total} clients`, 8, height - 6);
    }
    this.dumbbell.setAttribute("aria-label", `At ${now.toFixed(4)} s ${waiting} packets wait at the gateway and ${flying} are on links. ${scenario.groups.length} groups.`);
  }
}

/** Round numbers within a range, at most about `count`. */
function round(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? 10 * power;
  const found = [];
  for (let value = Math.ceil(low / step); value * step <= high; value += 1) found.push(value * step);
  return found;
}
