"""A queue discipline that loses all arrivals for a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import ackclock as ac

if TYPE_CHECKING:
    from ackclock.engine.core import QueuedPacket, WaitingQueue


class Outage(ac.Discipline):
    """First in, first out; packets that arrive from `begin` to `end`, in s, are dropped. Packets in the queue leave."""

    begin: float = 5.0
    end: float = 6.0

    def on_arrival(self, queue: WaitingQueue, packet: QueuedPacket) -> Literal["accept", "drop"]:  # noqa: ARG002  # all packets are equal
        """Drop the arrival during the outage, or if the queue is full."""
        return "drop" if queue.full or self.begin <= queue.now < self.end else "accept"
