"""The second half of the study `today`: functions that take numbers from runs, and fits of loss."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from ackclock.analysis.models import pftk
from ackclock.papers.today.claims.many import fall, formula, misfit, power
from ackclock.papers.today.parts import crowds, greedy, incast, many


def test_connections_near_the_formula_are_counted() -> None:
    loss, rtt = np.full(4, 0.01), np.full(4, 0.1)
    exact = pftk(p=0.01, rtt=0.1, t0=0.3).full
    rates = exact * np.array([0.4, 0.6, 1.9, 2.1])
    assert many.within(rates, loss, rtt) == 0.5
    assert many.within(rates, np.array([0.0, 0.01, 0.01, 0.01]), rtt) == pytest.approx(2 / 3)
    assert many.within(rates, np.array([0.0, 0.0, 0.01, 0.01]), rtt) is None
    assert many.within(rates, loss, np.full(4, np.nan)) is None


def test_losses_and_shares_of_a_run_are_taken() -> None:
    """Two connections lose in the same two of ten round trips."""
    flows = {"sent": [100, 100], "loss": [0.0, 0.0], "rtt_mean": [1.0, 1.0]}
    drops = {"time": [3.0, 100.2, 100.3, 105.2, 105.3], "flow": [0, 0, 1, 0, 1]}
    tables = {"flows": pa.table(flows), "drops": pa.table(drops)}
    run = SimpleNamespace(
        table=tables.__getitem__,
        summary=SimpleNamespace(loss=None, utilization=0.5, goodput_share=0.4, jain_index=1.0, starved=1, rtt_mean=1.0),
        scenario=SimpleNamespace(
            duration="110 s", measure=SimpleNamespace(from_="100 s"), groups=[SimpleNamespace(count=2)]
        ),
    )
    found = many.together(run)  # type: ignore[arg-type]
    assert found == {
        "loss": 0.0,
        "utilization": 0.5,
        "goodput_share": 0.4,
        "jain_index": 1.0,
        "starved": 0.5,
        "within": None,
        "correlation": pytest.approx(1.0),
    }
    tables["drops"] = pa.table({"time": [3.0], "flow": [0]})
    assert many.together(run)["correlation"] is None  # type: ignore[arg-type]


def test_the_exponent_of_two_groups_is_taken() -> None:
    near = SimpleNamespace(rtt_mean=0.1, goodput_bps=8e6)
    far = SimpleNamespace(rtt_mean=0.2, goodput_bps=2e6)
    run = SimpleNamespace(summary=SimpleNamespace(groups=[near, far]))
    assert many.unequal(run)["exponent"] == pytest.approx(2)  # type: ignore[arg-type]
    far.goodput_bps = 0.0
    assert many.unequal(run)["exponent"] is None  # type: ignore[arg-type]


def test_laws_of_loss_are_fitted() -> None:
    numbers = (60, 100, 300, 600)
    assert power({n: 1e-4 * n**2 for n in numbers}) == pytest.approx(2)
    assert misfit({n: 50 * n / (n + 145) for n in numbers}) == pytest.approx(0, abs=0.01)
    assert formula([1, 10], 1_000_000) == pytest.approx(2, abs=0.001)
    assert formula([5, 20], 100) == pytest.approx(np.log((3 * 400 + 25 * 20 + 4) / (3 * 25 + 25 * 5 + 4)) / np.log(4))
    assert power({10: 0.0, 20: 1.0}) is None
    assert power({10: 1.0}) is None
    assert misfit({60: 9.0, 100: 8.0, 300: 1.0}) == 100
    assert misfit({60: 9.0, 100: 8.0}) is None
    assert fall(10, 100)({10: 99.0, 50: 1.0, 100: 90.0}) == 9
    assert fall(10, 100)({10: 99.0}) is None


def test_an_answer_that_is_not_complete_counts_until_the_end() -> None:
    answers = pa.table({"start": [0.0, 0.5, 1.0], "completion": [0.25, 0.5, None]})
    run = SimpleNamespace(
        table=lambda _: answers, scenario=SimpleNamespace(duration="10 s"), summary=SimpleNamespace(timeouts=6)
    )
    assert incast.slowest(run) == {"median": 500, "slowest": 9000, "timeouts": 2}  # type: ignore[arg-type]


def test_a_constant_rate_counts_as_independent() -> None:
    run = SimpleNamespace(table=lambda _: pa.table({"packets": [9, 9, 9, 9, 9, 775, 775, 775]}))
    found = greedy.memory(run)  # type: ignore[arg-type]
    assert found == {"wavelets": None, "whittle": None, "hurst": 0.5, "cov_of_seconds": 0}


def test_quantiles_of_a_crowd_are_relative_to_the_fair_share() -> None:
    goodput = np.full(1000, 10e6)
    run = SimpleNamespace(
        table=lambda _: pa.table({"goodput_bps": goodput}), summary=SimpleNamespace(utilization=1.0, loss=0.1)
    )
    found = crowds.rates(run)  # type: ignore[arg-type]
    assert found["rates"] == pytest.approx(np.ones(99))


def test_only_senders_that_settle_are_run_with_many_connections() -> None:
    (gigabit,) = (part for part in many.parts() if part.name == "gigabit")
    slow = {spot.where["connections"] for spot in gigabit.spots if spot.where["sender"] == "BBR"}
    assert slow == {10, 100}
