"""Links that delay packets at random: jitter, and packets that are held back."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ackclock as ac

PACKETS = 20_000
SPACING = 0.0005
"""Seconds between the packets of the UDP flow."""


def datagrams(**extra: Any) -> ac.Run:
    """Run a flow of small packets at equal intervals over a link without a queue and with extra delays."""
    scenario = ac.Scenario(
        duration=f"{PACKETS * SPACING + 1} s",
        packet_size=125,
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node("a"), ac.Node("b")],
        links=[ac.GraphLink(from_="a", to="b", rate="100 Mbps", delay="10 ms", duplex=False, **extra)],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=ac.Constant(rate=1 / SPACING))],
    )
    return ac.simulate(scenario, record=["packets@*"])


def arrived(run: ac.Run) -> list[int]:
    """List the segments in the order of their arrival."""
    packets = run.table("packets").to_pandas()
    segments: list[int] = packets[packets["event"] == "receive"]["segment"].to_list()
    return segments


def test_a_packet_that_is_always_held_back_takes_that_much_longer() -> None:
    """Validates: the extra delay of a held packet is the given time, and packets that are all held stay in order.

    Source: the definition.
    Tolerance: 1e-12 of the delay; a packet takes 10 us and 10 ms without extra delays.
    """
    run = datagrams(reorder=ac.Reorder(probability=1, delay="5 ms"))
    assert run.summary.delay_mean == pytest.approx(0.01501, rel=1e-12)
    assert arrived(run) == sorted(arrived(run))


def test_jitter_is_uniform(record_property: Any) -> None:
    """Validates: jitter of up to J adds J / 2 to the mean delay, and does so without and with reordering if packets are
    further apart than J.

    Source: the uniform distribution.
    Tolerance: four standard errors of 20,000 packets at a fixed seed.
    """
    longest = 0.00045
    found = {}
    for reorders in (False, True):
        run = datagrams(jitter=ac.Jitter(max="450 us", reorders=reorders))
        assert run.summary.delay_mean is not None
        found[reorders] = run.summary.delay_mean - 0.01001
        assert arrived(run) == sorted(arrived(run))
    assert found[False] == found[True]
    record_property("measured", f"{1e6 * found[True]:.2f} us for {1e6 * longest / 2:.2f}")
    assert found[True] == pytest.approx(longest / 2, abs=4 * longest / math.sqrt(12 * PACKETS))


def test_packets_overtake_each_other_only_if_they_may(record_property: Any) -> None:
    """Packets 0.5 ms apart have a jitter of up to 0.8 ms.

    Validates: with ``reorders``, a packet is overtaken by the next one with the probability ``(1 - s/J)^2 / 2`` for a
    spacing s and a jitter J; without it, none is, and a packet waits for its predecessor.
    Source: P(U - V > s) of two independent uniform variables.
    Tolerance: four standard errors, times the square root of 2 because a packet belongs to two pairs.
    """
    kept, free = (datagrams(jitter=ac.Jitter(max="0.8 ms", reorders=reorders)) for reorders in (False, True))
    assert arrived(kept) == sorted(arrived(kept))
    assert (kept.summary.delay_mean or 0) > (free.summary.delay_mean or 0)
    place = {segment: index for index, segment in enumerate(arrived(free))}
    share = sum(place[segment + 1] < place[segment] for segment in range(PACKETS - 1)) / PACKETS
    expected = (1 - SPACING / 0.0008) ** 2 / 2
    record_property("measured", f"{share:.4f} for {expected:.4f}")
    assert share == pytest.approx(expected, abs=4 * math.sqrt(2 * expected / PACKETS))


@pytest.mark.parametrize("variant", ["reno", "newreno", "sack", "cubic", "vegas"])
def test_tcp_over_reordering_links_gets_all_data_across(variant: str) -> None:
    """Data and ACKs are reordered, and nothing is lost.

    Validates: a transfer over links that reorder packets ends, and every retransmission is a duplicate at the receiver.
    Source: RFC 9293, section 3.4 (reliable, ordered delivery); no packet is dropped.
    Tolerance: exact.
    """
    link = ac.Link(
        rate="20 Mbps",
        delay="5 ms",
        jitter=ac.Jitter(max="4 ms", reorders=True),
        reorder=ac.Reorder(probability=0.01, delay="30 ms"),
    )
    scenario = ac.Scenario(
        duration="200 s",
        dumbbell=ac.Dumbbell(access=ac.Link(rate="100 Mbps", delay="1 ms"), bottleneck=link, reverse=link),
        clients=[ac.Clients(count=2, transport=ac.Tcp(variant, max_window=100), source=ac.Greedy(size="4 MB"))],
    )
    summary = ac.simulate(scenario).summary
    assert (summary.groups[0].completed, summary.drops) == (2, 0)
    assert summary.retransmissions == summary.duplicates > 0
