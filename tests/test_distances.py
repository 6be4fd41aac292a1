"""Groups at unequal distances: what is measured, and what is said of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from tests.long import long_only

from ackclock.papers.claims import judge
from ackclock.papers.manyflows import ns2
from ackclock.papers.manyflows.claims.distances import DISTANCES
from ackclock.papers.manyflows.distances import (
    GROUPS,
    NEARLY,
    OVERHEADS,
    SEVERAL,
    UNEQUAL,
    Case,
    Course,
    Distances,
    Share,
    figure23,
    gather_distances,
    ns2_shares,
    pair_spread,
    spots,
    spread,
)
from ackclock.papers.manyflows.distances_figures import distance_drawings
from ackclock.papers.manyflows.experiment import scenario
from ackclock.report.html import Verdict
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEEDS = (1, 2, 3)


def test_the_places_of_figure_23_are_those_of_ns2() -> None:
    for case, reference in zip(figure23(), ns2.references("rtt_bias"), strict=True):
        assert case.scenario().effective() == scenario(reference.setting).effective()


def test_groups_may_be_unequal_and_many() -> None:
    made = Case(counts=(5, 45), ratios=(1.0, 4.0)).scenario()
    assert [group.count for group in made.clients] == [5, 45]
    assert [group.access.delay for group in made.clients if group.access] == ["1 ms", "154 ms"]
    assert len(Case(counts=(10,) * 5, ratios=SEVERAL).scenario().clients) == 5


def share(case: Case, seed: int, *, power: float, noise: float = 0.0) -> Share:
    """Make up a run: goodput falls with a power of the distance."""
    rtt = 0.1 * np.array(case.ratios)
    by = np.exp(noise * np.random.default_rng(seed + round(1e6 * sum(case.ratios))).normal(size=len(rtt)))
    goodput = 1 / rtt**power * by
    return Share(
        case=case,
        seed=seed,
        rtt=tuple(rtt.tolist()),
        goodput=tuple(goodput.tolist()),
        flows=np.repeat(goodput, case.counts),
    )


def made_up(
    *,
    power: Callable[[Case], float] = lambda _: 2.3,
    noise: Callable[[Case], float] = lambda case: 0.5 / case.counts[0],
) -> Distances:
    def runs(cases: Sequence[Case], noise: Callable[[Case], float] = lambda _: 0.01) -> list[Share]:
        return [share(case, seed, power=power(case), noise=noise(case)) for case in cases for seed in SEEDS]

    def each(counts: Sequence[tuple[int, ...]], ratios: Sequence[tuple[float, ...]]) -> list[Case]:
        return [Case(counts=some, ratios=far, overhead=over) for over in OVERHEADS for some in counts for far in ratios]

    step = np.arange(5.0)
    return Distances(
        # between the lower and the upper end, whatever the distance
        figure23=[
            dataclasses.replace(one, goodput=(1.4 * one.goodput[0], one.goodput[1]))
            for one in runs(figure23(), lambda _: 0.0)
            if one.case.ratios[1] < 4
        ],
        groups=runs(each([(size, size) for size in GROUPS], [(1.0, far) for far in NEARLY]), noise),
        unequal=runs(each(UNEQUAL, [(1.0, 4.0)])),
        several=runs(each([(10,) * len(SEVERAL)], [SEVERAL])),
        course=Course(time=(step, step), cwnd=(step + 1, step + 1)),
    )


class World(NamedTuple):
    """Evidence of this part alone."""

    distances: Distances


@pytest.mark.parametrize(
    ("key", "found", "verdict"),
    [
        ("5.3-1", made_up(power=lambda _: 2.0), Verdict.REPRODUCED),
        ("5.3-1", made_up(power=lambda case: 2.0 if case.counts[0] < 50 else 8.0), Verdict.PARTLY),
        ("5.3-1", made_up(power=lambda _: 0.5), Verdict.NOT),
        ("5.3-1", made_up(power=lambda case: 2.0 if case.overhead else 8.0), Verdict.DEPENDS),
        ("5.3-1", made_up(power=lambda _: -8.0), Verdict.NOT),
        ("5.3-2", made_up(power=lambda _: 2.0), Verdict.REPRODUCED),
        ("5.3-2", made_up(power=lambda _: 2 - np.log2(1.4)), Verdict.NOT),
        ("5.3-3", made_up(), Verdict.REPRODUCED),
        ("5.3-3", made_up(noise=lambda _: 0.5), Verdict.NOT),
        ("5.3-3", made_up(noise=lambda case: 0.5 / case.counts[0] if case.overhead else 0.5), Verdict.DEPENDS),
        ("5.3-4", made_up(), Verdict.REPRODUCED),
        ("5.3-4", made_up(power=lambda case: 2 + case.counts[0] / 50), Verdict.NOT),
        ("5.3-4", made_up(power=lambda case: 2.0 + (case.counts[0] == 45)), Verdict.PARTLY),
        ("5.3-5", made_up(), Verdict.REPRODUCED),
        ("5.3-5", made_up(power=lambda case: len(case.counts)), Verdict.NOT),
        ("5.3-5", made_up(power=lambda case: len(case.counts) if case.overhead else 2.0), Verdict.DEPENDS),
    ],
)
def test_claims_turn_with_what_the_groups_get(key: str, found: Distances, verdict: Verdict) -> None:
    judged = {one.claim.key: one.judgement for one in judge(DISTANCES, World(found))}
    assert judged[key].verdict is verdict


def test_a_spread_is_that_of_logarithms() -> None:
    case = Case(counts=(1, 1), ratios=(1.0, 4.0))
    runs = [dataclasses.replace(share(case, 1, power=0), flows=np.array([by, 1.0]), goodput=(by, 1.0)) for by in (1, 4)]
    assert spread(runs) == pytest.approx(np.sqrt(2))
    assert pair_spread(runs) == pytest.approx(np.sqrt(2))


def test_ns2_lies_where_it_was_measured() -> None:
    theirs = {spot.case: spot for spot in spots(ns2_shares())}
    place = theirs[Case(counts=(50, 50), ratios=(1.0, 4.0), buffer=400, overhead=0.0)]
    assert place.rtt_ratio == pytest.approx(1.287, abs=1e-3)
    assert place.ratio.mean == 2.366
    assert place.inside


def test_figures_show_every_run() -> None:
    drawings = distance_drawings(made_up(), command="ackclock reproduce manyflows")
    assert [drawing.slug for drawing in drawings] == ["figure23", "figure24", "group-sizes", "unequal-groups"]
    assert len(drawings[2].numbers.rows) == len(OVERHEADS) * len(GROUPS)
    assert drawings[1].csv.startswith("connection,time,cwnd\nnear,0.0000,1.000\n")


@long_only
@pytest.mark.slow
def test_runs_agree_with_ns2_on_round_trips() -> None:
    """The mean round trips are exact in both: they differ by what waits."""
    batch = Batch()
    made = gather_distances(batch, seeds=[1])
    batch.run(jobs=1, label="distances")
    found = made()
    theirs = {spot.case: spot.rtt_ratio for spot in spots(ns2_shares())}
    assert all(spot.rtt_ratio == pytest.approx(theirs[spot.case], rel=0.02) for spot in spots(found.figure23))
    assert len(found.groups) == len(OVERHEADS) * len(GROUPS) * len(NEARLY)
    assert all(len(one.flows) == sum(one.case.counts) for one in found.unequal)
