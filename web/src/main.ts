// Starts the page: its menus, and what it opens first.

import "uplot/dist/uPlot.min.css";
import "./style.css";

import { parse as parseToml } from "smol-toml";

import type { Catalogue, OwnLaw, Tables } from "./catalogue";
import { byId, element } from "./dom";
import { pythonOf, save, tableOf } from "./downloads";
import { Engine } from "./engine";
import { isGiven } from "./given";
import { Lab } from "./lab";
import { pngOf, svgOf } from "./pictures";
import { type Scene, sceneOfAddress, sceneOfExercise, sceneOfGiven, sceneOfStory, seedOf } from "./scene";
import { read } from "./share";
import { Sharing } from "./sharing";
import { contentOf } from "./unpack";

const [STORY, EXERCISE] = [byId<HTMLSelectElement>("story"), byId<HTMLSelectElement>("exercises")];

/** Shows in the menus what is open. */
function select(scene: Scene | undefined): void {
  STORY.value = scene?.story ?? "";
  EXERCISE.value = scene?.exercise === undefined ? "" : String(scene.exercise.number);
}

function menus(lab: Lab, catalogue: Catalogue): void {
  STORY.append(element("option", { value: "" }, "choose a story"), ...catalogue.stories.map(({ name, title }, place) => element("option", { value: name }, `${place + 1}. ${title}`)));
  STORY.addEventListener("change", () => {
    const chosen = catalogue.stories.find(({ name }) => name === STORY.value);
    if (chosen !== undefined) lab.show(sceneOfStory(chosen));
  });
  EXERCISE.append(element("option", { value: "" }, "choose an exercise"), ...catalogue.exercises.map(({ number, title }) => element("option", { value: String(number) }, `${number}. ${title}`)));
  EXERCISE.addEventListener("change", () => {
    const chosen = catalogue.exercises.find(({ number }) => String(number) === EXERCISE.value);
    if (chosen !== undefined) lab.show(sceneOfExercise(chosen));
  });
  const sharing = new Sharing(() => lab.address(), () => (lab.script.isShown ? undefined : lab.toml()), (text) => lab.say(text));
  byId("share").addEventListener("click", () => void sharing.share());
  const menu = byId<HTMLDetailsElement>("downloads");
  const download = (id: string, act: () => void): void =>
    byId(id).addEventListener("click", () => {
      menu.open = false;
      act();
    });
  download("toml", () => save("lab.toml", "text/plain", lab.toml()));
  download("python", () => save("lab.py", "text/plain", pythonOf(lab.toml(), lab.seed)));
  download("table", () => save("lab.csv", "text/csv", tableOf(lab.drawn)));
  download("packetdrill", () => save("lab.pkt", "text/plain", lab.script.source));
  download("figure", () => void pngOf(lab.figures).then((blob) => save("lab.png", "image/png", blob)));
  download("vector", () => save("lab.svg", "image/svg+xml", svgOf(lab.figures)));
  addEventListener("hashchange", () => void open(lab, catalogue, location.hash));
  document.addEventListener("click", (event) => {
    if (menu.open && !menu.contains(event.target as Node)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    sharing.hide();
  });
}

/** Opens what an address has after `#` or `?`. Returns whether it has anything. */
async function open(lab: Lab, catalogue: Catalogue, part: string): Promise<boolean> {
  try {
    const address = await read(part);
    if (address === undefined) return false;
    if (address.script !== undefined || address.scriptName !== undefined) lab.showScript(lab.script.of(address, seedOf(address.seed)));
    else lab.show(sceneOfAddress(address, catalogue));
  } catch (error) {
    lab.fail(`The link cannot be opened. ${(error as Error).message.split("\n")[0] ?? ""}`);
    const [first] = catalogue.stories;
    if (lab.isEmpty && first !== undefined) lab.show({ title: "", text: "", state: { change: { tables: parseToml(first.toml) as Tables, seed: first.seed } } }, true);
  }
  return true;
}

/** Begins with what the address, or else the file, or else the first story has. */
async function begin(lab: Lab, catalogue: Catalogue, given: unknown): Promise<void> {
  if (await open(lab, catalogue, location.hash) || await open(lab, catalogue, location.search)) return;
  const { address } = (given ?? {}) as { address?: unknown };
  if (typeof address === "string" && await open(lab, catalogue, address)) return;
  if (isGiven(given)) return lab.show(sceneOfGiven(given, catalogue));
  const [first] = catalogue.stories;
  const { law } = catalogue;
  if (first === undefined) return;
  if (law === undefined) return lab.show(sceneOfStory(first));
  const tables = parseToml(first.toml) as Tables;
  for (const group of tables["clients"] as Tables[]) group["transport"] = { kind: "tcp", law: law.law };
  lab.show({ title: "", text: "", state: { change: { tables, seed: first.seed } } });
}

async function start(): Promise<void> {
  // on a narrow screen the settings would cover the plots
  byId<HTMLDetailsElement>("settings").open = matchMedia("(min-width: 761px)").matches;
  const [wasm, described] = [contentOf("engine"), contentOf("catalogue")];
  const law = JSON.parse(byId("law").textContent ?? "null") as OwnLaw | null;
  const catalogue = { ...(JSON.parse(new TextDecoder().decode(described)) as Catalogue), ...(law === null ? {} : { law }) };
  if (law !== null) {
    byId("about").textContent = `Each change runs ${law.law.replace(/^.*[/\\]/, "")} as it is saved then, on this machine. Reload the page for new parameters.`;
    // no other machine reaches this address
    byId("share").hidden = true;
    // the engine of the page does not run the law
    for (const id of ["scripts", "exercises"]) byId(id).closest("label")?.setAttribute("hidden", "");
  }
  const module = await WebAssembly.compile(wasm);
  const lab = new Lab(catalogue, module, await Engine.of(module), select);
  menus(lab, catalogue);
  await begin(lab, catalogue, JSON.parse(byId("given").textContent ?? "null") as unknown);
}

void start();
