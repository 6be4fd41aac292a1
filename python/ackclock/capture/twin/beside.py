"""Infers what other traffic a bottleneck carried: while a queue waits, its rate less that of the connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.capture.twin.path import Path
    from ackclock.capture.twin.seen import Seen

    Numbers = NDArray[np.float64]

_BIN: Final = 0.1
"""Shortest bin in s; a bin has at least two of the longest round trips."""
_LEAST_BINS: Final = 5
_LEAST_SHARE: Final = 0.05
"""Smallest share of the bottleneck that counts as other traffic."""
_BUSY: Final = 0.5
"""Share of the whole time in which the link must surely have been busy."""
_COVERED: Final = 0.3
"""Share of a bin in which the link must surely have been busy, so that the bin has a rate of its own."""

_MOST: Final = 1_000_000
"""Most packets of other traffic that are simulated."""

Known = Literal["none", "inferred", "too little queue", "rate unknown", "receiver", "too much"]


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Other traffic at the bottleneck."""

    known: Known
    bin: float = 0.0
    rates: tuple[float, ...] = ()
    """Mean rate in each bin in b/s, from the first data on."""

    @property
    def mean(self) -> float:
        """Mean rate in b/s."""
        return float(np.mean(self.rates)) if self.rates else 0.0

    def times(self, full: int) -> Numbers:
        """Return the times of packets of a size that have these rates, in s since the first data."""
        work = np.cumsum(np.append(0.0, np.array(self.rates) * self.bin / 8 / full))
        count = int(work[-1])
        edges = np.arange(work.size) * self.bin
        return np.asarray(np.interp(np.arange(count) + 0.5, work, edges), dtype=np.float64)


def beside(seen: Seen, path: Path) -> Beside:
    """Infer the other traffic at the bottleneck."""
    if seen.place == "receiver" or path.rate.is_bound:
        return Beside(known="receiver" if seen.place == "receiver" else "rate unknown")
    length = max(_BIN, 2 * float(np.quantile(seen.trips, 0.95)))
    count = int(seen.duration / length)
    if count < _LEAST_BINS:
        return Beside(known="too little queue")
    own, covered, times = _shares(seen, path)
    # what is acknowledged at a time left the bottleneck before
    place = np.floor((times - seen.sent[0] - path.base) / length).astype(np.int64)
    inside = (place >= 0) & (place < count)
    bits = np.bincount(place[inside], own[inside], minlength=count)
    time = np.bincount(place[inside], covered[inside], minlength=count)
    known = time >= _COVERED * length
    if np.count_nonzero(known) < _LEAST_BINS or time.sum() < _BUSY * count * length:
        return Beside(known="too little queue")
    usual = path.rate.value - float(bits.sum() / time.sum())
    if usual < _LEAST_SHARE * path.rate.value:
        return Beside(known="none")
    if usual * count * length > 8 * seen.full * _MOST:
        return Beside(known="too much")
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.where(known, path.rate.value - bits / time, usual)
    rates = np.clip(rates, 0.0, path.rate.value)
    return Beside(known="inferred", bin=length, rates=tuple(rates.tolist()))


def _shares(seen: Seen, path: Path) -> tuple[Numbers, Numbers, Numbers]:
    """Return the connection's bits, the time in which the link was surely busy, and the time, of each round-trip time.

    A packet that leaves now arrived before its wait, and the link was busy since then. Only intervals outside of
    recoveries count: inside, it is not known what an ACK acknowledges.
    """
    last = np.searchsorted(seen.heard, seen.trip_times, side="right") - 1
    disturbed = np.cumsum(~seen.is_calm)[last]
    own = np.diff(seen.acks[last]) * 8 * seen.full / seen.mss
    gaps = np.diff(seen.trip_times)
    step = 8 * seen.full / path.rate.value
    covered = np.minimum(gaps, np.maximum(path.queue[1:] + step, own / path.rate.value))
    usable = (np.diff(disturbed) == 0) & (own > 0)
    return own[usable], covered[usable], seen.trip_times[1:][usable]
