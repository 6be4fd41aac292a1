"""Estimators of the Hurst parameter: limits of length, intervals and verdicts, computed by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import pywt

from ackclock import analysis
from ackclock.analysis import HurstEstimate
from ackclock.analysis.scaling import correlations, spread, verdict, wavelets, whittle

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def noise(count: int, h: float = 0.5) -> NDArray[np.float64]:
    return analysis.fractional_gaussian_noise(count, hurst=h, seed=1)


@pytest.mark.parametrize(
    ("method", "least"),
    [
        (analysis.abry_veitch, 636),
        (analysis.local_whittle, 128),
        (analysis.kettani_gubner_k1, 32),
        (analysis.kettani_gubner, 200),
        (analysis.variance_time, 128),
        (analysis.rescaled_range, 256),
        (analysis.hurst, 100),
        (lambda series: analysis.burstiness(np.abs(series)), 20),
        (lambda series: analysis.kettani_gubner(series, lags=3), 12),
    ],
)
def test_the_shortest_series(
    monkeypatch: pytest.MonkeyPatch, method: Callable[[NDArray[np.float64]], Any], least: int
) -> None:
    monkeypatch.setattr(spread, "_moments", lambda *_: (np.linspace(0, 1, 8), np.ones(8)))  # simulates 400 paths
    method(noise(least))
    with pytest.raises(ValueError, match=f"{least - 1} values are not allowed: must be at least {least}"):
        method(noise(least - 1))


def test_the_autocorrelation_at_lag_one_gives_the_parameter() -> None:
    # Deviations 1, 1, -1, -1 in turn: neighbours agree in 16 and differ in 15 of 31 pairs, so r = 1 / 32.
    found = analysis.kettani_gubner_k1([3, 3, 1, 1] * 8)
    assert found.h == pytest.approx((1 + math.log2(1 + 1 / 32)) / 2)
    assert found.scales == (1.0, 2.0)
    alike = analysis.kettani_gubner([3, 3, 1, 1] * 8, lags=1)
    assert alike.h == pytest.approx(found.h, abs=1e-5)
    assert [alike.low, alike.high] == pytest.approx([found.low, found.high], abs=1e-5)
    assert alike.scales == (1.0, 2.0)
    assert analysis.kettani_gubner([3, 3, 1, 1] * 8, lags=8).scales == (1.0, 9.0)
    with pytest.raises(ValueError, match="lags: 0 is not allowed: must be at least 1"):
        analysis.kettani_gubner(noise(100), lags=0)
    # A line of 10,000 values has an autocorrelation of 0.9997, which is above that of any noise here.
    assert analysis.kettani_gubner_k1(np.arange(10_000)).h == 0.999


@pytest.mark.parametrize("values", [[1, -1] * 16, [1, -1] * 15 + [0, 0], [1, 0] * 16])
def test_neighbours_that_alternate_have_no_parameter(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"a lag-1 autocorrelation of -0\.9\d is not allowed: must be above -0\.5"):
        analysis.kettani_gubner_k1(values)


def test_the_error_of_independent_values_is_bartletts() -> None:
    """Without memory r(1) has the standard error 1 / sqrt(n) and the mean -1 / (n - 1).

    The slope of 2^(2H - 1) - 1 at H = 1/2 is 2 ln 2, which divides both. The error depends on the mean's slope and on
    the subtracted mean to the order 1 / n.
    """
    mean, error = correlations._mean_and_error(0.5, 10_000, 1)
    assert mean - 0.5 == pytest.approx(-1 / 9999 / (2 * math.log(2)), rel=0.05)
    assert error == pytest.approx(0.01 / (2 * math.log(2)), rel=0.001)


@pytest.mark.parametrize(("h", "power"), [(0.3, -0.5), (0.75, -0.5), (0.9, -0.2)])
def test_beyond_65536_values_the_error_falls_at_its_asymptotic_rate(
    monkeypatch: pytest.MonkeyPatch, h: float, power: float
) -> None:
    monkeypatch.setattr(correlations, "_nearest", lambda _: h)  # the mean has no error here
    monkeypatch.setattr(correlations, "_LONGEST", 1000)
    _, longest = correlations._mean_and_error(h, 1000, 3)
    _, longer = correlations._mean_and_error(h, 4000, 3)
    assert longer / longest == pytest.approx(4**power)
    monkeypatch.undo()
    assert correlations._LONGEST == 65_536


def estimate(h: float, **fields: Any) -> HurstEstimate:
    given: dict[str, Any] = {"method": "some", "h": h, "low": h, "high": h, "scales": (1.0, 2.0)} | fields
    return HurstEstimate(**given)


TRUTHS = np.array([0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("h", "means", "reach", "low", "high", "bias"),
    [
        # estimates are 0.1 too high: 0.6 is from 0.4 to 0.6 within 0.1 of the means
        (0.6, [0.1, 0.6, 1.1], [0.1, 0.1, 0.1], 0.4, 0.6, 0.1),
        # estimates shrink toward 1/2 by half: 0.6 is from 0.7, and a reach of 0.1 is 0.2 of the parameter
        (0.6, [0.25, 0.5, 0.75], [0.1, 0.1, 0.1], 0.5, 0.9, -0.1),
        # estimates are 0.3 too low, so that the interval would not contain the estimate
        (0.5, [-0.3, 0.2, 0.7], [0.1, 0.1, 0.1], 0.5, 0.9, -0.3),
        (0.5, [0.3, 0.8, 1.3], [0.1, 0.1, 0.1], 0.1, 0.5, 0.3),
        # beyond the last parameter
        (1.2, [0.0, 0.5, 1.0], [0.1, 0.1, 0.1], 1.0, 1.2, 0.2),
        # the upper curve falls from 0.9 to 0.8 and counts as flat
        (0.85, [0.0, 0.5, 0.7], [0.0, 0.4, 0.1], 0.5 * 0.85 / 0.9, 1.0, -0.15),
    ],
)
def test_an_interval_holds_the_plausible_parameters(
    h: float, means: list[float], reach: list[float], low: float, high: float, bias: float
) -> None:
    found = spread.inverted(estimate(h), truths=TRUTHS, means=np.array(means), reach=np.array(reach))
    assert (found.low, found.high, found.bias) == pytest.approx((low, high, bias))
    assert (found.h, found.method) == (h, "some")


def test_simulated_paths_are_as_long_as_the_series_up_to_8192_values(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = []

    def moments(_: object, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        lengths.append(size)
        return np.array([0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97]), np.full(8, 0.01)

    monkeypatch.setattr(spread, "_moments", moments)
    for count in (8191, 8192, 8193):
        found = spread.with_spread(estimate(0.6), count, np.mean)
        # t(49) = 2.00958 at 95 %; a new value has the variance of fifty others' mean in addition
        assert found.high - 0.6 == pytest.approx(2.00958 * 0.01 * math.sqrt(1 + 1 / 50), rel=1e-5)
        assert found.low == pytest.approx(1.2 - found.high)
    assert lengths == [8191, 8192, 8192]


def test_moments_are_over_fifty_paths_of_each_parameter() -> None:
    drawn: list[NDArray[np.float64]] = []

    def first(path: NDArray[np.float64]) -> float:
        drawn.append(path)
        return float(path[0])

    means, spreads = spread._moments(first, 7)
    assert len(drawn) == 8 * 50
    assert {path.size for path in drawn} == {7}
    values = np.array([path[0] for path in drawn]).reshape(8, 50)
    assert means == pytest.approx(values.mean(axis=1))
    assert spreads == pytest.approx(values.std(axis=1, ddof=1))
    assert len({path[1] for path in drawn}) == 8 * 50


def test_frequencies_have_the_uncertainty_of_their_octave(monkeypatch: pytest.MonkeyPatch) -> None:
    # Periods are 20 / k for k = 1 to 10: two of 8 and more (octave 3 and up), three of 4 to 8, and five below.
    diagram = type("Diagram", (), {"excess": np.array([1.0, 2.0, 5.0])})
    monkeypatch.setattr(whittle, "log_scale_diagram", lambda _: diagram)
    assert whittle._excess(np.arange(20.0)).tolist() == [5, 5, 2, 2, 2, 1, 1, 1, 1, 1]


def test_the_error_of_local_whittle_is_of_its_fisher_information() -> None:
    # Logarithms of 1 and 2 have the distance ln 2: squares (ln 2)^2 / 4 each, s = (ln 2)^2 / 2.
    found = whittle._with_interval(0.7, 100, np.array([1.0, 1.0]))
    assert found.high - 0.7 == pytest.approx(1.959964 / (2 * math.sqrt(math.log(2) ** 2 / 2)))
    assert found.low == pytest.approx(1.4 - found.high)
    assert (found.h, found.scales, found.method) == (0.7, (50, 100), "local_whittle")
    wider = whittle._with_interval(0.7, 100, np.array([3.0, 5.0]))
    assert wider.high - 0.7 == pytest.approx(2 * (found.high - 0.7))  # the root of their mean


def test_the_curvature_of_a_spectrum_is_a_score_test() -> None:
    """The score of c in 1 + c (k / m)^2, less its regression on 1 and log k, in standard deviations."""
    at = np.arange(1.0, 9)
    law = np.asarray(at**-0.6)  # H = 0.8
    h, bent = whittle._fit(law, np.ones(8))
    assert (h, bent) == pytest.approx((0.8, 0), abs=1e-4)
    power = np.asarray(law * np.array([1, 2, 0.5, 1, 1.5, 0.5, 2, 1]), dtype=np.float64)
    h, bent = whittle._fit(power, np.full(8, 4.0))
    logs, curve = np.log(at), (at / 8) ** 2
    slope, level = np.polyfit(logs, curve, 1)
    rest = curve - level - slope * logs
    flat = power * at ** (2 * h - 1)
    # h is the least of the objective, so the logarithms weighted by `flat` have the plain mean
    assert np.average(logs, weights=flat) == pytest.approx(logs.mean(), abs=1e-5)
    assert bent == pytest.approx(float(rest @ flat) / flat.mean() / 2 / math.sqrt(float(rest @ rest)))


@pytest.mark.parametrize("count", [5, 6, 7, 100, 4097])
def test_an_octave_is_that_of_pywavelets(count: int) -> None:
    """Up to the rounding of fused multiplications, which PyWavelets uses on some processors."""
    series = noise(count)
    theirs = pywt.dwt(series, "db3", mode="zero")
    for ours, part in zip(wavelets.halved(series), theirs, strict=True):
        np.testing.assert_allclose(ours, part[2 : count // 2], rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("energies", "scales"),
    [
        ([9, 0, 1, 2, 3, 4, 5], (8, 128)),  # the two finest octaves are omitted
        ([0, 0, 9, 2, 3, 4, 5], (16, 128)),
        ([0, 0, 9, 0, 3, 4, 5], (32, 128)),  # three octaves are the fewest
        ([0, 0, 9, 0, 9, 4, 9], None),
    ],
)
def test_a_line_fits_at_least_three_octaves(
    monkeypatch: pytest.MonkeyPatch, energies: list[float], scales: tuple[float, float] | None
) -> None:
    diagram = wavelets.LogScale(np.arange(1.0, 8), np.array(energies, dtype=float), np.full(7, 0.1), np.ones(7))
    monkeypatch.setattr(wavelets, "log_scale_diagram", lambda _: diagram)
    if scales is None:
        with pytest.raises(ValueError, match="no line fits three octaves"):
            analysis.abry_veitch(noise(1000))
        return
    found = analysis.abry_veitch(noise(1000))
    assert found.scales == scales
    assert found.h == pytest.approx(1)  # the energy doubles at each octave


def test_local_whittle_halves_its_frequencies_until_no_curvature_is_left() -> None:
    smooth = np.convolve(noise(4096 + 11), np.ones(12), mode="valid")  # ever less power down to a period of 12
    found = analysis.local_whittle(smooth)
    most = int(4096**0.7)
    assert found.scales[0] in {4096 / (most // 2**halved) for halved in range(1, 5)}
    assert found.low < 0.6


@pytest.mark.parametrize(("shortest", "scales"), [(10.0, (80, 960)), (10.1, None)])
def test_the_lowest_eighth_of_the_frequencies_are_at_least_twelve(
    shortest: float, scales: tuple[float, float] | None
) -> None:
    # a fit from 10 bins on uses 96 frequencies of 960 values; one from 10.1 bins on uses 95
    late = whittle.lasting(noise(960), estimate(0.5, scales=(shortest, 960.0)))
    assert (None if late is None else late.scales) == scales


def judged(monkeypatch: pytest.MonkeyPatch, **made: Any) -> list[str]:
    """Return the doubts about a series of which each test has the given result."""
    monkeypatch.setattr(verdict, "trend", lambda *_: made.get("trend"))
    monkeypatch.setattr(verdict, "cycle", lambda _: made.get("cycle"))
    monkeypatch.setattr(verdict, "lasting", lambda *_: made.get("late", estimate(0.7, low=0.6)))
    found = {
        name: made.get(name, estimate(0.8, low=0.7, high=0.9, method=name)) for name in ("abry_veitch", "local_whittle")
    }
    return list(verdict._doubts(np.zeros(4), {name: each for name, each in found.items() if each}))


@pytest.mark.parametrize(
    ("made", "doubts"),
    [
        ({}, []),
        ({"trend": 0.25}, ["the series has a trend, which causes 25.00% of its variance"]),
        ({"cycle": 12.5}, ["the series has a cycle of about 12.5 bins"]),
        ({"abry_veitch": None}, ["it requires both abry_veitch and local_whittle"]),
        ({"local_whittle": None}, ["it requires both abry_veitch and local_whittle"]),
        (
            {"abry_veitch": estimate(0.6, low=0.5, method="abry_veitch")},
            ["the interval of abry_veitch begins at 0.50, not above 0.5"],
        ),
        ({"abry_veitch": estimate(0.6, low=0.501)}, []),
        (
            {"local_whittle": estimate(1.2, low=1.0, method="x")},
            ["x finds 1.20, above 1: the series is not stationary"],
        ),
        ({"local_whittle": estimate(1.2, low=0.999)}, []),
        ({"late": None}, ["the power law fits too few scales to test whether the memory lasts"]),
        (
            {"late": estimate(0.6, low=0.5, high=0.7)},
            ["the lowest frequencies, with periods from 1 bins, give H = 0.60 (0.50 to"],
        ),
        ({"late": estimate(0.6, low=0.501)}, []),
        ({"trend": 0.0, "cycle": 0.0}, ["the series has a trend, which causes 0.00% of", "the series has a cycle of"]),
    ],
)
def test_doubts_about_long_range_dependence(
    monkeypatch: pytest.MonkeyPatch, made: dict[str, Any], doubts: list[str]
) -> None:
    found = judged(monkeypatch, **made)
    assert len(found) == len(doubts)
    assert all(text.startswith(doubt) for text, doubt in zip(found, doubts, strict=True))


def test_methods_disagree_if_intervals_do_not_overlap() -> None:
    one, other = estimate(0.6, low=0.5, high=0.7, method="one"), estimate(0.8, low=0.7, high=0.9, method="other")
    assert list(verdict._disagreement([one, other])) == []
    far = estimate(0.8, low=0.71, high=0.9, method="far")
    (text,) = verdict._disagreement([other, far, one])
    assert text.startswith("The intervals of one (0.50 to 0.70) and far (0.71 to 0.90) do not overlap")


def test_a_claim_names_the_scales_that_both_methods_fit() -> None:
    found = {
        "abry_veitch": estimate(0.8, low=0.7, high=0.9, scales=(8.0, 512.0)),
        "local_whittle": estimate(0.8, scales=(10.0, 400.0)),
    }
    assert verdict._claim(found).startswith(
        "Long-range dependence: from 10 to 400 bins the series scales with H = 0.80 (0.70 to 0.90)"
    )
