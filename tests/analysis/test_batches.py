"""Batch means of one long run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from ackclock.analysis import batch_means, student_interval


def autoregressive(correlation: float, shape: tuple[int, int]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return series of mean 100 whose neighbours have this correlation, started in the steady state."""
    random = np.random.default_rng(1)
    noise = random.normal(size=shape)
    start = random.normal(size=(shape[0], 1)) / math.sqrt(1 - correlation**2)
    series, _ = lfilter([1.0], [1.0, -correlation], noise, axis=1, zi=correlation * start)
    return np.asarray(100 + series)


def test_by_hand() -> None:
    # 40 batches of 10: their means are 1 and 3 in turn. The five values before them do not fill a batch.
    series = [1000] * 5 + ([1] * 10 + [3] * 10) * 20
    found = batch_means(series)
    assert found.interval == student_interval([1, 3] * 20)
    # 39 of 399 pairs of neighbours differ: (360 - 39) / 400.
    assert found.correlation == pytest.approx(321 / 400)
    assert found.warning.startswith(
        "the interval is too narrow: neighbouring parts of the series are correlated (0.80)"
    )


def test_equal_values() -> None:
    found = batch_means([7] * 400)
    assert (found.interval.mean, found.interval.half_width, found.correlation, found.warning) == (7, 0, 0, "")


@pytest.mark.parametrize("series", [[1] * 399, [1.0] * 400 + [math.nan]])
def test_refuses_what_has_no_interval(series: list[float]) -> None:
    with pytest.raises(ValueError, match="series|sample"):
        batch_means(series)


def test_covers_the_truth_where_it_does_not_warn() -> None:
    """Validates: the interval of batch means covers the mean of a correlated series as often as it says.
    Source: Law and Carson 1979; an autoregressive process of first order.
    Tolerance: binomial, at a fixed seed.
    """
    found = [batch_means(series) for series in autoregressive(0.9, (1000, 20_000))]
    assert not any(each.warning for each in found)
    assert 0.935 < np.mean([each.interval.low <= 100 <= each.interval.high for each in found]) < 0.965


def test_warns_where_it_does_not_cover_the_truth() -> None:
    found = [batch_means(series) for series in autoregressive(0.99, (200, 4000))]
    assert all("too narrow" in each.warning for each in found)
    assert np.mean([each.interval.low <= 100 <= each.interval.high for each in found]) < 0.9
