"""Auto-tuned receive windows in whole runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
import pytest
from tests.support import pcapng

import ackclock as ac
from linux.data import traces
from linux.senders import bottleneck, scenario, transport

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

LONG_ENOUGH = 0.98
"""Share of a fixed window's goodput that auto-tuning must reach."""
AT_SENDER = "access.0.reverse@receive"


def download(duration: str = "30 s", from_: str = "10 s", **tcp: Any) -> ac.Scenario:
    """Return a download over a path with a bandwidth-delay product of 833 packets, and a buffer as large."""
    return ac.Scenario(
        duration=duration,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Gbps", delay="0 s"),
            bottleneck=ac.Link(rate="100 Mbps", delay="50 ms", queue=ac.DropTail(packets=833)),
        ),
        clients=[ac.Clients(transport=ac.Tcp("cubic", max_window=10_000, **tcp), source=ac.Greedy())],
        measure=ac.Measure(from_=from_, bin="100 ms"),
    )


@pytest.mark.parametrize("rwnd", [10, 44])
def test_a_download_reaches_the_goodput_of_a_fixed_window(rwnd: int) -> None:
    """In the long run, the window is no limit.

    Validates: the goodput of an auto-tuned window, after ten seconds.
    Source: Fisk and Feng 2001, section 4: right-sizing reaches the throughput of large buffers.
    Tolerance: 2 %.
    """
    fixed, auto = (
        ac.simulate(download(rwnd=kind, initial_rwnd=rwnd, initial_buffer=rwnd)) for kind in ("fixed", "auto")
    )
    assert auto.summary.goodput_bps >= LONG_ENOUGH * fixed.summary.goodput_bps
    assert not any("advertised window" in notice for notice in auto.notices)


def test_a_small_window_limits_slow_start() -> None:
    """A round trip takes 100 ms. The window is 8 packets in the first two round trips, and then opens.

    The first count is 9 packets: the 8 of the first round trip and the first of the second. It is above the assumed 8,
    so the buffer grows to 18 + 36/8 = 22 packets. The window opens by two for each packet. A fixed window lets slow
    start double: 10, 20, 40 packets.

    Validates: the packets sent in the first round trips.
    Source: Linux 6.18, `tcp_rcvbuf_grow` and `tcp_grow_window`.
    Tolerance: exact.
    """
    counts = []
    for rwnd in ("fixed", "auto"):
        planned = download("450 ms", "0 s", rwnd=rwnd, initial_rwnd=8, initial_buffer=8, delayed_ack=False)
        run = ac.simulate(planned, record=["packets@bottleneck"])
        packets = run.table("packets")
        sent = packets.filter(pc.equal(packets["kind"].cast("string"), "data"))
        times = sent.filter(pc.equal(sent["event"].cast("string"), "enqueue"))["time"].to_numpy()
        counts.append(np.histogram(times, bins=[0.1, 0.2, 0.3, 0.4])[0].tolist())
    assert counts == [[10, 20, 40], [8, 8, 22]]


@pytest.mark.parametrize("kernel", ["reno", "cubic"])
def test_acks_show_that_the_window_opens_as_in_the_kernel(kernel: str) -> None:
    """A kernel with default buffers acknowledges each packet that opens its window at once, and others in pairs.

    The traces of Reno and CUBIC are two repetitions, since both begin with the same slow start.

    Validates: the number of ACKs for the first n packets of a download over 10 Mb/s and 40 ms, for n up to 120.
    Source: the traces `none_defrmem` of a Linux kernel, version 6.18, with TCP_MAX_QUICKACKS = 16.
    Tolerance: one ACK, or between the two repetitions of the kernel.
    """

    def counted(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.searchsorted(numbers, np.arange(2, 122), "right")

    tables = [traces()[f"{each}_none_defrmem"].table for each in ("reno", "cubic")]
    theirs = [table.filter(pc.equal(table["event"].cast("string"), "A"))["segment"].to_numpy() for table in tables]
    flow = {"transport": transport(kernel, rwnd="auto", quick_acks=16), "source": {"kind": "greedy"}}
    run = ac.simulate(scenario(2.0, bottleneck(10, 20, 400), [flow]), record=["acks"])
    found = counted(run.table("acks")["ack"].to_numpy()[1:])  # without the answer to the SYN
    least, most = (bound([counted(each) for each in theirs], axis=0) for bound in (np.min, np.max))
    assert (found >= least - 1).all()
    assert (found <= most + 1).all()


def test_a_capture_contains_the_auto_tuned_window(tmp_path: Path) -> None:
    """The windows of the first round trips, read from the file.

    Each packet is acknowledged. The buffer of 44 packets suffices until the third round trip begins: after 20 packets
    in one, it has 105 packets.

    Validates: the window field of a SYN-ACK and of ACKs, with the scale of the largest window.
    Source: RFC 7323, sections 2.2 and 2.3; Linux 6.18, `tcp_rcvbuf_grow`.
    Tolerance: less than one unit of the scale.
    """
    planned = download("500 ms", "0 s", rwnd="auto", delayed_ack=False)
    run = ac.simulate(planned, capture=[AT_SENDER])
    file = tmp_path / "auto.pcapng"
    run.write_pcapng(AT_SENDER, file)
    opening, *acks = pcapng.packets(file)
    unit = 2**8  # the least with 10,000 * 1,460 <= 65,535 * unit
    assert opening.window == 44 * 1460
    assert bytes([3, 3, 8]) in opening.tcp_options
    windows = {(ack.acknowledgment - 1) // 1460: ack.window * unit / 1460 for ack in acks}
    wanted = {number: 44 + 2 * max(0, number - 31) for number in range(1, 61)} | {62: 105, 70: 105}
    assert all(0 <= windows[number] - window < unit / 1460 for number, window in wanted.items())
