"""Comparison of two simulators: each measure at each point.

`Comparison.agrees` and `Comparison.is_equivalent` are the two tests of each point.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.analysis import Interval, student_interval
from ackclock.papers.core.evidence import Row, Scalar
from ackclock.report.html import Statement

STANDARD_ERRORS = 3
"""Largest difference, in standard errors, that may be due to chance."""


def named(measure: str) -> Callable[[Row], float | None]:
    """Make a measure that returns the value of this name."""
    return lambda run: run.values[measure]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tolerance:
    """A compared measure, with the allowed difference of two means.

    Parameters
    ----------
    title
        Name of the measure in tables.
    measure
        Computes it from a run.
    relative
        Allowed difference as a share of ns-2's mean.
    absolute
        Allowed difference in the unit of the measure.
    applies
        Whether the point of a run is compared.

    """

    title: str
    measure: Callable[[Any], float | None]
    relative: float
    absolute: float = 0.0
    applies: Callable[[Any], bool] = lambda _: True


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One measure at one point, on both sides."""

    tolerance: Tolerance
    where: Mapping[str, Scalar]
    ours: Interval
    theirs: Interval

    @property
    def point(self) -> tuple[object, ...]:
        """The measure and the coordinates, which do not depend on the seeds."""
        return self.tolerance.title, *self.where.items()

    @property
    def difference(self) -> float:
        """Our mean minus ns-2's."""
        return self.ours.mean - self.theirs.mean

    @property
    def relative(self) -> float:
        """The difference as a share of ns-2's mean; not finite if the mean is 0."""
        if self.theirs.mean:
            return self.difference / self.theirs.mean
        return math.copysign(math.inf, self.difference) if self.difference else 0.0

    @property
    def standard_error(self) -> float:
        """Standard error of the difference of two means of independent runs."""
        return math.hypot(self.ours.standard_error, self.theirs.standard_error)

    @property
    def standard_errors(self) -> float:
        """The signed difference in standard errors; not finite if all runs are equal."""
        if self.standard_error:
            return self.difference / self.standard_error
        return math.copysign(math.inf, self.difference) if self.difference else 0.0

    @property
    def is_near(self) -> bool:
        """Whether the difference is within the margin, without an allowance for chance."""
        return abs(self.difference) <= self.margin

    @property
    def agrees(self) -> bool:
        """Whether the means are not distinguishable."""
        return self.is_near or abs(self.difference) <= STANDARD_ERRORS * self.standard_error

    @property
    def is_equivalent(self) -> bool:
        """Whether the 95 % interval of the difference (Welch 1947) lies within the margin."""
        from scipy.stats import t  # noqa: PLC0415 - slow to load

        reach = t.ppf(0.975, self._freedom) * self.standard_error if self.standard_error else 0.0
        return bool(abs(self.difference) + reach <= self.margin)

    @property
    def _freedom(self) -> float:
        """Degrees of freedom of the difference, by Satterthwaite; if one side has a single run, the other side's."""
        parts = [(side.standard_error**4, side.count - 1) for side in (self.ours, self.theirs) if side.count > 1]
        if len(parts) < 2 or not any(size for size, _ in parts):
            return float(max(self.ours.count, self.theirs.count) - 1)
        return float(self.standard_error**4 / sum(size / freedom for size, freedom in parts))

    @property
    def margin(self) -> float:
        """The allowed difference, without the allowance for chance."""
        return max(self.tolerance.relative * abs(self.theirs.mean), self.tolerance.absolute)


def compare(
    ours: Iterable[Row], theirs: Iterable[Row], tolerances: Sequence[Tolerance], *, single: bool = False
) -> list[Comparison]:
    """Compare every common point of both sides to which a tolerance applies, by tolerance in the order of our points.

    A point needs two seeds on each side, since a single run has no standard error. With `single`, ns-2 has one run per
    point. Runs of ns-2 are assumed to have the standard deviation ``s`` of our ``n`` seeds; the standard error of the
    difference is then ``s sqrt(1 + 1 / n)``.
    """
    left, right = _points(ours), _points(theirs)
    comparisons = []
    for tolerance in tolerances:
        for point, runs in left.items():
            if point not in right or not tolerance.applies(runs[0]):
                continue
            samples = [
                [value for run in side[point] if (value := tolerance.measure(run)) is not None]
                for side in (left, right)
            ]
            if len(samples[0]) > 1 and (single or len(samples[1]) > 1):
                mine = student_interval(samples[0])
                other = _one(samples[1], mine) if single else student_interval(samples[1])
                comparisons.append(Comparison(tolerance=tolerance, where=runs[0].where, ours=mine, theirs=other))
    return comparisons


def statement(places: Sequence[Comparison], *, what: str, margin: str) -> Statement:
    """Summarise the agreement of the two simulators, with the compared measures and their margins in words."""
    if not places:
        return Statement(lead="A single seed has no error bars.", text="Agreement with ns-2 needs at least two seeds.")
    count, same = agreeing(places), sum(place.is_equivalent for place in places)
    return Statement(
        lead=f"Ackclock and ns-2.35 are not distinguishable at {100 * count / len(places):.1f} % of the points.",
        text=f"Of {len(places)} means of {what}, {count} differ by no more than the margin ({margin}) or "
        f"{STANDARD_ERRORS} standard errors. This does not prove equality: for {same} of the means "
        f"({100 * same / len(places):.1f} %) the whole 95 % interval of the difference lies within the margin.",
    )


def agreeing(places: Sequence[Comparison]) -> int:
    """Count the points that are not distinguishable."""
    return sum(place.agrees for place in places)


def _one(sample: Sequence[float], like: Interval) -> Interval:
    """Make the interval of a single run, with the standard deviation of other runs."""
    (mean,) = sample
    error = like.standard_error * math.sqrt(like.count)
    return Interval(mean=mean, half_width=math.inf, standard_error=error, count=1, level=like.level)


def _points(runs: Iterable[Row]) -> dict[frozenset[tuple[str, Scalar]], list[Row]]:
    points: dict[frozenset[tuple[str, Scalar]], list[Row]] = defaultdict(list)
    for run in runs:
        points[frozenset(run.where.items())].append(run)
    return points
