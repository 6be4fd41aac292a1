"""Share of predictions within a factor of the measured value, as in the test of PFTK by Qiu, Zhang and Keshav."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.models._checks import reals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]

__all__ = ["WithinFactors", "within_factors"]

_FACTORS: Final = (1.5, 2.0, 3.0, 4.0)
"""The factors of the paper's Tables 2 and 3."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WithinFactors:
    """Shares of the predictions that are within each factor of the measured value.

    Parameters
    ----------
    factors
        The factors.
    shares
        The share of predictions within each factor, from 0 to 1.
    low, high
        The ends of each share's interval.
    count
        Number of predictions.
    median_ratio
        Median of predicted over measured: 1 for unbiased predictions.
    level
        The probability with which an interval covers the true share.

    """

    factors: tuple[float, ...]
    shares: Reals
    low: Reals
    high: Reals
    count: int
    median_ratio: float
    level: float


def within_factors(
    *, measured: ArrayLike, predicted: ArrayLike, factors: Sequence[float] = _FACTORS, level: float = 0.95
) -> WithinFactors:
    """Compute the shares of predictions that are wrong by at most each given factor, in either direction.

    Parameters
    ----------
    measured, predicted
        One number per flow, above 0, in the same unit. Leave out flows with a measured value of 0, which have no ratio.
    factors
        Factors, at least 1.
    level
        Level of the intervals, between 0 and 1.

    Returns
    -------
    WithinFactors
        The share for each factor.

    Raises
    ------
    ValueError
        A number is out of its range, or the arrays are empty or of different shapes; the message names the argument.

    Notes
    -----
    Qiu, Zhang and Keshav, "Understanding the Performance of Many TCP Flows", Tables 2 and 3. The intervals are Wilson's
    score intervals (1927), which are also valid near 0 and 1. They assume independent flows. Flows of one run share a
    queue, so the intervals are too narrow if there are few runs.

    Examples
    --------
    >>> within = within_factors(measured=[10, 10, 10, 10], predicted=[12, 20, 4, 50])
    >>> within.shares.tolist(), within.low.round(2).tolist(), within.high.round(2).tolist()
    ([0.25, 0.5, 0.75, 0.75], [0.05, 0.15, 0.3, 0.3], [0.7, 0.85, 0.95, 0.95])

    """
    from scipy.stats import binomtest  # noqa: PLC0415  # slow to load

    measured, predicted = reals("measured", measured, above=0), reals("predicted", predicted, above=0)
    within = reals("factors", factors, low=1)
    reals("level", level, above=0, below=1)
    if measured.shape != predicted.shape or not measured.size:
        raise ValueError(
            f"measured, predicted: shapes {measured.shape} and {predicted.shape} are not allowed: "
            "must be equal and not empty"
        )
    ratios = (predicted / measured).ravel()
    off = np.maximum(ratios, 1 / ratios)
    counts = [int((off <= factor).sum()) for factor in within.tolist()]
    intervals = [binomtest(count, off.size).proportion_ci(level, method="wilson") for count in counts]
    return WithinFactors(
        factors=tuple(within.tolist()),
        shares=np.array(counts) / off.size,
        low=np.array([interval.low for interval in intervals]),
        high=np.array([interval.high for interval in intervals]),
        count=off.size,
        median_ratio=float(np.median(ratios)),
        level=level,
    )
