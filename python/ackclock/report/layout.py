"""How the figures of a store are laid out: what goes along, what makes series, and what makes panels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.scenario.errors import one_of, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.report.points import Field, Point, Points

__all__ = ["MOST_PANELS", "Layout", "choose", "key"]

MOST_PANELS: Final = 12
"""More of them nobody looks through."""

_MOST_SERIES: Final = 4
"""More bands than these hide each other."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What goes where.

    Parameters
    ----------
    x
        Along the horizontal axis.
    by
        Their values make series.
    apart
        Their values make panels.
    across
        The field that a heat map has upwards; None where there is no second field of numbers.
    scattered
        Whether points lie anywhere, as drawn ones do: then each field of numbers has a panel.

    """

    x: Field
    by: Sequence[Field]
    apart: Sequence[Field]
    across: Field | None
    scattered: bool

    @property
    def beside(self) -> Sequence[Field]:
        """The fields whose values make panels of heat maps."""
        return [field for field in (*self.by, *self.apart) if field != self.across]

    def panels(self, points: Sequence[Point]) -> int:
        """Count the panels that the figure of most panels would have."""
        if self.scattered:
            return 0
        maps = len({key(point, self.beside) for point in points}) if self.across else 0
        return max(maps, len({key(point, self.apart) for point in points}))


def choose(points: Points, *, x: str | None = None, by: Sequence[str] | None = None) -> Layout | None:
    """Choose a layout; None where nothing differs between the points.

    The first field of numbers goes along, words make series, and so do further numbers as long as they make no more
    than four; the rest makes panels.

    Parameters
    ----------
    points
        What is drawn.
    x, by
        Fields that the reader wants there.

    Raises
    ------
    ScenarioError
        If there is no such field.

    """
    paths = [field.path for field in points.fields]
    for option, wanted in [("--x", x), *(("--by", each) for each in by or ())]:
        if wanted is not None and wanted not in paths:
            raise refuse(option, wanted, one_of(wanted, paths) if paths else "must be absent: no field differs")
    if not points.fields:
        return None
    numbers = [field for field in points.fields if field.numeric]
    along = points.field(x) if x else (numbers or points.fields)[0]
    rest = [field for field in points.fields if field != along]
    if by is None:
        chosen: list[Field] = []
        for field in sorted(rest, key=lambda field: field.numeric):
            if math.prod(len(each.values) for each in (*chosen, field)) <= _MOST_SERIES:
                chosen.append(field)
    else:
        chosen = [points.field(path) for path in by]
    across = next((field for field in rest if field.numeric), None) if along.numeric else None
    lines = len({key(point, rest) for point in points.points})
    return Layout(
        x=along,
        by=chosen,
        apart=[field for field in rest if field not in chosen],
        across=across,
        scattered=across is not None and 2 * lines > len(points.points),
    )


def key(point: Point, fields: Sequence[Field]) -> tuple[object, ...]:
    """Give where a point is, as far as some fields tell."""
    return tuple(point.place[field.path] for field in fields)
