"""Synchronized losses: cases worked by hand, plain definitions, and drops of ns-2."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.analysis import loss_correlation, loss_epochs

if TYPE_CHECKING:
    from random import Random

DROPS = Path(__file__).with_name("ns2_drops.csv.gz")
"""Drops of ns-2.35 at a bottleneck of 100 Reno flows: three runs of its reference for "Understanding the performance of
many TCP flows", with a T1 (1.6 Mb/s) or an ISDN line (64 kb/s), 400 packets of buffer, and without or with a random
processing time of up to a tenth of the round trip."""
FLOWS = 100

losses = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 4)), max_size=80)


class TestEpochs:
    def test_by_hand(self) -> None:
        # A gap of just 0.5 s goes on; flow 7 loses twice in the second epoch and counts once. In any order.
        found = loss_epochs([3.0, 0.0, 0.5, 2.0, 2.25, 2.5], [4, 9, 4, 7, 7, 9], count=8, gap=0.5)
        assert found.losses.tolist() == [2, 4]
        assert found.begin.tolist() == [0, 2]
        assert found.end.tolist() == [0.5, 3]
        assert found.shares.tolist() == [2 / 8, 3 / 8]
        assert (found.count, found.mean_share) == (2, 2.5 / 8)

    def test_without_losses(self) -> None:
        found = loss_epochs([], [], count=3, gap=1)
        assert (found.count, found.shares.size) == (0, 0)
        assert math.isnan(found.mean_share)

    @given(losses, st.integers(0, 20))
    def test_every_loss_is_in_one_epoch_and_long_gaps_part_them(self, lost: list[tuple[int, int]], gap: int) -> None:
        found = loss_epochs([time for time, _ in lost], [flow for _, flow in lost], count=5, gap=gap)
        assert found.losses.sum() == len(lost)
        assert (found.begin[1:] - found.end[:-1] > gap).all()
        inside = [
            {flow for time, flow in lost if begin <= time <= end}
            for begin, end in zip(found.begin, found.end, strict=True)
        ]
        assert found.shares.tolist() == [len(flows) / 5 for flows in inside]

    @pytest.mark.parametrize(
        ("times", "flows", "count", "gap", "named"),
        [
            ([0.0, 1.0], [1], 2, 1, "flows: 1 values are not allowed: must be as many as times"),
            ([0.0, 1.0], [1, 2], 1, 1, "count: 1"),
            ([], [], 0, 1, "count: 0"),
            ([0.0], [1], 1, -1, "gap: -1"),
            ([0.0], [1], 1, math.nan, "gap: nan"),
        ],
    )
    def test_refusals(self, times: list[float], flows: list[int], count: int, gap: float, named: str) -> None:
        with pytest.raises(ValueError, match=named):
            loss_epochs(times, flows, count=count, gap=gap)


class TestCorrelation:
    def test_by_hand(self) -> None:
        # Bins of 2 s from 10 s on, four of them. Flow 0 loses in bins 0 and 1, flow 1 in 1 and 2: covariance 0, and so
        # no correlation. Losses before 10 s, and in the incomplete bin after 18 s, do not count.
        times, flows = [10.0, 11.9, 12.0, 13.0, 14.5, 9.9, 18.5], [0, 0, 0, 1, 1, 0, 1]
        found = loss_correlation(times, flows, count=2, round_trip=2, start=10, end=19)
        assert (found.value, found.quiet, found.bins) == (0, 0.25, 4)

    def test_who_always_takes_turns_is_correlated_the_other_way(self) -> None:
        found = loss_correlation([0, 1, 2, 3], [0, 1, 0, 1], count=2, round_trip=1, start=0, end=4)
        assert (found.value, found.quiet) == (-1, 0)

    def test_a_flow_that_never_loses_is_correlated_with_nobody(self) -> None:
        # One of three pairs always loses together.
        times, flows = [0.5, 0.5], [3, 8]
        assert loss_correlation(times, flows, count=2, round_trip=1, start=0, end=2).value == 1
        assert loss_correlation(times, flows, count=3, round_trip=1, start=0, end=2).value == 0.5

    @pytest.mark.parametrize(("flows", "count"), [([], 4), ([0], 1)])
    def test_without_a_pair_that_differs_there_is_none(self, flows: list[int], count: int) -> None:
        found = loss_correlation([0.5] * len(flows), flows, count=count, round_trip=1, start=0, end=2)
        assert math.isnan(found.value)
        assert found.quiet == 1 - len(flows) / 2

    def test_without_a_whole_bin_there_is_nothing(self) -> None:
        found = loss_correlation([0.5], [0], count=2, round_trip=2, start=0, end=1)
        assert found.bins == 0
        assert math.isnan(found.value)
        assert math.isnan(found.quiet)

    def test_refuses_what_is_no_bin(self) -> None:
        with pytest.raises(ValueError, match="round_trip: 0 is not allowed"):
            loss_correlation([], [], count=2, round_trip=0, start=0, end=1)

    @given(st.integers(2, 6), st.integers(1, 3), st.randoms(use_true_random=False))
    def test_is_the_mean_of_all_pairs_where_flows_lose_equally_often(
        self, flows: int, often: int, random: Random
    ) -> None:
        """Validates: the correlation of losses is the mean of all pairs' coefficients.
        Source: Pearson's coefficient; Qiu, Zhang and Keshav 2001, flows that lose equally often.
        Tolerance: 10^-12, rounding.
        """
        bins = 8
        lost = np.zeros((flows, bins))
        for row in lost:
            row[random.sample(range(bins), often)] = 1
        flow, place = np.nonzero(lost)
        found = loss_correlation(place + 0.5, flow, count=flows, round_trip=1, start=0, end=bins)
        pairs = np.asarray(np.corrcoef(lost))
        expected = np.mean([pairs[one, other] for one, other in combinations(range(flows), 2)])
        assert found.value == pytest.approx(expected, abs=1e-12)

    def test_of_independent_losses_is_nothing(self) -> None:
        flow, place = np.nonzero(np.random.default_rng(1).random((60, 20_000)) < 0.1)
        found = loss_correlation(place + 0.5, flow, count=60, round_trip=1, start=0, end=20_000)
        # the ratio of variances has a relative error of about sqrt(2/n)
        assert found.value == pytest.approx(0, abs=4 * math.sqrt(2 / 20_000) / 59)
        assert found.quiet == pytest.approx(0.9**60, abs=0.002)


@pytest.mark.parametrize(
    ("run", "round_trip", "start", "end", "expected"),
    [
        ("T1_B400_n100_oh0", 0.91403, 50, 200, "0.51655 0.62195 28 0.99143 1.1915"),
        ("T1_B400_n100_oh0.1", 1.05926, 50, 200, "0.072434 0.1844 48 0.27 1.5072"),
        ("ISDN_B400_n100_oh0.1", 24.37832, 500, 1500, "0.038958 0.073171 16 0.26 1.7062"),
    ],
)
def test_ns2s_own_drops(run: str, round_trip: float, start: float, end: float, expected: str) -> None:
    """Validates: correlation, quiet round trips, and the number, length and share of flows of epochs, for drops of
        ns-2.
    Source: ns-2.35, the runs behind Figures 6 and 15 of Qiu, Zhang and Keshav 2001, evaluated by independent code.
    Tolerance: exact to the five digits that were recorded.
    """
    drops = pl.read_csv(DROPS).filter(run=run)
    found = loss_correlation(drops["time"], drops["flow"], count=FLOWS, round_trip=round_trip, start=start, end=end)
    epochs = loss_epochs(drops["time"], drops["flow"], count=FLOWS, gap=round_trip / 2)
    length = float((epochs.end - epochs.begin).mean()) / round_trip
    ours = (found.value, found.quiet, epochs.count, epochs.mean_share, length)
    assert " ".join(f"{value:.5g}" for value in ours) == expected


def test_a_bin_that_ends_with_the_time_counts_whatever_the_rounding() -> None:
    for end, width, bins in ((0.3, 0.1, 3), (0.6, 0.1, 6), (0.7, 0.1, 7), (1.1, 0.11, 10)):
        assert loss_correlation([0.05], [0], count=2, round_trip=width, start=0, end=end).bins == bins
    found = loss_correlation([20.1], [0], count=2, round_trip=0.1, start=20, end=20.2)
    assert (found.bins, found.quiet) == (2, 0.5)


def test_times_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="times: nan"):
        loss_epochs([math.nan], [0], count=1, gap=1.0)
    with pytest.raises(ValueError, match="start, end: 0 and inf"):
        loss_correlation([0.5], [0], count=2, round_trip=1.0, start=0, end=math.inf)
    with pytest.raises(ValueError, match="at most 100,000,000"):
        loss_correlation([0.5], [0], count=2, round_trip=1e-12, start=0, end=1)
    assert loss_epochs([1.0, 9.0], [0, 1], count=2, gap=math.inf).shares.tolist() == [1.0]
