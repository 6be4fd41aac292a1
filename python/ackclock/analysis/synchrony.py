"""Synchronized losses of flows: bursts of drops at one gateway, and correlation of losses per round-trip time."""

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
"""Rounding tolerance, as a share of a bin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LossEpochs:
    """The bursts of drops at one gateway, in time order.

    Parameters
    ----------
    begin, end
        Times of the first and the last loss of each burst, in seconds.
    losses
        Number of packets lost in each burst.
    shares
        Share of all flows that lost packets in each burst, above 0 and up to 1.

    """

    begin: NDArray[np.float64]
    end: NDArray[np.float64]
    losses: NDArray[np.int64]
    shares: NDArray[np.float64]

    @property
    def count(self) -> int:
        """Number of bursts."""
        return self.losses.size

    @property
    def mean_share(self) -> float:
        """The mean of `shares`; NaN without losses."""
        return float(self.shares.mean()) if self.count else math.nan


def loss_epochs(times: ArrayLike, flows: ArrayLike, *, count: int, gap: float) -> LossEpochs:
    """Find the loss epochs of a gateway, and the share of flows that lose packets in each epoch.

    Parameters
    ----------
    times, flows
        The columns ``time`` and ``flow`` of a run's table ``drops``, in any order; either all rows or the rows in the
        measured time.
    count
        Number of flows, including flows that never lose.
    gap
        Longest time between consecutive losses of an epoch, in seconds. Use half a round-trip time, including queueing.

    Returns
    -------
    LossEpochs
        The epochs; empty without losses. If no gap is long enough, all losses form a single epoch in which nearly every
        flow loses packets: check `count` before `mean_share`.

    Raises
    ------
    ValueError
        The arrays differ in length, a time is NaN, more than ``count`` flows lost packets, or the gap is negative.

    Notes
    -----
    The loss epochs are defined by Qiu, Zhang and Keshav, "Understanding the performance of many TCP flows" (Computer
    Networks 37, 2001), section 5.1: with global synchronisation every flow loses packets in each epoch. The paper does
    not define the end of an epoch. After half a round-trip time without losses, later losses result from the senders'
    reactions to earlier losses.

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
    """Correlation between the losses of different flows, in bins of one round-trip time.

    Parameters
    ----------
    value
        Mean correlation between two flows' losses, where each flow either loses packets in a bin or does not: 1 if all
        flows always lose together, 0 if they lose independently. NaN with fewer than two flows, or if each flow loses
        in all bins or in none.
    quiet
        Share of bins in which no flow lost packets; NaN without a complete bin.
    bins
        Number of complete bins.

    """

    value: float
    quiet: float
    bins: int


def loss_correlation(
    times: ArrayLike, flows: ArrayLike, *, count: int, round_trip: float, start: float, end: float
) -> LossCorrelation:
    """Compute the mean correlation of losses between the flows of a gateway.

    Parameters
    ----------
    times, flows
        The columns ``time`` and ``flow`` of a run's table ``drops``, in any order.
    count
        Number of flows, including flows that never lose.
    round_trip
        Width of a bin in seconds: a mean round-trip time, including queueing.
    start, end
        Start and end of the measured time, in seconds; an incomplete bin at the end is omitted.

    Returns
    -------
    LossCorrelation
        The correlation, and the share of bins without losses.

    Raises
    ------
    ValueError
        The arrays differ in length, a time is NaN, more than ``count`` flows lost packets, the round-trip time is not
        above 0, or start and end are not finite or more than 100 million bins apart.

    Notes
    -----
    The value is (V / v - 1) / (n - 1) for n flows, where `V` is the variance over bins of the number of flows that
    lose, and `v` is the sum of the flows' own variances (V / v is `dependence`). If flows lose equally often, this is
    the mean correlation coefficient of all pairs. Otherwise flows that lose in more bins, up to half of them, have more
    weight, and a flow that never loses counts as uncorrelated. Counts are exact integers. The result depends on the bin
    width: compare only values with equal widths.

    Examples
    --------
    >>> loss_correlation([0.5, 0.6, 2.5, 2.6], [0, 1, 0, 1], count=2, round_trip=1, start=0, end=4)
    LossCorrelation(value=1.0, quiet=0.5, bins=4)

    """
    at, of = _losses(times, flows, count)
    if not round_trip > 0:
        raise ValueError(f"round_trip: {round_trip} is not allowed: must be above 0 s")
    if not math.isfinite(end - start) or (end - start) / round_trip > _MOST_BINS:
        allowed = f"must be finite, and at most {_MOST_BINS:,} round-trip times apart"
        raise ValueError(f"start, end: {start} and {end} are not allowed: {allowed}")
    # a ratio that rounding moved just below an integer counts as that integer
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
    """Convert losses to arrays, with the losing flows renumbered from 0."""
    at, of = np.asarray(times, dtype=np.float64).ravel(), np.asarray(flows).ravel()
    if at.size != of.size:
        raise ValueError(f"flows: {of.size} values are not allowed: must be as many as times ({at.size})")
    if np.isnan(at).any():
        raise ValueError("times: nan is not allowed: must be seconds")
    who, number = np.unique(of, return_inverse=True)
    if who.size > count or count < 1:
        raise ValueError(
            f"count: {count} is not allowed: must be above 0 and at least {who.size}, the number of flows that lost"
        )
    return at, number.ravel().astype(np.int64)
