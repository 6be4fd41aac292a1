"""Variants compared seed by seed, over the same background: which order the runs support."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.stats import chi2, norm

from ackclock.analysis import compare_paired, student_interval
from ackclock.papers.reading import listed
from ackclock.papers.selfsimilar.experiment import VARIANTS, Reading, Variant
from ackclock.papers.truth import NO, OPEN, YES, Truth, above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Comparison, Interval
    from ackclock.papers.selfsimilar.evidence import Side

__all__ = ["PAIRS", "TIE", "Difference", "beaten", "beats", "difference", "firsts", "interval", "order", "within_reach"]

TIE: Final = 0.01
"""The part of the mean below which a difference of arrivals decides nothing. The paper ranks by one of 2 %."""

PAIRS: Final[tuple[tuple[Variant, Variant], ...]] = (
    ("newreno", "sack"),
    ("newreno", "vegas"),
    ("newreno", "tahoe"),
    ("sack", "vegas"),
    ("sack", "tahoe"),
    ("vegas", "tahoe"),
)
"""The differences that are told: the first less the second."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """What one variant has more than another over the same backgrounds.

    Parameters
    ----------
    comparison
        First less second.
    middle
        The mean of both.

    """

    comparison: Comparison
    middle: float

    @property
    def relative(self) -> Interval:
        """The difference and its interval, as a part of the mean of both."""
        found = self.comparison.difference
        return type(found)(
            mean=found.mean / self.middle,
            half_width=found.half_width / self.middle,
            standard_error=found.standard_error / self.middle,
            count=found.count,
            level=found.level,
            method=found.method,
            shift=found.shift / self.middle,
        )

    def above(self, tie: float = 0.0) -> Truth:
        """Say whether the first is above the second by more than a tie, a part of the mean of both."""
        return above(self.comparison.difference, tie * self.middle)


def interval(side: Side, reading: Reading, variant: Variant, measure: str) -> Interval:
    """Give the mean of a measure over the seeds, with its 95 % interval (Student's t).

    Raises
    ------
    LookupError
        If no run has the measure.

    """
    return student_interval(side.values(reading, variant, measure))


def within_reach(sample: Sequence[float], value: float) -> Truth:
    """Say whether one more run may well have a value: it lies where 95 % of runs do, were these normal.

    No where Student's t leaves it out of the interval for one more run. Yes where it lies in the middle 95 % of the
    normal distribution also if mean and standard deviation are as unfavourable as their 95 % intervals allow.
    """
    found = student_interval(sample)
    if found.count < 2:
        return OPEN
    off = abs(value - found.mean)
    if off > found.half_width * math.sqrt(found.count + 1):
        return NO
    least = float(np.std(sample, ddof=1)) * math.sqrt((found.count - 1) / chi2.ppf(0.975, found.count - 1))
    return YES if off + found.half_width <= norm.ppf(0.975) * least or off == 0 else OPEN


def difference(side: Side, reading: Reading, pair: tuple[Variant, Variant], measure: str = "arrivals") -> Difference:
    """Compare two variants seed by seed.

    Raises
    ------
    LookupError
        If no run of one has the measure.
    ValueError
        If only some runs of one have it.

    """
    first, second = (np.array(side.values(reading, variant, measure)) for variant in pair)
    return Difference(comparison=compare_paired(second, first), middle=float((first.mean() + second.mean()) / 2))


def beaten(
    side: Side, reading: Reading, variant: Variant, measure: str = "arrivals", tie: float = TIE
) -> list[Variant]:
    """Give the variants that one is clearly above."""
    return [other for other, answer in beats(side, reading, variant, measure, tie).items() if answer is YES]


def beats(
    side: Side, reading: Reading, variant: Variant, measure: str = "arrivals", tie: float = TIE
) -> dict[Variant, Truth]:
    """Say of each other variant whether one is above it."""
    return {
        other: difference(side, reading, (variant, other), measure).above(tie) for other in VARIANTS if other != variant
    }


def firsts(side: Side, reading: Reading, measure: str = "arrivals") -> dict[Variant, int]:
    """Count the seeds in which each variant has most; where several have, each."""
    rows = np.array([side.values(reading, variant, measure) for variant in VARIANTS])
    return dict(zip(VARIANTS, (int(count) for count in (rows == rows.max(axis=0)).sum(axis=1)), strict=True))


def order(side: Side, reading: Reading, measure: str = "arrivals", tie: float = TIE) -> str:
    """Say in words which order the runs support: those differences only that are clear."""
    clear = {variant: beaten(side, reading, variant, measure, tie) for variant in VARIANTS}
    told = [
        f"{VARIANTS[first]} above {listed([VARIANTS[second] for second in seconds])}"
        for first, seconds in clear.items()
        if seconds
    ]
    return "; ".join(told) or "none"
