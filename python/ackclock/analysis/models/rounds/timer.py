"""The retransmission timer of the round model: RFC 6298, section 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ackclock.analysis.models.rounds.law import Reals


class Timer:
    """One estimate for all flows of a group, which share the queue; one sample per round trip."""

    def __init__(self, delay: float, *, steps: int, least: float, clock: float) -> None:
        self.srtt: Reals | float = delay
        self.rttvar: Reals | float = delay / 2
        self.steps, self.least, self.clock = steps, least, clock

    def update(self, round_trip: Reals) -> Reals:
        """Add the round-trip time of a step, and return the timeout in seconds."""
        error = round_trip - self.srtt
        self.srtt = self.srtt + error / 8 / self.steps
        self.rttvar = self.rttvar + (np.abs(error) - self.rttvar) / 4 / self.steps
        return np.maximum(self.least, self.srtt + np.maximum(self.clock, 4 * self.rttvar))
