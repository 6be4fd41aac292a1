"""Coverage of intervals, removal of warm-ups and the gain of pairs, on queues with known means.

The intervals of a thousand studies cover the truth in 93 to 97 % of cases. By chance alone, 95 % becomes less than 93 %
once in 500 such tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

import ackclock as ac
from ackclock.analysis import Interval, bootstrap_interval, mser5, student_interval

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STUDIES, REPLICATIONS = 1000, 5
SERVICE = 1e-3
"""Seconds that the link takes for a packet of mean size."""

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def waits(load: float, customers: int, first: Floats) -> Floats:
    """Compute the waits of successive customers of M/M/1 (columns), in mean services, from each run's first wait.

    Lindley 1952: a customer's wait is the previous customer's wait plus service, minus the time between arrivals.
    """
    random = np.random.default_rng(1)
    result = np.empty((first.size, customers))
    wait = first
    for customer in range(customers):
        result[:, customer] = wait
        steps = random.exponential(size=first.size) - random.exponential(1 / load, size=first.size)
        wait = np.maximum(0, wait + steps)
    return result


def steady(load: float, runs: int) -> Floats:
    """Draw first waits of M/M/1 in its steady state: none at all, or exponential with mean 1 / (1 - load)."""
    random = np.random.default_rng(2)
    return np.where(random.random(runs) < load, random.exponential(1 / (1 - load), size=runs), 0)


def covered(intervals: list[Interval], truth: float) -> float:
    return float(np.mean([interval.low <= truth <= interval.high for interval in intervals]))


@pytest.mark.parametrize(("load", "customers"), [(0.5, 2000), (0.8, 5000)])
def test_intervals_of_m_m_1(load: float, customers: int, record_property: Note) -> None:
    """Validates: Student's interval of five runs covers the mean wait in M/M/1, load / (1 - load) services.
    Source: Kleinrock, Queueing Systems I, 1975, section 3.2. Runs start in the steady state.
    Tolerance: 93 to 97 % of 1,000 studies.
    """
    means = waits(load, customers, steady(load, STUDIES * REPLICATIONS)).mean(axis=1)
    found = [student_interval(study) for study in means.reshape(STUDIES, REPLICATIONS)]
    share = covered(found, load / (1 - load))
    record_property("measured", f"load {load}: {share:.1%}")
    assert 0.93 <= share <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("load", "customers"), [(0.5, 500)])
def test_bootstrap_intervals_of_m_m_1(load: float, customers: int, record_property: Note) -> None:
    """Validates: the bootstrap interval of thirty runs also covers it; the runs are short, with skewed means.
    Source: as above.
    Tolerance: 93 to 97 % of 1,000 studies.
    """
    means = waits(load, customers, steady(load, STUDIES * 30)).mean(axis=1)
    found = [bootstrap_interval(study) for study in means.reshape(STUDIES, 30)]
    share = covered(found, load / (1 - load))
    record_property("measured", f"load {load}: {share:.1%}")
    assert 0.93 <= share <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "wait"), [("fixed", 0.5), ("exponential", 1.0)])
def test_intervals_of_udp_over_fifo(sizes: str, wait: float, record_property: Note) -> None:
    """Validates: intervals of five runs of the engine cover the mean delay, queue and utilization of M/D/1 and M/M/1.
    Source: Pollaczek and Khinchine; Little; at a load of 0.5. Each run measures 1,000 packets, on average, after 300
        packets in which the initially empty queue reaches its steady state (its relaxation time is some ten services).
    Tolerance: 93 to 97 % of 1,000 studies.
    """
    packet = SERVICE / 0.5
    scenario = ac.Scenario(
        duration=f"{1300 * packet:.3f} s",
        packet_size=1000,
        measure=ac.Measure(from_=f"{300 * packet:.3f} s", bin="100 ms", link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="8 Mbps", delay="0 s")],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(packet_sizes=sizes), source=ac.Poisson(rate=1 / packet))],
    )
    runs = ac.replicate(scenario, seeds=STUDIES * REPLICATIONS, jobs=1)
    for name, truth in (("delay_mean", (wait + 1) * SERVICE), ("queue_mean", 0.5 * wait), ("utilization", 0.5)):
        values = np.array(getattr(runs, name).values, dtype=float).reshape(STUDIES, REPLICATIONS)
        share = covered([student_interval(study) for study in values], truth)
        record_property("measured", f"{name}, {sizes} sizes: {share:.1%}")
        assert 0.93 <= share <= 0.97, name


@pytest.mark.parametrize(("load", "full", "bias_before", "bias_after"), [(0.5, 100, 0.26, 0.01), (0.8, 200, 1, 0.02)])
def test_mser_removes_the_start_of_a_full_queue(
    load: float, full: float, bias_before: float, bias_after: float, record_property: Note
) -> None:
    """Validates: MSER-5 removes the start-up bias of an M/M/1 queue that starts with a given amount of work.
    Source: White, Cobb and Spratt 2000; the mean wait as above.
    Tolerance: the bias of 200 runs of 20,000 waits, as a share of the mean wait, compared with the bias without a cut;
        three standard errors are 0.6 % and 1.8 %.
    """
    series = waits(load, 20_000, np.full(200, full))
    cuts = [mser5(run) for run in series]
    kept = [run[cut.length :].mean() for run, cut in zip(series, cuts, strict=True)]
    truth = load / (1 - load)
    before, after = (float(np.mean(means)) / truth - 1 for means in (series.mean(axis=1), kept))
    record_property("measured", f"load {load}: bias {before:+.1%} before, {after:+.1%} after")
    assert all(cut.length is not None for cut in cuts)
    assert before == pytest.approx(bias_before, rel=0.1)
    assert abs(after) <= bias_after


def test_mser_costs_a_queue_little_that_starts_steady(record_property: Note) -> None:
    """Validates: the effect of MSER-5 on a steady queue without a warm-up; its cut falls after crowds rather than
        before.
    Source: none; the mean wait as above.
    Tolerance: three standard errors, 1.8 %, and a bias of the same size.
    """
    series = waits(0.8, 20_000, steady(0.8, 200))
    cuts = [mser5(run).length for run in series]
    bias = float(np.mean([run[cut:].mean() for run, cut in zip(series, cuts, strict=True)])) / 4 - 1
    record_property("measured", f"bias {bias:+.1%}, median cut {np.median([cut or 0 for cut in cuts]):.0f}")
    assert -0.036 <= bias <= 0.018


def test_pairs_of_reno_and_vegas(root: Path, record_property: Note) -> None:
    """Validates: common random numbers at least halve the interval of the difference between Reno and Vegas.
    Source: 20 clients of the burstiness study, measured from 20 s on: no packet is lost, and both variants send exactly
        the packets of the same sources.
    Tolerance: the interval of c.o.v. at most half as wide as Welch's; goodput without any difference at all.
    """
    base = ac.Scenario.from_toml(root / "examples" / "feng60.toml").changed(
        {"clients.0.count": 20, "measure.from": "20 s"}
    )
    reno, vegas = (
        ac.replicate(base.changed({"clients.0.transport.variant": variant}), seeds=5) for variant in ("reno", "vegas")
    )
    found = reno.compare(vegas, "cov")
    record_property("measured", f"c.o.v. {found.narrowing:.0f} times as narrow, correlation {found.correlation:.4f}")
    assert found.narrowing >= 2
    assert not found.differ
    for measure in ("goodput_bps", "loss"):
        assert reno.compare(vegas, measure).difference.half_width == 0, measure
    assert reno.compare(vegas, "goodput_bps").unpaired_half_width > 0
    assert math.isnan(reno.compare(vegas, "loss").narrowing)  # there is none
