"""Printed intervals and their warnings, at the limits of each rule."""

from __future__ import annotations

import pytest

from ackclock.analysis import Interval


def interval(mean: float, half_width: float, count: int = 5) -> Interval:
    return Interval(mean=mean, half_width=half_width, standard_error=half_width / 2, count=count, level=0.95)


@pytest.mark.parametrize(
    ("mean", "half_width", "text"),
    [
        (1.0, 0.25, "1.00 ± 0.25"),
        (1.0, 0.1, "1.00 ± 0.10"),
        (1.0, 0.099, "1.000 ± 0.099"),
        (1.0, 5.1e-6, "1.00000 ± 0.00001"),  # at most six digits
        (1.0, 4.9e-6, "1.00000 ± <0.00001"),  # less than half a digit is shown as a bound
        (1.0, 4e-6, "1.00000 ± <0.00001"),
        (9.99, 4e-6, "9.99000 ± <0.00001"),
        (10.0, 4e-5, "10.0000 ± <0.0001"),
        (-1.0, 4e-6, "-1.00000 ± <0.00001"),
        (0.0, 0.0123, "0.000 ± 0.012"),
        (123456.0, 0.4, "123456 ± <1"),
        (123456.0, 0.6, "123456 ± 1"),
        (58333.3, 6252.1, "58300 ± 6300"),
        (2.5, 0.0, "2.5 ± 0"),
        (2.5, float("inf"), "2.5 ± ?"),
    ],
)
def test_text(mean: float, half_width: float, text: str) -> None:
    assert str(interval(mean, half_width)) == text


@pytest.mark.parametrize(
    ("half_width", "digits", "text"),
    [
        (0.0051, 2, "1,234.57 ± 0.01"),
        (0.0049, 2, "1,234.57 ± <0.01"),
        (0.0, 2, "1,234.57 ± 0"),
        (float("inf"), 1, "1,234.6"),
        (2000.4, 0, "1,235 ± 2,000"),
    ],
)
def test_shown(half_width: float, digits: int, text: str) -> None:
    assert interval(1234.567, half_width).shown(digits) == text


@pytest.mark.parametrize(
    ("mean", "half_width", "count", "warning"),
    [
        (1, 1, 3, ""),
        (-1, 1, 3, ""),
        (1, 1.01, 3, "the half-width is 101% of the mean: more replications are needed"),
        (0, 1, 3, "the half-width is above the mean: more replications are needed"),
        (1, 9, 2, "2 replications: too few for a conclusion; use at least five"),
        (1, 9, 1, "1 replication: too few for a conclusion; use at least five"),
    ],
)
def test_warning(mean: float, half_width: float, count: int, warning: str) -> None:
    assert interval(mean, half_width, count).warning == warning


def test_ends() -> None:
    shifted = Interval(mean=3, half_width=2, standard_error=1, count=40, level=0.9, method="bootstrap", shift=0.5)
    assert (shifted.low, shifted.high) == (1.5, 5.5)
    assert (interval(3, 2).low, interval(3, 2).high) == (1, 5)
