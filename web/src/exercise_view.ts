// The question of an exercise, a form for the answer, a hint, and the reply.

import { parse as parseToml } from "smol-toml";

import type { Catalogue, Tables } from "./catalogue";
import type { Judged } from "./condition";
import { byId, element } from "./dom";
import { type Exercise, type Reply, replyToChoice, replyToNumber, replyToRun } from "./exercise";
import { labelOf } from "./labels";
import { ranOnce } from "./once";
import { readTable } from "./reading";
import { changed } from "./scene";

/** The class of the body while the run is not shown. */
const COVERED = "covered";

/** The downloads that have the numbers or the plots of the run. */
const WITH_RUN = ["table", "figure", "vector"];

/** Hides the run and all that has its numbers, or shows them. */
function cover(is: boolean): void {
  document.body.classList.toggle(COVERED, is);
  for (const id of WITH_RUN) byId<HTMLButtonElement>(id).disabled = is;
}

export class ExerciseView {
  private exercise: Exercise | undefined;
  private readonly reply = element("p", { class: "reply", role: "status", "aria-live": "polite" });

  constructor(
    private readonly root: HTMLElement,
    private readonly catalogue: Catalogue,
    private readonly module: WebAssembly.Module,
    /** The run B as it is now, once it is drawn. */
    private readonly current: () => (Judged & { readonly tables: Tables }) | undefined,
    private readonly next: (number: number) => void,
  ) {}

  show(exercise: Exercise | undefined): void {
    this.exercise = exercise;
    this.root.hidden = exercise === undefined;
    cover(exercise?.kind === "number");
    if (exercise === undefined) return this.root.replaceChildren();
    const check = element("button", { type: "submit" }, exercise.kind === "run" ? "Check my run" : "Check");
    const form = element("form", { class: "answer" }, ...this.fields(exercise), check);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.check(exercise, new FormData(form));
    });
    const hint = element("details", { class: "more" }, element("summary", {}, "Hint"), element("p", {}, exercise.hint));
    this.forget();
    const where = exercise.kind === "run" ? [element("p", { class: "quiet" }, `In the settings: ${exercise.only.map(labelOf).join("; ")}.`)] : [];
    this.root.replaceChildren(element("p", {}, exercise.question), ...where, form, hint, ...this.covered(exercise), this.reply);
  }

  /** Removes the reply, which is no longer about the run that is shown. */
  forget(): void {
    this.reply.className = "reply";
    this.reply.replaceChildren();
  }

  /** Says that the run, whose numbers have the answer, is not shown yet. */
  private covered(exercise: Exercise): HTMLElement[] {
    if (exercise.kind !== "number") return [];
    const uncover = element("button", { type: "button" }, "Show the run");
    const line = element("p", { class: "cover quiet" }, "The run, which has the answer, is shown after a right answer. ", uncover);
    uncover.addEventListener("click", () => cover(false));
    return [line];
  }

  private fields(exercise: Exercise): HTMLElement[] {
    switch (exercise.kind) {
      case "run":
        return [];
      case "number":
        return [element("label", {}, "Answer ", element("input", { type: "text", inputmode: "decimal", name: "answer", id: "answer", size: "8", autocomplete: "off" }), ` ${exercise.unit}`)];
      case "choice": {
        const choices = exercise.options.map(({ says }, place) => element("label", {}, element("input", { type: "radio", name: "answer", value: String(place) }), ` ${says}`));
        return [element("fieldset", { class: "choices" }, element("legend", { class: "hidden" }, "Answer"), ...choices)];
      }
    }
  }

  private async check(exercise: Exercise, form: FormData): Promise<void> {
    this.said({ isRight: false, text: "Simulating …" }, "");
    try {
      const reply = await this.judged(exercise, String(form.get("answer") ?? "").trim());
      if (exercise === this.exercise) this.said(reply, reply.isRight ? "right" : "wrong");
    } catch (error) {
      this.said({ isRight: false, text: (error as Error).message }, "wrong");
    }
  }

  private async judged(exercise: Exercise, answer: string): Promise<Reply> {
    const base = parseToml(exercise.toml) as Tables;
    const run = (values: Tables): Promise<Judged> => ranOnce(changed(base, values), exercise.seed, this.catalogue, this.module);
    switch (exercise.kind) {
      case "run": {
        const yours = this.current();
        if (yours === undefined) return { isRight: false, text: "There is no run with these settings yet. Wait until it is drawn, or correct the value that is refused, and check again." };
        // defaults that are written out are no changes
        const whole = (tables: Tables): Tables => readTable(tables, "Scenario", "", this.catalogue.tables);
        return replyToRun(exercise, { ...(await run({})), tables: whole(base) }, { ...yours, tables: whole(yours.tables) });
      }
      case "number": {
        const number = Number(answer.replace(",", "."));
        if (answer === "" || !Number.isFinite(number)) return { isRight: false, text: `'${answer.slice(0, 40)}' is not allowed; must be a number, in ${exercise.unit}.` };
        return replyToNumber(exercise, number, await run(exercise.with));
      }
      case "choice":
        if (answer === "") return { isRight: false, text: "Choose an answer first." };
        return replyToChoice(exercise, Number(answer), await Promise.all(exercise.options.map((option) => run(option.with))));
    }
  }

  private said({ isRight, text }: Reply, kind: string): void {
    const { exercise } = this;
    if (isRight) cover(false);
    this.reply.className = `reply ${kind}`;
    this.reply.replaceChildren(...(kind === "" ? [] : [element("b", {}, isRight ? "Right. " : "Not yet. ")]), text);
    if (!isRight || exercise === undefined || exercise.number >= this.catalogue.exercises.length) return;
    const next = element("button", { type: "button" }, "Next exercise");
    next.addEventListener("click", () => this.next(exercise.number + 1));
    this.reply.append(" ", next);
  }
}
