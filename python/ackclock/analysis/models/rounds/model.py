"""Runs the round model: groups of flows, each with its law, at one bottleneck.

For the rules, the limits and a comparison with simulation, see docs/models/rounds.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.models._checks import refuse_below, refuse_unless_positive
from ackclock.analysis.models.rounds.path import Path
from ackclock.analysis.models.rounds.senders import Senders
from ackclock.analysis.models.rounds.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis.models.rounds.law import Counts, Flags, Law, Reals

_ENDLESS: Final = 1 << 40
"""Backlog of a greedy flow, in packets."""
_PARTS: Final = 4
"""Parts of a step for each time that the link can fill the buffer in it. This constant is fitted to simulations of
every second network of validation/rounds.py, and judged on the others."""
_MOST_PARTS: Final = 32
_MOST_PACKETS: Final = 2_000_000
"""Packets in the windows and queues of all replications, which bound memory and time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Streams:
    """A group of equal flows.

    Parameters
    ----------
    law
        Congestion control of the flows.
    count
        Number of flows.
    rate
        Packets per second that each flow's application generates, at random times; infinite for greedy flows.
    delay
        Two-way propagation delay, in seconds.
    start
        Time at which the flows begin, in seconds.
    initial_window
        Initial congestion window, in packets; flows begin in slow start.
    max_window
        Advertised window, in packets; also the initial slow-start threshold.

    """

    law: Law
    count: int = 1
    rate: float = math.inf
    delay: float = 0.1
    start: float = 0.0
    initial_window: float = 2.0
    max_window: float = 20.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        refuse_below(1, count=self.count, initial_window=self.initial_window, max_window=self.max_window)
        refuse_below(0, start=self.start)
        refuse_unless_positive(delay=self.delay)
        if self.rate != math.inf:
            refuse_unless_positive(rate=self.rate)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rounds:
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
        Number per second, summed over all flows.
    shares
        Share of each group in the packets that the link carries; a row per replication.

    """

    cov: Reals
    mean: Reals
    loss: Reals
    utilization: Reals
    queue: Reals
    fast_retransmits: Reals
    timeouts: Reals
    shares: Reals


def rounds(
    streams: Sequence[Streams],
    *,
    capacity: float,
    buffer: int,
    min_rto: float = 0.2,
    clock: float = 0.01,
    steps: int = 1,
    intervals: int = 2000,
    warmup: int = 200,
    replications: int = 20,
    seed: int = 1,
) -> Rounds:
    """Run the round model: groups of flows at a drop-tail gateway, in steps of one round trip.

    Parameters
    ----------
    streams
        The groups of flows. An interval is the shortest of their delays.
    capacity
        Capacity of the bottleneck, packets per second.
    buffer
        Capacity of the bottleneck's queue in packets, including the packet in service.
    min_rto
        Minimum retransmission timeout, in seconds.
    clock
        Granularity of the senders' clocks, in seconds.
    steps
        Number of steps per interval. All delays are rounded to whole steps.
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
    Rounds
        The results of each replication.

    Raises
    ------
    ValueError
        A number is out of its range; the message names the argument.

    Examples
    --------
    >>> from ackclock.analysis.models import Reno
    >>> few = rounds(
    ...     [Streams(law=Reno(), count=5, rate=100)],
    ...     capacity=50e6 / 12000,
    ...     buffer=50,
    ...     warmup=20,
    ...     intervals=20,
    ...     replications=2,
    ... )
    >>> few.loss.tolist(), bool(abs(few.mean.mean() - 50) < 5)
    ([0.0, 0.0], True)

    """
    refuse_below(1, streams=len(streams), buffer=buffer, steps=steps, intervals=intervals, replications=replications)
    refuse_below(0, warmup=warmup, min_rto=min_rto, clock=clock, seed=seed)
    refuse_unless_positive(capacity=capacity)
    interval = min(group.delay for group in streams)
    step = interval / steps
    service, flows = capacity * step, sum(group.count for group in streams)
    windows = sum(group.count * group.max_window for group in streams)
    delays = [max(1, round(group.delay / step)) for group in streams]
    _refuse_more(replications, windows=windows, capacity=service, buffer=buffer, delay=flows * max(delays))

    random = np.random.default_rng(seed)
    path = Path(
        replications,
        np.repeat(delays, [group.count for group in streams]),
        buffer=buffer,
        service=service,
        capacity=capacity,
        parts=min(max(1, round(_PARTS * service / buffer)), _MOST_PARTS),
    )
    parts, first = [], 0
    for group, delay in zip(streams, delays, strict=True):
        timer = Timer(group.delay, steps=delay, least=min_rto, clock=clock)
        parts.append(_Part(group, replications, first, step=step, timer=timer))
        first += group.count
    sent, retransmitting = np.zeros((replications, flows), np.int64), np.zeros((replications, flows), np.bool_)
    arrivals, losses, queue = (np.empty((intervals * steps, replications)) for _ in range(3))
    carried, before = np.zeros((replications, flows)), path.served
    for number in range(-warmup * steps, intervals * steps):
        if number == 0:
            before = path.served
            for part in parts:
                part.senders.fast_retransmits[:] = part.senders.timeouts[:] = 0
        acks, now = path.returning(), (number + warmup * steps) * step
        for part in parts:
            retransmitting[:, part.where], sent[:, part.where] = part.send(acks[:, part.where], now, path, random)
        lost = path.offer(sent, random)
        for part in parts:
            part.senders.lose(sent[:, part.where], lost[:, part.where], retransmitting[:, part.where])
        if number >= 0:
            arrivals[number], losses[number], queue[number] = sent.sum(axis=1), lost.sum(axis=1), path.queue
            carried += sent - lost
    counts = arrivals.reshape(intervals, steps, replications).sum(axis=1)
    mean, length = counts.mean(axis=0), intervals * interval
    shares = np.stack([carried[:, part.where].sum(axis=1) for part in parts], axis=1)
    some = np.maximum(arrivals.sum(axis=0), 1)
    return Rounds(
        cov=counts.std(axis=0) / np.where(mean > 0, mean, 1),
        mean=mean,
        loss=losses.sum(axis=0) / some,
        utilization=(path.served - before) / (length * capacity),
        queue=queue.mean(axis=0),
        fast_retransmits=np.sum([part.senders.fast_retransmits for part in parts], axis=0) / length,
        timeouts=np.sum([part.senders.timeouts for part in parts], axis=0) / length,
        shares=shares / np.maximum(shares.sum(axis=1, keepdims=True), 1),
    )


class _Part:
    """A group in a run: its senders, its timer, its sources, and the columns of its flows."""

    def __init__(self, group: Streams, replications: int, first: int, *, step: float, timer: Timer) -> None:
        self.group, self.timer, self.delay = group, timer, timer.steps
        self.where = slice(first, first + group.count)
        shape = (replications, group.count)
        self.senders = Senders(group.law, shape, initial_window=group.initial_window, max_window=group.max_window)
        self.arrivals = None if group.rate == math.inf else _poisson(group.rate * step)
        if self.arrivals is None:
            self.senders.backlog += _ENDLESS

    def send(self, acks: Counts, now: float, path: Path, random: np.random.Generator) -> tuple[Flags, Counts]:
        """Process a step's ACKs, and return which flows retransmit and how many packets each flow sends."""
        senders = self.senders
        if now < self.group.start:
            return np.zeros(acks.shape, np.bool_), np.zeros_like(acks)
        if self.arrivals is not None:
            senders.backlog += np.searchsorted(self.arrivals, random.random(acks.shape))
        retransmitting = senders.acknowledge(acks, now, self.group.delay + path.waited(self.delay))
        senders.expire(now, self.timer.update(self.group.delay + path.queue / path.capacity))
        return retransmitting, senders.send(retransmitting, now)


def _poisson(mean: float) -> Reals:
    """Return the distribution function of a Poisson number at 0, 1, ..., in which uniform numbers are looked up."""
    from scipy.special import pdtr  # noqa: PLC0415  # slow to load

    if mean > _MOST_PACKETS:
        raise ValueError(f"rate: {mean:g} packets per step are not allowed: must be at most {_MOST_PACKETS}")
    return np.asarray(pdtr(np.arange(int(mean + 12 * math.sqrt(mean) + 20)), mean))


def _refuse_more(replications: int, **packets: float) -> None:
    if replications > 1000:  # the sort of packets uses 16 bits
        raise ValueError(f"replications: {replications} is not allowed: must be at most 1000")
    for name, number in packets.items():
        if number * replications > _MOST_PACKETS:
            raise ValueError(
                f"{name}: {number:g} packets per round trip and {replications} replications are not allowed: "
                f"their product must be at most {_MOST_PACKETS}"
            )
