"""The coefficient of variation of counts per bin, which measures burstiness in the homogeneous-cluster papers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Ladder", "cov", "cov_ladder", "poisson_cov"]

_EXACT: Final = 2**53
"""Integers below this are exact in floating point."""

_LEAST_BINS: Final = 10
"""Fewest bins for a standard deviation. With ten bins its relative standard error is already above 20 %."""


def cov(counts: ArrayLike) -> float:
    """Compute the coefficient of variation: population standard deviation over mean.

    Parameters
    ----------
    counts
        Packets in consecutive bins of equal length.

    Returns
    -------
    float
        The coefficient of variation, dimensionless; NaN without bins or without packets.

    Notes
    -----
    The bins are the whole population, so the variance is divided by *n*, not *n* - 1. The measure is from
    Tinnakornsrisuphap, Feng and Philp (ICDCS 2000), section 2.2, which uses bins of one round-trip propagation delay.
    Integers are summed exactly, as in the summary of a run, so equal counts give identical results in both.

    Examples
    --------
    >>> cov([8, 12])
    0.2

    """
    values = np.asarray(counts, dtype=np.float64).ravel()
    if not values.size or not values.sum() > 0:
        return math.nan
    with np.errstate(over="ignore"):
        squares = float(values @ values)
    if squares < _EXACT and (values == np.floor(values)).all():
        total = int(values.sum())
        return math.sqrt(values.size * int(squares) - total**2) / total
    return float(values.std() / values.mean())


def poisson_cov(packets_per_bin: ArrayLike) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Compute the coefficient of variation of Poisson traffic: 1 / √(mean packets per bin).

    Parameters
    ----------
    packets_per_bin
        Mean number of packets in a bin: for *n* clients of rate λ and bins of length τ, λ·τ·*n*. Above 0.

    Returns
    -------
    numpy.ndarray
        The coefficients of variation, one for each mean.

    Notes
    -----
    The variance of a Poisson count equals its mean (Tinnakornsrisuphap, Feng and Philp, ICDCS 2000, section 3.2).

    Examples
    --------
    >>> poisson_cov([10.0, 1000.0]).round(4).tolist()
    [0.3162, 0.0316]

    """
    return np.asarray(1 / np.sqrt(np.asarray(packets_per_bin, dtype=np.float64)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Ladder:
    """The coefficient of variation of the same arrivals at several time scales.

    Parameters
    ----------
    scales
        Widths of the bins, in seconds, as requested.
    bins
        Number of complete bins of each width.
    cov
        Coefficients of variation.
    poisson
        Coefficients of variation of a Poisson process with the same mean.

    """

    scales: NDArray[np.float64]
    bins: NDArray[np.int64]
    cov: NDArray[np.float64]
    poisson: NDArray[np.float64]


def cov_ladder(counts: ArrayLike, width: float, scales: Sequence[float]) -> Ladder:
    """Compute the coefficient of variation of counts summed over several bin widths.

    Parameters
    ----------
    counts
        Packets in consecutive bins of equal length, as whole numbers.
    width
        Width of these bins, in seconds.
    scales
        Bin widths to evaluate, in seconds: each an integer multiple of `width`, with at least ten complete bins.

    Returns
    -------
    Ladder
        One value per scale; NaN for both the counts and the Poisson process if the complete bins have no packets.

    Raises
    ------
    ValueError
        Counts are not whole numbers, or a scale is not a multiple of `width` or has fewer than ten complete bins.

    Notes
    -----
    Only complete bins are used; an incomplete bin at the end is omitted. Sums of counts and of squares are exact
    integers. The coefficient of variation of independent counts falls as 1/√scale, like the Poisson value. A slower
    decay indicates positive correlation, a faster decay negative correlation (Leland et al., "On the self-similar
    nature of Ethernet traffic", 1994, analyse variances in this way).

    Examples
    --------
    >>> ladder = cov_ladder([8, 12] * 10, 0.1, [0.1, 0.2])
    >>> ladder.cov.tolist(), ladder.poisson.round(3).tolist()
    ([0.2, 0.0], [0.316, 0.224])

    """
    values = whole_counts(counts)
    sums = [_sums(values, width, scale) for scale in scales]
    means = np.array([total / bins for bins, total, _ in sums])
    with np.errstate(divide="ignore", invalid="ignore"):
        poisson = np.where(means > 0, poisson_cov(means), math.nan)
    return Ladder(
        scales=np.array(scales, dtype=np.float64),
        bins=np.array([bins for bins, _, _ in sums], dtype=np.int64),
        cov=np.array(
            [math.sqrt(bins * squares - total**2) / total if total else math.nan for bins, total, squares in sums]
        ),
        poisson=poisson,
    )


def whole_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Convert counts to a one-dimensional array of signed integers, so that sums of their products are exact.

    Raises
    ------
    ValueError
        The counts are not whole numbers.

    """
    values = np.asarray(counts).ravel()
    if values.dtype.kind not in "iu":
        raise ValueError(f"counts: {values.dtype} is not allowed: must be whole numbers")
    return values.astype(np.int64)


def _sums(counts: NDArray[np.int64], width: float, scale: float) -> tuple[int, int, int]:
    """Compute the number of complete bins of a scale, the sum of their counts and the sum of the squared counts."""
    step = round(scale / width)
    bins = counts.size // step if step else 0
    if bins < _LEAST_BINS or not math.isclose(step * width, scale, rel_tol=1e-9):
        raise ValueError(
            f"scales: {scale} s is not allowed: must be a multiple of {width} s that fits {_LEAST_BINS} times "
            f"into {counts.size} bins"
        )
    summed = counts[: bins * step].reshape(bins, step).sum(axis=1)
    return bins, int(summed.sum()), int(summed @ summed)
