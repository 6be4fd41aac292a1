"""The study as one value."""

from __future__ import annotations

from ackclock.papers.core.definition import Definition
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.vegas.claims import CLAIMS, TOPICS
from ackclock.papers.vegas.comparison import agreement_statement
from ackclock.papers.vegas.evidence import by_part, places, runs_at
from ackclock.papers.vegas.figures import cause_lines
from ackclock.papers.vegas.line_figures import line_drawings, swing_drawings
from ackclock.papers.vegas.map_figures import map_drawings

PAPER = Paper(
    definition=Definition("ackclock.papers.vegas"),
    claims=CLAIMS,
    topics=TOPICS,
    parts=lambda: [runs_at(places())],
    derived=by_part,
    ns2=lambda: ns2_runs("vegas"),
    statements=lambda evidence: [agreement_statement(evidence)],
    overview=cause_lines,
    chapters=[
        Chapter(title="The map", figures=[map_drawings]),
        Chapter(
            title="Along the buffer",
            text="Lines through the map at half Vegas, at every start and behind both gateways, and one against one.",
            figures=[line_drawings],
        ),
        Chapter(title="What swings, and what is lost", figures=[swing_drawings]),
    ],
    provenance=lambda _: [("ns-2", "ns-2.35 (Debian 2.35+dfsg-5), unmodified")],
)
