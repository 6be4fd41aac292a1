// Runs the engine apart from the page, so that the page never waits. It keeps the tables of its last run for closer views.

import type { Tables } from "./catalogue";
import type { Conformance } from "./conform";
import { type Answer, Engine, type Outcome } from "./engine";
import { type Native, askServer } from "./server";
import { type Moment, momentsOf } from "./packets";
import { type Shown, type Span, type View, viewOf } from "./view";

export type Question =
  | { readonly kind: "start"; readonly module: WebAssembly.Module; readonly server: string | undefined }
  | { readonly kind: "run"; readonly id: number; readonly native: Native; readonly shown: Shown; readonly span: Span }
  | { readonly kind: "view"; readonly id: number; readonly span: Span }
  | { readonly kind: "packets"; readonly id: number; readonly native: Native }
  | { readonly kind: "script"; readonly id: number; readonly script: string; readonly transport: Tables; readonly seed: string };

export type Reply =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly fraction: number }
  | { readonly kind: "run"; readonly id: number; readonly outcome: Outcome; readonly events: number | undefined; readonly notices: readonly string[] | undefined; readonly engineTime: number; readonly view: View }
  | { readonly kind: "view"; readonly id: number; readonly view: View }
  | { readonly kind: "packets"; readonly id: number; readonly moments: Moment }
  | { readonly kind: "script"; readonly id: number; readonly found: Conformance }
  | { readonly kind: "error"; readonly id: number; readonly message: string };

const scope = self as unknown as { postMessage(reply: Reply): void; onmessage: ((event: MessageEvent<Question>) => void) | null };
const BETWEEN_REPORTS = 100;

let engine: Engine | undefined;
let server: string | undefined;
let kept: { answer: Answer; shown: Shown } | undefined;
let reported = 0;

function report(fraction: number): void {
  const now = performance.now();
  if (now - reported < BETWEEN_REPORTS) return;
  reported = now;
  scope.postMessage({ kind: "progress", fraction });
}

function started(): Engine {
  if (engine === undefined) throw new Error("the engine has not started");
  return engine;
}

async function run(asked: Native): Promise<Answer> {
  if (server !== undefined) return askServer(server, asked, report);
  return started().run(asked.plan, BigInt(asked.seed), asked.labels, asked.from, asked.until);
}

async function answer(question: Exclude<Question, { kind: "start" }>): Promise<Reply> {
  reported = performance.now();
  switch (question.kind) {
    case "run": {
      kept = undefined;
      const started = performance.now();
      const answer = await run(question.native);
      const engineTime = performance.now() - started;
      kept = { answer, shown: question.shown };
      const view = viewOf(answer, question.shown, question.span);
      return { kind: "run", id: question.id, outcome: answer.outcome, events: answer.events, notices: answer.notices, engineTime, view };
    }
    case "view":
      if (kept === undefined) throw new Error("there is no run");
      return { kind: "view", id: question.id, view: viewOf(kept.answer, kept.shown, question.span) };
    case "packets":
      return { kind: "packets", id: question.id, moments: momentsOf(await run(question.native)) };
    case "script":
      return { kind: "script", id: question.id, found: started().script(question.script, question.transport, BigInt(question.seed)) };
  }
}

async function hear(data: Question): Promise<void> {
  if (data.kind === "start") {
    engine = await Engine.of(data.module, report);
    server = data.server;
    scope.postMessage({ kind: "ready" });
    return;
  }
  try {
    scope.postMessage(await answer(data));
  } catch (error) {
    const trapped = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    const message = trapped ? "memory: the run needs more memory than a page has; simulate fewer flows or a shorter time" : String((error as Error).message);
    scope.postMessage({ kind: "error", id: data.id, message });
    if (trapped) close();
  }
}

scope.onmessage = ({ data }) => void hear(data);
