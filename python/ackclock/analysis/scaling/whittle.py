"""The Hurst parameter from the lowest frequencies: the local Whittle estimator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy

from ackclock.analysis.scaling.estimate import NORMAL_95, ONSET, ROUNDING, HurstEstimate, checked
from ackclock.analysis.scaling.wavelets import log_scale_diagram

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["local_whittle"]

_FEWEST: Final = 12
"""Fewest frequencies for a meaningful estimate."""

_LASTING: Final = 8

LEAST: Final = 128


def local_whittle(series: ArrayLike) -> HurstEstimate:
    """Estimate the Hurst parameter from the power law of the spectrum at low frequencies.

    Parameters
    ----------
    series
        Values at equally spaced times: at least 128, all finite, not all equal.

    Returns
    -------
    HurstEstimate
        The estimate with the scales of the fitted frequencies.

    Raises
    ------
    ValueError
        The series does not meet the conditions above, or no power law fits its twelve lowest frequencies.

    Notes
    -----
    Robinson, "Gaussian semiparametric estimation of long range dependence" (Annals of Statistics 23, 1995): H minimises
    log(mean I·λ^(2H - 1)) - (2H - 1)·mean log λ over the *m* lowest frequencies λ, where I is the periodogram. The
    standard error follows from the Fisher information: 1 / (2√s), where s is the sum of the squares of log λ less its
    mean; it tends to Robinson's 1 / (2√m). This is valid for normal series. If the squared wavelet coefficients of an
    octave vary more than normal ones (`abry_veitch`), the uncertainty of the frequencies of that octave is increased
    accordingly, both here and in the test below.

    *m* is n^0.7 at first, and is halved while the residuals of the power law are curved. The test is a score test for
    an additional factor 1 + c·λ² of the spectrum (Andrews and Sun, "Adaptive local polynomial Whittle estimation of
    long-range dependence", Econometrica 72, 2004), which rejects c = 0 at the 5 % level.

    Examples
    --------
    >>> from ackclock.analysis import fractional_gaussian_noise
    >>> found = local_whittle(fractional_gaussian_noise(16384, hurst=0.8, seed=1))
    >>> found.low < 0.8 < found.high
    True

    """
    values = checked(series, LEAST)
    power, excess = _periodogram(values), _excess(values)
    count = min(int(values.size ** (1 - ONSET)), power.size)
    if power[:count].mean() <= ROUNDING:
        raise ValueError("series: it does not vary at low frequencies, so no power law fits")
    h, bent = _fit(power[:count], excess[:count])
    while abs(bent) > NORMAL_95:
        count //= 2
        if count < _FEWEST:
            raise ValueError(f"series: no power law fits the {_FEWEST} lowest frequencies of its spectrum")
        h, bent = _fit(power[:count], excess[:count])
    return _with_interval(h, values.size, excess[:count])


def lasting(values: NDArray[np.float64], found: HurstEstimate) -> HurstEstimate | None:
    """Estimate the Hurst parameter from the lowest eighth of the fitted frequencies; None if they are too few.

    Parameters
    ----------
    values
        The series.
    found
        The result of `local_whittle`.

    """
    count = round(values.size / found.scales[0]) // _LASTING
    if count < _FEWEST:
        return None
    excess = _excess(values)[:count]
    return _with_interval(_fit(_periodogram(values)[:count], excess)[0], values.size, excess)


def _periodogram(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the power at each frequency above zero, with a mean of 1."""
    power = np.abs(scipy.fft.rfft(values - values.mean())[1:]) ** 2
    return np.asarray(power / power.mean())


def _excess(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the uncertainty of each frequency above zero, relative to a normal series."""
    found = log_scale_diagram(values).excess
    lengths = values.size / np.arange(1, values.size // 2 + 1)
    return np.asarray(found[np.clip(np.log2(lengths).astype(int) - 1, 0, found.size - 1)])


def _with_interval(h: float, size: int, excess: NDArray[np.float64]) -> HurstEstimate:
    logs = np.log(np.arange(1, excess.size + 1))
    squares = (logs - logs.mean()) ** 2
    reach = NORMAL_95 * math.sqrt(float(squares @ excess)) / (2 * float(squares.sum()))
    return HurstEstimate(
        method="local_whittle", h=h, low=h - reach, high=h + reach, scales=(size / excess.size, float(size))
    )


def _fit(power: NDArray[np.float64], excess: NDArray[np.float64]) -> tuple[float, float]:
    """Compute the estimate and the score of the residuals' curvature, in standard deviations."""
    count = power.size
    logs = np.log(np.arange(1, count + 1))
    mean = float(logs.mean())

    def objective(h: float) -> float:
        return math.log(float(np.mean(power * np.exp((2 * h - 1) * logs)))) - (2 * h - 1) * mean

    h = float(
        scipy.optimize.minimize_scalar(objective, bounds=(-0.5, 1.5), method="bounded", options={"xatol": 1e-6}).x
    )
    # Makes the curvature orthogonal to the two parameters of the power law.
    known = np.column_stack([np.ones(count), logs])
    curve = (np.arange(1, count + 1) / count) ** 2
    curve -= known @ np.linalg.lstsq(known, curve, rcond=None)[0]
    flat = power * np.exp((2 * h - 1) * logs)  # exponential and independent under the power law
    return h, float((flat / flat.mean() - 1) @ curve) / math.sqrt(float(curve**2 @ excess))
