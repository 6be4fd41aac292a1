"""Paired comparison of two settings: runs of a pair have the same random numbers and differ only in the setting."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.interval import Interval, mean_interval, student_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Comparison", "compare_paired"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The difference between two settings, second minus first.

    Parameters
    ----------
    difference
        Mean difference over the pairs, with its interval, in the unit of the samples.
    effect_size
        Cohen's d_av: the mean difference divided by the mean of the two samples' standard deviations. NaN if neither
        sample varies, or for a single pair.
    correlation
        Pearson correlation of the two samples, from -1 to 1; NaN if a sample does not vary.
    unpaired_half_width
        Half the width of the interval from the same values without pairing (Welch). Infinite for a single pair.
    narrowing
        Ratio of the widths of the unpaired and the paired interval, both by Student's t: above 1 if the samples are
        positively correlated. NaN if both widths are 0.

    """

    difference: Interval
    effect_size: float
    correlation: float
    unpaired_half_width: float
    narrowing: float

    @property
    def differ(self) -> bool:
        """Whether the interval excludes zero."""
        return not self.difference.low <= 0 <= self.difference.high

    @property
    def warning(self) -> str:
        """Why the result is unreliable; empty if it is reliable."""
        return self.difference.too_few

    def __str__(self) -> str:
        """Format the difference, its effect size and the unpaired interval; undefined values are omitted.

        >>> print(compare_paired([1, 2, 3, 4], [2.1, 2.9, 4.0, 5.2]))
        1.05 ± 0.21 (unpaired ± 2.3, d_av 0.80, correlation 1.00, n 4)
        """
        details = [f"unpaired ± {self.unpaired_half_width:.2g}"] if math.isfinite(self.unpaired_half_width) else []
        for name, value in (("d_av", self.effect_size), ("correlation", self.correlation)):
            details += [f"{name} {value:.2f}"] if math.isfinite(value) else []
        return f"{self.difference} ({', '.join((*details, f'n {self.difference.count}'))})"


def compare_paired(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Comparison:
    """Compare two settings that ran with the same seeds.

    Parameters
    ----------
    first, second
        One value per replication, in the same order of seeds: the same number of values, at least one, all finite.
    level
        Probability that the interval covers the true difference, between 0 and 1.

    Returns
    -------
    Comparison
        The difference, second minus first.

    Raises
    ------
    ValueError
        The samples differ in length or are empty, a value is not finite, or the level is not between 0 and 1.

    Notes
    -----
    Common random numbers: Law, "Simulation Modeling and Analysis" (5th ed. 2015), sections 10.2.1 (paired), 10.2.2
    (Welch 1938) and 11.2. The effect size is d_av of Cumming (2012), as in Lakens (Frontiers in Psychology 4:863,
    2013). Unlike d_z, it does not grow with the correlation between the samples, which common random numbers increase.

    Examples
    --------
    >>> comparison = compare_paired([10, 20, 30], [11, 22, 31])
    >>> round(comparison.difference.mean, 3), comparison.differ, round(comparison.narrowing, 1)
    (1.333, False, 15.8)

    """
    one, other = (np.asarray(sample, dtype=np.float64).ravel() for sample in (first, second))
    if one.size != other.size:
        raise ValueError(f"second: {other.size} values are not allowed: must have as many as first ({one.size})")
    differences = other - one
    difference = mean_interval(differences, level=level)
    paired = student_interval(differences, level=level).half_width
    unpaired = _welch(one, other, level)
    return Comparison(
        difference=difference,
        effect_size=_ratio(difference.mean, _mean_deviation(one, other)),
        correlation=_correlation(one, other),
        unpaired_half_width=unpaired,
        narrowing=_ratio(unpaired, paired),
    )


def _welch(one: NDArray[np.float64], other: NDArray[np.float64], level: float) -> float:
    """Compute half the width of Welch's interval for the difference of two means of equally large samples."""
    count = one.size
    if count < 2:
        return math.inf
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to load, and not always needed

    squared = one.var(ddof=1) / count, other.var(ddof=1) / count
    total = float(sum(squared))
    if total == 0:
        return 0.0
    freedom = total**2 * (count - 1) / float(squared[0] ** 2 + squared[1] ** 2)
    return float(stdtrit(freedom, (1 + level) / 2)) * math.sqrt(total)


def _mean_deviation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(one.std(ddof=1) + other.std(ddof=1)) / 2 if one.size > 1 else math.nan


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    apart, other_apart = one - one.mean(), other - other.mean()
    spread = math.sqrt(float(apart @ apart) * float(other_apart @ other_apart))
    return float(apart @ other_apart) / spread if spread else math.nan


def _ratio(above: float, below: float) -> float:
    """Divide: infinite if only the divisor is 0, NaN if both are 0 or both are infinite."""
    if below == 0:
        return math.copysign(math.inf, above) if above else math.nan
    return above / below
