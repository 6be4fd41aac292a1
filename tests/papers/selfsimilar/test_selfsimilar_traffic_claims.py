"""The rules of the claims on self-similar traffic, with synthetic runs for both outcomes, and their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.support.few import few
from tests.support.kept import hold
from tests.support.long import long_only
from tests.support.single_seed import single_seed
from tests.support.typed import typed

import ackclock as ac
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.folds import exponent
from ackclock.papers.core.paper import Both
from ackclock.papers.core.parts import gather
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.selfsimilar import study
from ackclock.papers.selfsimilar.claims.traffic import TRAFFIC_CLAIMS
from ackclock.papers.selfsimilar.experiment import background
from ackclock.papers.selfsimilar.traffic import (
    ALIKE,
    BINS,
    CARRIED,
    COUNTS,
    COV,
    DRAWN,
    ESTIMATORS,
    FIRST,
    GAP_COV,
    KINDS,
    LADDER,
    LOADS,
    NOISE,
    ON_OFF,
    OTHERS,
    POISSON,
    SHARED,
    USUAL,
    load_parts,
    traffic_parts,
)
from ackclock.papers.selfsimilar.traffic_figures import TRAFFIC
from ackclock.papers.summary import summary
from ackclock.report.html import Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = (1, 2, 3)

TOPICS = few(study.PAPER, TRAFFIC_CLAIMS).definition.topics


def chance(seed: int) -> float:
    """Return the difference between seeds: a per mille."""
    return 1 + 0.001 * seed


def traffic(seed: int, *, mean: float, cov: float, power: float, h: float) -> dict[str, Any]:
    """Make a synthetic run with a given c.o.v. in 1 s, which changes with a power of the scale."""
    covs = [cov * chance(seed) * scale**power for scale in LADDER]
    return {
        "mean": mean,
        "cov": covs,
        "dispersion": [here**2 * mean * scale for here, scale in zip(covs, LADDER, strict=True)],
        "peak": [1 + 3 * here for here in covs],
        **{f"{method} {scale:g}": h * chance(seed) for method in ESTIMATORS for scale in BINS},
        **{f"first {scale:g}": np.arange(90, 90 + FIRST) for scale in DRAWN},
    }


def load(
    name: str, count: int, seed: int, h: Callable[[str, int, str, float], float], cut: float
) -> dict[str, float | None]:
    values: dict[str, float | None] = {"load": count / 100, "loss": 0.0}
    for method in ESTIMATORS:
        for scale in BINS:
            known = method in {"K = 1", "K = 50"} or scale < 0.5
            value = h(name, count, method, scale) * chance(seed) if known else None
            values[f"{method} {scale:g}"] = value
            if name != CARRIED:
                values[f"out {method} {scale:g}"] = None if value is None else value + cut * (scale == BINS[0])
    for scale in BINS:
        values |= {f"cov {scale:g}": count**-0.5 * chance(seed), f"out cov {scale:g}": count**-0.5 * chance(seed)}
    return values


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
) -> Both:
    """Make synthetic runs from powers of the scale and of the number of sources, and from Hurst parameters."""
    many: dict[str, tuple[Callable[[str], float], Callable[[int], float]]] = {
        ALIKE: (alike, lambda count: 62.5 * count),
        SHARED: (shared, lambda _: 2500),
    }
    ours = {
        "times": [
            Run(
                where={"kind": kind},
                seed=seed,
                values=traffic(seed, mean=2500, cov=0.1, power=over_scales(kind), h=long),
            )
            for kind in KINDS
            for seed in SEEDS
        ],
        "gaps": [
            Run(where={"kind": kind}, seed=seed, values={"gap_cov": gap(kind) * chance(seed)})
            for kind in KINDS
            for seed in SEEDS
        ],
        "many": [
            Run(
                where={"division": division, "kind": kind, "sources": count},
                seed=seed,
                values=traffic(
                    seed,
                    mean=mean(count),
                    cov=0.5 * count ** power(kind),
                    power=over_scales(kind),
                    h=memory(kind, count),
                ),
            )
            for division, (power, mean) in many.items()
            for kind in (POISSON, ON_OFF)
            for count in COUNTS
            for seed in SEEDS
        ],
        "loads": [
            Run(where={"background": name, "sources": count}, seed=seed, values=load(name, count, seed, h, cut))
            for name, count in [*((USUAL, count) for count in LOADS), *OTHERS.items()]
            for seed in SEEDS
        ],
    }
    return Both(ours=Runs(ours), ns2=ns2_runs("selfsimilar"))


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
def test_claims_turn_with_what_is_measured(key: str, found: Both, verdict: Verdict) -> None:
    judged = {one.claim.key: one for one in judge(TRAFFIC_CLAIMS, found)}
    assert judged[key].verdict is verdict


def test_topics_have_words_for_what_their_rules_can_give() -> None:
    for found in (made_up(), made_up(alike=lambda _: 0.2, h=lambda _, count, *__: 0.7 + count / 500)):
        shown = summary(judge(TRAFFIC_CLAIMS, found), TOPICS)
        assert len(shown) == 1 + len(TOPICS)
        assert all(statement.lead and statement.text for statement in shown)


def test_single_runs_decide_nothing() -> None:
    """With one seed there are no intervals: every claim stays open, and texts and tables have no infinite number."""
    first = single_seed(made_up())
    assert {one.claim.key: one.verdict for one in judge(TRAFFIC_CLAIMS, first)} == {
        claim.key: Verdict.UNDECIDED for claim in TRAFFIC_CLAIMS
    }
    cells = [
        cell for drawing in TRAFFIC.section(first, command="x").drawings for row in drawing.numbers.rows for cell in row
    ]
    cells += [cell for one in judge(TRAFFIC_CLAIMS, first) for cell in one.cells.values()]
    assert not any("± inf" in cell or "nan" in cell for cell in cells)


def test_a_bin_that_is_left_open_counts_neither_way() -> None:
    """All bins but one give the paper's H; in that bin seeds differ much. The claim does not depend on the bin."""

    made = made_up()
    loads = [
        Run(where=run.where, seed=run.seed, values={**run.values, "K = 1 0.01": 0.6 + 0.1 * run.seed})
        for run in made.ours.part("loads")
    ]
    found = Both(ours=Runs({**made.ours.parts, "loads": loads}), ns2=made.ns2)
    judged = {one.claim.key: one for one in judge(TRAFFIC_CLAIMS, found)}
    assert judged["H-1"].verdict is Verdict.UNDECIDED
    assert "at 7 of 8 points (1 undecided)" in judged["H-1"].why


def test_commands_run_what_claims_are_about() -> None:
    made = {claim.key: typed(claim.command) for claim in TRAFFIC_CLAIMS}
    assert len(made) == len(TRAFFIC_CLAIMS)
    for key, count in (("H-1", 40), ("H-2", 95)):
        here, there = made[key].effective(), background(count).effective()
        assert (here.duration, here.flows) == (there.duration, there.flows)
        assert here.links[0] == next(link for link in there.links if (link.from_, link.to) == ("A", "B"))
    assert isinstance(made["T1-1"].flows[0].source, ac.Poisson)
    shared = made["T1-5"].flows[0]
    assert isinstance(shared.source, ac.OnOff)
    assert shared.count * shared.source.mean_rate == 2500


def test_figures_show_every_place() -> None:
    judged = judge(TRAFFIC_CLAIMS, made_up())
    section = TRAFFIC.section(made_up(), command="ackclock reproduce selfsimilar")
    shown = summary(judged, TOPICS)
    hold(
        "traffic",
        Report(title="", source="", summary=shown, sections=[section], findings=[one.finding for one in judged]),
    )
    drawings = {drawing.slug: drawing for drawing in section.drawings}
    assert list(drawings) == [
        "time-scales",
        "scales-of-burstiness",
        "multiplexing",
        "hurst-by-load",
        "hurst-by-bin",
        "hurst-behind",
    ]
    assert len(drawings["time-scales"].csv.splitlines()) == 1 + len(DRAWN) * FIRST
    assert len(drawings["scales-of-burstiness"].numbers.rows) == len(LADDER)
    assert len(drawings["hurst-by-load"].numbers.rows) == 2 * len(BINS) + 2 * 2
    assert len(drawings["hurst-behind"].numbers.rows) == len(LOADS)
    assert all(drawing.svg.startswith("<") for drawing in drawings.values())


@long_only
@pytest.mark.slow
def test_what_is_run_is_what_is_judged() -> None:
    """All parts run with one seed. As in the report, longer bins do not smooth on/off traffic, and more sources do."""
    found = gather([*traffic_parts(), *load_parts()], seeds=[1], jobs=1)
    assert {name: len(runs) for name, runs in found.parts.items()} == {
        "times": 3,
        "gaps": 3,
        "many": 20,
        "loads": len(LOADS) + len(OTHERS),
    }
    judged = {one.claim.key: one for one in judge(TRAFFIC_CLAIMS, Both(ours=found, ns2=Runs()))}
    assert {one.verdict for one in judged.values()} == {Verdict.UNDECIDED}
    exponents = {kind: COV.at("times", kind=kind).over("bin", exponent, "").points(found).only.mean for kind in KINDS}
    assert exponents[POISSON] == pytest.approx(-0.5, abs=0.02)
    assert exponents[ON_OFF] > -0.25
    sources = COV.at("many", division=ALIKE, kind=ON_OFF, bin=1.0).over("sources", exponent, "")
    assert sources.points(found).only.mean < -0.25
    gaps = GAP_COV.at("gaps").points(found).cells
    assert gaps[ON_OFF,].mean == pytest.approx(gaps[POISSON,].mean, abs=0.1)
