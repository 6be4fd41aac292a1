"""Quantiles and distribution functions over replications."""

from __future__ import annotations

import numpy as np
import pytest

from ackclock.analysis import cdf_intervals, mean_interval, quantile_interval


def test_by_hand() -> None:
    samples: list[list[float]] = [[3, 1, 2, 4], [2, 4, 6, 8]]
    # the smallest value with half of the sample at or below it
    assert quantile_interval(samples, 0.5) == mean_interval([2, 4])
    assert quantile_interval(samples, 1) == mean_interval([4, 8])
    assert [each.mean for each in cdf_intervals(samples, [2, 5])] == [0.375, 0.75]
    assert cdf_intervals([[1, 5], [1, 5], [1, 2, 3, 4]], [1.5])[0] == mean_interval([0.5, 0.5, 0.25])


def test_shares_have_intervals_within_0_and_1() -> None:
    """The ends are those of Student's t, or the bounds; the mean stays, and one replication still has no interval."""
    samples = [[1.0, 2.0, 2.0, 2.0], [1.0, 1.0, 1.0, 2.0], [2.0, 2.0, 2.0, 3.0]]
    for each, shares in zip(cdf_intervals(samples, [1, 2]), ([0.25, 0.75, 0], [1, 1, 0.75]), strict=True):
        student = mean_interval(shares)
        assert not 0 <= student.low <= student.high <= 1, "the test needs an interval that exceeds the bounds"
        assert each.mean == student.mean
        assert (each.low, each.high) == pytest.approx((max(student.low, 0), min(student.high, 1)))
    (one,) = cdf_intervals([[1.0, 2.0]], [1])
    assert (one.mean, one.half_width) == (0.5, np.inf)


def test_what_has_no_value_counts_as_infinite() -> None:
    samples: list[list[float]] = [[1, 2, 3, np.nan], [1, 2, 3, 4]]
    assert quantile_interval(samples, 0.75) == mean_interval([3, 3])
    assert [each.mean for each in cdf_intervals(samples, [4])] == [0.875]
    cause = r"sample 0 has no finite value for 1 of 4, such as transfers that did not end: must be at most 0\.75"
    with pytest.raises(ValueError, match=rf"share: 0\.9 is not allowed; {cause}"):
        quantile_interval(samples, 0.9)


@pytest.mark.parametrize("share", [0, -1, 1.1])
def test_shares_out_of_bounds_are_refused(share: float) -> None:
    with pytest.raises(ValueError, match="must be above 0 and up to 1"):
        quantile_interval([[1.0]], share)


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        cdf_intervals([[1.0], []], [1])


def test_intervals_cover_the_quantile_that_is_drawn_from() -> None:
    """Intervals of the median and of the distribution function, over 200 sets of ten samples.

    Validates: the coverage of both.
    Source: the exponential distribution: its median is ln 2, where its distribution function is 1/2.
    Tolerance: four standard errors of a share of 95 % in 200; the median of 200 values is biased by 0.25 %, a tenth of
        the interval's half-width.
    """
    random = np.random.default_rng(1)
    covered = np.zeros(2)
    for _ in range(200):
        samples = list(random.exponential(size=(10, 200)))
        median, (share,) = quantile_interval(samples, 0.5), cdf_intervals(samples, np.log(2))
        covered += [median.low <= np.log(2) <= median.high, share.low <= 0.5 <= share.high]
    assert np.abs(covered / 200 - 0.95).max() < 4 * np.sqrt(0.95 * 0.05 / 200)
