"""What the abstraction of the wide-area Internet takes for granted: what is measured, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from tests.long import long_only

from ackclock.papers.claims import judge
from ackclock.papers.manyflows.claims.internet import INTERNET
from ackclock.papers.manyflows.internet import (
    ANYONE,
    BACKBONES,
    CLUSTER,
    CLUSTERS,
    DEGREES,
    DRAWN,
    EXTRA,
    Internet,
    gather_internet,
    giant_component,
    parts_of,
    steady,
)
from ackclock.papers.manyflows.internet_figures import internet_drawings
from ackclock.papers.observation import Observation
from ackclock.papers.reading import along, at
from ackclock.report.html import Verdict
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEEDS = (1, 2, 3)


def test_a_flow_keeps_its_bottleneck_if_it_is_the_same_whenever_it_loses() -> None:
    where = np.array([["a", "a", "", "", "b"], ["a", "b", "b", "", ""], ["a", "b", "b", "a", "b"]])
    # the fourth loses once, and is not counted
    assert steady(where) == {"steady": 3 / 4, "counted": 4 / 5}
    assert steady(np.full((3, 2), "")) == {"steady": None, "counted": 0.0}


def test_the_giant_component_solves_its_equation() -> None:
    for degree in (1.01, 1.5, 2.0, 4.0):
        share = giant_component(degree)
        assert share == pytest.approx(1 - np.exp(-degree * share), abs=1e-12)
        assert share > 0
    assert giant_component(1.0) == 0


def test_clusters_stay_apart_and_random_traffic_does_not() -> None:
    apart, together = (parts_of(who, 3.0, seed=1).values for who in (CLUSTERS, ANYONE))
    assert apart["largest"] == CLUSTER / 400
    assert together["largest"] == pytest.approx(giant_component(3.0), abs=0.03)
    assert parts_of(ANYONE, 3.0, seed=1).values == together


def made_up(
    *,
    at_backbone: Callable[[int], float] = lambda rate: float(rate < 95),
    cost: Callable[[int], float] = lambda rate: min(1.0, rate / 80),
    stays: float = 0.95,
    together: float = 0.95,
    largest: Callable[[str, float], float] = lambda who, degree: giant_component(degree) if who == ANYONE else 0.02,
) -> Internet:
    def runs(
        variant: str, places: Sequence[int], values: Callable[[int], dict[str, float | None]]
    ) -> list[Observation]:
        return [
            Observation(variant=variant, clients=place, seed=seed, values=values(place))
            for place in places
            for seed in SEEDS
        ]

    backbone = runs(
        "backbone",
        (0, *BACKBONES),
        lambda rate: {"at_backbone": at_backbone(rate) if rate else 0.0, "goodput": 0.8 * (cost(rate) if rate else 1)},
    )
    hundredths = [round(100 * degree) for degree in DEGREES]

    def sizes(who: str) -> list[Observation]:
        return runs(who, hundredths, lambda degree: {"largest": largest(who, degree / 100), "components": 10.0})

    return Internet(
        backbone=backbone,
        extra=runs("extra", EXTRA, lambda _: {"at_entry": 0.9, "steady": stays, "goodput": 0.5, "counted": 1.0}),
        drawn=runs("drawn", range(1, DRAWN + 1), lambda _: {"steady": stays, "together": together, "counted": 1.0}),
        parts=[*sizes(ANYONE), *sizes(CLUSTERS)],
    )


class World(NamedTuple):
    """Evidence of this part alone."""

    internet: Internet


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
def test_claims_turn_with_what_is_measured(key: str, found: Internet, verdict: Verdict) -> None:
    judged = {one.claim.key: one.judgement for one in judge(INTERNET, World(found))}
    assert judged[key].verdict is verdict


def test_figures_show_every_place() -> None:
    drawings = internet_drawings(made_up(), command="ackclock reproduce manyflows")
    assert [drawing.slug for drawing in drawings] == ["backbone", "bottlenecks", "components"]
    assert [len(drawing.numbers.rows) for drawing in drawings] == [
        len(BACKBONES) + 1,
        len(EXTRA) + DRAWN,
        len(DEGREES),
    ]


@long_only
@pytest.mark.slow
def test_runs_show_where_packets_are_lost() -> None:
    batch = Batch()
    made = gather_internet(batch, seeds=[1])
    batch.run(jobs=1, label="internet")
    found = made()
    drops = along(found.backbone, "backbone", BACKBONES, "at_backbone")
    assert drops[20].mean > 0.99, "a fifth of the access links' rates is the only bottleneck"
    assert drops[400].mean == 0
    alone = at(found.extra, "extra", 0, "at_entry").mean
    assert alone == 1, "what one T1 link lets through does not overflow another"
    goodput = along(found.backbone, "backbone", BACKBONES, "goodput")
    assert goodput[20].mean < 0.2 < goodput[400].mean < 1
