// Runs a scenario for its numbers only, beside the runs that the page shows.

import type { Catalogue, Tables } from "./catalogue";
import type { Judged } from "./condition";
import { describe } from "./plan";
import { requestOf } from "./request";
import { Runner } from "./runner";

export async function ranOnce(tables: Tables, seed: string, catalogue: Catalogue, module: WebAssembly.Module): Promise<Judged> {
  const scenario = describe(tables, catalogue);
  const { plan, shown } = requestOf(scenario);
  return new Promise((resolve, reject) => {
    const runner = new Runner(module, undefined, (reply) => {
      if (reply.kind === "run") resolve({ scenario, outcome: reply.outcome });
      else reject(new Error(reply.kind === "error" ? reply.message : "the run has no numbers"));
      runner.end();
    }, () => undefined);
    runner.ask({ kind: "run", id: 1, native: { scenario: tables, plan, seed }, shown, span: { from: 0, until: shown.duration, columns: 100 } });
  });
}
