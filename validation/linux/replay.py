"""Replays the kernel's traces: the same segments are lost, counted by segment and transmission."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import ackclock as ac
from ackclock.engine.processors import threads
from ackclock.running.progress import progress_bar
from linux.data import Sent, Trace, occurrences
from linux.divergence import clock_phase
from linux.lateness import RTT_MS, delays
from linux.rules import COMPARABLE_MS, JIFFY_MS
from linux.senders import BBR, CUBIC, PAYLOAD, bottleneck, scenario, transport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock import Run

RATE_MBPS: Final = 10.0
_WAYS: Final = ("bottleneck", "reverse")  # links with the delays of data and of ACKs
_BUFFER, _SMALL = 400, 100
_ARRIVALS = pa.array(["enqueue", "drop", "lost"])
_TICK_MS = 10.0  # the application's clock
_AFTER_MS = 500.0  # a run lasts this much longer than the kernel's trace
_TICKS_MS = tuple(np.arange(0, JIFFY_MS, JIFFY_MS / 16).tolist())  # phases to try of a clock that is not known


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """How a trace was made.

    Parameters
    ----------
    lost
        Number of first transmissions that are lost, by segment.
    buffer
        The bottleneck's buffer, in packets.
    burst
        Segments that the application writes at a time (default: it always has data).
    cbr_mbps
        Rate at which the application writes whole segments, in Mb/s of data (default: it always has data).
    queue
        Options of the bottleneck's queue.
    options
        Options of the transport.
    """

    lost: Mapping[int, int] = field(default_factory=dict)
    buffer: int = _BUFFER
    burst: int | None = None
    cbr_mbps: float | None = None
    queue: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def _once(*segments: int) -> dict[int, int]:
    return dict.fromkeys(segments, 1)


_FIVE = _once(20, 50, 51, 52, 80)

SCRIPTS: Final[Mapping[str, Script]] = {
    "none": Script(buffer=_SMALL),
    "d1": Script(lost=_once(1)),
    "d10": Script(lost=_once(10)),
    "d20": Script(lost=_once(20)),
    "d20_50_51_52_80": Script(lost=_FIVE),
    "d100": Script(lost=_once(100)),
    "d100x2": Script(lost={100: 2}),
    "d100x3": Script(lost={100: 3}),
    "d1000_2000": Script(lost=_once(1000, 2000), buffer=_SMALL),
    "d100_101_of_each_100": Script(lost=_once(*(each + i for each in range(100, 1600, 100) for i in (0, 1)))),
    "dev30": Script(lost=_once(*range(30, 1200, 30))),
    "all10of10": Script(lost=_once(*range(1, 11)), burst=10),
    "one1of1x3": Script(lost={1: 3}, burst=1),
    "tail1of60": Script(lost=_once(60), burst=60),
    "tail1x3of60": Script(lost={60: 3}, burst=60),
    "tail3of60": Script(lost=_once(58, 59, 60), burst=60),
    "burst20per500ms": Script(burst=20),
    "burst200per3s": Script(burst=200),
    "cbr9M": Script(cbr_mbps=9.0),
    "ecnstep20": Script(buffer=_SMALL, queue={"mark_above": 20}, options={"ecn": "classic"}),
    "none_paced": Script(buffer=_SMALL, options={"pacing": "window"}),
    "d20_50_51_52_80_paced": Script(lost=_FIVE, options={"pacing": "window"}),
    "tail1of60_notlp": Script(lost=_once(60), burst=60, options={"tail_loss_probe": False}),
}
"""Traces that we can replay, by the name without the congestion control."""

LEFT_OUT: Final[Mapping[str, str]] = {
    "none_gso": "segmentation offload builds packets of several segments",
    "d20_50_51_52_80_gso": "segmentation offload builds packets of several segments",
    "d20_50_51_52_80_norack": "RACK is off, but proportional rate reduction is on, which no recovery combines",
    "d20_50_51_52_80_nosack": "SACK is off, but proportional rate reduction is on, which no recovery combines",
    "none_defrmem": "as the receive buffer grows, the receiver acknowledges segments one by one in irregular phases",
    "d20_50_51_52_80_defrmem": "as `none_defrmem`",
    "d200_defrmem": "as `none_defrmem`",
    "hold100by4": "one given packet is held back; links hold random packets back",
    "hold100by30": "one given packet is held back; links hold random packets back",
    "blackout1.0-3.0": "ACKs are lost as well; a list of losses contains data only",
    "dropsyn": "a SYN is lost; a list of losses contains data only",
    "burst60per100ms": "the application writes partial segments when the window delays it",
    "codel": "no CoDel queue yet",
}
"""Traces that we cannot replay, with the reason."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """A trace and our replay of it.

    Parameters
    ----------
    trace
        The kernel's packets.
    sent
        Our segments, in ms from the first.
    run
        Our run, with the records ``packets``, ``acks`` and ``windows``.
    first_ms
        Time of our first segment in the run.
    """

    trace: Trace
    sent: Sent
    run: Run
    first_ms: float

    @property
    def expected(self) -> Sent:
        """The kernel's segments that ours are compared with: without chance, which BBR's cycles depend on."""
        sent, script = self.trace.sent, SCRIPTS[self.trace.script]
        is_greedy = script.burst is None and script.cbr_mbps is None
        return sent.until(COMPARABLE_MS) if self.trace.kernel == BBR and is_greedy else sent


def lost_arrivals(sent: Sent, lost: Mapping[int, int]) -> tuple[int, ...]:
    """Return the arrivals at the bottleneck that a script loses, counted from 1 as in `ackclock.ListedLoss`."""
    allowed = np.array([lost.get(segment, 0) for segment in sent.segments.tolist()], dtype=np.int64)
    return tuple((np.flatnonzero(sent.nth() <= allowed) + 1).tolist())


def replay(trace: Trace, script: Script) -> Replay:
    """Replay a trace.

    If no timer shows when the kernel's clock ticks, and CUBIC reads it, the ticks are those with which most of our
    windows are the kernel's.
    """
    phase = clock_phase(trace.sent)
    if phase is not None or trace.kernel != CUBIC:
        has_ticks = "pacing" not in script.options  # the timer of pacing has none
        return replay_at(trace, script, phase if has_ticks else None)
    return max((replay_at(trace, script, (tick, JIFFY_MS)) for tick in _TICKS_MS), key=same_windows)


def same_windows(made: Replay) -> int:
    """Return the number of ACKs before which our window is the kernel's; an ACK is the n-th one of a segment."""
    windows = made.run.table("windows")
    times = windows["time"].to_numpy() * 1e3 - made.first_ms
    before = np.floor(windows["cwnd"].to_numpy())[np.searchsorted(times, made.sent.acks[1:] - 1e-9) - 1]
    ours = _by_ack(made.run.table("acks")["ack"].to_numpy()[1:], before)  # without the answer to the SYN
    return len(ours & _by_ack(*made.trace.acks))


def _by_ack(segments: NDArray[np.int64], cwnds: NDArray[np.float64]) -> set[tuple[int, int, float]]:
    return set(zip(segments.tolist(), occurrences(segments).tolist(), cwnds.tolist(), strict=True))


def replay_at(trace: Trace, script: Script, phase: tuple[float, float] | None) -> Replay:
    """Replay a trace with ticks of the clock at a phase.

    The engine counts lost packets by their arrival at the link. The arrivals are first taken from the kernel's trace,
    and then from our own run, until they are the same. The first wrong arrival is later in each run than in the last.
    Our flow starts so that the clock ticks at the same time after the first segment as the kernel's.
    """
    theirs = trace.sent
    ways = delays(trace, RATE_MBPS)
    first = sum(way.handshake for way in ways)
    supply = _supply(theirs, script, first)
    start = 0.0
    length = (float(theirs.times[-1] - theirs.times[0]) + RTT_MS + _AFTER_MS) / 1e3
    lost = lost_arrivals(theirs, script.lost)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in _WAYS]
        source: dict[str, Any] = {"kind": "greedy"}
        if supply:
            file = Path(folder) / "supply.csv"
            file.write_text("time,packets\n" + "".join(f"{time:.6f},{count}\n" for time, count in supply), "utf-8")
            source = {"kind": "trace", "path": str(file)}
        while True:
            for way, file in zip(ways, files, strict=True):
                way.write(file, first)
            made = _simulate(trace, script, source, files, (start, length, lost))
            wanted, shift = lost_arrivals(made.sent, script.lost), 0.0
            if phase is not None:
                shift, phase = -(made.first_ms + phase[0]) % phase[1], None
            elif (wanted, made.first_ms) == (lost, first):
                return made
            start, first, lost = start + shift, made.first_ms + shift, wanted


def replay_all(traces: Sequence[Trace], *, jobs: int | None = None) -> list[Replay]:
    """Replay traces in parallel, in the given order."""
    done = 0
    with ThreadPoolExecutor(threads(jobs)) as pool, progress_bar("traces", len(traces)) as show:
        found = []
        for made in pool.map(lambda trace: replay(trace, SCRIPTS[trace.script]), traces):
            done += 1
            show(done, f"{done} of {len(traces)}")
            found.append(made)
    return found


def _simulate(
    trace: Trace,
    script: Script,
    source: Mapping[str, Any],
    ways: Sequence[Path],
    asked: tuple[float, float, Sequence[int]],
) -> Replay:
    start, length, lost = asked
    fields = {"loss": {"kind": "list", "packets": list(lost)}} if lost else {}
    network = bottleneck(RATE_MBPS, RTT_MS / 2, script.buffer, queue=script.queue, **fields)
    for name, file in zip(_WAYS, ways, strict=True):
        del network[name]["delay"]
        network[name]["delay_trace"] = {"path": str(file)}
    options = transport(trace.kernel, tick_phase="0 s", **script.options)
    flow = {"start": f"{start:.6f} ms", "transport": options, "source": dict(source)}
    run = ac.simulate(scenario(length, network, [flow]), record=["packets@bottleneck", "acks", "windows"], jobs=1)
    packets, acks = run.table("packets"), run.table("acks")
    arrived = pc.and_(
        pc.is_in(packets["event"].cast("string"), _ARRIVALS), pc.equal(packets["kind"].cast("string"), "data")
    )
    packets = packets.filter(arrived)
    times = packets["time"].to_numpy() * 1e3
    first = float(times[0]) if len(times) else 0.0
    sent = Sent(
        times=times - first,
        segments=packets["segment"].to_numpy().astype(np.int64),
        acks=acks["time"].to_numpy() * 1e3 - first,
    )
    return Replay(trace=trace, sent=sent, run=run, first_ms=first)


def _supply(theirs: Sent, script: Script, handshake_ms: float) -> list[tuple[float, int]]:
    """Return the times at which the application writes, in s from the start, and numbers of segments; empty if greedy.

    The first data wait for the handshake, so their time is that much earlier than the first segment.
    """
    times = theirs.times - theirs.times[0]
    if script.burst:
        backwards = zip(theirs.segments[::-1].tolist(), times[::-1].tolist(), strict=True)
        first_sent = dict(backwards)  # the first transmission is the last that counts
        starts = [(first_sent[segment], script.burst) for segment in range(1, max(first_sent) + 1, script.burst)]
    elif script.cbr_mbps:
        starts = _ticks(times, theirs.segments, script.cbr_mbps)
    else:
        return []
    return [(0.0, starts[0][1]), *(((time + handshake_ms) / 1e3, count) for time, count in starts[1:])]


def _ticks(times: NDArray[np.float64], segments: NDArray[np.int64], rate_mbps: float) -> list[tuple[float, int]]:
    """Return what an application with a constant rate writes at each tick: times in ms, and numbers of segments.

    The rate determines the number of segments to within one, because ticks are a little late. The kernel's segments
    determine it exactly, unless the window held them back.
    """
    ticks = np.arange(0.0, times[-1] + _TICK_MS / 2, _TICK_MS)
    by_rate = np.floor(rate_mbps * 1e3 / 8 * _TICK_MS * (1 + np.arange(len(ticks))) / PAYLOAD).astype(np.int64)
    sent = np.maximum.accumulate(segments)[np.searchsorted(times, ticks + _TICK_MS / 2) - 1]
    written = np.where(np.abs(by_rate - sent) <= 1, sent, by_rate)
    return list(zip(ticks.tolist(), np.diff(written, prepend=0).tolist(), strict=True))
