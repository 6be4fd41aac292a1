"""The Hurst parameter from autocorrelations: the optimisation method of Kettani and Gubner."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy

from ackclock.analysis.scaling.estimate import NORMAL_95, HurstEstimate, checked
from ackclock.analysis.scaling.noise import fgn_autocorrelation
from ackclock.analysis.scaling.spread import inverted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["kettani_gubner", "kettani_gubner_k1"]

_LAGS: Final = 50
_LEAST_FOR_ONE: Final = 32
_LOWEST, _HIGHEST = 0.01, 0.999
_STEP: Final = 1e-4
_TRUTHS: Final = np.linspace(_LOWEST, _HIGHEST, 40)
_LONGEST: Final = 2**16


def kettani_gubner_k1(series: ArrayLike) -> HurstEstimate:
    """Estimate the Hurst parameter from the autocorrelation at lag 1.

    Parameters
    ----------
    series
        Values at equally spaced times: at least 32, all finite, not all equal.

    Returns
    -------
    HurstEstimate
        The estimate, valid only if the series is fractional Gaussian noise. The method does not test this.

    Raises
    ------
    ValueError
        The series does not meet the conditions above, or its lag-1 autocorrelation is -0.5 or less, which is impossible
        for fractional Gaussian noise.

    Notes
    -----
    Kettani and Gubner, "A novel approach to the estimation of the Hurst parameter in self-similar traffic" (IEEE LCN
    2002): fractional Gaussian noise has the lag-1 autocorrelation r = 2^(2H - 1) - 1. The estimate is H = (1 + log2(1 +
    r)) / 2 with the sample autocorrelation *r*. The interval is computed as in `kettani_gubner`.

    Examples
    --------
    >>> from ackclock.analysis import fractional_gaussian_noise
    >>> found = kettani_gubner_k1(fractional_gaussian_noise(16384, hurst=0.8, seed=1))
    >>> found.low < 0.8 < found.high
    True

    """
    values = checked(series, _LEAST_FOR_ONE)
    first = float(_autocorrelation(values, 1)[0])
    if first <= -0.5:
        raise ValueError(f"series: a lag-1 autocorrelation of {first:.2f} is not allowed: must be above -0.5")
    return _estimate("kettani_gubner_k1", min((1 + math.log2(1 + first)) / 2, _HIGHEST), values.size, lags=1)


def kettani_gubner(series: ArrayLike, *, lags: int = _LAGS) -> HurstEstimate:
    """Estimate the Hurst parameter by a least-squares fit of the autocorrelation.

    Parameters
    ----------
    series
        Values at equally spaced times: at least four times the lags, all finite, not all equal.
    lags
        Number of autocorrelations to compare, at least 1.

    Returns
    -------
    HurstEstimate
        The estimate, valid only if the series is fractional Gaussian noise at all scales from one bin.

    Raises
    ------
    ValueError
        The series does not meet the conditions above.

    Notes
    -----
    Kettani and Gubner (IEEE LCN 2002): the estimate minimises the sum of (r(k) - R(k))² over the lags *k*, where *r* is
    the sample's autocorrelation and *R* is `fgn_autocorrelation`. Salleh and Abu Bakar use this method.

    Subtracting the sample's mean lowers *r* to about (R - v) / (1 - v), where v = n^(2H - 2) is the variance of the
    mean. The estimate is therefore too low for a large H, and more so with more lags. Its standard error is computed to
    first order from the errors of *r* (Bartlett's formula; Box and Jenkins 1970, section 2.1.6). Beyond 65,536 values
    it is extrapolated at its asymptotic rate, n^(2H - 2) or 1/√n, whichever is slower.

    Examples
    --------
    >>> from ackclock.analysis import fractional_gaussian_noise
    >>> found = kettani_gubner(fractional_gaussian_noise(16384, hurst=0.9, seed=1))
    >>> found.low < 0.9 < found.high, round(found.bias, 2)
    (True, -0.03)

    """
    if lags < 1:
        raise ValueError(f"lags: {lags} is not allowed: must be at least 1")
    values = checked(series, 4 * lags)
    return _estimate("kettani_gubner", _nearest(_autocorrelation(values, lags)), values.size, lags=lags)


def _autocorrelation(values: NDArray[np.float64], lags: int) -> NDArray[np.float64]:
    """Compute the (biased) sample autocorrelation at lags 1, 2, ..., `lags`."""
    size = scipy.fft.next_fast_len(values.size + lags, real=True)
    covariance = scipy.fft.irfft(np.abs(scipy.fft.rfft(values - values.mean(), size)) ** 2, size)
    return np.asarray(covariance[1 : lags + 1] / covariance[0])


def _nearest(correlations: NDArray[np.float64]) -> float:
    """Find the Hurst parameter whose autocorrelation fits best by least squares."""
    at = np.arange(1, correlations.size + 1)

    def distance(h: float) -> float:
        return float(np.sum((correlations - fgn_autocorrelation(at, h)) ** 2))

    grid = np.linspace(_LOWEST, _HIGHEST, 60)
    best = int(np.argmin([distance(h) for h in grid]))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)])
    return float(scipy.optimize.minimize_scalar(distance, bounds=around, method="bounded", options={"xatol": 1e-6}).x)


def _estimate(method: str, h: float, count: int, *, lags: int) -> HurstEstimate:
    """Return the estimate with its bias and its interval for fractional Gaussian noise."""
    found = HurstEstimate(method=method, h=h, low=h, high=h, scales=(1.0, float(lags + 1)))
    means, errors = _moments(count, lags)
    return inverted(found, truths=_TRUTHS, means=means, reach=NORMAL_95 * errors)


@lru_cache(maxsize=32)
def _moments(count: int, lags: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the mean and the standard error of the estimates for each true Hurst parameter."""
    found = np.array([_mean_and_error(float(truth), count, lags) for truth in _TRUTHS])
    return found[:, 0], found[:, 1]


def _mean_and_error(h: float, count: int, lags: int) -> tuple[float, float]:
    size = min(count, _LONGEST)
    rho, at = fgn_autocorrelation(np.arange(-lags, size + lags), h), np.arange(1, lags + 1)
    mean = _nearest(_without_mean(rho[lags + at], h, count))
    rho = _without_mean(rho, h, size)
    slope = (fgn_autocorrelation(at, mean + _STEP) - fgn_autocorrelation(at, mean - _STEP)) / (2 * _STEP)
    weights = slope / float(slope @ slope)
    kernel = np.concatenate([weights[::-1], [0], weights])
    own = float(weights @ rho[lags + at])
    moved = np.convolve(rho, kernel, mode="valid")[1:] - 2 * own * rho[lags + 1 : -lags]
    taper = 1 - np.arange(1, size) / size
    error = math.sqrt(float(taper @ moved**2) / size)
    return mean, error * (size / count) ** min(0.5, 2 - 2 * h)


def _without_mean(rho: NDArray[np.float64], h: float, count: int) -> NDArray[np.float64]:
    """Compute the expected autocorrelations after the sample's mean is subtracted."""
    of_mean = float(count) ** (2 * h - 2)
    return np.asarray((rho - of_mean) / (1 - of_mean))
