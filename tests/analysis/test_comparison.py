"""Paired comparison of two settings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ackclock.analysis import compare_paired, student_interval

pairs = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=20).filter(
    lambda those: all(len(set(column)) > 1 for column in zip(*those, strict=True))
)


def test_by_hand() -> None:
    # Differences 1, 2, 1, 2: mean 1.5, standard deviation 1/sqrt(3), t(3) = 3.1824.
    found = compare_paired([10, 20, 30, 40], [11, 22, 31, 42])
    assert found.difference.mean == 1.5
    assert found.difference.half_width == pytest.approx(3.1824 / math.sqrt(3) / 2, rel=1e-4)
    assert found.differ
    # Standard deviations 12.9099 and 13.1783 (variances 500/3 and 173.667); t(5.997) is 2.4473.
    assert found.effect_size == pytest.approx(1.5 / ((12.9099 + 13.1783) / 2), rel=1e-4)
    assert found.unpaired_half_width == pytest.approx(2.4473 * math.sqrt((500 / 3 + 173.6667) / 4), rel=1e-4)
    assert found.narrowing == pytest.approx(found.unpaired_half_width / found.difference.half_width)
    # Deviations from the means -15, -5, 5, 15 and -15.5, -4.5, 4.5, 15.5: 510 over the root of 500 times 521.
    assert found.correlation == pytest.approx(510 / math.sqrt(500 * 521))


@given(pairs)
def test_is_what_scipy_makes_of_them(those: list[tuple[int, int]]) -> None:
    first, second = map(np.array, zip(*those, strict=True))
    found = compare_paired(first, second)
    assert found.correlation == pytest.approx(stats.pearsonr(first, second).statistic, abs=1e-9)
    welch = stats.ttest_ind(second, first, equal_var=False).confidence_interval(0.95)
    assert found.unpaired_half_width == pytest.approx((welch.high - welch.low) / 2)
    assert found.difference == student_interval(second - first)
    assert found.warning == compare_paired(second, first).warning


def test_one_pair_says_nothing() -> None:
    found = compare_paired([1], [2])
    assert (found.difference.half_width, found.unpaired_half_width) == (math.inf, math.inf)
    assert math.isnan(found.effect_size)
    assert math.isnan(found.correlation)
    assert math.isnan(found.narrowing)
    assert not found.differ
    assert found.warning == "1 replication: too few for a conclusion; use at least five"


def test_equal_settings() -> None:
    found = compare_paired([1, 2, 3], [1, 2, 3])
    assert (found.difference.mean, found.difference.half_width, found.effect_size) == (0, 0, 0)
    assert not found.differ
    assert found.narrowing == math.inf


def test_refuses_what_is_no_pairs() -> None:
    with pytest.raises(ValueError, match="second: 2 values are not allowed: must have as many as first"):
        compare_paired([1], [1, 2])
    with pytest.raises(ValueError, match="sample"):
        compare_paired([], [])


def test_pairs_that_vary_together_say_more() -> None:
    random = np.random.default_rng(1)
    common = random.normal(size=(1000, 5))
    own = [0.1 * random.normal(size=(1000, 5)) for _ in range(2)]
    found = [compare_paired(one, other) for one, other in zip(common + own[0], common + own[1] + 1, strict=True)]
    covered = [each.difference.low <= 1 <= each.difference.high for each in found]
    assert 0.935 < np.mean(covered) < 0.965
    # The standard deviation of a difference is 0.14; unpaired it would be 1.42. Student's t: 2.78 and 2.31.
    assert np.median([each.narrowing for each in found]) == pytest.approx(10 * 2.31 / 2.78, rel=0.1)
