"""The Hurst parameter from wavelets: the estimator of Abry and Veitch, with scales chosen by a goodness-of-fit test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import scipy

from ackclock.analysis.scaling.estimate import NORMAL_95, ONSET, ROUNDING, Diagram, HurstEstimate, checked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["abry_veitch"]

SMOOTH: Final = (
    0.03522629188570953,
    -0.08544127388202666,
    -0.13501102001025458,
    0.45987750211849154,
    0.8068915093110925,
    0.33267055295008263,
)
"""Low-pass filter of the wavelet of Daubechies with three vanishing moments (Ten Lectures on Wavelets, table 6.1):
polynomial trends up to degree 2 have no effect."""
_DETAIL: Final = tuple((-1) ** (place + 1) * value for place, value in enumerate(reversed(SMOOTH)))

_FINEST_OCTAVE: Final = 3
"""Counts per bin are not samples of a continuous signal, so the line bends at the two finest octaves."""

_FEWEST_COEFFICIENTS: Final = 16
_FEWEST_OCTAVES: Final = 3
"""Fewest octaves of a fit, since a line always fits two points."""

LEVEL: Final = 0.01
"""Significance level of the test that rejects a line."""

LEAST: Final = 636
"""Fewest values that give enough coefficients in three octaves."""


class _Line(NamedTuple):
    slope: float
    intercept: float
    error: float
    fit: float


def abry_veitch(series: ArrayLike) -> HurstEstimate:
    """Estimate the Hurst parameter from the energies of wavelet coefficients.

    Parameters
    ----------
    series
        Values at equally spaced times: at least 636, all finite, not all equal.

    Returns
    -------
    HurstEstimate
        The estimate with the log-scale diagram and the scales of the fit.

    Raises
    ------
    ValueError
        The series does not meet the conditions above, or no line fits three of its octaves.

    Notes
    -----
    Veitch and Abry, "A wavelet-based joint estimator of the parameters of long-range dependence" (IEEE Trans.
    Information Theory 45, 1999): the logarithm to base 2 of the mean squared detail of octave *j*, minus its bias
    ψ(n/2)/ln 2 - log2(n/2) for *n* coefficients, has the variance ζ(2, n/2)/ln² 2 (section III). The slope of these
    logarithms against *j*, weighted by the inverse variances, is 2H - 1. The wavelets are Daubechies' with three
    vanishing moments. Coefficients that depend on the ends of the series and octaves with fewer than 16 coefficients
    are omitted. This variance is valid for normal coefficients. If the squared coefficients vary more, as in the
    traffic of a few sources, the variance is increased by the same factor.

    The line begins at the finest octave for which a χ² test of the residuals does not reject the line at the 1 % level
    (after Veitch, Abry and Taqqu, "On the automatic selection of the onset of scaling", Fractals 11, 2003), but not
    below n^0.3 bins and not at the two finest octaves.

    Examples
    --------
    >>> from ackclock.analysis import fractional_gaussian_noise
    >>> found = abry_veitch(fractional_gaussian_noise(16384, hurst=0.8, seed=1))
    >>> found.low < 0.8 < found.high, found.scales
    (True, (16.0, 512.0))

    """
    values = checked(series, LEAST)
    octaves, energies, errors, _ = log_scale_diagram(values)
    finest = max(_FINEST_OCTAVE, round(math.log2(values.size**ONSET)))
    for first in range(finest - 1, octaves.size - _FEWEST_OCTAVES + 1):
        chosen = slice(first, None)
        line = _line(octaves[chosen], energies[chosen], errors[chosen])
        if line.fit >= LEVEL:
            break
    else:
        raise ValueError("series: no line fits three octaves of its log-scale diagram")
    h = (1 + line.slope) / 2
    reach = NORMAL_95 * line.error / 2
    fitted = np.where(octaves >= octaves[first], line.intercept + line.slope * octaves, math.nan)
    scales = 2.0**octaves
    return HurstEstimate(
        method="abry_veitch",
        h=h,
        low=h - reach,
        high=h + reach,
        scales=(float(scales[first]), float(scales[-1])),
        diagram=Diagram(scales=scales, values=2**energies, errors=errors, fitted=2**fitted),
    )


class LogScale(NamedTuple):
    """The log-scale diagram, one value for each octave."""

    octaves: NDArray[np.float64]
    """Octaves 1, 2, 3, ...: their coefficients cover 2, 4, 8, ... bins."""
    energies: NDArray[np.float64]
    """Base-2 logarithms of the mean squared coefficients, corrected for bias."""
    errors: NDArray[np.float64]
    """Standard errors of `energies`."""
    excess: NDArray[np.float64]
    """Variance of the squared coefficients relative to normal coefficients, at least 1."""


def log_scale_diagram(values: NDArray[np.float64]) -> LogScale:
    """Compute the log-scale diagram of a series with at least one octave of enough coefficients."""
    smooth, found = values - values.mean(), []
    while True:
        smooth, detail = halved(smooth)
        if detail.size < _FEWEST_COEFFICIENTS:
            break
        squares = detail**2
        found.append((detail.size, float(squares.mean()), float(squares.var())))
    sizes, energies, variances = (np.array(column, dtype=np.float64) for column in zip(*found, strict=True))
    if energies.min() <= ROUNDING * values.var():
        raise ValueError("series: it does not vary at some time scale, so no power law fits")
    logs = np.log2(energies) - scipy.special.digamma(sizes / 2) / math.log(2) + np.log2(sizes / 2)
    normal = scipy.special.zeta(2, sizes / 2)
    excess = np.maximum(variances / energies**2 / sizes / normal, 1)
    return LogScale(np.arange(1.0, sizes.size + 1), logs, np.sqrt(normal * excess) / math.log(2), excess)


def halved(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smooth part and the detail of the next octave, without coefficients that reach beyond an end."""
    taps = len(SMOOTH)
    size = max(values.size // 2 - taps // 2 + 1, 0)
    smooth, detail = np.zeros(size), np.zeros(size)
    # One tap after the other, so that each sum has the same order, and thus the same bits, on all systems.
    for place, (low, high) in enumerate(zip(SMOOTH, _DETAIL, strict=True)):
        part = values[taps - 1 - place :: 2][:size]
        smooth += low * part
        detail += high * part
    return smooth, detail


def _line(x: NDArray[np.float64], y: NDArray[np.float64], errors: NDArray[np.float64]) -> _Line:
    """Fit a line by weighted least squares; `fit` is the p-value of the χ² test."""
    (slope, intercept), covariance = np.polyfit(x, y, 1, w=1 / errors, cov="unscaled")
    squares = float(np.sum(((y - intercept - slope * x) / errors) ** 2))
    return _Line(
        float(slope), float(intercept), math.sqrt(covariance[0, 0]), float(scipy.special.chdtrc(x.size - 2, squares))
    )
