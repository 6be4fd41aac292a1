"""Charts as data, independent of their rendering.

`paper` draws charts with Matplotlib for files, `screen` as SVG for pages. A chart is a stack of panels. A chart defines
the content and the names of colours, but not the rendering, so that both drawings agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "PENS",
    "Axis",
    "Band",
    "Chart",
    "Dash",
    "Dots",
    "Heat",
    "Level",
    "Marker",
    "Moment",
    "Note",
    "Panel",
    "Scale",
    "Series",
    "legend_entries",
]

Dash = Literal["solid", "dashed", "dotted", "none"]
Marker = Literal["circle", "square", "triangle", "diamond", "pentagon", "down", "hexagon"]

PENS: tuple[tuple[str, Marker], ...] = (
    ("blue", "circle"),
    ("red", "square"),
    ("green", "triangle"),
    ("amber", "diamond"),
    ("sky", "down"),
    ("orange", "pentagon"),
    ("mint", "hexagon"),
    ("grey", "circle"),
)
"""Colours and markers of lines, in the order of their use."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """One axis of a panel.

    Parameters
    ----------
    label
        Quantity and unit.
    low, high
        Ends of the axis; None to choose them from the data.
    log
        Whether the axis is logarithmic.
    ticks
        Positions and labels of custom ticks; None for numeric ticks.
    above
        Whether the labels of a horizontal axis are above the panel and read upwards, as heads of many narrow columns.

    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False
    ticks: Sequence[tuple[float, str]] | None = None
    above: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """A series of points, with or without a line.

    Parameters
    ----------
    name
        Name in the legend and in tooltips.
    x, y
        Arrays of equal length; the line has a gap at NaN.
    colour
        A name in `ackclock.drawing.style.COLOURS`.
    dash
        Line style.
    width
        Line width, in points.
    marker, filled, size
        Marker at each point (None: no marker), whether it is filled, and its diameter in points.
    error
        Half-widths of error bars, which are drawn only if all of them are finite.
    listed
        Whether the legend lists the series. If several series share a name, list one of them.
    group
        Name of a group of series that are shown and hidden together (default: `name`).

    """

    name: str
    x: ArrayLike
    y: ArrayLike
    colour: str
    dash: Dash = "solid"
    width: float = 1.4
    marker: Marker | None = None
    filled: bool = True
    size: float = 3.4
    error: ArrayLike | None = None
    listed: bool = True
    group: str = ""

    @property
    def bars(self) -> NDArray[np.float64] | None:
        """Half-widths of the error bars; None unless all of them are finite."""
        bars = None if self.error is None else np.asarray(self.error, dtype=np.float64)
        return bars if bars is not None and np.isfinite(bars).all() else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """The area between two lines, such as the central range of many runs.

    Parameters
    ----------
    name
        Name in the legend. The band is shown and hidden together with the series of that name.
    x, low, high
        Arrays of equal length.
    colour
        A name in `ackclock.drawing.style.COLOURS`, drawn translucent so that lines remain readable.
    listed
        Whether the legend lists the band.

    """

    name: str
    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    colour: str
    listed: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """A horizontal line across the panel, such as a capacity.

    Parameters
    ----------
    y
        Height of the line, in the unit of the y axis.
    text
        Text above the left end of the line; may be empty.
    dotted
        Whether the line is dotted instead of solid.

    """

    y: float
    text: str = ""
    dotted: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A vertical line across the panel, such as a change of the network.

    Parameters
    ----------
    x
        Place of the line, in the unit of the x axis.
    text
        Text at the upper end of the line; may be empty.

    """

    x: float
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A short text below a point of the panel.

    Parameters
    ----------
    x, y
        The point, in the units of the axes.
    text
        The text of the note.

    """

    x: float
    y: float
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Heat:
    """A heat map: cells coloured by value. The panel's axes count cells from 0.

    Parameters
    ----------
    values
        Rows from bottom to top, of equal length; NaN leaves a cell empty.
    words
        The text in each cell, row by row like `values`.
    label
        Quantity and unit, next to the colour bar.
    low, high
        The values at the ends of the colour bar.
    parted
        Whether to use a diverging colour map, as for ratios around one, instead of a sequential one.
    ticks
        Positions and labels of custom ticks on the colour bar; None for numeric ticks.

    """

    values: ArrayLike
    words: Sequence[Sequence[str]]
    label: str
    low: float
    high: float
    parted: bool = False
    ticks: Sequence[tuple[float, str]] | None = None

    def ink(self, value: float) -> Literal["dark", "pale"]:
        """Choose the text colour that is readable in the cell of a value."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        pale_cell = abs(value - middle) < 0.6 * half if self.parted else value > middle
        return "dark" if pale_cell else "pale"


@dataclass(frozen=True, kw_only=True, slots=True)
class Dots:
    """A raster for many points: each point marks its cell of a fine grid.

    The panel's axes, which must be linear, define the ends of the grid; points outside are omitted. The size of the
    image does not depend on the number of points.

    Parameters
    ----------
    name
        Name of a point in tooltips.
    x, y
        Arrays of equal length.
    colour
        A name in `ackclock.drawing.style.COLOURS` that is visible on white and on black, since the image does not
        follow the page's theme.
    columns, rows
        Number of cells in each direction.

    """

    name: str
    x: ArrayLike
    y: ArrayLike
    colour: str
    columns: int = 500
    rows: int = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """A second scale for the vertical axis, at the right of the panel.

    Parameters
    ----------
    label
        Quantity and unit.
    factor
        Conversion factor: right = left x factor.
    step
        Distance between ticks, in the unit of the right axis.

    """

    label: str
    factor: float
    step: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """A pair of axes with their content.

    Parameters
    ----------
    x, y
        The axes. A panel whose x axis has no label shares the axis of the panel below.
    series, bands, levels, moments, notes
        The content of the panel.
    title
        Title above the left end of the panel.
    right
        A second scale for y.
    heat, dots
        Background content, drawn below everything else.

    """

    x: Axis
    y: Axis
    series: Sequence[Series]
    bands: Sequence[Band] = ()
    levels: Sequence[Level] = ()
    moments: Sequence[Moment] = ()
    notes: Sequence[Note] = ()
    title: str = ""
    right: Scale | None = None
    heat: Heat | None = None
    dots: Dots | None = None

    def marked(self) -> NDArray[np.float64]:
        """Count the dots in each cell: rows from bottom to top.

        Raises
        ------
        ValueError
            The panel has no dots, or its axes are not linear with fixed ends.

        """
        ends = (self.x.low, self.x.high, self.y.low, self.y.high)
        if self.dots is None or None in ends or self.x.log or self.y.log:
            raise ValueError("dots: must have linear axes with low and high")
        left, right, bottom, top = np.array(ends, dtype=np.float64)
        up, along = np.asarray(self.dots.y, dtype=np.float64), np.asarray(self.dots.x, dtype=np.float64)
        bins = (self.dots.rows, self.dots.columns)
        return np.histogram2d(up, along, bins=bins, range=((bottom, top), (left, right)))[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """A figure of one or more panels.

    Parameters
    ----------
    panels
        The panels, from top to bottom; in two columns row by row.
    height
        Height on paper in inches; the width is 5.8.
    columns
        Number of columns on paper; two make the figure wider. Pages have as many as fit.
    y_label
        Common label of the vertical axes, for panels without a label of their own.

    """

    panels: Sequence[Panel]
    height: float = 4.5
    columns: Literal[1, 2] = 1
    y_label: str = ""


def legend_entries(panels: Iterable[Panel]) -> Sequence[Series | Band]:
    """Return the first series or band of each listed name, in drawing order."""
    entries: dict[str, Series | Band] = {}
    for panel in panels:
        shown: tuple[Series | Band, ...] = (*panel.series, *panel.bands)
        for each in shown:
            if each.listed:
                entries.setdefault(each.name, each)
    return list(entries.values())
