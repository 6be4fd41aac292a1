"""A refined stochastic model of Reno, with separate losses for each client, delayed feedback and timeouts.

For the derivation, the limits and a comparison with simulation, see docs/models/stochastic_reno.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.models._checks import refuse_below, refuse_unless_positive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Flags = NDArray[np.bool_]

__all__ = ["RefinedReno", "refined_reno"]

_DUPLICATES: Final = 3
"""Number of duplicate ACKs that start a fast retransmit (RFC 5681, section 3.2)."""
_LEAST_SSTHRESH: Final = 2.0
"""Minimum slow-start threshold, in packets (RFC 5681, equation 4)."""
_MOST_BACKOFF: Final = 64.0
"""Largest backoff factor of the timer: ns-2 doubles it six times, and RFC 6298, section 2.5, allows a bound."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RefinedReno:
    """Traffic of the model at the gateway, with one value per replication.

    Parameters
    ----------
    cov
        Coefficient of variation of the packets per interval that arrive at the gateway.
    mean
        Mean packets per interval that arrive at the gateway.
    loss
        Share of the arriving packets that are dropped because the buffer is full.
    utilization
        Share of the bottleneck's capacity that is used.
    queue
        Mean packets at the bottleneck.
    fast_retransmits, timeouts
        Number per second, summed over all clients.
    poisson_cov
        Coefficient of variation of the packets that the applications generate per interval.

    """

    cov: Reals
    mean: Reals
    loss: Reals
    utilization: Reals
    queue: Reals
    fast_retransmits: Reals
    timeouts: Reals
    poisson_cov: float


def refined_reno(
    *,
    clients: int,
    rate: float,
    interval: float,
    capacity: float,
    buffer: int,
    initial_window: float = 2.0,
    max_window: float = 20.0,
    min_rto: float = 0.2,
    clock: float = 0.01,
    slots: int = 40,
    intervals: int = 400,
    warmup: int = 200,
    replications: int = 4,
    seed: int = 1,
) -> RefinedReno:
    """Run the refined model: Reno clients with Poisson traffic at a drop-tail gateway, in time slots.

    Parameters
    ----------
    clients
        Number of clients.
    rate
        Packets per second that each client's application generates.
    interval
        Round-trip propagation delay, in seconds; also the width of the counting intervals.
    capacity
        Capacity of the bottleneck, packets per second.
    buffer
        Capacity of the bottleneck's queue in packets, including the packet in service.
    initial_window
        Initial congestion window of every client, in packets; clients begin in slow start.
    max_window
        Advertised window, in packets; also the initial slow-start threshold.
    min_rto
        Minimum retransmission timeout, in seconds.
    clock
        Granularity of the clients' clocks, in seconds.
    slots
        Number of slots per propagation delay. A slot should be short compared with the time in which the buffer drains.
    intervals
        Number of measured intervals.
    warmup
        Number of intervals before the measurement.
    replications
        Number of independent repetitions.
    seed
        Random seed.

    Returns
    -------
    RefinedReno
        The results of each replication.

    Raises
    ------
    ValueError
        A number is out of its range; the message names the argument.

    Notes
    -----
    No parameter is fitted. Windows follow RFC 5681 and ns-2's Reno, where a second loss in a window leads to a timeout.
    The timer follows RFC 6298.

    Examples
    --------
    >>> few = refined_reno(
    ...     clients=5, rate=100, interval=0.1, capacity=50e6 / 12000, buffer=50, warmup=20, intervals=20, replications=2
    ... )
    >>> few.loss.tolist(), bool(abs(few.mean.mean() - 50) < 5)
    ([0.0, 0.0], True)

    """
    refuse_below(1, clients=clients, buffer=buffer, slots=slots, intervals=intervals, replications=replications)
    refuse_below(1, initial_window=initial_window, max_window=max_window)
    refuse_below(0, warmup=warmup, min_rto=min_rto, clock=clock, seed=seed)
    refuse_unless_positive(rate=rate, interval=interval, capacity=capacity)

    random = np.random.default_rng(seed)
    slot = interval / slots
    path = _Path((replications, clients), buffer=buffer, service=capacity * slot, slots=slots)
    senders = _Senders((replications, clients), initial_window=initial_window, max_window=max_window)
    timer = _Timer(interval, slots=slots, least=min_rto, clock=clock)
    arrivals, losses, queue = (np.empty((intervals * slots, replications)) for _ in range(3))
    for step in range(-warmup * slots, intervals * slots):
        if step == 0:
            senders.fast_retransmits[:] = senders.timeouts[:] = path.begun[:] = 0
        now = step * slot
        senders.backlog += random.poisson(rate * slot, senders.backlog.shape)
        rto = timer.update(interval + path.queue / capacity)
        retransmitting = senders.acknowledge(path.returning(), now)
        senders.expire(now, rto)
        sent = senders.send(retransmitting, now)
        lost = path.offer(sent, random)
        senders.lose(sent, lost, retransmitting)
        if step >= 0:
            arrivals[step], losses[step], queue[step] = sent.sum(axis=1), lost.sum(axis=1), path.queue
    counts = arrivals.reshape(intervals, slots, replications).sum(axis=1)
    mean, length = counts.mean(axis=0), intervals * interval
    return RefinedReno(
        cov=counts.std(axis=0) / mean,
        mean=mean,
        loss=losses.sum(axis=0) / arrivals.sum(axis=0),
        utilization=path.begun / (length * capacity),
        queue=queue.mean(axis=0),
        fast_retransmits=senders.fast_retransmits / length,
        timeouts=senders.timeouts / length,
        poisson_cov=float((clients * rate * interval) ** -0.5),
    )


class _Path:
    """The bottleneck and the return path: the sequence of accepted packets, with three positions in it.

    Packets before `acknowledged` have been acknowledged, packets before `served` have left the queue, and packets
    before `accepted` have entered it. `acknowledged` is the value of `served` one propagation delay ago.
    """

    def __init__(self, shape: tuple[int, int], *, buffer: int, service: float, slots: int) -> None:
        replications, self.clients = shape
        self.buffer, self.service = buffer, service
        self.most = int(np.ceil(service)) + 1
        # A ring, longer than the largest possible distance between `acknowledged` and `accepted`.
        self.order = np.zeros((replications, buffer + (slots + 3) * self.most), dtype=np.int64)
        self.accepted, self.acknowledged = np.zeros(replications, np.int64), np.zeros(replications, np.int64)
        self.served, self.begun = np.zeros(replications), np.zeros(replications)
        self.past = np.zeros((slots, replications), dtype=np.int64)
        self.slot = 0

    @property
    def queue(self) -> Reals:
        """Packets at the bottleneck."""
        return self.accepted - self.served

    def returning(self) -> Counts:
        """Count the ACKs that reach each client in this slot."""
        upto = self.past[self.slot].copy()
        places = self.acknowledged[:, None] + np.arange(self.most)
        rows, columns = np.nonzero(places < upto[:, None])
        whose = self.order[rows, places[rows, columns] % self.order.shape[1]]
        self.acknowledged = upto
        return self._per_client(rows, whose)

    def offer(self, sent: Counts, random: np.random.Generator) -> Counts:
        """Queue a slot's packets in random order, serve the queue, and return each client's losses at a full buffer."""
        total = sent.sum(axis=1)
        room = np.floor(self.buffer + self.service - self.queue).astype(np.int64)
        flat = np.repeat(np.arange(sent.size), sent.ravel())
        flat = flat[np.argsort(flat // self.clients + random.random(flat.size))]
        rows, whose = flat // self.clients, flat % self.clients
        place = np.arange(flat.size) - np.repeat(np.cumsum(total) - total, total)
        fits = place < room[rows]
        self.order[rows[fits], (self.accepted[rows] + place)[fits] % self.order.shape[1]] = whose[fits]
        self.accepted += np.minimum(total, room)
        before, self.served = self.served, np.minimum(self.served + self.service, self.accepted)
        self.begun += self.served - before
        self.past[self.slot] = self.served
        self.slot = (self.slot + 1) % len(self.past)
        return self._per_client(rows[~fits], whose[~fits])

    def _per_client(self, rows: Counts, whose: Counts) -> Counts:
        size = self.accepted.size * self.clients
        return np.bincount(rows * self.clients + whose, minlength=size).reshape(-1, self.clients)


class _Timer:
    """Timer of RFC 6298, section 2: one estimate for all clients, which share the queue; one sample per round trip."""

    def __init__(self, delay: float, *, slots: int, least: float, clock: float) -> None:
        self.srtt: Reals | float = delay
        self.rttvar: Reals | float = delay / 2
        self.slots, self.least, self.clock = slots, least, clock

    def update(self, round_trip: Reals) -> Reals:
        """Add the round-trip time of a slot, and return the timeout in seconds."""
        error = round_trip - self.srtt
        self.srtt = self.srtt + error / 8 / self.slots
        self.rttvar = self.rttvar + (np.abs(error) - self.rttvar) / 4 / self.slots
        return np.maximum(self.least, self.srtt + np.maximum(self.clock, 4 * self.rttvar))


class _Senders:
    """Reno state of every client, in packets: windows, packets in flight and loss recovery."""

    def __init__(self, shape: tuple[int, int], *, initial_window: float, max_window: float) -> None:
        self.widest = max_window
        self.window = np.full(shape, min(initial_window, max_window))
        self.ssthresh = np.full(shape, max_window)
        self.backlog = np.zeros(shape, np.int64)
        # Packets in flight, and lost packets that the sender has not detected; both count against the window.
        self.flight, self.holes = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        # Number of ACKs until the third duplicate, and until the ACK of the retransmission; 0 if none is awaited.
        self.to_third, self.to_end = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        # Flags: in fast recovery; with a second loss in that window; waiting for the timeout.
        self.recovering, self.doomed, self.silent = (np.zeros(shape, np.bool_) for _ in range(3))
        self.since, self.backoff = np.zeros(shape), np.ones(shape)
        self.fast_retransmits, self.timeouts = np.zeros(shape[0]), np.zeros(shape[0])

    def acknowledge(self, acks: Counts, now: float) -> Flags:
        """Process a slot's ACKs, and return the clients that start a fast retransmit."""
        self.flight -= acks
        waiting = self.to_third > 0
        # ACKs after a lost packet are duplicates, until the ACK of the retransmission.
        new = np.where(waiting, np.minimum(acks, np.maximum(self.to_third - _DUPLICATES, 0)), acks)
        new[self.recovering | self.silent] = 0
        growth = np.where(self.window < self.ssthresh, new, new / self.window)
        self.window = np.minimum(self.window + growth, self.widest)
        self.to_third = np.maximum(self.to_third - acks, 0)
        self.to_end = np.maximum(self.to_end - acks, 0)
        ended = self.recovering & (self.to_end == 0)
        self.recovering &= ~ended
        self.silent |= ended & self.doomed
        third: Flags = waiting & (self.to_third == 0) & ~self.recovering & ~self.silent
        self._halve(third)
        self.window = np.where(third, self.ssthresh, self.window)
        self.doomed = np.where(third, self.holes > 1, self.doomed)
        self.holes -= third
        self.recovering |= third
        self.fast_retransmits += third.sum(axis=1)
        alive = (new > 0) | ended
        self.since[alive | third] = now
        self.backoff[alive] = 1
        return third

    def expire(self, now: float, rto: Reals) -> None:
        """Restart each client whose timer has expired, with a window of one packet."""
        out = (self.holes > 0) & (now - self.since >= rto[:, None] * self.backoff)
        self._halve(out)
        self.window[out] = 1
        self.holes[out] = self.to_third[out] = self.to_end[out] = 0
        self.recovering &= ~out
        self.silent &= ~out
        self.backoff = np.where(out, np.minimum(2 * self.backoff, _MOST_BACKOFF), self.backoff)
        self.since[out] = now
        self.timeouts += out.sum(axis=1)

    def send(self, retransmitting: Flags, now: float) -> Counts:
        """Compute the number of packets that each client sends now."""
        free = np.floor(self.window).astype(np.int64) - self.flight - self.holes
        sent: Counts = np.clip(free, 0, self.backlog)
        sent[self.silent] = 0
        np.maximum(sent, retransmitting, out=sent)
        self.since[(self.flight + self.holes == 0) & (sent > 0)] = now
        self.backlog -= sent
        return sent

    def lose(self, sent: Counts, lost: Counts, retransmitting: Flags) -> None:
        """Record which packets of this slot are in flight and which are lost and need retransmission."""
        ahead = self.flight.copy()
        self.flight += sent - lost
        self.to_end = np.where(retransmitting, self.flight, self.to_end)
        if not lost.any():
            return
        self.backlog += lost
        self.holes += lost
        hit = lost > 0
        self.silent |= hit & retransmitting
        first = hit & (self.to_third == 0) & ~self.silent
        self.to_third = np.where(first, ahead + _DUPLICATES, self.to_third)

    def _halve(self, which: Flags) -> None:
        self.ssthresh = np.where(which, np.maximum(self.window / 2, _LEAST_SSTHRESH), self.ssthresh)
