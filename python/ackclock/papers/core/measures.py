"""Measures: numbers of one run, and their selection in a part of a study.

A `Measure` is one number of a run, a `Profile` several. `at` selects a part of the study and, for each axis, one value,
several values or, by default, all values. The result is a `Quantity`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ackclock.papers.core.evidence import Grid, Key, Named, Row, Run, Scalar, Side
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.words import coordinate, key_words
from ackclock.values.words import listed

_FEW = 4
"""Maximum number of values of an axis that are listed individually."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of one run.

    Parameters
    ----------
    name
        Name in data files, and in the values of the run unless `of` computes the number.
    label
        Label without unit.
    unit, digits
        Unit, and number of decimals.
    of
        Computes the number from a run (default: the value with the measure's name).

    """

    name: str
    label: str
    unit: str = ""
    _: KW_ONLY
    digits: int = 2
    of: Callable[[Row], float | None] | None = None

    def __call__(self, row: Row) -> float | None:
        """Return the number of a run; None if undefined."""
        return row.values.get(self.name) if self.of is None else self.of(row)

    def at(self, part: str, **where: Scalar | Sequence[Scalar]) -> Quantity:
        """Return the measure in a part of the study, at one or several values of each axis, as a quantity."""
        return _At(self, part, where)


@dataclass(frozen=True, slots=True)
class Profile:
    """Numbers of one run along additional axes, such as the c.o.v. at each length of the bins.

    Parameters
    ----------
    name, label, unit, digits
        As in `Measure`.
    axes
        The values of each axis. The last axis varies fastest.
    of
        Returns the numbers of a run, one per point; None for an undefined number, or instead of all.

    """

    name: str
    label: str
    unit: str = ""
    _: KW_ONLY
    digits: int = 2
    axes: Mapping[str, Sequence[Scalar]]
    of: Callable[[Row], Sequence[float | None] | NDArray[np.float64] | None]

    def at(self, part: str, **where: Scalar | Sequence[Scalar]) -> Quantity:
        """Return the profile in a part of the study as a quantity; the profile's axes are the last ones."""
        return _Profiled(self, part, where)


class _At(Quantity):
    def __init__(self, measure: Measure, part: str, where: Mapping[str, Scalar | Sequence[Scalar]]) -> None:
        self._measure, self._part, self._where = measure, part, where
        self.unit, self.digits = measure.unit, measure.digits
        said = {axis: _there(axis, given) for axis, given in where.items()}
        self.words = _placed(measure.label, said.values())
        fixed = [said[axis] for axis, given in where.items() if isinstance(given, Named | str | int | float)]
        self.label = _placed(measure.label, fixed)

    @property
    def name(self) -> str:
        return self._measure.name

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        rows = side.part(self._part)
        asked = {axis: _values(given) for axis, given in self._where.items()}
        fixed = {axis for axis, given in self._where.items() if isinstance(given, str | int | float)}
        axes = tuple(axis for axis in dict.fromkeys((*asked, *rows[0].where)) if axis not in fixed)
        found: dict[Key, dict[int, float]] = {}
        for row in rows:
            if all(row.where.get(axis) in values for axis, values in asked.items()):
                value = self._measure(row)
                if value is not None:
                    found.setdefault(tuple(row.where[axis] for axis in axes), {})[row.seed] = value
        if not found:
            raise LookupError(self._missing(rows, asked))

        def rank(key: Key) -> list[int]:
            """Order points by the given values of each axis, or else as they were run."""
            return [asked[axis].index(at) if axis in asked else 0 for axis, at in zip(axes, key, strict=True)]

        return Grid(axes, {key: found[key] for key in sorted(found, key=rank)})

    def _missing(self, rows: Sequence[Row], asked: Mapping[str, Sequence[Scalar]]) -> str:
        """Describe the reason that no run was found: an axis or its values, or else the number."""
        found = [
            f"no run of {self._part} has {self.words}",
            f"its runs have {', '.join(rows[0].values) or 'no numbers'}",
        ]
        for axis, values in asked.items():
            known = list(dict.fromkeys(row.where[axis] for row in rows if axis in row.where))
            if not set(known) & set(values):
                found.append(f"{axis}: {_plain(values)} is not allowed")
                found.append(
                    f"must be one of {_plain(known)}" if known else f"the axes are {_plain(list(rows[0].where))}"
                )
        return "; ".join(found)


class _Profiled(_At):
    def __init__(self, profile: Profile, part: str, where: Mapping[str, Scalar | Sequence[Scalar]]) -> None:
        measure = Measure(name=profile.name, label=profile.label, unit=profile.unit, digits=profile.digits)
        super().__init__(measure, part, where)
        self._profile = profile

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        return super().samples(_Spread(side, self._profile))


@dataclass(frozen=True, slots=True)
class _Spread:
    """The runs of one simulator with a row for each number of a profile."""

    of: Side
    profile: Profile

    def part(self, name: str) -> Sequence[Row]:
        axes = self.profile.axes
        rows = [
            Run(
                where={**row.where, **dict(zip(axes, place, strict=True))},
                seed=row.seed,
                values={self.profile.name: number},
            )
            for row in self.of.part(name)
            if (numbers_ := self.profile.of(row)) is not None
            for place, number in zip(product(*axes.values()), numbers_, strict=True)
        ]
        if not rows:
            raise LookupError(f"no run has {self.profile.label}")
        return rows


def _plain(values: Sequence[Scalar]) -> str:
    return ", ".join(map(str, values))


def _placed(label: str, where: Collection[str]) -> str:
    return f"{label} ({', '.join(where)})" if where else label


def _values(given: Scalar | Sequence[Scalar]) -> Sequence[Scalar]:
    return (given,) if isinstance(given, str | int | float) else given


def _there(axis: str, given: Scalar | Sequence[Scalar]) -> str:
    """Format the values of an axis."""
    if isinstance(given, Named):
        return given.name
    if isinstance(given, str | int | float):
        return key_words([axis], (given,))
    each = [
        f"{value:g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        for value in given
    ]
    if isinstance(given[0], str):
        return listed(each) if len(each) <= _FEW else f"{len(each)} values of {axis.replace('_', ' ')}"
    return coordinate(axis, listed(each) if len(each) <= _FEW else f"{each[0]} to {each[-1]}")
