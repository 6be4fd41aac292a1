"""Kinds of values of a scenario: the limits of each range and each comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from ackclock.values.errors import ScenarioError
from ackclock.values.kinds import Kind, measured, name, names, number, places, points, steps, whole
from ackclock.values.quantity import SIZE, TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = points(measured(SIZE, "1 B", "1 GB"), SIZE, most=3)
STEPS = steps(measured(TIME, "0 s", "1 h"), whole(0, 3), most=2)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (whole(3, 5), [3, 5], [2, 6, 3.0, True, "3"]),
        (
            number(low=0.5, high=2),
            [0.5, 2, 2.0, 1],
            [math.nextafter(0.5, 0), math.nextafter(2, 3), math.nan, "1", True],
        ),
        (number(above=0, high=2), [5e-324, 2], [0, 0.0, -1, math.inf, -math.inf, 10**400]),
        (number(), [9e307, -9e307], [1e308, -1e308, math.nan]),
        (places(5, most=2), [[5, 1], [1]], [[], [0], [6], [1, 1], [1, 2, 3], 1, "1"]),
        (
            STEPS,
            [[["0 s", 0]], [["0 s", 0], ["1 ps", 1]]],
            [
                [],
                [["1 s", 0]],
                [["0 s", 0], ["0 s", 1]],
                [["0 s", 4]],
                [["0 s", 0], ["1 s", 0], ["2 s", 0]],
                [["0 s"]],
                [["0 s", 0, 1]],
                "0 s",
            ],
        ),
        (name(), ["a", "1", "a" * 64, "a.b->c"], ["", "a" * 65, "a@b", "a,b", "a/b", 1]),
        (name(letter_first=True), ["a", "a" * 64], ["", "1", "-a", "a" * 65]),
        (names(most=2), [["a"], ["a", "b"]], [[], ["a", "a"], ["a", "b", "c"], "a", ["@"]]),
        (measured(TIME, "1 ms", "2 s"), ["1 ms", "1000 us", "2 s"], ["999999 ns", "2000.001 ms", 1, "1", ""]),
    ],
)
def test_ends_belong_to_a_range(kind: Kind, good: Sequence[Any], bad: Sequence[Any]) -> None:
    for value in good:
        kind.require("field", value)
    for value in bad:
        with pytest.raises(ScenarioError, match=r"is not allowed; |^field: in the pair at "):
            kind.require("field", value)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([["1 kB", 1]], [("1 kB", 1.0)]),
        ([["1 kB", 0], ["1 kB", 0.5], ["1 GB", 1]], [("1 kB", 0.0), ("1 kB", 0.5), ("1 GB", 1.0)]),
        ([["1 B", 1.0]], [("1 B", 1.0)]),
    ],
)
def test_points(given: Sequence[Any], found: Sequence[Any]) -> None:
    assert SIZES.check(given) == tuple(found)


@pytest.mark.parametrize(
    "given",
    [
        [],
        [["1 kB", 0.5]],
        [["1 kB", 0.5], ["999 B", 1]],
        [["1 kB", 0.5], ["2 kB", 0.5], ["3 kB", 1]],
        [["1 kB", 0.1], ["2 kB", 0.2], ["3 kB", 0.3], ["4 kB", 1]],
        [["1 kB", -0.1], ["2 kB", 1]],
        [["1 kB", 0.5], ["2 kB", 1.1]],
        [["0 B", 1]],
        [["1 kB"]],
        [["1 kB", 0.5, 1]],
        "1 kB",
    ],
)
def test_points_that_are_no_distribution(given: Any) -> None:
    with pytest.raises(ValueError, match=r"must|is not"):
        SIZES.check(given)
