// The engine in the built page, for tests in Chromium: runs a plan and gives the outcome and digests of all columns.

import { Engine } from "../src/engine";
import { contentOf } from "../src/unpack";
import { digests } from "./digests";

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

let engine: Promise<Engine> | undefined;

const loaded = async (): Promise<Engine> => Engine.of(await WebAssembly.compile(contentOf("engine")));

async function run(plan: string, seed: string): Promise<unknown> {
  const answer = (await (engine ??= loaded())).run(plan, BigInt(seed));
  const columns = digests(answer, sha256);
  const tables: Record<string, Record<string, string>> = {};
  for (const [name, table] of Object.entries(columns)) {
    tables[name] = {};
    for (const [column, digest] of Object.entries(table)) tables[name][column] = await digest;
  }
  return { outcome: answer.outcome, tables };
}

Object.assign(globalThis, { runPlan: run });
