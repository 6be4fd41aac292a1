"""What is taken of one connection over the background: Table 2's row, and the courses behind Figures 4 to 7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow.compute as pc

from ackclock.analysis import hurst
from ackclock.papers.selfsimilar.delays import delivered, lateness, matched, variation
from ackclock.papers.selfsimilar.experiment import CONSTANT, DURATION, RATE, flow_summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from ackclock.papers.core.parts import Taken
    from ackclock.running.run import Run

    Array = NDArray[np.float64]
    Values = Mapping[str, float | None]

BIN: Final = 0.1  # seconds in which packets received are counted for the Hurst parameter; the paper prints none
STEP: Final = 0.2  # seconds between the points of a course
_GRID: Final = 0.01  # seconds between looks at the window
SETTLED: Final = 5  # seconds from which on windows count: by then every first slow start has ended
LOW: Final = 25  # packets, below which the paper's NewReno and SACK never fall

SPIKE: Final = 77
"""Milliseconds, above which no sample of a packet sent once can be: 75.33 without a queue, 1.6 for one of 10 packets,
and a tick of 1 ms that has begun. A burst of the sender's own on its access link may add 0.08 ms a packet.
"""

RECORD: Final = (f"arrivals@B->y,A->x/{1000 * BIN:g}ms", "windows@flow", "packets@x->A,B->y")
MARKS: Final = (5, *range(10, DURATION + 1, 10))  # seconds up to which throughput is reported


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """One run over time, as both simulators record it."""

    counts: Array  # packets that came to the receiver's link in each `BIN`
    cwnd: Array  # congestion window in packets, 100 times a second
    sampled: Array  # when the sender took samples of the round-trip time, s
    rtt: Array  # these samples, ms
    again: Array  # when it sent a packet again, s


def measures(trace: Trace) -> dict[str, float | None]:
    """Take numbers of a course over time.

    ``rate_T``, Mb/s of data up to T seconds (`MARKS`); ``growth``, the last of them over the one at half the time. Of
    the window from `SETTLED` on: ``cwnd_least``, ``cwnd_median``, ``cwnd_most``, packets; ``cwnd_below``, the share of
    the time below `LOW`; ``cwnd_falls``, how often it fell to 2 packets or 1. Of the samples of the round-trip time:
    ``rtt_most``, ms, the largest; ``spikes``, bins of 0.1 s with one above `SPIKE`; ``spikes_again``, the share of
    these in which, while the sample was taken, a packet was sent again; ``again_share``, the same share of all bins
    with samples, were they as long as a round trip without a queue.
    """
    settled = trace.cwnd[round(SETTLED / _GRID) :]
    low = settled <= 2
    rate = rates(trace.counts)
    found: dict[str, float | None] = {
        **{f"rate_{mark}": float(rate[mark - 1]) for mark in MARKS},
        "growth": float(rate[-1] / rate[DURATION // 2 - 1]),
        "cwnd_least": float(settled.min()),
        "cwnd_median": float(np.median(settled)),
        "cwnd_most": float(settled.max()),
        "cwnd_below": float(np.mean(settled < LOW)),
        "cwnd_falls": float(np.sum(low[1:] & ~low[:-1])),
        "rtt_most": float(trace.rtt.max()),
    }
    high = trace.rtt > SPIKE
    spikes, usual = (_bins(trace.sampled[which]) for which in (high, np.full(high.shape, fill_value=True)))
    explained = _after_again(trace.sampled, trace.rtt, trace.again)
    with_again = np.intersect1d(spikes, _bins(trace.sampled[high & explained]))
    expected = np.intersect1d(
        usual, _bins(trace.sampled[_after_again(trace.sampled, np.full(high.shape, 75.0), trace.again)])
    )
    return found | {
        "spikes": float(spikes.size),
        "spikes_again": with_again.size / spikes.size if spikes.size else None,
        "again_share": expected.size / usual.size,
    }


def rates(counts: Array) -> Array:
    """Give the throughput up to the end of each second, from the packets of each `BIN`.

    Counted are 1000 bytes a packet, the data of all variants; Mb/s.
    """
    total = counts.reshape(-1, round(1 / BIN)).sum(axis=1).cumsum()
    return np.asarray(total * 8e-3 / np.arange(1, DURATION + 1))


def _bins(times: Array) -> NDArray[np.int64]:
    return np.unique((times / BIN).astype(np.int64))


def _after_again(sampled: Array, rtt: Array, again: Array) -> NDArray[np.bool_]:
    """Say of each sample whether a packet was sent again while it was taken, a tick before its start included."""
    begin, end = (np.searchsorted(again, times) for times in (sampled - (rtt + 1) / 1000, sampled))
    return np.asarray(end > begin)


def course(trace: Trace) -> dict[str, Array]:
    """Reduce a run to what figures show.

    Every `STEP`: ``cwnd``, the window in packets, and ``rtt``, the largest sample since the last point, ms. Where there
    was none, it is the last one up to `SPIKE`; before the first, it is not a number. ``again``, when packets were sent
    again, s.
    """
    points = round(DURATION / STEP)
    largest = np.full(points, -np.inf)
    place = np.minimum((trace.sampled / STEP).astype(np.int64), points - 1)
    np.maximum.at(largest, place, trace.rtt)
    usual = np.isfinite(largest) & (largest <= SPIKE)
    last = np.maximum.accumulate(np.where(usual, np.arange(points), 0))
    every = round(STEP / _GRID)
    return {
        "cwnd": trace.cwnd[every - 1 :: every],
        "rtt": np.where(np.isfinite(largest), largest, np.where(usual[last], largest[last], np.nan)),
        "again": trace.again,
    }


def look(run: Run) -> Taken:
    """Take what a run with `RECORD` shows.

    These are `flow_summary` and `measures`; ``copies``, arrivals of segments that had arrived before;
    ``efficiency_plain``, arrivals over arrivals and drops; ``hurst_k1`` and ``hurst_k50``, of packets received in bins
    of `BIN`, by the paper's method with one lag and with 50; ``hurst_wavelet``; ``long_range``, 1 if
    `ackclock.analysis.hurst` claims long-range dependence, else 0; `variation` of the delays in the network; for the
    source of constant rate also `lateness`; ``rates``, throughput from 0 s up to the end of each second; and `course`.
    """
    windows, sent, came = run.table("windows"), _entered(run, "x->A"), _entered(run, "B->y")
    counts, times, arrived = _received(run), _column(windows, "time"), _column(came, "segment")
    sampled, rtt = _samples(times, _column(windows, "srtt"))
    grid = np.arange(1, round(DURATION / _GRID) + 1) * _GRID
    trace = Trace(
        counts=counts,
        cwnd=_column(windows, "cwnd")[np.searchsorted(times, grid, side="right") - 1],
        sampled=sampled,
        rtt=rtt,
        again=_column(sent.filter(pc.field("retransmission")), "time"),
    )
    constant = run.scenario.flows[1].source == CONSTANT.source
    late = lateness(*delivered(_column(came, "time"), arrived), rate=RATE) if constant else {}
    summary = flow_summary(run)
    return {
        **summary,
        "copies": arrived.size - np.unique(arrived).size,
        "efficiency_plain": plain(summary),
        **_memory(counts),
        **measures(trace),
        **_delays(sent, came),
        **{name: late.get(name) for name in ("late_jitter", "late_99", "late_most")},
        "rates": rates(counts),
        **course(trace),
    }


def unresponsive_values(run: Run) -> Taken:
    """Take the same of the source over UDP: ``arrivals``, ``drops``, the Hurst parameters and the delays."""
    counts, sent, came = _received(run), _entered(run, "x->A"), _entered(run, "B->y")
    arrived = _column(came, "segment")
    return {
        "arrivals": counts.sum(),
        "drops": run.summary.groups["flow"].drops,
        **_memory(counts),
        **_delays(sent, came),
        **lateness(arrived - arrived.min(), _column(came, "time"), rate=RATE),
    }


def _delays(sent: pa.Table, came: pa.Table) -> Values:
    """Say how delays in the network vary."""
    times = _column(came, "time")
    last = matched(_column(sent, "time"), _column(sent, "segment"), times, _column(came, "segment"))
    return variation(last, times)


def _memory(counts: Array) -> Values:
    found = hurst(counts)
    estimates = {each.method: each.h for each in found.estimates}
    methods = {"hurst_k1": "kettani_gubner_k1", "hurst_k50": "kettani_gubner", "hurst_wavelet": "abry_veitch"}
    return {**{name: estimates.get(method) for name, method in methods.items()}, "long_range": float(found.long_range)}


def plain(summary: Values) -> float | None:
    """Give the part of what was sent that arrived: arrivals over arrivals and drops."""
    arrivals, drops = summary["arrivals"] or 0.0, summary["drops"] or 0.0
    return arrivals / (arrivals + drops) if arrivals else None


def _samples(times: Array, srtt: Array) -> tuple[Array, Array]:
    """Find the samples in the smoothed round-trip times that the sender kept, s: in ms, with their times.

    ns-2's estimator keeps eighths of a tick, here 1 ms, and each sample in ticks moves it by the sample less the whole
    ticks of what it was (`crates/tcp/src/rtt.rs`). Samples that do not move it are not seen; they are those whole
    ticks, so never far from the others.
    """
    eighths = np.rint(np.nan_to_num(srtt) * 8000).astype(np.int64)
    before = np.concatenate([[0], eighths[:-1]])
    sample = np.where(before > 0, eighths - before + (before >> 3), eighths >> 3)
    taken = (eighths > 0) & (eighths != before)
    return times[taken], sample[taken].astype(np.float64)


def _entered(run: Run, link: str) -> pa.Table:
    """Give the packets of data that entered a link."""
    data = (pc.field("link") == link) & (pc.field("event") == "enqueue") & (pc.field("kind") == "data")
    return run.table("packets").filter(data)


def _received(run: Run) -> Array:
    return _column(run.table("arrivals").filter(pc.field("link") == "B->y"), "packets")


def _column(table: pa.Table, name: str) -> Array:
    return np.asarray(table[name], dtype=np.float64)
