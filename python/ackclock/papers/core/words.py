"""Formatting of texts in rules and reasons."""

from __future__ import annotations

from collections.abc import Sequence

from ackclock.analysis import Interval
from ackclock.papers.core.evidence import Grid, Key, Scalar

DASH = "–"  # noqa: RUF001 - for a number that was not measured

_AXES = {
    "background": "background of {}",
    "bin": "bins of {} s",
    "buffer": "{} packets",
    "start": "start at {} s",
    "stay_ms": "stays of {} ms",
    "vegas": "{} Vegas clients",
}
"""Formats of coordinates, for axes whose name does not follow the value ("30 clients" needs no entry)."""

_DETERMINERS = {"a", "all", "an", "any", "each", "every", "half", "no", "one", "the"}

_SURE = 9
"""Number of digits after the last one shown that decide which mean is larger; later ones may be rounding errors."""

_FEW = 3
"""Maximum number of points that are listed individually; otherwise only the smallest and the largest."""


def definite(noun: str) -> str:
    """Put "the" before a noun: "the loss (Reno)", but "Jain's index" and "every loss"."""
    return f"the {noun}" if noun[:1].islower() and noun.split(maxsplit=1)[0] not in _DETERMINERS else noun


def with_unit(number: str, unit: str) -> str:
    """Add a unit to a number."""
    return f"{number} {unit}".rstrip()


def number(value: float) -> str:
    """Format a number of a rule."""
    return f"{int(value):,}" if value == int(value) else f"{value:.3g}"


def key_words(axes: Sequence[str], key: Key) -> str:
    """Format the coordinates of a point: "Reno, 30 clients"."""
    return ", ".join(map(_coordinate, axes, key))


def _coordinate(axis: str, value: Scalar) -> str:
    words = axis.replace("_", " ")
    match value:
        case bool():
            return words if value else f"without {words}"
        case str():
            return value
        case int():
            return coordinate(axis, f"{value:,}")
        case _:
            return _AXES[axis].format(f"{value:g}") if axis in _AXES else f"{words} {value:g}"


def coordinate(axis: str, values: str) -> str:
    """Format integers on an axis: "10 and 20 clients"."""
    if values == "1" and axis not in _AXES:
        axis = axis.removesuffix("s")
    return _AXES.get(axis, f"{{}} {axis.replace('_', ' ')}").format(values)


def points_words(points: Grid[Interval], *, digits: int, unit: str) -> str:
    """Format means with their intervals: all of a few, or the smallest and the largest of many."""
    cells = points.cells
    if len(cells) == 1:
        return with_unit(next(iter(cells.values())).shown(digits), unit)

    def one(key: Key) -> str:
        return f"{with_unit(cells[key].shown(digits), unit)} ({key_words(points.axes, key)})"

    if len(cells) <= _FEW:
        return ", ".join(map(one, cells))

    def mean(key: Key) -> float:
        return round(cells[key].mean, digits + _SURE)

    least, most = (choose(cells, key=mean) for choose in (min, max))
    if mean(least) == mean(most) and cells[least].shown(digits) == cells[most].shown(digits):
        return f"{with_unit(cells[least].shown(digits), unit)} at all {len(cells)} points"
    return f"{one(least)} to {one(most)}"
