"""Figures as values: panels of quantities with their CSV, table, caption and markers of ns-2.

A `Plot` defines which quantities are drawn over which axis; a `Figure` stacks plots and names the quantities of its
data. The rest follows from them: our means with 95 % intervals, ns-2's means as hollow markers, text on the points.
The marks of a plot are `Lines`, `Scatter`, `Flat` and `Course`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Any, TypeAlias, TypeVar

from ackclock.analysis import Interval
from ackclock.drawing.chart import Axis, Band, Chart, Heat, Level, Note, Panel, Scale, Series
from ackclock.papers.core.evidence import Evidence, Grid, Key, Scalar, Side, joined
from ackclock.papers.core.marks import HOLLOW, Course, Flat, Lines, Mark, Pen, Scatter, dots
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.words import DASH, key_words
from ackclock.report.html import Drawing, Table
from ackclock.report.rows import rows_csv
from ackclock.values.words import capital, listed

__all__ = [
    "Course",
    "Figure",
    "Flat",
    "Lines",
    "Numbers",
    "Pen",
    "Plot",
    "Scatter",
    "csv_text",
    "curves_csv",
    "dots",
    "from_zero",
    "points_csv",
    "powers",
    "sources",
    "stacked",
    "table_csv",
]

T = TypeVar("T")
Made: TypeAlias = T | Callable[[Any], T]
"""A value, or a function that computes it from the evidence, such as an axis that ends above the largest mean."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """One panel; `x` without a label shares the axis of the plot below.

    Parameters
    ----------
    x, y
        The axes.
    marks
        Marks, and series that need no runs, such as the curve of a formula.
    title, levels, notes, bands, right, heat
        As in `ackclock.drawing.chart.Panel`.

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
        drawn = [one for mark in marks for one in mark if isinstance(one, Series)]
        bands = [one for mark in marks for one in mark if isinstance(one, Band)]
        hollow = [HOLLOW] if any(not series.filled for series in drawn) else []
        return Panel(
            x=_made(self.x, evidence),
            y=_made(self.y, evidence),
            series=[*drawn, *hollow],
            title=self.title,
            levels=_made(self.levels, evidence),
            notes=_made(self.notes, evidence),
            bands=[*_made(self.bands, evidence), *bands],
            right=self.right,
            heat=_made(self.heat, evidence),
        )


def stacked(plots: Iterable[Plot]) -> list[Plot]:
    """Put letters before the titles of panels, and label their common x axis only below the last panel."""
    *above, last = plots
    unlabelled = [replace(plot, x=replace(plot.x, label="")) if isinstance(plot.x, Axis) else plot for plot in above]
    return [
        replace(plot, title=f"({letter}) {plot.title}".rstrip())
        for letter, plot in zip(ascii_lowercase, [*unlabelled, last], strict=False)
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Numbers:
    """The table of our means: rows along one axis, columns along another.

    Parameters
    ----------
    of
        The quantity, or several quantities with optional names, whose columns are side by side. By default, quantity,
        rows and columns are those of the figure's first `Lines`.
    rows, columns
        The axes of rows and columns. Without `rows`, each named quantity has a row. Without `columns` there is one
        column; with several axes, each combination of their values has one.
    head
        Heading of the first column (default: the name of the axis of the rows, if they are those of `Lines`).
    caption
        Description of the numbers, with unit.

    """

    of: Quantity | Sequence[Quantity] | Mapping[str, Quantity] = ()
    rows: str = ""
    columns: str | Sequence[str] = ""
    head: str = ""
    caption: str

    def along(self, lines: Lines) -> Numbers:
        """Complete the table with quantity and axes of lines."""
        return replace(self, of=lines.of, rows=lines.x, columns=lines.by, head=self.head or capital(lines.x))

    def table(self, ours: Side) -> Table:
        """Create the table."""
        at: dict[tuple[Scalar, Scalar], str] = {}
        for name, one in self._named():
            with suppress(LookupError) if name else nullcontext():
                points = one.points(ours)
                for key, point in points.cells.items():
                    at[self._place(name, points, key)] = point.shown(one.digits)
        rows, columns = (dict.fromkeys(key[place] for key in at) for place in (0, 1))
        return Table(
            caption=f"{self.caption}: mean ± half-width of the 95 % interval",
            head=[self.head, *map(str, columns)],
            rows=[[_written(row), *(at.get((row, column), DASH) for column in columns)] for row in rows],
        )

    def _named(self) -> list[tuple[str, Quantity]]:
        if isinstance(self.of, Quantity):
            return [("", self.of)]
        return list(self.of.items()) if isinstance(self.of, Mapping) else [("", one) for one in self.of]

    def _place(self, name: str, points: Grid[Interval], key: Key) -> tuple[Scalar, Scalar]:
        """Return the row and the column of a point."""
        column = _at(points, key, self.columns)
        if not self.rows:
            return name, key_words(points.axes, key)
        if name:
            column = f"{name}, {_written(column)}" if self.columns else name
        return _at(points, key, self.rows), column


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A figure.

    Parameters
    ----------
    slug, title
        Short name for files and links; heading.
    what, rest
        The caption before and after its text on points, bars and markers.
    points
        A replacement for the text on points, with ``{runs}`` for the number of runs per point.
    plots
        The panels, from top to bottom; a function draws a panel of another kind.
    height
        Height on paper, in inches.
    data
        The quantities of the CSV, by the names of their columns; all have the same axes. By default, if `numbers` shows
        the first `Lines`, they are those of all `Lines` by the names of their measures; otherwise the CSV is the table.
    counted
        The quantity whose runs the caption counts (default: the first of `data`, or else of the marks).
    axes
        Headings of the axes in the CSV, if they differ from the names.
    numbers
        The table below the figure; a function creates a table of another shape.
    csv
        Writes the CSV, if its rows are not the points of `data`.
    command
        A command that shows the figure's content, instead of the command that creates the report.

    """

    slug: str
    title: str
    what: str
    rest: str = ""
    points: str = ""
    plots: Sequence[Plot | Callable[[Any], Panel]]
    height: float = 4.8
    data: Mapping[str, Quantity] = field(default_factory=dict)
    counted: Quantity | None = None
    axes: Mapping[str, str] | None = None
    numbers: Numbers | Callable[[Any], Table]
    csv: Callable[[Any], str] | None = None
    command: str = ""

    def drawing(self, evidence: Evidence, *, command: str) -> Drawing:
        """Draw the figure and add its data."""
        table = self._table(evidence)
        panels = [plot.panel(evidence) if isinstance(plot, Plot) else plot(evidence) for plot in self.plots]
        return Drawing(
            chart=Chart(panels=panels, height=self.height),
            slug=self.slug,
            title=self.title,
            caption=" ".join(filter(None, (self.what, self._points(evidence), self.rest))),
            csv=self._csv(evidence, table),
            numbers=table,
            command=self.command or command,
        )

    @property
    def _drawn(self) -> list[Lines | Scatter]:
        """The marks that draw quantities."""
        marks = (mark for plot in self.plots if isinstance(plot, Plot) for mark in plot.marks)
        return [mark for mark in marks if isinstance(mark, Lines | Scatter)]

    @property
    def _columns(self) -> Mapping[str, Quantity]:
        if self.data or not isinstance(self.numbers, Numbers) or self.numbers.of:
            return self.data
        return {mark.of.name: mark.of for mark in self._drawn if isinstance(mark, Lines)}

    def _table(self, evidence: Evidence) -> Table:
        if not isinstance(self.numbers, Numbers):
            return self.numbers(evidence)
        lines = [mark for mark in self._drawn if isinstance(mark, Lines)]
        numbers = self.numbers if self.numbers.of else self.numbers.along(lines[0])
        return numbers.table(evidence.ours)

    def _csv(self, evidence: Evidence, table: Table) -> str:
        if self.csv:
            return self.csv(evidence)
        data = self._columns
        return to_csv(data, evidence, axes=self.axes or {}) if data else table_csv(table)

    def _points(self, evidence: Evidence) -> str:
        """Describe the points."""
        drawn = (mark.of if isinstance(mark, Lines) else mark.y for mark in self._drawn)
        first = self.counted or next(iter((*self.data.values(), *drawn)), None)
        if first is None or not self.points:
            return self.points if first is None else points_and_bars(first, evidence)
        return self.points.format(runs=_counted(first.points(evidence.ours)))


def points_and_bars(of: Quantity, evidence: Evidence) -> str:
    """Describe points, bars and hollow markers, with their numbers of runs."""
    ours = _counted(of.points(evidence.ours))
    bars = (
        "Points are single runs, without bars."
        if ours == "1 run"
        else f"Points are means of {ours} with bars for the 95 % confidence interval (Student's t)."
    )
    with suppress(LookupError):
        theirs = _counted(of.points(evidence.ns2))
        return f"{bars} Hollow markers are means of {theirs} of ns-2.35, whose intervals are in the CSV."
    return bars


def _counted(points: Grid[Interval]) -> str:
    """Describe the number of runs per mean, by the values of the first axis if they differ."""
    most: dict[Scalar, int] = {}
    for key, point in points.cells.items():
        name = key[0] if key else ""
        most[name] = max(most.get(name, 0), point.count)
    if len(set(most.values())) == 1:
        return _runs(next(iter(most.values())))
    by_count: dict[int, list[str]] = {}
    for name, count in most.items():
        by_count.setdefault(count, []).append(str(name))
    return listed([f"{_runs(count)} ({'; '.join(names)})" for count, names in by_count.items()])


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def powers(label: str, low: float | None, high: float | None, ticks: Iterable[float]) -> Axis:
    """Create a logarithmic axis with the given ticks."""
    return Axis(label=label, low=low, high=high, log=True, ticks=[(tick, f"{tick:g}") for tick in ticks])


def from_zero(
    label: str, *of: Quantity, least: float = 0.0, margin: float = 0.0, space: float = 1.08
) -> Callable[[Any], Axis]:
    """Create an axis from 0, or a margin below it, to above `least` and the means of both simulators."""

    def axis(evidence: Evidence) -> Axis:
        means = [least]
        for one in of:
            for side in (evidence.ours, evidence.ns2):
                with suppress(LookupError):
                    means += [point.mean for point in one.points(side).cells.values()]
        return Axis(label=label, low=-margin * space * max(means), high=space * max(means))

    return axis


def sources(evidence: Evidence) -> tuple[tuple[str, Side], ...]:
    """Return the runs of each simulator with its name in data files."""
    return ("ackclock", evidence.ours), ("ns-2.35", evidence.ns2)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format a heading and rows as CSV; floating-point numbers have six digits."""
    return rows_csv([head, *([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)])


def table_csv(table: Table) -> str:
    """Format a table as CSV."""
    return rows_csv([table.head, *table.rows])


def points_csv(*head: str, of: Mapping[str, Quantity]) -> Callable[[Evidence], str]:
    """Return a function that formats named quantities as CSV: name, coordinates, mean and half-width of each point.

    `head` has the headings of name and coordinates. If ns-2 measured one of the quantities, the first column has the
    simulator.
    """

    def write(evidence: Evidence) -> str:
        rows: list[list[object]] = []
        for name, one in of.items():
            for source, side in sources(evidence):
                with suppress(LookupError):
                    points = one.points(side).cells.items()
                    rows += [[source, name, *key, point.mean, point.half_width] for key, point in points]
        columns = ["source", *head, "mean", "ci95"]
        first = 0 if len({row[0] for row in rows}) > 1 else 1
        return csv_text(columns[first:], [row[first:] for row in rows])

    return write


def to_csv(data: Mapping[str, Quantity], evidence: Evidence, *, axes: Mapping[str, str]) -> str:
    """Format quantities as CSV: one row per point and simulator, with means and half-widths of 95 % intervals."""
    rows: list[Iterable[object]] = []
    order: tuple[str, ...] | None = None
    for source, side in sources(evidence):
        with suppress(LookupError):
            points = joined([one.points(side) for one in data.values()])
            if order is None:
                order = points.axes
                names = [f"{name}{end}" for name in data for end in ("", "_ci95")]
                rows.append(["source", *(axes.get(axis, axis) for axis in order), "runs", *names])
            points = points.ordered(order)
            for key, cells in points.cells.items():
                numbers = [f"{number:.6g}" for cell in cells for number in (cell.mean, cell.half_width)]
                rows.append([source, *key, cells[0].count, *numbers])
    return rows_csv(rows)


def curves_csv(x: str, *curves: tuple[str, Quantity]) -> Callable[[Evidence], str]:
    """Return a function that formats our curves as CSV, one row per point, with a name for each quantity.

    The first axis of a quantity has the names of the curves, the second their positions, in the column `x`.
    """
    head = ["measure", "curve", x, "mean", "ci95"]
    return lambda evidence: rows_csv(
        [
            head,
            *(
                [measure, curve, at, f"{point.mean:.6g}", f"{point.half_width:.3g}"]
                for measure, of in curves
                for (curve, at), point in of.points(evidence.ours).cells.items()
            ),
        ]
    )


def _made(value: Made[T], evidence: Evidence) -> T:
    return value(evidence) if callable(value) else value


def _at(points: Grid[Interval], key: Key, axes: str | Sequence[str]) -> Scalar:
    if isinstance(axes, str):
        return key[points.axes.index(axes)] if axes else ""
    return ", ".join(_written(key[points.axes.index(axis)]) for axis in axes)


def _written(value: Scalar) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
