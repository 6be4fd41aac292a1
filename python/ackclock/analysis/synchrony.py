"""Flows that lose together: in bursts of drops at one gateway, and in the same round-trip times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.correlation import excess
from ackclock.analysis.losses import loss_sequences

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LossCorrelation", "LossEpochs", "loss_correlation", "loss_epochs"]


_MOST_BINS = 100_000_000
_ROUNDING = 1e-9
"""Of a bin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LossEpochs:
    """The bursts of drops at one gateway, one value for each, by time.

    Parameters
    ----------
    begin, end
        When its first and its last packet were lost, in seconds.
    losses
        How many packets it took.
    shares
        Which share of all flows lost in it, from above 0 to 1.

    """

    begin: NDArray[np.float64]
    end: NDArray[np.float64]
    losses: NDArray[np.int64]
    shares: NDArray[np.float64]

    @property
    def count(self) -> int:
        """How many there were."""
        return self.losses.size

    @property
    def mean_share(self) -> float:
        """The mean of `shares`; NaN without losses."""
        return float(self.shares.mean()) if self.count else math.nan


def loss_epochs(times: ArrayLike, flows: ArrayLike, *, count: int, gap: float) -> LossEpochs:
    """Find the loss epochs of a gateway, and the share of its flows that lose in each.

    Parameters
    ----------
    times, flows
        The columns ``time`` and ``flow`` of a run's table ``drops``, or those of its measured time; in any order.
    count
        How many flows there are, those that never lose included.
    gap
        Losses up to this many seconds after the one before them are of the same epoch: half a round-trip time, with
        the time in the queue.

    Returns
    -------
    LossEpochs
        Empty without losses. Where losses follow each other without such a gap, all are one epoch in which nearly every
        flow loses: look at `count` before `mean_share`.

    Raises
    ------
    ValueError
        If there are not as many flows as times, a time is none, more flows lost than there are, or the gap is negative.

    Notes
    -----
    The epochs of Qiu, Zhang and Keshav, "Understanding the performance of many TCP flows" (Computer Networks 37, 2001),
    section 5.1: with global synchronisation every flow loses in each. They give no rule for where one ends; after half
    a round trip without losses, what comes next is what senders made of the last ones.

    Examples
    --------
    >>> found = loss_epochs([0.0, 0.1, 0.1, 2.0], [0, 1, 1, 3], count=4, gap=0.5)
    >>> found.losses.tolist(), found.shares.tolist(), found.mean_share
    ([3, 1], [0.5, 0.25], 0.375)

    """
    at, of = _losses(times, flows, count)
    if not gap >= 0:
        raise ValueError(f"gap: {gap} is not allowed: must be 0 s or above")
    order = np.argsort(at, kind="stable")
    at, of = at[order], of[order]
    losses = loss_sequences(at, gap)
    epoch = np.repeat(np.arange(losses.size), losses)
    losing = np.bincount(np.unique(np.stack([epoch, of], axis=1), axis=0)[:, 0], minlength=losses.size)
    ends = np.cumsum(losses)
    return LossEpochs(begin=at[ends - losses], end=at[ends - 1], losses=losses, shares=losing / count)


@dataclass(frozen=True, kw_only=True, slots=True)
class LossCorrelation:
    """How far flows lose in the same round-trip times.

    Parameters
    ----------
    value
        The mean correlation between two flows of whether they lose in a bin: 1 if all always lose together, 0 if they
        lose independently. NaN with fewer than two flows, or where no flow loses in some bins only.
    quiet
        The share of bins in which nobody loses; NaN without a whole bin.
    bins
        How many whole bins there are.

    """

    value: float
    quiet: float
    bins: int


def loss_correlation(
    times: ArrayLike, flows: ArrayLike, *, count: int, round_trip: float, start: float, end: float
) -> LossCorrelation:
    """Give the mean correlation of losses between the flows of a gateway.

    Parameters
    ----------
    times, flows
        The columns ``time`` and ``flow`` of a run's table ``drops``, in any order.
    count
        How many flows there are, those that never lose included.
    round_trip
        The length of a bin in seconds: a mean round-trip time, with the time in the queue.
    start, end
        Seconds between which losses count; a part of a bin before the end is left out.

    Returns
    -------
    LossCorrelation
        The correlation, and how often nobody loses.

    Raises
    ------
    ValueError
        If there are not as many flows as times, a time is none, more flows lost than there are, the round-trip time is
        not above 0, or start and end are not finite or make more than 100 million bins.

    Notes
    -----
    With `V` the variance over bins of the number of flows that lose, and `v` the sum of the flows' own variances, it is
    (V / v - 1) / (n - 1) for n flows (V / v is `dependence`). Of flows that lose equally often that is the mean of all
    pairs' coefficients; otherwise those that lose in more bins, up to half of them, count for more, and a flow that
    never loses counts as one without correlation. Counts are whole numbers and exact. The length of a bin matters:
    compare what was measured in like bins.

    Examples
    --------
    >>> loss_correlation([0.5, 0.6, 2.5, 2.6], [0, 1, 0, 1], count=2, round_trip=1, start=0, end=4)
    LossCorrelation(value=1.0, quiet=0.5, bins=4)

    """
    at, of = _losses(times, flows, count)
    if not round_trip > 0:
        raise ValueError(f"round_trip: {round_trip} is not allowed: must be above 0 s")
    if not math.isfinite(end - start) or (end - start) / round_trip > _MOST_BINS:
        allowed = f"must be finite, and at most {_MOST_BINS:,} round_trip apart"
        raise ValueError(f"start, end: {start} and {end} are not allowed: {allowed}")
    # treat a number of bins that is whole except for rounding as whole
    bins = max(math.floor((end - start) / round_trip + _ROUNDING), 0)
    place = np.floor((at - start) / round_trip + _ROUNDING)
    there = (at >= start) & (place < bins)
    of, place = of[there], place[there].astype(np.int64)
    lost = np.unique(np.stack([of, place], axis=1), axis=0)
    together = np.bincount(lost[:, 1], minlength=bins)
    ratio = excess(np.bincount(lost[:, 0], minlength=count), together)
    return LossCorrelation(
        value=(ratio - 1) / (count - 1) if count > 1 else math.nan,
        quiet=float(np.mean(together == 0)) if bins else math.nan,
        bins=bins,
    )


def _losses(times: ArrayLike, flows: ArrayLike, count: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Take losses as arrays, the flows numbered from 0 through those that lost."""
    at, of = np.asarray(times, dtype=np.float64).ravel(), np.asarray(flows).ravel()
    if at.size != of.size:
        raise ValueError(f"flows: {of.size} of them are not allowed: must be as many as times ({at.size})")
    if np.isnan(at).any():
        raise ValueError("times: nan is not allowed: must be seconds")
    who, number = np.unique(of, return_inverse=True)
    if who.size > count or count < 1:
        raise ValueError(f"count: {count} is not allowed: must be above 0, and {who.size} flows lost")
    return at, number.ravel().astype(np.int64)
