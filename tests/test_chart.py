"""Charts: what paper and screen make of the same panels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from plotly import graph_objects

from ackclock.report.acks import ack_scatter
from ackclock.report.chart import Axis, Band, Chart, Dots, Heat, Level, Note, Panel, Scale, Series
from ackclock.report.paper import WIDTH, draw
from ackclock.report.screen import interactive
from ackclock.report.style import COLOURS, PARTED, to_svg

if TYPE_CHECKING:
    from collections.abc import Mapping


def chart() -> Chart:
    line = Series(name="a", x=[1, 10, 100], y=[1, np.nan, 4], colour="blue", marker="square", error=[0.5, 0.5, 0.1])
    hollow = Series(name="a, other", x=[1, 10], y=[2, 3], colour="blue", marker="circle", dash="none", filled=False)
    band = Band(name="middle", x=[1, 10], low=[0, 1], high=[2, 3], colour="red")
    return Chart(
        panels=[
            Panel(
                title="(a)", x=Axis(low=1, high=100, log=True), y=Axis(label="up", low=0), series=[line], bands=[band]
            ),
            Panel(
                x=Axis(label="along", low=1, high=100, log=True),
                y=Axis(label="up", low=0, high=5),
                series=[line, hollow],
                levels=[Level(y=3, text="full")],
                notes=[Note(x=10, y=2, text="here")],
                right=Scale(label="twice", factor=2, step=1),
            ),
        ],
        height=6,
    )


def painted(plot: Mapping[str, Any]) -> graph_objects.Figure:
    """Put the colours in, as the page's script does; Plotly then checks every name and value."""
    text = json.dumps(plot)
    for name, colour in COLOURS.items():
        text = text.replace(f'"@{name}"', f'"{colour.light}"').replace(f'"@{name}/0.18"', f'"{colour.light}2e"')
    assert "@" not in text
    return graph_objects.Figure(json.loads(text))


class TestPaper:
    def test_panels_are_stacked_and_share_their_axis(self) -> None:
        figure = draw(chart())
        assert figure.get_size_inches().tolist() == [WIDTH, 6]
        upper, lower = figure.axes
        assert upper.get_shared_x_axes().joined(upper, lower)
        assert (upper.get_xscale(), upper.get_xlim(), lower.get_ylim()) == ("log", (1, 100), (0, 5))
        assert (upper.get_xlabel(), lower.get_xlabel(), lower.get_ylabel()) == ("", "along", "up")
        assert upper.get_title(loc="left") == "(a)"

    def test_legend_names_each_name_once(self) -> None:
        (legend,) = draw(chart()).legends
        assert [text.get_text() for text in legend.get_texts()] == ["a", "middle", "a, other"]

    def test_words_and_the_second_scale_are_there(self) -> None:
        lower = draw(chart()).axes[1]
        assert {text.get_text() for text in lower.texts} == {"full", "here"}
        (right,) = lower.child_axes
        assert right.get_ylabel() == "twice"

    def test_same_chart_same_drawing(self) -> None:
        assert to_svg(draw(chart())) == to_svg(draw(chart()))


class TestScreen:
    def test_plotly_takes_it(self) -> None:
        figure = painted(interactive(chart()))
        assert len(figure.data) == 5  # a band is two lines

    def test_json_holds_it(self) -> None:
        plot = interactive(chart())
        assert json.loads(json.dumps(plot, allow_nan=False)) == plot
        assert plot["data"][2]["y"] == [1, None, 4]

    def test_panels_lie_below_each_other_and_zoom_together(self) -> None:
        layout = interactive(chart())["layout"]
        assert layout["yaxis"]["domain"][0] > layout["yaxis2"]["domain"][1] > layout["yaxis2"]["domain"][0] == 0
        assert layout["xaxis"]["matches"] == "x2"
        assert layout["xaxis"]["range"] == [0, 2]  # Plotly wants the logarithms of a logarithmic axis
        assert layout["yaxis"]["autorangeoptions"] == {"minallowed": 0, "include": [0]}

    def test_legend_names_each_name_once(self) -> None:
        traces = interactive(chart())["data"]
        assert [trace["name"] for trace in traces if trace["showlegend"]] == ["middle", "a", "a, other"]

    @pytest.mark.parametrize(("group", "expected"), [("", "a"), ("family", "family")])
    def test_what_is_hidden_together(self, group: str, expected: str) -> None:
        series = Series(name="a", x=[1], y=[1], colour="blue", group=group)
        plot = interactive(Chart(panels=[Panel(x=Axis(), y=Axis(), series=[series])]))
        assert plot["data"][0]["legendgroup"] == expected

    def test_one_point_without_a_bar_leaves_all_bars_out(self) -> None:
        series = Series(name="a", x=[1, 2], y=[1, 2], colour="blue", error=[0.1, np.inf])
        plot = interactive(Chart(panels=[Panel(x=Axis(), y=Axis(), series=[series])]))
        assert "error_y" not in plot["data"][0]


def heat() -> Chart:
    cells = Heat(
        values=np.array([[1, 2, 3], [4, np.nan, 6]]),
        words=[["1", "2", "3"], ["4", "", "6"]],
        label="so much, s",
        low=1,
        high=6,
    )
    along = Axis(label="along", ticks=[(0, "10"), (1, "20"), (2, "60")])
    return Chart(panels=[Panel(x=along, y=Axis(label="up", ticks=[(0, "1"), (1, "2")]), series=(), heat=cells)] * 2)


class TestHeat:
    def test_on_paper(self) -> None:
        figure = draw(heat())
        cells, again, *bars = figure.axes
        assert len(bars) == 2
        assert [tick.get_text() for tick in cells.get_xticklabels()] == ["10", "20", "60"]
        assert [text.get_text() for text in again.texts] == ["1", "2", "3", "4", "6"]
        assert {bar.get_ylabel() for bar in bars} == {"so much, s"}
        assert to_svg(figure) == to_svg(draw(heat()))

    def test_on_screen(self) -> None:
        figure = painted(interactive(heat()))
        first, second = figure.data
        assert (first.type, first.showscale, second.showscale) == ("heatmap", True, False)
        assert [list(row) for row in first.z] == [[1, 2, 3], [4, None, 6]]
        assert figure.layout.xaxis.ticktext == ("10", "20", "60")

    def test_colours_part_at_the_middle(self) -> None:
        cells = Heat(
            values=[[-2, 0, 2]],
            words=[["1/4", "1", "4"]],
            label="ratio",
            low=-2,
            high=2,
            parted=True,
            ticks=[(-2, "¼"), (0, "1"), (2, "4")],
        )
        chart = Chart(panels=[Panel(x=Axis(), y=Axis(), series=(), heat=cells)])
        axes, bar = draw(chart).axes
        assert [tick.get_text() for tick in bar.get_yticklabels()] == ["¼", "1", "4"]
        dark, pale, dark_too = (text.get_color() for text in axes.texts)
        assert dark == dark_too != pale
        figure = painted(interactive(chart))
        (trace,) = figure.data
        assert [colour for _, colour in trace.colorscale] == list(PARTED)
        assert trace.colorscale[len(PARTED) // 2][0] == 0.5
        assert trace.colorbar.ticktext == ("¼", "1", "4")
        assert "%{text}" in trace.hovertemplate


def dotted(**changes: Any) -> Panel:
    """Five points on a grid of 4 by 2; the last one lies beyond it."""
    dots = Dots(name="ACKs", x=[0, 0.9, 1, 4, 4.1], y=[0, 0.1, 1.5, 2, 1], colour="sky", columns=4, rows=2)
    axes = {"x": Axis(label="along", low=0, high=4), "y": Axis(label="up", low=0, high=2)}
    fields: dict[str, Any] = {"series": (), "dots": dots} | axes | changes
    return Panel(**fields)


class TestDots:
    def test_a_cell_is_marked_by_what_lies_in_it(self) -> None:
        assert dotted().marked().tolist() == [[2, 0, 0, 0], [0, 1, 0, 1]]

    @pytest.mark.parametrize(
        "changes", [{"x": Axis(low=0)}, {"y": Axis(low=1, high=2, log=True)}, {"x": Axis()}, {"dots": None}]
    )
    def test_a_grid_has_ends_and_is_linear(self, changes: Mapping[str, Any]) -> None:
        with pytest.raises(ValueError, match="dots: must stand on linear axes"):
            dotted(**changes).marked()

    def test_on_paper(self) -> None:
        figure = draw(Chart(panels=[dotted()]))
        (image,) = figure.axes[0].images
        assert list(image.get_extent()) == [0, 4, 0, 2]
        assert np.ma.count(np.ma.asarray(image.get_array())) == 3
        assert to_svg(figure) == to_svg(draw(Chart(panels=[dotted()])))

    def test_on_screen(self) -> None:
        (trace,) = painted(interactive(Chart(panels=[dotted()]))).data
        assert [list(row) for row in trace.z] == [[2, None, None, None], [None, 1, None, 1]]
        assert (trace.x0, trace.dx, trace.y0, trace.dy) == (0.5, 1, 0.5, 1)
        assert {colour for _, colour in trace.colorscale} == {COLOURS["sky"].light}

    def test_a_drawing_of_many_points_is_no_larger(self) -> None:
        random = np.random.default_rng(1)
        dots = Dots(name="ACKs", x=random.random(300_000), y=random.integers(0, 600, 300_000), colour="sky")
        panel = dotted(dots=dots, x=Axis(low=0, high=1), y=Axis(low=-0.5, high=599.5))
        assert panel.marked().shape == (300, 500)
        assert panel.marked().sum() == 300_000
        assert len(to_svg(draw(Chart(panels=[panel])))) < 200_000


class TestAckScatter:
    def test_flows_are_in_order_of_their_acks(self) -> None:
        # From 1 s to 2 s flow 2 has three ACKs, flow 0 one; flows 1 and 3 have none and keep their order.
        panel = ack_scatter([1, 1.2, 1.3, 1.4, 2, 0.9], [2, 2, 0, 2, 0, 0], count=4, start=1, end=2)
        assert panel.dots is not None
        assert np.asarray(panel.dots.y).tolist() == [4, 4, 3, 4]
        assert panel.dots.rows == 4
        assert (panel.x.low, panel.x.high, panel.y.low, panel.y.high) == (1, 2, 0.5, 4.5)
        assert panel.marked().sum(axis=1).tolist() == [0, 0, 1, 3]

    def test_without_acks(self) -> None:
        assert not ack_scatter([], [], count=3, start=0, end=1).marked().any()

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match="flows: 3 is not allowed: must be from 0 to 2"):
            ack_scatter([0.5], [3], count=3, start=0, end=1)
        with pytest.raises(ValueError, match="end: 1 is not allowed"):
            ack_scatter([], [], count=3, start=1, end=1)


def test_the_legend_has_as_many_columns_as_there_is_room_for() -> None:
    def columns(*names: str) -> int:
        series = [Series(name=name, x=[1], y=[1], colour="blue") for name in names]
        (legend,) = draw(Chart(panels=[Panel(x=Axis(label="x"), y=Axis(), series=series)])).legends
        return legend._ncols  # type: ignore[attr-defined, no-any-return]

    assert columns("a", "b", "c", "d", "e") == 4
    assert columns(*["a rather long name for a series"] * 1, *(f"another rather long name {n}" for n in range(5))) == 2
    assert columns("x" * 90, "y") == 1
