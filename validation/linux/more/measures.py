"""The measures of each part, computed as in the analysis of the kernel's runs."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from linux.senders import PACKET, PAYLOAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from linux.more.packets import Packets, Windows

Numbers = dict[str, float]
"""A number by the name of its measure; a measure without a value is missing."""

TITLES: Final = {
    "starved": "flows below a tenth of the fair share",
    "silent": "flows without goodput",
    "top_of_fair": "largest goodput over the fair share",
    "jain": "fairness index",
    "loss": "loss",
    "rto_per_flow": "timeouts per flow",
    "mean_max_backoff": "largest number of doublings of a flow's RTO, mean",
    "mean_cwnd": "mean window",
    "wait_ms": "mean wait, ms",
    "goodput_mbps": "goodput, Mb/s",
    "cwnd_start": "window 12 ms after the write",
    "cwnd_end": "window before the next write",
    "completion_ms": "completion, ms",
    "dropped": "drops per burst",
    "bulk_mbps": "goodput of the bulk flow, Mb/s",
    "request_ms": "completion of a request, ms",
    "request_cwnd_end": "window before the next request",
    "backoff_end": "doublings of the RTO at the end of the outage",
    "ssthresh_end": "ssthresh at the end of the outage",
    "rtos": "timeouts from the start of the outage on",
    "resume_s": "time to the first delivery, s",
    "full_s": "time to 90 % of the rate, s",
    "after10_mbps": "goodput in the 10 s after the outage, Mb/s",
    "cwnd_2s": "window 2 s after the outage",
    "cwnd_5s": "window 5 s after the outage",
    "cwnd_10s": "window 10 s after the outage",
    "resent_after": "packets sent again after the outage",
    **{
        f"{name}_{begin}_{begin + 10}": f"{title} from {begin} to {begin + 10} s"
        for name, title in (("goodput_mbps", "goodput in Mb/s"), ("wait_ms", "mean wait in ms"), ("dropped", "drops"))
        for begin in (10, 20, 30, 50)
    },
    "affected": "transfers with a loss",
    "mean_ms": "mean completion, ms",
    "p50_ms": "median completion, ms",
    "p90_ms": "90th percentile of completion, ms",
    "p99_ms": "99th percentile of completion, ms",
}
"""What a measure is, by its name."""

_BIN_S, _FULL = 0.25, 0.9  # width of the bins, and the share of the rate, that define the end of an outage's effect
_EARLY_S = 0.03  # a burst's packets are counted from this time before its begin on
_EARLIEST_S, _LATEST_S = (
    -0.3,
    0.05,
)  # a burst begins with its first packet if that arrives at these times after the write


def many_flows(
    packets: Packets, windows: Sequence[Windows], *, span: tuple[float, float], fair_bps: float, payload: int
) -> Numbers:
    """Measure flows in a span of time, in s; `fair_bps` is the fair share of one flow."""
    begin, end = span
    count = len(windows)
    first = packets.first_deliveries()
    measured = first.flows[(first.delivered >= begin) & (first.delivered < end)]
    goodput = np.bincount(measured, minlength=count) * payload * 8 / (end - begin)
    arrived = packets.between(begin)
    late = [each.times >= begin for each in windows]
    return {
        "starved": float((goodput < 0.1 * fair_bps).sum()),
        "silent": float((goodput == 0).sum()),
        "top_of_fair": float(goodput.max() / fair_bps),
        "jain": float(goodput.sum() ** 2 / (count * (goodput**2).sum())),
        "loss": float(arrived.lost.mean()),
        "mean_max_backoff": fmean(each.doublings[now].max() for each, now in zip(windows, late, strict=True)),
        "mean_cwnd": fmean(each.cwnd[now].mean() for each, now in zip(windows, late, strict=True)),
        "wait_ms": float(np.nanmean(arrived.waits)),
        "goodput_mbps": float(goodput.sum() / 1e6),
    }


def bursts(
    packets: Packets, windows: Windows, *, segments: int, writes: Sequence[float], gap_s: float
) -> list[Numbers]:
    """Measure each burst of one flow that the receiver has whole; `writes` are the times of the writes, in s.

    A burst begins with its first packet, since the kernel's frozen clock moves the writes. If data of the burst before
    it delay the first packet, it begins with the write.
    """
    first = packets.first_deliveries()
    complete = np.maximum.accumulate(first.delivered)
    sent = packets.first_transmissions().times
    found = []
    for number, write in enumerate(writes):
        last = (number + 1) * segments - 1
        if last >= len(complete):
            break
        begin = float(sent[number * segments])
        if not _EARLIEST_S < begin - write < _LATEST_S:
            begin = write
        around = packets.between(begin - _EARLY_S, begin + gap_s - _EARLY_S)
        found.append(
            {
                "cwnd_start": float(windows.cwnd[windows.place(write + 0.012)]),
                "cwnd_end": float(windows.cwnd[windows.place(write + gap_s - 0.004)]),
                "completion_ms": float(complete[last] - begin) * 1e3,
                "dropped": float(around.lost.sum()),
            }
        )
    return found


def outage(packets: Packets, windows: Windows, *, end: float, duration: float, rate_mbps: float) -> Numbers:
    """Measure a flow after an outage that ends at `end`, in s; `rate_mbps` is the rate without headers."""
    delivered = np.sort(packets.first_deliveries().delivered)
    after = delivered[delivered >= end]
    rates = _mbps(np.histogram(after, np.arange(end, duration, _BIN_S))[0], _BIN_S)
    full = np.flatnonzero(rates >= _FULL * rate_mbps)
    new = int((packets.first_transmissions().times >= end).sum())
    last = windows.place(end)
    found = {
        "backoff_end": float(windows.doublings[last]),
        "ssthresh_end": float(windows.ssthresh[last]),
        "after10_mbps": float(_mbps((after < end + 10).sum(), 10)),
        "resent_after": float((packets.times >= end).sum() - new),
        **{f"cwnd_{time}s": float(windows.cwnd[windows.place(end + time)]) for time in (2, 5, 10)},
    }
    if len(after):
        found["resume_s"] = float(after[0] - end)
    if len(full):
        found["full_s"] = float(full[0] * _BIN_S)
    return found


def changes(packets: Packets, spans: Sequence[tuple[int, int]]) -> Numbers:
    """Measure one flow in spans of time, in s; a span's wait is the mean over its seconds, as in the kernel's table."""
    delivered = packets.first_deliveries().delivered
    found = {}
    for begin, end in spans:
        arrived = packets.between(begin, end)
        span = f"{begin}_{end}"
        seconds = [arrived.between(second, second + 1) for second in range(begin, end)]
        found[f"goodput_mbps_{span}"] = float(_mbps(((delivered >= begin) & (delivered < end)).sum(), end - begin))
        found[f"dropped_{span}"] = float(arrived.lost.sum())
        found[f"wait_ms_{span}"] = fmean(_mean(second.waits) for second in seconds)
    return found


def transfers(packets: Packets, starts: Sequence[float], segments: int) -> Numbers:
    """Measure transfers of equal size, one per flow, from their starts in s to their last deliveries."""
    first = packets.first_deliveries()
    counts = np.bincount(first.flows, minlength=len(starts))
    last = np.full(len(starts), -np.inf)
    np.maximum.at(last, first.flows, first.delivered)
    completion = ((last - np.array(starts)) * 1e3)[counts >= segments]
    percentiles = {f"p{share}_ms": float(np.percentile(completion, share)) for share in (50, 90, 99)}
    return {
        "affected": float(len(np.unique(packets.flows[packets.lost]))),
        "loss": float(packets.lost.mean()),
        "mean_ms": float(completion.mean()),
        **percentiles,
    }


def goodput_mbps(packets: Packets, begin: float, end: float) -> float:
    """Return the goodput from `begin` to `end`, in s."""
    delivered = packets.first_deliveries().delivered
    return float(_mbps(((delivered >= begin) & (delivered < end)).sum(), end - begin))


def payload_rate(rate_mbps: float) -> float:
    """Return the rate of a link without headers."""
    return rate_mbps * PAYLOAD / PACKET


def means(numbers: Sequence[Numbers]) -> Numbers:
    """Return the mean of each measure; every element has the same measures."""
    return {name: fmean(each[name] for each in numbers) for name in (numbers[0] if numbers else ())}


def _mbps(segments: NDArray[np.int64], seconds: float) -> NDArray[np.float64]:
    rates: NDArray[np.float64] = segments * PAYLOAD * 8 / seconds / 1e6
    return rates


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean of the values that are numbers; 0 without any."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else 0.0
