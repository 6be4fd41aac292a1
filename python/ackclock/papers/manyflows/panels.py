"""Figures of many flows: panels of curves with their bands, ns-2's points and the paper's own curves."""

from __future__ import annotations

import csv
import io
import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock.papers.figures import HOLLOW, Pen
from ackclock.papers.manyflows.experiment import CAPACITIES
from ackclock.report.chart import Axis, Band, Chart, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Side
    from ackclock.papers.core.paper import Both
    from ackclock.papers.core.quantities import Quantity

    Points = Mapping[int, Interval]

PENS = (
    Pen(colour="blue", marker="square"),
    Pen(colour="sky", marker="pentagon"),
    Pen(colour="green", marker="triangle"),
    Pen(colour="orange", marker="hexagon"),
    Pen(colour="red", marker="diamond"),
)
"""Of the curves of a panel, in order, unless it is that of a W_c."""

NAMED = {f"W_c {capacity}": pen for capacity, pen in zip(CAPACITIES, PENS, strict=True)}

BANDS = (
    "Points are means of {seeds} runs, bands their 95 % confidence intervals (Student's t); hollow markers are single "
    "runs of ns-2.35."
)
SINGLE = "Points are single runs, without bands; hollow markers are single runs of ns-2.35."


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One curve by the number of connections: both sides' intervals, and what the paper's formulas give."""

    name: str
    ours: Points
    ns2: Points = field(default_factory=dict)
    paper: Mapping[str, Mapping[int, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """One panel; without `low` or `high` the data sets that end of the vertical axis."""

    title: str
    label: str
    lines: Sequence[Line]
    low: float | None = 0.0
    high: float | None = None


def lines(
    evidence: Both,
    of: Quantity,
    *,
    by: str = "curve",
    start: str = "",
    paper: Callable[[str], Mapping[str, Mapping[int, float]]] | None = None,
) -> list[Line]:
    """Make a curve along the connections for each value of the axis `by`, without `start` in its name.

    `paper` gives the paper's curves by the whole name.
    """
    theirs = _curves(of, evidence.ns2, by)
    return [
        Line(
            name=name.removeprefix(start),
            ours=points,
            ns2=theirs.get(name, {}),
            paper=paper(name) if paper else {},
        )
        for name, points in _curves(of, evidence.ours, by).items()
    ]


def _curves(of: Quantity, side: Side, by: str) -> dict[str, Points]:
    with suppress(LookupError):
        found = of.points(side).along("connections")
        at = found.axes.index(by)
        return {str(key[at]): {int(flows): line[flows] for flows in line} for key, line in found.cells.items()}
    return {}


def table_drawing(
    *,
    slug: str,
    title: str,
    caption: str,
    panels: Sequence[Panel],
    caption_of_numbers: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    height: float,
    command: str,
    data: str = "",
) -> Drawing:
    """Make a drawing whose data is the table of its numbers, unless other data is given."""
    return Drawing(
        chart=Chart(height=height, panels=panels),
        slug=slug,
        title=title,
        caption=caption,
        csv=data or to_csv([head, *rows]),
        numbers=Table(caption=caption_of_numbers, head=head, rows=rows),
        command=command,
    )


def to_csv(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def panelled(
    strips: Sequence[Strip],
    *,
    slug: str,
    title: str,
    what: str,
    rest: str,
    command: str,
    digits: int = 3,
    numbers: Table | None = None,
    height: float = 0.0,
    along: Axis | None = None,
) -> Drawing:
    """Draw panels one above the other, with their data.

    The caption says what points, bands and markers are between `what` and `rest`. `numbers` is another table than the
    one of our means, `along` another horizontal axis than from 0 connections on.
    """
    seeds = max(point.count for strip in strips for line in strip.lines for point in line.ours.values())
    bands = BANDS.format(seeds=seeds) if seeds > 1 else SINGLE
    axis = along or Axis(label="Connections", low=0)
    last = len(strips) - 1
    panels = [
        Panel(
            title=strip.title,
            x=axis if place == last else Axis(low=axis.low, high=axis.high, log=axis.log),
            y=Axis(label=strip.label, low=strip.low, high=strip.high or _top(strip)),
            series=_series(strip),
            bands=_bands(strip),
        )
        for place, strip in enumerate(strips)
    ]
    return Drawing(
        chart=Chart(panels=panels, height=height or 1.4 + 2.5 * len(strips)),
        slug=slug,
        title=title,
        caption=f"{what} {bands} {rest}".strip(),
        csv=_csv(strips),
        numbers=numbers or _numbers(strips, digits),
        command=command,
    )


def _drawn(strip: Strip) -> list[tuple[Line, Pen]]:
    """Give the curves of a panel, each with its pen."""
    return [(line, NAMED.get(line.name, pen)) for line, pen in zip(strip.lines, PENS, strict=False)]


def _series(strip: Strip) -> list[Series]:
    drawn = []
    for line, pen in _drawn(strip):
        for number, (name, points) in enumerate(line.paper.items()):
            drawn.append(
                Series(
                    name=name,
                    x=list(points),
                    y=list(points.values()),
                    colour="faint" if len(line.paper) > 1 else pen.colour,
                    dash=("dashed", "dotted", "solid")[number],
                    width=1.0,
                    listed=len(line.paper) > 1,
                    group=name if len(line.paper) > 1 else line.name,
                )
            )
        if line.ns2:
            drawn.append(
                Series(
                    name=f"{line.name}, ns-2.35",
                    x=list(line.ns2),
                    y=[point.mean for point in line.ns2.values()],
                    colour=pen.colour,
                    marker=pen.marker,
                    dash="none",
                    filled=False,
                    size=7.0,
                    listed=False,
                    group=line.name,
                )
            )
        drawn.append(
            Series(
                name=line.name,
                x=list(line.ours),
                y=[point.mean for point in line.ours.values()],
                colour=pen.colour,
                marker=pen.marker,
            )
        )
    if any(len(line.paper) == 1 for line in strip.lines):
        drawn.append(
            Series(name="dashed: the paper", x=[math.nan], y=[math.nan], colour="ink", dash="dashed", width=1.0)
        )
    return [*drawn, HOLLOW] if any(line.ns2 for line in strip.lines) else drawn


def _bands(strip: Strip) -> list[Band]:
    return [
        Band(
            name=line.name,
            x=list(line.ours),
            low=[max(point.mean - _finite(point.half_width), 0.0) for point in line.ours.values()],
            high=[point.mean + _finite(point.half_width) for point in line.ours.values()],
            colour=pen.colour,
            listed=False,
        )
        for line, pen in _drawn(strip)
    ]


def _top(strip: Strip) -> float:
    """Give where the axis ends: with space for means and most of the bands, which few seeds make wide."""
    points = [point.mean for line in strip.lines for some in (line.ours, line.ns2) for point in some.values()]
    curves = [value for line in strip.lines for curve in line.paper.values() for value in curve.values()]
    return 1.12 * max([*points, *curves])


def _finite(width: float) -> float:
    return width if math.isfinite(width) else 0.0


def _csv(strips: Sequence[Strip]) -> str:
    """Write what is shown: one row a point, with the half-width of the 95 % interval where there is one."""
    rows: list[list[object]] = [["panel", "curve", "source", "connections", "runs", "value", "ci95"]]
    for strip in strips:
        for line in strip.lines:
            at = [strip.title, line.name]
            for source, points in (("ackclock", line.ours), ("ns-2.35", line.ns2)):
                rows += [
                    [*at, source, flows, point.count, f"{point.mean:.6g}", f"{point.half_width:.6g}"]
                    for flows, point in points.items()
                ]
            for name, curve in line.paper.items():
                rows += [[*at, name, flows, "", f"{value:.6g}", ""] for flows, value in curve.items()]
    return to_csv(rows)


def _numbers(strips: Sequence[Strip], digits: int) -> Table:
    """Lay our means out: a row for each number of connections of each panel, a column a curve."""
    names = list(dict.fromkeys(line.name for strip in strips for line in strip.lines))
    rows = []
    for strip in strips:
        here = {line.name: line.ours for line in strip.lines}
        for flows in sorted({flows for points in here.values() for flows in points}):
            cells = [here.get(name, {}).get(flows) for name in names]
            shown = ["–" if cell is None else cell.shown(digits) for cell in cells]  # noqa: RUF001 - a dash
            rows.append([f"{strip.title}: {flows}", *shown])
    return Table(
        caption="Mean ± half-width of the 95 % interval, by panel and number of connections",
        head=["", *names],
        rows=rows,
    )
