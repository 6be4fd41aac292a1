// The engine in Node, for tests/lab: answers each line of JSON on standard input by one line.
//
// {"script": text, "profile": name, "variant": name} gives the result of a script; without names, those that it demands.
// {"scenario": tables, "seed": text} gives the plan of the scenario, the notices of its run and its bars of
// goodput; {"given": document} gives the plan of a document of `ackclock lab` with its edits, and the edited scenario;
// {"plan": text, "seed": text} gives the outcome, and each column as the hexadecimal SHA-256 of its bytes.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import type { Catalogue } from "../src/catalogue";
import { DemandError, refused, transportFor } from "../src/conform";
import { type Answer, Engine } from "../src/engine";
import { describe } from "../src/plan";
import { type Given, describeGiven, editedScenario, isGiven } from "../src/given";
import { requestOf } from "../src/request";
import { type Shown, viewOf } from "../src/view";
import { digests } from "./digests";

const [wasm = "", described = ""] = process.argv.slice(2);
const engine = await Engine.of(await WebAssembly.compile(readFileSync(wasm)));
const catalogue = JSON.parse(readFileSync(described, "utf8")) as Catalogue;

interface Question {
  readonly script?: string;
  readonly profile?: string;
  readonly variant?: string;
  readonly scenario?: unknown;
  readonly given?: Given;
  readonly plan?: string;
  readonly seed?: string;
}

function conform(script: string, chosen: { profile?: string | undefined; variant?: string | undefined }): unknown {
  try {
    return engine.script(script, transportFor(engine.setup(script), chosen, catalogue), 1n);
  } catch (error) {
    if (error instanceof DemandError) return refused(error);
    throw error;
  }
}

/** For each link of a dumbbell, its highest rate, the highest bar of goodput, and the bits in all bars. */
function goodputOf(answer: Answer, shown: Shown): unknown {
  const { bands, x } = viewOf(answer, shown, { from: 0, until: shown.duration, columns: 100 }).goodput;
  return (["forward", "reverse"] as const).map((link) => {
    const own = bands.filter(({ group }) => shown.groups[group]?.crosses === link);
    const sums = Array.from(x, (_, bin) => own.reduce((sum, { values }) => sum + (values[bin] ?? 0), 0));
    const width = shown.duration / x.length;
    return { rate: Math.max(...shown.courses[link].rates), most: Math.max(...sums), bits: sums.reduce((sum, value) => sum + value * width, 0) };
  });
}

function answer({ script, profile, variant, scenario, given, plan, seed = "1" }: Question): unknown {
  if (script !== undefined) return conform(script, { profile, variant });
  if (given !== undefined) {
    if (!isGiven(given)) throw new Error("not a document");
    return { plan: describeGiven(given, catalogue).plan, scenario: editedScenario(given) };
  }
  if (scenario !== undefined) {
    const found = describe(scenario, catalogue);
    const { plan, shown } = requestOf(found);
    const answer = engine.run(plan, BigInt(seed), JSON.stringify(found.labels));
    return { plan: found.plan, notices: answer.notices, goodput: goodputOf(answer, shown) };
  }
  const before = process.cpuUsage();
  const answer = engine.run(plan ?? "", BigInt(seed));
  const { user, system } = process.cpuUsage(before);
  const time = (user + system) / 1e6;
  return { outcome: answer.outcome, events: answer.events, time, tables: digests(answer, (bytes) => createHash("sha256").update(bytes).digest("hex")) };
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(answer(JSON.parse(line) as Question)));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
