"""Figures of a grid of runs: a measure against a number of clients, ours with intervals beside ns-2's points."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.curves import curves
from ackclock.papers.observation import seeds_of
from ackclock.papers.reading import listed
from ackclock.report.chart import Dash, Marker, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation
    from ackclock.report.chart import Chart

__all__ = ["HOLLOW", "GridFigure", "Pen", "drawing", "own", "series", "theirs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pen:
    """What one variant looks like in every figure."""

    colour: str
    marker: Marker
    dash: Dash = "solid"


def series(
    ours: Sequence[Observation],
    ns2: Sequence[Observation],
    measure: Callable[[Observation], float | None],
    pens: Mapping[str, Pen],
    *,
    first: int = 1,
) -> list[Series]:
    """Draw a measure along the number of clients: ours with its intervals, and ns-2's means as hollow markers.

    Parameters
    ----------
    ours, ns2
        Runs of both sides.
    measure
        What is drawn, in the unit of the figure.
    pens
        What each variant looks like.
    first
        The fewest clients that are shown.

    """
    drawn = []
    for look, runs in ((theirs, ns2), (own, ours)):
        for curve in curves(runs, measure):
            points = {clients: interval for clients, interval in curve.points.items() if clients >= first}
            drawn.append(look(curve.variant, points, pens[curve.variant]))
    return [*drawn, HOLLOW]


def own(variant: str, points: Mapping[int, Interval] | Mapping[float, Interval], pen: Pen) -> Series:
    """Draw our means of one variant, by what is on the horizontal axis, with their intervals."""
    return Series(
        name=variant,
        x=list(points),
        y=[interval.mean for interval in points.values()],
        colour=pen.colour,
        marker=pen.marker,
        dash=pen.dash,
        error=[interval.half_width for interval in points.values()],
    )


def theirs(variant: str, points: Mapping[int, Interval] | Mapping[float, Interval], pen: Pen) -> Series:
    """Draw ns-2's means of one variant as hollow markers, which go and come with our curve."""
    return Series(
        name=f"{variant}, ns-2.35",
        x=list(points),
        y=[interval.mean for interval in points.values()],
        colour=pen.colour,
        marker=pen.marker,
        dash="none",
        filled=False,
        size=7.5,
        listed=False,
        group=variant,
    )


HOLLOW = Series(
    name="hollow: ns-2.35", x=[np.nan], y=[np.nan], colour="ink", marker="circle", dash="none", filled=False, size=7.5
)
"""The legend's word on ns-2's markers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GridFigure:
    """A figure against a number of clients.

    Parameters
    ----------
    slug, title
        As for `ackclock.report.html.Drawing`.
    what, rest
        The caption before and after what it says of points, bars and markers.
    unit, digits
        Heading of the table of our means, and their decimals.
    draw
        Makes the chart of our runs and ns-2's.
    measures
        What the CSV holds, by the names of its columns; the table shows the first.
    first
        The fewest clients that are shown.
    counted
        What the number of clients is called in the table.

    """

    slug: str
    title: str
    what: str
    rest: str
    unit: str
    digits: int
    draw: Callable[[Sequence[Observation], Sequence[Observation]], Chart]
    measures: Mapping[str, Callable[[Observation], float | None]]
    first: int = 1
    counted: str = "Clients"


def drawing(figure: GridFigure, ours: Sequence[Observation], theirs: Sequence[Observation], *, command: str) -> Drawing:
    """Draw a figure and lay its data beside it."""
    bars = (
        f"Points are means of {_counted(ours)} with bars for the 95 % confidence interval (Student's t); "
        if seeds_of(ours) > 1
        else "Points are single runs, without bars; "
    )
    marks = f"hollow markers are means of {_counted(theirs)} of ns-2.35, whose intervals are in the CSV."
    return Drawing(
        chart=figure.draw(ours, theirs),
        slug=figure.slug,
        title=figure.title,
        caption=f"{figure.what} {bars}{marks} {figure.rest}",
        csv=_data(figure, ours, theirs),
        numbers=_numbers(figure, ours),
        command=command,
    )


def _counted(runs: Sequence[Observation]) -> str:
    """Say how many runs a mean has; of each variant, where they differ."""
    seeds = {
        variant: seeds_of([run for run in runs if run.variant == variant])
        for variant in dict.fromkeys(run.variant for run in runs)
    }
    by_count: dict[int, list[str]] = {}
    for variant, count in seeds.items():
        by_count.setdefault(count, []).append(variant)
    if len(by_count) == 1:
        return f"{seeds_of(runs)} runs"
    return listed([f"{count} runs ({'; '.join(variants)})" for count, variants in by_count.items()])


def _data(figure: GridFigure, ours: Sequence[Observation], theirs: Sequence[Observation]) -> str:
    """Write what a figure shows as CSV: one row a point, with mean and half-width of the 95 % interval."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    names = [f"{name}{end}" for name in figure.measures for end in ("", "_ci95")]
    rows.writerow(["source", "variant", "clients", "runs", *names])
    for source, runs in (("ackclock", ours), ("ns-2.35", theirs)):
        drawn = [curves(runs, measure) for measure in figure.measures.values()]
        for along in zip(*drawn, strict=True):
            for clients, interval in along[0].points.items():
                if clients >= figure.first:
                    cells = [curve.points[clients] for curve in along]
                    numbers = [f"{number:.6g}" for cell in cells for number in (cell.mean, cell.half_width)]
                    rows.writerow([source, along[0].variant, clients, interval.count, *numbers])
    return text.getvalue()


def _numbers(figure: GridFigure, ours: Sequence[Observation]) -> Table:
    """Lay our means out for people: a row for each number of clients, a column a variant."""
    along = curves(ours, next(iter(figure.measures.values())))
    return Table(
        caption=f"{figure.unit}: mean ± half-width of the 95 % interval",
        head=[figure.counted, *(curve.variant for curve in along)],
        rows=[
            [str(clients), *(_shown(curve.points.get(clients), figure.digits) for curve in along)]
            for clients in along[0].points
            if clients >= figure.first
        ],
    )


def _shown(interval: Interval | None, digits: int) -> str:
    """Write a mean, and its half-width if it has one."""
    return "–" if interval is None else interval.shown(digits)  # noqa: RUF001 - a dash for what is not there
