"""The shared link of the round model: a first-in, first-out queue, and the return path of each flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ackclock.analysis.models.rounds.law import Counts, Reals


class Path:
    """The packets at the bottleneck in their order, and the ACKs on their way back.

    Parameters
    ----------
    replications
        Number of independent copies.
    delays
        Two-way propagation delay of each flow, in steps.
    buffer
        Capacity of the queue in packets, including the packet in service.
    service
        Packets that the link serves in a step.
    capacity
        Packets that the link serves in a second.
    parts
        Number of equal parts of a step, for each of which packets are dropped separately.

    """

    def __init__(
        self, replications: int, delays: Counts, *, buffer: int, service: float, capacity: float, parts: int
    ) -> None:
        self.flows, self.buffer, self.service, self.capacity = delays.size, buffer, service, capacity
        self.parts = parts
        # A ring with the flow of each packet. A step begins with at most `buffer` packets and accepts `service` more.
        self.order = np.zeros((replications, buffer + 2 * int(np.ceil(service)) + 2), dtype=np.int64)
        self.accepted, self.served = np.zeros(replications, dtype=np.int64), np.zeros(replications)
        # Rings of the ACKs that return in later steps, and of the time that packets wait in a step.
        self.later = int(delays.max()) + 1
        self.acks = np.zeros((self.later, replications, self.flows), dtype=np.int64)
        self.waits = np.zeros((self.later, replications))
        # Flows with the same delay are written at once.
        self.alike = [(int(delay), np.flatnonzero(delays == delay)) for delay in np.unique(delays)]
        self.step = 0

    @property
    def queue(self) -> Reals:
        """Packets at the bottleneck."""
        return self.accepted - self.served

    def returning(self) -> Counts:
        """Count the ACKs that reach each flow in this step."""
        here: Counts = self.acks[self.step % self.later]
        return here

    def waited(self, delay: int) -> Reals:
        """Return the seconds for which the packets have waited whose ACKs return now, after `delay` steps."""
        then: Reals = self.waits[(self.step - delay) % self.later]
        return then

    def offer(self, sent: Counts, random: np.random.Generator) -> Counts:
        """Queue a step's packets at random times, serve the queue, and return each flow's losses at a full buffer."""
        total = sent.sum(axis=1)
        flat, cell = self._in_order(sent, total, random)
        counts = np.bincount(cell, minlength=len(total) * self.parts).reshape(-1, self.parts)
        before = self.queue
        queue, taken, share = before, np.empty_like(counts), self.service / self.parts
        for part in range(self.parts):
            taken[:, part] = np.minimum(counts[:, part], (self.buffer + share - queue).astype(np.int64))
            queue = np.maximum(queue + taken[:, part] - share, 0)
        rows = np.repeat(np.arange(len(total)), total)
        firsts = np.cumsum(counts.ravel()) - counts.ravel()
        fits = np.arange(flat.size) - firsts[cell] < taken.ravel()[cell]
        lost = np.bincount(flat[~fits], minlength=sent.size).reshape(sent.shape)
        flat, rows = flat[fits], rows[fits]
        kept = taken.sum(axis=1)
        place = np.arange(flat.size) + np.repeat(self.accepted - np.cumsum(kept) + kept, kept)
        self.order[rows, place % self.order.shape[1]] = flat
        self.accepted += kept
        self._serve(queue)
        # A packet waits for the packets ahead of it: the mean queue of the step without the packet itself.
        self.waits[self.step % self.later] = np.maximum((before + queue) / 2 - 1, 0) / self.capacity
        self.step += 1
        return lost

    def _in_order(self, sent: Counts, total: Counts, random: np.random.Generator) -> tuple[Counts, Counts]:
        """Return the flow of each packet in order of arrival, and the number of its part and replication."""
        flat = np.repeat(np.arange(sent.size), sent.ravel())
        times = random.integers(0, 1 << 16, flat.size, dtype=np.uint16)
        # Both sorts keep the order of equals: first all packets by time, then those of each replication together.
        order = np.argsort(times, kind="stable")
        order = order[np.argsort((flat[order] // self.flows).astype(np.uint16), kind="stable")]
        rows = np.repeat(np.arange(len(total)), total)
        return flat[order], rows * self.parts + ((times[order].astype(np.int64) * self.parts) >> 16)

    def _serve(self, queue: Reals) -> None:
        first = self.served.astype(np.int64)
        self.served = self.accepted - queue
        count = self.served.astype(np.int64) - first
        rows = np.repeat(np.arange(len(count)), count)
        place = np.arange(rows.size) + np.repeat(first - np.cumsum(count) + count, count)
        whose = self.order[rows, place % self.order.shape[1]]
        left = np.bincount(whose, minlength=len(count) * self.flows).reshape(-1, self.flows)
        for delay, flows in self.alike:
            self.acks[(self.step + delay) % self.later][:, flows] = left[:, flows]
