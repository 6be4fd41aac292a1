"""Notices at the limits of their conditions, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.noticed import noticed

import ackclock as ac

FAST = ac.Link(rate="1000 Gbps", delay="0 s")
CALM = ac.Link(rate="1 Mbps", delay="20 ms")
TCP = ac.Tcp("reno")


def dumbbell(
    *clients: dict[str, Any], bottleneck: ac.Link = CALM, access: ac.Link = FAST, **fields: Any
) -> ac.Scenario:
    """Return groups of one greedy flow each, named a, b and so on, unless the table of a group says otherwise."""
    usual: list[dict[str, Any]] = [{"name": name, "transport": TCP, "source": ac.Greedy()} for name in "abcdefgh"]
    return ac.Scenario(
        **({"duration": "10 s"} | fields),
        dumbbell=ac.Dumbbell(access=access, bottleneck=bottleneck),
        clients=[ac.Clients(**(own | each)) for own, each in zip(usual, clients, strict=False)],
    )


def requests(load: float) -> ac.Connections:
    return ac.Connections(connections=3, load=load, size=ac.Fixed(mean="10 kB"))


@pytest.mark.parametrize(
    ("left", "ended", "expected"),
    [(0, 0, ""), (1, 19, ""), (2, 37, "2 of 39 transfers of group a"), (1, 0, "1 of 1 transfers of group a")],
)
def test_incomplete_transfers_above_one_in_twenty(left: int, ended: int, expected: str) -> None:
    found = noticed(dumbbell({}), "transfers", groups=[{"completed": ended}], unfinished=[left])
    assert [each.partition(" were")[0] for each in found] == ([expected] if expected else [])


def test_requests_that_wait_for_a_connection() -> None:
    scenario = dumbbell({"source": requests(0.5)}, {"source": requests(0.4)}, {})
    (notice,) = noticed(scenario, "waited for", waited=[0, 2, 9])
    assert notice.startswith(
        "2 requests of group b waited for a connection, because each client has at most 3 at a time"
    )


@pytest.mark.parametrize(("loads", "expected"), [((0.5, 0.49), ""), ((0.5, 0.5), "100%"), ((0.9, 0.6), "150%")])
def test_requests_that_fill_the_link(loads: tuple[float, ...], expected: str) -> None:
    found = noticed(dumbbell(*({"source": requests(load)} for load in loads), {}), "Requests offer")
    assert [each[: len(expected) + 22] for each in found] == ([f"Requests offer {expected} of the"] if expected else [])


@pytest.mark.parametrize(("rate", "expected"), [(1200, ""), (1199, "100%"), (1000, "120%"), (600, "200%")])
def test_udp_sources_that_fill_the_link(rate: float, expected: str) -> None:
    """Three flows send 5 packets of 10 bytes each second: 1200 bit/s. Narrower links before let 30 bit/s through."""
    paced = {"source": ac.Constant(rate=5)}
    groups = (paced | {"transport": ac.Udp(), "packet_size": 10, "count": 3}, paced | {"count": 100})
    found = noticed(dumbbell(*groups, bottleneck=CALM.model_copy(update={"rate": f"{rate} bps"})), "UDP sources")
    assert [each.partition(" of the measured")[0] for each in found] == (
        [f"UDP sources alone offer {expected}"] if expected else []
    )
    narrow = dumbbell(
        *groups, bottleneck=CALM.model_copy(update={"rate": "29 bps"}), access=ac.Link(rate="10 bps", delay="0 s")
    )
    assert "offer 103%" in noticed(narrow, "UDP sources")[0]


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ({"packets": 9}, "(9 packets) is below one bandwidth-delay product (10 packets of 500 bytes)"),
        ({"packets": 10}, ""),
        ({"bytes": 4751}, ""),  # 9.502 packets, printed as 10
        ({"bytes": 4749}, "(9 packets) is below"),
        ({"bytes": 5000}, ""),
        ({}, ""),
    ],
)
def test_a_buffer_below_the_product(queue: dict[str, Any], expected: str) -> None:
    """In a round trip of 40 ms, 1 Mb/s carries ten packets of 500 bytes."""
    bottleneck = CALM.model_copy(update={"queue": ac.DropTail(**queue)})
    found = noticed(dumbbell({}, bottleneck=bottleneck, packet_size=500), "The buffer of")
    assert len(found) == bool(expected)
    assert expected in "".join(found)


@pytest.mark.parametrize(
    ("kind", "buffer", "counts", "expected"),
    [
        ("droptail", 26, (5, 0), ""),  # 10 packets, which swing up to 25
        ("droptail", 25, (5, 0), "The 5 Copa flows aim to keep 10 packets (1 / delta each) in the queue of bottleneck"),
        ("droptail", 1000, (6, 0), "one bandwidth-delay product is 10 packets and the buffer 1000. Such"),
        ("droptail", None, (6, 0), "one bandwidth-delay product is 10 packets and the buffer 100000. Such"),
        ("droptail", 1000, (2, 2), "The 4 Copa flows aim to keep 12 packets"),
        ("fq_codel", 10, (6, 0), ""),
    ],
)
def test_copa_flows_that_fill_a_queue(kind: str, buffer: int | None, counts: tuple[int, int], expected: str) -> None:
    """In a round trip of 40 ms, 1 Mb/s carries ten packets of 500 bytes."""
    queue = ac.Queue(kind) if buffer is None else ac.Queue(kind, packets=buffer)
    flows = [
        {"transport": ac.Tcp("copa", delta=delta), "count": count}
        for delta, count in zip((0.5, 0.25), counts, strict=True)
        if count
    ]
    bottleneck = CALM.model_copy(update={"queue": queue})
    found = noticed(dumbbell(*flows, {"count": 100}, bottleneck=bottleneck, packet_size=500), "Copa")
    assert len(found) == bool(expected)
    assert expected in "".join(found)


@pytest.mark.parametrize(
    ("unit", "highest", "expected"),
    [("packets", 10.0, "10,"), ("packets", 10.01, ""), ("bytes", 5000.0, "10 packets of 500"), ("bytes", 5001.0, "")],
)
def test_red_that_just_reaches_its_threshold(unit: Any, highest: float, expected: str) -> None:
    red = ac.Red(packets=1000, min_th=10, max_th=30, unit=unit, mean_packet_size=500)
    scenario = dumbbell({}, bottleneck=CALM.model_copy(update={"queue": red}))
    found = noticed(scenario, "RED", red_avg_max=highest)
    assert len(found) == bool(expected)
    assert expected in "".join(found)
    assert noticed(scenario, "RED") == []
    assert noticed(dumbbell({}), "RED", red_avg_max=1.0) == []


def way(names: str) -> ac.Scenario:
    """Return a flow that crosses links with the default limit before the measured link, and another one after them.

    Without queues, a packet of 1000 bytes takes 125 ms to propagate on all links, 250 ms to be sent on the links with
    the default limit and 125 ms on the measured one: 0.5 s. The round trip takes 0.25 s. The links change, so that they
    may be slower than the measured one at some time.
    """
    nodes = [ac.Node(name=f"n{place}") for place in range(len(names) + 2)]
    each: dict[str, Any] = {"rate": f"{32 * len(names)} kbps", "delay": f"{62_500 // len(names)} us"}
    links = [
        *(ac.GraphLink(name=name, from_=f"n{place}", to=f"n{place + 1}", **each) for place, name in enumerate(names)),
        ac.GraphLink(
            name="m",
            from_=nodes[-2].name,
            to=nodes[-1].name,
            rate="64 kbps",
            delay="62500 us",
            queue=ac.DropTail(packets=5),
        ),
    ]
    flows = [
        ac.Flow(name=name, from_=start, to=nodes[-1].name, transport=TCP, source=ac.Greedy())
        for name, start in (("short", nodes[-2].name), ("web", "n0"))
    ]
    return ac.Scenario(
        duration="10 s",
        packet_size=1000,
        measure=ac.Measure(link="m"),
        nodes=nodes,
        links=links,
        flows=flows,
        changes=[ac.Change(at="9 s", links=list(names), loss=ac.RandomLoss(probability=0))],
    )


@pytest.mark.parametrize(
    ("delay", "wait", "expected"),
    [(1.0, 0.25, ""), (1.01, 0.25, "0.26 s"), (0.76, 0.0, "0.26 s"), (0.75, 0.0, ""), (None, 0.0, "")],
)
def test_a_wait_longer_than_the_round_trip(delay: float | None, wait: float, expected: str) -> None:
    """By Little's law, ten packets in 10 s wait for as many seconds as packets wait on average."""
    groups: list[dict[str, Any]] = [
        {"delay_mean": 9.0, "queue_mean": 9.0, "departures": 10},
        {"delay_mean": delay, "queue_mean": wait, "departures": 10},
    ]
    found = noticed(way("a"), "default limit", groups=groups)
    assert len(found) == bool(expected)
    assert expected in "".join(found)


@pytest.mark.parametrize(("names", "expected"), [("abc", ": a, b, c."), ("abcd", ": a, b, c, …."), ("a", ": a.")])
def test_three_queues_are_named(names: str, expected: str) -> None:
    (found,) = noticed(way(names), "default limit", groups=[{}, {"delay_mean": 9.0}])
    assert f"limit of 100,000 packets{expected} That" in found
