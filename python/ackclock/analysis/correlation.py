"""Autocorrelation of counts per bin, and dependence between the simultaneous events of several clients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.variation import whole_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Autocorrelation", "autocorrelation", "dependence"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Autocorrelation:
    """The sample autocorrelation function.

    Parameters
    ----------
    values
        Autocorrelation at lags of 0, 1, 2, ... bins, from -1 to 1; 1 at lag 0. NaN if all counts are equal.
    standard_error
        Standard error of each value except the first, for independent counts.

    """

    values: NDArray[np.float64]
    standard_error: float


def autocorrelation(counts: ArrayLike, lags: int) -> Autocorrelation:
    """Compute the sample autocorrelation function of counts per bin.

    Parameters
    ----------
    counts
        Packets in consecutive bins of equal length, as whole numbers.
    lags
        The longest lag, in bins: from 0 to the number of counts minus 1.

    Returns
    -------
    Autocorrelation
        Values at the lags 0 to `lags`.

    Raises
    ------
    ValueError
        Counts are not whole numbers, or `lags` is negative or not below the number of counts.

    Notes
    -----
    Box and Jenkins, "Time Series Analysis: Forecasting and Control" (1970), section 2.1: with *m* the mean of *n*
    counts, the autocovariance at lag *k* is the sum of (x[t] - m)·(x[t + k] - m) divided by *n*, not by *n* - *k*
    (biased, but with a smaller error). The autocorrelation is its ratio to the autocovariance at lag 0. For white noise
    each value except the first has a standard error of about 1/√n (Bartlett 1946). Sums are exact integers.

    Examples
    --------
    >>> found = autocorrelation([1, 2, 3, 4], 3)
    >>> found.values.tolist(), found.standard_error
    ([1.0, 0.25, -0.3, -0.45], 0.5)

    """
    values = whole_counts(counts)
    size = values.size
    if not 0 <= lags < size:
        raise ValueError(f"lags: {lags} is not allowed: must be from 0 to {size - 1}, for {size} counts")
    total = int(values.sum())

    def scaled(lag: int) -> int:
        """Compute the autocovariance times the cube of the number of counts."""
        ahead, behind = values[: size - lag], values[lag:]
        ends = int(ahead.sum()) + int(behind.sum())
        return size**2 * int(ahead @ behind) - size * total * ends + (size - lag) * total**2

    variance = scaled(0)
    return Autocorrelation(
        values=np.array([scaled(lag) / variance if variance else math.nan for lag in range(lags + 1)]),
        standard_error=1 / math.sqrt(size),
    )


def dependence(events: ArrayLike) -> float:
    """Compute the ratio of the variance of the number of simultaneous events to its value for independent clients.

    Parameters
    ----------
    events
        Whether each client (row) had an event, such as a cut of its window, in each bin (column).

    Returns
    -------
    float
        The variance of the number of clients with an event, divided by the sum of the variances of the single clients.
        It is 1 on average for independent clients, the number of clients if all always have events together, and below
        1 if they take turns. NaN if each client has an event in all bins or in none.

    Raises
    ------
    ValueError
        The events do not have two dimensions.

    Notes
    -----
    The variance of a sum is the sum of all covariances (Bienaymé). If all clients have the same variance, the result
    therefore exceeds 1 by (clients - 1) times the mean correlation of two clients. Sums are exact integers.

    Examples
    --------
    >>> dependence([[True, False, False, False], [True, False, False, False]])
    2.0

    """
    cuts = np.asarray(events, dtype=np.bool_)
    if cuts.ndim != 2:
        raise ValueError(f"events: {cuts.ndim} dimensions are not allowed: must be two, clients and bins")
    return excess(cuts.sum(axis=1), cuts.sum(axis=0))


def excess(own: NDArray[np.int64], together: NDArray[np.int64]) -> float:
    """Compute `dependence` from the number of events per client and the number of clients with an event per bin."""
    bins = together.size
    # Variances times the square of the number of bins.
    spread = bins * int(together @ together) - int(together.sum()) ** 2
    alone = int((own * (bins - own)).sum())
    return spread / alone if alone else math.nan
