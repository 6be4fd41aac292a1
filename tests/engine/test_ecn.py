"""Explicit congestion notification: queues that mark, senders that answer, and DCTCP's laws.

All runs are deterministic, over a link of 1000 packets a second whose empty round trip takes 100 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from scipy.optimize import brentq

import ackclock as ac

FULL = 100
"""The window in packets that fills the link."""

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def simulate(queue: ac.Queue, tcp: ac.Tcp, flows: int = 1, seconds: int = 100) -> ac.Run:
    """Run flows of 1000-byte packets that never end; all but the first 20 s are measured."""
    scenario = ac.Scenario(
        duration=f"{seconds} s",
        packet_size=1000,
        measure=ac.Measure(from_="20 s", link="a->b"),
        nodes=[ac.Node("a"), ac.Node("b")],
        links=[ac.GraphLink(from_="a", to="b", rate="8 Mbps", delay="49.48 ms", queue=queue)],
        flows=[ac.Flow(from_="a", to="b", transport=tcp, source=ac.Greedy()) for _ in range(flows)],
    )
    return ac.simulate(scenario, record=["windows", "drops", "queue@a->b/1ms"])


def sender(variant: str = "rack", **options: Any) -> ac.Tcp:
    return ac.Tcp(variant, max_window=10**6, delayed_ack=False, **options)


def after_slow_start(run: ac.Run, name: str) -> pd.DataFrame:
    table = run.table(name).to_pandas()
    return table[table["time"] > 20]


def reductions(run: ac.Run, flow: int) -> pd.DataFrame:
    """List each reduction: its time, the window before it, and ``ssthresh`` after it.

    A reduction changes ``ssthresh``, or sets the window to the same ``ssthresh`` as before. Proportional rate reduction
    then raises the window again for a round trip.
    """
    windows = after_slow_start(run, "windows")
    windows = windows[windows["flow"] == flow]
    before = windows["cwnd"].shift()
    falls = (windows["cwnd"] == windows["ssthresh"]) & (before > 1.15 * windows["cwnd"])
    shows = falls | (windows["ssthresh"].diff().fillna(0) != 0)
    return pd.DataFrame({"time": windows["time"][shows], "before": before[shows], "after": windows["ssthresh"][shows]})


@pytest.mark.parametrize("flows", [1, 3])
@pytest.mark.parametrize("ecn", ["classic", "accurate"])
def test_marks_replace_losses(ecn: str, flows: int, record_property: Note) -> None:
    """A queue of 1000 packets marks arrivals that find more than 50 packets.

    Validates: ECN-capable flows lose and retransmit nothing, also in slow start, and reduce their windows at most once
        per round trip. A single flow's window climbs from W/2 to W, where W fills the link and the queue up to the
        mark.
    Source: RFC 3168, sections 5 and 6.1.2; RFC 9768, section 3.2.2.
    Tolerance: exact for losses; a round trip is the empty one with the queue at the mark; 5 % for the window, whose
        growth goes on until the mark is echoed.
    """
    run = simulate(ac.DropTail(packets=1000, mark_above=50), sender(ecn=ecn), flows)
    summary, largest = run.summary, FULL + 50
    assert (summary.drops, summary.retransmissions, run.table("drops").num_rows) == (0, 0, 0)
    assert summary.marks > 0
    found = [reductions(run, flow)["time"] for flow in range(flows)]
    assert min(map(len, found)) >= 8
    spacing = min(float(times.diff().min()) for times in found)
    windows = after_slow_start(run, "windows")["cwnd"]
    record_property(
        "measured",
        f"{ecn}, flows: {flows}: {summary.marks} marks, {sum(map(len, found))} reductions at least {spacing:.3f} s "
        f"apart, windows from {windows.min():.1f} to {windows.max():.1f}",
    )
    assert spacing >= largest / 1000
    if flows == 1:
        assert (windows.min(), windows.max()) == pytest.approx((largest / 2, largest), rel=0.05)


@pytest.mark.parametrize(
    ("variant", "abe", "kept"),
    [("rack", False, 0.5), ("rack", True, 0.8), ("cubic", False, 0.7), ("cubic", True, 0.85)],
)
def test_share_of_the_window_after_a_mark(
    variant: str,
    abe: bool,  # noqa: FBT001  # a case
    kept: float,
    record_property: Note,
) -> None:
    """Two flows at a queue that marks.

    Validates: a mark leaves Reno half of its window and CUBIC 0.7; with alternative backoff it leaves 0.8 and 0.85.
    Source: RFC 5681, section 3.1, eq. 4; RFC 9438, section 4.6; RFC 8511, section 3.1.
    Tolerance: up to three packets of the window, since the reduction is computed from the packets in flight, without
        the one that the ACK acknowledges.
    """
    run = simulate(ac.DropTail(packets=1000, mark_above=20), sender(variant, ecn="classic", abe=abe), 2)
    found = pd.concat([reductions(run, flow) for flow in range(2)])
    share = found["after"] / found["before"]
    record_property("measured", f"{variant}, abe: {abe}: {share.mean():.3f} for {kept} in {len(found)} reductions")
    assert len(found) >= 20
    assert (found["after"] <= kept * found["before"]).all()
    assert (found["after"] >= kept * (found["before"] - 3)).all()


def test_red_marks_instead_of_dropping(record_property: Note) -> None:
    """Three flows at a RED queue, after slow start.

    Validates: RED with ECN marks the packets of ECN-capable flows and drops none early; it drops the packets of others.
    Source: RFC 3168, section 7.
    Tolerance: exact.
    """
    queue = ac.Red(packets=500, min_th=20, max_th=60, ecn=True)
    plain, capable = (simulate(queue, sender(ecn=ecn), 3).summary for ecn in ("off", "classic"))
    record_property(
        "measured",
        f"{capable.marks} marks and {capable.drops} drops; {plain.marks} and {plain.drops} without ECN",
    )
    assert capable.drops == capable.retransmissions == plain.marks == 0
    assert capable.marks > 0
    assert plain.drops > 0


def test_paths_and_senders_without_ecn() -> None:
    """A path that never marks, and a sender that is not ECN-capable.

    Validates: the windows of an ECN-capable flow on a path that does not mark, and the windows of a flow without ECN at
        a queue that marks, are those without ECN.
    Source: RFC 3168, sections 5 and 6.1.
    Tolerance: exact.
    """
    plain = simulate(ac.DropTail(packets=50), sender(), 2)
    unmarked = simulate(ac.DropTail(packets=50), sender(ecn="classic"), 2)
    incapable = simulate(ac.DropTail(packets=50, mark_above=10), sender(ecn="off"), 2)
    assert plain.summary.drops > 0
    for run in (unmarked, incapable):
        assert run.summary.marks == 0
        for record in ("windows", "drops"):
            assert run.table(record).equals(plain.table(record))


@pytest.mark.parametrize("flows", [1, 2, 5, 10])
@pytest.mark.parametrize("threshold", [20, 40, 65])
def test_dctcp(threshold: int, flows: int, record_property: Note) -> None:
    """A queue of 1000 packets marks arrivals that find more than K packets.

    With n flows, the window W = (C RTT + K) / n of a flow just fills the link and the queue up to the mark. The share
    of marked packets alpha then solves alpha^2 (1 - alpha / 4) = (2 W + 1) / (W + 1)^2.

    Validates: the queue's maximum is K + n; the utilisation is at least 0.99 if K > C RTT / 7; a reduction keeps
        1 - alpha / 2 of the window.
    Source: Alizadeh et al. 2010, section 3.3.
    Tolerance: exact for the queue; alpha from 70 to 105 % of the law. It is taken from the reductions, where it is
        smallest, and ACKs that report marks do not grow the window; test_dctcp.py separates the two and compares
        alpha with a packet-level iteration.
    """
    assert threshold > FULL / 7
    run = simulate(ac.DropTail(packets=1000, mark_above=threshold), sender("dctcp", prr="off"), flows)
    queue = after_slow_start(run, "queue")["packets"]
    found = pd.concat([reductions(run, flow) for flow in range(flows)])
    alpha = 2 * (1 - (found["after"] / found["before"]).mean())
    window = (FULL + threshold) / flows
    law = brentq(lambda share: share**2 * (1 - share / 4) - (2 * window + 1) / (window + 1) ** 2, 0, 1.5)
    record_property(
        "measured",
        f"K {threshold}, n {flows}: alpha {alpha:.3f} for {law:.3f}, queue {queue.min()} to {queue.max()}, "
        f"utilisation {run.summary.utilization:.4f}",
    )
    assert run.summary.drops == run.summary.timeouts == 0
    assert queue.max() == threshold + flows
    assert run.summary.utilization >= 0.99
    assert 0.7 * law <= alpha <= 1.05 * law
