"""Comparisons of runs with the same seed, and of a number printed in the paper with single runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ackclock.analysis import Interval, student_interval
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.evidence import Grid, Scalar, Side
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.truth import NO, OPEN, YES, Truth, exactly
from ackclock.values.words import listed

Coordinates = Mapping[str, Scalar]


def lead(
    of: Quantity, axis: str, value: Scalar, *, others: Sequence[Scalar] = (), relative: bool = False, digits: int = 2
) -> Quantity:
    """Compute by how much a quantity at one value of an axis exceeds it at each other value, seed by seed.

    Runs with the same seed have the same load. ``lead(arrivals, "variant", "Reno")`` has all other values of the axis;
    `others` selects some of them. A relative lead is a percentage of the mean of both values over all seeds.
    """
    return _Lead(of, axis, value, others=others, relative=relative, digits=digits)


class _Lead(Quantity):
    def __init__(
        self, of: Quantity, axis: str, value: Scalar, *, others: Sequence[Scalar], relative: bool, digits: int
    ) -> None:
        self._of, self._axis, self._value, self._others, self._relative = of, axis, value, others, relative
        over = f" over {listed([str(other) for other in others])}" if others else ""
        self.words = self.label = f"paired lead of {value}{over} in {of.label}"
        self.unit, self.digits = "%" if relative else of.unit, digits

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        lines = self._of.samples(side).along(self._axis)
        cells = {
            (*key, other): _less(line[self._value], line[other], relative=self._relative)
            for key, line in lines.cells.items()
            if self._value in line
            for other in self._others or [one for one in line if one != self._value]
            if other in line
        }
        if not cells:
            raise LookupError(f"no run has {self.words}")
        return Grid((*lines.axes, self._axis), cells)


def _less(own: Mapping[int, float], other: Mapping[int, float], *, relative: bool) -> dict[int, float]:
    """Subtract seed by seed, in per cent of the mean of both if asked."""
    seeds = [seed for seed in own if seed in other]
    middle = sum(own[seed] + other[seed] for seed in seeds) / (2 * len(seeds)) / 100 if relative else 1.0
    return {seed: (own[seed] - other[seed]) / middle for seed in seeds}


def share_of_runs(of: Quantity, holds: Callable[[float], bool], words: str) -> Quantity:
    """Compute the share of runs in which a number meets a condition, with Wilson's 95 % interval."""
    return _Share(of, holds, words)


class _Share(Quantity):
    unit, digits = "", 2

    def __init__(self, of: Quantity, holds: Callable[[float], bool], words: str) -> None:
        self._of, self._holds = of, holds
        self.words = self.label = words

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        return self._of.samples(side).map(
            lambda sample: {seed: float(self._holds(value)) for seed, value in sample.items()}
        )

    def points(self, side: Side) -> Grid[Interval]:
        return self.samples(side).map(lambda sample: wilson(round(sum(sample.values())), len(sample)))


def wilson(count: int, of: int, *, whole: float = 1.0) -> Interval:
    """Return the share of a number of trials with Wilson's 95 % interval, in units in which all trials are `whole`."""
    from scipy.stats import binomtest  # noqa: PLC0415 - slow to load

    share = count / of
    low, high = map(float, binomtest(count, of).proportion_ci(method="wilson"))
    return Interval(
        mean=whole * share,
        half_width=whole * (high - low) / 2,
        standard_error=whole * math.sqrt(share * (1 - share) / of),
        count=of,
        level=0.95,
        shift=whole * ((low + high) / 2 - share),
    )


def never(of: Quantity, holds: Callable[[float], bool], words: str) -> Answers:
    """Ask whether no run meets a condition: a single run can answer "no", but "yes" needs at least two runs."""

    def answer(_at: Coordinates, values: Sequence[float]) -> Truth:
        return NO if any(map(holds, values)) else YES if len(values) > 1 else OPEN

    return _OfRuns(of, words, answer)


def reaches(of: Quantity, printed: Callable[[Coordinates], float], words: str) -> Answers:
    """Ask whether the number that the paper prints for a point is plausible for one more run (`within_reach`)."""
    return _OfRuns(of, words, lambda at, values: within_reach(values, printed(at)))


def spans(of: Quantity, axis: str, printed: Callable[[Coordinates], float], words: str) -> Answers:
    """Ask whether the number that the paper prints is between the smallest and the largest run along an axis."""
    return _OfRuns(of, words, lambda at, values: exactly(min(values) <= printed(at) <= max(values)), pooled=axis)


class _OfRuns(Answers):
    """A question about the individual runs at each point.

    Runs that differ only along the axis `pooled` form one sample.
    """

    def __init__(
        self, of: Quantity, words: str, answer: Callable[[Coordinates, Sequence[float]], Truth], pooled: str = ""
    ) -> None:
        self._of, self._answer, self._pooled, self.quantities = of, answer, pooled, (of,)
        self.words, self.denied = words, f"it is not true that {words}"

    def on(self, side: Side) -> Grid[Truth]:
        grid = self._of.samples(side).map(lambda sample: list(sample.values()))
        if self._pooled:
            grid = grid.along(self._pooled).map(lambda line: [value for values in line.values() for value in values])
        cells = {
            key: self._answer(dict(zip(grid.axes, key, strict=True)), values) for key, values in grid.cells.items()
        }
        return Grid(grid.axes, cells)


def within_reach(sample: Sequence[float], value: float) -> Truth:
    """Check whether a value is plausible for one more run: within the range of 95 % of normally distributed runs.

    No if it is outside Student's prediction interval for one more run. Yes if it is within the middle 95 % of the
    normal distribution even for the least favourable mean and standard deviation within their 95 % intervals.
    """
    from scipy.stats import chi2, norm  # noqa: PLC0415 - slow to load

    found = student_interval(sample)
    if found.count < 2:
        return OPEN
    off = abs(value - found.mean)
    if off > found.half_width * math.sqrt(found.count + 1):
        return NO
    least = float(np.std(sample, ddof=1)) * math.sqrt((found.count - 1) / chi2.ppf(0.975, found.count - 1))
    return YES if off + found.half_width <= norm.ppf(0.975) * least or off == 0 else OPEN
