"""Sizes of the pipe that a bottleneck and its buffer form."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ackclock as ac
from ackclock.scenario.bottleneck import find_measured, tcp_load

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


def uneven() -> ac.Scenario:
    """Return a dumbbell whose directions have different rates: three clients send, four receive."""
    steps = {name: ac.RateTrace(steps=[("0 s", rate)]) for name, rate in (("up", "3 Mbps"), ("down", "7 Mbps"))}
    access = ac.Link(rate_trace=steps["up"], reverse_rate_trace=steps["down"], delay="1 ms")
    return ac.Scenario(
        duration="10 s",
        dumbbell=ac.Dumbbell(
            bottleneck=ac.Link(rate="8 Mbps", delay="10 ms", queue=ac.DropTail(packets=9)),
            reverse=ac.Link(rate="20 Mbps", delay="20 ms", queue=ac.DropTail(packets=11)),
        ),
        clients=[
            ac.Clients(name="up", count=3, access=access, **TCP),
            ac.Clients(name="down", count=4, access=access, direction="reverse", packet_size=500, **TCP),
            ac.Clients(
                name="paced", access=access, transport=ac.Udp(), source=ac.Constant(rate=1), direction="reverse"
            ),
        ],
    )


@pytest.mark.parametrize(
    ("link", "rate", "groups", "counts", "narrowest"),
    [
        # senders reach the bottleneck over their access links, 3 Mb/s each
        ("bottleneck", 8e6, ["up"], [3], [9e6]),
        # the other direction's data comes from servers without access links
        ("bottleneck.reverse", 20e6, ["down", "paced"], [4, 1], [math.inf, math.inf]),
        ("access.0", 3e6, ["up"], [1], [math.inf]),
        ("access.2", 3e6, ["up"], [1], [math.inf]),
        ("access.3", 3e6, [], [], []),
        ("access.0.reverse", 7e6, [], [], []),
        # data reaches a client over the bottleneck's reverse
        ("access.3.reverse", 7e6, ["down"], [1], [20e6]),
        ("access.6.reverse", 7e6, ["down"], [1], [20e6]),
        ("access.7.reverse", 7e6, ["paced"], [1], [20e6]),
    ],
)
def test_what_crosses_a_link_of_a_dumbbell(
    link: str, rate: float, groups: list[str], counts: list[int], narrowest: list[float]
) -> None:
    found = find_measured(uneven().changed({"measure.link": link}).effective())
    assert found.rate == rate
    assert [group.name for group in found.groups] == groups
    assert (found.counts, found.narrowest) == (counts, narrowest)
    assert found.delays == [32 * 10**9] * len(groups)


def test_what_crosses_a_link_of_a_graph() -> None:
    found = find_measured(parking_lot("5 Mbps").changed({"measure.link": "b->c"}).effective())
    assert found.rate == 5e6
    assert [group.name for group in found.groups] == ["flows-0", "flows-2"]
    assert (found.counts, found.narrowest) == ([2, 3], [10e6, math.inf])
    assert found.delays == [20 * 10**9, 10 * 10**9]
    back = find_measured(parking_lot("5 Mbps").changed({"measure.link": "c->b"}).effective())
    assert (back.groups, back.rate) == ([], 5e6)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        # 8 Mb/s for three senders are less than their 3 Mb/s each
        ("bottleneck", ""),
        # 20 Mb/s for five receivers are less than their 7 Mb/s each
        ("bottleneck.reverse", ""),
        ("access.0", "bottleneck gives each of its flows 2666667 bps, and access.0 3 Mbps"),
        ("access.3.reverse", "bottleneck.reverse gives each of its flows 4 Mbps, and access.3.reverse 7 Mbps"),
    ],
)
def test_each_direction_has_its_own_shares(link: str, message: str) -> None:
    scenario = uneven().changed({"measure.link": link})
    if message:
        with pytest.raises(ac.ScenarioError, match=message):
            ac.pipe(scenario)
        return
    assert ac.pipe(scenario).buffer == (9 if link == "bottleneck" else 11)


@pytest.mark.parametrize(("rate", "single"), [("27 Mbps", False), ("26999999 bps", True)])
def test_an_equal_share_elsewhere_is_a_second_bottleneck(rate: str, single: bool) -> None:  # noqa: FBT001
    # nine senders of 3 Mb/s each; two groups of receivers do not matter
    scenario = uneven().changed({"clients.0.count": 9, "dumbbell.bottleneck.rate": rate})
    if single:
        assert ac.pipe(scenario).connections == 9
        return
    with pytest.raises(ac.ScenarioError, match=r"an access link of up gives each of its flows 3 Mbps, and .* 3 Mbps"):
        ac.pipe(scenario)


def test_the_load_is_of_tcp_alone() -> None:
    found = tcp_load(find_measured(uneven().changed({"measure.link": "bottleneck.reverse"}).effective()))
    assert found is not None
    # 20 Mb/s for 32 ms are 80,000 bytes, in packets of 500
    assert [found.flows, found.packet, found.product] == pytest.approx([4, 500, 160])
