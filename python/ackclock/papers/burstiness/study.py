"""The study as one value: parts, claims and figures."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ackclock.papers.burstiness.agreement import agreement_statement
from ackclock.papers.burstiness.claims import CLAIMS
from ackclock.papers.burstiness.close import RECORDS as DETAILED
from ackclock.papers.burstiness.close import details, push, start, starts
from ackclock.papers.burstiness.close_figures import FIGURES, close_findings
from ackclock.papers.burstiness.experiment import DEFINITION, client_packets
from ackclock.papers.burstiness.grid_figures import FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_13, OVERVIEW, WEIGHT
from ackclock.papers.burstiness.window_figures import WINDOW_FIGURES, WINDOWS, courses_verdict
from ackclock.papers.burstiness.windows import RECORDS, SEEDS, bands, course, drawn_alone
from ackclock.papers.core.evidence import Row, Runs
from ackclock.papers.core.paper import Both, Chapter, Paper
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.core.table import ns2_runs
from ackclock.report.html import Statement

LOADS = (30, 38, 39, 44, 50)
"""Client counts with detailed records of Reno; with 60 clients, all variants have detailed records."""


@functools.cache
def parts() -> Sequence[Part]:
    """Return the parts that `study.toml` does not define: detailed records, windows, starts and duplicate ACKs."""
    (grid,) = (part for part in DEFINITION.parts() if part.name == "grid")
    at = {(str(spot.where["variant"]), int(spot.where["clients"])): spot for spot in grid.spots}
    variants = dict.fromkeys(variant for variant, _ in at)
    detailed = [(variant, 60) for variant in variants] + [("Reno", clients) for clients in LOADS]

    def short(variant: str, clients: int, seconds: int) -> Spot:
        spot = at[variant, clients]
        return Spot(where=spot.where, scenario=spot.scenario.changed({"duration": f"{seconds} s"}))

    return [
        Part(name="close", spots=[at[cell] for cell in detailed], take=details, record=DETAILED),
        Part(name="windows", spots=[at[cell] for cell in WINDOWS], take=course, record=RECORDS, seeds=SEEDS),
        Part(
            name="starts",
            spots=[short(variant, 20, 1) for variant in ("UDP", "Reno")],
            take=start,
            record=[client_packets(20)],
        ),
        Part(
            name="pushes", spots=[short("Vegas/RED", 60, 40)], take=push, record=["acks", client_packets(60), "drops"]
        ),
    ]


def derived(runs: Runs) -> Runs:
    """Add the bands of the windows, the comparison of sent with generated packets, and the part `queues`."""
    made: dict[str, Sequence[Row]] = {**runs.parts}
    if "windows" in made and "bands" not in made:
        made |= {"bands": bands(made["windows"]), "windows": drawn_alone(made["windows"])}
    if "starts" in made:
        made["starts"] = starts(made["starts"])
    made.setdefault("queues", made["grid"])
    return Runs(made)


def _statements(evidence: Both) -> list[Statement]:
    ours, theirs = evidence.ours.part, evidence.ns2.part
    return [agreement_statement(ours("grid"), theirs("grid")), courses_verdict(ours("windows"), theirs("windows"))]


def _close_words(evidence: Both) -> str:
    return " ".join(close_findings(evidence.ours.part("close")))


PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    parts=parts,
    ns2=lambda: ns2_runs("burstiness"),
    derived=derived,
    statements=_statements,
    overview=lambda evidence: OVERVIEW.table(evidence.ours),
    chapters=[
        Chapter(
            title="The paper's figures",
            figures=[FIGURE_2, FIGURE_3, FIGURE_4, *(each.drawing for each in WINDOW_FIGURES), FIGURE_13],
        ),
        Chapter(title="Further measurements", text=_close_words, figures=[*FIGURES, WEIGHT]),
    ],
    provenance=lambda _: [("ns-2's points", "ns-2.35 (Debian 2.35+dfsg-5), unmodified; in the CSV files")],
)
