// What Python's `ackclock.lab.catalogue` gives the page.

import type { Script } from "./conform";
import type { Exercise } from "./exercise";
import type { Field, Schemas } from "./reading";

export interface Parameter {
  readonly name: string;
  readonly doc: string;
  readonly kind: "number" | "whole" | "time" | "rate" | "choice" | "flag";
  /** Of an option of TCP, it is in the table `Tcp`. */
  readonly schema?: Field;
  readonly choices?: readonly string[];
  /** A word that is allowed instead of a time or a rate. */
  readonly or?: string | null;
}

export interface Entry {
  readonly doc: string;
  readonly parameters: readonly Parameter[];
}

export interface Variant {
  readonly doc: string;
  /** The loss recovery that the name fixes; with null, the option of that name selects it. */
  readonly recovery: string | null;
  readonly congestion: string;
  readonly era: string;
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Tables = { [name: string]: Json };

export type Recoveries = Readonly<Record<string, readonly (readonly [readonly (string | number)[], Json])[]>>;

export interface Catalogue {
  readonly version: string;
  readonly revision: string;
  readonly profiles: Readonly<Record<string, string>>;
  readonly variants: Readonly<Record<string, Variant>>;
  readonly laws: Readonly<Record<string, Entry>>;
  readonly queues: Readonly<Record<string, Entry>>;
  readonly gauges: Readonly<Record<string, { readonly unit: string; readonly doc: string }>>;
  /** What the measures of runs and groups mean, by name. */
  readonly measures: Readonly<Record<string, string>>;
  readonly options: readonly Parameter[];
  /** The tables of a scenario. */
  readonly tables: Schemas;
  /** For each recovery, the places in a plan's transport that follow an option of TCP. */
  readonly follows: Readonly<Record<string, Readonly<Record<string, readonly (readonly (string | number)[])[]>>>>;
  /** For each profile and variant, the recoveries that are allowed, with the values that each changes in the transport. */
  readonly recoveries: Readonly<Record<string, Readonly<Record<string, Recoveries>>>>;
  /** A plan's transport for each profile and variant, and a plan's queue for each profile and discipline. */
  readonly transports: Readonly<Record<string, Readonly<Record<string, Tables>>>>;
  readonly disciplines: Readonly<Record<string, Readonly<Record<string, Tables>>>>;
  /** For each profile, the parameters of disciplines whose default is the packet size. */
  readonly sized: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The limit of a queue, in packets, if a scenario gives none. */
  readonly room: Readonly<Record<string, number>>;
  readonly stories: readonly Story[];
  readonly exercises: readonly Exercise[];
  readonly scripts: readonly Script[];
  /** A law in Python, whose page is served. */
  readonly law?: OwnLaw;
}

/** A law in Python, as `law_for_page` describes it. */
export interface OwnLaw {
  /** As in a scenario: `FILE:CLASS`. */
  readonly law: string;
  readonly name: string;
  readonly doc: string;
  readonly parameters: readonly Parameter[];
  readonly defaults: Tables;
  /** A plan's transport with this law for each profile and each variant, which has further defaults. */
  readonly transports: Catalogue["transports"];
  readonly recoveries: Catalogue["recoveries"];
}

export interface Story {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly toml: string;
  readonly seed: string;
  /** The part of the run that is shown first, in seconds. */
  readonly zoom?: readonly [number, number];
  /** A change that shows the point of the story beside it, as in `ackclock run --set`. */
  readonly beside?: Readonly<Record<string, string>>;
}
