"""Notices about ACKs that wait on their way back."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.noticed import QUIET, noticed

import ackclock as ac

BACK = 0.03
"""Delay of the links that ACKs cross, in seconds; a round trip has twice this."""


def one_flow(transport: ac.Tcp | ac.Udp, source: Any = None, reverse: ac.Link | None = None) -> ac.Scenario:
    """Make a network with one flow and a path of its own for ACKs."""
    return ac.Scenario(
        profile="linux",
        duration="20 s",
        measure=ac.Measure(from_="5 s"),
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="1 Gbps", delay="10 ms"),
            bottleneck=ac.Link(rate="50 Mbps", delay="20 ms", queue=ac.DropTail(packets=250)),
            reverse=reverse,
        ),
        clients=[ac.Clients(name="it", transport=transport, source=source or ac.Greedy())],
    )


def found(scenario: ac.Scenario, wait: float, *, utilization: float = 0.5, **shares: float) -> list[str]:
    """Return the notices if ACKs wait for a time, in seconds, and data take 50 ms."""
    group: dict[str, Any] = QUIET | {"delay_mean": 0.05, "rtt_mean": 0.05 + BACK + wait}
    group |= {f"limited_{name}": share for name, share in shares.items()}
    return noticed(scenario, "ACKs of group", groups=[group], utilization=utilization)


def test_acks_that_wait_for_a_quarter_of_the_round_trip_are_reported() -> None:
    scenario = one_flow(ac.Tcp("cubic"))
    assert found(scenario, 0.0149) == []
    (notice,) = found(scenario, 0.0151)
    assert notice == (
        "ACKs of group it wait 15.1 ms on average on their way back, beside a round-trip time of 60 ms without queues: "
        "the path of the ACKs is congested or slow, which lowers the group's rate. bottleneck was used to 50%."
    )
    assert found(scenario, 1.0, utilization=0.96) == [], "a full link loses nothing"
    assert found(scenario, 1.0, application=0.6) == [], "the application has no more to send"
    assert found(one_flow(ac.Udp(), ac.Poisson(rate=100)), 1.0) == []


@pytest.mark.parametrize(("rate", "is_slow"), [("50 Mbps", False), ("300 kbps", True)])
def test_a_slow_way_back_is_reported(rate: str, *, is_slow: bool) -> None:
    """Validates: which run has the notice.

    Source: by hand. 50 Mb/s are 4,167 packets and, with delayed ACKs, 2,083 ACKs of 52 bytes per second, 0.87 Mb/s.
    A way back of 300 kb/s cannot carry them, and its queue of 100,000 packets fills; one of 50 Mb/s has no queue.
    Tolerance: none.
    """
    run = ac.simulate(one_flow(ac.Tcp("cubic"), reverse=ac.Link(rate=rate, delay="20 ms")))
    assert any("ACKs of group it wait" in notice for notice in run.notices) == is_slow
