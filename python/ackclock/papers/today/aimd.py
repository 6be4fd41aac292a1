"""A law with one parameter: additive increase, and a decrease to a given share of the window (Chiu and Jain 1989)."""

from __future__ import annotations

from ackclock.engine.core import Ack, Congestion, Window
from ackclock.laws.law import Law


class Aimd(Law):
    """Adds a packet per round trip, and keeps the share `keep` of its window on a loss: Reno with another decrease.

    Growth does not depend on `keep`, unlike that of laws that remain as fast as Reno (RFC 9438, section 4.3).
    """

    keep: float = 0.5

    def on_ack(self, window: Window, ack: Ack) -> None:
        """Grow by a packet per window of acknowledged packets."""
        window.cwnd += ack.newly_acked / window.cwnd

    def on_congestion(self, window: Window, event: Congestion) -> None:
        """Keep a share of the window."""
        window.cwnd = max(self.keep * event.window, 2.0)
