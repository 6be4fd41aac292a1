"""The common result of all estimators of the Hurst parameter, and the check of their input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Diagram", "HurstEstimate"]

NORMAL_95: Final = 1.959964
"""97.5 % quantile of the standard normal distribution."""

ROUNDING: Final = 1e-20
"""Relative variance below which the variation is only rounding error."""

ONSET: Final = 0.3
"""Exponent of the shortest scale of a fit: at least n^0.3 bins for n values. This scale grows with n so that the bias
shrinks faster than the intervals."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagram:
    """The points of a log-log plot with the fitted line.

    Parameters
    ----------
    scales
        Lengths in bins.
    values
        Value at each scale: a variance, a range or an energy.
    errors
        Standard errors of the base-2 logarithms of the values; None if they are unknown.
    fitted
        The fitted line, NaN at scales outside the fit.

    """

    scales: NDArray[np.float64]
    values: NDArray[np.float64]
    errors: NDArray[np.float64] | None
    fitted: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class HurstEstimate:
    """The Hurst parameter by one method.

    Parameters
    ----------
    method
        Name of the method's function.
    h
        The estimate: 0.5 without memory at these scales, up to 1 with more memory.
    low, high
        The 95 % interval for fractional Gaussian noise at these scales. It corrects for the known bias, so it need not
        be symmetric, but it always contains the estimate.
    scales
        The shortest and the longest scale of the fit, in bins.
    bias
        Mean error of the method on fractional Gaussian noise of this length and parameter.
    diagram
        The points of the method's plot; None if the method has no plot.

    """

    method: str
    h: float
    low: float
    high: float
    scales: tuple[float, float]
    bias: float = 0.0
    diagram: Diagram | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.h:.3f} [{self.low:.3f}, {self.high:.3f}]"


def checked(series: ArrayLike, least: int) -> NDArray[np.float64]:
    """Check a series and convert it to a one-dimensional array.

    Raises
    ------
    ValueError
        The series has too few values, one is not finite, or all are equal.

    """
    values = np.asarray(series, dtype=np.float64).ravel()
    if values.size < least:
        raise ValueError(f"series: {values.size} values are not allowed: must be at least {least}")
    if not np.isfinite(values).all():
        raise ValueError("series: must hold finite values only")
    if values.min() == values.max():
        raise ValueError(f"series: {values.size} equal values are not allowed: must vary")
    return values
