"""Vegas in the round model: Brakmo and Peterson (JSAC 1995), with the rules of the authors' code in ns-2.

Once per round trip, `diff = flight (1 - base / rtt)` estimates the packets in queues: the difference of the expected
rate `flight / base` and the actual rate `flight / rtt`, times the base round-trip time. The base is the shortest round
trip that the flow has seen, so a flow that begins behind a queue has too long a base. As in ns-2, `diff` is rounded,
and the window grows only while it exceeds the packets in flight by at most two. Differences: the round-trip time is
that of the round's end, not the mean of the round; a loss always takes a quarter of the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

if TYPE_CHECKING:
    from ackclock.analysis.models.rounds.law import Counts, Flags, Reals

_LEAST: Final = 2.0
"""Minimum window, in packets."""
_UNUSED: Final = 2.0
"""The window grows only while at most this many of its packets are unused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Vegas:
    """Vegas.

    Parameters
    ----------
    alpha, beta
        The window grows if fewer than `alpha` packets are in queues, and shrinks if more than `beta` are.
    gamma
        Slow start ends if more than this number of packets are in queues.
    base_error
        Error of the base round-trip time, in seconds: positive if it is longer than the shortest round trip that the
        flow has seen.

    """

    alpha: float = 1.0
    beta: float = 3.0
    gamma: float = 1.0
    base_error: float = 0.0

    duplicates: ClassVar[int] = 1
    repairs_all: ClassVar[bool] = True

    def windows(self, shape: tuple[int, int], initial_window: float, max_window: float) -> _Windows:
        """Make the initial windows of a group."""
        return _Windows(self, shape, initial_window, max_window)


class _Windows:
    def __init__(self, law: Vegas, shape: tuple[int, int], first: float, most: float) -> None:
        self.law, self.most = law, most
        self.window = np.full(shape, min(first, most))
        self.ssthresh = np.full(shape, most)
        self.base = np.full(shape, np.inf)
        # Packets until this round ends, and what each of its ACKs adds to the window.
        self.to_end = np.zeros(shape, np.int64)
        self.increment = np.ones(shape)
        self.growing = np.ones(shape, np.bool_)

    def acknowledge(self, new: Counts, flight: Counts, round_trip: Reals) -> None:
        """Grow by the increment of this round, and evaluate the round if it ends."""
        some = new > 0
        rtt = np.broadcast_to(round_trip[:, None], new.shape)
        np.minimum(self.base, rtt, out=self.base, where=some)
        ended = some & (self.to_end <= new)
        if ended.any():
            self._evaluate(ended, flight, rtt)
        self.to_end = np.where(ended, flight - new, self.to_end - new)
        growing = (self.increment > 0) & (self.window - flight <= _UNUSED)
        slow = self.window < self.ssthresh
        added = np.where(slow, np.minimum(new, _UNUSED + 1 + flight - self.window), new) * self.increment
        self.window = np.where(growing, np.minimum(self.window + added, self.most), self.window)

    def _evaluate(self, ended: Flags, flight: Counts, rtt: Reals) -> None:
        law = self.law
        base = np.where(ended, self.base + law.base_error, rtt)
        diff = np.floor(flight * (1 - base / rtt) + 0.5)
        slow = self.window < self.ssthresh
        self.growing ^= ended & slow
        over = ended & slow & self.growing & (diff > law.gamma)
        shrink = ended & ~slow & (diff > law.beta)
        self.window = np.where(over, self.window * (7 / 8), self.window - shrink)
        np.maximum(self.window, _LEAST, out=self.window)
        self.ssthresh[over] = _LEAST
        added = np.where(slow, self.growing & ~over, (diff < law.alpha) / self.window)
        self.increment = np.where(ended, added, self.increment)

    def lose(self, which: Flags) -> None:
        """Reduce the windows by a quarter."""
        whole = np.floor(self.window)
        self.window = np.where(which, np.maximum(whole - np.floor(whole / 4), _LEAST), self.window)

    def expire(self, which: Flags) -> None:
        """Begin slow start with two packets, up to half of the window."""
        self.ssthresh = np.where(which, np.maximum(np.floor(self.window / 2), _LEAST), self.ssthresh)
        self.window[which] = _LEAST
