"""Applications that read slowly, in whole runs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from tests.support import pcapng

import ackclock as ac

if TYPE_CHECKING:
    from pathlib import Path

MINUTE = 60
HEADER, SYN = 40, 2
GREEDY = ac.Greedy()


def slow(
    read_rate: str, source: ac.Greedy | ac.Constant | ac.Poisson = GREEDY, loss: float = 0, **tcp: Any
) -> ac.Scenario:
    """Return a connection over a path of 20 Mb/s, whose ACKs may be lost."""
    lost = ac.RandomLoss(probability=loss) if loss else None
    link = ac.Link(rate="20 Mbps", delay="10 ms", queue=ac.DropTail(packets=200))
    back = ac.Link(rate="20 Mbps", delay="10 ms", queue=ac.DropTail(packets=200), loss=lost)
    return ac.Scenario(
        profile="linux",
        duration=f"{4 * MINUTE} s",
        dumbbell=ac.Dumbbell(access=ac.Link(rate="1 Gbps", delay="0 s"), bottleneck=link, reverse=back),
        clients=[ac.Clients(transport=ac.Tcp(read_rate=read_rate, **tcp), source=source)],
        measure=ac.Measure(from_=f"{MINUTE} s", bin="100 ms"),
    )


@pytest.mark.parametrize(
    ("rate", "tcp"),
    [
        ("2 Mbps", {"variant": "cubic", "max_window": 100}),
        ("2 Mbps", {"variant": "cubic", "rwnd": "auto"}),
        ("2 Mbps", {"variant": "newreno", "max_window": 100}),
        ("2 Mbps", {"variant": "bbr", "max_window": 30}),
        ("50 kbps", {"variant": "reno", "max_window": 20}),
        ("50 kbps", {"variant": "reno", "max_window": 1, "delayed_ack": False}),
    ],
)
def test_the_throughput_is_the_rate_of_the_application(rate: str, tcp: dict[str, Any]) -> None:
    """The buffer never runs empty, so the application always reads.

    Validates: data per second, and what mostly limits the sender; BBR also waits for its pacer.
    Source: conservation: all that is delivered in the long run has been read.
    Tolerance: the part of the buffer that opens at once, at most 1 % of the data.
    """
    run = ac.simulate(slow(rate, **tcp))
    assert run.summary.payload_bps == pytest.approx({"2 Mbps": 2e6, "50 kbps": 5e4}[rate], rel=0.01)
    limited = run.summary.groups[0].limited
    assert limited is not None
    assert limited["receiver_window"] > 0.7


@pytest.mark.parametrize("source", [ac.Constant(rate="5 Mbps"), ac.Poisson(rate="5 Mbps")])
@pytest.mark.parametrize("variant", ["reno", "newreno"])
def test_lost_window_updates_only_delay(source: ac.Constant | ac.Poisson, variant: str) -> None:
    """A quarter of all ACKs are lost, with the window updates among them. The probes find out.

    Validates: the connection never stops, with sources that supply data one by one.
    Source: RFC 9293, section 3.8.6.1.
    Tolerance: the waits for probes take at most half of the rate.
    """
    run = ac.simulate(slow("1 Mbps", source, loss=0.25, variant=variant, max_window=30))
    assert run.summary.payload_bps == pytest.approx(0.75e6, abs=0.26e6)


def test_a_capture_contains_probes_of_a_closed_window(tmp_path: Path) -> None:
    """The application reads a packet in 232 ms from a buffer of 32 packets, so a window update has 2 packets.

    Validates: probes, and the windows that they are answered with; the sequence number of a probe.
    Source: RFC 9293, section 3.8.6.1; Linux, `tcp_xmit_probe_skb`: the last byte acknowledged.
    Tolerance: exact.
    """
    tap = "bottleneck@receive"
    run = ac.simulate(slow("50 kbps", variant="reno", max_window=32), capture=[tap, "bottleneck.reverse@receive"])
    run.write_pcapng(tap, tmp_path / "data.pcapng")
    run.write_pcapng("bottleneck.reverse@receive", tmp_path / "acks.pcapng")
    data, acks = (pcapng.packets(tmp_path / f"{name}.pcapng") for name in ("data", "acks"))
    probes = [packet for packet in data if packet.length == HEADER and not packet.flags & SYN]
    assert len(probes) > MINUTE
    closed = {ack.acknowledgment for ack in acks if ack.window == 0}
    assert {probe.sequence + 1 for probe in probes} <= closed
    opened = [ack.window for last, ack in pairwise(acks) if ack.acknowledgment == last.acknowledgment and ack.window]
    assert len(opened) > MINUTE
    assert set(opened[MINUTE // 2 :]) == {2 * 1448}


def test_an_application_that_keeps_up_changes_nothing() -> None:
    """An application that reads faster than the link delivers.

    Validates: the packets, their delays and the sender's counters, beside a run with an application that reads at once.
    Source: the window is then always the whole buffer.
    Tolerance: exact.
    """
    usual, fast = (ac.simulate(slow(rate, variant="cubic", max_window=150)) for rate in ("unlimited", "100 Mbps"))
    assert usual.summary.goodput_bps == fast.summary.goodput_bps
    assert usual.summary.delay_mean == fast.summary.delay_mean
