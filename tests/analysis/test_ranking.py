"""Ranking of settings that ran with the same seeds."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ackclock.analysis import rank_paired

LEVELS = "abcd"
samples = st.lists(
    st.lists(st.integers(-50, 50), min_size=len(LEVELS), max_size=len(LEVELS)), min_size=2, max_size=12
).map(lambda rows: dict(zip(LEVELS, map(list, zip(*rows, strict=True)), strict=True)))


def test_by_hand() -> None:
    # b minus a: 1, 2, 3; mean 2, standard error 1/sqrt(3). c minus a: 10, 11, 12. Two comparisons, so that each
    # interval has probability 0.975: t(2) = 6.2053.
    found = rank_paired({"c": [20, 31, 42], "a": [10, 20, 30], "b": [11, 22, 33]})
    assert found.order == ("a", "b", "c")
    assert found.best == "a"
    assert found.against["b"].difference.mean == 2
    assert found.against["b"].difference.half_width == pytest.approx(6.2053 / math.sqrt(3), rel=1e-4)
    assert found.against["c"].difference.mean == 11
    assert found.tied == ("a", "b")
    assert not found.decided
    # 2 > t(n - 1, 0.9875) / sqrt(n) first at n = 5: 3.4954 / sqrt(5) = 1.56; at n = 4 it is 4.1765 / 2 = 2.09.
    assert found.pairs_needed == 5


def test_higher_is_better() -> None:
    found = rank_paired({"slow": [1, 2, 3], "fast": [11, 12, 13]}, better="higher")
    assert found.order == ("fast", "slow")
    assert found.against["slow"].difference.mean == -10
    assert found.decided


@given(samples)
def test_pairs_are_those_of_scipy(values: dict[str, list[int]]) -> None:
    found = rank_paired(values)
    means = [np.mean(values[each]) for each in found.order]
    assert means == sorted(means)
    for other, comparison in found.against.items():
        differences = np.subtract(values[other], values[found.best])
        if differences.std() > 0:
            whole = stats.ttest_1samp(differences, 0).confidence_interval(1 - 0.05 / 3)
            assert (comparison.difference.low, comparison.difference.high) == pytest.approx((whole.low, whole.high))


@given(samples, st.permutations(LEVELS))
def test_the_order_of_the_settings_does_not_matter(values: dict[str, list[int]], order: list[str]) -> None:
    if len({sum(those) for those in values.values()}) == len(values):  # equal means keep the order given
        assert rank_paired({each: values[each] for each in order}) == rank_paired(values)


@given(samples)
def test_the_opposite_values_have_the_opposite_ranking(values: dict[str, list[int]]) -> None:
    found = rank_paired(values)
    other = rank_paired({each: [-value for value in those] for each, those in values.items()}, better="higher")
    assert (other.order, other.tied) == (found.order, found.tied)


def test_the_best_is_among_the_tied_as_often_as_stated() -> None:
    # 2,000 draws of five settings with a common part, true means 0, 0.1, 0.2, 0.3, 0.4 and six seeds. At a level of 0.8
    # at least 0.8 is promised; the standard error of the share is below 0.009, so 0.78 is more than two below.
    draws = np.random.default_rng(1).normal(size=(2000, 6, 6))
    kept = [
        0 in rank_paired({each: own + 0.1 * each for each, own in enumerate(draw[:5] + draw[5])}, level=0.8).tied
        for draw in draws
    ]
    assert np.mean(kept) >= 0.78


def test_a_setting_alone_is_best() -> None:
    found = rank_paired({"only": [1.0, 2.0]})
    assert (found.best, found.tied, found.decided, found.pairs_needed) == ("only", ("only",), True, None)


def test_one_seed_decides_nothing() -> None:
    found = rank_paired({"one": [1.0], "two": [100.0]})
    assert (found.tied, found.decided, found.pairs_needed) == (("one", "two"), False, None)


def test_equal_settings_are_tied_for_ever() -> None:
    found = rank_paired({"one": [1.0, 2.0], "two": [1.0, 2.0]})
    assert (found.order, found.tied, found.pairs_needed) == (("one", "two"), ("one", "two"), None)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "samples: {} is not allowed: must have at least one setting"),
        ({"a": [1, 2], "b": [1]}, "samples: [1, 2] values are not allowed: each setting must have equally many"),
        ({"a": [1.0], "b": [math.nan]}, "finite"),
        ({"a": [math.inf]}, "finite"),
        ({"a": []}, "at least one"),
    ],
)
def test_bad_samples(values: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        rank_paired(values)


def test_bad_level() -> None:
    with pytest.raises(ValueError, match="level"):
        rank_paired({"a": [1.0, 2.0], "b": [3.0, 1.0]}, level=1.5)
