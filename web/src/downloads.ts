// What the page gives to take away: the scenario as TOML and as Python, and the numbers.

import type { Drawn } from "./panel";

export function save(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const tomlOf = (toml: string, seed: string): string => `# ackclock run lab.toml --seed ${seed}\n${toml.trimEnd()}\n`;

export function pythonOf(toml: string, seed: string): string {
  const text = toml.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
  return `import tomllib

import ackclock as ac

SCENARIO = """
${text.trimEnd()}
"""

scenario = ac.Scenario.from_dict(tomllib.loads(SCENARIO))
run = ac.simulate(scenario, seed=${seed}, record=["windows", "queue", "arrivals", "drops"])
print(run.summary)
for notice in run.notices:
    print(notice)
`;
}

/** The summary of each group and of all, as CSV. */
export function tableOf(drawn: Drawn | undefined): string {
  if (drawn === undefined) return "";
  const { outcome, scenario } = drawn;
  const names = [...new Set([outcome.summary, ...outcome.groups].flatMap((measures) => Object.keys(measures)))];
  const rows = [["all", outcome.summary] as const, ...outcome.groups.map((group, place) => [scenario.groups[place]?.name ?? "", group] as const)];
  return [["group", ...names], ...rows.map(([name, measures]) => [name, ...names.map((measure) => measures[measure] ?? "")])].map((row) => `${row.join(",")}\n`).join("");
}
