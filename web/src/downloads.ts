// What the page gives to take away: the scenario as TOML and as Python, the numbers, and the figure.

import type { Drawn } from "./panel";
import type { Plot } from "./plot";

/** What a picture file needs of a plot. */
export type Figure = Pick<Plot, "canvas" | "name" | "keys">;

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

/** All plots below each other, runs side by side. */
export async function figureOf(runs: readonly (readonly Figure[])[], paper: string, ink: string): Promise<Blob> {
  const ratio = devicePixelRatio;
  const title = 20 * ratio;
  const columns = runs.map((plots) => plots.flatMap((plot) => (plot.canvas === undefined ? [] : [{ plot, canvas: plot.canvas }])));
  const widths = columns.map((column) => Math.max(0, ...column.map(({ canvas }) => canvas.width)));
  const heights = columns.map((column) => column.reduce((sum, { canvas }) => sum + canvas.height + title, 0));
  const margin = 12 * ratio;
  const figure = document.createElement("canvas");
  figure.width = widths.reduce((sum, width) => sum + width + margin, margin);
  figure.height = Math.max(...heights) + 2 * margin;
  const context = figure.getContext("2d");
  if (context === null) throw new Error("figure: the browser cannot draw it");
  context.fillStyle = paper;
  context.fillRect(0, 0, figure.width, figure.height);
  let left = margin;
  for (const [place, column] of columns.entries()) {
    let top = margin;
    for (const { plot, canvas } of column) {
      context.fillStyle = ink;
      context.font = `600 ${12 * ratio}px system-ui, sans-serif`;
      context.fillText(plot.name, left, top + 13 * ratio);
      let at = left + context.measureText(plot.name).width + 14 * ratio;
      context.font = `${11 * ratio}px system-ui, sans-serif`;
      for (const { label, stroke } of plot.keys) {
        context.fillStyle = stroke;
        context.fillRect(at, top + 7 * ratio, 12 * ratio, 3 * ratio);
        context.fillStyle = ink;
        context.fillText(label, at + 16 * ratio, top + 13 * ratio);
        at += context.measureText(label).width + 30 * ratio;
      }
      context.drawImage(canvas, left, top + title);
      top += canvas.height + title;
    }
    left += (widths[place] ?? 0) + margin;
  }
  return new Promise((resolve, reject) => figure.toBlob((blob) => (blob === null ? reject(new Error("figure: the browser cannot write it")) : resolve(blob)), "image/png"));
}
