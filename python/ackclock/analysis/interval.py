"""Confidence intervals for the mean of independent replications."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Interval", "student_interval"]


# Equal values differ by this share at most once they were rounded and summed.
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """The mean of some replications and how far the true mean may lie from it.

    Parameters
    ----------
    mean
        The sample mean, in the unit of the sample.
    half_width
        Half the width of the interval, same unit. Infinite for a single value: one run says nothing about
        the spread.
    standard_error
        The standard error of the mean, same unit. Infinite for a single value.
    count
        How many replications went in.
    level
        The probability with which the interval covers the true mean.

    """

    mean: float
    half_width: float
    standard_error: float
    count: int
    level: float

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half_width

    def shown(self, digits: int) -> str:
        """Give the mean and, of more than one value, its half-width, to so many digits after the point.

        A half-width that would vanish among them is told as a bound: no bar reads as zero that is not.

        >>> student_interval([0.1271, 0.1268, 0.1275]).shown(3), student_interval([2]).shown(1)
        ('0.127 ± 0.001', '2.0')
        >>> student_interval([0.1271, 0.1268, 0.1275]).shown(2), student_interval([2, 2]).shown(1)
        ('0.13 ± <0.01', '2.0 ± 0')
        """
        if not math.isfinite(self.half_width):
            return f"{self.mean:.{digits}f}"
        bar = f"{self.half_width:.{digits}f}"
        if float(bar) == 0:
            bar = f"<{10**-digits:.{digits}f}" if self.half_width else "0"
        return f"{self.mean:.{digits}f} ± {bar}"

    def __str__(self) -> str:
        """Give the mean and its half-width, to the digits that the half-width leaves meaningful.

        >>> print(student_interval([0.1271, 0.1268, 0.1275]))
        0.12713 ± 0.00087
        """
        if not math.isfinite(self.half_width) or self.half_width == 0:
            return f"{self.mean:.6g} ± {'0' if self.half_width == 0 else '?'}"
        digits = max(0, 1 - math.floor(math.log10(self.half_width)))
        return f"{self.mean:.{digits}f} ± {self.half_width:.{digits}f}"


def student_interval(sample: ArrayLike, *, level: float = 0.95) -> Interval:
    """Give the Student t interval for the mean of independent, roughly normal values.

    Parameters
    ----------
    sample
        One value a replication; at least one, all finite.
    level
        The wanted probability of covering the true mean, between 0 and 1.

    Returns
    -------
    Interval
        The mean and its interval; the half-width is infinite when the sample has a single value, and 0 when its
        values differ by no more than rounding.

    Raises
    ------
    ValueError
        If the sample is empty or holds a value that is not finite, or the level is not between 0 and 1.

    Notes
    -----
    Student (1908). With *n* values of standard deviation *s* (over *n* - 1), the half-width is
    *t* (*n* - 1) · *s* / √*n*.

    Examples
    --------
    >>> interval = student_interval([9.0, 10.0, 11.0])
    >>> interval.mean, round(interval.half_width, 3)
    (10.0, 2.484)

    """
    values = np.asarray(sample, dtype=np.float64).ravel()
    if not 0 < level < 1:
        raise ValueError(f"level: {level} is not allowed: must be above 0 and below 1")
    if values.size == 0 or not np.isfinite(values).all():
        raise ValueError("sample: must hold at least one value, and finite ones only")
    mean, count = float(values.mean()), int(values.size)
    if count == 1:
        error = half_width = math.inf
    else:
        # Imported where used: SciPy is slow to load, and a single run never needs it.
        from scipy.special import stdtrit  # noqa: PLC0415

        error = float(values.std(ddof=1)) / math.sqrt(count)
        half_width = float(stdtrit(count - 1, (1 + level) / 2)) * error
        if half_width < _ROUNDING * abs(mean):
            error = half_width = 0.0
    return Interval(mean=mean, half_width=half_width, standard_error=error, count=count, level=level)
