// A script in the language of packetdrill: its text, which can be edited, the verdict, and the time-sequence picture.

import type { Catalogue } from "./catalogue";
import { type Chosen, type Conformance, DemandError, type Script, refused, transportFor } from "./conform";
import { element, shown } from "./dom";
import { type Engine, PlanError } from "./engine";
import { choiceKnob, numericKnob } from "./knob";
import { Runner } from "./runner";
import { Sequence } from "./sequence";
import { type Address, packed } from "./share";
import type { Reply } from "./worker";

/** Time after a change of the text until it runs, in ms. */
const PATIENCE = 150;
const LARGEST = 1 << 20;

/** A script with a sender. */
export interface Opened {
  readonly text: string;
  /** Name of a script of the catalogue, if the text is its text. */
  readonly name?: string | undefined;
  readonly chosen?: Chosen;
  readonly seed?: string;
}

export class ScriptView {
  readonly sequence: Sequence;
  private readonly title = element("h2");
  private readonly head = element("p");
  private readonly verdict = element("div", { class: "verdict", role: "status", "aria-live": "polite" });
  private readonly numbers = element("div", { class: "gutter", "aria-hidden": "true" });
  private readonly text = element("textarea", { id: "script-text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Text of the script" });
  private readonly restore = element("button", { type: "button" }, "Restore");
  private runner: Runner | undefined;
  private opened: Opened = { text: "" };
  private number = 0;
  private drawings = 0;
  private timer = 0;
  private pointedLine: number | undefined;
  private differsAt: number | undefined;

  constructor(
    private readonly root: HTMLElement,
    private readonly form: HTMLElement,
    private readonly scripts: HTMLSelectElement,
    private readonly catalogue: Catalogue,
    private readonly module: WebAssembly.Module,
    private readonly engine: Engine,
    chosen: (script: Script) => void,
  ) {
    const folders = [...new Set(catalogue.scripts.map(folderOf))].map((folder) => {
      const own = catalogue.scripts.filter((script) => folderOf(script) === folder);
      return element("optgroup", { label: folder }, ...own.map(({ name }) => element("option", { value: name }, titleOf(name))));
    });
    scripts.append(element("option", { value: "" }, "choose a script"), ...folders);
    scripts.addEventListener("change", () => {
      const script = catalogue.scripts.find(({ name }) => name === scripts.value);
      if (script !== undefined) chosen(script);
    });
    this.sequence = new Sequence((line, isClicked) => this.point(line, isClicked));
    const file = element("input", { type: "file", accept: ".pkt,text/plain", hidden: "" });
    const open = element("button", { type: "button" }, "Open a file");
    open.addEventListener("click", () => file.click());
    file.addEventListener("change", () => void this.openFile(file));
    this.restore.addEventListener("click", () => this.replace(this.catalogue.scripts.find(({ name }) => name === this.opened.name)));
    this.text.addEventListener("input", () => this.edited());
    for (const moved of ["click", "keyup", "focus"]) this.text.addEventListener(moved, () => this.sequence.emphasise(this.caretLine()));
    this.text.addEventListener("blur", () => this.sequence.emphasise(undefined));
    const hint = element("span", { class: "quiet" }, "Click an event for its line; drag over the picture to zoom, double-click for all.");
    root.append(
      element("div", { class: "words" }, this.title, this.head), this.verdict, this.sequence.root,
      element("div", { class: "bar" }, open, this.restore, hint, file),
      element("div", { class: "editor" }, this.numbers, this.text),
    );
  }

  get isShown(): boolean {
    return !this.root.hidden;
  }

  get source(): string {
    return this.text.value;
  }

  /** What follows `#` in a link to the script with its sender. */
  async address(): Promise<string> {
    const { chosen = {}, seed = "1", name = "" } = this.opened;
    const fields = Object.entries({ ...chosen, seed }).filter(([, value]) => value !== undefined).map(([field, value]) => `&${field}=${value}`);
    return `${this.isEdited ? `c=${await packed(this.text.value)}` : `script=${name}`}${fields.join("")}`;
  }

  /** The script of an address. */
  of({ script, scriptName = "", profile, variant }: Address, seed: string): Opened {
    const { scripts, profiles, variants } = this.catalogue;
    const text = script ?? scripts.find(({ name }) => name === scriptName)?.text;
    if (text === undefined) throw new Error(`script: there is no script '${scriptName.slice(0, 40)}'`);
    if (profile !== undefined && !Object.hasOwn(profiles, profile)) throw new Error(`profile: there is no profile '${profile.slice(0, 40)}'`);
    if (variant !== undefined && !Object.hasOwn(variants, variant)) throw new Error(`variant: there is no congestion control '${variant.slice(0, 40)}'`);
    return { text, chosen: { profile, variant }, seed, ...(script === undefined ? { name: scriptName } : {}) };
  }

  show(opened: Opened): void {
    this.opened = opened;
    this.root.hidden = false;
    document.body.classList.add("script");
    this.runner ??= new Runner(this.module, undefined, (reply) => this.hear(reply), () => undefined);
    this.knobs();
    this.text.value = opened.text;
    this.changed();
  }

  hide(): void {
    this.root.hidden = true;
    document.body.classList.remove("script");
    this.scripts.value = "";
    this.runner?.end();
    this.runner = undefined;
  }

  private get isEdited(): boolean {
    return this.text.value !== this.catalogue.scripts.find(({ name }) => name === this.opened.name)?.text;
  }

  private replace(script: Script | undefined): void {
    if (script === undefined) return;
    this.text.value = script.text;
    this.changed();
  }

  private async openFile(file: HTMLInputElement): Promise<void> {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen === undefined) return;
    if (chosen.size > LARGEST) this.say("inexpressible", "Not a script", `${chosen.name} has more than ${LARGEST} bytes`);
    else this.show({ text: await chosen.text() });
  }

  private knobs(): void {
    const { profiles, variants } = this.catalogue;
    const { chosen = {}, seed = "1" } = this.opened;
    const usual = ["", "as in the script", "what the script selects, or else linux and cubic"] as const;
    const set = (change: Chosen): void => {
      this.opened = { ...this.opened, chosen: { ...this.opened.chosen, ...change } };
      this.run();
    };
    const sender = element("fieldset", {}, element("legend", {}, "Sender"),
      choiceKnob("script-law", "Congestion control", chosen.variant ?? "", [usual, ...Object.entries(variants).map(([name, { doc }]) => [name, name, doc] as const)], (name) => set({ variant: name || undefined })),
      choiceKnob("script-profile", "Profile", chosen.profile ?? "", [usual, ...Object.entries(profiles).map(([name, doc]) => [name, name, doc] as const)], (name) => set({ profile: name || undefined })),
      numericKnob({
        id: "script-seed", label: "Seed", unit: "", low: 1, high: 100, whole: true, value: Number(seed),
        set: (value) => {
          this.opened = { ...this.opened, seed: String(value) };
          this.run();
        },
      }));
    this.form.replaceChildren(sender);
  }

  private edited(): void {
    clearTimeout(this.timer);
    this.numbered();
    this.timer = window.setTimeout(() => this.changed(), PATIENCE);
  }

  private changed(): void {
    this.numbered();
    const name = this.isEdited ? undefined : this.opened.name;
    this.restore.hidden = this.opened.name === undefined || !this.isEdited;
    this.title.textContent = this.opened.name === undefined ? "Own script" : `${titleOf(this.opened.name)}${this.isEdited ? ", edited" : ""}`;
    this.head.textContent = headOf(this.text.value);
    this.scripts.value = name ?? "";
    this.run();
  }

  private run(): void {
    const { chosen = {}, seed = "1" } = this.opened;
    try {
      const transport = transportFor(this.engine.setup(this.text.value), chosen, this.catalogue);
      this.number += 1;
      this.runner?.ask({ kind: "script", id: this.number, script: this.text.value, transport, seed });
    } catch (error) {
      if (error instanceof DemandError) this.draw(refused(error));
      else if (error instanceof PlanError) this.failed(error.message);
      else throw error;
    }
  }

  private hear(reply: Exclude<Reply, { kind: "ready" | "progress" }>): void {
    if (reply.kind === "error") this.failed(reply.message);
    if (reply.kind === "script" && reply.id === this.number) this.draw(reply.found);
  }

  private draw(found: Conformance): void {
    const { verdict, compared, skipped } = found.outcome;
    this.root.classList.remove("stale");
    this.differsAt = verdict.verdict === "equal" ? undefined : verdict.line;
    const notes = skipped.map(({ line, reason }) => element("li", {}, `Not compared: line ${line}: ${reason}`));
    switch (verdict.verdict) {
      case "equal":
        this.say("equal", "Equal", `${counted(compared.packets, "packet")} and ${counted(compared.assertions, "assertion")} are as expected`);
        break;
      case "inexpressible":
        this.say("inexpressible", "Not expressible", `line ${verdict.line}: ${verdict.reason}`);
        break;
      case "differs":
        this.say("differs", "Different", `line ${verdict.line}, at ${shown(verdict.time, 6)} s`);
        this.verdict.append(element("dl", {}, element("dt", {}, "expected"), element("dd", {}, element("code", {}, verdict.expected)), element("dt", {}, "found"), element("dd", {}, element("code", {}, verdict.found))));
    }
    if (found.picture.truncated) notes.push(element("li", {}, "The run has more events than the picture"));
    if (notes.length > 0) this.verdict.append(element("ul", {}, ...notes));
    this.sequence.root.hidden = found.picture.events.length === 0;
    this.sequence.show(found);
    this.numbered();
    this.drawings += 1;
    document.body.dataset["scripts"] = String(this.drawings);
  }

  /** A text that is not a script, or a run that ends with an error: the picture is the one of before. */
  private failed(message: string): void {
    this.root.classList.add("stale");
    const [, line] = /^line ([0-9]+), /.exec(message) ?? [];
    this.differsAt = line === undefined ? undefined : Number(line);
    this.say("inexpressible", line === undefined ? "Error" : "Not a script", message);
    this.numbered();
    this.drawings += 1;
    document.body.dataset["scripts"] = String(this.drawings);
  }

  private say(kind: string, word: string, text: string): void {
    this.verdict.className = `verdict ${kind}`;
    this.verdict.replaceChildren(element("p", {}, element("b", {}, word), ` ${text}`));
  }

  /** Shows line numbers, with the line of the verdict and the one below the pointer. */
  private numbered(): void {
    const lines = this.text.value.split("\n").length;
    this.text.rows = lines + 1;
    this.numbers.replaceChildren(...Array.from({ length: lines }, (_, place) => {
      const line = place + 1;
      const kinds = [line === this.differsAt ? "differs" : "", line === this.pointedLine ? "pointed" : ""].filter(Boolean);
      return element("span", kinds.length === 0 ? {} : { class: kinds.join(" ") }, String(line));
    }));
  }

  private point(line: number | undefined, isClicked: boolean): void {
    if (line !== this.pointedLine) {
      const lines = this.numbers.children;
      if (this.pointedLine !== undefined) lines[this.pointedLine - 1]?.classList.remove("pointed");
      if (line !== undefined) lines[line - 1]?.classList.add("pointed");
      this.pointedLine = line;
    }
    if (!isClicked || line === undefined) return;
    const starts = this.text.value.split("\n").slice(0, line).map((each) => each.length + 1);
    const end = starts.reduce((sum, length) => sum + length, 0) - 1;
    this.text.focus({ preventScroll: true });
    this.text.setSelectionRange(end - (starts.at(-1) ?? 1) + 1, end);
    this.numbers.children[line - 1]?.scrollIntoView({ block: "nearest" });
    this.sequence.emphasise(line);
  }

  private caretLine(): number {
    return this.text.value.slice(0, this.text.selectionStart).split("\n").length;
  }
}

const folderOf = ({ name }: Script): string => name.split("/", 1)[0] ?? "";

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const SPELLINGS: Readonly<Record<string, string>> = {
  ack: "ACK", acks: "ACKs", dsack: "DSACK", ecn: "ECN", eifel: "Eifel", frto: "F-RTO", newreno: "NewReno", prr: "PRR", rack: "RACK", rto: "RTO", rtt: "RTT", sack: "SACK",
};

/** A script's name in words: its file name without the number. */
export function titleOf(name: string): string {
  const words = (name.split("/").at(-1) ?? "").replace(/^[0-9]+_/, "").split("_").map((word) => SPELLINGS[word] ?? word).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The remark at the head of a script. */
function headOf(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines.slice(0, end < 0 ? undefined : end).map((line) => line.replace(/^\/\/ ?/, "")).join(" ");
}
