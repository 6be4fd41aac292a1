"""The round model, compared with exactly known limits and with the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ackclock as ac
from ackclock.analysis.models import Reno, Rounds, Streams, Vegas, rounds

if TYPE_CHECKING:
    from pathlib import Path

CAPACITY = 50e6 / 12000


def paper(clients: int = 10, *, law: Reno | Vegas = Reno(), rate: float = 100, **changed: Any) -> Rounds:  # noqa: B008
    """Run the model with the paper's Table 1."""
    group = Streams(law=law, count=clients, rate=rate, max_window=changed.pop("max_window", 20))
    return rounds([group], **{"capacity": CAPACITY, "buffer": 50, "replications": 4} | changed)


@pytest.mark.parametrize("law", [Reno(), Reno(per_ack=2), Vegas()])
def test_uncongested_it_sends_what_the_sources_make(law: Reno | Vegas) -> None:
    result = paper(20, law=law, intervals=300, warmup=50)
    # Six standard errors of a Poisson mean over four replications.
    assert result.mean.mean() == pytest.approx(200, rel=6 / np.sqrt(200 * 300 * 4))
    assert result.cov.mean() == pytest.approx((20 * 100 * 0.1) ** -0.5, rel=0.1)
    for nothing in (result.loss, result.fast_retransmits, result.timeouts):
        assert not nothing.any()


def test_the_advertised_window_bounds() -> None:
    # Ten windows of 20 packets fit into the path: each client always sends a window per round trip.
    result = paper(10, rate=np.inf, buffer=500, intervals=50, warmup=50, replications=1)
    np.testing.assert_allclose(result.mean, 200)
    np.testing.assert_allclose(result.cov, 0, atol=1e-12)
    np.testing.assert_allclose(result.utilization, 200 / (CAPACITY * 0.1))


def test_greedy_vegas_holds_between_alpha_and_beta_packets_each() -> None:
    """Validates: the equilibrium of Vegas.
    Source: Brakmo and Peterson 1995, section 3.2: each flow keeps between alpha and beta packets in queues.
    Tolerance: rounding of the estimate to whole packets, half a packet.
    """
    result = paper(5, law=Vegas(alpha=2, beta=4), rate=np.inf, buffer=500, max_window=1000, warmup=400, intervals=100)
    assert (result.utilization > 0.99).all()
    assert (result.queue >= 5 * 1.5).all()
    assert (result.queue <= 5 * 4.5 + 1).all()
    assert not result.loss.any()


def test_a_base_round_trip_time_that_is_too_long_takes_from_others() -> None:
    """A flow that believes its path longer sees fewer packets in queues, as after Mo et al. (INFOCOM 1999)."""
    right, wrong = (Streams(law=Vegas(base_error=error), count=2, max_window=1000) for error in (0, 0.02))
    result = rounds([right, wrong], capacity=1000, buffer=500, warmup=400, intervals=100, replications=2)
    assert (result.shares[:, 1] > 0.55).all()
    assert np.allclose(result.shares.sum(axis=1), 1)


def test_the_shorter_round_trip_takes_more() -> None:
    groups = [Streams(law=Reno(), count=5, delay=delay, max_window=1000) for delay in (0.1, 0.3)]
    result = rounds(groups, capacity=1000, buffer=50, warmup=400, intervals=1000, replications=2)
    assert (result.shares[:, 0] > 0.6).all()


def test_a_late_group_sends_nothing_before_its_start() -> None:
    late = Streams(law=Reno(), count=5, rate=100, start=1000)
    result = rounds(
        [Streams(law=Reno(), count=5, rate=100), late], capacity=CAPACITY, buffer=50, intervals=20, warmup=0
    )
    assert not result.shares[:, 1].any()


@pytest.mark.slow
def test_a_lone_greedy_sender_draws_the_engines_sawtooth() -> None:
    """Validates: window law, fast retransmit and queue of the round model.
    Source: the engine, one greedy sender, ten packets in flight and a buffer of ten.
    Tolerance: 5 %, in steps of a twentieth of a round trip.
    """
    scenario = ac.Scenario(
        profile="ns2-2.35",
        duration="250 s",
        measure=ac.Measure(from_="50 s", bin="100 ms"),
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="1 Gbps", delay="25 ms"),
            bottleneck=ac.Link(rate="1.2 Mbps", delay="25 ms", queue=ac.DropTail(packets=10)),
        ),
        clients=[ac.Clients(count=1, transport=ac.Tcp("reno", max_window=1000), source=ac.Greedy())],
    )
    measured = ac.simulate(scenario, seed=1).summary
    result = paper(1, rate=np.inf, capacity=100, buffer=10, max_window=1000, steps=20, warmup=200, intervals=800)
    assert result.loss.mean() == pytest.approx(measured.loss, rel=0.05)
    assert result.cov.mean() == pytest.approx(measured.cov, rel=0.05)
    assert result.utilization.mean() == pytest.approx(measured.utilization, rel=0.01)


@pytest.mark.parametrize("law", [Reno(), Vegas()])
def test_what_is_not_lost_is_carried(law: Reno | Vegas) -> None:
    result = paper(100, law=law, intervals=100, warmup=100, replications=2)
    carried = result.utilization * CAPACITY * 0.1
    # The tolerance is the change of the queue in the meantime, at most 50 packets in 100 intervals.
    np.testing.assert_allclose(result.mean * (1 - result.loss), carried, atol=0.5)
    assert (result.queue > 0).all()
    assert (result.queue <= 50).all()


@pytest.mark.slow
@pytest.mark.parametrize(("law", "clients"), [(Reno(), 50), (Reno(), 80), (Reno(per_ack=2), 50)])
def test_predicts_what_the_engine_measures(root: Path, law: Reno, clients: int) -> None:
    """Validates: the round model, compared with packet simulations.
    Source: the engine, profile ns2-2.35, measured from 20 s to 100 s.
    Tolerance: 15 %; `validation/rounds.py` compares more networks.
    """
    scenario = ac.Scenario.from_toml(root / "examples" / "feng60.toml").changed(
        {
            "duration": "100 s",
            "measure.from": "20 s",
            "clients.0.count": clients,
            "clients.0.transport.delayed_ack": law.per_ack > 1,
        }
    )
    measured = ac.simulate(scenario, seed=1).summary
    predicted = paper(clients, law=law, intervals=800, replications=2)
    assert predicted.cov.mean() == pytest.approx(measured.cov, rel=0.15)
    assert predicted.loss.mean() == pytest.approx(measured.loss, rel=0.15)
    assert predicted.utilization.mean() == pytest.approx(measured.utilization, rel=0.05)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, again = (paper(45, intervals=20, warmup=20, replications=2) for _ in range(2))
    np.testing.assert_array_equal(first.cov, again.cov)
    assert first.cov[0] != first.cov[1]


@settings(max_examples=25, deadline=None)
@given(
    law=st.sampled_from([Reno(), Reno(per_ack=2), Vegas(), Vegas(alpha=0, beta=0, gamma=0, base_error=1.0)]),
    count=st.integers(1, 20),
    rate=st.sampled_from([0.5, 30.0, 1e4, np.inf]),
    delay=st.floats(0.01, 0.25),
    capacity=st.floats(0.1, 5000),
    buffer=st.integers(1, 100),
    window=st.floats(1, 100),
    seed=st.integers(0, 1000),
)
def test_no_network_breaks_the_laws_of_conservation(
    law: Reno | Vegas, count: int, rate: float, delay: float, capacity: float, buffer: int, window: float, seed: int
) -> None:
    groups = [Streams(law=law, count=count, rate=rate, delay=each, max_window=window) for each in (0.1, delay)]
    result = rounds(groups, capacity=capacity, buffer=buffer, intervals=40, warmup=40, replications=2, seed=seed)
    for share in (result.loss, result.utilization, result.shares):
        assert (share >= 0).all()
        assert (share <= 1 + 1e-9).all()
    assert (result.queue >= 0).all()
    assert (result.queue <= buffer + 1e-9).all()
    assert np.isfinite(result.cov).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("capacity", float("nan")),
        ("buffer", 0),
        ("min_rto", -1),
        ("clock", -1),
        ("steps", 0),
        ("intervals", 0),
        ("replications", 0),
        ("replications", 1001),
        ("capacity", 1e12),
        ("buffer", 10**9),
    ],
)
def test_refuses_what_makes_no_sense(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^{name}: .* not allowed"):
        paper(**dict[str, Any]({name: value}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("count", 0), ("rate", 0), ("delay", -1), ("start", -1), ("initial_window", 0.5), ("max_window", 0)],
)
def test_refuses_streams_that_make_no_sense(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^{name}: .* is not allowed"):
        Streams(law=Reno(), **dict[str, Any]({name: value}))


def test_refuses_more_than_fits_into_memory() -> None:
    with pytest.raises(ValueError, match="^windows: .* not allowed"):
        paper(1000, max_window=1e6)
    with pytest.raises(ValueError, match="^streams: "):
        rounds([], capacity=1, buffer=1)
    with pytest.raises(ValueError, match="^rate: "):
        paper(1, rate=1e12)
