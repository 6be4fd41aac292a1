"""What every estimator of the Hurst parameter gives, and what each asks of a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Diagram", "HurstEstimate"]

NORMAL_95: Final = 1.959964
"""So many standard deviations to either side hold 95 % of a normal distribution."""

ROUNDING: Final = 1e-20
"""A share of the variance that is nothing but rounding."""

ONSET: Final = 0.3
"""To this power of the number of values, in bins, scaling is looked for first: it grows so that bias fades faster than
the intervals do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagram:
    """The points that a line was put through.

    Parameters
    ----------
    scales
        Lengths in bins.
    values
        What was found at each: a variance, a range, an energy.
    errors
        Standard errors of the logarithm to base 2 of the values; None where they are not known.
    fitted
        The line, NaN at the scales that it was not put through.

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
        Its name, that of the function.
    h
        The estimate: 0.5 for what has no memory at these scales, up to 1 with more.
    low, high
        The 95 % interval, were the series fractional Gaussian noise at these scales. It takes the known bias into
        account, so the estimate need not lie in its middle, but it always lies in it.
    scales
        The shortest and the longest length in bins that went in.
    bias
        By how much the method is off on average on fractional Gaussian noise of this length and such a parameter.
    diagram
        The points of the method's plot; None where it has none.

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
    """Take a series in one dimension.

    Raises
    ------
    ValueError
        If it has fewer values than needed, one is not finite, or all are equal.

    """
    values = np.asarray(series, dtype=np.float64).ravel()
    if values.size < least:
        raise ValueError(f"series: {values.size} values are not allowed: must be at least {least}")
    if not np.isfinite(values).all():
        raise ValueError("series: must hold finite values only")
    if values.min() == values.max():
        raise ValueError(f"series: {values.size} equal values are not allowed: nothing varies")
    return values
