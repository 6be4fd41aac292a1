"""Reno in the round model: RFC 5681, with the recovery of ns-2's Reno, which makes one fast retransmit per window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

if TYPE_CHECKING:
    from ackclock.analysis.models.rounds.law import Counts, Flags, Reals

_LEAST_SSTHRESH: Final = 2.0
"""Minimum slow-start threshold, in packets (RFC 5681, equation 4)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reno:
    """Reno.

    Parameters
    ----------
    per_ack
        Packets that one ACK acknowledges: 1, or 2 with delayed ACKs.

    """

    per_ack: float = 1.0

    duplicates: ClassVar[int] = 3
    repairs_all: ClassVar[bool] = False

    def windows(self, shape: tuple[int, int], initial_window: float, max_window: float) -> _Windows:
        """Make the initial windows of a group."""
        return _Windows(self, shape, initial_window, max_window)


class _Windows:
    def __init__(self, law: Reno, shape: tuple[int, int], first: float, most: float) -> None:
        self.per_ack, self.most = law.per_ack, most
        self.window = np.full(shape, min(first, most))
        self.ssthresh = np.full(shape, most)

    def acknowledge(self, new: Counts, flight: Counts, round_trip: Reals) -> None:  # noqa: ARG002  # Reno's clock is the ACKs
        """Add 1 for each ACK below the slow-start threshold, and 1 / W above it."""
        growth = new / np.where(self.window < self.ssthresh, self.per_ack, self.per_ack * self.window)
        self.window = np.minimum(self.window + growth, self.most)

    def lose(self, which: Flags) -> None:
        """Halve the windows."""
        self._halve(which)
        self.window = np.where(which, self.ssthresh, self.window)

    def expire(self, which: Flags) -> None:
        """Begin slow start with one packet, up to half of the window."""
        self._halve(which)
        self.window[which] = 1

    def _halve(self, which: Flags) -> None:
        self.ssthresh = np.where(which, np.maximum(self.window / 2, _LEAST_SSTHRESH), self.ssthresh)
