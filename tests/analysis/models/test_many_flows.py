"""Models of Qiu, Zhang and Keshav for many flows: hyperbolas, the band of round-trip times, shares within a factor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.optimize import minimize

from ackclock.analysis.models import hyperbola, rtt_bias_band, within_factors

if TYPE_CHECKING:
    from collections.abc import Callable

    Note = Callable[[str, object], None]

# Losses of ns-2.35 in the paper's grid without overhead, for more connections than a third of the pipe: the pipe in
# packets, connections, loss to three decimals, and a and b of a relative least-squares fit to all decimals.
T1_100 = ([60, 100, 150, 200, 300, 450, 600], [0.093, 0.131, 0.154, 0.172, 0.197, 0.222, 0.246], 127.5, 0.2903)
T1_400 = ([150, 200, 300, 450, 600], [0.073, 0.088, 0.118, 0.146, 0.169], 479.9, 0.3032)
ISDN_100 = ([60, 100, 150, 200, 300, 450, 600], [0.127, 0.203, 0.261, 0.296, 0.351, 0.408, 0.456], 218.7, 0.6183)
ISDN_400 = ([150, 200, 300, 450, 600], [0.078, 0.104, 0.172, 0.269, 0.343])


@pytest.mark.parametrize(("connections", "loss", "a", "b"), [T1_100, T1_400, ISDN_100])
def test_fits_to_ns2(connections: list[int], loss: list[float], a: float, b: float, record_property: Note) -> None:
    """Hyperbolas are fitted to losses that ns-2 measured.

    Validates: a and b of the fit, and that their intervals contain the true values.
    Source: Qiu, Zhang and Keshav, Table 4, reproduced with ns-2.35 and fitted by independent code.
    Tolerance: 6 % of a and 4 % of b, since the losses here are rounded to three decimals.
    """
    fit = hyperbola(connections=connections, loss=loss)
    record_property("measured", f"a = {fit.a:.1f} for {a}, b = {fit.b:.4f} for {b}")
    assert fit.a == pytest.approx(a, rel=0.06)
    assert fit.b == pytest.approx(b, rel=0.04)
    assert fit.a_bounds[0] < fit.a < fit.a_bounds[1] < math.inf
    assert fit.b_bounds[0] < fit.b < fit.b_bounds[1] < math.inf
    assert not fit.unbounded
    assert fit.slope == pytest.approx(fit.b / fit.a)


def test_it_is_the_least_of_squares() -> None:
    x, p = np.array(T1_100[0]), np.array(T1_100[1])

    def squares(ab: np.ndarray[Any, np.dtype[np.float64]]) -> float:
        return float(np.sum((ab[1] * x / (x + ab[0]) / p - 1) ** 2))

    best = minimize(squares, [100, 0.3], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-16})
    fit = hyperbola(connections=x, loss=p)
    np.testing.assert_allclose([fit.a, fit.b], best.x, rtol=1e-5)
    assert fit.rms == pytest.approx(math.sqrt(best.fun / len(x)), rel=1e-6)


def test_says_that_a_straight_line_has_no_a() -> None:
    # ns-2's losses grow linearly over a slow link with a large buffer, unlike in the paper.
    fit = hyperbola(connections=ISDN_400[0], loss=ISDN_400[1])
    assert fit.unbounded
    assert fit.a_bounds[1] == fit.b_bounds[1] == math.inf
    assert fit.slope == pytest.approx(0.00055, rel=0.01)
    assert fit.rms == pytest.approx(0.055, rel=0.05)
    assert fit.slope_bounds[0] < 0.00055 < fit.slope_bounds[1]
    # Points on a straight line give a very large a; points that bend upwards fit no hyperbola with positive a.
    straight = hyperbola(connections=[1, 2, 3], loss=[0.1, 0.2, 0.3])
    assert straight.slope == pytest.approx(0.1)
    assert straight.a > 1e6
    upwards = hyperbola(connections=[10, 20, 30, 40], loss=[0.01, 0.04, 0.09, 0.16])
    assert upwards.unbounded
    assert upwards.a == upwards.b == upwards.a_bounds[0] == math.inf
    # x / 40 / p is 25, 12.5, 8.333 and 6.25: the sum 52.083 over the sum of squares 889.757 is s = 0.058537. Residuals
    # s x / 40 / p - 1 have the sum of squares 0.95122, so that s has the error sqrt(0.95122 / 3 / 889.757) = 0.018878;
    # t(3) = 3.1824.
    assert upwards.slope == pytest.approx(0.058537 / 40, rel=1e-4)
    reach = 3.1824 * 0.018878 / 40
    assert upwards.slope_bounds == pytest.approx((upwards.slope - reach, upwards.slope + reach), rel=1e-3)


def test_intervals_cover() -> None:
    """Fits 2000 noisy hyperbolas.

    Validates: the level of the intervals for a, b and the slope.
    Source: definition of a confidence interval.
    Tolerance: 93.5 to 96.5 % for 95 %, three standard errors.
    """
    random = np.random.default_rng(12)
    x = np.array([60, 100, 150, 200, 300, 450, 600])
    true = 0.3237 * x / (x + 144.9)
    inside = np.zeros(3)
    for _ in range(2000):
        fit = hyperbola(connections=x, loss=true * (1 + 0.02 * random.standard_normal(7)))
        bounds = (fit.a_bounds, fit.b_bounds, fit.slope_bounds)
        inside += [
            low <= value <= high for value, (low, high) in zip((144.9, 0.3237, 0.3237 / 144.9), bounds, strict=True)
        ]
    assert (np.abs(inside / 2000 - 0.95) < 0.015).all()


@pytest.mark.parametrize(
    ("connections", "loss", "message"),
    [
        ([1, 2], [0.1, 0.2], "connections, loss: shapes"),
        ([5, 5, 5], [0.1, 0.2, 0.1], "connections, loss: shapes"),
        ([1, 2, 3], [0.1, 0.2], "connections, loss: shapes"),
        ([0, 1, 2], [0.1, 0.2, 0.3], "connections: 0.0 is not allowed: must be above 0"),
        ([1, 2, 3], [0.1, 0.2, 1], "loss: 1.0 is not allowed: must be above 0 and below 1"),
        ([1, 2, 3, 4], [0.4, 0.3, 0.2, 0.1], r"loss: \[0.4, 0.3, 0.2, 0.1\] is not allowed: must increase"),
        ([1, 2, 3], [0.1, 0, 0.2], "loss: 0.0 is not allowed: must be above 0 and below 1"),
    ],
)
def test_refuses_what_no_curve_fits(connections: list[float], loss: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        hyperbola(connections=connections, loss=loss)


def test_the_band_is_the_same_from_either_side() -> None:
    ratios = np.array([1.1, 2, 7])
    near, far = rtt_bias_band(rtt_1=1, rtt_2=ratios), rtt_bias_band(rtt_1=ratios, rtt_2=1)
    np.testing.assert_allclose(near.low, ratios**2)
    np.testing.assert_allclose(near.high, 2 * ratios**2)
    np.testing.assert_allclose(far.low, 1 / near.high)
    np.testing.assert_allclose(far.high, 1 / near.low)
    equal = rtt_bias_band(rtt_1=0.2, rtt_2=0.2)
    assert (float(equal.low), float(equal.high)) == (1, 2)
    with pytest.raises(ValueError, match=r"^rtt_2: -1\.0 is not allowed: must be above 0"):
        rtt_bias_band(rtt_1=1, rtt_2=-1)
    with pytest.raises(ValueError, match=r"shapes cannot be broadcast together: rtt_1 \(2,\), rtt_2 \(3,\)"):
        rtt_bias_band(rtt_1=[1, 2], rtt_2=[1, 2, 3])


def test_shares_within_factors() -> None:
    measured = np.full(1000, 7.0)
    ratio = np.repeat([1, 1 / 1.5, 2, 1 / 2.9, 5], [500, 200, 150, 100, 50])
    within = within_factors(measured=measured, predicted=measured * ratio)
    np.testing.assert_allclose(within.shares, [0.7, 0.85, 0.95, 0.95])
    assert within.median_ratio == 1
    assert within.count == 1000
    # Wilson 1927, by hand.
    z, n, share = 1.959963984540054, 1000, within.shares
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    np.testing.assert_allclose(within.low, middle - half, rtol=1e-12)
    np.testing.assert_allclose(within.high, middle + half, rtol=1e-12)


def test_all_or_nothing_has_an_interval_too() -> None:
    within = within_factors(measured=[1, 1, 1], predicted=[1, 1, 1], factors=[1])
    assert within.shares[0] == within.high[0] == 1
    assert 0 < within.low[0] < 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"measured": [1, 0]}, "measured: 0.0 is not allowed: must be above 0"),
        ({"predicted": [1, math.nan]}, "predicted: nan is not allowed: must be above 0"),
        ({"predicted": [1]}, r"measured, predicted: shapes \(2,\) and \(1,\) are not allowed"),
        ({"measured": [], "predicted": []}, "measured, predicted: shapes"),
        ({"factors": [0.5]}, "factors: 0.5 is not allowed: must be at least 1"),
        ({"level": 1}, "level: 1.0 is not allowed: must be above 0 and below 1"),
    ],
)
def test_refuses_what_cannot_be_compared(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        within_factors(**dict[str, Any]({"measured": [1, 2], "predicted": [1, 2]} | changed))
