"""Copa on a link of 10 Mb/s with a round trip of 80 ms: a bandwidth-delay product (BDP) of 66.7 packets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from tests.engine.tcp import greedy
from tests.engine.tcp.greedy import Flow

import ackclock as ac

if TYPE_CHECKING:
    import pandas as pd

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""

TARGET = 1 / 0.5
"""Packets that a flow aims to keep in the queue, 1 / delta."""


def run(*variants: str, since: int = 20, delayed_ack: bool = False, **fields: Any) -> ac.Run:
    """Run greedy flows that start one second apart; further fields are those of `greedy.run` or options of Copa.

    The profile is Linux's.
    """
    own: dict[str, Any] = {name: fields.pop(name) for name in ("delta", "competitive") if name in fields}
    flows = [
        Flow(variant, own if variant == "copa" else dict[str, Any](), {"start": f"{place} s", "spread": "0 s"})
        for place, variant in enumerate(variants)
    ]
    return greedy.run(
        *flows,
        since=since,
        profile="linux",
        record=["queue@bottleneck/5ms"],
        max_window=4000,
        delayed_ack=delayed_ack,
        **fields,
    )


def waiting(done: ac.Run, since: float = 20) -> pd.Series:
    """Packets in the queue, from a time on."""
    queue = done.table("queue").to_pandas()
    return queue[queue["time"] > since]["packets"]


@pytest.mark.parametrize("delta", [0.5, 0.25])
def test_one_flow_keeps_a_few_packets_in_the_queue(delta: float, record_property: Note) -> None:
    """One flow in a deep buffer.

    Validates: the queue swings between 0 and about 2.5/delta packets, with a mean of 1.25/delta; the link is in use.
    Source: Arun and Balakrishnan 2018, section 3 (oscillation between 0 and 2.5/delta).
    Tolerance: a factor of 2 for the mean, 5/delta for the largest; a use of at least 0.95.
    """
    done = run("copa", delta=delta)
    queue = waiting(done)
    record_property(
        "measured", f"mean {queue.mean():.1f}, largest {queue.max():.0f}, use {done.summary.utilization:.3f}"
    )
    assert 0.625 / delta <= queue.mean() <= 2.5 / delta
    assert queue.max() <= 5 / delta
    assert queue.min() == 0
    assert done.summary.utilization >= 0.95
    assert done.summary.drops == 0


@pytest.mark.parametrize("flows", [2, 4])
def test_flows_share_the_link_and_a_short_queue(flows: int, record_property: Note) -> None:
    """Flows that start one second apart.

    Validates: each flow adds its share to the queue, 1.25/delta packets on average, and gets an equal rate.
    Source: Arun and Balakrishnan 2018, sections 3 and 5.1.
    Tolerance: a factor of 2 for the mean of the queue; 25 % for the rates.
    """
    done = run(*["copa"] * flows)
    queue = waiting(done)
    shares = [group.goodput_bps * flows / 10e6 for group in done.groups]
    record_property("measured", f"mean {queue.mean():.1f}, shares {[round(share, 2) for share in shares]}")
    assert 0.625 * TARGET * flows <= queue.mean() <= 2.5 * TARGET * flows
    assert shares == pytest.approx([1.0] * flows, abs=0.25)


@pytest.mark.parametrize("flows", [1, 2])
def test_delayed_acks_do_not_look_like_a_competitor(flows: int, record_property: Note) -> None:
    """Flows with delayed ACKs on a shorter path, whose bandwidth-delay product is 33 packets.

    Validates: the flows stay in default mode: the mean of the queue is that of flows without delayed ACKs, 1.25/delta
        packets for each.
    Source: Arun and Balakrishnan 2018, sections 2.2 and 3.
    Tolerance: a factor of 2.
    """
    queue = {"kind": "droptail", "packets": 1000, "count_in_service": False}
    done = run(*["copa"] * flows, delayed_ack=True, link={"rate": "10 Mbps", "delay": "20 ms", "queue": queue})
    mean = waiting(done).mean()
    record_property("measured", f"mean {mean:.1f}")
    assert 0.625 * TARGET * flows <= mean <= 2.5 * TARGET * flows


def test_competitive_mode_holds_its_own_against_cubic(record_property: Note) -> None:
    """One flow beside CUBIC in a buffer of two bandwidth-delay products.

    Validates: competitive mode gets at least a quarter of the link, and at least twice as much as without it.
    Source: Arun and Balakrishnan 2018, sections 2.2 and 5.6.
    Tolerance: the bounds.
    """
    share = {
        mode: run("copa", "cubic", buffer=2, duration=120, since=30, competitive=mode).groups[0].goodput_bps / 10e6
        for mode in (True, False)
    }
    record_property("measured", f"with {share[True]:.2f}, without {share[False]:.2f}")
    assert share[True] >= 0.25
    assert share[True] >= 2 * share[False]


def test_a_short_queue_returns_when_cubic_has_left(record_property: Note) -> None:
    """A transfer with CUBIC that ends while one flow goes on.

    Validates: after the transfer, the flow returns to default mode: the mean of the queue is 1.25/delta packets.
    Source: Arun and Balakrishnan 2018, section 2.2.
    Tolerance: a factor of 2, from 40 s on.
    """
    given = run("copa", "cubic", duration=2, since=1).scenario
    transfer = {"duration": "60 s", "clients.1.source.size": "6 MB"}
    queue = waiting(ac.simulate(given.changed(transfer), record=["queue@bottleneck/5ms"]), since=40)
    record_property("measured", f"mean {queue.mean():.1f}")
    assert 0.625 * TARGET <= queue.mean() <= 2.5 * TARGET


def test_many_flows_in_a_full_buffer_keep_the_link_useful(record_property: Note) -> None:
    """A hundred flows on a T1 line, which together aim at five bandwidth-delay products.

    Validates: the flows deliver most of the link's rate, their loss stays near the 30 % at which they give way, a
        notice names the cause, and the velocity stays below the window times delta.
    Source: `genericCC`, `ReduceOnLoss`; the head of `crates/tcp/src/congestion/copa.rs`.
    Tolerance: a loss of 0.3 to 0.5, a use by new data of 0.9 (before the rule, 0.96 and 0.003).
    """
    many = ac.Scenario(
        profile="linux",
        duration="100 s",
        packet_size=500,
        measure=ac.Measure(from_="50 s"),
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="1 us"),
            bottleneck=ac.Link(rate="1600001 bps", delay="50401 us", queue=ac.DropTail(packets=400)),
        ),
        clients=[ac.Clients(count=100, transport=ac.Tcp("copa", max_window=1000), source=ac.Greedy(), spread="1 s")],
    )
    done = ac.simulate(many, record=["states"])
    states = done.table("states").to_pandas()
    fastest = states[states["variable"] == "velocity"]["value"].max()
    use, loss = done.summary.goodput_bps / 1.6e6, done.summary.loss or 0.0
    record_property("measured", f"loss {loss:.2f}, use {use:.2f}, velocity at most {fastest:.0f}")
    assert 0.3 <= loss <= 0.5
    assert use >= 0.9
    assert fastest <= 1000 * 0.5
    assert any(notice.startswith("The 100 Copa flows aim to keep 200 packets") for notice in done.notices)
