"""Evidence: for each simulator (side), runs in named parts; a run has coordinates on axes, a seed and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeVar

from ackclock.values.errors import refuse

Scalar = str | int | float | bool
Key = tuple[Scalar, ...]
S_co = TypeVar("S_co", bound=Scalar, covariant=True)
V = TypeVar("V")
W = TypeVar("W")


class Row(Protocol):
    """One run of one point."""

    @property
    def where(self) -> Mapping[str, Scalar]:
        """Coordinates of the point by axis."""

    @property
    def seed(self) -> int:
        """Seed of the run."""

    @property
    def values(self) -> Mapping[str, Any]:
        """Measured numbers by name (None if undefined), and arrays."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A `Row` read from a file or made by hand."""

    where: Mapping[str, Scalar]
    seed: int
    values: Mapping[str, Any]


class Side(Protocol):
    """The runs of one simulator."""

    def part(self, name: str) -> Sequence[Row]:
        """Return the runs of a part of the study.

        Raises
        ------
        LookupError
            This simulator did not run the part.

        """


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of one simulator, by part."""

    parts: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def part(self, name: str) -> Sequence[Row]:
        """Return the runs of a part, as `Side.part`."""
        if not self.parts.get(name):
            raise LookupError(f"no runs of {name}; there are runs of {', '.join(self.parts) or 'nothing'}")
        return self.parts[name]


class Evidence(Protocol):
    """The runs of both simulators. Only ours determine verdicts; ns-2's are reported for comparison."""

    @property
    def ours(self) -> Side:
        """Our runs."""

    @property
    def ns2(self) -> Side:
        """Runs of ns-2."""


class Named(tuple[S_co, ...]):  # noqa: SLOT001 - it also has a name
    """Values of an axis under a common name, such as "fewer than 10 clients".

    Examples
    --------
    >>> light = Named("fewer than 10 clients", (1, 2, 4, 8))
    >>> light, light.name
    ((1, 2, 4, 8), 'fewer than 10 clients')

    """

    name: str

    def __new__(cls, name: str, values: Iterable[S_co]) -> Self:
        """Give values a common name."""
        made = super().__new__(cls, values)
        made.name = name
        return made


@dataclass(frozen=True, slots=True)
class Grid(Generic[V]):
    """A value at each point of some axes. Without axes there is one point with an empty key."""

    axes: tuple[str, ...]
    cells: Mapping[Key, V]

    @property
    def only(self) -> V:
        """The value of a grid without axes."""
        if self.axes:
            raise ValueError(f"axes: {self.axes} must be empty")
        return self.cells[()]

    def place(self, axis: str) -> int:
        """Return the position of an axis in the keys."""
        if axis not in self.axes:
            raise refuse("axis", axis, f"must be one of {', '.join(self.axes) or 'none: there is a single point'}")
        return self.axes.index(axis)

    def map(self, change: Callable[[V], W]) -> Grid[W]:
        """Apply a function at each point."""
        return Grid(self.axes, {key: change(value) for key, value in self.cells.items()})

    def ordered(self, axes: tuple[str, ...]) -> Grid[V]:
        """Put the axes in another order."""
        places = [self.place(axis) for axis in axes]
        return Grid(axes, {tuple(key[place] for place in places): value for key, value in self.cells.items()})

    def along(self, axis: str) -> Grid[dict[Scalar, V]]:
        """Collect the points along an axis; the result does not have this axis."""
        at = self.place(axis)
        lines: dict[Key, dict[Scalar, V]] = {}
        for key, value in self.cells.items():
            lines.setdefault(key[:at] + key[at + 1 :], {})[key[at]] = value
        return Grid(self.axes[:at] + self.axes[at + 1 :], lines)


def grouped(rows: Iterable[Row], *axes: str) -> Grid[list[Row]]:
    """Collect runs that have the same values of some axes."""
    cells: dict[Key, list[Row]] = {}
    for row in rows:
        cells.setdefault(tuple(row.where[axis] for axis in axes), []).append(row)
    return Grid(axes, cells)


def joined(grids: Sequence[Grid[V]]) -> Grid[tuple[V, ...]]:
    """Join grids at points with equal coordinates; a grid that lacks an axis applies to all values of the axis.

    Examples
    --------
    >>> some = Grid(("n",), {(1,): "a", (2,): "b"})
    >>> joined([some, Grid((), {(): "x"})]).cells
    {(1,): ('a', 'x'), (2,): ('b', 'x')}

    """
    whole: Grid[tuple[V, ...]] = Grid((), {(): ()})
    for grid in grids:
        shared = [axis for axis in grid.axes if axis in whole.axes]
        new = [axis for axis in grid.axes if axis not in whole.axes]
        by_shared: dict[Key, list[tuple[Key, V]]] = {}
        for key, value in grid.cells.items():
            at = dict(zip(grid.axes, key, strict=True))
            by_shared.setdefault(tuple(at[axis] for axis in shared), []).append(
                (tuple(at[axis] for axis in new), value)
            )
        places = [whole.axes.index(axis) for axis in shared]
        whole = Grid(
            (*whole.axes, *new),
            {
                (*key, *rest): (*values, value)
                for key, values in whole.cells.items()
                for rest, value in by_shared.get(tuple(key[place] for place in places), ())
            },
        )
    return whole
