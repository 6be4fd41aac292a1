"""The rules of the claims on self-similar traffic, turned both ways on made-up runs, and what is drawn of these."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.long import long_only
from tests.single_seed import single_seed
from tests.typed import typed

import ackclock as ac
from ackclock.papers.claims import judge
from ackclock.papers.observation import Observation
from ackclock.papers.selfsimilar.claims.scales import SCALES_CLAIMS, SCALES_TOPICS
from ackclock.papers.selfsimilar.experiment import background
from ackclock.papers.selfsimilar.loads import CARRIED, LOADS, OTHERS, USUAL
from ackclock.papers.selfsimilar.scales import Scales, gather_scales, over_counts, over_scales
from ackclock.papers.selfsimilar.scales_figures import scales_drawings
from ackclock.papers.selfsimilar.traffic import (
    BINS,
    COUNTS,
    ESTIMATORS,
    KINDS,
    LADDER,
    NOISE,
    ON_OFF,
    PANELS,
    POISSON,
)
from ackclock.papers.summary import summary
from ackclock.report.html import Verdict
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = (1, 2, 3)


def chance(seed: int) -> float:
    """Give what sets the seeds apart: a per mille."""
    return 1 + 0.001 * seed


def traffic(kind: str, count: int, seed: int, *, mean: float, cov: float, power: float, h: float) -> Observation:
    """Make up a run with a c.o.v. in 1 s that goes with a power of the scale."""
    values = {"mean": mean}
    for scale in LADDER:
        here = cov * chance(seed) * scale**power
        values[f"cov_{scale:g}"] = here
        values[f"dispersion_{scale:g}"] = here**2 * mean * scale
        values[f"peak_{scale:g}"] = 1 + 3 * here
    values |= {f"{method} {scale:g}": h * chance(seed) for method in ESTIMATORS for scale in BINS}
    return Observation(variant=kind, clients=count, seed=seed, values=values)


def load(variant: str, count: int, seed: int, h: Callable[[str, int, str, float], float], cut: float) -> Observation:
    values: dict[str, float | None] = {"load": count / 100, "loss": 0.0}
    for method in ESTIMATORS:
        for scale in BINS:
            known = method in {"K = 1", "K = 50"} or scale < 0.5
            value = h(variant, count, method, scale) * chance(seed) if known else None
            values[f"{method} {scale:g}"] = value
            if variant != CARRIED:
                values[f"out {method} {scale:g}"] = None if value is None else value + cut * (scale == BINS[0])
    for scale in BINS:
        values |= {f"cov {scale:g}": count**-0.5 * chance(seed), f"out cov {scale:g}": count**-0.5 * chance(seed)}
    return Observation(variant=variant, clients=count, seed=seed, values=values)


def made_up(
    *,
    over_scales: Callable[[str], float] = lambda kind: -0.5 if kind == POISSON else -0.1,
    alike: Callable[[str], float] = lambda _: -0.5,
    shared: Callable[[str], float] = lambda kind: 0.0 if kind == POISSON else -0.5,
    memory: Callable[[str, int], float] = lambda kind, _: 0.5 if kind == POISSON else 0.95,
    gap: Callable[[str], float] = lambda _: 1.0,
    h: Callable[[str, int, str, float], float] = lambda *_: 0.8,
    long: float = 0.9,
    cut: float = 0.0,
) -> Scales:
    """Make up runs: powers of the scale and of the number of sources, and Hurst parameters."""

    def many(power: Callable[[str], float], mean: Callable[[int], float]) -> list[Observation]:
        return [
            traffic(
                kind,
                count,
                seed,
                mean=mean(count),
                cov=0.5 * count ** power(kind),
                power=over_scales(kind),
                h=memory(kind, count),
            )
            for kind in (POISSON, ON_OFF)
            for count in COUNTS
            for seed in SEEDS
        ]

    bins = {scale: np.arange(90, 190) for scale in PANELS}
    places = [*((USUAL, count) for count in LOADS), *OTHERS.items()]
    return Scales(
        panels=dict.fromkeys(KINDS, bins),
        times=[
            traffic(kind, 40, seed, mean=2500, cov=0.1, power=over_scales(kind), h=long)
            for kind in KINDS
            for seed in SEEDS
        ],
        gaps=[
            Observation(variant=kind, clients=40, seed=seed, values={"cov": gap(kind) * chance(seed)})
            for kind in KINDS
            for seed in SEEDS
        ],
        alike=many(alike, lambda count: 62.5 * count),
        shared=many(shared, lambda _: 2500),
        loads=[load(variant, count, seed, h, cut) for variant, count in places for seed in SEEDS],
    )


def only(kinds: tuple[str, ...], yes: float, no: float) -> Callable[[str], float]:
    return lambda kind: yes if kind in kinds else no


@pytest.mark.parametrize(
    ("key", "found", "verdict"),
    [
        ("T1-1", made_up(), Verdict.REPRODUCED),
        ("T1-1", made_up(over_scales=lambda _: -0.4), Verdict.PARTLY),
        ("T1-1", made_up(over_scales=lambda _: -0.1), Verdict.NOT),
        ("T1-2", made_up(), Verdict.REPRODUCED),
        ("T1-2", made_up(over_scales=only((NOISE,), -0.1, -0.5)), Verdict.PARTLY),
        ("T1-2", made_up(over_scales=lambda _: -0.5), Verdict.NOT),
        ("T1-3", made_up(), Verdict.DEPENDS),
        ("T1-3", made_up(shared=lambda _: -0.5), Verdict.REPRODUCED),
        ("T1-3", made_up(alike=lambda _: 0.0), Verdict.NOT),
        ("T1-4", made_up(), Verdict.NOT),
        ("T1-4", made_up(alike=lambda _: -0.1), Verdict.PARTLY),
        ("T1-4", made_up(alike=lambda _: 0.2), Verdict.REPRODUCED),
        ("T1-5", made_up(), Verdict.NOT),
        ("T1-5", made_up(shared=lambda _: 0.2), Verdict.REPRODUCED),
        ("T1-6", made_up(), Verdict.PARTLY),
        ("T1-6", made_up(alike=only((ON_OFF,), -0.2, -0.5)), Verdict.REPRODUCED),
        ("T1-6", made_up(alike=lambda _: -1.2), Verdict.NOT),
        ("T1-7", made_up(), Verdict.REPRODUCED),
        ("T1-7", made_up(memory=lambda kind, n: 0.5 if kind == POISSON else 0.95 - 0.001 * n), Verdict.PARTLY),
        ("T1-7", made_up(memory=lambda kind, n: 0.5 if kind == POISSON or n > 50 else 0.95), Verdict.NOT),
        ("2-1", made_up(), Verdict.PARTLY),
        ("2-1", made_up(over_scales=only((POISSON,), -0.5, -0.3)), Verdict.REPRODUCED),
        ("2-1", made_up(over_scales=lambda _: -0.1), Verdict.NOT),
        ("2-2", made_up(), Verdict.REPRODUCED),
        ("2-2", made_up(gap=only((NOISE,), 2.0, 1.0)), Verdict.PARTLY),
        ("2-2", made_up(gap=only((POISSON,), 1.0, 2.0)), Verdict.NOT),
        ("H-1", made_up(), Verdict.REPRODUCED),
        ("H-1", made_up(h=lambda *place: 0.9 if place[-1] < 0.1 else 0.8), Verdict.DEPENDS),
        ("H-1", made_up(h=lambda *_: 0.95), Verdict.NOT),
        ("H-2", made_up(), Verdict.REPRODUCED),
        ("H-2", made_up(h=lambda _, count, *__: 0.7 + count / 500), Verdict.NOT),
        ("H-2", made_up(h=lambda _, count, method, __: 0.7 + count / 500 * (method == "K = 1")), Verdict.PARTLY),
        ("H-3", made_up(), Verdict.REPRODUCED),
        ("H-3", made_up(cut=0.1), Verdict.PARTLY),
        ("H-4", made_up(), Verdict.NOT),
        ("H-4", made_up(long=0.8), Verdict.REPRODUCED),
        ("H-5", made_up(), Verdict.REPRODUCED),
        ("H-5", made_up(h=lambda name, _, __, scale: 0.6 if name == CARRIED and scale < 0.1 else 0.8), Verdict.DEPENDS),
        ("H-5", made_up(h=lambda name, _, __, scale: 0.6 if name == CARRIED and scale > 0.5 else 0.8), Verdict.PARTLY),
        ("H-5", made_up(h=lambda name, *_: 0.8 if name == USUAL else 0.6), Verdict.NOT),
    ],
)
def test_claims_turn_with_what_is_measured(key: str, found: Scales, verdict: Verdict) -> None:
    judged = {one.claim.key: one.judgement for one in judge(SCALES_CLAIMS, found)}
    assert judged[key].verdict is verdict


def test_topics_have_words_for_what_their_rules_can_give() -> None:
    for found in (made_up(), made_up(alike=lambda _: 0.2, h=lambda _, count, *__: 0.7 + count / 500)):
        told = summary(judge(SCALES_CLAIMS, found), SCALES_TOPICS)
        assert len(told) == 1 + len(SCALES_TOPICS)
        assert all(statement.lead and statement.text for statement in told)


def test_single_runs_decide_nothing() -> None:
    """With one seed there are no intervals: every claim stays open, and words and tables have no infinite number."""
    first = single_seed(made_up())
    assert {one.claim.key: one.judgement.verdict for one in judge(SCALES_CLAIMS, first)} == {
        claim.key: Verdict.UNDECIDED for claim in SCALES_CLAIMS
    }
    cells = [cell for drawing in scales_drawings(first, command="x") for row in drawing.numbers.rows for cell in row]
    cells += [cell for one in judge(SCALES_CLAIMS, first) for cell in one.cells.values()]
    assert not any("± inf" in cell or "nan" in cell for cell in cells)


def test_a_bin_that_is_left_open_counts_neither_way() -> None:
    """H is the paper's by all bins but one, where seeds lie far apart: that is no dependence on the bin."""

    def wide(run: Observation) -> Observation:
        h = 0.6 + 0.1 * run.seed
        return dataclasses.replace(run, values={**run.values, "K = 1 0.01": h})

    found = dataclasses.replace(made_up(), loads=[wide(run) for run in made_up().loads])
    judged = {one.claim.key: one.judgement for one in judge(SCALES_CLAIMS, found)}
    assert judged["H-1"].verdict is Verdict.UNDECIDED
    assert "at 7 of 8 points (1 undecided)" in judged["H-1"].why


def test_commands_run_what_claims_are_about() -> None:
    made = {claim.key: typed(claim.command) for claim in SCALES_CLAIMS}
    assert len(made) == len(SCALES_CLAIMS)
    for key, count in (("H-1", 40), ("H-2", 95)):
        here, there = made[key].effective(), background(count).effective()
        assert (here.duration, here.flows) == (there.duration, there.flows)
        assert here.links[0] == next(link for link in there.links if (link.from_, link.to) == ("A", "B"))
    assert isinstance(made["T1-1"].flows[0].source, ac.Poisson)
    shared = made["T1-5"].flows[0]
    assert isinstance(shared.source, ac.OnOff)
    assert shared.count * shared.source.mean_rate == 2500


def test_figures_show_every_place() -> None:
    drawings = {
        drawing.slug: drawing for drawing in scales_drawings(made_up(), command="ackclock reproduce selfsimilar")
    }
    assert list(drawings) == [
        "time-scales",
        "scales-of-burstiness",
        "multiplexing",
        "hurst-by-load",
        "hurst-by-bin",
        "hurst-behind",
    ]
    assert len(drawings["time-scales"].csv.splitlines()) == 1 + len(PANELS) * 100
    assert len(drawings["scales-of-burstiness"].numbers.rows) == len(LADDER)
    assert len(drawings["hurst-by-load"].numbers.rows) == 2 * len(BINS) + 2 * 2
    assert len(drawings["hurst-behind"].numbers.rows) == len(LOADS)
    assert all(drawing.svg.startswith("<") for drawing in drawings.values())


@long_only
@pytest.mark.slow
def test_what_is_run_is_what_is_judged() -> None:
    """One seed of everything: as in the report, time does not smooth on/off traffic, and more sources do."""
    batch = Batch()
    made = gather_scales(batch, seeds=[1])
    batch.run(jobs=1, label="scales")
    found = made()
    assert list(found.runs) == [
        "time scales",
        "times between packets",
        "sources of one rate each",
        "sources that share a rate",
        "background by load",
    ]
    assert [len(runs) for runs in found.runs.values()] == [3, 3, 10, 10, len(LOADS) + len(OTHERS)]
    assert over_scales(found.times, POISSON, "cov", LADDER).mean == pytest.approx(-0.5, abs=0.02)
    assert over_scales(found.times, ON_OFF, "cov", LADDER).mean > -0.25
    assert over_counts(found.alike, ON_OFF, lambda run: run.values["cov_1"] or np.nan).mean < -0.25
    gaps = {run.variant: run.values["cov"] for run in found.gaps}
    assert gaps[ON_OFF] == pytest.approx(gaps[POISSON], abs=0.1)
    assert {one.judgement.verdict for one in judge(SCALES_CLAIMS, found)} == {Verdict.UNDECIDED}
