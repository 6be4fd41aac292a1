"""How well our runs agree with ns-2's, at the places where ns-2 was run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.agreement import statement
from ackclock.papers.comparison import Rule, compare, named
from ackclock.papers.observation import Observation
from ackclock.papers.vegas.evidence import by_place

if TYPE_CHECKING:
    from ackclock.papers.comparison import Comparison
    from ackclock.papers.core.evidence import Runs
    from ackclock.papers.core.paper import Both
    from ackclock.report.html import Statement

RULES = tuple(
    Rule(title=f"goodput of a {kind.capitalize()} client", measure=named(f"{kind}_goodput"), relative=0.05)
    for kind in ("reno", "vegas")
)
"""The measures, in packets a second."""


def compare_places(ours: Runs, theirs: Runs) -> list[Comparison]:
    return compare(_flat(ours), _flat(theirs), RULES)


def _flat(runs: Runs) -> list[Observation]:
    return [
        Observation(variant=place.name, clients=sum(place.clients), seed=seed, values=values)
        for place, those in by_place(runs).items()
        for seed, values in enumerate(those, start=1)
    ]


def agreement_statement(evidence: Both) -> Statement:
    return statement(
        compare_places(evidence.ours, evidence.ns2),
        what=f"goodput at {len(by_place(evidence.ns2))} points, of a Reno and of a Vegas client each by itself",
        margin="5 % of the goodput",
    )
