// The page: a scenario and its settings, the runs A and B, and what can be shared and downloaded.

import "uplot/dist/uPlot.min.css";
import "./style.css";

import { parse as parseToml, stringify } from "smol-toml";

import type { Catalogue, Json, OwnLaw, Story, Tables } from "./catalogue";
import { Close } from "./close";
import { type Given, assign, describeGiven, editedScenario, isGiven } from "./given";
import { GivenKnobs } from "./given_knobs";
import { byId, colour, element, shown } from "./dom";
import { type Figure, figureOf, pythonOf, save, tableOf, tomlOf } from "./downloads";
import { type Change, Knobs } from "./knobs";
import { type Drawn, Panel, topsOf } from "./panel";
import { type Described, describe } from "./plan";
import { Engine } from "./engine";
import { requestOf } from "./request";
import { Runner } from "./runner";
import { type Opened, ScriptView } from "./script";
import { packed, read } from "./share";
import { contentOf } from "./unpack";
import type { Shown } from "./view";
import type { Reply } from "./worker";

/** Time after which a run shows its progress, in ms. */
const PATIENCE = 400;
const MOST_SEED = 2n ** 64n;
/** Packets that fit into a picture of single packets. */
const MOST_CLOSE = 4000;

/** One of the two runs. */
interface Side {
  readonly panel: Panel;
  readonly runner: Runner;
  state: State;
  described: Described | undefined;
  shown: Shown | undefined;
  drawn: Drawn | undefined;
}

/** A scenario: tables of TOML, or a document of `ackclock lab` with what was changed in it. */
interface State {
  readonly change: Change;
  readonly given?: Given;
}

class Lab {
  private readonly knobs: Knobs;
  private readonly givenKnobs: GivenKnobs;
  private readonly close: Close;
  private readonly script: ScriptView;
  private sides: Side[] = [];
  private zoom: readonly [number, number] | undefined;
  private asked = 0;
  private timer = 0;
  private number = 0;
  private drawings = 0;
  private readonly waiting = element("div", { class: "progress" });
  private readonly bar: Record<"in" | "out" | "left" | "right" | "whole" | "packets", HTMLButtonElement>;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly module: WebAssembly.Module,
    engine: Engine,
  ) {
    this.script = new ScriptView(byId("script"), byId("knobs"), byId("scripts"), catalogue, module, engine, (script) => this.showScript(script));
    this.knobs = new Knobs(byId("knobs"), catalogue, (change) => this.change({ change }));
    this.givenKnobs = new GivenKnobs(byId("knobs"), (state) => this.change(state));
    this.close = new Close(byId("close"), (flow) => this.askPackets(flow), () => this.close.hide());
    const button = (text: string, label: string, act: () => void): HTMLButtonElement => {
      const made = element("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.bar = {
      in: button("+", "Zoom in", () => this.scale(0.5)),
      out: button("−", "Zoom out", () => this.scale(2)),
      left: button("◂", "Earlier", () => this.shift(-0.5)),
      right: button("▸", "Later", () => this.shift(0.5)),
      whole: button("Whole run", "Show the whole run", () => this.setZoom(undefined)),
      packets: button("Packets", "Show single packets of this time", () => this.askPackets()),
    };
    const hint = element("span", { class: "quiet" }, "Drag over a plot to zoom; double-click for the whole run.");
    byId("runs").before(element("div", { class: "bar", role: "toolbar", "aria-label": "Time" }, ...Object.values(this.bar), hint, this.waiting));
    this.menus();
  }

  private menus(): void {
    const story = byId<HTMLSelectElement>("story");
    story.append(element("option", { value: "" }, "choose a story"), ...this.catalogue.stories.map(({ name, title }, place) => element("option", { value: name }, `${place + 1}. ${title}`)));
    story.addEventListener("change", () => {
      const chosen = this.catalogue.stories.find(({ name }) => name === story.value);
      if (chosen !== undefined) this.tell(chosen);
    });
    byId("pin").addEventListener("click", () => this.pin());
    byId("share").addEventListener("click", () => void this.share());
    const download = (id: string, act: () => void): void =>
      byId(id).addEventListener("click", () => {
        byId<HTMLDetailsElement>("downloads").open = false;
        act();
      });
    download("toml", () => save("lab.toml", "text/plain", this.toml()));
    download("python", () => save("lab.py", "text/plain", pythonOf(this.toml(), this.current.state.change.seed)));
    download("table", () => save("lab.csv", "text/csv", tableOf(this.current.drawn)));
    download("packetdrill", () => save("lab.pkt", "text/plain", this.script.source));
    const figures = (): Figure[][] => (this.script.isShown ? [[this.script.sequence]] : this.sides.map(({ panel }) => panel.figures));
    download("figure", () => void figureOf(figures(), colour("paper"), colour("ink")).then((blob) => save("lab.png", "image/png", blob)));
    let resized = 0;
    const redraw = (): void => {
      for (const { panel } of this.sides) panel.redraw();
      this.close.draw();
      this.script.sequence.draw();
    };
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(resized);
      resized = requestAnimationFrame(redraw);
    });
    for (const id of ["runs", "script"]) observer.observe(byId(id));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    addEventListener("hashchange", () => void this.open(location.hash));
    document.addEventListener("click", (event) => {
      const menu = byId<HTMLDetailsElement>("downloads");
      if (menu.open && !menu.contains(event.target as Node)) menu.open = false;
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") byId<HTMLDetailsElement>("downloads").open = false;
    });
  }

  private get current(): Side {
    const side = this.sides.at(-1);
    if (side === undefined) throw new Error("there is no run");
    return side;
  }

  private side(state: State): Side {
    const panel = new Panel(this.catalogue, (from, until) => this.setZoom([from, until]), () => this.setZoom(undefined));
    const side: Side = {
      panel, state, described: undefined, shown: undefined, drawn: undefined,
      runner: new Runner(this.module, this.catalogue.law === undefined ? undefined : new URL("run", location.href).href, (reply) => this.hear(side, reply), (fraction) => this.progressed(side, fraction)),
    };
    return side;
  }

  /** Begins with what the address, or else the file, or else the first story has. */
  async begin(given: unknown): Promise<void> {
    if (await this.open(location.hash)) return;
    if (isGiven(given)) this.openGiven(given);
    else {
      const [first] = this.catalogue.stories;
      const { law } = this.catalogue;
      if (first === undefined) return;
      if (law === undefined) this.tell(first);
      else {
        const tables = parseToml(first.toml) as Tables;
        for (const group of tables["clients"] as Tables[]) group["transport"] = { kind: "tcp", law: law.law };
        this.show({ change: { tables, seed: first.seed } });
      }
    }
  }

  private async open(hash: string): Promise<boolean> {
    try {
      const address = await read(hash);
      if (address === undefined) return false;
      if (address.script !== undefined || address.scriptName !== undefined) {
        this.showScript(this.script.of(address, seedOf(address.seed)));
        return true;
      }
      if (address.story !== undefined) {
        const story = this.catalogue.stories.find(({ name }) => name === address.story);
        if (story === undefined) throw new Error(`story: there is no story '${address.story.slice(0, 40)}'`);
        this.tell(story);
        return true;
      }
      if (address.document !== undefined) {
        const document: unknown = JSON.parse(address.document);
        if (!isGiven(document)) throw new Error("the address does not contain a scenario of this page");
        this.openGiven(document);
        return true;
      }
      const tables = parseToml(address.toml ?? "") as Tables;
      this.show({ change: { tables, seed: seedOf(address.seed) } }, address.zoom);
      return true;
    } catch (error) {
      this.fail(`The link cannot be opened. ${(error as Error).message.split("\n")[0] ?? ""}`);
      if (this.sides.length === 0) {
        const [first] = this.catalogue.stories;
        if (first !== undefined) this.show({ change: { tables: parseToml(first.toml) as Tables, seed: first.seed } }, undefined, true);
      }
      return true;
    }
  }

  private showScript(opened: Opened): void {
    byId<HTMLSelectElement>("story").value = "";
    this.fail("");
    this.script.show(opened);
  }

  private openGiven(given: Given): void {
    const change = { tables: given.scenario, seed: seedOf(given.seed) };
    // a scenario that the page can read has all settings
    let plain = false;
    try {
      plain = isSame(describe(given.scenario, this.catalogue).plan, { ...describeGiven(given, this.catalogue).plan, records: [], captures: [] });
    } catch {
      plain = false;
    }
    this.words(given.name, given.text ?? "");
    this.show(plain ? { change } : { change, given });
  }

  private tell(story: Story): void {
    byId<HTMLSelectElement>("story").value = story.name;
    this.words(story.title, story.text);
    const tables = parseToml(story.toml) as Tables;
    this.show({ change: { tables, seed: story.seed } }, story.zoom);
    if (story.beside !== undefined) {
      this.pin();
      const changed = structuredClone(tables);
      for (const [path, value] of Object.entries(story.beside)) assign(changed, path.split("."), (parseToml(`value = ${value}`) as Tables)["value"] ?? null);
      const state = { change: { tables: changed, seed: story.seed } };
      this.knobs.show(state.change);
      this.change(state);
    }
  }

  private words(title: string, text: string): void {
    const words = byId("words");
    words.hidden = title === "";
    words.replaceChildren(element("h2", {}, title), ...(text === "" ? [] : [element("p", {}, text)]));
  }

  /** Shows a scenario alone. */
  private show(state: State, zoom?: readonly [number, number], keepsError = false): void {
    this.script.hide();
    for (const { panel, runner } of this.sides.splice(0)) {
      runner.end();
      panel.root.remove();
    }
    this.sides = [this.side(state)];
    byId("runs").replaceChildren(...this.sides.map(({ panel }) => panel.root));
    this.arranged();
    this.close.hide();
    this.zoom = zoom;
    if (state.given === undefined) {
      try {
        this.knobs.show(state.change);
      } catch {
        byId("knobs").replaceChildren();
      }
    } else this.givenKnobs.show(state.change, state.given);
    this.run(this.current, keepsError);
  }

  private arranged(): void {
    const two = this.sides.length > 1;
    byId("runs").classList.toggle("two", two);
    const pin = byId("pin");
    pin.setAttribute("aria-pressed", String(two));
    pin.textContent = two ? "Unpin A" : "Pin as A";
    for (const [place, { panel }] of this.sides.entries()) panel.title = two ? [place === 0 ? "A" : "B", place === 0 ? "pinned" : "follows the settings"] : ["", ""];
  }

  private pin(): void {
    if (this.sides.length > 1) {
      const [pinned] = this.sides.splice(0, 1);
      pinned?.runner.end();
      pinned?.panel.root.remove();
      this.arranged();
      this.redraw();
      return;
    }
    const side = this.side(this.current.state);
    this.sides.push(side);
    byId("runs").append(side.panel.root);
    this.arranged();
    this.run(side);
  }

  private change(state: State): void {
    this.current.state = state;
    this.run(this.current);
  }

  private described(state: State): Described {
    return state.given === undefined ? describe(state.change.tables, this.catalogue) : describeGiven(state.given, this.catalogue);
  }

  private run(side: Side, keepsError = false): void {
    try {
      side.described = this.described(side.state);
    } catch (error) {
      this.fail((error as Error).message);
      return;
    }
    if (!keepsError) this.fail("");
    const { plan, shown } = requestOf(side.described);
    const { seed } = side.state.change;
    const labels = JSON.stringify(side.described.labels ?? null);
    side.shown = shown;
    if (this.zoom !== undefined && this.zoom[0] >= shown.duration) this.zoom = undefined;
    this.asked = performance.now();
    this.number += 1;
    side.runner.ask({ kind: "run", id: this.number, native: { scenario: scenarioOf(side.state), plan, seed, labels }, shown, span: this.span(side) });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.progressed(side, 0), PATIENCE);
    if (this.close.isShown && side === this.current) this.close.hide();
  }

  private span(side: Side): { from: number; until: number; columns: number } {
    const duration = side.shown?.duration ?? 1;
    const [from, until] = this.zoom ?? [0, duration];
    const columns = Math.max(100, Math.min(1600, Math.round((side.panel.root.clientWidth || 800) - 60)));
    return { from, until: Math.min(until, duration), columns };
  }

  private progressed(side: Side, fraction: number): void {
    if (!side.runner.isBusy || performance.now() - this.asked < PATIENCE * 0.9) return;
    side.panel.root.classList.add("stale");
    const cancel = element("button", { type: "button", id: "cancel" }, "Cancel");
    cancel.addEventListener("click", () => {
      side.runner.cancel();
      this.waiting.replaceChildren();
      this.say("The run was cancelled.");
    });
    const bar = this.waiting.querySelector("progress");
    if (bar === null) this.waiting.replaceChildren(element("progress", { max: "1", value: String(fraction), "aria-label": "Progress of the run" }), cancel);
    else bar.value = fraction;
  }

  private hear(side: Side, reply: Exclude<Reply, { kind: "ready" | "progress" }>): void {
    if (!this.sides.includes(side)) return;
    this.waiting.replaceChildren();
    const { described } = side;
    switch (reply.kind) {
      case "error":
        if (reply.message === "there is no run") this.run(side);
        else this.fail(reply.message);
        return;
      case "packets":
        if (described !== undefined && this.packetsAsked !== undefined) {
          this.close.show(reply.moments, described, this.packetsAsked);
          byId("close").scrollIntoView({ block: "nearest" });
        }
        return;
      case "view":
        if (side.drawn !== undefined) side.drawn = { ...side.drawn, view: reply.view };
        break;
      case "run":
        if (described !== undefined) side.drawn = { scenario: described, outcome: reply.outcome, notices: reply.notices ?? [], view: reply.view };
    }
    this.redraw();
    if (reply.kind === "run") {
      this.drawings += 1;
      const total = performance.now() - this.asked;
      const simulated = reply.events === undefined ? "Simulated" : `${reply.events.toLocaleString("en")} events`;
      this.say(`${simulated} in ${shown(reply.engineTime)} ms; setting to picture ${shown(total)} ms.`);
      document.body.dataset["drawn"] = String(this.drawings);
      document.body.dataset["picture"] = String(total);
    }
  }

  private redraw(): void {
    const drawn = this.sides.flatMap(({ drawn }) => (drawn === undefined ? [] : [drawn]));
    const tops = topsOf(drawn);
    for (const { panel, drawn: own } of this.sides) if (own !== undefined) panel.draw(own, tops);
    const { shown: of } = this.current;
    const [from, until] = this.zoom ?? [0, of?.duration ?? 1];
    const isDumbbell = this.current.state.given === undefined;
    this.bar.whole.disabled = this.bar.out.disabled = this.zoom === undefined;
    this.bar.left.disabled = this.zoom === undefined || from <= 0;
    this.bar.right.disabled = this.zoom === undefined || until >= (of?.duration ?? 1);
    const packets = ((until - from) * (of?.rate ?? 0)) / 8 / 1500;
    this.bar.packets.disabled = !isDumbbell || packets > MOST_CLOSE;
    this.bar.packets.title = isDumbbell ? "Show single packets of this time: zoom in until it has at most 4000" : "Single packets are drawn for dumbbells";
  }

  private setZoom(zoom: readonly [number, number] | undefined): void {
    const duration = this.current.shown?.duration ?? 1;
    if (zoom === undefined) this.zoom = undefined;
    else {
      const width = Math.min(duration, Math.max(1e-4, zoom[1] - zoom[0]));
      const from = Math.min(Math.max(0, zoom[0]), duration - width);
      this.zoom = width >= duration ? undefined : [from, from + width];
    }
    for (const side of this.sides) {
      this.number += 1;
      if (side.drawn !== undefined) side.runner.ask({ kind: "view", id: this.number, span: this.span(side) });
    }
    const [from, until] = this.zoom ?? [0, duration];
    this.say(`Shown: ${shown(from, 4)} to ${shown(until, 4)} s.`);
  }

  private scale(by: number): void {
    const [from, until] = this.zoom ?? [0, this.current.shown?.duration ?? 1];
    const [middle, half] = [(from + until) / 2, ((until - from) * by) / 2];
    this.setZoom([middle - half, middle + half]);
  }

  private shift(by: number): void {
    const [from, until] = this.zoom ?? [0, 1];
    const step = (until - from) * by;
    this.setZoom([from + step, until + step]);
  }

  private packetsAsked: { flow: number; from: number; until: number } | undefined;

  private askPackets(flow = this.close.isShown ? this.close.flow : (this.current.shown?.flows[0] ?? 0)): void {
    const { described, shown: of, runner, state } = this.current;
    if (described === undefined || of === undefined) return;
    const [from, until] = this.zoom ?? [0, of.duration];
    this.packetsAsked = { flow, from, until };
    // a run that ends earlier is the same until then
    const duration = Math.min(described.duration, Math.ceil(until * 1e12));
    const { measure, ...plan } = described.plan;
    const flows = of.groups.reduce((sum, group) => sum + group.flows, 0);
    const links = [0, 1, ...Array.from({ length: Math.min(flows, 40) }, (_, client) => [2 + 2 * client, 3 + 2 * client]).flat()];
    const records: Json = [{ kind: "packets", links }, { kind: "acks", flows: [flow] }, { kind: "windows", flows: [flow], every: null }];
    const cut = { ...plan, duration, measure: { ...(measure as Tables), from: 0 }, records };
    this.number += 1;
    // packets in flight when the picture begins crossed links for at most two round trips and the wait
    const early = from - 2 * Math.max(...described.groups.map(({ rtt }) => rtt / 1e12)) - 1;
    const native = { scenario: scenarioOf(state), plan: JSON.stringify(cut), seed: state.change.seed, from: Math.max(0, early), until };
    runner.ask({ kind: "packets", id: this.number, native });
  }

  private toml(): string {
    return tomlOf(stringify(scenarioOf(this.current.state)), this.current.state.change.seed);
  }

  private async share(): Promise<void> {
    const link = `${location.href.replace(/#.*$/, "")}#${await (this.script.isShown ? this.script.address() : this.scenarioAddress())}`;
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      this.say("The link is in the clipboard and in the address bar.");
    } catch {
      this.say("The link is in the address bar.");
    }
  }

  private async scenarioAddress(): Promise<string> {
    const { change, given } = this.current.state;
    const content = given === undefined
      ? `s=${await packed(stringify(change.tables))}&seed=${change.seed}`
      : `d=${await packed(JSON.stringify({ ...given, seed: change.seed }))}`;
    const zoom = this.zoom === undefined ? "" : `&zoom=${this.zoom.map((time) => Number(time.toFixed(6))).join("-")}`;
    return `${content}${zoom}`;
  }

  private fail(message: string): void {
    const error = byId("error");
    error.hidden = message === "";
    error.textContent = message;
    if (message !== "") for (const { panel } of this.sides) panel.root.classList.add("stale");
  }

  private say(message: string): void {
    byId("said").textContent = message;
  }
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return names.length === others.length && names.every((name) => isSame((a as Tables)[name], (b as Tables)[name]));
}

const scenarioOf = ({ change, given }: State): Tables => (given === undefined ? change.tables : editedScenario(given));

function seedOf(text: string): string {
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) >= MOST_SEED) throw new Error(`seed: '${text.slice(0, 30)}' is not allowed; must be an integer from 0 to 18446744073709551615`);
  return String(BigInt(text));
}

async function start(): Promise<void> {
  // on a narrow screen the settings would cover the plots
  byId<HTMLDetailsElement>("settings").open = matchMedia("(min-width: 761px)").matches;
  const [wasm, described] = [contentOf("engine"), contentOf("catalogue")];
  const law = JSON.parse(byId("law").textContent ?? "null") as OwnLaw | null;
  const catalogue = { ...(JSON.parse(new TextDecoder().decode(described)) as Catalogue), ...(law === null ? {} : { law }) };
  if (law !== null) {
    byId("about").textContent = `Each change runs ${law.law.replace(/^.*[/\\]/, "")} as it is saved then, on this machine. Reload the page for new parameters.`;
    // no other machine reaches this address
    byId("share").hidden = true;
    // the engine of the page does not run the law
    byId("scripts").closest("label")?.setAttribute("hidden", "");
  }
  const module = await WebAssembly.compile(wasm);
  const lab = new Lab(catalogue, module, await Engine.of(module));
  await lab.begin(JSON.parse(byId("given").textContent ?? "null") as unknown);
}

void start();
