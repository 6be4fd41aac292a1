"""Rules by which charts on a screen place labels, ticks, points and colours, at the edge of each condition."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ackclock.drawing import cells, paths, screen
from ackclock.drawing.chart import Axis, Band, Chart, Heat, Level, Panel, Scale, Series
from ackclock.drawing.scales import Span
from ackclock.study.figures import plots
from ackclock.study.figures.points import Field, Point


def test_labels_keep_half_a_letter_between_them() -> None:
    """With letters of width 10, labels of two letters reach 10 to each side, and 5 more stay free."""
    apart = screen._apart
    assert apart([0, 25, 51], [2, 2, 2], 10) == [0, 2]
    assert apart([0, 26, 52], [2, 2, 2], 10) == [0, 1, 2]
    assert apart([51, 0, 25], [2, 2, 2], 10) == [1, 0]
    assert apart([0, 21], [2, 1], 10) == [0, 1]
    assert apart([], [], 10) == []


@pytest.mark.parametrize(
    ("factor", "step", "expected"),
    [
        (1, 5, [(0, "0"), (5, "5"), (10, "10")]),
        (2, 5, [(0, "0"), (2.5, "5"), (5, "10"), (7.5, "15"), (10, "20")]),
        (1, 4, [(0, "0"), (4, "4"), (8, "8")]),
        (0.5, 2.5, [(0, "0"), (5, "2.5"), (10, "5")]),
    ],
)
def test_ticks_of_a_second_scale(factor: float, step: float, expected: list[tuple[float, str]]) -> None:
    assert screen._right_ticks(Scale(label="r", factor=factor, step=step), Span(low=0, high=10)) == expected


def test_ticks_of_a_second_scale_lie_within_the_axis() -> None:
    assert screen._right_ticks(Scale(label="r", factor=1, step=4), Span(low=2.5, high=9.9)) == [(4, "4"), (8, "8")]


def line(low: float, high: float, **axes: Any) -> Panel:
    series = [Series(name="a", x=[low, high], y=[1, 2], colour="blue")]
    given: dict[str, Any] = {"x": Axis(), "y": Axis(), "series": series} | axes
    return Panel(**given)


def test_panels_share_the_next_labelled_axis() -> None:
    """The first two panels share an axis from 0 to 10, whose label the second one has; the third has its own."""
    marks = [(0.0, "zero")]
    chart = Chart(
        panels=[
            line(4, 10),
            line(0, 5, x=Axis(label="x", ticks=marks)),
            line(100, 200, x=Axis(label="z")),
            line(0, 1, x=Axis(low=3)),
        ],
        y_label="up",
    )
    first, second, third, last = screen._resolved(chart)
    assert (first.x.label, second.x.label, third.x.label, last.x.label) == ("x", "x", "z", "")
    assert (first.x.low, first.x.high) == (second.x.low, second.x.high) == pytest.approx((-0.4, 10.4))
    assert (third.x.low, third.x.high) == pytest.approx((96, 204))
    assert last.x.low == 3
    assert (first.x.ticks, second.x.ticks, third.x.ticks) == (marks, marks, None)
    assert {panel.y.label for panel in (first, second, third, last)} == {"up"}


def test_own_labels_and_ticks_are_kept() -> None:
    own = [(1.0, "one")]
    chart = Chart(
        panels=[line(0, 1, x=Axis(ticks=own), y=Axis(label="mine")), line(0, 1, x=Axis(label="x", low=-5, high=7))],
        y_label="up",
    )
    first, second = screen._resolved(chart)
    assert (first.y.label, second.y.label) == ("mine", "up")
    assert (first.x.ticks, second.x.ticks) == (own, None)
    assert (first.x.low, first.x.high) == (-5, 7)
    (plain,) = screen._resolved(Chart(panels=[line(0, 1)]))
    assert plain.y.label == ""


def test_a_heat_map_ends_half_a_cell_beyond_its_cells() -> None:
    heat = Heat(values=[[1, 2, 3], [4, 5, 6]], words=[[""] * 3] * 2, label="m", low=1, high=6)
    (found,) = screen._resolved(Chart(panels=[Panel(x=Axis(label="x"), y=Axis(), series=(), heat=heat)]))
    assert [found.x.low, found.x.high, found.y.low, found.y.high] == [-0.5, 2.5, -0.5, 1.5]


def test_the_vertical_reach_has_bars_bands_and_levels() -> None:
    series = Series(name="a", x=[1, 2], y=[5, 6], colour="blue", error=[1, 2])
    partly = Series(name="b", x=[1, 2], y=[7, 8], colour="blue", error=[1, math.nan])
    band = Band(name="c", x=[1], low=[-3], high=[30], colour="red")
    panel = Panel(x=Axis(), y=Axis(), series=[series, partly], bands=[band], levels=[Level(y=40)])
    reach = [each.tolist() for each in screen._reach(panel)]
    assert reach == [[5, 6], [4, 4], [6, 8], [7, 8], [-3], [30], [40]]


class TestPaths:
    def test_a_line_keeps_the_ends_and_extremes_of_each_column(self) -> None:
        """Five points lie in the column from 0 to 9, and one in the next."""
        dense = np.array([[0, 5], [1, 9], [2, 6], [3, 1], [4, 5], [10, 7]])
        assert paths.thinned(dense, joined=True).tolist() == [[0, 5], [1, 9], [3, 1], [4, 5], [10, 7]]
        assert paths.thinned(dense[1:], joined=True).tolist() == dense[1:].tolist()
        back = np.array([[0, 5], [1, 9], [2, 6], [3, 1], [4, 5], [10, 7], [9, 3]])
        assert paths.thinned(back, joined=True).tolist() == back.tolist()

    def test_points_keep_one_of_each_square(self) -> None:
        points = np.array([[10, 10], [19, 19], [9, 10], [10, 20], [0, 19]])
        assert paths.thinned(points, joined=False).tolist() == [[10, 10], [9, 10], [10, 20]]

    def test_coordinates_are_clipped_far_outside(self) -> None:
        assert paths._rounded(np.array([1e9, -1e9, 50_000.4, 1.5, np.nan])).tolist() == [50_000, -50_000, 50_000, 2, 0]

    def test_pieces(self) -> None:
        nan = np.nan
        x, y = np.array([nan, 1, 2, 3, 4, 5]), np.array([1, 1, nan, 3, 4, nan])
        assert [piece.tolist() for piece in paths.runs(x, y)] == [[[1, 1]], [[3, 3], [4, 4]]]

    def test_bars_and_areas(self) -> None:
        x = np.array([0.0, 10, 20, 30])
        low, high = np.array([1.0, np.nan, 3, 4]), np.array([5.0, 6, np.inf, 8])
        assert paths.bars(x, low, high) == "M0 5V1M30 8V4"
        assert paths.area(x, low, high) == "M0 1l0 4zM30 4l0 4z"

    def test_steps_of_nothing_are_omitted(self) -> None:
        assert paths.trace([np.array([[5, -5], [5, -5], [4, -4], [4, -4]])]) == "M5-5l-1 1"
        assert paths.trace([np.array([[5, 5], [5, 5]])]) == "M5 5"


def points(x: list[Any], **changes: Any) -> list[Point]:
    return [Point(place={"n": each}, seeds=[1], values={"cov_poisson": [0.5, None, 0.5]} | changes) for each in x]


class TestPlots:
    @pytest.mark.parametrize(
        ("values", "log", "ticks"),
        [
            ([1, 2, 30], 1, ["1", "2", "30"]),
            ([1, 2, 29.9], 0, None),
            ([0, 2, 300], 0, None),
            ([2**place for place in range(8)], 1, [str(2**place) for place in range(8)]),
            ([2**place for place in range(9)], 1, None),
        ],
    )
    def test_an_axis_over_a_factor_of_thirty_is_logarithmic(
        self,
        values: list[float],
        log: int,
        ticks: list[str] | None,
    ) -> None:
        axis = plots._axis(Field.of("n", values), "text")
        found = None if axis.ticks is None else [words for _, words in axis.ticks]
        assert (axis.label, axis.log, found) == ("text", log, ticks)

    def test_words_are_placed_at_whole_numbers(self) -> None:
        axis = plots._axis(Field.of("n", ["a", True, None]), "text")
        assert (axis.low, axis.high, axis.log) == (-0.5, 2.5, False)
        assert axis.ticks == [(0, "a"), (1, "true"), (2, "-")]

    @pytest.mark.parametrize(("count", "step"), [(1, 1), (16, 1), (17, 2), (32, 2), (33, 3)])
    def test_cells_have_at_most_sixteen_ticks(self, count: int, step: int) -> None:
        axis = plots._cells(Field.of("n", [10 * place for place in range(count)]), "text")
        assert (axis.low, axis.high) == (-0.5, count - 0.5)
        assert axis.ticks == [(place, str(10 * place)) for place in range(0, count, step)]

    @pytest.mark.parametrize(
        ("values", "floor"),
        [([1, 2], 0), ([1.01, 2], None), ([0, 0], 0), ([-1, 5], None), ([math.nan, 1, 3], 0), ([math.nan], None)],
    )
    def test_an_axis_begins_at_zero_unless_values_differ_little(self, values: list[float], floor: float | None) -> None:
        series = [Series(name=str(y), x=[0], y=[y], colour="blue") for y in values]
        assert plots._floor(series) == floor

    def test_the_offered_load_depends_on_the_axis_alone(self) -> None:
        field = Field.of("n", [1, 2])
        assert plots._offered(points([1, 2, 1]), field) == {1: 0.5, 2: 0.5}
        assert plots._offered([*points([1, 2]), *points([1], cov_poisson=[0.6])], field) == {}
        assert plots._offered(points([1], cov_poisson=[0.5, 0.6]), field) == {}
        assert plots._offered(points([1], cov_poisson=[None]), field) == {}


@pytest.mark.parametrize(
    ("parted", "value", "ink"),
    [
        (0, 5, "pale"),
        (0, 5.01, "dark"),
        (1, 5, "dark"),
        (1, 7.9, "dark"),
        (1, 8.1, "pale"),
        (1, 1.9, "pale"),
    ],
)
def test_texts_of_cells_stand_out(parted: int, value: float, ink: str) -> None:
    """The scale ends at 0 and 10; a scale in two colours is pale within 3 of its middle."""
    assert Heat(values=[[value]], words=[[""]], label="", low=0, high=10, parted=bool(parted)).ink(value) == ink


def test_an_image_has_a_pixel_for_each_cell() -> None:
    marked = np.zeros((3, 11), dtype=bool)
    marked[0, 0] = marked[2, 10] = marked[1, 8] = True
    with Image.open(io.BytesIO(cells._png(marked, "#123456"))) as picture:
        picture.load()
        assert (picture.size, picture.mode) == ((11, 3), "P")
        found = np.asarray(picture.convert("RGBA"))
    assert (found[..., 3] > 0).tolist() == marked.tolist()
    assert found[marked].tolist() == [[0x12, 0x34, 0x56, 255]] * 3
