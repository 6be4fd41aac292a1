"""What is compared with ns-2 where two kinds of client share the link, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.agreement import statement
from ackclock.papers.comparison import Rule, compare
from ackclock.papers.heterogeneous.experiment import CLASSES
from ackclock.papers.heterogeneous.measures import goodput, loss
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackclock.papers.comparison import Comparison
    from ackclock.papers.core.evidence import Row
    from ackclock.report.html import Statement

BAR = 0.92
"""The share of the points of each measure that must agree."""

RULES = (
    *(Rule(title=f"goodput, {name}", measure=goodput(name), relative=0.05) for name in CLASSES),
    *(Rule(title=f"loss, {name}", measure=loss(name), relative=0.15, absolute=0.002) for name in CLASSES),
)
"""The measures, each of one class."""


def compare_curves(ours: Iterable[Row], theirs: Iterable[Row]) -> list[Comparison]:
    """Compare every point that both sides have, rule by rule; the names of the variants say the scene too."""
    return compare(_named(ours), _named(theirs), RULES)


def _named(rows: Iterable[Row]) -> list[Observation]:
    return [
        Observation(
            variant=f"{row.where['variant']} beside {row.where['background']}, buffer {row.where['buffer']:,}",
            clients=int(row.where["clients"]),
            seed=row.seed,
            values=row.values,
        )
        for row in rows
    ]


def agreement_statement(ours: Iterable[Row], theirs: Iterable[Row]) -> Statement:
    """Say how much of the figures agrees."""
    return statement(
        compare_curves(ours, theirs),
        what="goodput and loss, of newcomers and background each by itself",
        margin="5 % of the goodput, 15 % of the loss or 0.2 points",
    )
