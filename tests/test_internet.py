"""Assumptions of the wide-area abstraction: measures and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.long import long_only

from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.core.parts import gather
from ackclock.papers.manyflows import internet_figures
from ackclock.papers.manyflows.claims.flows import INTERNET
from ackclock.papers.manyflows.internet import (
    ANYONE,
    BACKBONES,
    CLUSTER,
    CLUSTERS,
    DEGREES,
    DRAWN,
    EXTRA,
    components_of,
    giant_component,
    internet_parts,
    steady,
    taken_apart,
)
from ackclock.papers.manyflows.measures import ACCESS_GOODPUT, AT_BACKBONE, AT_ENTRY
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.core.measures import Measure

SEEDS = (1, 2, 3)


def test_a_flow_keeps_its_bottleneck_if_it_is_the_same_whenever_it_loses() -> None:
    where = np.array([["a", "a", "", "", "b"], ["a", "b", "b", "", ""], ["a", "b", "b", "a", "b"]])
    # the fourth connection loses only once and is not counted
    assert steady(where) == {"steady": 3 / 4, "counted": 4 / 5}
    assert steady(np.full((3, 2), "")) == {"steady": None, "counted": 0.0}


def test_the_giant_component_solves_its_equation() -> None:
    for degree in (1.01, 1.5, 2.0, 4.0):
        share = giant_component(degree)
        assert share == pytest.approx(1 - np.exp(-degree * share), abs=1e-12)
        assert share > 0
    assert giant_component(1.0) == 0


def test_clusters_stay_apart_and_random_traffic_does_not() -> None:
    apart, together = (taken_apart(who, 3.0, seed=1) for who in (CLUSTERS, ANYONE))
    assert apart["largest"] == CLUSTER / 400
    assert together["largest"] == pytest.approx(giant_component(3.0), abs=0.03)
    assert taken_apart(ANYONE, 3.0, seed=1) == together
    assert len(components_of([1, 2])) == 2 * 2 * len(DEGREES)


def made_up(
    *,
    at_backbone: Callable[[float], float] = lambda rate: float(rate < 95),
    cost: Callable[[float], float] = lambda rate: min(1.0, rate / 80),
    stays: float = 0.95,
    together: float = 0.95,
    largest: Callable[[str, float], float] = lambda who, degree: giant_component(degree) if who == ANYONE else 0.02,
) -> Runs:
    def runs(
        axis: str, places: Sequence[float], values: Callable[[float], dict[str, float]], **where: str
    ) -> list[Run]:
        return [
            Run(where={**where, axis: place}, seed=seed, values=values(place)) for place in places for seed in SEEDS
        ]

    def sizes(who: str) -> list[Run]:
        return runs("degree", DEGREES, lambda at: {"largest": largest(who, at), "components": 10.0}, traffic=who)

    return Runs(
        {
            "backbone": runs(
                "rate",
                (0, *BACKBONES),
                lambda rate: {
                    "at_backbone": at_backbone(rate) if rate else 0.0,
                    "goodput": 0.8 * (cost(rate) if rate else 1),
                },
            ),
            "extra": runs("others", EXTRA, lambda _: {"at_entry": 0.9, "steady": stays, "goodput": 0.5}),
            "drawn": runs("network", DRAWN, lambda _: {"steady": stays, "together": together}),
            "components": [*sizes(ANYONE), *sizes(CLUSTERS)],
        }
    )


@pytest.mark.parametrize(
    ("key", "found", "verdict"),
    [
        ("2.1-1", made_up(), Verdict.REPRODUCED),
        ("2.1-1", made_up(at_backbone=lambda rate: float(rate < 150)), Verdict.PARTLY),
        ("2.1-1", made_up(cost=lambda rate: 1.0 if rate > 150 else 0.9), Verdict.PARTLY),
        ("2.1-1", made_up(at_backbone=lambda _: 0.2), Verdict.NOT),
        ("2.2-1", made_up(), Verdict.DEPENDS),
        ("2.2-1", made_up(largest=lambda _, __: 0.1), Verdict.REPRODUCED),
        ("2.2-1", made_up(largest=lambda _, __: 0.9), Verdict.NOT),
        ("2.2-2", made_up(), Verdict.REPRODUCED),
        ("2.2-2", made_up(largest=lambda _, degree: giant_component(degree) * (degree > 2)), Verdict.PARTLY),
        ("2.2-2", made_up(largest=lambda _, __: 0.4), Verdict.NOT),
        ("4-1", made_up(), Verdict.REPRODUCED),
        ("4-1", made_up(stays=0.7), Verdict.PARTLY),
        ("4-1", made_up(stays=0.3), Verdict.NOT),
        ("4-2", made_up(), Verdict.REPRODUCED),
        ("4-2", made_up(together=0.7), Verdict.PARTLY),
        ("4-2", made_up(together=0.3), Verdict.NOT),
    ],
)
def test_claims_turn_with_what_is_measured(key: str, found: Runs, verdict: Verdict) -> None:
    judged = {one.claim.key: one for one in judge(INTERNET, Both(ours=found, ns2=Runs()))}
    assert judged[key].verdict is verdict


def test_figures_show_every_place() -> None:
    evidence = Both(ours=made_up(), ns2=Runs())
    figures = (internet_figures.BACKBONE, internet_figures.BOTTLENECKS, internet_figures.APART)
    drawings = [figure.drawing(evidence, command="x") for figure in figures]
    assert [drawing.slug for drawing in drawings] == ["backbone", "bottlenecks", "components"]
    assert [len(drawing.numbers.rows) for drawing in drawings] == [
        len(BACKBONES) + 1,
        len(EXTRA) + len(DRAWN),
        len(DEGREES),
    ]


@long_only
@pytest.mark.slow
def test_runs_show_where_packets_are_lost() -> None:
    found = gather(internet_parts(), seeds=[1], jobs=1)

    def number(measure: Measure, part: str, **where: int) -> float:
        return measure.at(part, **where).points(found).only.mean

    assert number(AT_BACKBONE, "backbone", rate=20) > 99, "a fifth of the access links' rates is the only bottleneck"
    assert number(AT_BACKBONE, "backbone", rate=400) == 0
    assert number(AT_ENTRY, "extra", others=0) == 100, "what one T1 link lets through does not overflow another"
    assert number(ACCESS_GOODPUT, "backbone", rate=20) < 20 < number(ACCESS_GOODPUT, "backbone", rate=400) < 100
