"""Tables of a claim's numbers, for quantities with several points."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ackclock.papers.core.words import DASH, capital, key_words
from ackclock.report.html import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Evidence, Grid, Key, Side
    from ackclock.papers.core.quantities import Quantity

_FEW = 2
"""Maximum number of points for a sentence instead of a table."""
_COLUMNS = 8
"""Maximum number of columns for the values of an axis."""
_SIDES = ("Ackclock", "ns-2.35")


def tabled(quantities: Sequence[Quantity], evidence: Evidence) -> list[Table]:
    """Make a table of each quantity's means: points as rows and simulators as columns, or an axis as columns.

    The list is empty if no quantity has more than two points.
    """
    measured = {of: points for of in quantities if (points := _points(of, evidence.ours))}
    if all(len(points.cells) <= _FEW for points in measured.values()):
        return []
    return [_table(of, ours, _points(of, evidence.ns2)) for of, ours in measured.items()]


def _table(of: Quantity, ours: Grid[Interval], theirs: Grid[Interval] | None) -> Table:
    sides = {_SIDES[0]: ours}
    if theirs is not None and set(theirs.axes) == set(ours.axes):
        sides[_SIDES[1]] = theirs.ordered(ours.axes)
    unit = f", {of.unit}" if of.unit else ""
    caption = f"{capital(of.label)}{unit}: mean ± half-width of the 95 % interval"
    across = _across(ours)
    if across is None:
        rows = [
            [key_words(ours.axes, key), *(_shown(points, key, of) for points in sides.values())] for key in ours.cells
        ]
        return Table(caption=caption, head=["Point", *sides], rows=rows)
    at = ours.axes.index(across)
    values = list(dict.fromkeys(key[at] for key in ours.cells))
    down = list(dict.fromkeys((*key[:at], *key[at + 1 :]) for key in ours.cells))
    axes = (*ours.axes[:at], *ours.axes[at + 1 :])
    rows = [
        [
            key_words(axes, rest) + ("" if name == _SIDES[0] else f"; {name}"),
            *(_shown(points, (*rest[:at], value, *rest[at:]), of) for value in values),
        ]
        for rest in down
        for name, points in sides.items()
        if any((*rest[:at], value, *rest[at:]) in points.cells for value in values)
    ]
    return Table(caption=caption, head=["", *(key_words([across], (value,)) for value in values)], rows=rows)


def _points(of: Quantity, side: Side) -> Grid[Interval] | None:
    with suppress(LookupError):
        return of.points(side)
    return None


def _across(points: Grid[Interval]) -> str | None:
    """Choose the axis of the columns: with two or more axes, the one with the most values that fit."""
    counts: Mapping[str, int] = {axis: len({key[at] for key in points.cells}) for at, axis in enumerate(points.axes)}
    fitting = [axis for axis, count in counts.items() if 1 < count <= _COLUMNS]
    varied = sum(count > 1 for count in counts.values())
    return max(fitting, key=lambda axis: counts[axis]) if fitting and varied > 1 else None


def _shown(points: Grid[Interval], key: Key, of: Quantity) -> str:
    found = points.cells.get(key)
    return DASH if found is None else found.shown(of.digits)
