"""Axes on a screen: ends and ticks, computed by hand and compared with stored ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.support.readable import hold_readable

from ackclock.drawing.cells import cells, scale_bar
from ackclock.drawing.chart import Axis, Heat
from ackclock.drawing.scales import Span, span, ticks


@pytest.mark.parametrize(
    ("axis", "values", "low", "high"),
    [
        (Axis(), [2, 12, math.nan], 1.6, 12.4),
        (Axis(low=0), [2, 12], 0, 12.4),
        (Axis(high=20), [2, 12], 1.6, 20),
        (Axis(), [-4], -6, -2),
        (Axis(), [0], -0.5, 0.5),
        (Axis(), [], 0.64, 10.36),
        (Axis(low=12.4), [2, 12], 12.4, 13.4),
        (Axis(low=20), [2, 12], 20, 21),
        (Axis(log=True), [1, 10**25], 0.1, 1e26),
        (Axis(log=True), [0, -3, 8], 4, 16),
        (Axis(log=True, low=3), [1, 10**25], 3, 1e26),
        (Axis(log=True, low=3), [1], 3, 30),
    ],
)
def test_ends(axis: Axis, values: list[float], low: float, high: float) -> None:
    found = span(axis, [np.array(values, dtype=float)])
    assert [found.low, found.high] == pytest.approx([low, high])
    assert found.log == axis.log


def test_positions() -> None:
    assert Span(low=2, high=6).share(np.array([2, 3, 6, 0])).tolist() == [0, 0.25, 1, -0.5]
    assert Span(low=1, high=100, log=True).share(np.array([10.0, 0, -1])).tolist() == [0.5, -1, -1]


def test_own_ticks_are_those_within_the_ends() -> None:
    own = Axis(ticks=[(-1, "a"), (0, "b"), (5, "c"), (10, "d"), (11, "e")])
    assert ticks(own, Span(low=0, high=10), most=2) == [(0, "b"), (5, "c"), (10, "d")]


ENDS = [
    (0, 1), (0, 1.1), (0, 8), (-3, 3), (0, 2.5e-5), (0, 123_456), (0.3, 0.3004), (5, 25), (1e6, 5e7),
]  # fmt: skip
DECADES = [(1, 10), (1, 1.05), (1, 1.1), (0.15, 7), (1, 100), (1, 101), (1e-6, 1e7), (3, 9e4), (1e-5, 1e-3), (2e5, 4e6)]


def test_powers_of_ten_are_superscripts() -> None:
    marks = ticks(Axis(log=True), Span(low=1e-5, high=1e-3, log=True), most=5)
    assert [words for _, words in marks] == ["10⁻⁵", "2 x 10⁻⁵", "5 x 10⁻⁵", "0.0001", "0.0002", "0.0005", "0.001"]


def test_ticks_are_those_that_were_kept() -> None:
    found: dict[str, Any] = {}
    for most in (3, 5, 8):
        found |= {f"{low} to {high}, {most}": ticks(Axis(), Span(low=low, high=high), most=most) for low, high in ENDS}
        found |= {
            f"decades {low} to {high}, {most}": ticks(Axis(log=True), Span(low=low, high=high, log=True), most=most)
            for low, high in DECADES
        }
    hold_readable("ticks", found)


def test_cells_are_those_that_were_kept() -> None:
    """Rectangles, colours, texts and colour bars of heat maps are compared."""
    values = [[0.0, 2.0, 4.0], [math.nan, 6.0, 10.0]]
    words = [["0", "2", ""], ["-", "6", "10"]]
    parted = [[-10.0, -6.0, -5.9], [5.9, 6.1, 10.0]]
    heats = {
        "one hue": Heat(values=values, words=words, label="Loss, %", low=0, high=10),
        "two hues": Heat(values=parted, words=words, label="<More>", low=-10, high=10, parted=True),
        "own ticks": Heat(values=values, words=words, label="Regime", low=0, high=10, ticks=[(0, "no"), (10, "yes")]),
        "one value": Heat(values=[[3.0]], words=[["3"]], label="Loss", low=3, high=3),
    }
    found = {}
    for name, heat in heats.items():
        found[name] = cells(heat, lambda x: 100 * np.asarray(x) + 50, lambda y: 400 - 200 * np.asarray(y))
        found[f"bar of {name}"] = scale_bar(heat)
    hold_readable("heat-cells", found)
