"""Variation of a series at each of several time scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.scaling.estimate import checked
from ackclock.analysis.variation import cov

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Burstiness", "burstiness"]

_LEAST_BINS: Final = 10
"""Fewest bins for a standard deviation, as in `cov_ladder`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Burstiness:
    """Variation at each time scale, one value per scale.

    Parameters
    ----------
    scales
        Lengths of the bins, in bins of the series: 1, 2, 4, ...
    bins
        Number of complete bins of each length, at least ten.
    cov
        Coefficient of variation of the bins' values: standard deviation over mean.
    dispersion
        Index of dispersion: variance over mean, in the unit of the series; 1 for Poisson counts at any scale.
    peak_to_mean
        Largest value over mean.
    autocorrelation
        Correlation of neighbouring bins, from -1 to 1; NaN if all are equal.

    """

    scales: NDArray[np.int64]
    bins: NDArray[np.int64]
    cov: NDArray[np.float64]
    dispersion: NDArray[np.float64]
    peak_to_mean: NDArray[np.float64]
    autocorrelation: NDArray[np.float64]


def burstiness(series: ArrayLike) -> Burstiness:
    """Compute the variation of a series at time scales of 1, 2, 4, ... bins.

    Parameters
    ----------
    series
        Amounts in consecutive bins of equal length, such as packets or bytes: at least 20 values, none negative, all
        finite, not all equal.

    Returns
    -------
    Burstiness
        One value for each scale that fits at least ten times into the series.

    Raises
    ------
    ValueError
        The series does not meet the conditions above.

    Notes
    -----
    Only complete bins are used; an incomplete bin at the end is omitted. The index of dispersion for counts is from
    Gusella, "Characterizing the variability of arrival processes with indexes of dispersion" (IEEE JSAC 9, 1991). For a
    series with a finite memory the index tends to a limit; with long-range dependence it grows as the scale to the
    power 2H - 1.

    Examples
    --------
    >>> found = burstiness([8, 12] * 10)
    >>> found.scales.tolist(), found.cov.tolist(), found.autocorrelation.round(2).tolist()
    ([1, 2], [0.2, 0.0], [-0.95, nan])

    """
    values = checked(series, 2 * _LEAST_BINS)
    if values.min() < 0:
        raise ValueError("series: must hold no negative values")
    scales = 2 ** np.arange(int(np.log2(values.size // _LEAST_BINS)) + 1)
    found = []
    for scale in scales:
        sums = values[: values.size // scale * scale].reshape(-1, scale).sum(axis=1)
        mean, variance = float(sums.mean()), float(sums.var())
        apart = sums - mean
        # Ratios are undefined for a mean of 0 and for equal bins.
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.array([variance, float(sums.max())]) / mean
            neighbours = np.divide(apart[:-1] @ apart[1:], apart @ apart)
        found.append((sums.size, cov(sums), *ratios, neighbours))
    columns = np.array(found).T
    return Burstiness(
        scales=scales,
        bins=columns[0].astype(np.int64),
        cov=columns[1],
        dispersion=columns[2],
        peak_to_mean=columns[3],
        autocorrelation=columns[4],
    )
