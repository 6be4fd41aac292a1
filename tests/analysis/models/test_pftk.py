"""The formulas of Padhye et al.: exact values, their limits, and errors for bad input."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.analysis.models.precise import between, errors, losses

from ackclock.analysis.models import pftk

if TYPE_CHECKING:
    from collections.abc import Callable

    Note = Callable[[str, object], None]


def approximate(p: mpf, rtt: mpf, t0: mpf, b: mpf, w_max: mpf) -> mpf:
    # Term by term as Qiu, Zhang and Keshav print it.
    timeouts = t0 * min(mpf(1), 3 * mpmath.sqrt(3 * b * p / 8)) * p * (1 + 32 * p**2)
    return min(w_max / rtt, 1 / (rtt * mpmath.sqrt(2 * b * p / 3) + timeouts))


def full(p: mpf, rtt: mpf, t0: mpf, b: mpf, w_max: mpf) -> mpf:
    # Term by term as Padhye et al. print equation (32).
    free = (2 + b) / (3 * b) + mpmath.sqrt(8 * (1 - p) / (3 * b * p) + ((2 + b) / (3 * b)) ** 2)
    f = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    q = 1 - p

    def share(w: mpf) -> mpf:
        return min(mpf(1), (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w))

    if free < w_max:
        return (q / p + free + share(free) / q) / (rtt * (b / 2 * free + 1) + share(free) * t0 * f / q)
    rounds = b / 8 * w_max + q / (p * w_max) + 2
    return (q / p + w_max + share(w_max) / q) / (rtt * rounds + share(w_max) * t0 * f / q)


def test_every_digit(record_property: Note) -> None:
    """Tests both formulas for p from 1e-300 to 1 - 1e-15, windows from 1 to 1e9 or unlimited, and both values of b.

    Validates: the result equals the formula for all arguments.
    Source: Padhye, Firoiu, Towsley and Kurose 2000, equations (32) and (33), evaluated in 50 digits.
    Tolerance: 1e-12, relative.
    """
    random, count = np.random.default_rng(8), 1500
    p, b = losses(count, random), random.choice([1.0, 2.0, 1.5, 8.0], count)
    rtt, t0 = between(1e-4, 10, count, random), between(1e-3, 100, count, random)
    w_max = np.where(random.random(count) < 0.3, math.inf, between(1, 1e9, count, random))
    # A third of the windows are next to the window at which the full formula changes.
    edge = 1 + np.sqrt(8 / (3 * b * np.maximum(p, 1e-18)))
    w_max = np.where(random.random(count) < 0.3, edge * between(0.9, 1.5, count, random), w_max)
    predicted = pftk(p=p, rtt=rtt, t0=t0, b=b, w_max=w_max)
    for name, found, exact in (("approximate", predicted.approximate, approximate), ("full", predicted.full, full)):
        worst = errors(found, exact, p, rtt, t0, b, w_max).max()
        record_property(f"{name}: largest relative error", float(worst))
        assert worst < 1e-12, name


def test_the_window_limits() -> None:
    predicted = pftk(p=1e-12, rtt=0.1, t0=1, w_max=20)
    assert float(predicted.approximate) == 200
    assert float(predicted.full) == pytest.approx(200, rel=1e-8)


def test_rare_losses_leave_the_square_root() -> None:
    # The timeout term is proportional to p^1.5 and the rest to p^0.5.
    p = np.array([1e-8, 1e-10])
    predicted = pftk(p=p, rtt=0.1, t0=1, b=2)
    for rate in (predicted.approximate, predicted.full):
        np.testing.assert_allclose(rate * 0.1 * np.sqrt(4 * p / 3), 1, rtol=1e-3)


def test_both_formulas_fall_with_the_loss() -> None:
    predicted = pftk(p=np.geomspace(1e-6, 0.9, 200), rtt=0.2, t0=1)
    assert (np.diff(predicted.approximate) < 0).all()
    assert (np.diff(predicted.full) < 0).all()


def test_arguments_broadcast() -> None:
    predicted = pftk(p=[[0.01], [0.1]], rtt=[0.1, 0.2, 0.3], t0=1)
    assert predicted.full.shape == predicted.approximate.shape == (2, 3)
    assert predicted.full[1, 2] == pftk(p=0.1, rtt=0.3, t0=1).full


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("p", 0, "above 0 and below 1"),
        ("p", 1, "above 0 and below 1"),
        ("p", [0.5, math.nan], "above 0 and below 1"),
        ("p", "half", "numbers"),
        ("rtt", 0, "above 0"),
        ("t0", math.inf, "above 0"),
        ("b", 0.5, "at least 1"),
        ("w_max", 0, "at least 1"),
        ("w_max", math.nan, "at least 1"),
    ],
)
def test_refuses_what_makes_no_sense(name: str, value: object, allowed: str) -> None:
    arguments = dict[str, Any]({"p": 0.1, "rtt": 0.1, "t0": 1})
    with pytest.raises(ValueError, match=f"^{name}: .* is not allowed: must be {allowed}"):
        pftk(**arguments | {name: value})


def test_refuses_shapes_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match=r"^shapes cannot be broadcast together: p \(2,\), rtt \(3,\)$"):
        pftk(p=[0.1, 0.2], rtt=[1, 2, 3], t0=1)
