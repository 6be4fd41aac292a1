"""Marks of plots, and their pens: lines of means, scatter plots of two quantities, levels, time courses of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis import Interval
from ackclock.drawing.chart import Band, Dash, Marker, Series
from ackclock.drawing.style import COLOURS
from ackclock.papers.core.evidence import Evidence, Scalar, Side, joined
from ackclock.papers.core.quantities import Quantity
from ackclock.values.errors import refuse

HOLLOW = Series(
    name="hollow: ns-2.35", x=[np.nan], y=[np.nan], colour="ink", marker="circle", dash="none", filled=False, size=7.5
)
"""Legend entry of ns-2's markers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pen:
    """Style of a variant in all figures."""

    colour: str
    marker: Marker
    dash: Dash = "solid"

    def __post_init__(self) -> None:
        """Refuse an unknown colour."""
        if self.colour not in COLOURS:
            raise refuse("colour", self.colour, f"must be one of {', '.join(COLOURS)}")


def dots(name: str, x: ArrayLike, y: ArrayLike, pen: Pen, **style: Any) -> Series:
    """Draw points that are not joined."""
    return Series(name=name, x=x, y=y, colour=pen.colour, marker=pen.marker, dash="none", **style)


def own(variant: str, points: Mapping[float, Interval], pen: Pen) -> Series:
    """Draw our means of a variant over the x axis, with intervals."""
    return Series(
        name=variant,
        x=list(points),
        y=[interval.mean for interval in points.values()],
        colour=pen.colour,
        marker=pen.marker,
        dash=pen.dash,
        error=[interval.half_width for interval in points.values()],
    )


def theirs(variant: str, points: Mapping[float, Interval], pen: Pen) -> Series:
    """Draw ns-2's means of a variant as hollow markers, shown and hidden together with our curve."""
    return replace(
        own(variant, points, pen),
        name=f"{variant}, ns-2.35",
        dash="none",
        error=None,
        filled=False,
        size=7.5,
        listed=False,
        group=variant,
    )


class Mark(Protocol):
    """An element of a plot, such as `Lines` or `Flat`."""

    def series(self, evidence: Evidence) -> Sequence[Series | Band]:
        """Return its series and bands."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lines:
    """Means along one axis, with a line for each value of another: ours with intervals, ns-2's as hollow markers.

    Parameters
    ----------
    of
        The quantity; it has the axes `x` and `by` and no other.
    x, by
        The axes; without `by` there is one line.
    pens
        Style of each line, by the value of `by`, or by name for a single line.
    name
        Name of a single line.
    plain
        Draw our means without markers and intervals, for dense points.
    band
        Draw intervals as bands instead of bars.
    places
        Positions of x values, if they differ from the values.
    apart
        Distance between lines whose points are placed side by side and not joined.

    """

    of: Quantity
    x: str
    by: str = ""
    pens: Mapping[str, Pen]
    name: str = ""
    plain: bool = False
    band: bool = False
    places: Mapping[float, float] = field(default_factory=dict)
    apart: float = 0.0

    def series(self, evidence: Evidence) -> Sequence[Series | Band]:
        drawn: list[Series | Band] = []
        for make_line, side in ((theirs, evidence.ns2), (own, evidence.ours)):
            lines = self.lines(side)
            for number, (name, points) in enumerate(lines.items()):
                shift = self.apart * (number - (len(lines) - 1) / 2)
                placed = {self.places.get(at, at) + shift: point for at, point in points.items()}
                line = make_line(name, placed, _pen(self.pens, name))
                line = replace(line, dash="none", size=5.0) if self.apart else line
                line = replace(line, marker=None) if self.plain and make_line is own else line
                drawn.append(replace(line, error=None) if self.plain or self.band else line)
                if self.band and make_line is own:
                    drawn.append(_band(name, points, _pen(self.pens, name).colour))
        return drawn

    def lines(self, side: Side) -> dict[str, dict[float, Interval]]:
        """Return the points of each line of a simulator, in increasing order of x."""
        with suppress(LookupError):
            lines = self.of.points(side).along(self.x)
            by = lines.place(self.by) if self.by else None
            return {
                self.name if by is None else str(key[by]): {float(at): line[at] for at in sorted(line, key=float)}
                for key, line in lines.cells.items()
            }
        return {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Flat:
    """Our means as horizontal lines, one for each value of an axis, such as results with another setting.

    Parameters
    ----------
    of, by
        The quantity, and its only axis.
    low, high
        Ends of the lines.
    pens
        Style of each line.

    """

    of: Quantity
    by: str
    low: float
    high: float
    pens: Mapping[str, Pen]

    def series(self, evidence: Evidence) -> Sequence[Series]:
        means = {str(key[0]): point.mean for key, point in self.of.points(evidence.ours).cells.items()}
        x, pens = [self.low, self.high], self.pens
        return [
            Series(name=name, x=x, y=[mean] * 2, colour=_pen(pens, name).colour, width=1.1)
            for name, mean in means.items()
        ]


def _pen(pens: Mapping[str, Pen], name: str) -> Pen:
    """Return the style of a line."""
    if name not in pens:
        raise refuse("pens", name, f"must be the name of a line: {', '.join(pens)}")
    return pens[name]


def widths_of(points: Iterable[Interval]) -> NDArray[np.float64]:
    """Return half-widths to draw: 0 for a single run, which has no interval."""
    return np.array([point.half_width if math.isfinite(point.half_width) else 0.0 for point in points])


def _band(name: str, points: Mapping[float, Interval], colour: str) -> Band:
    """Draw 95 % intervals, clipped at 0."""
    widths = widths_of(points.values())
    means = np.array([point.mean for point in points.values()])
    low = np.where(means < 0, means - widths, np.maximum(means - widths, 0))
    return Band(name=name, x=list(points), low=low, high=means + widths, colour=colour, listed=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scatter:
    """Means of one quantity over another: ours as full markers, ns-2's as hollow ones.

    Parameters
    ----------
    x, y
        The quantities; both have the same axes.
    by
        The axis whose values have different markers.
    pens
        Style of each value's markers.
    names
        Format of a value's name in the legend.

    """

    x: Quantity
    y: Quantity
    by: str
    pens: Mapping[Any, Pen]
    names: str = "{}"

    def series(self, evidence: Evidence) -> Sequence[Series]:
        drawn = []
        for make_line, side in ((theirs, evidence.ns2), (own, evidence.ours)):
            with suppress(LookupError):
                both = joined([self.x.points(side), self.y.points(side)])
                place = both.axes.index(self.by)
                for value, pen in self.pens.items():
                    here = [pair for key, pair in both.cells.items() if key[place] == value]
                    line = make_line(self.names.format(value), {}, pen)
                    drawn.append(
                        replace(line, x=[x.mean for x, _ in here], y=[y.mean for _, y in here], dash="none", error=None)
                    )
        return [series for series in drawn if np.size(series.x)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """Two arrays of one of our runs as a line over time; the run is the first of a part at a point.

    Parameters
    ----------
    part, where
        The part and the coordinates of the run.
    x, y
        Names of the arrays.
    name, pen
        Name and style of the line.
    held
        Whether a value holds until the next one, so that the line has steps.

    """

    part: str
    where: Mapping[str, Scalar] = field(default_factory=dict)
    x: str
    y: str
    name: str
    pen: Pen
    held: bool = False

    def arrays(self, evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
        """Return times and values.

        Raises
        ------
        LookupError
            There is no run at the point.

        """
        for row in evidence.ours.part(self.part):
            if self.where.items() <= row.where.items():
                return np.asarray(row.values[self.x]), np.asarray(row.values[self.y])
        raise LookupError(f"no run of {self.part} at {dict(self.where)}")

    def series(self, evidence: Evidence) -> Sequence[Series]:
        x, y = self.arrays(evidence)
        if self.held:
            x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
        return [Series(name=self.name, x=x, y=y, colour=self.pen.colour, dash=self.pen.dash, width=1.0)]
