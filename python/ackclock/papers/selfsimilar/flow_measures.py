"""Measures of one connection over the background: a row of Table 2, the time series of Figures 4 to 7, and jitter.

The paper says that its fixed-rate source served to measure jitter, but prints no value. Jitter and delay variation are
as in RFC 3550 and RFC 5481, in the network and at an application that receives data of a fixed-rate source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ackclock.analysis import hurst
from ackclock.papers.core.parts import Taken
from ackclock.papers.selfsimilar.experiment import CONSTANT, DURATION, RATE, flow_summary
from ackclock.running.run import Run

Array = NDArray[np.float64]
Values = Mapping[str, float | None]

BIN: Final = 0.1  # seconds: bins of received packets for the Hurst parameter; the paper prints no bin
STEP: Final = 0.2  # seconds between the points of a time series in figures
_GRID: Final = 0.01  # seconds between samples of the window
SETTLED: Final = 5  # seconds: start of the measurement of windows, when every first slow start has ended
LOW: Final = 25  # packets: in the paper, the windows of NewReno and SACK never fall below this

SPIKE: Final = 77
"""Largest sample of a packet that is sent once, ms: 75.33 without a queue and 1.6 for a queue of 10 packets, rounded up
to a tick of 1 ms. A burst of the sender on its access link may add 0.08 ms per packet.
"""

RECORD: Final = (f"arrivals@B->y,A->x/{1000 * BIN:g}ms", "windows@flow", "packets@x->A,B->y")
MARKS: Final = (5, *range(10, DURATION + 1, 10))  # seconds up to which throughput is reported


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """Time series of one run, as both simulators record them."""

    counts: Array  # packets that entered the receiver's link in each `BIN`
    cwnd: Array  # congestion window in packets, 100 times a second
    sampled: Array  # times at which the sender sampled the round-trip time, s
    rtt: Array  # round-trip times at these samples, ms
    again: Array  # times of retransmissions, s


def measures(trace: Trace) -> dict[str, float | None]:
    """Compute measures of a run from its time series.

    ``rate_T`` is the throughput from 0 to T seconds (`MARKS`), Mb/s; ``growth`` is the throughput of the whole run over
    the throughput of its first half. Of the window from `SETTLED` on, ``cwnd_least``, ``cwnd_median`` and ``cwnd_most``
    are in packets; ``cwnd_below`` is the share of the time below `LOW`; ``cwnd_falls`` counts falls to 2 packets or 1.
    ``rtt_most`` is the largest sample of the round-trip time, ms. ``spikes`` counts bins of 0.1 s with a sample above
    `SPIKE`; ``spikes_again`` is the share of these bins in which such a sample spans a retransmission. ``again_share``
    is the share of all bins with samples in which a retransmission lies within 75 ms (and a tick) before a sample.
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
    """Compute the throughput from 0 s to the end of each second, Mb/s, from the packets of each `BIN`.

    A packet counts as 1000 bytes, which is its data in all variants.
    """
    total = counts.reshape(-1, round(1 / BIN)).sum(axis=1).cumsum()
    return np.asarray(total * 8e-3 / np.arange(1, DURATION + 1))


def _bins(times: Array) -> NDArray[np.int64]:
    return np.unique((times / BIN).astype(np.int64))


def _after_again(sampled: Array, rtt: Array, again: Array) -> NDArray[np.bool_]:
    """Check for each sample whether it spans a retransmission, which may also be up to a tick before its start."""
    begin, end = (np.searchsorted(again, times) for times in (sampled - (rtt + 1) / 1000, sampled))
    return np.asarray(end > begin)


def course(trace: Trace) -> dict[str, Array]:
    """Reduce a run to the time series that figures show.

    Every `STEP`, ``cwnd`` is the window in packets and ``rtt`` the largest sample since the last point, ms. A point
    without a sample repeats the last point that is at most `SPIKE`; before the first sample it is not a number.
    ``again`` are the times of retransmissions, s.
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


def flow_measures(run: Run) -> Taken:
    """Take all measures of a run with `RECORD`.

    These are `flow_summary` and `measures`; ``copies``, arrivals of segments that had arrived before;
    ``efficiency_plain``, arrivals / (arrivals + drops); ``hurst_k1`` and ``hurst_k50``, the Hurst parameter of the
    packets received in each `BIN` by the paper's method with one lag and with 50; ``hurst_wavelet``; ``long_range``, 1
    if `ackclock.analysis.hurst` claims long-range dependence, else 0; `variation` of the delays in the network; for the
    source of constant rate also `lateness`; ``rates``, the throughput from 0 s to the end of each second; and `course`.
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
    """Take the measures of the source over UDP: ``arrivals``, ``drops``, the Hurst parameters and the delays."""
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
    """Compute the `variation` of delays in the network."""
    times = _column(came, "time")
    last = matched(_column(sent, "time"), _column(sent, "segment"), times, _column(came, "segment"))
    return variation(last, times)


def _memory(counts: Array) -> Values:
    found = hurst(counts)
    estimates = {each.method: each.h for each in found.estimates}
    methods = {"hurst_k1": "kettani_gubner_k1", "hurst_k50": "kettani_gubner", "hurst_wavelet": "abry_veitch"}
    return {**{name: estimates.get(method) for name, method in methods.items()}, "long_range": float(found.long_range)}


def plain(summary: Values) -> float | None:
    """Compute the share of sent packets that arrived: arrivals / (arrivals + drops)."""
    arrivals, drops = summary["arrivals"] or 0.0, summary["drops"] or 0.0
    return arrivals / (arrivals + drops) if arrivals else None


def _samples(times: Array, srtt: Array) -> tuple[Array, Array]:
    """Reconstruct the samples, ms, and their times from the sender's smoothed round-trip times, s.

    ns-2's estimator counts eighths of a tick, which is 1 ms here. Each sample, in ticks, changes it by the sample minus
    the whole ticks of its previous value (`crates/tcp/src/rtt.rs`). Samples that do not change it are not found; they
    equal its whole ticks, so they are close to other samples.
    """
    eighths = np.rint(np.nan_to_num(srtt) * 8000).astype(np.int64)
    before = np.concatenate([[0], eighths[:-1]])
    sample = np.where(before > 0, eighths - before + (before >> 3), eighths >> 3)
    taken = (eighths > 0) & (eighths != before)
    return times[taken], sample[taken].astype(np.float64)


def _entered(run: Run, link: str) -> pa.Table:
    """Return the data packets that entered a link."""
    data = (pc.field("link") == link) & (pc.field("event") == "enqueue") & (pc.field("kind") == "data")
    return run.table("packets").filter(data)


def _received(run: Run) -> Array:
    return _column(run.table("arrivals").filter(pc.field("link") == "B->y"), "packets")


def _column(table: pa.Table, name: str) -> Array:
    return np.asarray(table[name], dtype=np.float64)


_LEAST: Final = 0.035  # seconds: every packet takes longer to cross the first two links
_GAIN: Final = 1 / 16  # gain of RFC 3550's running mean


def matched(sent: Array, which: Array, came: Array, arrived: Array) -> Array:
    """Return for each arrival the last time at which its segment was sent early enough to cause this arrival.

    `sent` and `came` are times, s below 1000, at which packets were sent and arrived; `which` and `arrived` are the
    segments of these packets.
    """
    keys = np.sort(which + sent / 1000)
    found = keys[np.searchsorted(keys, arrived + (came - _LEAST) / 1000, side="right") - 1]
    return np.asarray((found - arrived) * 1000)


def variation(sent: Array, came: Array) -> Mapping[str, float | None]:
    """Compute jitter and delay variation, ms, from the times of sending and arrival, s, in the order of arrival.

    ``jitter`` is the mean over all arrivals of RFC 3550's interarrival jitter J (section 6.4.1: J changes by
    (|D| - J) / 16 if successive delays differ by D). ``variation_99`` is the 99th percentile of the delay minus the
    smallest delay (RFC 5481, section 4.2: packet delay variation). Both are None for fewer than two packets.
    """
    if came.size < 2:
        return {"jitter": None, "variation_99": None}
    from scipy.signal import lfilter  # noqa: PLC0415 - slow to load

    delays = came - sent
    jitter = lfilter([_GAIN], [1, _GAIN - 1], np.abs(np.diff(delays)))
    return {
        "jitter": 1000 * float(np.mean(jitter)),
        "variation_99": 1000 * float(np.percentile(delays, 99) - delays.min()),
    }


def delivered(came: Array, arrived: Array) -> tuple[Array, Array]:
    """Compute when a transport that delivers in order passes each segment to the application.

    `came` are the times of arrivals, s ascending, and `arrived` their segments. Returns the numbers of the segments
    before the first one that never arrived, counted from 0, and their times.
    """
    segments, first = np.unique(arrived, return_index=True)
    order = segments - segments[0]
    missing = np.flatnonzero(order != np.arange(order.size))
    whole = int(missing[0]) if missing.size else order.size
    return order[:whole], np.maximum.accumulate(came[first][:whole])


def lateness(order: Array, times: Array, *, rate: float) -> Mapping[str, float | None]:
    """Compute jitter and delay variation, ms, at an application whose source creates `rate` segments/s from 0 s on.

    Takes the result of `delivered`. ``late_jitter`` and ``late_99`` are as in `variation`, for delays from the creation
    of a segment to its delivery; ``late_most`` is the largest delay minus the smallest.
    """
    made = order / rate
    found = variation(made, times)
    delays = times - made
    most = 1000 * float(delays.max() - delays.min()) if delays.size else None
    return {"late_jitter": found["jitter"], "late_99": found["variation_99"], "late_most": most}
