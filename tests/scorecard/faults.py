"""Laws with one planted fault each, and the sound law from which they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ackclock as ac

if TYPE_CHECKING:
    from ackclock._core import Ack, Congestion, Window


class Sound(ac.Law):
    """Reno: a packet more each round trip, and half of the window at a congestion."""

    gain: float = 1.0
    kept: float = 0.5

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += self.gain * ack.newly_acked / window.cwnd

    def on_congestion(self, window: Window, event: Congestion) -> None:
        self.reduce(window, event, self.kept)

    def reduce(self, window: Window, event: Congestion, kept: float) -> None:
        window.ssthresh = max(kept * event.window, 2.0)
        window.cwnd = 1.0 if event.is_timeout else window.ssthresh


class NeverReduces(Sound):
    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd = event.window


class NeverGrows(Sound):
    def on_ack(self, window: Window, ack: Ack) -> None:  # noqa: ARG002
        window.cwnd = min(window.cwnd, 10.0)


class IgnoresMarks(Sound):
    def on_congestion(self, window: Window, event: Congestion) -> None:
        self.reduce(window, event, 1.0 if event.is_mark else 0.5)


class FavoursShortPaths(Sound):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += ack.newly_acked / window.cwnd * min((0.1 / max(ack.srtt, 1e-4)) ** 3, 100.0)


class GivesUpTooMuch(Sound):
    kept: float = 0.1


class TakesFromOthers(Sound):
    gain: float = 10.0
    kept: float = 0.9


class FeedsTheRich(Sound):
    """Grows in proportion to the window, so that reductions in step keep all ratios."""

    kept: float = 0.97

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += 0.003 * ack.newly_acked


class KeepsTheQueueFull(Sound):
    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.ssthresh = window.cwnd = max(event.window - 1, 2.0)


class FearsEachLoss(Sound):
    gain: float = 0.1

    def on_congestion(self, window: Window, event: Congestion) -> None:  # noqa: ARG002
        window.ssthresh = window.cwnd = 2.0


class RemembersTheShortestPath(Sound):
    def setup(self) -> None:
        self.base = 0.0

    def observe(self, ack: Ack) -> None:
        if ack.rtt > 0:
            self.base = min(self.base or ack.rtt, ack.rtt)

    def on_ack(self, window: Window, ack: Ack) -> None:
        step = -5.0 if self.base and ack.srtt > 2 * self.base else 1.0
        window.cwnd = max(window.cwnd + step * ack.newly_acked / window.cwnd, 2.0)
