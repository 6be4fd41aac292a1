"""Confidence intervals for the mean of independent replications."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["FEWEST_FOR_BOOTSTRAP", "Interval", "bootstrap_interval", "mean_interval", "student_interval"]

FEWEST_FOR_BOOTSTRAP: Final = 30
"""Smallest sample size that represents the shape of the distribution well enough for the bootstrap."""

# Largest relative half-width that rounding errors alone can cause.
_ROUNDING: Final = 1e-12

_NOISE: Final = 1e-9
"""Largest share of the last digit shown that rounding errors alone can cause."""
_DIGITS: Final = 6
"""Maximum number of digits of a mean."""
_FEWEST: Final = 3
"""Fewest values for a useful interval: with two, Student's half-width is 13 standard errors; with one there is no
interval."""

_RESAMPLES: Final = 9999
_SEED: Final = 1

_AT_ONCE: Final = 2**20
"""Number of resampled values in memory at a time: 8 MB."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """The mean of replications with its confidence interval.

    Parameters
    ----------
    mean
        The sample mean, in the unit of the sample.
    half_width
        Half the width of the interval, same unit. Infinite for a single value, whose spread is unknown.
    standard_error
        The standard error of the mean, same unit. Infinite for a single value.
    count
        Number of replications.
    level
        Probability that the interval covers the true mean.
    method
        Method: Student's t or the bootstrap.
    shift
        Midpoint of the interval minus the mean, same unit; 0 for Student's t.

    """

    mean: float
    half_width: float
    standard_error: float
    count: int
    level: float
    method: Literal["student", "bootstrap"] = "student"
    shift: float = 0.0

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean + self.shift - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.shift + self.half_width

    def scaled(self, factor: float) -> Interval:
        """Return the interval in another unit, in which its values are this many times as large.

        Examples
        --------
        >>> print(student_interval([45.2e6, 45.9e6, 46.0e6]).scaled(1e-6))
        45.7 ± 1.1
        """
        sizes = ("mean", "half_width", "standard_error", "shift")
        return replace(self, **{name: factor * getattr(self, name) for name in sizes})

    def __abs__(self) -> Interval:
        """Return the interval of the size of a difference: mirrored at 0 if the mean is negative.

        Examples
        --------
        >>> print(abs(student_interval([-45.2, -45.9, -46.0])))
        45.7 ± 1.1
        """
        return replace(self, mean=-self.mean, shift=-self.shift) if self.mean < 0 else self

    @property
    def too_few(self) -> str:
        """A warning if there are too few values for a conclusion; otherwise empty."""
        if self.count >= _FEWEST:
            return ""
        values = f"{self.count} replication{'' if self.count == 1 else 's'}"
        return f"{values}: too few for a conclusion; use at least five"

    @property
    def warning(self) -> str:
        """Why the mean is unreliable; empty if it is reliable.

        Examples
        --------
        >>> student_interval([1, 3]).warning
        '2 replications: too few for a conclusion; use at least five'
        >>> student_interval([1, 3, 8]).warning
        'the half-width is 224% of the mean: more replications are needed'
        """
        if self.too_few or self.half_width <= abs(self.mean):
            return self.too_few
        share = f"{self.half_width / abs(self.mean):.0%} of" if self.mean else "above"
        return f"the half-width is {share} the mean: more replications are needed"

    def shown(self, digits: int) -> str:
        """Format the mean and, for more than one value, its half-width with ``digits`` decimal places.

        A half-width that would round to zero is shown as a bound, so that no interval looks empty. If it is less than a
        billionth of the last digit, it comes from rounding, differs between processors, and is shown as zero.

        Examples
        --------
        >>> student_interval([0.1271, 0.1268, 0.1275]).shown(3), student_interval([2]).shown(1)
        ('0.127 ± 0.001', '2.0')
        >>> student_interval([0.1271, 0.1268, 0.1275]).shown(2), student_interval([2, 2]).shown(1)
        ('0.13 ± <0.01', '2.0 ± 0')
        >>> student_interval([-1e-17, -2e-17]).shown(1)
        '0.0 ± 0'
        >>> student_interval([56000, 58000, 61000]).shown(0)
        '58,333 ± 6,252'
        """
        mean = f"{round(self.mean, digits) + 0.0:,.{digits}f}"  # not -0.0
        if not math.isfinite(self.half_width):
            return mean
        bar = f"{self.half_width:,.{digits}f}"
        if float(bar.replace(",", "")) == 0:
            step = 10.0**-digits
            bar = f"<{step:.{digits}f}" if self.half_width > _NOISE * step else "0"
        return f"{mean} ± {bar}"

    def __str__(self) -> str:
        """Format the half-width to two significant digits and the mean to the same decimal place, at most six digits.

        >>> print(student_interval([0.1271, 0.1268, 0.1275]))
        0.12713 ± 0.00087
        >>> print(student_interval([56000, 58000, 61000]))
        58300 ± 6300
        >>> print(student_interval([0.5, 0.5 + 1e-9]))
        0.500000 ± <0.000001
        """
        if not math.isfinite(self.half_width) or self.half_width == 0:
            return f"{self.mean:.6g} ± {'0' if self.half_width == 0 else '?'}"
        finest = 1 - math.floor(math.log10(self.half_width))
        digits = min(finest, _DIGITS - 1 - math.floor(math.log10(abs(self.mean)))) if self.mean else finest
        places, step = max(0, digits), 10.0**-digits
        bar = f"{round(self.half_width, digits):.{places}f}" if self.half_width >= step / 2 else f"<{step:.{places}f}"
        return f"{round(self.mean, digits):.{places}f} ± {bar}"


def student_interval(sample: ArrayLike, *, level: float = 0.95) -> Interval:
    """Compute the Student t interval for the mean of independent, roughly normal values.

    Parameters
    ----------
    sample
        One value per replication; at least one, all finite.
    level
        Probability that the interval covers the true mean, between 0 and 1.

    Returns
    -------
    Interval
        The mean and its interval. The half-width is infinite for a single value, and 0 if values differ only by
        rounding.

    Raises
    ------
    ValueError
        The sample is empty or has a value that is not finite, or the level is not between 0 and 1.

    Notes
    -----
    Student (1908). With *n* values of standard deviation *s* (with divisor *n* - 1), the half-width is
    *t* (*n* - 1) · *s* / √*n*.

    Examples
    --------
    >>> interval = student_interval([9.0, 10.0, 11.0])
    >>> interval.mean, round(interval.half_width, 3)
    (10.0, 2.484)

    """
    values = _checked(sample, level)
    mean, count = float(values.mean()), int(values.size)
    if count == 1:
        error = half_width = math.inf
    else:
        # Imported here because SciPy is slow to load, and a single run never needs it.
        from scipy.special import stdtrit  # noqa: PLC0415

        error = float(values.std(ddof=1)) / math.sqrt(count)
        half_width = float(stdtrit(count - 1, (1 + level) / 2)) * error
        if half_width < _ROUNDING * abs(mean):
            error = half_width = 0.0
    return Interval(mean=mean, half_width=half_width, standard_error=error, count=count, level=level)


def bootstrap_interval(sample: ArrayLike, *, level: float = 0.95) -> Interval:
    """Compute the bootstrap interval for the mean of independent values with any distribution.

    Parameters
    ----------
    sample
        One value per replication, all finite; at least 30, since the sample must represent its distribution.
    level
        Probability that the interval covers the true mean, between 0 and 1.

    Returns
    -------
    Interval
        The mean and its interval, which need not be symmetric. Equal samples give equal intervals. The half-width is 0
        if values differ only by rounding.

    Raises
    ------
    ValueError
        The sample is too small or has a value that is not finite, or the level is not between 0 and 1.

    Notes
    -----
    Bias-corrected and accelerated (BCa), with 9,999 resamples: Efron, "Better bootstrap confidence intervals" (Journal
    of the American Statistical Association 82, 1987), as implemented in `scipy.stats.bootstrap`. The level is adjusted
    so that the interval is as wide as Student's for normal values (Hesterberg, "What teachers should know about the
    bootstrap", The American Statistician 69, 2015, section 3.3); without the adjustment a nominal 95 % interval of 30
    values covers 93 %.

    Examples
    --------
    >>> skewed = np.random.default_rng(1).exponential(size=40)
    >>> interval = bootstrap_interval(skewed)
    >>> interval.method, interval.shift > 0
    ('bootstrap', True)

    """
    values = _checked(sample, level)
    if values.size < FEWEST_FOR_BOOTSTRAP:
        raise ValueError(f"sample: {values.size} values are not allowed: must be at least {FEWEST_FOR_BOOTSTRAP}")
    equal = student_interval(values, level=level)
    if equal.half_width == 0:
        return equal
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - slow to load, like `scipy.stats`
    from scipy.stats import bootstrap  # noqa: PLC0415

    quantile = stdtrit(values.size - 1, (1 + level) / 2) * math.sqrt(values.size / (values.size - 1))
    found = bootstrap(
        (values,),
        np.mean,
        n_resamples=_RESAMPLES,
        batch=max(1, _AT_ONCE // values.size),
        confidence_level=float(2 * ndtr(quantile) - 1),
        method="BCa",
        rng=np.random.default_rng(_SEED),
    )
    low, high = map(float, found.confidence_interval)
    return Interval(
        mean=equal.mean,
        half_width=(high - low) / 2,
        standard_error=float(found.standard_error),
        count=equal.count,
        level=level,
        method="bootstrap",
        shift=(low + high) / 2 - equal.mean,
    )


def mean_interval(sample: ArrayLike, *, level: float = 0.95) -> Interval:
    """Compute the interval that suits a sample: bootstrap for 30 or more values, otherwise Student's t.

    With fewer values the bootstrap interval is too narrow. With 30 or more values, the bootstrap interval is also
    suitable for skewed distributions.

    Parameters
    ----------
    sample, level
        As for `student_interval`.

    Returns
    -------
    Interval
        The interval; its `method` is the method used.

    Raises
    ------
    ValueError
        As for `student_interval`.

    Examples
    --------
    >>> mean_interval([9.0, 10.0, 11.0]).method, mean_interval(range(30)).method
    ('student', 'bootstrap')

    """
    enough = np.size(np.asarray(sample)) >= FEWEST_FOR_BOOTSTRAP
    return (bootstrap_interval if enough else student_interval)(sample, level=level)


def _checked(sample: ArrayLike, level: float) -> NDArray[np.float64]:
    values = np.asarray(sample, dtype=np.float64).ravel()
    if not 0 < level < 1:
        raise ValueError(f"level: {level} is not allowed: must be above 0 and below 1")
    if values.size == 0 or not np.isfinite(values).all():
        raise ValueError("sample: must have at least one value, and all values must be finite")
    return values
