// A worker with the engine. A newer question replaces one that waits; one that takes long is abandoned with its worker.

import type { Question, Reply } from "./worker";
import EngineWorker from "./worker?worker&inline";

type Asked = Exclude<Question, { kind: "start" }>;

/** Time for which an outdated run may still end by itself, in ms. */
const PATIENCE = 250;

export class Runner {
  private worker: Worker;
  private isReady = false;
  private asked: { question: Asked; since: number } | undefined;
  private waiting: Asked | undefined;
  private timer = 0;

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly server: string | undefined,
    private readonly heard: (reply: Exclude<Reply, { kind: "ready" | "progress" }>) => void,
    private readonly progressed: (fraction: number) => void,
  ) {
    this.worker = this.started();
  }

  private started(): Worker {
    const worker = new EngineWorker();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.hear(worker, data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.worker) this.restart();
    };
    worker.postMessage({ kind: "start", module: this.module, server: this.server } satisfies Question);
    return worker;
  }

  private hear(worker: Worker, reply: Reply): void {
    if (worker !== this.worker) return;
    if (reply.kind === "progress") {
      this.progressed(reply.fraction);
      return;
    }
    if (reply.kind === "ready") this.isReady = true;
    else {
      this.asked = undefined;
      if (this.waiting === undefined || reply.kind !== "error") this.heard(reply);
      if (reply.kind === "error" && reply.message.startsWith("memory: the run needs more memory than a page")) this.restart();
    }
    this.next();
  }

  private next(): void {
    if (!this.isReady || this.asked !== undefined || this.waiting === undefined) return;
    this.asked = { question: this.waiting, since: performance.now() };
    this.worker.postMessage(this.waiting);
    this.waiting = undefined;
  }

  get isBusy(): boolean {
    return this.asked !== undefined || this.waiting !== undefined;
  }

  ask(question: Asked): void {
    this.waiting = question;
    clearTimeout(this.timer);
    if (this.asked !== undefined && (question.kind === "run" || question.kind === "script")) {
      const left = PATIENCE - (performance.now() - this.asked.since);
      this.timer = window.setTimeout(() => this.restart(), Math.max(0, left));
    }
    this.next();
  }

  /** Ends what runs; what waits is asked again. */
  private restart(): void {
    if (!this.isReady || (this.asked === undefined && this.waiting === undefined)) return;
    clearTimeout(this.timer);
    this.worker.terminate();
    this.isReady = false;
    this.asked = undefined;
    this.worker = this.started();
  }

  cancel(): void {
    this.waiting = undefined;
    if (this.asked !== undefined) {
      this.worker.terminate();
      this.isReady = false;
      this.asked = undefined;
      this.worker = this.started();
    }
  }

  end(): void {
    clearTimeout(this.timer);
    this.worker.terminate();
  }
}
