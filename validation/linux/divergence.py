"""Compares two sequences of segments: their order, and their times up to the first difference in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linux.rules import JIFFY_MS, LATENESS_MS, PUNCTUAL, QUIET_MS, WAKE_UPS, WHEEL_MS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from linux.data import Sent, Timing


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """The comparison of our segments with the kernel's.

    Parameters
    ----------
    segments
        Number of the kernel's segments.
    differs
        Index of the first segment that differs, or that we did not send; None if all are the same.
    punctual
        Share of the segments before it whose times agree.
    late
        Index of the first segment before it whose time does not agree; None if there is none.
    median_ms
        Median absolute difference of the times before it, in ms.
    """

    segments: int
    differs: int | None
    punctual: float
    late: int | None
    median_ms: float

    @property
    def in_order(self) -> bool:
        """Whether all segments are sent in the same order."""
        return self.differs is None

    @property
    def in_time(self) -> bool:
        """Whether all segments are sent in the same order, and enough of them at the same time."""
        return self.in_order and self.punctual >= PUNCTUAL


def compare(kernel: Sent, ours: Sent, timing: Timing, rtt_ms: float) -> Order:
    """Compare our segments with the kernel's; times count from the first segment of each."""
    count = min(len(kernel.segments), len(ours.segments))
    wrong = np.flatnonzero(kernel.segments[:count] != ours.segments[:count])
    differs = int(wrong[0]) if len(wrong) else count
    late = _late(kernel, ours, timing, rtt_ms, differs)
    away = np.abs(_since_first(kernel)[:differs] - _since_first(ours)[:differs])
    return Order(
        segments=len(kernel.segments),
        differs=None if differs == len(kernel.segments) else differs,
        punctual=1 - len(late) / differs if differs else 0.0,
        late=int(late[0]) if len(late) else None,
        median_ms=float(np.median(away)) if differs else 0.0,
    )


def _late(kernel: Sent, ours: Sent, timing: Timing, rtt_ms: float, count: int) -> NDArray[np.intp]:
    """Return the indices of the first `count` segments whose times do not agree.

    The allowed difference grows with time: in every round trip, the kernel's processes wake up late. After a segment
    that a timer or the application sent, times count from that segment.
    """
    theirs, times = _since_first(kernel), _since_first(ours)
    waits = since_last_event(kernel)
    shift = 0.0
    late = []
    for place in range(count):
        allowed = max(LATENESS_MS, timing.p99) + WAKE_UPS * timing.p50 * theirs[place] / rtt_ms
        away = theirs[place] - times[place] - shift
        wait = waits[place]
        if wait > QUIET_MS:
            unit = JIFFY_MS if wait <= WHEEL_MS else 8 * JIFFY_MS
            if -allowed <= away <= allowed + 2 * unit:
                shift += away
                continue
        if abs(away) > allowed:
            late.append(place)
    return np.array(late, dtype=np.intp)


def clock_phase(kernel: Sent) -> tuple[float, float] | None:
    """Return when the kernel's clock ticked after the first segment, and the period of these ticks, in ms.

    Only a timer sends a segment again while nothing arrives, and timers fire with ticks, or with every eighth tick if
    they are long. None if no timer has fired. A timer that was set just after a tick may have waited for the longest
    time of short timers, or for one tick more if it was long.
    """
    waits = since_last_event(kernel)
    by_timer = (waits > QUIET_MS) & (kernel.nth() > 1)
    long = by_timer & (waits > WHEEL_MS + JIFFY_MS)
    if not by_timer.any():
        return None
    chosen, period = (long, 8 * JIFFY_MS) if long.any() else (by_timer, JIFFY_MS)
    turns = np.exp(2j * np.pi * _since_first(kernel)[chosen] / period)
    return float(np.angle(turns.mean()) / (2 * np.pi) * period % period), period


def since_last_event(kernel: Sent) -> NDArray[np.float64]:
    """Return the time since the last ACK or segment before each segment, in ms; 0 for the first segment."""
    waits = np.diff(kernel.times, prepend=kernel.times[:1])
    last = np.searchsorted(kernel.acks, kernel.times, side="right") - 1
    acked = last >= 0
    waits[acked] = np.minimum(waits[acked], kernel.times[acked] - kernel.acks[last[acked]])
    return waits


def _since_first(sent: Sent) -> NDArray[np.float64]:
    return sent.times - sent.times[0] if len(sent.times) else sent.times
