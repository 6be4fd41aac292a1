"""Creates charts of a measure over the points of a store: lines and heat maps."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import PENS, Axis, Band, Chart, Dash, Heat, Panel, Series
from ackclock.study.figures.layout import MOST_PANELS, choose, key
from ackclock.study.figures.measuring import label, resolved, words
from ackclock.study.figures.points import Points
from ackclock.values.errors import impossible, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from ackclock.study.figures.layout import Layout
    from ackclock.study.figures.points import Field, Point

__all__ = ["heat_map", "lines", "measure_chart"]

_LOGARITHMIC: Final = 30
"""Ratio of the largest to the smallest value above which an axis is logarithmic."""

_MOST_TICKS: Final = 8
_MOST_WORDS: Final = 12
"""Maximum number of cells per row of a heat map for which cells show their numbers."""
_PANEL: Final = 3.3
_MORE: Final = 2.6
"""Height of the first panel of a figure and of each further panel, in inches."""
_TALLEST: Final = 9.0
"""Maximum height of a heat map, in inches."""


def measure_chart(
    runs: pa.Table, groups: pa.Table, measure: str, *, x: str | None = None, by: Sequence[str] | None = None
) -> Chart:
    """Draw a measure of a store against a field, in the layout of ``ackclock report``.

    A measure that only groups have needs no group's name if only one group has it.

    Raises
    ------
    ScenarioError
        There is no such measure or field, no field differs between the runs, or the measure is undefined in all runs.

    """
    points = Points.of(runs, groups)
    try:
        measure, *others = resolved(measure, points.measures)
    except ValueError as error:
        raise refuse("measure", measure, str(error), noun="measure") from None
    if others:
        raise refuse("measure", measure.rpartition(".")[2], f"must name a group: {', '.join([measure, *others])}")
    layout = choose(points, x=x, by=by, option="{}")
    if layout is None:
        raise impossible("plot: no field differs between the runs, so there is nothing to draw against")
    if not any(point.interval(measure) for point in points.points):
        raise impossible(f"plot: {measure} is undefined in all runs")
    drawn = lines(points.points, measure, layout)
    first, *rest = drawn.panels
    if not first.title and any(each.count > 1 for point in points.points if (each := point.interval(measure))):
        first = replace(first, title="Means and 95 % confidence intervals")
    return replace(drawn, panels=[first, *rest])


def lines(points: Sequence[Point], measure: str, layout: Layout) -> Chart:
    """Draw a measure against a field, with a series for each value of the other fields, and 95 % intervals as bands."""
    if layout.scattered:
        fields = [field for field in (layout.x, *layout.by, *layout.apart) if field.numeric]
        texts = [field for field in (*layout.by, *layout.apart) if not field.numeric]
        panels = [
            _panel(points, measure, field, texts, joined=False, x_label=field.label, listed=number == 0)
            for number, field in enumerate(fields)
        ]
    else:
        groups = list(_groups(points, layout.apart))[:MOST_PANELS]
        panels = [
            _panel(
                some,
                measure,
                layout.x,
                layout.by,
                joined=layout.x.numeric,
                x_label=layout.x.label if number == len(groups) else "",
                title=title,
            )
            for number, (title, some) in enumerate(groups, start=1)
        ]
    return Chart(panels=panels, height=_PANEL + _MORE * (len(panels) - 1))


def heat_map(points: Sequence[Point], measure: str, layout: Layout) -> Chart:
    """Draw the means of a measure over two fields, with a panel for each value of the other fields."""
    up = layout.across
    assert up is not None  # noqa: S101  # narrows the type; the caller has checked
    means = {id(point): found.mean for point in points if (found := point.interval(measure)) is not None}
    low, high = min(means.values()), max(means.values())
    panels = []
    for title, some in islice(_groups(points, layout.beside), MOST_PANELS):
        cells = np.full((len(up.values), len(layout.x.values)), math.nan)
        for point in some:
            row, column = (field.values.index(point.place[field.path]) for field in (up, layout.x))
            cells[row, column] = means.get(id(point), math.nan)
        wide = cells.shape[1] > _MOST_WORDS
        words = [["" if wide or math.isnan(mean) else f"{mean:.3g}" for mean in row] for row in cells.tolist()]
        heat = Heat(values=cells, words=words, label=label(measure), low=low, high=high)
        panels.append(
            Panel(x=_cells(layout.x, layout.x.label), y=_cells(up, up.label), series=(), title=title, heat=heat)
        )
    rows = len(panels) * len(up.values)
    return Chart(panels=panels, height=max(_PANEL, 1.2 + min(0.45 * rows, _TALLEST) + 0.6 * len(panels)))


def _panel(
    points: Sequence[Point],
    measure: str,
    x: Field,
    by: Sequence[Field],
    *,
    joined: bool,
    x_label: str,
    title: str = "",
    listed: bool = True,
) -> Panel:
    series: list[Series] = []
    bands: list[Band] = []
    for number, (name, some) in enumerate(_groups(points, by)):
        colour, marker = PENS[number % len(PENS)]
        dash: Dash = "none" if not joined else "solid" if number < len(PENS) else "dashed"
        some = sorted(some, key=lambda point: x.number(point.place[x.path]))  # noqa: PLW2901  # the same points
        places = [x.number(point.place[x.path]) for point in some]
        found = [point.interval(measure) for point in some]
        means = [each.mean if each else math.nan for each in found]
        ends = [(each.low, each.high) if each and math.isfinite(each.low) else (math.nan,) * 2 for each in found]
        name = name or words(measure)  # noqa: PLW2901
        half_widths = None if joined else [(high - low) / 2 for low, high in ends]
        if joined:
            low, high = zip(*ends, strict=True)
            bands.append(Band(name=name, x=places, low=low, high=high, colour=colour, listed=False))
        series.append(
            Series(
                name=name,
                x=places,
                y=means,
                colour=colour,
                dash=dash,
                marker=marker,
                error=half_widths,
                listed=listed and bool(by),
            )
        )
    if measure == "cov" and joined and (offered := _offered(points, x)):
        xs, ys = zip(*sorted(offered.items()), strict=True)
        series.append(Series(name="offered Poisson load", x=xs, y=ys, colour="grey", dash="dashed"))
    return Panel(
        x=_axis(x, x_label), y=Axis(label=label(measure), low=_floor(series)), series=series, bands=bands, title=title
    )


def _groups(points: Sequence[Point], fields: Sequence[Field]) -> Iterator[tuple[str, list[Point]]]:
    """Group points by their values of the fields; yield the name and the points of each group."""
    groups: dict[tuple[object, ...], list[Point]] = {}
    for point in points:
        groups.setdefault(key(point, fields), []).append(point)
    for some in groups.values():
        yield ", ".join(field.named(some[0].place[field.path]) for field in fields), some


def _offered(points: Sequence[Point], x: Field) -> dict[float, float]:
    """Map x to the c.o.v. of the offered load; empty if the c.o.v. depends on other fields or is undefined."""
    offered: dict[float, float] = {}
    for point in points:
        values = {value for value in point.values.get("cov_poisson", ()) if value is not None}
        at = x.number(point.place[x.path])
        if len(values) != 1 or not math.isclose(offered.setdefault(at, min(values)), min(values)):
            return {}
    return offered


def _axis(field: Field, text: str) -> Axis:
    if not field.numeric:
        ticks = [(float(place), field.shown(value)) for place, value in enumerate(field.values)]
        return Axis(label=text, low=-0.5, high=len(ticks) - 0.5, ticks=ticks)
    places = [field.number(value) for value in field.values]
    logarithmic = places[0] > 0 and places[-1] >= _LOGARITHMIC * places[0]
    few = [(place, f"{place:g}") for place in places] if len(places) <= _MOST_TICKS else None
    return Axis(label=text, log=logarithmic, ticks=few if logarithmic else None)


def _cells(field: Field, text: str) -> Axis:
    """Create the axis of a heat map, with one tick per cell or fewer, labelled with the values of a field."""
    words = [f"{field.number(value):g}" for value in field.values]
    step = -(-len(words) // (2 * _MOST_TICKS))
    ticks = [(float(place), word) for place, word in enumerate(words)][::step]
    return Axis(label=text, low=-0.5, high=len(words) - 0.5, ticks=ticks)


def _floor(series: Sequence[Series]) -> float | None:
    """Choose the lower end of an axis: zero, unless this would hide the differences between values."""
    values = np.concatenate([np.asarray(each.y, dtype=np.float64) for each in series])
    values = values[np.isfinite(values)]
    return 0.0 if values.size and 0 <= values.min() <= values.max() / 2 else None
