"""Agreement with ns-2 where two kinds of client share the link."""

from __future__ import annotations

from collections.abc import Iterable

from ackclock.papers.comparison import Tolerance, compare, statement
from ackclock.papers.core.evidence import Row
from ackclock.papers.heterogeneous.experiment import CLASSES
from ackclock.papers.heterogeneous.measures import goodput, loss
from ackclock.report.html import Statement

TOLERANCES = (
    *(Tolerance(title=f"goodput, {name}", measure=goodput(name), relative=0.05) for name in CLASSES),
    *(Tolerance(title=f"loss, {name}", measure=loss(name), relative=0.15, absolute=0.002) for name in CLASSES),
)


def agreement_statement(ours: Iterable[Row], theirs: Iterable[Row]) -> Statement:
    """Summarise how many of the means of goodput and loss agree with ns-2.35."""
    return statement(
        compare(ours, theirs, TOLERANCES),
        what="the goodput and loss of added clients and of background clients",
        margin="5 % of the goodput, 15 % of the loss or 0.2 points",
    )
