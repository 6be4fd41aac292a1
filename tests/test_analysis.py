"""The statistics of replications and of counts per bin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.analysis import cov, poisson_cov, student_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

numbers = st.floats(min_value=-1e6, max_value=1e6)


class TestStudentInterval:
    def test_textbook(self) -> None:
        # t(4) = 2.776 at 95 %; standard deviation of 1..5 is sqrt(2.5).
        interval = student_interval([1, 2, 3, 4, 5])
        assert interval.mean == 3
        assert interval.standard_error == pytest.approx(math.sqrt(2.5 / 5))
        assert interval.half_width == pytest.approx(2.7764 * math.sqrt(0.5), rel=1e-4)
        assert (interval.low, interval.high) == (
            interval.mean - interval.half_width,
            interval.mean + interval.half_width,
        )
        assert interval.count == 5

    def test_single_value_says_nothing_about_spread(self) -> None:
        interval = student_interval([0.25])
        assert interval.mean == 0.25
        assert interval.half_width == interval.standard_error == math.inf
        assert str(interval) == "0.25 ± ?"

    def test_equal_values(self) -> None:
        assert str(student_interval([2, 2, 2])) == "2 ± 0"

    def test_values_that_differ_by_rounding_alone_are_equal(self) -> None:
        interval = student_interval([0.1, 0.1, 0.1 + 1e-17, 0.3 - 0.2])
        assert interval.half_width == interval.standard_error == 0
        assert str(interval) == "0.1 ± 0"

    @pytest.mark.parametrize(
        ("sample", "text"),
        [
            ([0.1271, 0.1268, 0.1275], "0.12713 ± 0.00087"),
            ([775_000, 776_000], "775500 ± 6353"),
            ([1, 3], "2 ± 13"),
        ],
    )
    def test_digits_follow_the_half_width(self, sample: Sequence[float], text: str) -> None:
        assert str(student_interval(sample)) == text

    @pytest.mark.parametrize("sample", [[], [math.nan, 1], [math.inf]])
    def test_refuses_what_has_no_mean(self, sample: Sequence[float]) -> None:
        with pytest.raises(ValueError, match="sample"):
            student_interval(sample)

    @pytest.mark.parametrize("level", [0, 1, 95, math.nan])
    def test_refuses_levels_that_are_no_probability(self, level: float) -> None:
        with pytest.raises(ValueError, match="level"):
            student_interval([1, 2], level=level)

    def test_covers_the_truth_as_often_as_it_says(self) -> None:
        samples = np.random.default_rng(1).normal(10, 2, size=(4000, 5))
        covered = [interval.low <= 10 <= interval.high for interval in map(student_interval, samples)]
        assert 0.935 < np.mean(covered) < 0.965


class TestCov:
    def test_is_of_the_population(self) -> None:
        assert cov([8, 12]) == 0.2

    def test_without_packets_has_no_value(self) -> None:
        assert math.isnan(cov([]))
        assert math.isnan(cov([0, 0]))

    @given(st.lists(st.integers(0, 1000), min_size=1).filter(any), st.integers(1, 1000))
    def test_has_no_unit(self, counts: list[int], factor: int) -> None:
        assert cov([factor * count for count in counts]) == pytest.approx(cov(counts), abs=1e-9)

    def test_of_poisson_counts(self) -> None:
        counts = np.random.default_rng(1).poisson(600, size=100_000)
        assert cov(counts) == pytest.approx(float(poisson_cov(600)), rel=0.01)
