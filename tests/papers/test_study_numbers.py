"""Functions of studies with results computed by hand, most of them at the limit of a comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ackclock.analysis import Interval
from ackclock.papers.burstiness import close_figures
from ackclock.papers.burstiness.close import SCALES
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.heterogeneous.claims import model
from ackclock.papers.heterogeneous.evidence import scaling
from ackclock.papers.manyflows.experiment import T1, grid_setting, scenario, work
from ackclock.papers.selfsimilar import figures
from ackclock.papers.truth import NO, OPEN, YES, Truth

if TYPE_CHECKING:
    from ackclock.papers.core.evidence import Scalar


def exact(*means: float) -> dict[Scalar, Interval]:
    """Return points 1, 2, ... whose means have no uncertainty."""
    return {
        place: Interval(mean=mean, half_width=0.0, standard_error=0.0, count=3, level=0.95)
        for place, mean in enumerate(means, start=1)
    }


class TestTrendOfTheModel:
    """Four points have six pairs."""

    @pytest.mark.parametrize(
        ("other", "answer"),
        [
            ((1, 2, 3, 4), YES),
            # five of six pairs agree: a rank correlation of 4/6
            ((1, 2, 4, 3), YES),
            # four of six: 2/6
            ((1, 4, 2, 3), NO),
            ((4, 3, 2, 1), NO),
        ],
    )
    def test_needs_a_rank_correlation_of_a_half(self, other: tuple[float, ...], answer: Truth) -> None:
        assert model._correlated(exact(1, 2, 3, 4), exact(*other)) is answer

    def test_a_rank_correlation_of_exactly_a_half_is_enough(self) -> None:
        """Eight points have 28 pairs; with 7 in disorder the correlation is (21 - 7) / 28."""
        assert model._correlated(exact(1, 2, 3, 4, 5, 6, 7, 8), exact(8, 1, 2, 3, 4, 5, 6, 7)) is YES

    def test_pairs_that_chance_decides_leave_it_open(self) -> None:
        wide = {place: replace(point, half_width=2.0) for place, point in exact(1, 2, 3, 4).items()}
        assert model._correlated(exact(1, 2, 3, 4), wide) is OPEN

    @pytest.mark.parametrize(
        ("other", "answer"),
        [
            # the steepest step of the first line is from 2 to 3
            ((1, 1.1, 2, 2.1), YES),
            ((1, 2, 2.1, 2.2), YES),
            ((1, 1.1, 1.2, 2.4), YES),
        ],
    )
    def test_steepest_steps_may_be_adjacent(self, other: tuple[float, ...], answer: Truth) -> None:
        assert model._rise_together(exact(1, 1.1, 3, 3.1), exact(*other)) is answer

    def test_steepest_steps_apart_do_not_rise_together(self) -> None:
        assert model._rise_together(exact(1, 3, 3.1, 3.2), exact(1, 1.1, 1.2, 2.4)) is NO

    def test_two_equally_steep_steps_both_count(self) -> None:
        """The values double from 1 to 2 and from 3 to 4; only the last step is not next to the other line's first."""
        assert model._rise_together(exact(1, 2, 2, 4), exact(1, 4, 4, 4)) is OPEN


class TestScaling:
    def test_is_fitted_from_a_round_trip_on(self) -> None:
        """The c.o.v. falls with the root of the length from 0.1 s on, and is flat below."""
        ladder = [length**-0.5 if length >= 0.1 else 0.1**-0.5 for length in SCALES]
        assert scaling(Run(where={}, seed=1, values={"ladder": ladder})).values["slope"] == pytest.approx(-0.5)

    def test_the_shortest_bin_counts(self) -> None:
        """Without the bin of 0.1 s the points would be level."""
        ladder = [2.0 if length == 0.1 else 1.0 for length in SCALES]
        assert scaling(Run(where={}, seed=1, values={"ladder": ladder})).values["slope"] < -0.05


class TestAutocorrelation:
    @pytest.mark.parametrize(
        ("values", "lag"),
        [
            ((1, 0.5, -0.1, 0.1, 0.4, 0.1), 4),
            # a peak of exactly 0.3 counts; a flat peak is at its beginning
            ((1, -0.1, 0.2, 0.3, 0.2), 3),
            ((1, -0.1, 0.2, 0.4, 0.4, 0.1), 3),
            # a peak before the fall below zero, and a peak that is too low
            ((1, 0.4, 0.6, 0.2, -0.1, -0.2), None),
            ((1, -0.1, 0.1, 0.29, 0.1), None),
            # a fall to zero is not a fall below zero
            ((1, 0, 0.4, 0.1), None),
            # the last value is no peak, since the function may still rise
            ((1, -0.1, 0.2, 0.4), None),
        ],
    )
    def test_returns_at_its_first_clear_peak(self, values: tuple[float, ...], lag: int | None) -> None:
        assert close_figures._return(np.array(values)) == lag


def test_the_work_of_a_run_is_what_it_carries() -> None:
    """The amount of data is 200 s at 1.6 Mb/s, except for the bit per second that breaks ties."""
    assert work(scenario(grid_setting(T1, 100, 60))) == pytest.approx(200 * 1.6e6, rel=1e-5)


@pytest.mark.parametrize(("seeds", "words"), [((1,), "one seed"), ((1, 1), "one seed"), ((1, 2), "2 seeds")])
def test_seeds_are_counted_once(seeds: tuple[int, ...], words: str) -> None:
    rows = [Run(where={}, seed=seed, values={}) for seed in seeds]
    assert figures._seeds(Runs({"flows": rows})) == words
