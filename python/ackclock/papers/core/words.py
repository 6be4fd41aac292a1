"""Words that rules and sentences share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Grid, Key, Scalar

__all__ = ["DASH", "capital", "coordinate", "key_words", "listed", "number", "points_words", "with_unit"]

DASH = "–"  # noqa: RUF001 - stands for a number that was not measured

_AXES = {
    "background": "background of {}",
    "bin": "bins of {} s",
    "buffer": "{} packets",
    "start": "start at {} s",
    "stay_ms": "stays of {} ms",
    "vegas": "{} Vegas clients",
}
"""How coordinates are written whose axis does not follow its value: "30 clients" needs no entry."""

_FEW = 6
"""As many points are written one by one; of more, the smallest and the largest."""


def listed(parts: Sequence[str]) -> str:
    """Join with commas and an "and"."""
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def capital(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]


def with_unit(number: str, unit: str) -> str:
    """Add a unit to a number."""
    return f"{number} {unit}".rstrip()


def number(value: float) -> str:
    """Write a number of a rule."""
    return f"{int(value):,}" if value == int(value) else f"{value:.3g}"


def key_words(axes: Sequence[str], key: Key) -> str:
    """Write the coordinates of a point: "Reno, 30 clients"."""
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
    """Write whole numbers on an axis: "10 and 20 clients"."""
    if values == "1" and axis not in _AXES:
        axis = axis.removesuffix("s")
    return _AXES.get(axis, f"{{}} {axis.replace('_', ' ')}").format(values)


def points_words(points: Grid[Interval], *, digits: int, unit: str) -> str:
    """Write means with their intervals: each of a few, or the smallest and the largest of many."""
    cells = points.cells
    if len(cells) == 1:
        return with_unit(next(iter(cells.values())).shown(digits), unit)

    def one(key: Key) -> str:
        return f"{with_unit(cells[key].shown(digits), unit)} ({key_words(points.axes, key)})"

    if len(cells) <= _FEW:
        return ", ".join(map(one, cells))
    least, most = (choose(cells, key=lambda key: cells[key].mean) for choose in (min, max))
    if cells[least] == cells[most]:
        return f"{with_unit(cells[least].shown(digits), unit)} at all {len(cells)} points"
    return f"{one(least)} to {one(most)}"
