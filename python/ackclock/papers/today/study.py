"""The study as one value, `PAPER`."""

from __future__ import annotations

from collections.abc import Sequence

from ackclock.papers.core.evidence import Row, Run, Runs
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.papers.core.parts import Part
from ackclock.papers.today import matrix
from ackclock.papers.today.claims import burstiness as burstiness_claims
from ackclock.papers.today.claims import cluster as cluster_claims
from ackclock.papers.today.claims import many as many_claims
from ackclock.papers.today.claims import queues as queues_claims
from ackclock.papers.today.claims import reasons as reasons_claims
from ackclock.papers.today.claims import self_similar as self_similar_claims
from ackclock.papers.today.claims import sharing as sharing_claims
from ackclock.papers.today.figures import burstiness as burstiness_figures
from ackclock.papers.today.figures import cluster as cluster_figures
from ackclock.papers.today.figures import many as many_figures
from ackclock.papers.today.figures import queues as queues_figures
from ackclock.papers.today.figures import self_similar as self_similar_figures
from ackclock.papers.today.figures import sharing as sharing_figures
from ackclock.papers.today.parts import burstiness, crowds, greedy, incast, many, marking, reasons, sharing
from ackclock.papers.today.parts.reasons import SHORT_FIFO
from ackclock.papers.today.senders import DEFINITION

CLAIMS = DEFINITION.ordered(
    [
        *burstiness_claims.CLAIMS,
        *queues_claims.CLAIMS,
        *reasons_claims.CLAIMS,
        *sharing_claims.CLAIMS,
        *many_claims.CLAIMS,
        *self_similar_claims.CLAIMS,
        *cluster_claims.CLAIMS,
    ]
)


_FIFO = "FIFO"


def parts() -> Sequence[Part]:
    """Return all parts."""
    topics = (burstiness, marking, sharing, reasons, many, greedy, incast, crowds)
    return [part for topic in topics for part in topic.parts()]


def derived(runs: Runs) -> Runs:
    """Put runs of different parts together that a rule or a figure compares.

    These are runs with 60 clients: behind FIFO, RED and a short FIFO; with one setting changed; and behind queues that
    mark. Behind FIFO DCTCP is Reno, packet for packet, and has Reno's runs for comparison.
    """
    heavy = [row for row in runs.parts.get("load", ()) if row.where["clients"] == burstiness.OVERLOAD]
    queues = runs.parts.get("queues", ())
    large = _with_dctcp([row for row in queues if row.where["queue"] == _FIFO])
    red = [*runs.parts.get("RED", ()), *_named(runs.parts.get("short FIFO", ()), "signal", SHORT_FIFO)]
    return Runs(
        {
            **runs.parts,
            "queues": [*large, *(row for row in queues if row.where["queue"] != _FIFO)],
            "FIFO and RED": [*_named(_with_dctcp(heavy), "signal", _FIFO), *red],
            "FIFO and marking": [*large, *runs.parts.get("marking", ())],
            "as it is and settings": [*_named(heavy, "setting", "as it is"), *runs.parts.get("settings", ())],
        }
    )


def _named(rows: Sequence[Row], axis: str, name: str) -> list[Row]:
    """Give runs by sender a coordinate on another axis."""
    return [Run(where={"sender": row.where["sender"], axis: name}, seed=row.seed, values=row.values) for row in rows]


def _with_dctcp(rows: Sequence[Row]) -> list[Row]:
    """Add Reno's runs as those of DCTCP."""
    reno = [row for row in rows if row.where["sender"] == "Reno"]
    return [*rows, *(Run(where={**row.where, "sender": "DCTCP"}, seed=row.seed, values=row.values) for row in reno)]


PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    parts=parts,
    derived=derived,
    chapters=[
        Chapter(title="The answers", figures=[matrix.figure(CLAIMS), *burstiness_figures.FIRST]),
        Chapter(title="Burstiness and its reasons", figures=burstiness_figures.FIGURES),
        Chapter(title="RED, and queues that mark", figures=queues_figures.FIGURES),
        Chapter(title="Sharing, and finite transfers", figures=sharing_figures.FIGURES),
        Chapter(title="Many connections", figures=many_figures.FIGURES),
        Chapter(title="Over self-similar traffic", figures=self_similar_figures.FIGURES),
        Chapter(title="All-to-one in a cluster", figures=cluster_figures.FIGURES),
    ],
    statements=matrix.statement,
    profile="linux",
)
