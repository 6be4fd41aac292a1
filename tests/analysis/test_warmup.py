"""MSER-5, compared with its definition, and on series without a warm-up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.analysis import mser5

batches_of_five = st.lists(st.integers(0, 50), min_size=50, max_size=200)


def test_by_hand() -> None:
    # Sums of five: 0, 0, then 50 and 55 in turn. The marginal standard error is least for the last 18 sums: omitting
    # one of them hardly changes the spread, and the first two are far from the rest.
    series = [0] * 10 + ([10] * 5 + [11] * 5) * 9
    found = mser5(series)
    assert (found.length, found.count, found.reason) == (10, 100, "")


def test_what_is_left_over_is_left_out() -> None:
    assert mser5([0] * 5 + [10] * 95 + [1000] * 4).length == 5
    assert mser5([0] * 5 + [10] * 95 + [1000] * 4).count == 100


@pytest.mark.parametrize("value", [0, 7, 0.1])
def test_equal_values_need_no_warmup(value: float) -> None:
    assert mser5([value] * 60).length == 0


def test_a_series_that_drifts_has_no_end_of_it() -> None:
    found = mser5([math.sqrt(place) for place in range(500)])
    assert (found.length, found.reason) == (None, "still drifting half-way")


def test_a_short_series_shows_nothing() -> None:
    found = mser5([0] * 5 + [10] * 44)
    assert (found.length, found.count, found.reason) == (None, 45, "fewer than 50 values")
    assert mser5([]).length is None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_refuses_what_is_no_number(value: float) -> None:
    with pytest.raises(ValueError, match="series"):
        mser5([1.0] * 60 + [value] + [1.0] * 9)


@given(batches_of_five)
def test_is_the_cut_of_the_least_marginal_error(series: list[int]) -> None:
    """Validates: the truncation of MSER-5.
    Source: White, Cobb and Spratt 2000, equation of MSER over batch means of 5.
    Tolerance: the least error to rounding.
    """
    means = np.array(series[: len(series) // 5 * 5], dtype=float).reshape(-1, 5).mean(axis=1)
    half = len(means) // 2
    errors = [np.mean((means[cut:] - means[cut:].mean()) ** 2) / (len(means) - cut) for cut in range(half + 1)]
    found = mser5(series)
    if found.length is None:
        assert errors[half] == pytest.approx(min(errors), abs=1e-12)
    else:
        assert errors[found.length // 5] == pytest.approx(min(errors), abs=1e-12)


@given(batches_of_five, st.integers(1, 100), st.integers(0, 1000))
def test_knows_neither_unit_nor_origin(series: list[int], factor: int, origin: int) -> None:
    assert mser5([factor * value + origin for value in series]) == mser5(series)


def test_takes_arrays_as_it_takes_lists() -> None:
    series = np.random.default_rng(1).poisson(50, size=500)
    assert mser5(series) == mser5(series.tolist())
