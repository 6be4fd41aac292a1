"""Quantities: numbers of both simulators' runs for rules and figures, with their texts and digits.

A `Quantity` is a measure in a part of the study (`core.measures`) or computed from several. For a simulator it is a
grid of means with 95 % intervals (Student's t over the seeds). Computations with quantities are done seed by seed, so
that their results also have intervals.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from ackclock.analysis import Interval, student_interval
from ackclock.papers.core.answers import Answers, Compare, Steps
from ackclock.papers.core.evidence import Grid, Key, Scalar, Side, joined
from ackclock.papers.core.words import key_words, points_words

Fold = Callable[[Mapping[Scalar, float]], float | None]
FoldOfSeveral = Callable[..., float | None]


class Quantity(ABC):
    """A number at each point of some axes.

    Attributes
    ----------
    words
        Name and points, such as "time of the first loss (Reno, 20 and 30 clients)".
    label
        Name without the axes along which it varies: "time of the first loss (Reno)".
    unit
        Its unit; empty for a pure number.
    digits
        Number of decimals.

    """

    words: str
    label: str
    unit: str
    digits: int

    @property
    def name(self) -> str:
        """The name of the measure in data files; empty for a computed quantity."""
        return ""

    @property
    def reported(self) -> Quantity:
        """The quantity whose numbers reports show for this one."""
        return self

    @abstractmethod
    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        """Return the number of each seed at each point.

        Raises
        ------
        LookupError
            No run has the quantity.

        """

    def points(self, side: Side) -> Grid[Interval]:
        """Return the mean over the seeds at each point, with its interval; raises as `samples` does."""
        return self.samples(side).map(lambda sample: student_interval(list(sample.values())))

    def over(
        self, axis: str, fold: Fold, words: str, *, unit: str | None = None, digits: int | None = None
    ) -> Quantity:
        """Compute a number from the values along an axis, seed by seed: an exponent, a spread, a maximum.

        Points for which `fold` returns None are omitted.
        """
        return folded(fold, axis, self, words=words, unit=unit, digits=digits)

    def jackknife(
        self, axis: str, fold: Fold, words: str, *, unit: str | None = None, digits: int | None = None
    ) -> Quantity:
        """Compute a number from the means along an axis, with an interval from Tukey's pseudo-values.

        Each pseudo-value is the contribution of one seed's runs to the number (Miller, "The Jackknife - a Review",
        Biometrika 61, 1974). Use it if the number of a single seed is biased, as for a fitted exponent. Points for
        which `fold` returns None are omitted.
        """
        return _Jackknifed(self, axis, fold, words, unit=unit, digits=digits)

    def changes(self, axis: str) -> Quantity:
        """Compute the change from the previous value at each point of an axis, seed by seed."""
        return _Changes(self, axis)

    def pick(self, **where: Scalar) -> Quantity:
        """Select the points with the given coordinates."""
        return _Picked(self, where)

    def measured_by(self, name: str, side: Callable[[], Side]) -> Quantity:
        """Use the runs of the named simulator on both sides, so that a claim can compare the simulators."""
        return _Elsewhere(self, name, side)

    def relabel(self, axis: str, names: Mapping[str, str]) -> Quantity:
        """Rename values of an axis, so that points join with others: "Reno/RED" with "Reno"."""
        return _Relabelled(self, axis, names)

    def given(self, of: Quantity, holds: Callable[[float], bool], words: str) -> Quantity:
        """Keep the points at which the mean of another quantity fulfils a condition."""
        return _Given(self, of, holds, words)

    def called(self, words: str, *, unit: str | None = None, digits: int | None = None) -> Quantity:
        """Change the text, and optionally the unit or the number of decimals."""
        return computed(lambda value: value, self, words=words, unit=unit, digits=digits)

    def __truediv__(self, other: Quantity) -> Quantity:
        """Divide, seed by seed."""
        return computed(lambda a, b: a / b, self, other, words=f"ratio of {self.words} to {other.words}", unit="")

    def __sub__(self, other: Quantity) -> Quantity:
        """Subtract, seed by seed."""
        return computed(lambda a, b: a - b, self, other, words=f"{self.words} minus {other.words}", unit=self.unit)

    def above(self, other: Quantity | float, *, by: float = 0.0, times: float = 1.0) -> Answers:
        """Ask whether this is larger than ``times * other + by``."""
        return Compare("above", self, other, by=by, times=times)

    def below(self, other: Quantity | float, *, by: float = 0.0, times: float = 1.0) -> Answers:
        """Ask whether ``times * this + by`` is smaller than the other."""
        return Compare("below", self, other, by=by, times=times)

    def at_least(self, other: Quantity | float) -> Answers:
        """Ask whether this is at least the other."""
        return Compare("at_least", self, other)

    def at_most(self, other: Quantity | float) -> Answers:
        """Ask whether this is at most the other."""
        return Compare("at_most", self, other)

    def near(self, other: Quantity | float, *, by: float) -> Answers:
        """Ask whether this and the other differ by at most `by`."""
        return Compare("near", self, other, by=by)

    def within(self, share: float, *, of: Quantity | float) -> Answers:
        """Ask whether this differs from the other by no more than a share of the other, between 0 and 1."""
        if not 0 < share < 1:
            raise ValueError(f"share: {share:g} must be between 0 and 1; a range is at_least(low) & at_most(high)")
        return Compare("within", self, of, by=share)

    def rises(self, axis: str, *, by: float = 0.0, times: float = 1.0) -> Answers:
        """Ask at each step along an axis whether the later value is above ``times * earlier + by``."""
        return Steps("rises", self, axis, by=by, times=times)

    def falls(self, axis: str, *, by: float = 0.0, times: float = 1.0) -> Answers:
        """Ask at each step along an axis whether the earlier value is above ``times * later + by``."""
        return Steps("falls", self, axis, by=by, times=times)


def numbers(of: Quantity, side: Side) -> str:
    """Format the label of a quantity with its means on one side; raises as `Quantity.samples` does."""
    return f"{of.label}: {points_words(of.points(side), digits=of.digits, unit=of.unit)}"


def computed(
    make: Callable[..., float], *of: Quantity, words: str, unit: str | None = None, digits: int | None = None
) -> Quantity:
    """Compute a number from several quantities at the same point, seed by seed."""
    return _Computed(make, of, words, of[0].unit if unit is None else unit, of[0].digits if digits is None else digits)


def folded(
    fold: FoldOfSeveral, axis: str, *of: Quantity, words: str, unit: str | None = None, digits: int | None = None
) -> Quantity:
    """Compute a number from several quantities along an axis, seed by seed, such as a rank correlation.

    `fold` gets the values of each quantity by their coordinates.
    """
    unit, digits = of[0].unit if unit is None else unit, of[0].digits if digits is None else digits
    return _Folded(of, axis, fold, words=words, unit=unit, digits=digits)


class _Computed(Quantity):
    def __init__(self, make: Callable[..., float], of: Sequence[Quantity], words: str, unit: str, digits: int) -> None:
        self._make, self._of = make, of
        self.words = self.label = words
        self.unit, self.digits = unit, digits

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        def each(samples: Sequence[Mapping[int, float]]) -> dict[int, float]:
            first, *others = samples
            seeds = [seed for seed in first if all(seed in other for other in others)]
            return {seed: self._make(*(sample[seed] for sample in samples)) for seed in seeds}

        return joined([one.samples(side) for one in self._of]).map(each)


class _Folded(Quantity):
    def __init__(
        self, of: Sequence[Quantity], axis: str, fold: FoldOfSeveral, *, words: str, unit: str, digits: int
    ) -> None:
        self._of, self._axis, self._fold = of, axis, fold
        self.words = self.label = words
        self.unit, self.digits = unit, digits

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        def each(line: Mapping[Scalar, tuple[Mapping[int, float], ...]]) -> dict[int, float]:
            made = {}
            for seed in dict.fromkeys(seed for samples in line.values() for seed in samples[0]):
                there = {at: samples for at, samples in line.items() if all(seed in sample for sample in samples)}
                if there:
                    values = ({at: samples[i][seed] for at, samples in there.items()} for i in range(len(self._of)))
                    made[seed] = self._fold(*values)
            return {seed: value for seed, value in made.items() if value is not None}

        lines = joined([one.samples(side) for one in self._of]).along(self._axis)
        return _filled({key: each(line) for key, line in lines.cells.items()}, lines.axes, self.words)


def pseudo_values(seeds: set[int], of: Callable[[int | None], float | None]) -> dict[int, float]:
    """Compute Tukey's pseudo-value of each seed; `of` computes the number from all seeds, or without one of them."""
    whole = of(None)
    if whole is None or len(seeds) < 2:
        return {} if whole is None else dict.fromkeys(seeds, whole)
    rests = {seed: of(seed) for seed in sorted(seeds)}
    return {seed: len(seeds) * whole - (len(seeds) - 1) * rest for seed, rest in rests.items() if rest is not None}


class _Jackknifed(Quantity):
    def __init__(
        self, of: Quantity, axis: str, fold: Fold, words: str, *, unit: str | None, digits: int | None
    ) -> None:
        self._of, self._axis, self._fold = of, axis, fold
        self.words = self.label = words
        self.unit, self.digits = of.unit if unit is None else unit, of.digits if digits is None else digits

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        lines = self._of.samples(side).along(self._axis)
        return _filled({key: self._each(line) for key, line in lines.cells.items()}, lines.axes, self.words)

    def _each(self, line: Mapping[Scalar, Mapping[int, float]]) -> dict[int, float]:
        seeds = {seed for sample in line.values() for seed in sample}
        return pseudo_values(seeds, lambda without: self._of_means(line, without))

    def _of_means(self, line: Mapping[Scalar, Mapping[int, float]], without: int | None) -> float | None:
        kept = {at: [value for seed, value in sample.items() if seed != without] for at, sample in line.items()}
        return self._fold({at: student_interval(values).mean for at, values in kept.items() if values})


class _Changes(Quantity):
    def __init__(self, of: Quantity, axis: str) -> None:
        self._of, self._axis = of, axis
        self.unit, self.digits = of.unit, of.digits
        self.words = self.label = f"change of the {of.label} at each step of the {axis.replace('_', ' ')}"

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        lines = self._of.samples(side).along(self._axis)
        cells = {
            (*key, at): {seed: value - before[seed] for seed, value in here.items() if seed in before}
            for key, line in lines.cells.items()
            for (_, before), (at, here) in pairwise(line.items())
        }
        return _filled(cells, (*lines.axes, self._axis), self.words)


class _View(Quantity):
    """A modified quantity; reports show the numbers of the original."""

    def __init__(self, of: Quantity) -> None:
        self._of = of
        self.words, self.label, self.unit, self.digits = of.words, of.label, of.unit, of.digits

    @property
    def name(self) -> str:
        return self._of.name

    @property
    def reported(self) -> Quantity:
        return self._of.reported


class _Elsewhere(_View):
    def __init__(self, of: Quantity, name: str, side: Callable[[], Side]) -> None:
        super().__init__(of)
        self._side = side
        self.words, self.label = f"{of.words} in {name}", f"{of.label} in {name}"

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:  # noqa: ARG002 - it is always the same side
        return self._of.samples(self._side())


class _Relabelled(_View):
    def __init__(self, of: Quantity, axis: str, names: Mapping[str, str]) -> None:
        super().__init__(of)
        self._axis, self._names = axis, names

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        grid = self._of.samples(side)
        at = grid.axes.index(self._axis)

        def renamed(key: Key) -> Key:
            return (*key[:at], self._names.get(str(key[at]), key[at]), *key[at + 1 :])

        return Grid(grid.axes, {renamed(key): sample for key, sample in grid.cells.items()})


class _Given(Quantity):
    def __init__(self, of: Quantity, other: Quantity, holds: Callable[[float], bool], words: str) -> None:
        self._of, self._other, self._holds = of, other, holds
        self.words, self.label = f"{of.words} where {words}", f"{of.label} where {words}"
        self.unit, self.digits = of.unit, of.digits

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        both = joined([self._of.samples(side), self._other.samples(side)])
        kept = {
            key: sample if self._holds(student_interval(list(other.values())).mean) else {}
            for key, (sample, other) in both.cells.items()
        }
        return _filled(kept, both.axes, self.words)


def _filled(cells: Mapping[Key, Mapping[int, float]], axes: tuple[str, ...], words: str) -> Grid[Mapping[int, float]]:
    """Omit points without a number; raises LookupError if no point is left."""
    kept = {key: sample for key, sample in cells.items() if sample}
    if not kept:
        raise LookupError(f"no run has {words}")
    return Grid(axes, kept)


class _Picked(_View):
    def __init__(self, of: Quantity, where: Mapping[str, Scalar]) -> None:
        super().__init__(of)
        self._where = where
        at = key_words(tuple(where), tuple(where.values()))
        self.words = self.label = f"{of.label[:-1]}, {at})" if of.label.endswith(")") else f"{of.label} ({at})"

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        grid = self._of.samples(side)
        for axis, value in self._where.items():
            grid = grid.along(axis).map(lambda line, value=value: line.get(value, {}))  # type: ignore[misc]
        return _filled(grid.cells, grid.axes, self.words)
