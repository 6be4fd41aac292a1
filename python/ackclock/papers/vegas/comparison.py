"""How well our runs agree with ns-2's, at the places where it was run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.comparison import STANDARD_ERRORS, Rule, compare, named
from ackclock.papers.observation import Observation
from ackclock.report.html import Statement

if TYPE_CHECKING:
    from ackclock.papers.comparison import Comparison
    from ackclock.papers.vegas.measures import Runs

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
    means = compare_places(ours, theirs)
    if not means:
        return Statement(lead="A single seed has no error bars.", text="Agreement with ns-2 needs at least two seeds.")
    agreeing = sum(mean.agrees for mean in means)
    words = "agree" if agreeing >= BAR * len(means) else "do not agree everywhere"
    return Statement(
        lead=f"Ackclock and ns-2.35 {words}.",
        text=f"Of {len(means)} means of goodput at {len(theirs)} places, of a Reno and of a Vegas client each by "
        f"itself, {agreeing} lie within the wider of {STANDARD_ERRORS} standard errors and 5 % of each other.",
    )
