"""RACK-TLP: losses of the tail, lost retransmissions, and packets out of order, next to SACK recovery.

All runs are deterministic, over a link whose empty round trip takes 100 ms. Packets are numbered from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac

if TYPE_CHECKING:
    import pandas as pd

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def transfer(
    variant: str, packets: int, *, lost: Sequence[int] = (), held: str | None = None, **options: Any
) -> ac.Run:
    """Run one transfer over a link that loses the given packets, and holds back one packet of 100 for a time."""
    link = ac.GraphLink(
        from_="a",
        to="b",
        rate="80 Mbps",
        delay="50 ms",
        loss=ac.ListedLoss(packets=tuple(lost)) if lost else None,
        reorder=ac.Reorder(probability=0.01, delay=held) if held else None,
    )
    scenario = ac.Scenario(
        duration="60 s",
        packet_size=1000,
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node("a"), ac.Node("b")],
        links=[link],
        flows=[
            ac.Flow(
                from_="a",
                to="b",
                transport=ac.Tcp(variant, max_window=1000, delayed_ack=False, **options),
                source=ac.Greedy(size=f"{960 * packets} B"),
            )
        ],
    )
    run = ac.simulate(scenario, record=["transfers", "packets@a->b", "windows", "acks"])
    assert len(run.table("transfers")["end"].drop_null()) == 1
    return run


def sent(run: ac.Run) -> pd.DataFrame:
    """List all transmissions of data in their order, from 1."""
    packets = run.table("packets").to_pandas()
    sent = packets[(packets["kind"] == "data") & packets["event"].isin(["enqueue", "lost"])].reset_index(drop=True)
    sent.index += 1
    return sent


def duration(run: ac.Run) -> float:
    (end,) = run.table("transfers")["end"].to_pylist()
    return float(end)


@pytest.mark.parametrize("count", [1, 2, 3, 10])
def test_tail_loss(count: int, record_property: Note) -> None:
    """The last packets of 60 are lost.

    Validates: a probe repairs the loss of a flight's last packets without a timeout: it leaves two smoothed round trips
        after the last ACK, and 200 ms later if a single packet is outstanding. SACK recovery needs a timeout.
    Source: RFC 8985, sections 7.2 and 7.3.
    Tolerance: 1 ns; the smoothed round trip is the one recorded at the last ACK.
    """
    lost = range(61 - count, 61)
    probed, plain = (transfer(variant, 60, lost=lost) for variant in ("rack", "sack"))
    assert probed.summary.timeouts == 0
    assert probed.summary.retransmissions == count
    assert plain.summary.timeouts == 1
    resent = sent(probed).query("retransmission").iloc[0]
    windows = probed.table("windows").to_pandas()
    last = windows[windows["time"] < resent["time"]].iloc[-1]
    expected = last["time"] + 2 * last["srtt"] + (0.2 if count == 1 else 0)
    record_property(
        "measured",
        f"{count} lost: probe at {resent['time']:.6f} s for {expected:.6f} s; the transfer takes "
        f"{duration(probed):.3f} s, {duration(plain):.3f} s with SACK recovery",
    )
    assert resent["segment"] == 60
    assert resent["time"] == pytest.approx(expected, abs=1e-9)
    assert duration(probed) < duration(plain)


@pytest.mark.parametrize("variant", ["rack", "sack"])
def test_lost_retransmission(variant: str, record_property: Note) -> None:
    """A packet in the middle of a transfer is lost, and its retransmission too.

    Validates: RACK repairs a lost retransmission within two further round trips and without a timeout; SACK recovery
        needs a timeout.
    Source: RFC 8985, sections 1 and 6.2; RFC 6675, section 5.1.
    Tolerance: exact for timeouts; the third transmission follows the second by less than 1.5 empty round trips.
    """
    once = sent(transfer(variant, 1000, lost=[100]))
    (again,) = once.index[once["retransmission"]]
    run = transfer(variant, 1000, lost=[100, again])
    first, second = sent(run).query("retransmission and segment == 100")["time"].iloc[:2]
    record_property("measured", f"{variant}: {run.summary.timeouts} timeouts, again after {second - first:.3f} s")
    assert run.summary.timeouts == (0 if variant == "rack" else 1)
    assert (second - first < 0.15) == (variant == "rack")


def test_probe_lost(record_property: Note) -> None:
    """The last packet of 60 is lost, and its probe too.

    Validates: one probe is sent, then the retransmission timer runs.
    Source: RFC 8985, section 7.3.
    Tolerance: exact; the timer is at least 1 s.
    """
    run = transfer("rack", 60, lost=[60, 61])
    probe, last = sent(run).query("retransmission")["time"]
    record_property("measured", f"{run.summary.timeouts} timeout, {last - probe:.3f} s after the probe")
    assert run.summary.timeouts == 1
    assert last - probe == pytest.approx(1, abs=1e-9)


def test_reordering_within_a_quarter_of_the_round_trip(record_property: Note) -> None:
    """One packet of 100 is held back for 24 ms, behind packets sent later, and one ACK of 100.

    Validates: a round trip after an original has arrived late without having been retransmitted, RACK retransmits no
        packet that arrives within a quarter of the minimum round trip; SACK recovery goes on retransmitting.
    Source: RFC 8985, section 6.2, step 4.
    Tolerance: exact.
    """
    late, resent = {}, {}
    for variant in ("rack", "sack"):
        run = transfer(variant, 5000, held="24 ms")
        assert (run.summary.drops, run.summary.timeouts) == (0, 0)
        received = run.table("packets").to_pandas().query("event == 'receive'")
        overtaken = received[(received["segment"] < received["segment"].cummax()) & ~received["retransmission"]]
        again = sent(run).query("retransmission")
        seen = overtaken[~overtaken["segment"].isin(again["segment"])]["time"].min() + 0.1
        late[variant], resent[variant] = (int((table["time"] > seen).sum()) for table in (overtaken, again))
    record_property("measured", f"retransmissions {resent} of late packets {late}")
    assert min(late.values()) > 20
    assert resent["rack"] == 0
    assert resent["sack"] > 10


def test_reported_duplicates_restore_the_window(record_property: Note) -> None:
    """One packet of 100 is held back for 60 ms, which RACK takes for a loss; nothing is lost.

    Validates: once a duplicate is reported for each retransmission, the window is at least as large as before the
        reduction; without undo the window stays small. The first reduction, at the end of slow start, is not undone,
        since the next one begins before its duplicates are reported.
    Source: RFC 3708, section 3; RFC 2883, section 4; Linux tcp_try_undo_dsack.
    Tolerance: exact.
    """
    plain, undone = (transfer("rack", 3000, held="60 ms", dsack=True, undo=undo) for undo in ("off", "dsack"))
    assert plain.summary.drops == undone.summary.drops == 0
    windows = undone.table("windows").to_pandas()
    before = windows.shift()
    reduced = windows["ssthresh"] < before["ssthresh"]
    restored = windows["ssthresh"] > before["ssthresh"]
    ends = [run.table("windows")["ssthresh"].to_pylist()[-1] for run in (plain, undone)]
    record_property(
        "measured",
        f"{reduced.sum()} reductions, {restored.sum()} restorations; ssthresh {ends[1]:g} at the end, {ends[0]:g} "
        f"without undo; the transfer takes {duration(undone):.2f} s and {duration(plain):.2f} s",
    )
    assert reduced.sum() == restored.sum() + 1 > 10
    assert (windows["cwnd"][restored].to_numpy() >= before["cwnd"][reduced].to_numpy()[1:]).all()
    assert ends[1] == windows["ssthresh"][reduced].iloc[0] > 10 * ends[0]
