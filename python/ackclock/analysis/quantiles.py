"""Quantiles and distribution functions of samples, one a replication, with intervals over the replications."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.interval import Interval, mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["cdf_intervals", "quantile_interval"]


def quantile_interval(samples: Sequence[ArrayLike], share: float, *, level: float = 0.95) -> Interval:
    """Give the mean over replications of a quantile, with its interval.

    A quantile of one run has no interval of its own: values of a run depend on each other. Those of different seeds do
    not.

    Parameters
    ----------
    samples
        One a replication: at least one value each. What is not a number counts as infinite, as a transfer that did not
        end.
    share
        Which quantile: the smallest value with at least this share of the sample at or below it, above 0 and up to 1.
    level
        The wanted probability of covering the true mean, between 0 and 1.

    Returns
    -------
    Interval
        That of `mean_interval` over the replications' quantiles.

    Raises
    ------
    ValueError
        A sample is empty, the share is out of bounds, or a quantile is infinite.

    Examples
    --------
    >>> print(quantile_interval([[1, 2, 3, 10], [1, 2, 4, 12], [1, 3, 4, 11]], 0.75))
    3.7 ± 1.4
    """
    if not 0 < share <= 1:
        raise ValueError(f"share: {share} is not allowed; must be above 0 and up to 1")
    found = [float(np.quantile(values, share, method="inverted_cdf")) for values in map(_filled, samples)]
    if not np.isfinite(found).all():
        raise ValueError(f"share: {share} is not allowed; must be a quantile that is finite in each sample")
    return mean_interval(found, level=level)


def cdf_intervals(samples: Sequence[ArrayLike], at: ArrayLike, *, level: float = 0.95) -> list[Interval]:
    """Give the distribution function at some values: its mean over replications, with an interval at each.

    Parameters
    ----------
    samples
        One a replication: at least one value each. What is not a number counts as infinite, as a transfer that did not
        end.
    at
        Where to evaluate the function.
    level
        The wanted probability of covering the true mean at a value, between 0 and 1.

    Returns
    -------
    list of Interval
        At each value, that of `mean_interval` over the replications' shares of values at or below it. The intervals
        hold one by one, not all at once.

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
    return [mean_interval(each, level=level) for each in shares]


def _filled(sample: ArrayLike) -> NDArray[np.float64]:
    """Take a sample as numbers, the missing ones infinite."""
    values = np.ravel(np.asarray(sample, dtype=np.float64))
    if not values.size:
        raise ValueError("samples: an empty one is not allowed; must have at least one value each")
    return np.where(np.isnan(values), np.inf, values)
