"""Loss recovery of the round model: what a group of flows sends, and how it finds and repairs its losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from ackclock.analysis.models.rounds.law import Counts, Flags, Law, Reals

_MOST_BACKOFF: Final = 64.0
"""Largest backoff factor of the timer: ns-2 doubles it six times, and RFC 6298, section 2.5, allows a bound."""


class Senders:
    """State of the flows of one group, in packets: backlog, packets in flight and loss recovery."""

    def __init__(self, law: Law, shape: tuple[int, int], *, initial_window: float, max_window: float) -> None:
        self.law = law
        self.windows = law.windows(shape, initial_window, max_window)
        self.backlog = np.zeros(shape, np.int64)
        # Packets in flight, and lost packets that the sender has not detected; both count against the window.
        self.flight, self.holes = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        # Number of ACKs until the loss is detected, and until the ACK of the retransmission; 0 if none is awaited.
        self.to_found, self.to_end = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        # Further losses in the window of the last detected loss.
        self.others = np.zeros(shape, np.int64)
        # Flags: in fast recovery; waiting for the timeout.
        self.recovering, self.silent = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        self.since, self.backoff = np.zeros(shape), np.ones(shape)
        self.fast_retransmits, self.timeouts = np.zeros(shape[0]), np.zeros(shape[0])

    def acknowledge(self, acks: Counts, now: float, round_trip: Reals) -> Flags:
        """Process a step's ACKs, and return the flows that retransmit a packet."""
        before = self.flight
        self.flight = before - acks
        waiting = self.to_found > 0
        # ACKs after a lost packet are duplicates, until the ACK of the retransmission.
        new = np.where(waiting, np.minimum(acks, np.maximum(self.to_found - self.law.duplicates, 0)), acks)
        new[self.recovering | self.silent] = 0
        self.windows.acknowledge(new, before, round_trip)
        self.to_found = np.maximum(self.to_found - acks, 0)
        self.to_end = np.maximum(self.to_end - acks, 0)
        ended = self.recovering & (self.to_end == 0)
        # The ACK of a retransmission reveals the next loss of that window.
        again = ended & (self.others > 0) & ~self.silent
        if self.law.repairs_all:
            ended &= ~again
            self.others -= again
        else:
            self.silent |= again
            again = np.zeros_like(again)
        self.recovering &= ~ended
        found: Flags = waiting & (self.to_found == 0) & ~self.recovering & ~self.silent
        self.windows.lose(found)
        self.others = np.where(found, self.holes - 1, self.others)
        repaired: Flags = found | again
        self.holes -= repaired
        self.recovering |= found
        self.fast_retransmits += repaired.sum(axis=1)
        alive = (new > 0) | ended
        self.since[alive | repaired] = now
        self.backoff[alive] = 1
        return repaired

    def expire(self, now: float, rto: Reals) -> None:
        """Restart each flow whose timer has expired."""
        out = (self.holes > 0) & (now - self.since >= rto[:, None] * self.backoff)
        if not out.any():
            return
        self.windows.expire(out)
        self.holes[out] = self.to_found[out] = self.to_end[out] = 0
        self.recovering &= ~out
        self.silent &= ~out
        self.backoff = np.where(out, np.minimum(2 * self.backoff, _MOST_BACKOFF), self.backoff)
        self.since[out] = now
        self.timeouts += out.sum(axis=1)

    def send(self, retransmitting: Flags, now: float) -> Counts:
        """Compute the number of packets that each flow sends now."""
        free = self.windows.window.astype(np.int64) - self.flight - self.holes
        sent: Counts = np.minimum(np.maximum(free, 0), self.backlog)
        sent[self.silent] = 0
        np.maximum(sent, retransmitting, out=sent)
        self.since[(self.flight + self.holes == 0) & (sent > 0)] = now
        self.backlog -= sent
        return sent

    def lose(self, sent: Counts, lost: Counts, retransmitting: Flags) -> None:
        """Record which packets of this step are in flight and which are lost and need retransmission."""
        ahead = self.flight
        self.flight = ahead + sent - lost
        self.to_end = np.where(retransmitting, self.flight, self.to_end)
        hit = lost > 0
        if not hit.any():
            return
        self.backlog += lost
        self.holes += lost
        self.silent |= hit & retransmitting
        first = hit & (self.to_found == 0) & ~self.silent
        self.to_found = np.where(first, ahead + self.law.duplicates, self.to_found)
