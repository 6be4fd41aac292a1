"""One TCP flow on one link compared with exact or nearly exact laws: window, slow start, sawtooth, square root.

These runs are deterministic: one flow that always has data, one link, no random processing time. A tolerance covers
effects that a law ignores, and names them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import ackclock as ac

ROUND_TRIP = 0.1
"""Seconds; without a queue."""
SERVICE = 0.001
"""Seconds that the slow link takes for a packet."""
FULL = round(ROUND_TRIP / SERVICE)
"""The window in packets that fills the slow link."""
NO_LIMIT = 10**6

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def slow(queue: ac.Queue | None = None) -> ac.GraphLink:
    """Return links of 8 Mbps: 1 ms for 1000 bytes, 40 us for an ACK, and two delays that make the round trip 100 ms."""
    return ac.GraphLink(from_="a", to="b", rate="8 Mbps", delay="49.48 ms", queue=queue)


def fast(loss: ac.ListedLoss | None = None) -> ac.GraphLink:
    """Return links of 8 Gbps, on which a round trip takes 100 ms and 1 us with any window."""
    return ac.GraphLink(from_="a", to="b", rate="8 Gbps", delay="50 ms", loss=loss)


def one_flow(link: ac.GraphLink, tcp: ac.Tcp, seconds: float, measure: ac.Measure) -> ac.Scenario:
    """Return one flow of 1000-byte segments that never ends."""
    return ac.Scenario(
        duration=f"{seconds:.3f} s",
        packet_size=1000,
        measure=measure,
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[link],
        flows=[ac.Flow(from_="a", to="b", transport=tcp, source=ac.Greedy())],
    )


@pytest.mark.parametrize("window", [1, 2, 7, 25, 64, 99, 100, 150])
@pytest.mark.parametrize("variant", ["reno", "sack"])
def test_utilisation_is_window_over_round_trip(variant: str, window: int, record_property: Note) -> None:
    """A flow limited by its advertised window.

    Validates: a window of W packets uses W services per round trip, up to the link's capacity.
    Source: RFC 9293, section 3.8 (the sliding window): one window per round trip.
    Tolerance: exact over 200 round trips.
    """
    tcp = ac.Tcp(variant, max_window=window, delayed_ack=False)
    run = ac.simulate(one_flow(slow(), tcp, 30, ac.Measure(from_="10 s", link="a->b")))
    law = min(window * SERVICE / ROUND_TRIP, 1.0)
    record_property("measured", f"{run.summary.utilization:.12g} for {law:g} at a window of {window}, {variant}")
    assert run.summary.departures == min(window, FULL) * 200
    assert run.summary.utilization == pytest.approx(law, abs=1e-12)
    assert run.summary.retransmissions == 0


@pytest.mark.parametrize(
    ("delayed_ack", "rounds"),
    [
        (False, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
        (False, [10, 20, 40, 80, 160, 320, 640]),
        (True, [16, 24, 36, 54, 81]),
    ],
)
def test_slow_start(delayed_ack: bool, rounds: list[int], record_property: Note) -> None:  # noqa: FBT001  # a case
    """Packets sent in each round trip from the initial window on, without losses.

    Validates: in slow start the window doubles per round trip, or grows by half with delayed ACKs.
    Source: RFC 5681, section 3.1, eq. 2; Jacobson 1988, section 1.
    Tolerance: exact; the case with delayed ACKs ends before the first odd flight, whose last ACK is late.
    """
    tcp = ac.Tcp("reno", max_window=NO_LIMIT, delayed_ack=delayed_ack, initial_window=rounds[0], handshake=False)
    scenario = one_flow(fast(), tcp, len(rounds) * ROUND_TRIP, ac.Measure(bin="100 ms", link="a->b"))
    sent = ac.simulate(scenario, record=["arrivals"]).table("arrivals")["packets"].to_pylist()
    record_property("measured", f"{sent} for {rounds}")
    assert sent == rounds


def test_acks_are_clocked_by_the_link(record_property: Note) -> None:
    """The first ten packets, sent at once.

    Validates: the k-th of several packets sent together waits for k - 1 transmissions, and its ACK is delayed by the
        same time.
    Source: head-of-line waiting in a store-and-forward link; Jacobson 1988, figure 1 (self-clocking).
    Tolerance: exact, to the picosecond.
    """
    tcp = ac.Tcp("reno", delayed_ack=False, initial_window=10, handshake=False)
    scenario = one_flow(slow(), tcp, 0.15, ac.Measure(bin="10 ms", link="a->b"))
    times = ac.simulate(scenario, record=["acks"]).table("acks")["time"].to_pylist()[:10]
    picos = [round(time * 1e12) for time in times]
    record_property("measured", f"{picos[0]} ps for 100000000000 ps, then {picos[1] - picos[0]} ps apart")
    assert picos == [100_000_000_000 + k * 1_000_000_000 for k in range(10)]


@pytest.mark.parametrize("delayed_ack", [False, True])
@pytest.mark.parametrize("buffer", [20, 50, 100])
@pytest.mark.parametrize("variant", ["reno", "newreno", "sack"])
def test_one_sawtooth(
    variant: str,
    buffer: int,
    delayed_ack: bool,  # noqa: FBT001  # a case
    record_property: Note,
) -> None:
    """Additive increase, multiplicative decrease, over a drop-tail buffer.

    The pipe and the buffer hold W packets together. The window climbs from W/2 to W by one packet a round trip (half a
    packet with delayed ACKs); a round trip with a window of w lasts w services, and no less than an empty one.

    Validates: the time from drop to drop, and the utilisation, of one flow's sawtooth; with delayed ACKs it takes twice
        as long.
    Source: RFC 5681, section 3.1, eq. 3 and 4; RFC 5681, section 4.2.
    Tolerance: the period is longer by up to two of the longest round trips and a packet, since the loss must be
        detected and repaired; the utilisation is lower by up to 1.5 % for the same reason.
    """
    tcp = ac.Tcp(variant, max_window=NO_LIMIT, delayed_ack=delayed_ack)
    if variant == "reno":
        tcp = ac.Tcp(variant, max_window=NO_LIMIT, delayed_ack=delayed_ack, recovery="reno")
    link = slow(queue=ac.DropTail(packets=buffer))
    run = ac.simulate(one_flow(link, tcp, 400, ac.Measure(from_="50 s", link="a->b")), record=["drops"])
    drops = np.array(run.table("drops")["time"].to_pylist())
    periods = np.diff(drops[drops > 50])
    assert run.summary.timeouts == 0
    assert len(periods) >= 10
    assert np.ptp(periods) < 2 * SERVICE

    largest = FULL + buffer
    windows = np.arange(largest // 2, largest + 1)
    repeats = 2 if delayed_ack else 1
    period = repeats * np.maximum(ROUND_TRIP, windows * SERVICE).sum()
    utilisation = repeats * windows.sum() * SERVICE / period
    record_property(
        "measured",
        f"{variant}, buffer {buffer}: {periods.mean():.3f} s for {period:.3f} s, "
        f"utilisation {run.summary.utilization:.4f} for {utilisation:.4f}",
    )
    assert 0 <= periods.mean() - period <= (2 * largest + 1) * SERVICE
    assert 0.985 * utilisation <= run.summary.utilization <= utilisation


@pytest.mark.parametrize("delayed_ack", [False, True])
@pytest.mark.parametrize("nth", [400, 1600, 6400])
@pytest.mark.parametrize("variant", ["reno", "newreno", "sack"])
def test_square_root_law(
    variant: str,
    nth: int,
    delayed_ack: bool,  # noqa: FBT001  # a case
    record_property: Note,
) -> None:
    """Every n-th packet is lost on a link that is never full.

    Validates: with a share p of packets lost at equal distances and b packets per ACK, throughput is sqrt(3 / (2 b p))
        packets per round trip.
    Source: Mathis, Semke, Mahdavi and Ott 1997, table 1, periodic losses; Padhye, Firoiu, Towsley and Kurose 1998, the
        first term.
    Tolerance: below the law by up to 4 / W, where W is the peak window: the law ignores the two (with delayed ACKs:
        four) round trips that detect and repair a loss, in addition to the W/2 (W) between losses. That is 3 to 17 %
        here.
    """
    packets_an_ack = 2 if delayed_ack else 1
    law = math.sqrt(1.5 * nth / packets_an_ack)
    peak = 4 / 3 * law
    cycles = 60
    seconds = cycles * nth / law * ROUND_TRIP
    link = fast(loss=ac.ListedLoss(packets=tuple(nth * k for k in range(1, 2 * cycles))))
    tcp = ac.Tcp(variant, max_window=NO_LIMIT, delayed_ack=delayed_ack)
    run = ac.simulate(one_flow(link, tcp, seconds, ac.Measure(from_=f"{seconds / 6:.3f} s", link="a->b")))
    throughput = run.summary.goodput_bps / 8000 * ROUND_TRIP
    record_property("measured", f"{variant}, p = 1/{nth}: {throughput:.2f} for {law:.2f} packets a round trip")
    assert run.summary.timeouts == 0
    assert law * (1 - 4 / peak) <= throughput <= law


def test_losses_at_random_and_in_bursts_are_those_of_the_channel(record_property: Note) -> None:
    """UDP over a channel that loses at random, and over one that turns bad.

    Validates: the share of packets that a lossy link loses.
    Source: the Bernoulli process; the two-state Markov chain of Gilbert (1960).
    Tolerance: four standard errors at a fixed seed; for the channel they follow from 500 bad periods of 20 packets: 20
        %.
    """

    def lost(loss: ac.RandomLoss | ac.GilbertElliottPackets) -> float:
        scenario = ac.Scenario(
            duration="100 s",
            packet_size=1000,
            measure=ac.Measure(link="a->b"),
            nodes=[ac.Node(name="a"), ac.Node(name="b")],
            links=[ac.GraphLink(from_="a", to="b", rate="1 Gbps", delay="1 ms", loss=loss)],
            flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=ac.Constant(rate=1000))],
        )
        summary = ac.simulate(scenario).summary
        assert summary.arrivals == summary.departures + summary.drops == 100_000
        assert summary.loss is not None
        return summary.loss

    independent = lost(ac.RandomLoss(probability=0.05))
    channel = ac.GilbertElliottPackets(to_bad=0.005, to_good=0.05, good=0.01, bad=0.8)
    bursts = lost(channel)
    record_property("measured", f"{independent:.4f} for 0.05, {bursts:.4f} for {channel.loss:.4f}")
    assert independent == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / 1e5) ** 0.5)
    assert bursts == pytest.approx(channel.loss, rel=0.2)
