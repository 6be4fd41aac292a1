"""Effective scenarios: the digests of all files, the default bin, and the queues of every link."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac
from ackclock.scenario.effective import default_bin, sealed, two_way_delays

if TYPE_CHECKING:
    from pathlib import Path

TCP: dict[str, Any] = {"transport": ac.Tcp("reno"), "source": ac.Greedy()}


def link(delay: str, **fields: Any) -> ac.Link:
    return ac.Link(rate="10 Mbps", delay=delay, **fields)


def graph_link(a: str, b: str, delay: str, **fields: Any) -> ac.GraphLink:
    return ac.GraphLink(from_=a, to=b, rate="10 Mbps", delay=delay, **fields)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Write files of different content, and return the digest of each path."""
    digests = {}
    for place in range(6):
        content = f"time,rate\n0,{1000 + place}\n"
        path = tmp_path / f"{place}.csv"
        path.write_text(content)
        digests[str(path)] = hashlib.sha256(content.encode()).hexdigest()
    return digests


def test_a_dumbbell_is_sealed_with_the_digest_of_each_file(files: dict[str, str]) -> None:
    traces = [ac.RateTrace(path=path) for path in files]
    scenario = ac.Scenario(
        duration="10 s",
        dumbbell=ac.Dumbbell(
            bottleneck=ac.Link(rate_trace=traces[0], delay="10 ms"),
            reverse=ac.Link(rate_trace=traces[1], delay="10 ms"),
            access=ac.Link(rate_trace=traces[2], reverse_rate_trace=traces[3], delay="10 ms"),
        ),
        clients=[
            ac.Clients(access=ac.Link(rate_trace=traces[4], delay="10 ms"), **TCP),
            ac.Clients(transport=ac.Udp(), source=ac.Trace(path=list(files)[5])),
        ],
    )
    whole = sealed(scenario.effective())
    assert whole.dumbbell is not None
    links = [whole.dumbbell.bottleneck, whole.dumbbell.reverse, whole.dumbbell.access, whole.clients[0].access]
    source = whole.clients[1].source
    assert isinstance(source, ac.Trace)
    traced = [each.rate_trace for each in links if each] + [each.reverse_rate_trace for each in links if each]
    found = {trace.path: trace.sha256 for trace in (*traced, source) if trace is not None}
    assert found == files


def test_a_graph_is_sealed_with_the_digest_of_each_file(files: dict[str, str]) -> None:
    names = list(files)
    steps = ac.RateTrace(steps=[("0 s", "1 Mbps")])
    scenario = ac.Scenario(
        duration="10 s",
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[
            ac.GraphLink(
                from_="a", to="b", rate_trace=ac.RateTrace(path=names[0]), reverse_rate_trace=steps, delay="10 ms"
            )
        ],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=ac.Trace(path=names[1]))],
    )
    whole = sealed(scenario.effective())
    trace, source = whole.links[0].rate_trace, whole.flows[0].source
    assert trace is not None
    assert isinstance(source, ac.Trace)
    assert (trace.sha256, source.sha256) == (files[names[0]], files[names[1]])
    assert whole.links[0].reverse_rate_trace == steps


@pytest.mark.parametrize(
    ("delays", "counts", "bin_"),
    [
        # there and back over the bottleneck (3 + 4 ms) and an access link: 9 ms and 15 ms
        (("1 ms", "4 ms"), (1, 1), 12 * 10**9),
        (("1 ms", "4 ms"), (2, 1), 11 * 10**9),
        (("1 ms", "1001 us"), (1, 2), 9_001_000_000),  # 9 ms and 4/3 us
        (("1 ms", "1002 us"), (1, 2), 9_003_000_000),  # and 8/3 us
    ],
)
def test_the_default_bin_is_the_mean_delay_over_all_flows(
    delays: tuple[str, str], counts: tuple[int, int], bin_: int
) -> None:
    groups = [ac.Clients(count=count, access=link(delay), **TCP) for count, delay in zip(counts, delays, strict=True)]
    network = ac.Dumbbell(bottleneck=link("3 ms"), reverse=link("4 ms"))
    whole = ac.Scenario(duration="10 s", dumbbell=network, clients=groups).effective()
    assert default_bin(whole) == bin_


@pytest.mark.parametrize(("delay", "bin_"), [("1400 ns", 3), ("1200 ns", 2), ("600 ns", 1), ("200 ns", 0.4)])
def test_a_delay_below_a_microsecond_is_not_rounded_to_nothing(delay: str, bin_: float) -> None:
    flow = ac.Flow(from_="a", to="b", **TCP)
    whole = ac.Scenario(
        duration="10 ms",
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[graph_link("a", "b", delay)],
        flows=[flow],
    ).effective()
    assert default_bin(whole) == bin_ * 10**6
    assert whole.measure.bin == ("400 ns" if bin_ < 1 else f"{bin_} us")


def test_delays_in_a_graph_are_of_the_way_there_and_back() -> None:
    whole = ac.Scenario(
        duration="10 s",
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name=name) for name in "abc"],
        links=[
            graph_link("a", "b", "1 ms"),
            graph_link("b", "c", "10 ms", duplex=False),
            graph_link("c", "a", "100 ms", duplex=False),
        ],
        flows=[ac.Flow(from_=a, to=b, **TCP) for a, b in ("ab", "bc", "ca")],
    ).effective()
    # a to b and back; b to c, and back over a; the ring once
    assert [delay // 10**9 for delay in two_way_delays(whole)] == [2, 111, 111]
    assert [each.duplex for each in whole.links] == [True, False, False]


def test_a_reverse_link_has_neither_the_queue_nor_the_losses_of_the_bottleneck() -> None:
    bottleneck = link("1 ms", queue=ac.DropTail(packets=7), loss=ac.ListedLoss(packets=(3,)))
    network = ac.Dumbbell(bottleneck=bottleneck, access=link("2 ms", queue=ac.DropTail(packets=8)))
    clients = [
        ac.Clients(**TCP),
        ac.Clients(access=link("5 ms", queue=ac.DropTail(packets=9)), direction="reverse", start="1 s", **TCP),
    ]
    whole = ac.Scenario(duration="10 s", dumbbell=network, clients=clients).effective()
    assert whole.dumbbell is not None
    assert whole.dumbbell.reverse is not None
    assert whole.dumbbell.reverse.loss is None
    assert whole.dumbbell.bottleneck.loss == bottleneck.loss
    links = [whole.dumbbell.bottleneck, whole.dumbbell.reverse, *(each.access for each in whole.clients)]
    assert [each.queue.packets for each in links if each and each.queue] == [7, 100_000, 8, 9]
    assert [(each.name, each.direction, each.start, each.spread) for each in whole.clients] == [
        ("clients-0", "forward", "0 s", "0 s"),
        ("clients-1", "reverse", "1 s", "0 s"),
    ]


def test_a_limit_in_bytes_has_no_default_in_packets() -> None:
    for queue, limit in (
        (ac.Queue("droptail", bytes=700), (None, 700)),
        (ac.Queue("droptail", packets=7), (7, None)),
        (ac.Queue("droptail"), (100_000, None)),
    ):
        network = ac.Dumbbell(bottleneck=link("1 ms", queue=queue), access=link("1 ms"))
        whole = ac.Scenario(duration="1 s", dumbbell=network, clients=[ac.Clients(**TCP)]).effective()
        assert whole.dumbbell is not None
        found = whole.dumbbell.bottleneck.queue
        assert found is not None
        assert (found.packets, found.bytes) == limit
