"""Plots with marks other than lines with bars, and figures whose data is their table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ackclock.drawing.chart import Axis, Band, Panel, Series
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.figure import Course, Figure, Lines, Pen, Plot, Scatter, from_zero
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.paper import Both
from ackclock.report.html import Table

if TYPE_CHECKING:
    from ackclock.papers.core.marks import Mark

PEN = Pen(colour="blue", marker="square")
X, Y = (Measure(name=name, label=name) for name in "xy")


def runs(seeds: tuple[int, ...], *, lift: float = 0.0) -> Runs:
    return Runs(
        {
            "grid": [
                Run(
                    where={"kind": kind, "n": n},
                    seed=seed,
                    values={"x": n + lift, "y": n * (2 if kind == "b" else 1) + 0.5 * seed},
                )
                for kind in ("a", "b")
                for n in (1, 2)
                for seed in seeds
            ],
            "course": [
                Run(
                    where={"kind": "b"}, seed=1, values={"t": np.array([0.0, 1.0, 3.0]), "w": np.array([5.0, 6.0, 4.0])}
                )
            ],
        }
    )


EVIDENCE = Both(ours=runs((1, 2)), ns2=runs((1,), lift=10))
PENS = {"a": PEN, "b": Pen(colour="red", marker="circle")}


def drawn(mark: Mark, evidence: Both = EVIDENCE) -> tuple[list[Series], list[Band]]:
    every = list(mark.series(evidence))
    return [one for one in every if isinstance(one, Series)], [one for one in every if isinstance(one, Band)]


def test_bands_stand_for_bars() -> None:
    lines = Lines(of=Y.at("grid"), x="n", by="kind", pens=PENS, band=True)
    series, bands = drawn(lines)
    assert [one.name for one in series] == ["a, ns-2.35", "b, ns-2.35", "a", "b"]
    assert all(one.error is None for one in series)
    assert [(one.name, one.colour, list(np.ravel(one.x))) for one in bands] == [
        ("a", "blue", [1, 2]),
        ("b", "red", [1, 2]),
    ]
    half = 12.706 * 0.25
    assert np.ravel(bands[0].high) == pytest.approx([1.75 + half, 2.75 + half], abs=1e-3)
    assert np.ravel(bands[0].low) == pytest.approx([0, 0]), "what is not below 0 has no band below 0"
    (single,) = drawn(
        Lines(of=Y.at("grid", kind="a"), x="n", name="a", pens=PENS, band=True), Both(ours=EVIDENCE.ns2, ns2=Runs())
    )[1]
    assert list(np.ravel(single.low)) == list(np.ravel(single.high)) == [1.5, 2.5]


def test_ns2s_markers_stay_where_lines_are_plain() -> None:
    series, _ = drawn(Lines(of=Y.at("grid", kind="a"), x="n", name="a", pens=PENS, plain=True))
    assert [(one.marker, one.error) for one in series] == [("square", None), (None, None)]


def test_a_scatter_puts_two_quantities_against_each_other() -> None:
    series, _ = drawn(Scatter(x=X.at("grid"), y=Y.at("grid"), by="kind", pens={**PENS, "c": PEN}, names="kind {}"))
    assert [(one.name, one.filled, one.dash) for one in series] == [
        ("kind a, ns-2.35", False, "none"),
        ("kind b, ns-2.35", False, "none"),
        ("kind a", True, "none"),
        ("kind b", True, "none"),
    ]
    assert (list(np.ravel(series[3].x)), list(np.ravel(series[3].y))) == ([1, 2], [2.75, 4.75])
    assert list(np.ravel(series[0].x)) == [11, 12]
    assert (
        len(
            drawn(Scatter(x=X.at("grid"), y=Y.at("grid"), by="kind", pens=PENS), Both(ours=EVIDENCE.ours, ns2=Runs()))[
                0
            ]
        )
        == 2
    )


def test_a_course_is_one_runs_and_may_have_steps() -> None:
    course = Course(part="course", where={"kind": "b"}, x="t", y="w", name="w", pen=PEN)
    ((plain,), _) = drawn(course)
    assert (list(np.ravel(plain.x)), list(np.ravel(plain.y))) == ([0, 1, 3], [5, 6, 4])
    ((steps,), _) = drawn(Course(part="course", x="t", y="w", name="w", pen=PEN, held=True))
    assert (list(np.ravel(steps.x)), list(np.ravel(steps.y))) == ([0, 1, 1, 3, 3], [5, 5, 6, 6, 4])
    with pytest.raises(LookupError, match="course"):
        drawn(Course(part="course", where={"kind": "a"}, x="t", y="w", name="w", pen=PEN))


def test_an_axis_from_0_has_space_for_both_simulators() -> None:
    axis = from_zero("x", X.at("grid"), Y.at("grid"), space=1.5)(EVIDENCE)
    assert (axis.label, axis.low, axis.high) == ("x", 0, 18)
    assert from_zero("x", X.at("grid"), least=100, margin=0.1)(EVIDENCE).low == pytest.approx(-10.8)


def test_a_figure_may_have_its_table_as_data_and_panels_and_a_command_of_its_own() -> None:
    own = Panel(x=Axis(), y=Axis(), series=())
    lines = Lines(of=Y.at("grid"), x="n", by="kind", pens=PENS, band=True)
    plot = Plot(x=Axis(), y=Axis(), marks=[lines], bands=[Band(name="law", x=[1], low=[1], high=[2], colour="grey")])
    figure = Figure(
        slug="s",
        title="t",
        what="What.",
        points="{runs}.",
        plots=[plot, lambda _: own],
        numbers=lambda _: Table(caption="c", head=["n", "y"], rows=[["1", "2"]]),
        command="mine",
    )
    drawing = figure.drawing(EVIDENCE, command="x")
    assert drawing.csv == "n,y\n1,2\n"
    assert (drawing.caption, drawing.command) == ("What. 2 runs.", "mine")
    assert drawing.chart.panels[1] is own
    assert [band.name for band in drawing.chart.panels[0].bands] == ["law", "a", "b"]
    pairs = Plot(x=Axis(), y=Axis(), marks=[Scatter(x=X.at("grid"), y=Y.at("grid"), by="kind", pens=PENS)])
    assert replace(figure, plots=[pairs]).drawing(EVIDENCE, command="x").caption == "What. 2 runs."
    assert (
        replace(figure, plots=[lambda _: own], points="None.").drawing(EVIDENCE, command="x").caption == "What. None."
    )
