"""How counts per bin depend on earlier ones, and how much what many do at once exceeds chance."""

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
        At lags of 0, 1, 2, ... bins; pure numbers from -1 to 1, the first one 1. NaN if all counts are equal.
    standard_error
        Of any of them but the first, were the counts independent.

    """

    values: NDArray[np.float64]
    standard_error: float


def autocorrelation(counts: ArrayLike, lags: int) -> Autocorrelation:
    """Give the sample autocorrelation function of counts per bin.

    Parameters
    ----------
    counts
        Packets in consecutive bins of equal length, as whole numbers.
    lags
        The longest lag, in bins: from 0 to one less than there are counts.

    Returns
    -------
    Autocorrelation
        At the lags 0 to `lags`.

    Raises
    ------
    ValueError
        If counts are not whole numbers, or not more than lags.

    Notes
    -----
    Box and Jenkins, "Time Series Analysis: Forecasting and Control" (1970), section 2.1: with *m* the mean of *n*
    counts, the autocovariance at lag *k* is the sum of (x[t] - m)·(x[t + k] - m) over *n*, not *n* - *k* (biased, but
    of smaller error), and it is divided by that at lag 0. Of white noise, each but the first has a standard error of
    about 1/√n (Bartlett 1946). Sums are whole numbers and exact.

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
        """Give the autocovariance times the cube of the number of counts."""
        ahead, behind = values[: size - lag], values[lag:]
        ends = int(ahead.sum()) + int(behind.sum())
        return size**2 * int(ahead @ behind) - size * total * ends + (size - lag) * total**2

    variance = scaled(0)
    return Autocorrelation(
        values=np.array([scaled(lag) / variance if variance else math.nan for lag in range(lags + 1)]),
        standard_error=1 / math.sqrt(size),
    )


def dependence(events: ArrayLike) -> float:
    """Give how much more the number of simultaneous events varies than it would if they were independent.

    Parameters
    ----------
    events
        Whether each of some clients (rows) had an event in each bin (columns), such as a cut of its window.

    Returns
    -------
    float
        The variance of the number of clients with an event, over the sum of the clients' own variances: 1 on average
        if they are independent, as many as there are clients if all always go together, below 1 if they take turns.
        NaN if no client ever changes.

    Raises
    ------
    ValueError
        If the events are not in two dimensions.

    Notes
    -----
    The variance of a sum is the sum of all covariances (Bienaymé): the excess over 1 is (clients - 1) times the mean
    correlation of two clients, were their variances equal. Sums are whole numbers and exact.

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
    """Give what `dependence` does, of the events of each client and the clients with an event in each bin."""
    bins = together.size
    # Variances times the square of the number of bins.
    spread = bins * int(together @ together) - int(together.sum()) ** 2
    alone = int((own * (bins - own)).sum())
    return spread / alone if alone else math.nan
