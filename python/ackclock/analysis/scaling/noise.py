"""Exact fractional Gaussian noise, the reference for estimators of the Hurst parameter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["fgn_autocorrelation", "fractional_gaussian_noise"]


def fgn_autocorrelation(lags: ArrayLike, hurst: float) -> NDArray[np.float64]:
    """Compute the autocorrelation of fractional Gaussian noise.

    Parameters
    ----------
    lags
        Lags in bins.
    hurst
        The Hurst parameter.

    Returns
    -------
    numpy.ndarray
        (|k + 1|^2H - 2 |k|^2H + |k - 1|^2H) / 2 for each lag k.

    Notes
    -----
    Mandelbrot and van Ness, "Fractional Brownian motions, fractional noises and applications" (SIAM Review 10, 1968).
    Sums over bins of any length have the same autocorrelation: the noise is exactly second-order self-similar.

    Examples
    --------
    >>> fgn_autocorrelation([0, 1, 2], 0.75).round(4).tolist()
    [1.0, 0.4142, 0.2696]

    """
    at = np.abs(np.asarray(lags, dtype=np.float64))
    power = 2 * hurst
    return np.asarray(((at + 1) ** power - 2 * at**power + np.abs(at - 1) ** power) / 2)


def fractional_gaussian_noise(count: int, *, hurst: float, seed: int) -> NDArray[np.float64]:
    """Draw a path of fractional Gaussian noise of mean 0 and variance 1.

    Parameters
    ----------
    count
        Number of values, at least 1.
    hurst
        The Hurst parameter, between 0 and 1: independent values at 0.5, long-range dependence above.
    seed
        Random seed, at least 0.

    Returns
    -------
    numpy.ndarray
        The values. Their covariances are exact at all lags.

    Raises
    ------
    ValueError
        The count is below 1, or the Hurst parameter is not between 0 and 1.

    Notes
    -----
    Davies and Harte, "Tests for Hurst effect" (Biometrika 74, 1987): the covariances are the first row of a circulant
    matrix twice as large, whose eigenvalues are the Fourier transform of that row. All eigenvalues are positive
    (Craigmile, "Simulating a class of stationary Gaussian processes using the Davies-Harte algorithm", J. Time Series
    Analysis 24, 2003), so white noise times their square roots, transformed back, has these covariances.

    Examples
    --------
    >>> fractional_gaussian_noise(4, hurst=0.8, seed=1).size
    4

    """
    if count < 1:
        raise ValueError(f"count: {count} is not allowed: must be at least 1")
    if not 0 < hurst < 1:
        raise ValueError(f"hurst: {hurst} is not allowed: must be between 0 and 1")
    return draw_noise(noise_weights(count, hurst), np.random.default_rng(seed))[:count]


def noise_weights(count: int, hurst: float) -> NDArray[np.float64]:
    """Compute the weights of white noise in the frequency domain, for paths of up to ``count`` values."""
    half = scipy.fft.next_fast_len(count, real=True)
    row = fgn_autocorrelation(np.arange(half + 1), hurst)
    eigenvalues = scipy.fft.rfft(np.concatenate([row, row[-2:0:-1]])).real
    # Rounding may make an eigenvalue near 0 negative.
    weights = np.sqrt(half * np.maximum(eigenvalues, 0))
    weights[[0, -1]] *= math.sqrt(2)  # the first and the last coefficient are real
    return np.asarray(weights)


def draw_noise(weights: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
    """Draw one path with the weights of `noise_weights`."""
    white = random.standard_normal((2, weights.size))
    white[1, [0, -1]] = 0
    return np.asarray(scipy.fft.irfft(weights * (white[0] + 1j * white[1]), 2 * (weights.size - 1)))[: weights.size - 1]
