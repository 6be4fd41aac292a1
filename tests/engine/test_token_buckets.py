"""Links with a policer or a shaper, and losses after the transmission."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac

if TYPE_CHECKING:
    from pathlib import Path

QUEUES = [ac.DropTail(packets=100), ac.Queue("codel", packets=100, target="1000 s")]
"""A queue that decides at arrival, and a queue that stores the packets and never drops them early."""


def datagrams(queue: ac.Queue, source: Any, duration: str = "1 s", **extra: Any) -> ac.Run:
    """Run a flow of packets of 1500 bytes over a link of 100 Mb/s."""
    scenario = ac.Scenario(
        duration=duration,
        packet_size=1500,
        measure=ac.Measure(link="a->b", from_="0 s", bin="10 ms"),
        nodes=[ac.Node("a"), ac.Node("b")],
        links=[ac.GraphLink(from_="a", to="b", rate="100 Mbps", delay="1 ms", duplex=False, queue=queue, **extra)],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=source)],
    )
    return ac.simulate(scenario, record=["packets@*"])


def times(run: ac.Run, event: str) -> list[float]:
    """List the times of an event."""
    packets = run.table("packets").to_pandas()
    return list(packets[packets["event"] == event]["time"])


@pytest.mark.parametrize("queue", QUEUES, ids=["droptail", "codel"])
def test_a_shaper_sends_its_burst_and_then_at_its_rate(queue: ac.Queue) -> None:
    """Packets arrive every millisecond, 12 Mb/s, at a shaper of 8 Mb/s with a burst of ten packets.

    Validates: packets 0 to 27 leave on arrival, the others every 1.5 ms; the time that they wait for tokens counts as
        time in the queue; utilization is the share of the link's rate.
    Source: RFC 2697, section 3; computed by hand.
    Tolerance: 1 ns of the times; one packet of the throughput.
    """
    run = datagrams(queue, ac.Constant(rate=1000), "60 ms", shaper=ac.Shaper(rate="8 Mbps", burst=15_000))
    by_hand = [0.001 * packet if packet < 28 else 0.027 + 0.0015 * (packet - 27) for packet in range(49)]
    assert times(run, "dequeue") == pytest.approx(by_hand, abs=1e-9)
    assert times(run, "receive") == pytest.approx([time + 0.00112 for time in by_hand], abs=1e-9)
    assert run.summary.drops == 0
    assert run.summary.utilization == pytest.approx(49 * 12_000 / 0.06 / 1e8, rel=1 / 49)
    assert run.summary.queue_mean == pytest.approx(
        sum(min(time, 0.06) - 0.001 * place for place, time in enumerate([*by_hand, *[0.06] * 11])) / 0.06
    )


@pytest.mark.parametrize("queue", QUEUES, ids=["droptail", "codel"])
def test_a_policer_drops_what_exceeds_its_burst_and_rate(queue: ac.Queue) -> None:
    """Packets arrive every millisecond, 12 Mb/s, at a policer of 8 Mb/s with a burst of ten packets.

    Validates: packet 28 is the first that is dropped, and then every third is.
    Source: RFC 2697, section 3; computed by hand.
    Tolerance: exact.
    """
    run = datagrams(queue, ac.Constant(rate=1000), "60 ms", policer=ac.Policer(rate="8 Mbps", burst=15_000))
    packets = run.table("packets").to_pandas()
    assert list(packets[packets["event"] == "drop"]["segment"]) == list(range(28, 60, 3))
    assert (run.summary.arrivals, run.summary.departures, run.summary.drops) == (60, 49, 11)
    assert run.summary.queue_mean == 0


@pytest.mark.parametrize("queue", QUEUES, ids=["droptail", "codel"])
def test_shaped_and_policed_links_carry_their_rate(queue: ac.Queue, record_property: Any) -> None:
    """Poisson packets at 16 Mb/s for 20 s.

    Validates: over a long time, a shaper that always has packets sends exactly at its rate, and a policer passes its
        rate less a share that becomes small with a large burst; both pass the burst in addition.
    Source: the definition: the bucket loses tokens only while it is full.
    Tolerance: one packet for the shaper; 1 % for the policer.
    """
    bucket: dict[str, Any] = {"rate": "8 Mbps", "burst": 150_000}
    source = ac.Poisson(rate=16e6 / 12_000)
    shaped = datagrams(queue, source, "20 s", shaper=ac.Shaper(**bucket)).summary
    policed = datagrams(queue, source, "20 s", policer=ac.Policer(**bucket)).summary
    most = (150_000 + 1e6 * 20) / 1500
    record_property("measured", f"{shaped.departures} and {policed.departures} packets, at most {most:.1f}")
    assert most - 2 <= shaped.departures <= most
    assert 0.99 * most <= policed.departures <= most


@pytest.mark.parametrize("queue", QUEUES, ids=["droptail", "codel"])
def test_corrupted_packets_take_transmission_time(queue: ac.Queue, record_property: Any) -> None:
    """Packets at 110 Mb/s on a link of 100 Mb/s that loses 20 %, before the queue or after the transmission.

    Validates: losses before the queue leave room for the other packets, so that none is dropped; losses after the
        transmission do not, and are counted as departures and as corrupted, not as drops; the share that is lost is the
        given one in both places.
    Source: the definition; the binomial distribution.
    Tolerance: four standard errors of the shares; exact for conservation.
    """
    found = {}
    for place in ("before", "after"):
        loss = ac.RandomLoss(probability=0.2, place=place)
        run = datagrams(queue, ac.Constant(rate=110e6 / 12_000), "5 s", loss=loss)
        found[place] = run.summary
        lost = len(times(run, "lost"))
        offered = run.summary.arrivals if place == "before" else run.summary.departures
        record_property("measured", f"{place}: {lost / offered:.4f} of {offered} packets are lost")
        assert abs(lost / offered - 0.2) < 4 * math.sqrt(0.16 / offered)
        assert run.summary.corrupted == run.summary.groups[0].corrupted == (0 if place == "before" else lost)
        assert len(times(run, "receive")) == pytest.approx(run.summary.departures - run.summary.corrupted, abs=20)
    assert found["before"].drops == pytest.approx(0.2 * found["before"].arrivals, rel=0.05)
    assert found["after"].drops == pytest.approx(found["after"].arrivals / 11, rel=0.05)
    assert found["after"].utilization > 0.999
    assert found["before"].utilization == pytest.approx(0.88, abs=0.01)


def test_a_shaper_serves_short_transfers_at_the_rate_of_the_link(root: Path) -> None:
    shaped = ac.Scenario.from_toml(root / "examples" / "shaper.toml")
    alone = ac.simulate(shaped.changed({"duration": "31 s", "clients.1.start": "30.9 s"})).summary.groups["short"]
    assert alone.completion_p50 is not None
    # 200 kB at 10 Mb/s would take 160 ms longer
    assert alone.completion_p50 < 0.16
    policed = shaped.changed(
        {"dumbbell.bottleneck.shaper": None, "dumbbell.bottleneck.policer": {"rate": "10 Mbps", "burst": 10**6}}
    )
    with_queue, without = ac.simulate(shaped).summary, ac.simulate(policed).summary
    assert with_queue.throughput_bps < 11e6
    assert without.throughput_bps < 11e6
    assert with_queue.sojourn_p99 is not None
    assert without.sojourn_p99 is not None
    assert with_queue.sojourn_p99 > 0.1 > 5 * without.sojourn_p99
