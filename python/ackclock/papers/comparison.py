"""Whether two simulators agree: one rule a measure, wide enough for chance and no wider.

A point is one variant with one number of clients. It agrees when the means over the seeds differ by no more
than a fixed part of ns-2's, or a fixed amount, or three standard errors of the difference, whichever is most.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.analysis import student_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation

__all__ = ["STANDARD_ERRORS", "Comparison", "Rule", "compare", "named"]

STANDARD_ERRORS = 3
"""How many standard errors of the difference are put down to chance."""


def named(measure: str) -> Callable[[Observation], float | None]:
    """Make the measure that takes a number by its name."""
    return lambda observation: observation.values[measure]


def _any(_observation: Observation) -> bool:
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """What is compared, where, and how far apart two means may lie.

    Parameters
    ----------
    title
        What the measure is called in tables.
    measure
        Takes it from a run.
    relative
        Allowed difference as a part of ns-2's mean.
    absolute
        Allowed difference in the unit of the measure.
    applies
        Says for a run whether its point is compared.

    """

    title: str
    measure: Callable[[Observation], float | None]
    relative: float
    absolute: float = 0.0
    applies: Callable[[Observation], bool] = _any


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One measure at one point, on both sides."""

    rule: Rule
    variant: str
    clients: int
    ours: Interval
    theirs: Interval

    @property
    def difference(self) -> float:
        """Our mean minus ns-2's."""
        return self.ours.mean - self.theirs.mean

    @property
    def relative(self) -> float:
        """The difference as a part of ns-2's mean; not finite where that is 0."""
        if self.theirs.mean:
            return self.difference / self.theirs.mean
        return math.copysign(math.inf, self.difference) if self.difference else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of the difference: of two means of independent runs."""
        return math.hypot(self.ours.standard_error, self.theirs.standard_error)

    @property
    def standard_errors(self) -> float:
        """The difference in standard errors, with its sign; not finite where no run differed from another."""
        if self.standard_error:
            return self.difference / self.standard_error
        return math.copysign(math.inf, self.difference) if self.difference else 0.0

    @property
    def is_near(self) -> bool:
        """Whether the difference is within the rule without an allowance for chance."""
        return abs(self.difference) <= max(self.rule.relative * abs(self.theirs.mean), self.rule.absolute)

    @property
    def agrees(self) -> bool:
        """Whether the difference is within the rule."""
        return self.is_near or abs(self.difference) <= STANDARD_ERRORS * self.standard_error


def compare(ours: Iterable[Observation], theirs: Iterable[Observation], rules: Sequence[Rule]) -> list[Comparison]:
    """Compare every point that both sides have and that a rule applies to.

    Parameters
    ----------
    ours, theirs
        Runs of both sides, at least two seeds a point: a single run has no standard error.
    rules
        What is compared.

    Returns
    -------
    list of Comparison
        Rule by rule, then in the order in which our points appear.

    """
    left, right = _points(ours), _points(theirs)
    both = [point for point in left if point in right]
    comparisons = []
    for rule in rules:
        for point in both:
            if not rule.applies(left[point][0]):
                continue
            samples = [
                [value for run in side[point] if (value := rule.measure(run)) is not None] for side in (left, right)
            ]
            if all(len(sample) > 1 for sample in samples):
                ours_there, theirs_there = map(student_interval, samples)
                comparisons.append(
                    Comparison(rule=rule, variant=point[0], clients=point[1], ours=ours_there, theirs=theirs_there)
                )
    return comparisons


def _points(runs: Iterable[Observation]) -> dict[tuple[str, int], list[Observation]]:
    points: dict[tuple[str, int], list[Observation]] = defaultdict(list)
    for run in runs:
        points[run.variant, run.clients].append(run)
    return points
