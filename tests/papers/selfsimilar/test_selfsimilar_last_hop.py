"""The authors' future work: generated rates, last hops, measures of runs, and rules with both outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.papers.selfsimilar.selfsimilar_world import WORLD
from tests.support.few import few
from tests.support.kept import hold
from tests.support.typed import typed

import ackclock as ac
from ackclock.papers.core.claim import judge
from ackclock.papers.core.evidence import Run
from ackclock.papers.core.parts import gather
from ackclock.papers.selfsimilar import last_hop as module
from ackclock.papers.selfsimilar import study
from ackclock.papers.selfsimilar.claims.last_hop import LAST_HOP_CLAIMS
from ackclock.papers.selfsimilar.last_hop import (
    BURSTS,
    DWELLS,
    LOADS,
    LOSSES,
    MEAN_RATE,
    MILLION,
    RANDOM,
    STEPS,
    TO_MATHIS,
    course,
    hop_scenario,
    last_hop_parts,
    lossy,
)
from ackclock.papers.selfsimilar.last_hop_figures import LEFT_FOR_LATER
from ackclock.papers.summary import summary
from ackclock.report.html import Report

if TYPE_CHECKING:
    from pathlib import Path


SEEDS = (1, 2, 3, 4)

TOPICS = few(study.PAPER, LAST_HOP_CLAIMS).definition.topics


@pytest.mark.parametrize("dwell", DWELLS)
def test_a_made_rate_has_the_mean_and_is_its_seeds_own(dwell: int) -> None:
    """Validates: traces with different paces have the same mean, so that differences in goodput are due to the pace.
    Source: the definition.
    Tolerance: 1 bit/s, to which rates are rounded.
    """
    made = course(dwell, 1).course()
    assert made.mean(100 * 10**12) == pytest.approx(MEAN_RATE, abs=1)
    assert course(dwell, 1) == course(dwell, 1)
    if dwell:
        assert course(dwell, 1) != course(dwell, 2)
        assert (np.diff(made.values) != 0).all()
        assert len(set(made.values.tolist())) <= 4
        # exponential stays: the mean of n has a standard error of 1 / sqrt(n) of it
        count = made.times.size
        assert 100_000 / count == pytest.approx(dwell, rel=4 / count**0.5)


@pytest.mark.parametrize("amount", LOSSES)
def test_both_kinds_lose_the_same_part(amount: int) -> None:
    bursts, random = lossy(BURSTS, amount), lossy(RANDOM, amount)
    assert isinstance(bursts, ac.GilbertElliottPackets)
    assert isinstance(random, ac.RandomLoss)
    assert bursts.loss == pytest.approx(amount / MILLION)
    assert random.probability == amount / MILLION


@pytest.mark.parametrize(("file", "kind", "amount"), [("last_hop", RANDOM, 1000), ("last_hop_rates", STEPS, 0)])
def test_examples_are_runs_of_the_study(root: Path, file: str, kind: str, amount: int) -> None:
    example = ac.Scenario.from_toml(root / "examples" / f"{file}.toml")
    assert example.effective() == hop_scenario("newreno", kind, amount).effective()


def test_commands_of_claims_can_be_typed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    for command in {claim.command for claim in LAST_HOP_CLAIMS}:
        scenario = typed(command).changed({"duration": "2 s"})
        assert ac.simulate(scenario).summary.departures > 0


def test_a_run_shows_what_became_of_its_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Validates: packets sent over a hop arrive or are lost, and the loss rate equals the configured one.
    Source: counting; the binomial distribution of losses at random.
    Tolerance: packets in flight at the end; four standard errors.
    """
    for name, chosen in (("LOADS", (5,)), ("LOSSES", (10_000,)), ("DWELLS", (0, 1000))):
        monkeypatch.setattr(module, name, chosen)
    runs = gather(last_hop_parts(), seeds=[1], jobs=1).parts
    assert {part: len(some) for part, some in runs.items()} == {"load": 8, "losses": 8, "rates": 8, "steps": 4}
    for run in (run for some in runs.values() for run in some):
        arrivals, drops, loss, goodput = (run.values[name] or 0 for name in ("arrivals", "drops", "loss", "goodput"))
        if drops:
            assert 0 <= drops / loss - arrivals - drops < 400
        assert 0.8 * arrivals < goodput * MILLION * 100 / 8000 <= arrivals
    for run in runs["losses"]:
        if run.where["kind"] == RANDOM:
            sent = (run.values["drops"] or 0) / (run.values["loss"] or 1)
            least = 0.01 - 4 * (0.01 * 0.99 / sent) ** 0.5
            assert least < (run.values["loss"] or 0) < 0.02
    loads = {run.values["load"] for run in runs["load"]}
    assert len(loads) == 1, "variants meet the same background"
    assert loads.pop() == pytest.approx(0.05, abs=0.02)


def test_the_formula_needs_a_loss() -> None:
    assert TO_MATHIS(Run(where={}, seed=1, values={"goodput": 1.0, "loss": 0.0})) is None


def test_figures_hold_every_place() -> None:
    judged = judge(LAST_HOP_CLAIMS, WORLD.evidence())
    section = LEFT_FOR_LATER.section(WORLD.evidence(), command="ackclock reproduce selfsimilar")
    shown = summary(judged, TOPICS)
    hold(
        "last-hop",
        Report(title="", source="", summary=shown, sections=[section], findings=[one.finding for one in judged]),
    )
    drawings = section.drawings
    assert [drawing.slug for drawing in drawings] == ["load", "last-hop-losses", "last-hop-rates"]
    for drawing, places, variants in zip(drawings, (LOADS, LOSSES, DWELLS), (8, 8, 4), strict=True):
        assert len(drawing.csv.splitlines()) == 1 + variants * len(places)
        assert len(drawing.numbers.rows) == len(places)
        assert drawing.svg.startswith("<?xml")
