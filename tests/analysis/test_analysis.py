"""The statistics of replications, of counts per bin and of losses."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.analysis import (
    Interval,
    autocorrelation,
    cov,
    cov_ladder,
    cut_dependence,
    dependence,
    loss_events,
    loss_sequences,
    poisson_cov,
    sampled_windows,
    student_interval,
    window_cuts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

numbers = st.floats(min_value=-1e6, max_value=1e6)
counts_that_differ = st.lists(st.integers(0, 1000), min_size=2, max_size=60).filter(lambda counts: len(set(counts)) > 1)


class TestStudentInterval:
    def test_textbook(self) -> None:
        """Validates: Student's interval of a textbook sample.
        Source: Student 1908; t table.
        Tolerance: 1e-4, the digits of the table.
        """
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
            ([775_000, 776_000], "775500 ± 6400"),
            ([1, 3], "2 ± 13"),
        ],
    )
    def test_digits_follow_the_half_width(self, sample: Sequence[float], text: str) -> None:
        assert str(student_interval(sample)) == text

    @pytest.mark.parametrize(
        ("mean", "half_width", "text"),
        [
            (5.0, 0.1234, "5.00 ± 0.12"),
            (5.0, 0.00001, "5.00000 ± 0.00001"),
            # six digits of 5 leave 0.00001: its half is shown as a bound below it
            (5.0, 0.0000051, "5.00000 ± 0.00001"),
            (5.0, 0.0000049, "5.00000 ± <0.00001"),
            (5.0, 0.000004, "5.00000 ± <0.00001"),
            (-5.0, 0.0000049, "-5.00000 ± <0.00001"),
            (12345678.0, 4.0, "12345700 ± <100"),
            (12345678.0, 60.0, "12345700 ± 100"),
            (0.0, 0.0123, "0.000 ± 0.012"),
            (1234.0, 1.0, "1234.0 ± 1.0"),
            (1234.0, 10.0, "1234 ± 10"),
            (1234.0, 100.0, "1230 ± 100"),
        ],
    )
    def test_the_mean_has_at_most_six_digits(self, mean: float, half_width: float, text: str) -> None:
        assert str(Interval(mean=mean, half_width=half_width, standard_error=1, count=5, level=0.95)) == text

    @pytest.mark.parametrize(
        ("half_width", "digits", "text"),
        [
            (0.5, 1, "1,234.5 ± 0.5"),
            (0.051, 1, "1,234.5 ± 0.1"),
            (0.049, 1, "1,234.5 ± <0.1"),
            (0.0, 1, "1,234.5 ± 0"),
            (math.inf, 1, "1,234.5"),
            (0.3, 0, "1,234 ± <1"),
            (5678.0, 0, "1,234 ± 5,678"),
        ],
    )
    def test_a_number_of_decimal_places(self, half_width: float, digits: int, text: str) -> None:
        interval = Interval(mean=1234.48, half_width=half_width, standard_error=1, count=5, level=0.95)
        assert interval.shown(digits) == text

    def test_ends_are_around_the_shifted_mean(self) -> None:
        interval = Interval(mean=10, half_width=2, standard_error=1, count=40, level=0.9, shift=0.5)
        assert (interval.low, interval.high, interval.method) == (8.5, 12.5, "student")

    @pytest.mark.parametrize("sample", [[], [math.nan, 1], [math.inf]])
    def test_refuses_what_has_no_mean(self, sample: Sequence[float]) -> None:
        with pytest.raises(ValueError, match="sample"):
            student_interval(sample)

    @pytest.mark.parametrize("level", [0, 1, 95, math.nan])
    def test_refuses_levels_that_are_no_probability(self, level: float) -> None:
        with pytest.raises(ValueError, match="level"):
            student_interval([1, 2], level=level)

    def test_covers_the_truth_as_often_as_it_says(self) -> None:
        """Validates: a 95 % interval covers the true mean in 95 % of samples.
        Source: Student 1908.
        Tolerance: binomial, at a fixed seed.
        """
        samples = np.random.default_rng(1).normal(10, 2, size=(4000, 5))
        covered = [interval.low <= 10 <= interval.high for interval in map(student_interval, samples)]
        assert 0.935 < np.mean(covered) < 0.965


class TestCov:
    def test_is_of_the_population(self) -> None:
        assert cov([8, 12]) == 0.2

    @given(counts=st.lists(st.integers(0, 10_000), min_size=1, max_size=300))
    def test_of_whole_numbers_is_exact(self, counts: list[int]) -> None:
        """Sums of integers have no rounding: one is left in the root and one in the quotient."""
        total, squares = sum(counts), sum(count * count for count in counts)
        exact = math.sqrt(len(counts) * squares - total**2) / total if total else math.nan
        assert cov(counts) == pytest.approx(exact, rel=0, abs=0, nan_ok=True)

    def test_of_large_and_broken_numbers_is_no_worse(self) -> None:
        values = np.random.default_rng(1).normal(1e12, 1e11, size=1000)
        assert cov(values) == pytest.approx(cov(np.floor(values)), rel=1e-9) == pytest.approx(0.1, abs=0.01)
        assert cov([1.5, 2.5]) == 0.25
        assert math.isnan(cov([np.nan, 1.0]))

    def test_without_packets_has_no_value(self) -> None:
        assert math.isnan(cov([]))
        assert math.isnan(cov([0, 0]))

    @given(st.lists(st.integers(0, 1000), min_size=1).filter(any), st.integers(1, 1000))
    def test_has_no_unit(self, counts: list[int], factor: int) -> None:
        assert cov([factor * count for count in counts]) == pytest.approx(cov(counts), abs=1e-9)

    def test_of_poisson_counts(self) -> None:
        counts = np.random.default_rng(1).poisson(600, size=100_000)
        assert cov(counts) == pytest.approx(float(poisson_cov(600)), rel=0.01)


class TestCovLadder:
    def test_by_hand(self) -> None:
        # In pairs: 20, 20, ... and so no spread; one by one: 8 and 12, as above. In fours: 5 bins are too few.
        ladder = cov_ladder([8, 12] * 10, 0.01, [0.01, 0.02])
        assert ladder.cov.tolist() == [0.2, 0.0]
        assert ladder.bins.tolist() == [20, 10]
        assert ladder.scales.tolist() == [0.01, 0.02]
        assert ladder.poisson == pytest.approx([1 / math.sqrt(10), 1 / math.sqrt(20)])

    def test_a_part_of_a_bin_does_not_count(self) -> None:
        assert cov_ladder([1, 3] * 10 + [1000], 0.1, [0.2]).cov.tolist() == [0.0]

    def test_without_packets_has_no_value(self) -> None:
        ladder = cov_ladder([0] * 20, 0.1, [0.1, 0.2])
        assert np.isnan(ladder.cov).all()
        assert np.isnan(ladder.poisson).all()

    @pytest.mark.parametrize("scale", [0.05, 0.15, 0.3, 0.0])
    def test_refuses_scales_that_do_not_fit(self, scale: float) -> None:
        with pytest.raises(ValueError, match="scales"):
            cov_ladder([1] * 29, 0.1, [scale])

    def test_refuses_what_is_no_count(self) -> None:
        with pytest.raises(ValueError, match="counts"):
            cov_ladder([0.5] * 20, 1, [1])

    @given(st.lists(st.integers(0, 1000), min_size=40, max_size=200).filter(any), st.integers(1, 4))
    def test_is_the_cov_of_the_sums(self, counts: list[int], step: int) -> None:
        bins = len(counts) // step
        sums = [sum(counts[step * place : step * (place + 1)]) for place in range(bins)]
        ladder = cov_ladder(counts, 0.1, [step * 0.1])
        assert ladder.cov[0] == pytest.approx(cov(sums), rel=1e-9, abs=1e-9, nan_ok=True)

    def test_of_poisson_counts_is_poissons_at_every_scale(self) -> None:
        counts = np.random.default_rng(1).poisson(60, size=100_000)
        ladder = cov_ladder(counts, 0.01, [0.01, 0.1, 1])
        # three standard errors of 1/sqrt(2n)
        assert (np.abs(ladder.cov / ladder.poisson - 1) < 3 / np.sqrt(2 * ladder.bins)).all()


class TestAutocorrelation:
    def test_by_hand(self) -> None:
        # Less the mean: -2, -1, 0, 1, 2, of squares 10; neighbours 2 + 0 + 0 + 2, then 0 - 1 + 0, then -2 - 2, then -4.
        found = autocorrelation([1, 2, 3, 4, 5], 4)
        assert found.values.tolist() == [1, 0.4, -0.1, -0.4, -0.4]
        assert found.standard_error == pytest.approx(1 / math.sqrt(5))

    def test_of_a_wave(self) -> None:
        values = autocorrelation([0, 2] * 50, 3).values
        assert values.tolist() == [1, -0.99, 0.98, -0.97]

    def test_equal_counts_have_none(self) -> None:
        assert np.isnan(autocorrelation([7] * 10, 3).values).all()

    @pytest.mark.parametrize("lags", [-1, 3])
    def test_refuses_lags_beyond_the_counts(self, lags: int) -> None:
        with pytest.raises(ValueError, match="lags"):
            autocorrelation([1, 2, 3], lags)

    def test_refuses_what_is_no_count(self) -> None:
        with pytest.raises(ValueError, match="counts"):
            autocorrelation([0.5, 1.5], 1)

    @given(counts_that_differ, st.integers(1, 100), st.integers(0, 100))
    def test_knows_neither_unit_nor_origin(self, counts: list[int], factor: int, origin: int) -> None:
        moved = [factor * count + origin for count in counts]
        found = autocorrelation(counts, len(counts) - 1).values
        assert autocorrelation(moved, len(counts) - 1).values.tolist() == found.tolist()

    @given(counts_that_differ)
    def test_of_all_lags(self, counts: list[int]) -> None:
        found = autocorrelation(counts, len(counts) - 1).values
        assert found[0] == 1
        assert (np.abs(found) <= 1).all()
        # Deviations from the mean sum to zero, and therefore also all their products.
        assert found[1:].sum() == pytest.approx(-0.5)

    def test_of_independent_counts_is_within_its_error(self) -> None:
        found = autocorrelation(np.random.default_rng(1).poisson(60, size=10_000), 100)
        assert 0.9 < np.mean(np.abs(found.values[1:]) < 1.96 * found.standard_error) < 1


class TestDependence:
    def test_by_hand(self) -> None:
        # Each has one event in four bins: own variances 3/16. Together 1, 1, 0, 0 (1/4), or 2, 0, 0, 0 (3/4).
        assert dependence([[1, 0, 0, 0], [0, 1, 0, 0]]) == pytest.approx(2 / 3)
        assert dependence([[1, 0, 0, 0], [1, 0, 0, 0]]) == 2

    def test_without_a_change_has_no_value(self) -> None:
        assert math.isnan(dependence([[True, True], [False, False]]))

    def test_refuses_what_is_no_table(self) -> None:
        with pytest.raises(ValueError, match="events"):
            dependence([True, False])

    @given(st.lists(st.booleans(), min_size=2, max_size=50).filter(lambda row: len(set(row)) == 2), st.integers(1, 20))
    def test_is_the_number_of_clients_if_all_go_together(self, row: list[bool], clients: int) -> None:
        assert dependence([row] * clients) == clients

    @given(st.lists(st.lists(st.booleans(), min_size=8, max_size=8), min_size=1, max_size=10))
    def test_is_that_ratio_of_variances(self, rows: list[list[bool]]) -> None:
        table = np.array(rows, dtype=float)
        own = table.var(axis=1).sum()
        expected = table.sum(axis=0).var() / own if own else math.nan
        assert dependence(rows) == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert not dependence(rows) > len(rows)

    def test_of_independent_events_is_one(self) -> None:
        events = np.random.default_rng(1).random((60, 20_000)) < 0.1
        # a variance of n values has a relative error of about sqrt(2/n)
        assert dependence(events) == pytest.approx(1, abs=0.03)


class TestLossEvents:
    def test_by_hand(self) -> None:
        # Flow 1: the losses from 0 to 0.1 are one event; 0.15 is more than 0.1 after the first. Flow 2: two single
        # losses. The order of the input does not matter.
        times, flows = [0.15, 0.0, 0.5, 0.1, 0.05, 0.02], [1, 1, 2, 1, 1, 2]
        assert loss_events(times, flows, within=0.1).tolist() == [3, 1, 1, 1]

    def test_without_losses(self) -> None:
        assert loss_events([], [], within=0.1).tolist() == []

    def test_refuses_flows_that_do_not_fit(self) -> None:
        with pytest.raises(ValueError, match="flows"):
            loss_events([0.0, 1.0], [1], within=0.1)

    @given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 3)), max_size=60), st.integers(0, 100))
    def test_every_loss_is_in_one_event(self, losses: list[tuple[int, int]], within: int) -> None:
        times, flows = [time for time, _ in losses], [flow for _, flow in losses]
        sizes = loss_events(times, flows, within)
        assert sizes.sum() == len(losses)
        assert (sizes >= 1).all()
        assert len(sizes) == sum(self.events(sorted(t for t, f in losses if f == flow), within) for flow in set(flows))
        # An event has a maximum duration, so there are at least as many events as sequences with short gaps.
        assert len(sizes) >= sum(
            len(loss_sequences([t for t, f in losses if f == flow], within)) for flow in set(flows)
        )

    @staticmethod
    def events(times: list[int], within: int) -> int:
        count = 0
        while times:
            count, times = count + 1, [time for time in times if time > times[0] + within]
        return count


class TestLossSequences:
    def test_by_hand(self) -> None:
        assert loss_sequences([1.0, 0.0, 0.25, 2.0, 0.5, 2.25], gap=0.25).tolist() == [3, 1, 2]

    def test_without_losses(self) -> None:
        assert loss_sequences([], gap=1).tolist() == []

    @given(st.lists(st.integers(0, 200), min_size=1, max_size=60), st.integers(0, 20))
    def test_sequences_are_as_many_as_long_gaps(self, times: list[int], gap: int) -> None:
        sizes = loss_sequences(times, gap)
        assert sizes.sum() == len(times)
        ordered = sorted(times)
        assert len(sizes) == 1 + sum(after - before > gap for before, after in pairwise(ordered))


class TestWindows:
    def test_cuts_of_the_effective_window(self) -> None:
        windows = np.array([[30, 16, 15, 15, 20], [4, 4, 3.4, 2.8, 1]])
        assert window_cuts(windows, most=20).tolist() == [[True, False, False, False], [False, False, True, True]]

    def test_changes_are_sampled_as_they_stand(self) -> None:
        times, flows = [0.25, 0.05, 0.3, 0.62, 0.1], [3, 3, 1, 1, 3]
        windows = [8.0, 2.0, 5.0, 1.0, 4.0]
        sampled = sampled_windows(times, flows, windows, interval=0.1, start=0.1)
        assert sampled.tolist() == [[5, 5, 5, 5, 5, 5], [4, 4, 8, 8, 8, 8]]
        assert sampled_windows([], [], [], interval=1).size == 0

    @given(st.integers(1, 200), st.integers(1, 5), st.floats(1e-3, 10), st.integers(0, 50))
    def test_samples_stay_what_they_are(self, count: int, flows: int, interval: float, first: int) -> None:
        windows = np.random.default_rng(1).uniform(1, 20, size=(flows, count))
        times = interval * np.arange(first, first + count)
        columns = np.tile(times, flows), np.repeat(np.arange(flows), count), windows.ravel()
        assert sampled_windows(*columns, interval=interval, start=float(times[0])).tolist() == windows.tolist()

    def test_independent_cuts(self) -> None:
        # Ten flows that halve their windows in one of ten bins: 1, give or take 4 sqrt(2 / bins).
        random = np.random.default_rng(2)
        windows = np.where(random.random((10, 20_000)) < 0.1, 10.0, 20.0)
        times, flows = np.tile(np.arange(20_000) * 0.5, 10), np.repeat(np.arange(10), 20_000)
        assert cut_dependence(times, flows, windows.ravel(), interval=0.5) == pytest.approx(1, abs=0.04)
        together = np.tile(windows[:1], (10, 1))
        assert cut_dependence(times, flows, together.ravel(), interval=0.5) == pytest.approx(10)
        assert math.isnan(cut_dependence(times, flows, together.ravel(), interval=0.5, most=10))

    def test_what_is_no_table_is_refused(self) -> None:
        with pytest.raises(ValueError, match="interval: 0 is not allowed: must be above 0 s"):
            sampled_windows([0.0], [1], [2.0], interval=0)
        with pytest.raises(ValueError, match="columns of one length"):
            sampled_windows([0.0], [1, 2], [2.0], interval=1)
