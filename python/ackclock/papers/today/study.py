"""The study as one value, `PAPER`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ackclock.papers.core.evidence import Row, Run, Runs
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.papers.core.parts import Part
from ackclock.papers.today import matrix
from ackclock.papers.today.claims import burstiness as burstiness_claims
from ackclock.papers.today.claims import cluster as cluster_claims
from ackclock.papers.today.claims import many as many_claims
from ackclock.papers.today.claims import self_similar as self_similar_claims
from ackclock.papers.today.claims import sharing as sharing_claims
from ackclock.papers.today.figures import burstiness as burstiness_figures
from ackclock.papers.today.figures import cluster as cluster_figures
from ackclock.papers.today.figures import many as many_figures
from ackclock.papers.today.figures import self_similar as self_similar_figures
from ackclock.papers.today.figures import sharing as sharing_figures
from ackclock.papers.today.parts import burstiness, crowds, greedy, incast, many, sharing
from ackclock.papers.today.senders import DEFINITION

CLAIMS = DEFINITION.ordered(
    [
        *burstiness_claims.CLAIMS,
        *sharing_claims.CLAIMS,
        *many_claims.CLAIMS,
        *self_similar_claims.CLAIMS,
        *cluster_claims.CLAIMS,
    ]
)


def parts() -> Sequence[Part]:
    """Return all parts."""
    return [*burstiness.parts(), *sharing.parts(), *many.parts(), *greedy.parts(), *incast.parts(), *crowds.parts()]


def derived(runs: Runs) -> Runs:
    """Add the runs with a changed setting, or with RED, to those with 60 clients and nothing changed."""
    heavy = [row for row in runs.parts.get("load", ()) if row.where["clients"] == burstiness.OVERLOAD]
    return Runs(
        {
            **runs.parts,
            "FIFO and RED": _joined(heavy, "signal", "FIFO", runs.parts.get("RED", ())),
            "as it is and settings": _joined(heavy, "setting", "as it is", runs.parts.get("settings", ())),
        }
    )


def _joined(usual: Sequence[Row], axis: str, name: str, changed: Sequence[Row]) -> list[Row]:
    """Put runs together; the usual ones get a coordinate on the axis of the others."""
    senders = {row.where["sender"] for row in changed}
    first = [
        Run(where={"sender": row.where["sender"], axis: name}, seed=row.seed, values=row.values)
        for row in usual
        if row.where["sender"] in senders
    ]
    return [*first, *changed]


PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    parts=parts,
    derived=derived,
    chapters=[
        Chapter(title="The answers", figures=[matrix.figure(CLAIMS), *burstiness_figures.FIRST]),
        Chapter(title="Burstiness and its reasons", figures=burstiness_figures.FIGURES),
        Chapter(title="Sharing, and finite transfers", figures=sharing_figures.FIGURES),
        Chapter(title="Many connections", figures=many_figures.FIGURES),
        Chapter(title="Over self-similar traffic", figures=self_similar_figures.FIGURES),
        Chapter(title="All-to-one in a cluster", figures=cluster_figures.FIGURES),
    ],
    statements=partial(matrix.statement, CLAIMS),
    profile="linux",
)
