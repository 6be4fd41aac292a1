"""Identifies the congestion control of a captured sender: which of our laws fits its trace, or why none is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ackclock.capture.law.following import fits

if TYPE_CHECKING:
    from ackclock.capture.law.following import Fit
    from ackclock.capture.law.trace import Trace

LEAST_SEGMENTS: Final = 300
"""Fewest segments of a trace whose law is identified: thirty initial windows."""
LEAST_TURNS: Final = 100
"""Fewest turns that are compared."""
MOST_IDLE: Final = 0.1
"""Largest share of the time in which nothing was in flight."""
FAR: Final = 0.13
"""Distance from which on no law fits. Fitted on one half of the captures (``validation/capture_laws.py``)."""
APART: Final = 1.2
"""A law is identified if all others are farther by this factor, and by `LEAST_APART`. Fitted on the same half."""
LEAST_APART: Final = 0.003

_UNKNOWN: Final = "The congestion control cannot be identified"

Reason = Literal["short", "one way", "receiver", "application", "far", "close"]

_WHY: Final[dict[Reason, str]] = {
    "short": "the trace is too short",
    "one way": "the capture has no ACKs of this sender's data; capture both directions",
    "receiver": "the capture was made beside the receiver, and a queue before it hides what the sender saw; capture "
    "beside the sender",
    "application": "the application, not the law, limited the sender",
    "far": "no law of ours fits",
    "close": "several laws fit equally well",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Identified:
    """The answer for one direction of a connection.

    Parameters
    ----------
    fits
        All laws that were compared, the closest one first.
    reason
        Why the law cannot be identified; None if it can.
    segments
        Number of segments that were sent.
    idle
        Share of the time in which nothing was in flight.
    """

    fits: tuple[Fit, ...]
    reason: Reason | None
    segments: int
    idle: float

    @property
    def law(self) -> str | None:
        """The law, if it can be identified."""
        return self.fits[0].law if self.reason is None else None

    @property
    def sentence(self) -> str:
        """The answer as a sentence."""
        if not self.fits:
            return f"{_UNKNOWN}: {_WHY[self.reason or 'short']}."
        first, second = self.fits[:2]
        apart = f"a mean distance of {_percent(first)} from what was in flight, and {_percent(second)} for {second.law}"
        if self.reason is None:
            return f"The sender's congestion control is most like {first.law}: {apart}."
        if self.reason == "close":
            close = [fit.law for fit in self.fits if not is_apart(first, fit)]
            names = f"{', '.join(close[:-1])} or {close[-1]}"
            return f"{_UNKNOWN}: it may be {names}, which fit equally well ({_percent(first)})."
        return f"{_UNKNOWN}: {_WHY[self.reason]}. The closest is {first.law} with {apart}."


def _percent(fit: Fit) -> str:
    return f"{100 * np.expm1(fit.distance):.2g} %"


def is_apart(first: Fit, other: Fit) -> bool:
    """Whether a law is clearly farther from a trace than the closest one."""
    return other.distance > APART * first.distance + LEAST_APART


def identify(trace: Trace, *, is_beside_receiver: bool = False) -> Identified:
    """Identify the law of a trace.

    No law is named, for the first of these reasons that applies, if fewer than `LEAST_SEGMENTS` segments were sent, if
    no ACK was captured, if the capture was made beside the receiver, if fewer than `LEAST_TURNS` turns were compared,
    if nothing was in flight for more than `MOST_IDLE` of the time, if the closest law is farther than `FAR`, or if
    another law is nearly as close.
    """
    idle, segments = idle_share(trace), trace.sent
    if segments < LEAST_SEGMENTS:
        return Identified(fits=(), reason="short", segments=segments, idle=idle)
    if not trace.is_ack.any():
        return Identified(fits=(), reason="one way", segments=segments, idle=idle)
    if is_beside_receiver:
        return Identified(fits=(), reason="receiver", segments=segments, idle=idle)
    found = fits(trace)
    reason: Reason | None = None
    if found[0].turns < LEAST_TURNS:
        return Identified(fits=(), reason="short", segments=segments, idle=idle)
    if idle > MOST_IDLE:
        reason = "application"
    elif found[0].distance > FAR:
        reason = "far"
    elif not is_apart(found[0], found[1]):
        reason = "close"
    return Identified(fits=found, reason=reason, segments=segments, idle=idle)


def idle_share(trace: Trace) -> float:
    """Return the share of the time in which all segments sent were acknowledged.

    Examples
    --------
    >>> from ackclock.capture.law.trace import Collector
    >>> collector = Collector(1000)
    >>> for time in (0, 4_000_000):
    ...     collector.sent(time, time // 4000, time // 4000 + 1000)
    ...     collector.acknowledged(time + 1_000_000, time // 4000 + 1000)
    >>> idle_share(collector.trace())
    0.6
    """
    if len(trace.times) < 2 or not trace.duration:  # an interval needs two events
        return 0.0
    numbers = trace.numbers.astype(np.int64)
    sent = np.maximum.accumulate(np.where(trace.is_ack, 0, numbers + 1))
    acked = np.maximum.accumulate(np.where(trace.is_ack, numbers, 0))
    spans = np.diff(trace.times.astype(np.int64)) / 1e9
    return float(spans[(acked >= sent)[:-1]].sum() / trace.duration)
