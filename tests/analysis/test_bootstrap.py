"""The bootstrap, and the sample size from which it is used."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from ackclock.analysis import bootstrap_interval, mean_interval, student_interval

SKEWED = np.random.default_rng(1).exponential(size=60)


def test_is_scipys() -> None:
    interval = bootstrap_interval(SKEWED)
    theirs = stats.bootstrap((SKEWED,), np.mean, n_resamples=9999, rng=np.random.default_rng(7))
    assert interval.low == pytest.approx(theirs.confidence_interval.low, rel=0.02)
    assert interval.high == pytest.approx(theirs.confidence_interval.high, rel=0.02)
    assert interval.standard_error == pytest.approx(student_interval(SKEWED).standard_error, rel=0.05)
    assert interval.mean == SKEWED.mean()
    assert interval.method == "bootstrap"


def test_leans_where_values_do() -> None:
    interval = bootstrap_interval(SKEWED)
    assert interval.high - interval.mean > 1.1 * (interval.mean - interval.low)
    assert interval.shift == pytest.approx((interval.high + interval.low) / 2 - interval.mean)


def test_is_as_wide_as_students_where_values_are_normal() -> None:
    normal = stats.norm.ppf((np.arange(30) + 0.5) / 30)
    assert bootstrap_interval(normal).half_width == pytest.approx(student_interval(normal).half_width, rel=0.015)


def test_is_the_same_each_time() -> None:
    assert bootstrap_interval(SKEWED) == bootstrap_interval(SKEWED)


def test_equal_values() -> None:
    assert bootstrap_interval([0.1] * 40).half_width == 0


def test_refuses_small_samples() -> None:
    with pytest.raises(ValueError, match="29 values are not allowed: must be at least 30"):
        bootstrap_interval(SKEWED[:29])
    with pytest.raises(ValueError, match="sample"):
        bootstrap_interval([1.0] * 30 + [math.nan])


def test_is_used_from_thirty_values_on() -> None:
    assert mean_interval(SKEWED[:29]) == student_interval(SKEWED[:29])
    assert mean_interval(SKEWED[:30]) == bootstrap_interval(SKEWED[:30])


@pytest.mark.parametrize(
    ("sample", "warning"),
    [
        ([3], "1 replication: too few for a conclusion; use at least five"),
        ([3, 3], "2 replications: too few for a conclusion; use at least five"),
        ([1, 2, 3], "the half-width is 124% of the mean: more replications are needed"),
        ([-1, 0, 1], "the half-width is above the mean: more replications are needed"),
        ([0, 0, 0], ""),
        ([4, 5, 6], ""),
    ],
)
def test_warns_of_means_that_say_nothing(sample: list[float], warning: str) -> None:
    assert student_interval(sample).warning == warning
