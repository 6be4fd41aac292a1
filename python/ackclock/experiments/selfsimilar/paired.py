"""Variants compared seed by seed, over the same background: which order the runs support."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import compare_paired, student_interval
from ackclock.experiments.reading import listed, low
from ackclock.experiments.selfsimilar.experiment import VARIANTS, Reading, Variant

if TYPE_CHECKING:
    from ackclock.analysis import Comparison, Interval
    from ackclock.experiments.selfsimilar.evidence import Side

__all__ = ["PAIRS", "TIE", "Difference", "beaten", "difference", "firsts", "interval", "order", "single"]

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

    def above(self, tie: float = 0.0) -> bool:
        """Say whether the first is above the second: the interval leaves out zero, and the mean is beyond a tie."""
        return low(self.comparison.difference) > 0 and self.comparison.difference.mean > tie * self.middle


def interval(side: Side, reading: Reading, variant: Variant, measure: str) -> Interval:
    """Give the mean of a measure over the seeds, with its 95 % interval (Student's t).

    Raises
    ------
    LookupError
        If no run has the measure.

    """
    return student_interval(side.values(reading, variant, measure))


def single(sample: list[float]) -> tuple[float, float]:
    """Give the ends between which one more run would lie in 95 % of all cases, were runs normal (Student's t).

    Of a single run, which says nothing of others, both are its value.
    """
    found = student_interval(sample)
    reach = found.half_width * math.sqrt(found.count + 1) if found.count > 1 else 0.0
    return found.mean - reach, found.mean + reach


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
    others = [other for other in VARIANTS if other != variant]
    return [other for other in others if difference(side, reading, (variant, other), measure).above(tie)]


def firsts(side: Side, reading: Reading, measure: str = "arrivals") -> dict[Variant, int]:
    """Count the seeds in which each variant has most; where several have, each."""
    rows = np.array([side.values(reading, variant, measure) for variant in VARIANTS])
    return dict(zip(VARIANTS, (int(count) for count in (rows == rows.max(axis=0)).sum(axis=1)), strict=True))


def order(side: Side, reading: Reading, measure: str = "arrivals", tie: float = TIE) -> str:
    """Say in words which order the runs support: those differences only whose paired interval leaves out zero."""
    clear = {variant: beaten(side, reading, variant, measure, tie) for variant in VARIANTS}
    told = [
        f"{VARIANTS[first]} above {listed([VARIANTS[second] for second in seconds])}"
        for first, seconds in clear.items()
        if seconds
    ]
    return "; ".join(told) or "none"
