"""The study as one value."""

from __future__ import annotations

from ackclock.papers.comparison import Tolerance, compare, named, statement
from ackclock.papers.core.evidence import Runs
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.vegas.claims import CLAIMS
from ackclock.papers.vegas.evidence import by_part, places, runs_at
from ackclock.papers.vegas.experiment import DEFINITION
from ackclock.papers.vegas.figures import LINES, MAPS, SWINGS, cause_lines
from ackclock.papers.vegas.measures import KINDS
from ackclock.report.html import Statement

TOLERANCES = [
    Tolerance(title=f"goodput of a {kind.capitalize()} client", measure=named(f"{kind}_goodput"), relative=0.05)
    for kind in KINDS
]


def agreement_statement(ours: Runs, theirs: Runs) -> Statement:
    """Summarise the agreement of our runs with ns-2's."""
    points = len({tuple(row.where.items()) for row in theirs.part("places")})
    return statement(
        compare(ours.part("places"), theirs.part("places"), TOLERANCES),
        what=f"the goodput of a Reno client and of a Vegas client at {points} points",
        margin="5 % of the goodput",
    )


PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    parts=lambda: [runs_at(places())],
    derived=by_part,
    ns2=lambda: ns2_runs("vegas"),
    statements=lambda evidence: [agreement_statement(evidence.ours, evidence.ns2)],
    overview=cause_lines,
    chapters=[
        Chapter(title="The map", figures=MAPS),
        Chapter(
            title="Effect of the buffer",
            text="Half of the clients run Vegas. The figures vary their start, the gateway and the application.",
            figures=LINES,
        ),
        Chapter(title="Oscillations and losses", figures=SWINGS),
    ],
    provenance=lambda _: [("ns-2", "ns-2.35 (Debian 2.35+dfsg-5), unmodified")],
)
