"""Queues that mark packets, seen in summaries, records and captures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest
from tests.support import pcapng

import ackclock as ac

if TYPE_CHECKING:
    from pathlib import Path

Mode = Literal["off", "classic", "dctcp", "accurate"]
CE = 0b11
ECE = 0x40
CWR = 0x80
THRESHOLD = 10


def marking(queue: ac.Queue, ecn: Mode = "dctcp") -> ac.Scenario:
    """Two flows over a bottleneck with the given queue."""
    return ac.Scenario(
        duration="5 s",
        measure=ac.Measure(from_="0 s", links=["bottleneck.reverse"]),
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="1 ms"),
            bottleneck=ac.Link(rate="10 Mbps", delay="5 ms", queue=queue),
        ),
        clients=[ac.Clients(count=2, transport=ac.Tcp("newreno", ecn=ecn, overhead="12 us"), source=ac.Greedy())],
    )


def test_drop_tail_marks_at_its_threshold() -> None:
    """The waiting packets at each arrival are counted from the record of packets.

    Validates: with `mark_above`, an accepted packet of data is marked if at least this number of packets wait when it
    arrives, and ACKs are never marked; the summaries count the marks.
    Source: RFC 8257, section 3.1; Alizadeh et al. 2010, section 3.1.
    Tolerance: exact.
    """
    run = ac.simulate(marking(ac.DropTail(packets=100, mark_above=THRESHOLD)), record=["packets@*"])
    rows = run.table("packets").to_pandas()
    waiting, marks = 0, 0
    for event, kind, marked in rows[rows["link"] == "bottleneck"][["event", "kind", "marked"]].itertuples(index=False):
        if event == "enqueue":
            # a SYN is not ECN-capable
            assert marked == (waiting >= THRESHOLD and kind == "data")
            marks += marked
            waiting += 1
        elif event == "dequeue":
            waiting -= 1
    assert not rows[rows["link"] != "bottleneck"]["marked"].any()
    assert run.summary.marks == run.summary.groups[0].marks == run.summary.links["bottleneck"].marks == marks > 20
    assert run.summary.links["bottleneck.reverse"].marks == 0
    assert run.summary.drops == 0


@pytest.mark.parametrize("ecn", ["off", "classic", "dctcp", "accurate"])
def test_red_marks_only_capable_packets_and_only_if_it_may(ecn: Mode) -> None:
    found = {}
    for marks in (False, True):
        summary = ac.simulate(marking(ac.Red(packets=100, min_th=5, max_th=15, ecn=marks), ecn)).summary
        found[marks] = (summary.marks > 0, summary.drops > 0)
    assert found[False] == (False, True)
    assert found[True] == ((False, True) if ecn == "off" else (True, False))


def test_a_capture_shows_marks_and_their_echo(tmp_path: Path) -> None:
    """Validates: a capture has the ECN field of each packet, with the marks of a link only behind its queue; ACKs carry
    ECE, and data carries CWR.

    Source: RFC 3168, sections 5 and 6.1.
    Tolerance: exact, except for the marked packets that are in flight at the end, at most one per ms.
    """
    taps = ("bottleneck", "bottleneck@receive", "bottleneck.reverse")
    run = ac.simulate(marking(ac.DropTail(packets=100, mark_above=THRESHOLD), "classic"), capture=taps)
    seen = {}
    for place, tap in enumerate(taps):
        file = tmp_path / f"{place}.pcapng"
        run.write_pcapng(tap, file)
        seen[tap] = [(packet.data[1] & CE, packet.data[33]) for packet in pcapng.packets(file)]
    marks = {tap: sum(codepoint == CE for codepoint, _ in packets) for tap, packets in seen.items()}
    assert marks["bottleneck"] == marks["bottleneck.reverse"] == 0
    assert run.summary.marks - 20 <= marks["bottleneck@receive"] <= run.summary.marks
    assert sum(bool(flags & CWR) for _, flags in seen["bottleneck"]) > 2
    assert sum(bool(flags & ECE) for _, flags in seen["bottleneck.reverse"]) > 2
