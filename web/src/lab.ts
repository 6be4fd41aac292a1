// The page: a scenario and its settings, the runs A and B, and what is shown of them.

import { stringify } from "smol-toml";

import type { Catalogue, Json, Tables } from "./catalogue";
import { Close } from "./close";
import { byId, element, shown } from "./dom";
import { tomlOf } from "./downloads";
import { Engine } from "./engine";
import { ExerciseView } from "./exercise_view";
import { describeGiven } from "./given";
import { GivenKnobs } from "./given_knobs";
import { History } from "./history";
import { idOf, labelOf } from "./labels";
import { Knobs } from "./knobs";
import { type Drawn, Panel } from "./panel";
import type { Figure } from "./pictures";
import { type Described, describe } from "./plan";
import { requestOf } from "./request";
import { Runner } from "./runner";
import { type Scene, type State, addressOf, scenarioOf, sceneOfExercise } from "./scene";
import { type Opened, ScriptView } from "./script";
import { TimeBar } from "./time_bar";
import { topsOf } from "./tops";
import type { Shown } from "./view";
import type { Reply } from "./worker";

/** Time after which a run shows its progress, in ms. */
const PATIENCE = 400;

/** One of the two runs. */
interface Side {
  readonly panel: Panel;
  readonly runner: Runner;
  state: State;
  described: Described | undefined;
  shown: Shown | undefined;
  drawn: Drawn | undefined;
}

export class Lab {
  readonly script: ScriptView;
  private readonly knobs: Knobs;
  private readonly givenKnobs: GivenKnobs;
  private readonly close: Close;
  private readonly exercise: ExerciseView;
  /** Whether the settings are no scenario: the run that is drawn has earlier ones. */
  private isRefused = false;
  private readonly time: TimeBar;
  private sides: Side[] = [];
  private scene: Scene | undefined;
  private history: History | undefined;
  private asked = 0;
  private timer = 0;
  private number = 0;
  private drawings = 0;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly module: WebAssembly.Module,
    engine: Engine,
    /** Hears what is opened, for menus. */
    private readonly opened: (scene: Scene | undefined) => void,
  ) {
    this.script = new ScriptView(byId("script"), byId("knobs"), byId("scripts"), catalogue, module, engine, (script) => this.showScript(script));
    this.knobs = new Knobs(byId("knobs"), catalogue, (change) => this.change({ change }));
    this.givenKnobs = new GivenKnobs(byId("knobs"), (state) => this.change(state));
    this.close = new Close(byId("close"), (flow) => this.askPackets(flow), () => this.close.hide());
    this.exercise = new ExerciseView(byId("exercise"), catalogue, module, () => this.judged(), (number) => {
      const next = catalogue.exercises.find((each) => each.number === number);
      if (next === undefined) return;
      this.show(sceneOfExercise(next));
      // the button that had the focus is gone
      byId("words").querySelector("h2")?.focus();
    });
    this.time = new TimeBar({ zoom: (span) => this.setZoom(span), packets: () => this.askPackets() });
    byId("runs").before(this.time.root);
    byId("pin").addEventListener("click", () => this.pin());
    byId("undo").addEventListener("click", () => {
      if (!this.removeRefused()) this.restore(this.history?.undo());
    });
    byId("reset").addEventListener("click", () => {
      this.removeRefused();
      this.restore(this.history?.reset());
    });
    // a text that is refused changes no setting, but can be undone
    byId("knobs").addEventListener("change", () => this.undoable());
    let resized = 0;
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(resized);
      resized = requestAnimationFrame(() => this.resized());
    });
    for (const id of ["runs", "script"]) observer.observe(byId(id));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resized());
  }

  private resized(): void {
    for (const { panel } of this.sides) panel.redraw();
    this.close.draw();
    this.script.sequence.draw();
  }

  private get current(): Side {
    const side = this.sides.at(-1);
    if (side === undefined) throw new Error("there is no run");
    return side;
  }

  get isEmpty(): boolean {
    return this.sides.length === 0;
  }

  /** The numbers of the run B, if it is drawn. */
  get drawn(): Drawn | undefined {
    return this.current.drawn;
  }

  get seed(): string {
    return this.current.state.change.seed;
  }

  /** What a picture file contains. */
  get figures(): Figure[][] {
    return this.script.isShown ? [[this.script.sequence]] : this.sides.map(({ panel }) => panel.figures);
  }

  toml(): string {
    return tomlOf(stringify(scenarioOf(this.current.state)), this.seed);
  }

  /** The part of an address after `#` that opens this again. */
  async address(): Promise<string> {
    if (this.script.isShown) return this.script.address();
    const { zoom } = this.time;
    const { title = "", text = "", exercise } = this.scene ?? {};
    const changed = this.isChanged;
    const pinned = this.sides.length > 1 ? this.sides[0]?.state : undefined;
    return addressOf({ title, text, changed, state: this.current.state, ...(pinned === undefined ? {} : { pinned }), ...(zoom === undefined ? {} : { zoom }), ...(exercise === undefined ? {} : { exercise }) });
  }

  private judged(): (Drawn & { tables: Tables }) | undefined {
    const { drawn, described, state } = this.current;
    return drawn === undefined || drawn.scenario !== described || this.isRefused ? undefined : { ...drawn, tables: scenarioOf(state) };
  }

  private side(state: State): Side {
    const panel = new Panel(this.catalogue, (from, until) => this.setZoom([from, until]), () => this.setZoom(undefined));
    const side: Side = {
      panel, state, described: undefined, shown: undefined, drawn: undefined,
      runner: new Runner(this.module, this.catalogue.law === undefined ? undefined : new URL("run", location.href).href, (reply) => this.hear(side, reply), (fraction) => this.progressed(side, fraction)),
    };
    return side;
  }

  showScript(opened: Opened): void {
    this.opened(undefined);
    this.fail("");
    this.script.show(opened);
  }

  /** Shows a scene, with its pinned run beside it. */
  show(scene: Scene, keepsError = false): void {
    this.scene = scene;
    this.opened(scene);
    this.script.hide();
    for (const { panel, runner } of this.sides.splice(0)) {
      runner.end();
      panel.root.remove();
    }
    this.sides = [...(scene.pinned === undefined ? [] : [scene.pinned]), scene.state].map((state) => this.side(state));
    byId("runs").replaceChildren(...this.sides.map(({ panel }) => panel.root));
    this.history = new History(scene.state);
    this.arranged();
    this.close.hide();
    this.words(scene.title, scene.text);
    this.exercise.show(scene.exercise);
    this.time.set(scene.zoom, Infinity);
    this.settings(scene.state);
    if (scene.exercise?.kind === "run") this.knobs.reveal(scene.exercise.only);
    for (const side of this.sides) this.run(side, keepsError);
  }

  private settings({ change, given }: State): void {
    if (given !== undefined) return this.givenKnobs.show(change, given);
    try {
      this.knobs.show(change);
    } catch {
      byId("knobs").replaceChildren();
    }
  }

  private words(title: string, text: string): void {
    const words = byId("words");
    words.hidden = title === "";
    const differs = element("p", { class: "quiet", id: "differs" }, "The settings differ from those that this text describes.");
    differs.hidden = !this.isChanged;
    words.replaceChildren(element("h2", { tabindex: "-1" }, title), ...(text === "" ? [] : [element("p", {}, text), differs]));
  }

  /** Whether the settings are no longer those that the words are about. */
  private get isChanged(): boolean {
    const { scene } = this;
    if (scene === undefined || scene.changed === true) return scene !== undefined;
    try {
      // fields with their defaults, and other units, are no changes
      const planned = (state: State): string => JSON.stringify([this.described(state).plan, state.change.seed]);
      return planned(scene.state) !== planned(this.current.state);
    } catch {
      return true;
    }
  }

  private arranged(): void {
    const two = this.sides.length > 1;
    byId("runs").classList.toggle("two", two);
    const pin = byId("pin");
    pin.setAttribute("aria-pressed", String(two));
    pin.textContent = two ? "Unpin A" : "Pin as A";
    for (const [place, { panel }] of this.sides.entries()) panel.title = two ? [place === 0 ? "A" : "B", place === 0 ? "pinned" : "follows the settings"] : ["", ""];
    this.undoable();
  }

  private undoable(): void {
    const can = this.history?.canUndo === true || this.refused !== null;
    // a disabled button would lose the focus
    for (const id of ["undo", "reset"]) byId(id).setAttribute("aria-disabled", String(!can));
    const differs = document.getElementById("differs");
    if (differs !== null) differs.hidden = !this.isChanged;
  }

  /** A field whose text is refused. */
  private get refused(): HTMLElement | null {
    return byId("knobs").querySelector<HTMLElement>("[aria-invalid=true]:not([data-run])");
  }

  /** Returns refused texts to the values of the run; false if there are none. */
  private removeRefused(): boolean {
    if (this.refused === null) return false;
    this.settings(this.current.state);
    this.undoable();
    this.say("The refused text is removed.");
    return true;
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
    this.history?.add(state, document.activeElement?.id ?? "");
    this.current.state = state;
    this.exercise.forget();
    this.arranged();
    this.runAgain();
  }

  /** Runs what the settings are now, and a run A that was cancelled before it was drawn. */
  private runAgain(): void {
    for (const side of this.sides) {
      if (side === this.current || (side.drawn === undefined && !side.runner.isBusy)) this.run(side);
    }
  }

  /** Returns to an earlier state of the settings. */
  private restore(state: State | undefined): void {
    if (state === undefined) return;
    this.current.state = state;
    this.exercise.forget();
    this.settings(state);
    this.arranged();
    this.runAgain();
    this.say("The settings are as before.");
  }

  private described(state: State): Described {
    return state.given === undefined ? describe(state.change.tables, this.catalogue) : describeGiven(state.given, this.catalogue);
  }

  private run(side: Side, keepsError = false): void {
    try {
      side.described = this.described(side.state);
    } catch (error) {
      if (side === this.current) this.isRefused = true;
      this.fail((error as Error).message);
      return;
    }
    if (side === this.current) this.isRefused = false;
    if (!keepsError) this.fail("");
    const { plan, shown } = requestOf(side.described);
    const { seed } = side.state.change;
    const labels = JSON.stringify(side.described.labels ?? null);
    side.shown = shown;
    if (side === this.current) this.time.set(this.time.zoom, shown.duration);
    this.asked = performance.now();
    this.number += 1;
    side.runner.ask({ kind: "run", id: this.number, native: { scenario: scenarioOf(side.state), plan, seed, labels }, shown, span: this.span(side) });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.progressed(side, 0), PATIENCE);
    if (this.close.isShown && side === this.current) this.close.hide();
  }

  private span(side: Side): { from: number; until: number; columns: number } {
    const duration = side.shown?.duration ?? 1;
    const [from, until] = this.time.zoom ?? [0, duration];
    const columns = Math.max(100, Math.min(1600, Math.round((side.panel.root.clientWidth || 800) - 60)));
    return { from, until: Math.min(until, duration), columns };
  }

  private progressed(side: Side, fraction: number): void {
    if (!side.runner.isBusy || performance.now() - this.asked < PATIENCE * 0.9) return;
    side.panel.root.classList.add("stale");
    const cancel = element("button", { type: "button", id: "cancel" }, "Cancel");
    cancel.addEventListener("click", () => this.cancel());
    const bar = this.time.waiting.querySelector("progress");
    if (bar === null) this.time.waiting.replaceChildren(element("progress", { max: "1", value: String(fraction), "aria-label": "Progress of the run" }), cancel);
    else bar.value = fraction;
  }

  /** Ends the runs that are not complete; they can be started again. */
  private cancel(): void {
    clearTimeout(this.timer);
    for (const { runner } of this.sides) runner.cancel();
    const again = element("button", { type: "button", id: "again" }, "Run again");
    again.addEventListener("click", () => this.runAgain());
    this.time.waiting.replaceChildren(again);
    again.focus();
    this.say("The run was cancelled.");
  }

  private hear(side: Side, reply: Exclude<Reply, { kind: "ready" | "progress" }>): void {
    if (!this.sides.includes(side)) return;
    this.time.waiting.replaceChildren();
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
    this.time.update(this.current.shown?.rate ?? 0, this.current.state.given === undefined);
    this.print();
  }

  /** Writes the scenarios, which paper shows instead of the settings. */
  private print(): void {
    const names = this.sides.length > 1 ? ["Scenario of A", "Scenario of B"] : ["Scenario"];
    byId("printed").replaceChildren(...this.sides.flatMap(({ state }, place) => [
      element("h2", {}, names[place] ?? ""), element("pre", {}, tomlOf(stringify(scenarioOf(state)), state.change.seed)),
    ]));
  }

  private setZoom(zoom: readonly [number, number] | undefined): void {
    this.time.set(zoom, this.current.shown?.duration ?? 1);
    for (const side of this.sides) {
      this.number += 1;
      if (side.drawn !== undefined) side.runner.ask({ kind: "view", id: this.number, span: this.span(side) });
    }
    const [from, until] = this.time.span;
    this.say(`Shown: ${shown(from, 4)} to ${shown(until, 4)} s.`);
  }

  private packetsAsked: { flow: number; from: number; until: number } | undefined;

  private askPackets(flow = this.close.isShown ? this.close.flow : (this.current.shown?.flows[0] ?? 0)): void {
    const { described, shown: of, runner, state } = this.current;
    if (described === undefined || of === undefined) return;
    const [from, until] = this.time.span;
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

  fail(message: string): void {
    const error = byId("error");
    error.hidden = message === "";
    const path = /^([\w.]+): /.exec(message)?.[1] ?? "";
    const isPlain = this.sides.at(-1)?.state.given === undefined;
    const label = isPlain ? labelOf(path) : path;
    error.textContent = label === path ? message : `${label} (${path})${message.slice(path.length)}`;
    for (const field of byId("knobs").querySelectorAll("[data-run]")) {
      for (const name of ["data-run", "aria-invalid", "aria-describedby"]) field.removeAttribute(name);
    }
    const field = isPlain ? document.getElementById(idOf(path) ?? "") : null;
    for (const [name, value] of [["data-run", ""], ["aria-invalid", "true"], ["aria-describedby", "error"]] as const) field?.setAttribute(name, value);
    if (message !== "") for (const { panel } of this.sides) panel.root.classList.add("stale");
  }

  say(message: string): void {
    byId("said").textContent = message;
  }
}
