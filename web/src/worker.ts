// Runs the engine apart from the page, so that the page never waits. It keeps the tables of its last run for closer views.

import { type Answer, Engine, type Outcome } from "./engine";
import { type Moment, momentsOf } from "./packets";
import { type Shown, type Span, type View, viewOf } from "./view";

export type Question =
  | { readonly kind: "start"; readonly module: WebAssembly.Module }
  | { readonly kind: "run"; readonly id: number; readonly plan: string; readonly seed: string; readonly shown: Shown; readonly span: Span }
  | { readonly kind: "view"; readonly id: number; readonly span: Span }
  | { readonly kind: "packets"; readonly id: number; readonly plan: string; readonly seed: string; readonly from: number; readonly until: number };

export type Reply =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly fraction: number }
  | { readonly kind: "run"; readonly id: number; readonly outcome: Outcome; readonly events: number; readonly engineTime: number; readonly view: View }
  | { readonly kind: "view"; readonly id: number; readonly view: View }
  | { readonly kind: "packets"; readonly id: number; readonly moments: Moment }
  | { readonly kind: "error"; readonly id: number; readonly message: string };

const scope = self as unknown as { postMessage(reply: Reply): void; onmessage: ((event: MessageEvent<Question>) => void) | null };
const BETWEEN_REPORTS = 100;

let engine: Engine | undefined;
let kept: { answer: Answer; shown: Shown } | undefined;
let reported = 0;

function report(fraction: number): void {
  const now = performance.now();
  if (now - reported < BETWEEN_REPORTS) return;
  reported = now;
  scope.postMessage({ kind: "progress", fraction });
}

function answer(question: Exclude<Question, { kind: "start" }>): Reply {
  if (engine === undefined) throw new Error("the engine has not started");
  reported = performance.now();
  switch (question.kind) {
    case "run": {
      kept = undefined;
      const started = performance.now();
      const answer = engine.run(question.plan, BigInt(question.seed));
      const engineTime = performance.now() - started;
      kept = { answer, shown: question.shown };
      const view = viewOf(answer, question.shown, question.span);
      return { kind: "run", id: question.id, outcome: answer.outcome, events: answer.events, engineTime, view };
    }
    case "view":
      if (kept === undefined) throw new Error("there is no run");
      return { kind: "view", id: question.id, view: viewOf(kept.answer, kept.shown, question.span) };
    case "packets": {
      const answer = engine.run(question.plan, BigInt(question.seed), question.from, question.until);
      return { kind: "packets", id: question.id, moments: momentsOf(answer) };
    }
  }
}

scope.onmessage = ({ data }) => {
  if (data.kind === "start") {
    void Engine.of(data.module, report).then((started) => {
      engine = started;
      scope.postMessage({ kind: "ready" });
    });
    return;
  }
  try {
    scope.postMessage(answer(data));
  } catch (error) {
    const trapped = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    const message = trapped ? "memory: the run needs more memory than a page has; simulate fewer flows or a shorter time" : String((error as Error).message);
    scope.postMessage({ kind: "error", id: data.id, message });
    if (trapped) close();
  }
};
