"""Notices at the limits of their conditions, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import ackclock as ac
from ackclock.running import notices
from ackclock.running.roomy import Roomy, held

CONNECTIONS: Any = ac.Connections


def groups(*found: Any) -> Any:
    return SimpleNamespace(groups=[SimpleNamespace(**({"name": "g"} | each)) for each in found])


@pytest.mark.parametrize(
    ("left", "ended", "told"),
    [(0, 0, ""), (1, 19, ""), (2, 37, "2 of 39 transfers of group g"), (1, 0, "1 of 1 transfers of group g")],
)
def test_incomplete_transfers_above_one_in_twenty(left: int, ended: int, told: str) -> None:
    found = list(notices._unfinished(groups({}), [left], [ended]))
    assert [each.partition(" were")[0] for each in found] == ([told] if told else [])


def test_requests_that_wait_for_a_connection() -> None:
    source = CONNECTIONS.model_construct(connections=3, load=0.5)
    other = ac.Greedy()
    scenario = groups({"source": source}, {"source": source}, {"source": other})
    (told,) = notices._waited(scenario, [0, 2, 9])
    assert told.startswith("2 requests of group g waited for a connection, because each client has at most 3 at a time")


@pytest.mark.parametrize(("loads", "told"), [((0.5, 0.49), ""), ((0.5, 0.5), "100%"), ((0.9, 0.6), "150%")])
def test_requests_that_fill_the_link(loads: tuple[float, ...], told: str) -> None:
    sources = [CONNECTIONS.model_construct(connections=3, load=load) for load in loads]
    measured = groups(*({"source": source} for source in sources), {"source": ac.Greedy()})
    scenario: Any = SimpleNamespace(measure=SimpleNamespace(link="l"))
    found = list(notices._overload_of_requests(scenario, measured))
    assert [each[: len(told) + 22] for each in found] == ([f"Requests offer {told} of the"] if told else [])


@pytest.mark.parametrize(("rate", "told"), [(1200, ""), (1199, "100%"), (1000, "120%"), (600, "200%")])
def test_udp_sources_that_fill_the_link(rate: float, told: str) -> None:
    """Three flows send 5 packets of 10 bytes each second: 1200 bit/s. A narrower link before lets 30 bit/s through."""
    source = ac.Constant(rate=5)
    paced: Any = {"transport": ac.Udp(), "source": source, "packet_size": 10}
    measured = SimpleNamespace(
        groups=[SimpleNamespace(**paced), SimpleNamespace(**(paced | {"transport": ac.Tcp("reno")}))],
        counts=[3, 100],
        narrowest=[1e9, 1e9],
        rate=rate,
    )
    found = list(notices._overload(measured))  # type: ignore[arg-type]
    assert [each.partition(" of the measured")[0] for each in found] == (
        [f"UDP sources alone offer {told}"] if told else []
    )
    narrow = SimpleNamespace(**(vars(measured) | {"narrowest": [30, 1e9], "rate": 29}))
    assert "offer 103%" in next(notices._overload(narrow))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("queue", "told"),
    [
        ({"packets": 9, "bytes": None}, "(9 packets) is below one bandwidth-delay product (10 packets of 500 bytes)"),
        ({"packets": 10, "bytes": None}, ""),
        ({"packets": None, "bytes": 4751}, ""),  # 9.502 packets, printed as 10
        ({"packets": None, "bytes": 4749}, "(9 packets) is below"),
        ({"packets": None, "bytes": 5000}, ""),
        ({"packets": None, "bytes": None}, ""),
    ],
)
def test_a_buffer_below_the_product(monkeypatch: pytest.MonkeyPatch, queue: dict[str, Any], told: str) -> None:
    monkeypatch.setattr(notices, "tcp_load", lambda _: SimpleNamespace(packet=500, product=10))
    scenario: Any = SimpleNamespace(measure=SimpleNamespace(link="l"))
    measured: Any = SimpleNamespace(link=SimpleNamespace(queue=SimpleNamespace(**queue)))
    found = list(notices._small_buffer(scenario, measured))
    assert len(found) == bool(told)
    assert told in "".join(found)


@pytest.mark.parametrize(
    ("kind", "buffer", "counts", "told"),
    [
        ("droptail", 26, (5, 0), ""),  # 10 packets, which swing up to 25
        ("droptail", 25, (5, 0), "The 5 Copa flows aim to keep 10 packets (1 / delta each) in the queue of l, which"),
        ("droptail", 1000, (6, 0), "one bandwidth-delay product is 10 packets and the buffer 1000."),
        ("droptail", None, (6, 0), "one bandwidth-delay product is 10 packets. Such"),
        ("droptail", 1000, (2, 2), "The 4 Copa flows aim to keep 12 packets"),
        ("fq_codel", 10, (6, 0), ""),
    ],
)
def test_copa_flows_that_fill_a_queue(
    monkeypatch: pytest.MonkeyPatch, kind: str, buffer: int | None, counts: tuple[int, int], told: str
) -> None:
    monkeypatch.setattr(notices, "tcp_load", lambda _: SimpleNamespace(packet=500, product=10))
    flows = [ac.Tcp("copa", delta=0.5), ac.Tcp("copa", delta=0.25), ac.Tcp("reno")]
    measured: Any = groups(*({"transport": each} for each in flows))
    queue = SimpleNamespace(kind=kind, packets=buffer, bytes=None)
    measured.link, measured.counts = SimpleNamespace(queue=queue), [*counts, 100]
    scenario: Any = SimpleNamespace(measure=SimpleNamespace(link="l"))
    found = list(notices._no_room_for_copa(scenario, measured))
    assert len(found) == bool(told)
    assert told in "".join(found)


@pytest.mark.parametrize(
    ("unit", "highest", "told"),
    [("packets", 10.0, "10,"), ("packets", 10.01, ""), ("bytes", 5000.0, "10 packets of 500"), ("bytes", 5001.0, "")],
)
def test_red_that_just_reaches_its_threshold(unit: str, highest: float, told: str) -> None:
    parameters = {"mean_packet_size": 500, "unit": unit, "min_th": 10}
    queue = SimpleNamespace(kind="red", parameters=parameters)
    measured: Any = SimpleNamespace(link=SimpleNamespace(queue=queue))
    found = list(notices._red(measured, highest))
    assert len(found) == bool(told)
    assert told in "".join(found)
    assert list(notices._red(measured, None)) == []
    queue.kind = "droptail"
    assert list(notices._red(measured, 1.0)) == []


ROOMY = Roomy(group=1, name="web", queues=["a"], room=100_000, least=0.5, measured=False, round_trip=0.25)


@pytest.mark.parametrize(
    ("delay", "wait", "told"),
    [(1.0, 0.25, ""), (1.01, 0.25, "0.26 s"), (0.76, None, "0.26 s"), (0.75, None, ""), (None, None, "")],
)
def test_a_wait_longer_than_the_round_trip(delay: float | None, wait: float | None, told: str) -> None:
    found = list(held([ROOMY], [9.0, delay], [9.0, wait]))
    assert len(found) == bool(told)
    assert told in "".join(found)


@pytest.mark.parametrize(("names", "told"), [("abc", ": a, b, c."), ("abcd", ": a, b, c, …."), ("a", ": a.")])
def test_three_queues_are_named(names: str, told: str) -> None:
    (found,) = held([replace(ROOMY, queues=list(names))], [0.0, 9.0], [0.0, 0.0])
    assert f"limit of 100,000 packets{told} That" in found
