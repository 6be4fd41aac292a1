// Scripts in the language of packetdrill: what the engine says about them, and the sender that a script demands. The sender
// equals the one of `ackclock conform` (python/ackclock/conformance/running.py); tests compare the results.

import type { Catalogue, Json, Tables } from "./catalogue";
import { describe } from "./plan";
import { ScenarioError } from "./reading";

/** A script of `examples/conformance`. */
export interface Script {
  /** Folder and name without suffix. */
  readonly name: string;
  readonly text: string;
}

export interface Inexpressible {
  readonly line: number;
  readonly reason: string;
}

/** What a script demands of its sender, each demand with its line. */
export interface Setup {
  readonly law: readonly [string, number] | null;
  readonly profile: readonly [string, number] | null;
  readonly options: Readonly<Record<string, readonly [Json, number]>>;
  readonly ecn: readonly ["classic" | "accurate", number] | null;
  readonly packet_size: number;
  readonly refused: Inexpressible | null;
}

export type Verdict =
  | { readonly verdict: "equal" }
  | { readonly verdict: "differs"; readonly line: number; readonly time: number; readonly expected: string; readonly found: string }
  | ({ readonly verdict: "inexpressible" } & Inexpressible);

export interface ScriptOutcome {
  readonly verdict: Verdict;
  readonly compared: { readonly packets: number; readonly assertions: number };
  readonly skipped: readonly Inexpressible[];
}

/** How an event relates to the script: see `Status` in crates/conform/src/picture.rs. */
export type Status = "given" | "met" | "wrong" | "missing" | "free";

export type Shape =
  | { readonly kind: "segment"; readonly start: number; readonly end: number; readonly retransmission?: boolean; readonly lost?: boolean; readonly ce?: boolean; readonly cwr?: boolean }
  | { readonly kind: "ack"; readonly ack: number; readonly limit?: number; readonly sacks?: readonly (readonly [number, number])[]; readonly ece?: boolean }
  | { readonly kind: "assertion"; readonly text: string };

export type PictureEvent = Shape & { readonly time: number; readonly until?: number; readonly line?: number; readonly status: Status };

export interface Pause {
  readonly from: number;
  readonly until: number;
  readonly shown: number;
}

export interface Picture {
  readonly events: readonly PictureEvent[];
  readonly pauses: readonly Pause[];
  readonly truncated: boolean;
}

export interface Conformance {
  readonly outcome: ScriptOutcome;
  readonly picture: Picture;
}

/** A profile and a congestion control instead of those of the script. */
export interface Chosen {
  readonly profile?: string | undefined;
  readonly variant?: string | undefined;
}

const USUAL = { profile: "linux", variant: "cubic" };
const LINK = { rate: "1 Gbps", delay: "1 ms" };
const AT = "clients.0.transport.";

/** A demand of a script that no option of the sender meets. */
export class DemandError extends Error {
  constructor(readonly line: number, reason: string) {
    super(reason);
  }
}

/** The sender and the receiver that a script demands, as in a plan. */
export function transportFor(setup: Setup, chosen: Chosen, catalogue: Catalogue): Tables {
  if (setup.refused !== null) throw new DemandError(setup.refused.line, setup.refused.reason);
  const [profile, profileLine] = chosen.profile === undefined ? (setup.profile ?? [USUAL.profile, 1]) : [chosen.profile, 1];
  if (!Object.hasOwn(catalogue.profiles, profile)) throw new DemandError(profileLine, `there is no profile ${profile}`);
  const lines: Record<string, number> = Object.fromEntries(Object.entries(setup.options).map(([option, [, line]]) => [option, line]));
  const handshake = lines["payload"] ?? 1;
  const [variant, lawLine] = chosen.variant === undefined ? (setup.law ?? [USUAL.variant, handshake]) : [chosen.variant, handshake];
  const known = Object.hasOwn(catalogue.variants, variant) ? catalogue.variants[variant] : undefined;
  if (known === undefined) throw new DemandError(lawLine, `the congestion control ${variant} is not modelled`);
  const usual = (catalogue.transports[profile]?.[variant]?.["sender"] ?? {}) as Tables;
  const demanded: Tables = Object.fromEntries(Object.entries(setup.options).map(([option, [value]]) => [option, value]));
  if ("sack_blocks" in demanded && usual["rack"] !== "linux") {
    // RFC 8985 needs SACK
    demanded["recovery"] = "newreno";
    lines["recovery"] = lines["sack_blocks"] ?? handshake;
    delete demanded["sack_blocks"];
  }
  const mode = setup.ecn?.[0] ?? "off";
  lines["ecn"] = setup.ecn?.[1] ?? handshake;
  demanded["ecn"] = mode === "classic" && usual["ecn"] === "dctcp" ? "dctcp" : mode;
  // fq leaves the rate of a socket that sets one
  if (usual["pacing"] === "law") delete demanded["pacing"];
  if (known.recovery !== null && known.recovery === demanded["recovery"]) delete demanded["recovery"];
  const scenario = {
    profile, duration: "1 s", packet_size: setup.packet_size,
    dumbbell: { bottleneck: { ...LINK, queue: { kind: "droptail", packets: 100 } }, access: LINK },
    clients: [{ transport: { kind: "tcp", variant, ...demanded }, source: { kind: "greedy" } }],
  };
  try {
    const [group] = describe(scenario, catalogue).plan["groups"] as Tables[];
    return group?.["transport"] as Tables;
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const reason = error.message.replace(AT, "");
    throw new DemandError(lines[reason.split(":", 1)[0] ?? ""] ?? handshake, reason);
  }
}

/** The answer for a script that demands what is not modelled. */
export const refused = ({ line, message }: DemandError): Conformance => ({
  outcome: { verdict: { verdict: "inexpressible", line, reason: message }, compared: { packets: 0, assertions: 0 }, skipped: [] },
  picture: { events: [], pauses: [], truncated: false },
});
