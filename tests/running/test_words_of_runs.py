"""Notices of several runs, seeds, and the figures of a series over time scales, worked out by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.drawing.acks import ack_scatter
from ackclock.report import scaling
from ackclock.running.likeness import merge_notices
from ackclock.study.seeds import _seeds


@pytest.mark.parametrize(
    ("notices", "of", "expected"),
    [
        ([["It is 5."], ["It is 5."]], 2, ["It is 5."]),
        ([["It is 5 (of 9)."], ["It is 10 (of 9)."], ["It is 7 (of 9)."]], 3, ["It is 5 to 10 (of 9)."]),
        ([["1 of 4 is late."], ["5 of 7 is late."]], 2, ["1 to 5 of 4 to 7 is late."]),
        ([["Odd."], []], 2, ["Odd. (1 of 2 runs)"]),
        # two equal notices in a run concern different objects
        ([["A 1.", "A 2."], ["A 3."]], 2, ["A 1 to 3.", "A 2. (1 of 2 runs)"]),
        ([["g-0 is 1."], ["g-1 is 1."]], 2, ["g-0 is 1. (1 of 2 runs)", "g-1 is 1. (1 of 2 runs)"]),
        # notices that differ only in their groups are one, with the number of runs that have any of them
        ([["Group 1: group a is 1 s.", "Group 1: group 7 is 4 s."], ["Group 1: group 7 is 2 s."], []], 3,
         ["Group 1: groups a and 7 is 1 to 4 s. (2 of 3 runs)"]),
        ([[f"The share of group g{each} is 1." for each in range(6)]], 1,
         ["The share of groups g0, g1, g2 and 3 others is 1."]),
        ([[], []], 2, []),
    ],
)  # fmt: skip
def test_notices_of_several_runs(notices: list[list[str]], of: int, expected: list[str]) -> None:
    assert merge_notices(notices, of=of) == tuple(expected)


def test_seeds() -> None:
    assert [_seeds(given) for given in (3, [7, 5], range(2), 1)] == [[1, 2, 3], [7, 5], [0, 1], [1]]
    wrong: list[Any] = [0, [], True, 1.5]
    for given in wrong:
        with pytest.raises(ac.ScenarioError, match="must be the number of seeds, at least 1, or the seeds"):
            _seeds(given)
    with pytest.raises(ac.ScenarioError, match="must differ"):
        _seeds([1, 2, 1])


def test_the_cov_of_independent_bins_falls_with_the_root_of_the_scale() -> None:
    ladder: Any = SimpleNamespace(scales=np.array([1, 4, 16]), cov=np.array([0.5, 0.3, 0.0]))
    (panel,) = scaling._cov(ladder).panels
    ours, memoryless = panel.series
    assert np.asarray(ours.x).tolist() == np.asarray(memoryless.x).tolist() == [1, 4, 16]
    assert np.asarray(ours.y) == pytest.approx([0.5, 0.3, math.nan], nan_ok=True)
    assert np.asarray(memoryless.y) == pytest.approx([0.5, 0.25, 0.125])
    assert (panel.x.log, panel.y.log) == (True, True)


def test_bars_of_a_fit_are_two_standard_errors_of_a_binary_logarithm() -> None:
    """A standard error of 0.1 of log2(8) is 8 ln(2) / 10 of the value 8."""
    diagram = SimpleNamespace(
        scales=np.array([1.0, 2]), values=np.array([8.0, 4]), fitted=np.array([7.0, 5]), errors=np.array([0.1, 0.2])
    )
    estimate: Any = SimpleNamespace(h=0.75, low=0.7, high=0.8, diagram=diagram)
    (panel,) = scaling._plot(estimate, "label", "red").panels
    measured, fitted = panel.series
    expected = [8 * math.log(2) * 0.1 * scaling._TWO_SIGMA, 4 * math.log(2) * 0.2 * scaling._TWO_SIGMA]
    assert math.isclose(scaling._TWO_SIGMA, 1.96, abs_tol=0.001)
    assert measured.error is not None
    assert np.asarray(measured.error) == pytest.approx(expected)
    assert (measured.dash, measured.marker, measured.colour) == ("none", "circle", "red")
    assert (fitted.name, np.asarray(fitted.y).tolist()) == ("H = 0.750 [0.700, 0.800]", [7, 5])
    diagram.errors = None
    assert scaling._plot(estimate, "label", "red").panels[0].series[0].error is None


@pytest.mark.parametrize(
    ("values", "claimed", "words"),
    [
        ([], False, "No method can estimate the Hurst parameter."),
        ([0.9, 0.8], True, "The series has long-range dependence: estimates of H range from 0.80 to 0.90."),
        ([0.6, 0.5], False, "Long-range dependence is not claimed; estimates of H range from 0.50 to 0.60."),
    ],
)
def test_words_of_long_range_dependence(values: list[float], claimed: int, words: str) -> None:
    found: Any = SimpleNamespace(estimates=[SimpleNamespace(h=each) for each in values], long_range=claimed)
    assert scaling.hurst_words(found) == words


def test_columns_with_commas_are_quoted() -> None:
    assert scaling.columns_text({"a": np.array([1.0, 2]), "b, c": np.array([0.5, 1e9])}) == 'a,"b, c"\n1,0.5\n2,1e+09\n'


def test_acks_at_the_ends_of_the_time_and_of_the_flows() -> None:
    """ACKs count from the start up to, but not at, the end; equal flows keep their order."""
    panel = ack_scatter([1, 2, 2.5, 3, 0.5], [2, 0, 2, 0, 1], count=4, start=1, end=3)
    assert panel.dots is not None
    assert np.asarray(panel.dots.x).tolist() == [1, 2, 2.5]
    assert np.asarray(panel.dots.y).tolist() == [4, 3, 4]  # flows 1 and 3 have none, flow 0 one, flow 2 two
    assert [panel.x.low, panel.x.high, panel.y.low, panel.y.high] == [1, 3, 0.5, 4.5]
    assert panel.dots.rows == 4
    for flows, count, ends in (([0, 4], 4, (0, 1)), ([-1, 0], 4, (0, 1)), ([0], 4, (0, 1)), ([0, 3], 4, (1, 1))):
        with pytest.raises(ValueError, match="is not allowed|are not allowed"):
            ack_scatter([0, 0], flows, count=count, start=ends[0], end=ends[1])
    assert ack_scatter([], [], count=1000, start=0, end=1).dots is not None
