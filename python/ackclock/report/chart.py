"""A figure as data. `paper` draws it with Matplotlib for files, `screen` as SVG for pages.

A chart is a stack of panels that a reader compares from top to bottom. It knows what is shown and in which named
colour, and nothing of how: what both drawings have in common is decided once, here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Axis", "Band", "Chart", "Dash", "Dots", "Heat", "Level", "Marker", "Note", "Panel", "Scale", "Series"]

Dash = Literal["solid", "dashed", "dotted", "none"]
Marker = Literal["circle", "square", "triangle", "diamond", "pentagon", "down", "hexagon"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """One axis of a panel.

    Parameters
    ----------
    label
        Quantity and unit.
    low, high
        Where it begins and ends; None leaves that to the data.
    log
        Whether it is logarithmic.
    ticks
        Places and their words, where numbers would not say what is there; None leaves that to the axis.

    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False
    ticks: Sequence[tuple[float, str]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """Points, joined by a line or not.

    Parameters
    ----------
    name
        In the legend and where a reader points.
    x, y
        Equally many numbers; where one is not a number the line has a gap.
    colour
        A name in `ackclock.report.style.COLOURS`.
    dash
        How points are joined.
    width
        Of the line, in points.
    marker, filled, size
        What stands at each point, None for nothing; its diameter in points.
    error
        Half-widths of error bars; a point where it is not finite has none.
    listed
        Whether the legend names it; of several series of one name, one should be.
    group
        What is shown and hidden together when a reader asks for it; the name, if empty.

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """The area between two lines, such as the middle of many runs.

    Parameters
    ----------
    name
        In the legend; shown and hidden together with the series of that name.
    x, low, high
        Equally many numbers.
    colour
        A name in `ackclock.report.style.COLOURS`; drawn thin, so that lines stay readable above it.
    listed
        Whether the legend names it.

    """

    name: str
    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    colour: str
    listed: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """A line from edge to edge at one height, such as a capacity.

    Parameters
    ----------
    y
        The height.
    text
        Written above its left end; may be empty.
    dotted
        Whether it is dotted, not solid.

    """

    y: float
    text: str = ""
    dotted: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A few words below a point of the panel.

    Parameters
    ----------
    x, y
        The point, in the units of the axes.
    text
        The words.

    """

    x: float
    y: float
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Heat:
    """Cells side by side, each in the colour of its value. The panel's axes count cells, from 0.

    Parameters
    ----------
    values
        Rows from bottom to top, of equally many numbers; where one is not a number the cell is empty.
    words
        What stands in each cell.
    label
        Quantity and unit, beside the scale of colours.
    low, high
        The values at the ends of that scale.
    parted
        Whether colours part at the middle of the scale, as where a ratio is one; otherwise they run from end to end.
    ticks
        Places on the scale and their words, where numbers would not say what is there; None leaves that to the scale.

    """

    values: ArrayLike
    words: Sequence[Sequence[str]]
    label: str
    low: float
    high: float
    parted: bool = False
    ticks: Sequence[tuple[float, str]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Dots:
    """Points too many to draw one by one: each marks the cell of a fine grid that it lies in.

    The panel's axes say where the grid begins and ends, and are linear; points beyond it are left out. A picture of a
    million points is as small as one of a thousand.

    Parameters
    ----------
    name
        What a point is, where a reader points.
    x, y
        Equally many numbers.
    colour
        A name in `ackclock.report.style.COLOURS`, of those that stand out on white and on black: it does not follow
        the page's scheme.
    columns, rows
        Cells along and up.

    """

    name: str
    x: ArrayLike
    y: ArrayLike
    colour: str
    columns: int = 500
    rows: int = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """A second reading of the vertical axis, at the right.

    Parameters
    ----------
    label
        Quantity and unit.
    factor
        Its unit in those of the left axis, inverted: right = left x factor.
    step
        Between two ticks, in the unit of the right axis.

    """

    label: str
    factor: float
    step: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """One pair of axes and what is drawn on them.

    Parameters
    ----------
    x, y
        The axes. A panel whose x has no label shares the axis of the panel below it.
    series, bands, levels, notes
        What is drawn.
    title
        Above its left end.
    right
        A second reading of y.
    heat, dots
        Drawn below all else.

    """

    x: Axis
    y: Axis
    series: Sequence[Series]
    bands: Sequence[Band] = ()
    levels: Sequence[Level] = ()
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
            If the panel has no dots, or its axes do not say where a linear grid begins and ends.

        """
        ends = (self.x.low, self.x.high, self.y.low, self.y.high)
        if self.dots is None or None in ends or self.x.log or self.y.log:
            raise ValueError("dots: must stand on linear axes whose low and high are given")
        left, right, bottom, top = np.array(ends, dtype=np.float64)
        up, along = np.asarray(self.dots.y, dtype=np.float64), np.asarray(self.dots.x, dtype=np.float64)
        bins = (self.dots.rows, self.dots.columns)
        return np.histogram2d(up, along, bins=bins, range=((bottom, top), (left, right)))[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """A figure.

    Parameters
    ----------
    panels
        From top to bottom.
    height
        Inches on paper, where it is 5.8 wide.
    y_label
        Of all panels together, where they have no label of their own.

    """

    panels: Sequence[Panel]
    height: float = 4.5
    y_label: str = ""
