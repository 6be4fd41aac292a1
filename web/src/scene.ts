// What the page can open: a story, an exercise, a scenario in an address, or the scenario of `ackclock lab FILE`. A scene
// has the state of the run B, and perhaps that of a pinned run A.

import { parse as parseToml, stringify } from "smol-toml";

import type { Catalogue, Json, Story, Tables } from "./catalogue";
import type { Exercise } from "./exercise";
import { type Given, assign, describeGiven, editedScenario, isGiven } from "./given";
import type { Change } from "./knobs";
import { describe } from "./plan";
import { type Address, packed } from "./share";

const MOST_SEED = 2n ** 64n;

/** A scenario: tables of TOML, or a document of `ackclock lab` with what was changed in it. */
export interface State {
  readonly change: Change;
  readonly given?: Given;
}

export interface Scene {
  readonly title: string;
  readonly text: string;
  readonly state: State;
  /** The run A beside it. */
  readonly pinned?: State;
  readonly zoom?: readonly [number, number];
  readonly story?: string;
  readonly exercise?: Exercise;
  /** Whether the words are about other settings, as in an address that was shared after a change. */
  readonly changed?: boolean;
}

export const scenarioOf = ({ change, given }: State): Tables => (given === undefined ? change.tables : editedScenario(given));

export function sceneOfStory({ name, title, text, toml, seed, zoom, beside }: Story): Scene {
  const tables = parseToml(toml) as Tables;
  const state = { change: { tables, seed } };
  const shown = { title, text, story: name, ...(zoom === undefined ? {} : { zoom }) };
  if (beside === undefined) return { ...shown, state };
  const values = Object.fromEntries(Object.entries(beside).map(([path, value]) => [path, (parseToml(`value = ${value}`) as Tables)["value"] ?? null]));
  return { ...shown, pinned: state, state: { change: { tables: changed(tables, values), seed } } };
}

export function sceneOfExercise(exercise: Exercise): Scene {
  const { number, title, toml, seed } = exercise;
  return { title: `Exercise ${number}: ${title}`, text: "", exercise, state: { change: { tables: parseToml(toml) as Tables, seed } } };
}

/** A scenario with some fields changed, by their paths. */
export function changed(tables: Tables, values: Readonly<Record<string, Json>>): Tables {
  const made = structuredClone(tables);
  for (const [path, value] of Object.entries(values)) assign(made, path.split("."), structuredClone(value));
  return made;
}

/** The scene of a document of `ackclock lab FILE`. */
export function sceneOfGiven(given: Given, catalogue: Catalogue): Scene {
  const change = { tables: given.scenario, seed: seedOf(given.seed) };
  // a scenario that the page can read has all settings
  let plain = false;
  try {
    plain = isSame(describe(given.scenario, catalogue).plan, { ...describeGiven(given, catalogue).plan, records: [], captures: [] });
  } catch {
    plain = false;
  }
  return { title: given.name, text: given.text ?? "", state: plain ? { change } : { change, given } };
}

/** The scene of an address that names no script. */
export function sceneOfAddress(address: Address, catalogue: Catalogue): Scene {
  const { title = "", text = "", zoom, changed = false } = address;
  if (address.story !== undefined) {
    const story = catalogue.stories.find(({ name }) => name === address.story);
    if (story === undefined) throw new Error(`story: there is no story '${address.story.slice(0, 40)}'`);
    return sceneOfStory(story);
  }
  const shown = { title, text, changed, ...(zoom === undefined ? {} : { zoom }) };
  if (address.document !== undefined) {
    const document: unknown = JSON.parse(address.document);
    if (!isGiven(document)) throw new Error("the address does not contain a scenario of this page");
    return { ...shown, ...sceneOfGiven(document, catalogue) };
  }
  const exercise = address.exercise === undefined ? undefined : sceneOfExercise(exerciseOf(address.exercise, catalogue));
  if (exercise !== undefined && address.toml === undefined) return exercise;
  const stateOf = (toml: string, seed: string): State => ({ change: { tables: parseToml(toml) as Tables, seed: seedOf(seed) } });
  return {
    ...(exercise ?? shown),
    state: stateOf(address.toml ?? "", address.seed),
    ...(address.pinned === undefined ? {} : { pinned: stateOf(address.pinned, address.pinnedSeed ?? address.seed) }),
  };
}

function exerciseOf(number: string, { exercises }: Catalogue): Exercise {
  const exercise = exercises.find((each) => String(each.number) === number);
  if (exercise === undefined) throw new Error(`exercise: there is no exercise '${number.slice(0, 40)}'; must be from 1 to ${exercises.length}`);
  return exercise;
}

/** The part of an address after `#` that opens a scene again. */
export async function addressOf({ title, text, changed: isChanged, state: { change, given }, pinned, zoom, exercise }: Scene): Promise<string> {
  const content = given === undefined ? `s=${await packed(stringify(change.tables))}&seed=${change.seed}` : `d=${await packed(JSON.stringify({ ...given, seed: change.seed }))}`;
  const isPinned = pinned !== undefined && pinned.given === undefined && given === undefined;
  const beside = isPinned ? `&a=${await packed(stringify(pinned.change.tables))}&aseed=${pinned.change.seed}` : "";
  const words = exercise !== undefined ? `&exercise=${exercise.number}` : title === "" || given !== undefined ? "" : `&w=${await packed(`${title}\n${text}`)}${isChanged === true ? "&changed=1" : ""}`;
  return `${content}${beside}${words}${zoom === undefined ? "" : `&zoom=${zoom.map((time) => Number(time.toFixed(6))).join("-")}`}`;
}

export function seedOf(text: string): string {
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) >= MOST_SEED) throw new Error(`seed: '${text.slice(0, 30)}' is not allowed; must be an integer from 0 to 18446744073709551615`);
  return String(BigInt(text));
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return names.length === others.length && names.every((name) => isSame((a as Tables)[name], (b as Tables)[name]));
}
