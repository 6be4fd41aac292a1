"""Start times of flows: simultaneous, or random by seed and flow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import ackclock as ac

if TYPE_CHECKING:
    from numpy.typing import NDArray


def many(count: int = 400, **fields: str) -> ac.Scenario:
    """Return clients on a network without queues, whose first packets show their start times."""
    return ac.Scenario(
        duration="3 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="1000 Gbps", delay="0 s"), bottleneck=ac.Link(rate="1000 Gbps", delay="100 ms")
        ),
        clients=[
            ac.Clients.model_validate(
                {
                    "count": count,
                    "transport": ac.Tcp("reno", handshake=False),
                    "source": ac.Greedy(size="1 kB"),
                    **fields,
                }
            )
        ],
    )


def starts(scenario: ac.Scenario, seed: int = 1) -> NDArray[np.float64]:
    """Return the time at which each flow's first packet arrives at the bottleneck, in the order of the flows."""
    packets = ac.simulate(scenario, seed=seed, record=["packets@bottleneck"]).table("packets")
    flows, first = np.unique(packets["flow"].to_numpy(), return_index=True)
    assert flows.size == sum(group.count for group in scenario.clients)
    times: NDArray[np.float64] = packets["time"].to_numpy()[first]
    return times


def test_all_start_at_once_where_nothing_is_said() -> None:
    assert np.ptp(starts(many(start="500 ms"))) < 1e-6
    clients = many().effective().clients[0]
    assert (clients.start, clients.spread) == ("0 s", "0 s")


def test_starts_spread_evenly_over_the_time() -> None:
    """400 flows start between 0.5 and 1.5 s.

    Validates: starts are uniform over [start, start + spread].
    Source: the distribution; Kolmogorov's statistic sqrt(n) D exceeds 1.63 in one of a hundred samples.
    Tolerance: this limit, at fixed seeds.
    """
    times = np.sort(starts(many(start="500 ms", spread="1 s")))
    assert times[0] >= 0.5
    assert times[-1] <= 1.5
    uniform = times - 0.5
    steps = np.arange(times.size + 1) / times.size
    furthest = max(np.max(uniform - steps[:-1]), np.max(steps[1:] - uniform))
    assert math.sqrt(times.size) * furthest < 1.63


def test_each_seed_and_each_flow_has_its_own() -> None:
    first, again, other = (starts(many(40, spread="1 s"), seed) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert not np.any(np.isclose(first, other, atol=1e-6))
    assert np.unique(first).size == 40


def test_more_flows_move_no_other_start() -> None:
    assert starts(many(50, spread="1 s"))[:40] == pytest.approx(starts(many(40, spread="1 s")), abs=1e-6)
