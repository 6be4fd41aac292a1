// Asks the server of `ackclock lab --law` to run a scenario natively (python/ackclock/lab/serving.py).

import type { Tables } from "./catalogue";
import { type Answer, decoded } from "./engine";

/** Progress is one byte from 1 to this; a zero comes before the answer. */
const PROGRESS = 200;

export interface Native {
  readonly scenario: Tables;
  readonly plan: string;
  readonly seed: string;
  /** For notices, which a server writes without them. */
  readonly labels?: string;
  readonly from?: number;
  readonly until?: number;
}

export async function askServer(address: string, asked: Native, progress: (fraction: number) => void): Promise<Answer> {
  const { duration, measure, records } = JSON.parse(asked.plan) as Tables;
  const body = JSON.stringify({ ...asked, plan: { duration, measure, records } });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let status = 0;
  try {
    const response = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    status = response.status;
    const reader = response.body?.getReader();
    let begun = status !== 200;
    for (;;) {
      const value = (await reader?.read())?.value;
      if (value === undefined) break;
      const zero = begun ? -1 : value.indexOf(0);
      if (begun) parts.push(value);
      else if (zero < 0) progress((value.at(-1) ?? 0) / PROGRESS);
      else parts.push(value.slice(zero + 1));
      begun ||= zero >= 0;
    }
  } catch {
    throw new Error("server: `ackclock lab` does not answer; start it again, and open the address that it prints");
  }
  const answer = await new Blob(parts).arrayBuffer();
  if (status !== 200) throw new Error(`server: ${new TextDecoder().decode(answer)}`);
  return decoded(answer, 0, answer.byteLength);
}
