// The changes of the settings since a scene was opened.

import type { State } from "./scene";

/** Changes of one setting within this time, in ms, are undone together, as those of a slider that moves. */
const TOGETHER = 1000;
const MOST = 200;

export class History {
  private states: State[];
  private setting = "";
  private at = 0;

  constructor(first: State) {
    this.states = [first];
  }

  get canUndo(): boolean {
    return this.states.length > 1;
  }

  add(state: State, setting: string): void {
    const now = performance.now();
    const joins = this.canUndo && setting !== "" && setting === this.setting && now - this.at < TOGETHER;
    if (joins) this.states.pop();
    this.states.push(state);
    // the first state is kept: Reset returns to it
    if (this.states.length > MOST) this.states.splice(1, 1);
    [this.setting, this.at] = [setting, now];
  }

  /** The state before the last change. */
  undo(): State | undefined {
    if (!this.canUndo) return undefined;
    this.states.pop();
    this.setting = "";
    return this.states.at(-1);
  }

  /** The state that was opened. A reset can be undone. */
  reset(): State | undefined {
    const [first] = this.states;
    if (first === undefined || !this.canUndo) return undefined;
    this.add(first, "");
    return first;
  }
}
