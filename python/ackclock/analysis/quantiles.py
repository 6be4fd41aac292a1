"""Quantiles and distribution functions of samples, with intervals over replications."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.interval import Interval, mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["cdf_intervals", "quantile_interval"]


def quantile_interval(samples: Sequence[ArrayLike], share: float, *, level: float = 0.95) -> Interval:
    """Compute the mean of a quantile over replications, with its interval.

    A quantile of a single run has no interval, since the values of a run depend on each other. Runs with different
    seeds are independent.

    Parameters
    ----------
    samples
        One sample per replication, with at least one value each. NaN counts as infinite, for example the duration of a
        transfer that did not end.
    share
        Level of the quantile, above 0 and up to 1. The quantile is the smallest value with at least this share of the
        sample at or below it.
    level
        Probability that the interval covers the true mean, between 0 and 1.

    Returns
    -------
    Interval
        `mean_interval` of the replications' quantiles.

    Raises
    ------
    ValueError
        A sample is empty, the share is out of bounds, or a quantile is infinite, since too many values of a sample are
        missing or infinite: the message says how many, and up to which share all samples have a quantile.

    Examples
    --------
    >>> print(quantile_interval([[1, 2, 3, 10], [1, 2, 4, 12], [1, 3, 4, 11]], 0.75))
    3.7 ± 1.4
    """
    if not 0 < share <= 1:
        raise ValueError(f"share: {share} is not allowed; must be above 0 and up to 1")
    filled = [_filled(values) for values in samples]
    found = [float(np.quantile(values, share, method="inverted_cdf")) for values in filled]
    if not np.isfinite(found).all():
        raise ValueError(f"share: {share} is not allowed; {_unknown(filled)}")
    return mean_interval(found, level=level)


def _unknown(samples: Sequence[NDArray[np.float64]]) -> str:
    """Say which sample lacks most values, and up to which share all samples have a quantile."""
    counts = [(int(np.count_nonzero(~np.isfinite(values))), values.size) for values in samples]
    place, (missing, size) = max(enumerate(counts), key=lambda each: each[1][0] / each[1][1])
    return (
        f"sample {place} has no finite value for {missing} of {size}, such as transfers that did not end: "
        f"must be at most {1 - missing / size:.4g}"
    )


def cdf_intervals(samples: Sequence[ArrayLike], at: ArrayLike, *, level: float = 0.95) -> list[Interval]:
    """Compute the distribution function at some values: the mean over replications, with an interval for each value.

    Parameters
    ----------
    samples
        One sample per replication, with at least one value each. NaN counts as infinite, for example the duration of a
        transfer that did not end.
    at
        Values at which to evaluate the distribution function.
    level
        Probability that each interval covers the true mean, between 0 and 1.

    Returns
    -------
    list of Interval
        One interval for each value in `at`: `mean_interval` of the share of each replication's sample that is at or
        below the value, within 0 and 1, between which a share lies. The level applies to each interval, not to all of
        them together.

    Raises
    ------
    ValueError
        A sample is empty.

    Examples
    --------
    >>> [round(each.mean, 2) for each in cdf_intervals([[1, 2, 3, 10], [1, 2, 4, 12]], [0.5, 3, 20])]
    [0.0, 0.62, 1.0]
    """
    ordered = [np.sort(values) for values in map(_filled, samples)]
    shares = [
        [np.searchsorted(values, value, side="right") / values.size for values in ordered] for value in np.ravel(at)
    ]
    return [_within_bounds(mean_interval(each, level=level)) for each in shares]


def _within_bounds(found: Interval) -> Interval:
    """Leave out the part of a share's interval below 0 and above 1, which cannot contain the true share."""
    low, high = max(found.low, 0.0), min(found.high, 1.0)
    if found.count == 1 or (low, high) == (found.low, found.high):
        return found
    return replace(found, half_width=(high - low) / 2, shift=(low + high) / 2 - found.mean)


def _filled(sample: ArrayLike) -> NDArray[np.float64]:
    """Convert a sample to numbers, with infinity for missing values."""
    values = np.ravel(np.asarray(sample, dtype=np.float64))
    if not values.size:
        raise ValueError("samples: an empty sample is not allowed; must have at least one value each")
    return np.where(np.isnan(values), np.inf, values)
