"""Laws for the tests of everything around them."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from annotated_types import Gt, Le

import ackclock as ac
from ackclock.engine.core import Ack, Rate, Window

STEP = 2


def share(cwnd: float) -> float:
    """Return the growth of the window per ACK."""
    return math.sqrt(STEP) / cwnd


class Gentle(ac.Law):
    """A law with every kind of parameter, state, and random numbers."""

    gain: Annotated[float, Gt(0), Le(2)] = 0.5
    every: int = 1
    noisy: bool = False
    mode: Literal["slow", "fast"] = "slow"

    def setup(self) -> None:
        self.seen = 0
        self.last = 0.0

    def on_ack(self, window: Window, ack: Ack) -> None:
        self.seen += 1
        self.last = ack.now
        factor = self.rng.uniform(0.5, 1.5) if self.noisy else 1.0
        if self.seen % self.every == 0:
            window.cwnd += self.rate() * factor * share(window.cwnd)

    def rate(self) -> float:
        return self.gain * (2.0 if self.mode == "fast" else 1.0)


class Gentler(Gentle):
    """A law with a base class of its own."""

    gain: float = 0.25


class Timed(ac.Law):
    """A law that reads the round-trip time of each packet, and paces."""

    def setup(self) -> None:
        self.least = math.inf

    def observe(self, ack: Ack) -> None:
        if ack.rtt > 0:
            self.least = min(self.least, ack.rtt)

    def on_ack(self, window: Window, ack: Ack) -> None:
        queued = window.cwnd * (1 - self.least / ack.rtt) if ack.rtt > 0 else 0.0
        window.cwnd += (1 if queued < 3 else -1) * ack.counted / window.cwnd
        window.pacing_rate = 1.5 * window.cwnd / self.least


class Rated(ac.Law):
    """A law that sets its window from delivery-rate samples."""

    def setup(self) -> None:
        self.best = 0.0

    def on_rate(self, window: Window, sample: Rate) -> None:
        self.best = max(self.best, sample.rate)
        window.cwnd = max(4.0, 2.0 * self.best * sample.min_rtt)
        window.pacing_rate = 1.1 * self.best
