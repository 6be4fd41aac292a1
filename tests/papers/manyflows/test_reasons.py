"""Reasons for the errors of Padhye's formulas: mechanisms that are switched off, and the texts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.papers.manyflows.manyflows_world import WORLD

from ackclock.analysis.models import pftk
from ackclock.papers.core.parts import gather
from ackclock.papers.manyflows.flow_figures import REASONS
from ackclock.papers.manyflows.padhye import MODELS, Flows
from ackclock.papers.manyflows.reasons import (
    ALL,
    ALONE,
    AS_IT_IS,
    FIRSTS,
    PLACES,
    WAYS,
    _beyond_slow_start,
    _first_losses,
    process_rate,
    reason_parts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_the_process_is_near_the_formula_where_losses_are_rare() -> None:
    for p in (0.001, 0.003, 0.01):
        assert process_rate(p=p, rtt=0.6, t0=1.2) == pytest.approx(pftk(p=p, rtt=0.6, t0=1.2).full, rel=0.05)


def test_the_process_sends_as_it_is_timed() -> None:
    """Round trips and timeouts that are twice as long halve the rate, with the same random numbers."""
    assert process_rate(p=0.1, rtt=1.0, t0=2.0) == pytest.approx(process_rate(p=0.1, rtt=0.5, t0=1.0) / 2, rel=1e-12)


def test_the_figure_shows_every_way_at_every_place() -> None:
    drawing = REASONS.drawing(WORLD.evidence(), command="x")
    assert drawing.numbers.head[1:] == list(WAYS)
    assert len(drawing.numbers.rows) == len(MODELS) * len(PLACES)


@pytest.mark.slow
def test_what_is_switched_off_is_off() -> None:
    for run in gather(reason_parts()[:1], seeds=[1], jobs=1).part("reasons"):
        assert run.values["acks_lost"] == run.values["reordered"] == 0
        plain, firsts, alone, every = (run.values[f"full, {way}"] or 0 for way in (AS_IT_IS, FIRSTS, ALONE, ALL))
        assert alone == pytest.approx(plain, rel=0.2), "the same losses make a lone flow send the same"
        assert firsts >= plain * (1 - 1e-9), "fewer losses count"
        assert every == pytest.approx(1, abs=0.3), "a model of what is simulated is right"


def run_of(**tables: Any) -> Any:
    """Make a run of 105 s, measured from 5 s on, that has these tables."""
    scenario = SimpleNamespace(duration="105 s", measure=SimpleNamespace(from_="5 s"))
    return SimpleNamespace(scenario=scenario, table=lambda name: pl.DataFrame(tables[name]))


def flows_with(*, loss: Sequence[float]) -> Flows:
    """Make flows that send 20 packets/s with a round trip of 0.2 s."""
    same = np.ones(len(loss))
    return Flows(sent=20 * same, goodput=19 * same, loss=np.array(loss), rtt=0.2 * same, timeout=same)


def test_slow_start_is_left_out_with_its_packets_and_its_time() -> None:
    """By hand: flow 0 spends 0.1 + 0.1 + 0.2 s (a round trip at most) in slow start; two ACKs let four packets go."""
    windows = {
        "flow": [0, 1, 0, 0, 0, 0, 0, 1],
        "time": [4.0, 9.0, 10.0, 10.1, 10.2, 10.7, 11.0, 11.0],
        "cwnd": [2.0, 20.0, 2.0, 3.0, 4.0, 10.0, 1.0, 21.0],
        "ssthresh": [8.0] * 8,
    }
    found = _beyond_slow_start(run_of(windows=windows), flows_with(loss=[0.01, 0.01, 0.0]))
    assert found == pytest.approx([(2000 - 4) / (100 - 0.4), 20, 20])


def test_the_first_losses_of_round_trips_are_counted() -> None:
    """By hand: of flow 0's losses, 4.0 s is too early and 10.1 s in the round trip of 10.0 s; flow 1 has no answer."""
    drops = {"flow": [0, 0, 0, 0, 1], "time": [4.0, 10.0, 10.1, 10.3, 20.0]}
    assert _first_losses(run_of(drops=drops), flows_with(loss=[0.01, 0.0])) == pytest.approx([2 / 2000, 0])


def test_the_process_is_as_it_was() -> None:
    """Small windows, where a loss leaves one packet at least; other tests check the process against the formula."""
    assert process_rate(p=0.3, rtt=0.2, t0=1, cycles=50, chains=8) == pytest.approx(2.24857300543191, rel=1e-9)
