"""Infers the path of a connection: bottleneck rate, base delay, buffer, and losses that no full queue explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.capture.twin.seen import Seen

    Numbers = NDArray[np.float64]

ACK_BYTES: Final = 52
SYN_BYTES: Final = 60
LEAST_PAIRS: Final = 20
"""Fewest packet pairs from which a rate is estimated."""
_FASTEST: Final = 1e11
"""Highest rate that is inferred, in b/s."""
_LEAST_BASE: Final = 0.05
"""Smallest base delay as a share of the shortest round trip."""
_WIDTH: Final = 0.01
"""Width of the bins of ln(rate)."""
_BESIDE: Final = 3
"""Bins on each side of a peak that belong to it."""
_PEAK: Final = 0.12
"""Smallest share of the pairs at a peak. Other packets between the packets of a pair make it slower; hence the fastest
such peak is the rate of the link."""
_WAITED: Final = 0.25
"""Share of its spacing that the second packet of a pair must have waited. Then both left a busy link."""
_SAME: Final = 0.05
"""Relative difference of the rates of busy periods and pairs up to which the former, which are more exact, count."""
_RUN: Final = 20
"""Fewest ACKs of a busy period."""
_TOP: Final = 0.1
"""Share of the largest queue within which a queue counts as full; at least two packets."""
_MORE: Final = 4
"""The assumed buffer as a multiple of the largest queue, if it was never full."""
_STALE: Final = 10.0
"""Round trips after which a round-trip time says nothing about the queue."""
_RARE: Final = 5.0
"""A full queue explains losses if they are more frequent at it by this factor."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """The rate of the bottleneck in b/s, with headers of IP."""

    value: float
    pairs: int
    """Number of packet pairs that left a busy link."""
    is_bound: bool
    """Whether no pair did, so that the value is only the highest rate that was seen."""


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Lost transmissions, and whether a full queue explains them."""

    places: tuple[int, ...]
    """Indices of the lost transmissions among all packets with data, from 0."""
    random: tuple[int, ...]
    """Those that no full queue explains."""
    unplaced: int
    """Segments that were lost before the point of capture."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """What a capture shows of a path."""

    rate: Rate
    base: float
    """Round-trip time without queues and transmission times, in s."""
    buffer: int
    """Packets that may wait."""
    is_filled: bool
    """Whether losses show that the buffer was full."""
    losses: Losses
    queue: Numbers
    """Queueing delay of each round-trip time in s."""


def rate_of(seen: Seen) -> Rate:
    """Estimate the rate of the bottleneck from packet pairs, and from the busiest periods.

    The spacing of two ACKs, or of two packets beside the receiver, is the time that the link needs for the data between
    them, if the later packet waited: then the link was busy. The rate is the fastest frequent one.
    """
    times, sizes, waited, steady = _deliveries(seen)
    gaps = np.diff(times, prepend=np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = 8 * sizes / gaps
        busy = steady & (gaps > 0) & (waited > _WAITED * gaps)
    usable = busy & np.isfinite(rates)
    if np.count_nonzero(usable) < LEAST_PAIRS:
        value = max(_fastest(times, sizes), _by_size(seen))
        return Rate(value=min(value, _FASTEST), pairs=int(np.count_nonzero(usable)), is_bound=True)
    peak = _peak(rates[usable], sizes[usable])
    runs = _runs(usable, gaps, sizes)
    near = runs[np.abs(np.log(runs / peak)) < _SAME]
    value = float(np.median(near)) if near.size else peak
    return Rate(value=min(value, _FASTEST), pairs=int(np.count_nonzero(usable)), is_bound=False)


def _deliveries(seen: Seen) -> tuple[Numbers, Numbers, Numbers, NDArray[np.bool_]]:
    """Return times at which data left the bottleneck, bytes since the last one, waits, and which are usable."""
    scale = seen.full / seen.mss
    if seen.place == "receiver":
        new = ~seen.is_again
        sizes = (seen.ends - seen.starts)[new] * scale
        times = seen.sent[new]
        return times, sizes, np.full(times.size, np.inf), np.diff(seen.starts[new], prepend=0.0) > 0
    moves = np.diff(seen.acks, prepend=seen.acks[0]) > 0
    times, sizes = seen.heard[moves], np.diff(seen.acks, prepend=seen.acks[0])[moves] * scale
    place = np.minimum(np.searchsorted(seen.trip_times, times), seen.trips.size - 1)
    exact = seen.trip_times[place] == times
    waited = np.where(exact, seen.trips[place] - seen.trips.min(), 0.0)
    return times, sizes, waited, seen.is_calm[moves]


def _fastest(times: Numbers, sizes: Numbers) -> float:
    """Return the highest rate over a fiftieth of the time."""
    length = max(float(times[-1] - times[0]), 1e-6) / 50
    sums = np.bincount(((times - times[0]) / length).astype(np.int64), sizes)
    return float(8 * sums.max() / length)


def _opening(seen: Seen) -> float | None:
    """Return the round-trip time of the handshake in s; None if it was not captured."""
    times = seen.found.trace.times
    return float(times[1] - times[0]) / 1e9 if seen.found.trace.handshake else None


def _by_size(seen: Seen) -> float:
    """Return the rate at which a full packet takes longer than a SYN by what the shortest round trips differ."""
    opening = _opening(seen)
    longer = float(seen.trips.min()) - opening if opening is not None else 0.0
    return 8 * (seen.full + ACK_BYTES - 2 * SYN_BYTES) / longer if longer > 0 else 0.0


def _peak(rates: Numbers, weights: Numbers) -> float:
    """Return the fastest frequent rate."""
    logs = np.log(rates)
    bins = np.floor((logs - logs.min()) / _WIDTH).astype(np.int64)
    bins = np.minimum(bins, 10_000)
    counts = np.bincount(bins, weights)
    window = np.ones(2 * _BESIDE + 1)
    near = np.convolve(counts, window, mode="same") if counts.size >= window.size else counts
    before = np.array([near[max(0, place - _BESIDE) : place + _BESIDE + 1].max() for place in range(near.size)])
    peaks = np.flatnonzero((near >= before) & (near >= min(_PEAK * counts.sum(), near.max())))
    fastest = int(peaks[-1])
    inside = np.abs(bins - fastest) <= _BESIDE
    return float(np.exp(np.average(logs[inside], weights=weights[inside])))


def _runs(usable: NDArray[np.bool_], gaps: Numbers, sizes: Numbers) -> Numbers:
    """Return the rates of uninterrupted busy periods."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], usable, [False])).astype(np.int8)))
    found = [
        8 * sizes[first:last].sum() / gaps[first:last].sum()
        for first, last in edges.reshape(-1, 2)
        if last - first >= _RUN
    ]
    return np.array(found)


def lost(seen: Seen) -> tuple[list[int], int]:
    """Return the transmissions that were lost, and the number of segments that were lost before the point of capture.

    A transmission is lost if its segment was sent again, unless the receiver reports to have the segment twice.
    """
    last: dict[float, int] = {}
    places, unplaced = [], 0
    for place, (start, again) in enumerate(zip(seen.starts.tolist(), seen.is_again.tolist(), strict=True)):
        if start in last:
            if int(start) not in seen.repeated:
                places.append(last[start])
        elif again:
            unplaced += 1
        last[start] = place
    return sorted(places), unplaced


def path_of(seen: Seen) -> Path:
    """Infer the path of a connection."""
    rate = rate_of(seen)
    step = 8 * seen.full / rate.value
    shortest = float(seen.trips.min())
    moving = step + 8 * ACK_BYTES / rate.value
    base = max(shortest - moving, _LEAST_BASE * shortest)
    opening = _opening(seen)
    if opening is not None and opening - 16 * SYN_BYTES / rate.value > _LEAST_BASE * shortest:
        base = min(base, opening - 16 * SYN_BYTES / rate.value)
    queue = np.maximum(seen.trips - (base + moving), 0.0)
    places, unplaced = lost(seen)
    prompt = ~_is_last(seen)
    largest = float(np.quantile(queue[prompt], 0.995)) if prompt.any() else 0.0
    waits, last = _before(seen, np.where(prompt, queue, 0.0), np.array(places, dtype=np.int64), step)
    if waits.size:
        largest = max(largest, float(np.quantile(waits, 0.9)))
    before = np.maximum(np.maximum(waits, last), _backlog(seen, rate.value, set(places))[places])
    top = largest - max(_TOP * largest, 2 * step)
    full = before >= top
    rest = float(np.mean(queue < top))
    often = np.count_nonzero(full) / max(1 - rest, 1e-3)
    seldom = np.count_nonzero(~full) / max(rest, 1e-3)
    is_filled = bool(full.any() and often >= _RARE * seldom)
    product = max(1, round(rate.value * base / 8 / seen.full))
    if is_filled:
        shown = waits[full & (waits >= top)]
        buffer = max(1, round(float(np.median(shown) if shown.size else largest) / step))
    else:
        buffer = max(_MORE * round(largest / step), product, 10)
    random = [place for place, explained in zip(places, full.tolist(), strict=True) if not (is_filled and explained)]
    return Path(
        rate=rate,
        base=base,
        buffer=buffer,
        is_filled=is_filled,
        losses=Losses(places=tuple(places), random=tuple(random), unplaced=unplaced),
        queue=queue,
    )


def _is_last(seen: Seen) -> NDArray[np.bool_]:
    """Return which round-trip times end with an ACK of all data that was sent: the receiver may have delayed it."""
    acked = seen.acks[np.searchsorted(seen.heard, seen.trip_times, side="right") - 1]
    highest = np.maximum.accumulate(seen.ends)
    outstanding = highest[np.maximum(np.searchsorted(seen.sent, seen.trip_times, side="right") - 1, 0)]
    return np.asarray(acked >= outstanding)


def _backlog(seen: Seen, rate: float, missing: set[int]) -> Numbers:
    """Return the wait of each packet behind the sender's own earlier ones, in s: those that were lost did not queue."""
    times, found = seen.sent.tolist(), np.zeros(seen.sent.size)
    work = (8 * (seen.ends - seen.starts) * seen.full / seen.mss / rate).tolist()
    wait, before = 0.0, times[0] if times else 0.0
    for place, time in enumerate(times):
        wait, before = max(wait - (time - before), 0.0), time
        found[place] = wait
        if place not in missing:
            wait += work[place]
    return found


def _before(seen: Seen, queue: Numbers, places: NDArray[np.int64], step: float) -> tuple[Numbers, Numbers]:
    """Return the wait of the last timed packet, and of the last accepted packet, before each lost one.

    The latter is the wait of the former, and the time that the accepted packets sent since need at the bottleneck.
    """
    if not places.size:
        return np.zeros(0), np.zeros(0)
    half = seen.trip_times - (seen.trips - seen.found.shift)
    order = np.argsort(half, kind="stable")
    found = np.searchsorted(half[order], seen.sent[places], side="right") - 1
    timed = order[np.maximum(found, 0)]
    accepted = np.full(seen.sent.size, fill_value=True)
    accepted[places] = False
    before = np.append(0, np.cumsum(accepted))
    since = before[places] - before[np.searchsorted(seen.sent, half[timed], side="right")]
    last = np.maximum.accumulate(np.where(accepted, np.arange(seen.sent.size), 0))[places]
    elapsed = np.where(since > 0, seen.sent[last] - half[timed], 0.0)
    is_recent = (found >= 0) & (seen.sent[places] - half[timed] < _STALE * seen.trips[timed])
    waits = np.where(is_recent, queue[timed], 0.0)
    return waits, np.where(is_recent, np.maximum(waits + np.maximum(since, 0) * step - elapsed, 0.0), 0.0)
