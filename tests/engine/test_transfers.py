"""Single transfers: their record, their summary, and the notice of transfers that did not end."""

import math
from typing import Any

import numpy as np
import pytest

import ackclock as ac

RATE = 10e6
ONE_WAY = 0.025
PACKET = 1500


def dumbbell(packets: int = 1000) -> ac.Dumbbell:
    """Make a network whose only slow link is the bottleneck."""
    bottleneck = ac.Link(rate="10 Mbps", delay="20 ms", queue=ac.DropTail(packets=packets))
    return ac.Dumbbell(access=ac.Link(rate="1 Gbps", delay="5 ms"), bottleneck=bottleneck)


def lone(packets: int, **tcp: Any) -> ac.Run:
    """Run a single transfer on the idle dumbbell."""
    size = f"{packets * (PACKET - 40)} B"
    group = ac.Clients(transport=ac.Tcp("reno", delayed_ack=False, **tcp), source=ac.Greedy(size=size))
    return ac.simulate(ac.Scenario(duration="20 s", dumbbell=dumbbell(), clients=[group]), record=["transfers"])


def crossing(size: int) -> float:
    """Return the seconds that a packet takes over the idle path, one way."""
    return ONE_WAY + 8 * size / 1e9 + 8 * size / RATE


@pytest.mark.parametrize(("packets", "rounds"), [(1, 0), (4, 0), (10, 0), (11, 1), (30, 1), (31, 2)])
def test_a_lone_transfer_takes_its_handshake_and_the_rounds_of_slow_start(packets: int, rounds: int) -> None:
    """Compares a completion time with a value computed by hand.

    Validates: `end` is the time at which the receiver has everything, and `start` is before the handshake.
    Source: RFC 9293, section 3.5 (a SYN and its answer first); RFC 5681, section 3.1 with RFC 6928: windows of 10, 20
        and 40 packets, so that 10, 30 and 70 packets take one, two and three windows. A window of 20 takes 24 ms at the
        bottleneck, and its first ACK is back after 52 ms, so that rounds do not overlap.
    Tolerance: a picosecond each for a dozen transmissions.
    """
    row = lone(packets).table("transfers").to_pylist()[0]
    handshake = 2 * crossing(40)
    # the ACK of a window's first packet starts the next window; each ACK releases two packets: the bottleneck is busy
    before = rounds * (crossing(PACKET) + crossing(40))
    last = packets - sum((10, 20, 40)[:rounds])
    expected = handshake + before + crossing(PACKET) + (last - 1) * 8 * PACKET / RATE
    assert row["completion"] == pytest.approx(expected, abs=2e-11)
    assert (row["start"], row["packets"], row["bytes"], row["retransmissions"]) == (0, packets, packets * 1460, 0)
    ideal = handshake + crossing(PACKET) + (packets - 1) * 8 * PACKET / RATE
    assert row["slowdown"] == pytest.approx(expected / ideal, rel=1e-9)


def test_without_a_handshake_none_is_waited_for() -> None:
    """Both the completion time and the ideal time exclude the handshake."""
    row = lone(10, handshake=False).table("transfers").to_pylist()[0]
    assert row["completion"] == pytest.approx(crossing(PACKET) + 9 * 8 * PACKET / RATE, abs=2e-11)
    assert row["slowdown"] == pytest.approx(1, rel=1e-12)


@pytest.fixture(scope="module")
def loop() -> ac.Run:
    """Return clients with transfers behind a small buffer, and a transfer that does not end."""
    size, think = ac.Pareto(mean="60 kB", shape=1.2), ac.Exponential(mean="0.5 s")
    clients = [
        ac.Clients(name="readers", count=5, transport=ac.Tcp("sack"), source=ac.Transfers(size=size, think=think)),
        ac.Clients(name="upload", start="1 s", transport=ac.Tcp("sack"), source=ac.Greedy(size="100 MB")),
        ac.Clients(name="endless", transport=ac.Tcp("sack"), source=ac.Greedy()),
    ]
    scenario = ac.Scenario(duration="20 s", dumbbell=dumbbell(packets=20), clients=clients)
    return ac.simulate(scenario, record=["transfers"])


def test_the_record_is_what_the_summary_counts(loop: ac.Run) -> None:
    """Rows and group summaries describe the same transfers.

    Validates: `completed`, `completion_mean`, `slowdown_mean`, the percentiles and `retransmissions` of a group agree
        with its rows; no transfer is faster than its ideal.
    Source: the definitions in docs/measures.md; a percentile is the smallest value with at least this share at or below
        it.
    Tolerance: exact, means to rounding, percentiles to the 0.2 % of the histogram.
    """
    table = loop.table("transfers").to_pandas()
    readers = table[table["group"] == "readers"]
    took = np.sort(readers["completion"].dropna())
    group = loop.summary.groups["readers"]
    assert group.completed == len(took) > 50
    assert group.completion_mean == pytest.approx(took.mean(), rel=1e-12)
    assert group.slowdown_mean == pytest.approx(readers["slowdown"].mean(), rel=1e-12)
    assert group.retransmissions == readers["retransmissions"].sum() > 20
    for share, quantile in ((0.5, group.completion_p50), (0.95, group.completion_p95), (0.99, group.completion_p99)):
        assert quantile == pytest.approx(took[math.ceil(share * len(took)) - 1], rel=0.002)
    assert readers["slowdown"].min() >= 1 - 1e-12
    assert table["start"].is_monotonic_increasing


def test_transfers_that_do_not_end_have_rows_and_a_notice(loop: ac.Run) -> None:
    """Transfers that do not end have rows, and a notice counts them."""
    rows = [row for row in loop.table("transfers").to_pylist() if row["group"] != "readers"]
    assert [(row["group"], row["start"], row["end"], row["completion"], row["slowdown"]) for row in rows] == [
        ("upload", 1.0, None, None, None)
    ]
    upload = loop.summary.groups["upload"]
    assert rows[0]["retransmissions"] == upload.retransmissions > 0
    assert (upload.completion_p50, upload.slowdown_mean) == (None, None)
    notice = next(notice for notice in loop.notices if "were incomplete" in notice)
    assert notice.startswith("1 of 1 transfers of group upload were incomplete at the end of the run.")


def test_transfers_can_be_asked_for_by_group_and_change_nothing(loop: ac.Run) -> None:
    """Records can be requested for a group; recording does not change any number."""
    alone = ac.simulate(loop.scenario, record=["transfers@upload"])
    assert alone.table("transfers").column("group").to_pylist() == ["upload"]
    assert alone.summary == ac.simulate(loop.scenario).summary == loop.summary


def test_a_record_of_transfers_needs_transfers() -> None:
    """A record of transfers is refused if no source has transfers."""
    group = ac.Clients(transport=ac.Tcp("reno"), source=ac.Poisson(rate=10))
    scenario = ac.Scenario(duration="1 s", dumbbell=dumbbell(), clients=[group])
    with pytest.raises(ac.ScenarioError, match=r"record: 'transfers' is not allowed; requires transfers that end"):
        ac.simulate(scenario, record=["transfers"])
