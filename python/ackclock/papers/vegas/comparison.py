"""How well our runs agree with ns-2's, at the places where it was run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.agreement import statement
from ackclock.papers.comparison import Rule, compare, named
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from ackclock.papers.comparison import Comparison
    from ackclock.papers.vegas.measures import Runs
    from ackclock.report.html import Statement

__all__ = ["RULES", "agreement_statement", "compare_places"]

BAR = 0.92
"""The part of the means that must agree for the two to be said to."""

RULES = tuple(
    Rule(title=f"goodput of a {kind.capitalize()} client", measure=named(f"{kind}_goodput"), relative=0.05)
    for kind in ("reno", "vegas")
)
"""The measures, in packets a second."""


def compare_places(ours: Runs, theirs: Runs) -> list[Comparison]:
    """Compare every place that both sides have, rule by rule; the names of the variants are those of the places."""
    return compare(_flat(ours), _flat(theirs), RULES)


def _flat(runs: Runs) -> list[Observation]:
    return [
        Observation(variant=place.name, clients=sum(place.clients), seed=seed, values=values)
        for place, those in runs.items()
        for seed, values in enumerate(those, start=1)
    ]


def agreement_statement(ours: Runs, theirs: Runs) -> Statement:
    """Say how much agrees."""
    return statement(
        compare_places(ours, theirs),
        what=f"goodput at {len(theirs)} points, of a Reno and of a Vegas client each by itself",
        margin="5 % of the goodput",
    )
