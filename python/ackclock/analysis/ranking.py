"""Ranking of several settings: which one is best, and which ones cannot be distinguished from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar

import numpy as np

from ackclock.analysis.comparison import Comparison, compare_paired
from ackclock.analysis.interval import student_interval

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import ArrayLike

__all__ = ["Better", "Ranking", "rank_paired"]

Better = Literal["lower", "higher"]
"""Which values are better."""

Setting = TypeVar("Setting", bound="Hashable")

_MOST_PAIRS: Final = 10_000
"""Most pairs that `Ranking.pairs_needed` states: a difference that needs more is none in practice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking(Generic[Setting]):
    """Settings in the order of their means, compared with the first.

    Parameters
    ----------
    order
        The settings, the best mean first.
    against
        For each setting but the best, in this order: its difference from the best, seed by seed, the setting minus the
        best. The intervals hold jointly.
    level
        The probability with which the best setting is among `tied`.

    """

    order: tuple[Setting, ...]
    against: Mapping[Setting, Comparison]
    level: float

    @property
    def best(self) -> Setting:
        """The setting with the best mean."""
        return self.order[0]

    @property
    def tied(self) -> tuple[Setting, ...]:
        """The settings that may be best: the one with the best mean, and those that cannot be distinguished from it."""
        return (self.best, *(each for each, found in self.against.items() if not found.differ))

    @property
    def decided(self) -> bool:
        """Whether all other settings are worse than the best by more than chance explains."""
        return len(self.tied) == 1

    @property
    def pairs_needed(self) -> int | None:
        """How many seeds would probably decide between the best and the second, if mean and spread stay as they are.

        None if there is no second, if a spread is unknown (one seed), or if more than 10,000 would be needed. A number
        from few seeds is a guess: the spread of three differences is known to a factor of two.
        """
        if not self.against:
            return None
        found = next(iter(self.against.values())).difference
        if not (found.mean and math.isfinite(found.standard_error)):
            return None
        from scipy.special import stdtrit  # noqa: PLC0415 - slow to load, and not always needed

        counts = np.arange(2, _MOST_PAIRS + 1)
        widths = stdtrit(counts - 1, (1 + found.level) / 2) * found.standard_error * np.sqrt(found.count / counts)
        enough = np.flatnonzero(widths < abs(found.mean))
        return int(counts[enough[0]]) if enough.size else None


def rank_paired(
    samples: Mapping[Setting, ArrayLike], *, better: Better = "lower", level: float = 0.95
) -> Ranking[Setting]:
    """Rank settings that ran with the same seeds by their means.

    Parameters
    ----------
    samples
        The values of each setting, one per seed, in the same order of seeds: at least one setting, equally many values
        each, all finite.
    better
        Which values are better.
    level
        Probability that the best setting is among those returned as `Ranking.tied`, between 0 and 1.

    Returns
    -------
    Ranking
        The settings in order. Settings with equal means keep the order of `samples`.

    Raises
    ------
    ValueError
        There is no setting, the samples differ in length or are empty, a value is not finite, or the level is not
        between 0 and 1.

    Notes
    -----
    Each of the *k* - 1 differences from the best mean has a paired interval of probability 1 - (1 - level)/(k - 1), so
    that all hold jointly by Bonferroni's inequality, which allows for common random numbers: Nelson and Matejcik,
    "Using Common Random Numbers for Indifference-Zone Selection and Multiple Comparisons in Simulation" (Management
    Science 41:12, 1995). A setting is excluded only if its whole interval is on the worse side of zero. The true best
    is wrongly excluded only if its difference from some other setting, the one with the best mean, leaves its
    interval; there are *k* - 1 such differences, so `tied` contains it with the stated probability, although the best
    mean was chosen by looking (the argument of subset selection: Gupta 1965). The intervals are two-sided, and
    therefore wider than needed.

    Examples
    --------
    >>> waits = {"droptail": [28.1, 27.5, 27.9], "cake": [15.2, 14.6, 15.1], "fq_codel": [15.1, 14.9, 15.3]}
    >>> found = rank_paired(waits)
    >>> found.best, found.tied, found.decided
    ('cake', ('cake', 'fq_codel'), False)
    >>> print(found.against["droptail"].difference)
    12.87 ± 0.21

    """
    if not samples:
        raise ValueError("samples: {} is not allowed: must have at least one setting")
    sizes = {np.size(values) for values in samples.values()}
    if len(sizes) > 1:
        raise ValueError(f"samples: {sorted(sizes)} values are not allowed: each setting must have equally many")
    sign = 1 if better == "lower" else -1
    means = {each: sign * student_interval(values, level=level).mean for each, values in samples.items()}
    best, *others = sorted(samples, key=means.__getitem__)
    joint = 1 - (1 - level) / max(1, len(others))
    against = {each: compare_paired(samples[best], samples[each], level=joint) for each in others}
    return Ranking(order=(best, *others), against=against, level=level)
