"""Drawings of charts for screen and paper equal the stored ones, element by element."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.colors import to_hex
from tests.support.readable import hold_readable

from ackclock.drawing.chart import Axis, Band, Chart, Dots, Heat, Level, Note, Panel, Scale, Series
from ackclock.drawing.paper import draw
from ackclock.drawing.pens import marker_shapes
from ackclock.drawing.screen import interactive

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE = Series(name="a", x=[1, 10, 100], y=[1, math.nan, 4], colour="blue", marker="square", error=[0.5, 0.5, 0.1])
HOLLOW = Series(name="b <c>", x=[1, 10], y=[2, 3], colour="red", marker="circle", dash="none", filled=False)
DOTTED = Series(name="c", x=[1, 100], y=[0.5, 3], colour="green", dash="dotted", width=0.9, error=[1, math.nan])
BAND = Band(name="middle", x=[1, 10, 100], low=[0, 1, 2], high=[2, 3, 5], colour="red")
DECADES, PLAIN = Axis(low=1, high=100, log=True), Axis()
FULL = Panel(
    title="(b)",
    x=Axis(label="along", low=1, high=100, log=True),
    y=Axis(label="up", low=0, high=5),
    series=[LINE, HOLLOW, DOTTED],
    bands=[BAND],
    levels=[Level(y=3, text="full"), Level(y=1, dotted=False)],
    notes=[Note(x=10, y=2, text="here")],
    right=Scale(label="twice", factor=2, step=4),
)
CELLS = Heat(values=[[0.0, 2.0, 4.0], [math.nan, 6.0, 10.0]], words=[["0", "2", ""], ["", "6", "10"]], label="Loss",
             low=0, high=10)  # fmt: skip
PARTED = replace(CELLS, parted=True, low=-10, label="Difference", ticks=[(-10, "less"), (10, "more")])
MAP = Panel(x=PLAIN, y=Axis(label="rows", ticks=[(0, "low"), (1, "high")]), series=(), heat=CELLS)
RASTER = Dots(name="packets", x=[0.5, 3.2, 9.9], y=[1, 2, 9], colour="sky", columns=10, rows=5)
NAMES = ("Reno", "Vegas with the parameters of the paper", "SACK", "NewReno", "Tahoe with delayed ACKs", "UDP")


def named(name: str, **changes: Any) -> Series:
    return Series(name=name, x=[0, 1, 2], y=[len(name), 2, 3], colour="blue", **changes)


CHARTS = {
    "stacked": Chart(panels=[Panel(x=DECADES, y=Axis(low=0), series=[LINE], bands=[BAND]), FULL], height=6),
    "beside": Chart(
        panels=[Panel(x=Axis(label=f"x{n}"), y=PLAIN, series=[named(f"s{n}")]) for n in range(2)], y_label="common"
    ),
    "many": Chart(panels=[Panel(x=PLAIN, y=PLAIN, series=[named("s")], title=f"({n})") for n in range(6)], height=14),
    "names": Chart(panels=[Panel(x=PLAIN, y=Axis(log=True), series=[named(name) for name in NAMES])], height=2),
    "words": Chart(
        panels=[
            Panel(
                x=Axis(low=-0.5, high=4.5, ticks=[(n, f"a long word {n}") for n in range(5)]),
                y=Axis(ticks=[(0, "none"), (30, "all")]),
                series=[named("s", dash="none", marker="diamond", listed=False)],
            )
        ]
    ),
    "maps": Chart(panels=[MAP, replace(MAP, x=Axis(label="columns"))]),
    "unlike maps": Chart(panels=[MAP, replace(MAP, heat=PARTED)]),
    "raster": Chart(panels=[Panel(x=Axis(low=0, high=10), y=Axis(low=0, high=10), series=(), dots=RASTER)], height=3),
}


def axes_of(axes: Axes) -> dict[str, Any]:
    """Describe the elements of a panel on paper."""
    ticks = {
        name: [[axis.get_majorticklocs(), [each.get_text() for each in axis.get_ticklabels()]], axis.get_scale()]
        for name, axis in (("x", axes.xaxis), ("y", axes.yaxis))
    }
    lines = [
        [line.get_xdata(), line.get_ydata(), to_hex(line.get_color()), line.get_linestyle(), line.get_linewidth(),
         str(line.get_marker()), line.get_markersize(), str(line.get_markerfacecolor()), line.get_markeredgewidth(),
         line.get_zorder()]
        for line in axes.lines
    ]  # fmt: skip
    filled = [[each.get_alpha(), each.get_zorder()] for each in axes.collections]
    texts = [
        [each.get_text(), each.get_position(), to_hex(cast("str", each.get_color())), each.get_fontsize()]
        for each in axes.texts
    ]
    images = [[image.get_extent(), np.asarray(image.get_array()).shape] for image in axes.images]
    title = axes.get_title(loc="left") if hasattr(axes, "get_title") else ""  # a second scale has none
    labels = [axes.get_xlabel(), axes.get_ylabel(), title]
    ends = [axes.get_xlim(), axes.get_ylim()]
    grid = [line.get_visible() for line in axes.get_ygridlines()][:1]
    below = [axes_of(cast("Axes", child)) for child in axes.child_axes]
    return {
        "labels": labels, "ends": ends, "ticks": ticks, "lines": lines, "filled": filled, "texts": texts,
        "images": images, "grid": grid, "below": below,
    }  # fmt: skip


def paper(figure: Figure) -> dict[str, Any]:
    """Describe a figure: its size, its legends, and its panels."""
    legends = [
        [
            [each.get_text() for each in legend.get_texts()],
            legend._ncols,  # type: ignore[attr-defined]
            [[line.get_linewidth(), line.get_markersize()] for line in legend.get_lines()],
        ]
        for legend in figure.legends
    ]
    common = figure.get_supylabel()
    size = figure.get_size_inches()
    return {"size": size, "legends": legends, "common": common, "panels": [axes_of(axes) for axes in figure.axes]}


def test_drawings_on_a_screen_are_those_that_were_kept() -> None:
    """Every element and coordinate is compared."""
    drawn = {name: interactive(chart, label=name).replace("><", ">\n<").split("\n") for name, chart in CHARTS.items()}
    drawn["shapes"] = marker_shapes(CHARTS.values()).replace("><", ">\n<").split("\n")
    hold_readable("drawings-on-screen", drawn)


def test_drawings_on_paper_are_those_that_were_kept() -> None:
    """Ends and ticks of axes, lines, texts and legends are compared."""
    hold_readable("drawings-on-paper", {name: paper(draw(CHARTS[name])) for name in CHARTS if name != "many"})
