"""Sizes of the pipe that a bottleneck and its buffer form."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.bottleneck import find_measured

TCP: dict[str, Any] = {"transport": ac.Tcp("reno"), "source": ac.Greedy()}


def t1(connections: int, buffer: int, **changes: Any) -> ac.Scenario:
    """Return `connections` flows that share a T1 line of 1.6 Mb/s and 50 ms, with packets of 500 bytes."""
    line: dict[str, Any] = {"rate": "1.6 Mbps", "delay": "50 ms", "queue": ac.DropTail(packets=buffer)} | changes
    return ac.Scenario(
        duration="100 s",
        packet_size=500,
        dumbbell=ac.Dumbbell(access=ac.Link(rate="10 Mbps", delay="1 us"), bottleneck=ac.Link(**line)),
        clients=[ac.Clients(count=connections, **TCP)],
    )


@pytest.mark.parametrize(
    ("connections", "buffer", "size"),
    [(100, 400, "large"), (100, 261, "large"), (100, 260, "medium"), (100, 60, "medium"), (101, 60, "small")],
)
def test_the_size_of_a_pipe(connections: int, buffer: int, size: str) -> None:
    """Validates: a pipe is large above three packets per connection and small below one.
    Source: Qiu, Zhang and Keshav 2001, section 5.1: W_opt = 40 for T1 and 50 ms, W_c = W_opt + B.
    Tolerance: exact.
    """
    found = ac.pipe(t1(connections, buffer))
    assert (found.connections, found.optimal, found.capacity) == (connections, 40, 40 + buffer)
    assert found.window == found.capacity / connections
    assert found.size == size


def test_what_a_line_holds_is_whole_packets() -> None:
    # 64 kb/s, 0.1 s there and back, 4000 bits: 1.6 packets. 2,700 bytes hold five packets of 500.
    found = ac.pipe(t1(10, 1, rate="64 kbps", queue=ac.Queue("droptail", bytes=2700)))
    assert (found.optimal, found.buffer) == (2, 5)


def test_means_are_over_the_tcp_flows_that_cross_it() -> None:
    near, far = (ac.Link(rate="10 Mbps", delay=delay) for delay in ("10 ms", "50 ms"))
    scenario = ac.Scenario(
        duration="100 s",
        packet_size=1000,
        dumbbell=ac.Dumbbell(bottleneck=ac.Link(rate="8 Mbps", delay="10 ms", queue=ac.DropTail(packets=20))),
        clients=[
            ac.Clients(count=3, access=near, **TCP),
            ac.Clients(count=1, access=far, **TCP),
            ac.Clients(count=2, access=far, transport=ac.Udp(), source=ac.Constant(rate=10)),
            ac.Clients(count=5, access=far, direction="reverse", **TCP),
        ],
    )
    # (3 * 40 + 120) / 4 = 60 ms of 1000 packets/s
    found = ac.pipe(scenario)
    assert (found.connections, found.optimal, found.buffer) == (4, 60, 20)


def parking_lot(second: str, **measure: Any) -> ac.Scenario:
    hop: dict[str, Any] = {"delay": "5 ms", "queue": ac.DropTail(packets=10)}
    return ac.Scenario(
        duration="10 s",
        measure=ac.Measure(link="a->b", **measure),
        nodes=[ac.Node(name=name) for name in "abc"],
        links=[
            ac.GraphLink(from_="a", to="b", rate="10 Mbps", **hop),
            ac.GraphLink(from_="b", to="c", rate=second, **hop),
        ],
        flows=[
            ac.Flow(from_="a", to="c", count=2, **TCP),
            ac.Flow(from_="a", to="b", count=2, **TCP),
            ac.Flow(from_="b", to="c", count=3, **TCP),
        ],
    )


def test_in_a_graph() -> None:
    # Two flows cross 10 ms, two 20 ms: 15 ms of 10 Mb/s are 12.5 packets of 1500 bytes.
    assert ac.pipe(parking_lot("20 Mbps")).capacity == 12 + 10


@pytest.mark.parametrize("second", ["12.5 Mbps", "5 Mbps"])
def test_without_a_single_bottleneck_there_is_no_pipe(second: str) -> None:
    # Four flows share the first link, five the second.
    with pytest.raises(ac.ScenarioError, match=r"single bottleneck.*b->c gives each of its flows .* a->b 2500 kbps"):
        ac.pipe(parking_lot(second))


def test_an_access_link_may_be_the_narrow_one() -> None:
    with pytest.raises(ac.ScenarioError, match="an access link of clients-0 gives each of its flows 10 Mbps"):
        ac.pipe(t1(2, 10, rate="20 Mbps"))
    scenario = t1(2, 10, rate="30 Mbps").changed({"measure.link": "access.1"})
    assert ac.pipe(scenario).connections == 1
    with pytest.raises(ac.ScenarioError, match="bottleneck gives each of its flows 800 kbps"):
        ac.pipe(t1(2, 10).changed({"measure.link": "access.1"}))


def test_without_tcp_there_is_no_pipe() -> None:
    with pytest.raises(ac.ScenarioError, match="must carry the data of at least one TCP flow"):
        ac.pipe(t1(2, 10).changed({"measure.link": "bottleneck.reverse"}))


@pytest.mark.parametrize(
    ("client", "group", "rate"),
    [(0, "slow", 1e6), (1, "slow", 1e6), (2, "back", 2e6), (3, "fast", 3e6), (4, "fast", 3e6), (5, "fast", 3e6)],
)
def test_an_access_link_belongs_to_the_group_of_its_client(client: int, group: str, rate: float) -> None:
    def clients(name: str, count: int, mbps: int, **more: Any) -> ac.Clients:
        return ac.Clients(name=name, count=count, access=ac.Link(rate=f"{mbps} Mbps", delay="1 ms"), **TCP, **more)

    scenario = ac.Scenario(
        duration="10 s",
        dumbbell=ac.Dumbbell(bottleneck=ac.Link(rate="8 Mbps", delay="10 ms")),
        clients=[clients("slow", 2, 1), clients("back", 1, 2, direction="reverse"), clients("fast", 3, 3)],
    )
    ways = {
        found.rate: [(each.name, count) for each, count in zip(found.groups, found.counts, strict=True)]
        for way in ("", ".reverse")
        for found in [find_measured(scenario.changed({"measure.link": f"access.{client}{way}"}).effective())]
        if found.groups
    }
    assert ways == {rate: [(group, 1)]}
