"""The Hurst parameter from autocorrelations: the optimisation method of Kettani and Gubner."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import fft, optimize

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
    """Estimate the Hurst parameter from the autocorrelation at the first lag alone.

    Parameters
    ----------
    series
        Values at equal distances in time: at least 32, all finite, not all equal.

    Returns
    -------
    HurstEstimate
        What the one number means *if* the series is fractional Gaussian noise, which it does not ask.

    Raises
    ------
    ValueError
        If the series is no such one, or its neighbours are more negatively correlated than of any such noise.

    Notes
    -----
    Kettani and Gubner, "A novel approach to the estimation of the Hurst parameter in self-similar traffic" (IEEE LCN
    2002): the noise has r(1) = 2^(2H - 1) - 1, so H = (1 + log2(1 + r)) / 2, *r* being the sample's. The interval
    is made as that of `kettani_gubner`.

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
        raise ValueError(f"series: neighbours are correlated by {first:.2f}: no self-similar series has that of -0.5")
    return _estimate("kettani_gubner_k1", min((1 + math.log2(1 + first)) / 2, _HIGHEST), values.size, lags=1)


def kettani_gubner(series: ArrayLike, *, lags: int = _LAGS) -> HurstEstimate:
    """Estimate the Hurst parameter whose autocorrelation is nearest to the sample's.

    Parameters
    ----------
    series
        Values at equal distances in time: at least four times the lags, all finite, not all equal.
    lags
        How many autocorrelations are compared, from 1.

    Returns
    -------
    HurstEstimate
        As if the series were fractional Gaussian noise at all scales, from one bin on.

    Raises
    ------
    ValueError
        If the series is no such one.

    Notes
    -----
    Kettani and Gubner (IEEE LCN 2002): the sum of (r(k) - R(k))² over the lags *k* is least, with *r* of the sample and
    *R* that of `fgn_autocorrelation`. Salleh and Abu Bakar measure with it.

    The sample's mean is taken out of it, which lowers *r* to about (R - v) / (1 - v), v = n^(2H - 2) being the variance
    of the mean: the estimate is too low for a large H, and by more with more lags. Its error follows from those of *r*
    (Bartlett's formula; Box and Jenkins 1970, section 2.1.6) to first order; beyond 65,536 values it falls at its
    asymptotic rate, as n^(2H - 2) or 1/√n, whichever is slower.

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
    """Give the (biased) sample autocorrelation from the first lag on."""
    size = fft.next_fast_len(values.size + lags, real=True)
    covariance = fft.irfft(np.abs(fft.rfft(values - values.mean(), size)) ** 2, size)
    return np.asarray(covariance[1 : lags + 1] / covariance[0])


def _nearest(correlations: NDArray[np.float64]) -> float:
    """Give the parameter of the noise whose autocorrelation is nearest, by least squares."""
    at = np.arange(1, correlations.size + 1)

    def distance(h: float) -> float:
        return float(np.sum((correlations - fgn_autocorrelation(at, h)) ** 2))

    grid = np.linspace(_LOWEST, _HIGHEST, 60)
    best = int(np.argmin([distance(h) for h in grid]))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)])
    return float(optimize.minimize_scalar(distance, bounds=around, method="bounded", options={"xatol": 1e-6}).x)


def _estimate(method: str, h: float, count: int, *, lags: int) -> HurstEstimate:
    """Add what is known of the estimate on fractional Gaussian noise."""
    found = HurstEstimate(method=method, h=h, low=h, high=h, scales=(1.0, float(lags + 1)))
    means, errors = _moments(count, lags)
    return inverted(found, truths=_TRUTHS, means=means, reach=NORMAL_95 * errors)


@lru_cache(maxsize=32)
def _moments(count: int, lags: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the mean of the estimates and their standard error at each parameter."""
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
    """Give what is left, on average, of autocorrelations when the sample's mean is taken out."""
    of_mean = float(count) ** (2 * h - 2)
    return np.asarray((rho - of_mean) / (1 - of_mean))
