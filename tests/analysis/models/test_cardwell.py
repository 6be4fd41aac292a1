"""The latency of short flows by Cardwell et al., and the square-root law: exact values, and cases worked by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.analysis.models.precise import between, errors, losses

from ackclock.analysis.models import Cardwell, cardwell, mathis

if TYPE_CHECKING:
    from collections.abc import Callable

    Note = Callable[[str, object], None]


def latency(d: mpf, p: mpf, rtt: mpf, t0: mpf, b: mpf, w1: mpf, w_max: mpf, delack: mpf) -> mpf:
    # The paper's equations in their order; slow start and its window are limited to the transfer's.
    gamma, q = 1 + 1 / b, 1 - p

    def share(w: mpf) -> mpf:
        return min(mpf(1), (1 + q**3 * (1 - q ** (w - 3))) / ((1 - q**w) / (1 - q**3)))

    cost = t0 * (1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6) / q
    sent = min((1 - q**d) * q / p + 1, d)
    reached = sent * (gamma - 1) / gamma + w1 / gamma
    if reached > w_max:
        rounds = mpmath.log(w_max / w1) / mpmath.log(gamma) + 1
        rounds += (sent - (gamma * w_max - w1) / (gamma - 1)) / w_max
    else:
        rounds = mpmath.log(sent * (gamma - 1) / w1 + 1) / mpmath.log(gamma)
    window = min(reached, w_max)
    loss = (1 - q**d) * (share(window) * cost + (1 - share(window)) * rtt)
    w = (2 + b) / (3 * b) + mpmath.sqrt(8 * q / (3 * b * p) + ((2 + b) / (3 * b)) ** 2)
    if w < w_max:
        pace = (q / p + w / 2 + share(w)) / (rtt * (b / 2 * w + 1) + share(w) * cost)
    else:
        pace = q / p + w_max / 2 + share(w_max)
        pace /= rtt * (b / 8 * w_max + q / (p * w_max) + 2) + share(w_max) * cost
    return rtt * rounds + loss + (d - sent) / pace + delack


def test_every_digit(record_property: Note) -> None:
    """Tests transfers of one packet to a million, with losses from 1e-300 to 1 - 1e-15.

    Validates: the result equals the paper's sum for all arguments.
    Source: Cardwell, Savage and Anderson 2000, equations (5) to (25), evaluated in 50 digits and more.
    Tolerance: 1e-12, relative.
    """
    random, count = np.random.default_rng(9), 1000
    d, p = np.round(between(1, 1e6, count, random)), losses(count, random)
    rtt, t0 = between(1e-4, 10, count, random), between(1e-3, 100, count, random)
    b, w1 = random.choice([1.0, 2.0, 1.5], count), random.choice([1.0, 2.0, 3.0, 10.0], count)
    w_max = np.where(random.random(count) < 0.3, math.inf, w1 * between(1, 1e4, count, random))
    delack = random.choice([0.0, 0.1], count)
    predicted = cardwell(packets=d, p=p, rtt=rtt, t0=t0, b=b, initial_window=w1, w_max=w_max, delayed_ack=delack)
    worst = errors(predicted.latency, latency, d, p, rtt, t0, b, w1, w_max, delack).max()
    record_property("largest relative error", float(worst))
    assert worst < 1e-12


def flow(packets: Any = 10, **changed: Any) -> Cardwell:
    """Return a flow with a round trip of 1 s, so that times are round trips."""
    return cardwell(**(dict[str, Any]({"packets": packets, "p": 0, "rtt": 1, "t0": 4}) | changed))


def test_whole_windows_without_a_loss() -> None:
    # 1 + 2 + 4 + 8 packets take four round trips; with delayed ACKs 2 + 3 packets take two.
    assert float(flow(15).latency) == pytest.approx(4, rel=1e-14)
    assert float(flow(5, b=2, initial_window=2).latency) == pytest.approx(2, rel=1e-14)
    # 1 + 2 + 4, then windows of 4: 15 packets take five.
    assert float(flow(15, w_max=4).latency) == pytest.approx(5, rel=1e-14)


def test_the_parts_make_the_whole() -> None:
    predicted = flow(1000, p=[0, 0.001, 0.1], delayed_ack=0.1)
    parts = predicted.slow_start + predicted.first_loss + predicted.congestion_avoidance + predicted.delayed_ack
    np.testing.assert_allclose(predicted.latency, parts, rtol=1e-15)
    assert (np.diff(predicted.latency) > 0).all()
    assert predicted.slow_start_packets[0] == 1000
    assert predicted.first_loss[0] == predicted.congestion_avoidance[0] == 0


def test_no_loss_is_the_limit_of_rare_loss() -> None:
    # Slow start then sends all but a share p d / 2 of a packet.
    none, rare = flow(100), flow(100, p=1e-9)
    assert float(rare.latency) == pytest.approx(float(none.latency), rel=1e-6)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("packets", 0, "at least 1"),
        ("p", 1, "at least 0 and below 1"),
        ("rtt", 0, "above 0"),
        ("t0", 0, "above 0"),
        ("b", 0.5, "at least 1"),
        ("initial_window", 0, "at least 1"),
        ("w_max", 0.5, "at least 1"),
        ("delayed_ack", -1, "at least 0"),
    ],
)
def test_refuses_what_makes_no_sense(name: str, value: object, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: .* is not allowed: must be {allowed}"):
        flow(**{name: value})


def test_the_first_window_is_within_the_advertised_one() -> None:
    with pytest.raises(ValueError, match=r"^w_max: 3\.0 is not allowed: must be at least the initial window"):
        flow(initial_window=4, w_max=3)


def test_mathis(record_property: Note) -> None:
    """The square-root law.

    Validates: the result equals the law.
    Source: Mathis, Semke, Mahdavi and Ott 1997, section 2, evaluated in 50 digits and more.
    Tolerance: 1e-12, relative.
    """
    random, count = np.random.default_rng(10), 500
    p, rtt, b = losses(count, random), between(1e-4, 10, count, random), random.choice([1.0, 2.0, 1.5], count)
    rate = mathis(p=p, rtt=rtt, b=b).rate
    worst = errors(rate, lambda p, rtt, b: mpmath.sqrt(3 / (2 * b * p)) / rtt, p, rtt, b).max()
    record_property("largest relative error", float(worst))
    assert worst < 1e-12
    for name in ("p", "rtt"):
        with pytest.raises(ValueError, match=f"^{name}: 0.0 is not allowed"):
            mathis(**dict[str, Any]({"p": 0.1, "rtt": 1} | {name: 0}))
