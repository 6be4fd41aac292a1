"""Charts: drawings of the same panels on paper and on a screen."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zlib
from base64 import b64decode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ackclock.drawing.acks import ack_scatter
from ackclock.drawing.chart import Axis, Band, Chart, Dots, Heat, Level, Note, Panel, Scale, Series
from ackclock.drawing.paper import WIDTH, draw
from ackclock.drawing.paths import area, bars, runs, thinned, trace
from ackclock.drawing.pens import marker_shapes
from ackclock.drawing.scales import Span, span, ticks
from ackclock.drawing.screen import interactive
from ackclock.drawing.style import COLOURS, PARTED, to_svg

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


def on_screen(chart: Chart) -> ET.Element:
    """Draw a chart, and read the drawing back."""
    return ET.fromstring(f"<div>{interactive(chart, label='It')}</div>")  # noqa: S314 - our own


def one(*series: Series, **changes: Any) -> Chart:
    fields: dict[str, Any] = {"x": Axis(), "y": Axis(), "series": series}
    return Chart(panels=[Panel(**fields | changes)])


def found(drawn: ET.Element, name: str) -> list[ET.Element]:
    """Find the elements of a class."""
    return [each for each in drawn.iter() if name in each.get("class", "").split()]


def words(elements: list[ET.Element]) -> list[str]:
    return ["".join(each.itertext()) for each in elements]


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


SVG = "{http://www.w3.org/2000/svg}"


class TestScreen:
    def test_a_panel_keeps_its_own_label_where_others_share_one(self) -> None:
        panels = [
            replace(panel, y=replace(panel.y, label=label))
            for panel, label in zip(chart().panels, ("", "own"), strict=True)
        ]
        drawn = on_screen(replace(chart(), panels=panels, y_label="common"))
        upper, lower = map(words, (list(names.iter("span")) for names in found(drawn, "head")))
        assert (upper, lower) == (["common"], ["own", "twice"])

    def test_series_and_bands_are_groups_of_their_name(self) -> None:
        drawn = on_screen(chart())
        assert [each.get("data-group") for each in drawn.iter() if each.get("data-group")] == [
            "middle",
            "a",
            "a, other",
            "a",
        ]
        assert {each.get("class") for each in drawn.iter(f"{SVG}g") if each.get("data-name")} == {"c-blue"}

    def test_a_gap_begins_a_new_piece(self) -> None:
        line = found(on_screen(chart()), "line")[2]  # the first two are in the legend
        assert line.get("d", "").count("M") == 2

    def test_ends_of_axes_stand_where_the_script_reads_them(self) -> None:
        upper, lower = found(on_screen(chart()), "plot")
        assert (upper.get("data-x"), lower.get("data-x")) == ("1 100 log", "1 100 log")
        assert lower.get("data-y") == "0 5"

    def test_panels_have_their_titles_and_share_their_axis(self) -> None:
        drawn = on_screen(chart())
        assert words(found(drawn, "head")) == ["(a) up", "uptwice"]
        assert words(found(drawn, "along")) == ["along", "along"]
        assert {"full", "here"} <= set(words(found(drawn, "word")))
        assert found(drawn, "stacked")

    def test_legend_names_each_name_once(self) -> None:
        buttons = list(on_screen(chart()).iter("button"))
        assert [button.get("data-shows") for button in buttons] == ["a", "middle", "a, other"]

    def test_names_that_look_alike_have_a_legend_in_each_panel(self) -> None:
        left, right = (
            Panel(x=Axis(label="x"), y=Axis(), series=[Series(name=name, x=[1, 2], y=[1, 2], colour="blue")])
            for name in ("Reno", "Vegas")
        )
        drawn = on_screen(Chart(panels=[left, right]))
        assert [words([each]) for each in found(drawn, "legend")] == [["Reno"], ["Vegas"]]

    @pytest.mark.parametrize(("group", "expected"), [("", "a"), ("family", "family")])
    def test_what_is_hidden_together(self, group: str, expected: str) -> None:
        drawn = on_screen(one(Series(name="a", x=[1, 2], y=[1, 2], colour="blue", group=group)))
        assert [each.get("data-group") for each in drawn.iter() if each.get("data-name")] == [expected]

    def test_one_point_without_a_bar_leaves_all_bars_out(self) -> None:
        drawn = on_screen(one(Series(name="a", x=[1, 2], y=[1, 2], colour="blue", error=[0.1, np.inf])))
        assert not found(drawn, "bar")
        assert found(on_screen(one(Series(name="a", x=[1, 2], y=[1, 2], colour="blue", error=[0.1, 0.2]))), "bar")

    def test_words_of_a_chart_are_escaped(self) -> None:
        drawn = on_screen(one(Series(name='<b> & "c"', x=[1], y=[1], colour="blue"), title="<i>", y=Axis(label="<u>")))
        assert [each.get("data-name") for each in drawn.iter() if each.get("data-name")] == ['<b> & "c"']

    def test_each_marker_is_defined_once(self) -> None:
        shapes = ET.fromstring(marker_shapes([chart(), chart()]))  # noqa: S314 - our own
        names = [each.get("id") for each in shapes.iter("marker")]
        assert names == ["m-square-blue-full-34", "m-circle-blue-open-34"]
        used = re.findall(r"url\(#([^)]*)\)", interactive(chart(), label="It"))
        assert set(used) == set(names)

    def test_same_chart_same_drawing(self) -> None:
        assert interactive(chart(), label="It") == interactive(chart(), label="It")


class TestAxes:
    def test_ends_are_given_or_of_the_data(self) -> None:
        values = np.array([1, np.nan, 2])
        assert span(Axis(low=0, high=5), [values]) == Span(low=0, high=5)
        ends = span(Axis(low=0), [values])
        assert (ends.low, 2 < ends.high < 2.2) == (0, True)
        assert span(Axis(log=True), [np.array([0, -1, 3, 30])]).low == pytest.approx(3, rel=0.1)
        alone = span(Axis(), [np.array([3.0])])
        assert alone.low < 3 < alone.high
        assert span(Axis(), []).low < span(Axis(), []).high

    @pytest.mark.parametrize(
        ("ends", "expected"),
        [
            (Span(low=0, high=100), ["0", "20", "40", "60", "80", "100"]),
            (Span(low=-0.02, high=0.11), ["0", "0.025", "0.050", "0.075", "0.100"]),
            (Span(low=0, high=12_000), ["0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000"]),
            (Span(low=0.3, high=30, log=True), ["0.5", "1", "2", "5", "10", "20"]),
            (Span(low=1e-3, high=1e3, log=True), ["0.001", "0.01", "0.1", "1", "10", "100", "1,000"]),
            (Span(low=1e-8, high=1e-5, log=True), ["10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵"]),
            (Span(low=1e-6, high=1e6, log=True), ["10⁻⁶", "0.0001", "0.01", "1", "100", "10,000", "10⁶"]),
        ],
    )
    def test_ticks_are_round_and_written_out(self, ends: Span, expected: list[str]) -> None:
        assert [word for _, word in ticks(Axis(), ends, most=6)] == expected

    def test_own_ticks_stay_within_the_ends(self) -> None:
        own = Axis(ticks=[(0, "none"), (1, "one"), (2, "two")])
        assert ticks(own, Span(low=0, high=1), most=3) == [(0, "none"), (1, "one")]

    def test_labels_that_would_touch_are_left_out(self) -> None:
        many = Axis(label="along", low=0, high=40, ticks=[(at, f"number {at}") for at in range(41)])
        labels = found(on_screen(one(Series(name="a", x=[1], y=[1], colour="blue"), x=many)), "on")
        assert 2 < len(labels) < 10
        assert any("w" in label.get("class", "").split() for label in labels)  # fewer in a narrow panel


class TestPaths:
    def test_are_whole_numbers_and_steps(self) -> None:
        pieces = list(runs(np.array([0, 10, 20, 30.4]), np.array([5, np.nan, 1, 11])))
        assert trace(pieces) == "M0 5M20 1l10 10"
        assert bars(np.array([1, 2]), np.array([3, 4]), np.array([0, np.inf])) == "M1 0V3"
        assert area(np.array([0, 9]), np.array([0, 0]), np.array([5, 6])) == "M0 0l9 0 0 6-9-1z"

    def test_a_dense_line_keeps_its_extremes(self) -> None:
        random = np.random.default_rng(1)
        x = np.sort(random.integers(0, 5000, 100_000))
        y = random.integers(100, 900, 100_000)
        y[[40_000, 70_000]] = 1, 2000
        points = np.column_stack([x, y])
        kept = thinned(points, joined=True)
        assert len(kept) <= 4 * 501
        assert (kept[:, 1].min(), kept[:, 1].max()) == (1, 2000)
        for column in (0, 300, 499):
            there, left = (some[some[:, 0] // 10 == column][:, 1] for some in (points, kept))
            assert (left.min(), left.max(), left[0], left[-1]) == (there.min(), there.max(), there[0], there[-1])

    def test_a_sparse_line_keeps_every_point(self) -> None:
        points = np.array([[0, 0], [1, 9], [2, 3], [50, 2], [10, 2]])  # the last point turns back
        assert thinned(points[:4], joined=True).tolist() == points[:4].tolist()
        assert thinned(points, joined=True).tolist() == points.tolist()

    def test_of_dots_that_cover_each_other_one_stays(self) -> None:
        points = np.array([[0, 0], [1, 1], [80, 0], [2, 2]])
        assert thinned(points, joined=False).tolist() == [[0, 0], [80, 0]]


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
        drawn = on_screen(heat())
        assert [each.get("data-value") for each in drawn.iter() if each.get("data-value")] == [*"12346"] * 2
        assert words(found(drawn, "cell")) == [*"12346"] * 2
        assert words(found(drawn, "on"))[-3:] == ["10", "20", "60"]
        assert len(found(drawn, "scale")) == 1  # one scale for both panels

    def test_heads_of_columns_read_upwards(self) -> None:
        usual = heat().panels[0]
        chart = Chart(panels=[replace(usual, x=replace(usual.x, label="", above=True))])
        axes = draw(chart).axes[0]
        assert [(tick.label2.get_text(), tick.label2.get_rotation()) for tick in axes.xaxis.get_major_ticks()] == [
            ("10", 90),
            ("20", 90),
            ("60", 90),
        ]
        turned = [each for each in on_screen(chart).iter() if "rotate(-90)" in each.get("transform", "")]
        assert [each.text for each in turned] == ["10", "20", "60"]

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
        drawn = on_screen(chart)
        low, middle, high = (each for each in drawn.iter() if each.get("data-value"))
        assert (low.get("fill"), high.get("fill")) == (PARTED[0], PARTED[-1])
        channels = (bytes.fromhex(colour[1:]) for colour in (middle.get("fill", ""), PARTED[len(PARTED) // 2]))
        assert max(abs(drawn - wanted) for drawn, wanted in zip(*channels, strict=True)) <= 2  # of 256
        assert [each.get("data-value") for each in (low, middle, high)] == ["1/4", "1", "4"]
        assert ["dark" in each.get("class", "") for each in found(drawn, "cell")] == [False, True, False]
        assert words(found(drawn, "on"))[:3] == ["¼", "1", "4"]


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
        with pytest.raises(ValueError, match="dots: must have linear axes"):
            dotted(**changes).marked()

    def test_on_paper(self) -> None:
        figure = draw(Chart(panels=[dotted()]))
        (image,) = figure.axes[0].images
        assert list(image.get_extent()) == [0, 4, 0, 2]
        assert np.ma.count(np.ma.asarray(image.get_array())) == 3
        assert to_svg(figure) == to_svg(draw(Chart(panels=[dotted()])))

    def test_on_screen(self) -> None:
        (picture,) = found(on_screen(Chart(panels=[dotted()])), "dots")
        content = b64decode(picture.get("href", "").removeprefix("data:image/png;base64,"))
        start = content.index(b"IDAT")
        lines = zlib.decompress(content[start + 4 : -16])
        # From the top: each line begins with its filter, none; then a bit for each of the four cells.
        assert lines == bytes([0, 0b0101_0000, 0, 0b1000_0000])
        assert bytes.fromhex(COLOURS["sky"].light[1:]) in content

    def test_a_drawing_of_many_points_is_no_larger(self) -> None:
        random = np.random.default_rng(1)
        dots = Dots(name="ACKs", x=random.random(300_000), y=random.integers(0, 600, 300_000), colour="sky")
        panel = dotted(dots=dots, x=Axis(low=0, high=1), y=Axis(low=-0.5, high=599.5))
        assert panel.marked().shape == (300, 500)
        assert panel.marked().sum() == 300_000
        assert len(to_svg(draw(Chart(panels=[panel])))) < 200_000
        assert len(interactive(Chart(panels=[panel]), label="It")) < 40_000


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
