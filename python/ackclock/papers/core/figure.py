"""Figures as values: panels of quantities, and the CSV, table, markers of ns-2 and caption that belong to them.

A `Plot` says which quantities stand against which axis; a `Figure` stacks plots and names the quantities of its data.
Everything else is made of them: our means with 95 % intervals, ns-2's means as hollow markers, what a point is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from ackclock.papers.core.evidence import joined
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.words import DASH, listed
from ackclock.papers.figures import HOLLOW, own, theirs
from ackclock.report.chart import Axis, Band, Chart, Level, Note, Panel, Scale, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Evidence, Grid, Key, Scalar, Side
    from ackclock.papers.figures import Pen
    from ackclock.report.chart import Heat

__all__ = ["Figure", "Flat", "Lines", "Mark", "Numbers", "Plot", "curves_csv"]

T = TypeVar("T")
Made: TypeAlias = T | Callable[[Any], T]
"""A value, or what makes one of the evidence, such as an axis that ends above the largest mean."""


class Mark(Protocol):
    """Something drawn in a plot, such as `Lines` and `Flat`."""

    def series(self, evidence: Evidence) -> Sequence[Series]:
        """Give its series."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lines:
    """Means along one axis, a line for each value of another: ours with intervals, ns-2's as hollow markers.

    Parameters
    ----------
    of
        The quantity; it has the axes `x` and `by` and no other.
    x, by
        The axes; without `by` there is one line.
    pens
        What each line looks like, by the value of `by`; of one line, by its name.
    name
        Name of the line where there is only one.
    plain
        Without markers and intervals, where points are dense.

    """

    of: Quantity
    x: str
    by: str = ""
    pens: Mapping[str, Pen]
    name: str = ""
    plain: bool = False

    def series(self, evidence: Evidence) -> Sequence[Series]:
        drawn = []
        for look, side in ((theirs, evidence.ns2), (own, evidence.ours)):
            for name, points in self._lines(side).items():
                line = look(name, points, self.pens[name])
                drawn.append(replace(line, marker=None, error=None) if self.plain else line)
        return drawn

    def _lines(self, side: Side) -> dict[str, dict[float, Interval]]:
        """Give the points of each line, along x ascending."""
        with suppress(LookupError):
            lines = self.of.points(side).along(self.x)
            by = lines.axes.index(self.by) if self.by else None
            return {
                self.name if by is None else str(key[by]): {float(at): line[at] for at in sorted(line, key=float)}
                for key, line in lines.cells.items()
            }
        return {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Flat:
    """Our mean as a line from edge to edge, one for each value of an axis: what another setting gives.

    Parameters
    ----------
    of
        The quantity, with the axis `by` alone.
    by
        The axis.
    low, high
        Where the lines begin and end.
    pens
        What each line looks like.

    """

    of: Quantity
    by: str
    low: float
    high: float
    pens: Mapping[str, Pen]

    def series(self, evidence: Evidence) -> Sequence[Series]:
        return [
            Series(
                name=str(key[0]),
                x=[self.low, self.high],
                y=[point.mean] * 2,
                colour=self.pens[str(key[0])].colour,
                width=1.1,
            )
            for key, point in self.of.points(evidence.ours).cells.items()
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """One panel; `x` without a label shares the axis of the plot below.

    Parameters
    ----------
    x, y
        The axes.
    marks
        What is drawn: marks, and series that no run is in, such as a formula.
    title, levels, notes, bands, right, heat
        As for `ackclock.report.chart.Panel`.

    """

    x: Made[Axis]
    y: Made[Axis]
    marks: Sequence[Mark | Series]
    title: str = ""
    levels: Made[Sequence[Level]] = ()
    notes: Made[Sequence[Note]] = ()
    bands: Made[Sequence[Band]] = ()
    right: Scale | None = None
    heat: Made[Heat | None] = None

    def panel(self, evidence: Evidence) -> Panel:
        """Draw the panel."""
        marks = [(mark,) if isinstance(mark, Series) else mark.series(evidence) for mark in self.marks]
        drawn = [series for mark in marks for series in mark]
        hollow = [HOLLOW] if any(not series.filled for series in drawn) else []
        return Panel(
            x=_made(self.x, evidence),
            y=_made(self.y, evidence),
            series=[*drawn, *hollow],
            title=self.title,
            levels=_made(self.levels, evidence),
            notes=_made(self.notes, evidence),
            bands=_made(self.bands, evidence),
            right=self.right,
            heat=_made(self.heat, evidence),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Numbers:
    """The table of our means: rows along one axis, columns along another.

    Parameters
    ----------
    of
        The quantity; of several, the columns follow one another.
    rows, columns
        Their axes; without `columns` there is one column.
    head
        Heading of the first column.
    caption
        What the numbers are, with the unit.

    """

    of: Quantity | Sequence[Quantity]
    rows: str
    columns: str = ""
    head: str
    caption: str

    def table(self, ours: Side) -> Table:
        """Lay the numbers out."""
        at: dict[tuple[Scalar, Scalar], str] = {}
        for one in (self.of,) if isinstance(self.of, Quantity) else self.of:
            points = one.points(ours)
            for key, point in points.cells.items():
                at[_at(points, key, self.rows), _at(points, key, self.columns)] = point.shown(one.digits)
        rows, columns = (dict.fromkeys(key[place] for key in at) for place in (0, 1))
        return Table(
            caption=f"{self.caption}: mean ± half-width of the 95 % interval",
            head=[self.head, *map(str, columns)],
            rows=[[_written(row), *(at.get((row, column), DASH) for column in columns)] for row in rows],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A figure.

    Parameters
    ----------
    slug, title
        Short name for files and links, and heading.
    what, rest
        The caption before and after what it says of points, bars and markers.
    points
        What the caption says of points in place of that, with ``{runs}`` for how many runs each has.
    plots
        From top to bottom.
    height
        Inches on paper.
    data
        The quantities of the CSV, by the names of their columns; all have the same axes.
    axes
        Headings of the axes in the CSV, where they are not their names.
    numbers
        The table below the figure; a function makes one of another shape.
    csv
        Writes the CSV, where its rows are not the points of `data`.

    """

    slug: str
    title: str
    what: str
    rest: str = ""
    points: str = ""
    plots: Sequence[Plot]
    height: float = 4.8
    data: Mapping[str, Quantity]
    axes: Mapping[str, str] | None = None
    numbers: Numbers | Callable[[Any], Table]
    csv: Callable[[Any], str] | None = None

    def drawing(self, evidence: Evidence, *, command: str) -> Drawing:
        """Draw the figure and lay its data beside it."""
        first = next(iter(self.data.values()))
        runs = _counted(first.points(evidence.ours))
        points = self.points.format(runs=runs) if self.points else points_and_bars(first, evidence)
        return Drawing(
            chart=Chart(panels=[plot.panel(evidence) for plot in self.plots], height=self.height),
            slug=self.slug,
            title=self.title,
            caption=" ".join(filter(None, (self.what, points, self.rest))),
            csv=self.csv(evidence) if self.csv else to_csv(self.data, evidence, axes=self.axes or {}),
            numbers=self.numbers.table(evidence.ours) if isinstance(self.numbers, Numbers) else self.numbers(evidence),
            command=command,
        )


def points_and_bars(of: Quantity, evidence: Evidence) -> str:
    """Say what points, bars and hollow markers are, and of how many runs."""
    ours = _counted(of.points(evidence.ours))
    bars = (
        "Points are single runs, without bars."
        if ours == "1 runs"
        else f"Points are means of {ours} with bars for the 95 % confidence interval (Student's t)."
    )
    with suppress(LookupError):
        theirs = _counted(of.points(evidence.ns2))
        return f"{bars} Hollow markers are means of {theirs} of ns-2.35, whose intervals are in the CSV."
    return bars


def _counted(points: Grid[Interval]) -> str:
    """Say how many runs a mean has; by the first axis, where its values differ in that."""
    most: dict[Scalar, int] = {}
    for key, point in points.cells.items():
        name = key[0] if key else ""
        most[name] = max(most.get(name, 0), point.count)
    if len(set(most.values())) == 1:
        return f"{next(iter(most.values()))} runs"
    by_count: dict[int, list[str]] = {}
    for name, count in most.items():
        by_count.setdefault(count, []).append(str(name))
    return listed([f"{count} runs ({'; '.join(names)})" for count, names in by_count.items()])


def to_csv(data: Mapping[str, Quantity], evidence: Evidence, *, axes: Mapping[str, str]) -> str:
    """Write quantities as CSV: a row for each point of each simulator, means with half-widths of 95 % intervals."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for source, side in (("ackclock", evidence.ours), ("ns-2.35", evidence.ns2)):
        with suppress(LookupError):
            points = joined([one.points(side) for one in data.values()])
            if not text.tell():
                names = [f"{name}{end}" for name in data for end in ("", "_ci95")]
                rows.writerow(["source", *(axes.get(axis, axis) for axis in points.axes), "runs", *names])
            for key, cells in points.cells.items():
                numbers = [f"{number:.6g}" for cell in cells for number in (cell.mean, cell.half_width)]
                rows.writerow([source, *key, cells[0].count, *numbers])
    return text.getvalue()


def curves_csv(x: str, curves: Sequence[tuple[str, Quantity]], evidence: Evidence, *, head: bool = True) -> str:
    """Write our curves as CSV: a row for each point, with what is drawn, the name of its curve, and its place.

    Parameters
    ----------
    x
        Heading of the places.
    curves
        What is drawn, and the quantity: its first axis names the curves, its second the places.
    evidence
        The runs.
    head
        Begin with the names of the columns.

    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    if head:
        rows.writerow(["measure", "curve", x, "mean", "ci95"])
    for measure, of in curves:
        for (curve, at), point in of.points(evidence.ours).cells.items():
            rows.writerow([measure, curve, at, f"{point.mean:.6g}", f"{point.half_width:.3g}"])
    return text.getvalue()


def _made(value: Made[T], evidence: Evidence) -> T:
    return value(evidence) if callable(value) else value


def _at(points: Grid[Interval], key: Key, axis: str) -> Scalar:
    return key[points.axes.index(axis)] if axis else ""


def _written(value: Scalar) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
