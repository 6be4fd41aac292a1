"""Layout of a store's figures: the fields for the x axis, the series and the panels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.values.errors import one_of, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.study.figures.points import Field, Point, Points

__all__ = ["MOST_PANELS", "Layout", "choose", "key"]

MOST_PANELS: Final = 12
"""Maximum number of panels."""

_MOST_SERIES: Final = 4
"""Maximum number of series in a panel; the bands of more series would hide each other."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The use of each swept field in the figures: x axis, series or panels.

    Parameters
    ----------
    x
        Field on the horizontal axis.
    by
        Fields whose values define the series.
    apart
        Fields whose values define the panels.
    across
        Field on the vertical axis of heat maps; None if there is no second numeric field.
    scattered
        Whether the points are scattered, as in a random sample. If so, each numeric field has its own panel.

    """

    x: Field
    by: Sequence[Field]
    apart: Sequence[Field]
    across: Field | None
    scattered: bool

    @property
    def beside(self) -> Sequence[Field]:
        """Fields whose values define the panels of heat maps."""
        return [field for field in (*self.by, *self.apart) if field != self.across]

    def panels(self, points: Sequence[Point]) -> int:
        """Compute the number of panels of the largest figure."""
        if self.scattered:
            return 0
        maps = len({key(point, self.beside) for point in points}) if self.across else 0
        return max(maps, len({key(point, self.apart) for point in points}))


def choose(
    points: Points, *, x: str | None = None, by: Sequence[str] | None = None, option: str = "--{}"
) -> Layout | None:
    """Choose a layout; None if no field differs between points.

    The first numeric field is the x axis. Other fields define series, non-numeric fields first, as long as the panel
    has at most four series. The remaining fields define panels.

    Parameters
    ----------
    points
        The points to draw.
    x, by
        Paths of the fields that the user requested for the x axis and for the series.
    option
        How an error names these two.

    Raises
    ------
    ScenarioError
        There is no such field.

    """
    paths = [field.path for field in points.fields]
    for name, wanted in [("x", x), *(("by", each) for each in by or ())]:
        if wanted is not None and wanted not in paths:
            raise refuse(
                option.format(name),
                wanted,
                one_of(wanted, paths) if paths else "must be absent: no field differs between points",
            )
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
    """Return the sort key of a point from its values of some fields."""
    return tuple(point.place[field.path] for field in fields)
