"""Distributions of sizes: tail probabilities, mean excesses and means in whole packets, computed by hand."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.values.quantity import seconds

Sizes = ac.Fixed | ac.Exponential | ac.Pareto | ac.Lognormal | ac.SizeTable

FIXED = ac.Fixed(mean="3 kB")
EXPONENTIAL = ac.Exponential(mean="1 kB")
PARETO = ac.Pareto(mean="3 kB", shape=1.5)
"""The least value is 3000 * 0.5 / 1.5 = 1000; above it, the tail is (1000 / x)^1.5."""
LOGNORMAL = ac.Lognormal(mean="3 kB", sigma=2)
TABLE = ac.SizeTable(cdf=[["1 kB", 0.5], ["3 kB", 1]])
"""Half of the sizes are 1000, the others uniform from 1000 to 3000."""


@pytest.mark.parametrize(
    ("sizes", "at", "above", "excess"),
    [
        (FIXED, 0, 1, 3000),
        (FIXED, 2999, 1, 1),
        (FIXED, 3000, 0, 0),
        (FIXED, 4000, 0, 0),
        (EXPONENTIAL, 0, 1, 1000),
        (EXPONENTIAL, 2000, math.exp(-2), 1000 * math.exp(-2)),
        (PARETO, 0, 1, 3000),
        (PARETO, 900, 1, 2100),
        (PARETO, 1000, 1, 2000),
        (PARETO, 4000, 1 / 8, 1000),
        (LOGNORMAL, 3000 * math.exp(-2), 0.5, None),  # the median
        (LOGNORMAL, 3000 * math.exp(-4), 0.8413447, None),  # one standard deviation of 2 below it
        (LOGNORMAL, 3000, 0.1586553, 3000 * (0.8413447 - 0.1586553)),
        (TABLE, 0, 1, 1500),
        (TABLE, 999, 1, 501),
        (TABLE, 1000, 0.5, 500),
        (TABLE, 2000, 0.25, 125),
        (TABLE, 3000, 0, 0),
        (TABLE, 3001, 0, 0),
    ],
)
def test_tails_by_hand(sizes: Sizes, at: float, above: float, excess: float | None) -> None:
    assert sizes.above(at) == pytest.approx(above, abs=1e-7)
    if excess is not None:
        assert sizes.excess(at) == pytest.approx(excess, rel=1e-6)


@pytest.mark.parametrize("sizes", [FIXED, EXPONENTIAL, PARETO, LOGNORMAL, TABLE, ac.SizeTable("web-search")])
def test_the_excess_is_the_integral_of_the_tail(sizes: Sizes) -> None:
    """The mean of max(size - a, 0) is the integral of the probability to exceed x from a on."""
    for low, high in ((500, 1500), (1500, 8000), (8000, 60_000)):
        at = np.linspace(low, high, 801)
        area = np.trapezoid([sizes.above(float(x)) for x in at], at)
        assert sizes.excess(low) - sizes.excess(high) == pytest.approx(area, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("sizes", "payload", "packets"),
    [
        (FIXED, 999, 4),
        (FIXED, 1000, 3),
        (FIXED, 1001, 3),
        (FIXED, 5000, 1),
        # an exponential size exceeds k packets with probability q^k: 1 / (1 - q) packets, also for the tail's formula
        (EXPONENTIAL, 1000, 1 / (1 - math.exp(-1))),
        (ac.Exponential(mean="1 MB"), 1000, 1 / (1 - math.exp(-1e-3))),
        (ac.Exponential(mean="50 MB"), 1000, 1 / (1 - math.exp(-2e-5))),
        # half of the sizes are one packet; the others take two or three, 2.5 on average
        (TABLE, 1000, 0.5 * 1 + 0.5 * 2.5),
        (TABLE, 500, 0.5 * 2 + 0.5 * 4.5),
        # 2.5 packets are three; from 2.5 to 7.5, ceil has the mean (0.5 * 3 + 4 + 5 + 6 + 7 + 0.5 * 8) / 5 = 5.5
        (TABLE, 400, 0.5 * 3 + 0.5 * 5.5),
        (TABLE, 3000, 1),
        (ac.SizeTable(cdf=[["0 B", 0.5], ["1 kB", 1]]), 1000, 1),  # an empty transfer takes one packet
        (ac.SizeTable(cdf=[["1 kB", 0.25], ["1 kB", 0.5], ["2 kB", 1]]), 1000, 0.5 * 1 + 0.5 * 2),
    ],
)
def test_means_in_whole_packets_by_hand(sizes: Sizes, payload: int, packets: float) -> None:
    assert sizes.mean_packets(payload) == pytest.approx(packets, rel=1e-9)


def test_a_pareto_mean_in_packets_is_half_a_packet_above_the_mean() -> None:
    """Rounding up adds half a packet on average where sizes are much longer than packets."""
    sizes = ac.Pareto(mean="90 MB", shape=1.5)  # at least 30,000 packets of 1000 bytes
    assert sizes.mean_packets(1000) == pytest.approx(90_000.5, abs=0.01)
    assert LOGNORMAL.mean_packets(1) == pytest.approx(3000.5, abs=0.02)


@pytest.mark.parametrize(("name", "packets"), [("web-search", 1141), ("data-mining", 5117)])
def test_published_tables_are_in_packets_of_1460_bytes(name: str, packets: int) -> None:
    table = ac.SizeTable(name)
    points = [(int(size.removesuffix(" B")), share) for size, share in table.points]
    assert all(size % 1460 == 0 for size, _ in points)
    mean = points[0][0] * points[0][1] + sum(
        (low + high) / 2 * (share - before) for (low, before), (high, share) in itertools.pairwise(points)
    )
    assert table.mean_bytes == pytest.approx(mean)
    assert round(mean / 1460) == packets


# The sums of all sizes and of all shares, so that no point of a table can change unnoticed.
@pytest.mark.parametrize(("name", "sizes", "shares"), [("web-search", 32257, 6.55), ("data-mining", 735721, 6.44)])
def test_every_point_of_a_published_table_counts(name: str, sizes: int, shares: float) -> None:
    points = ac.SizeTable(name).points
    assert sum(int(size.removesuffix(" B")) for size, _ in points) == 1460 * sizes
    assert sum(share for _, share in points) == pytest.approx(shares)


@pytest.mark.parametrize(
    ("sizes", "form"),
    [
        (ac.Fixed(mean="20 ms"), {"kind": "fixed", "mean": 0.02}),
        (ac.Pareto(mean="500 ms", shape=1.2), {"kind": "pareto", "mean": 0.5, "shape": 1.2}),
        (ac.Lognormal(mean="2 s", sigma=1.5), {"kind": "lognormal", "mean": 2.0, "sigma": 1.5}),
    ],
)
def test_the_engine_takes_seconds(sizes: Sizes, form: dict[str, Any]) -> None:
    assert sizes.for_engine(seconds) == form
    assert TABLE.for_engine(lambda size: float(size.split()[0])) == {
        "kind": "table",
        "values": [1, 3],
        "shares": (0.5, 1),
    }


@pytest.mark.parametrize(
    ("rate", "cov", "mean"),
    [
        # rate * (Phi(1 / cov) + cov phi(1 / cov)), from a table of the normal distribution
        (100.0, 1.0, 100 * (0.8413447 + 0.2419707)),
        (200.0, 0.5, 200 * (0.9772499 + 0.5 * 0.0539910)),
        (100.0, 0.25, 100 * (0.9999683 + 0.25 * 0.000133830)),
        (100.0, 0.05, 100),
    ],
)
def test_clipping_raises_the_mean_of_noise(rate: float, cov: float, mean: float) -> None:
    source = ac.FractionalNoise(rate=rate, hurst=0.8, cov=cov, bin="100 ms")
    assert source.mean_rate == pytest.approx(mean, rel=1e-6)


def test_on_off_sources_send_for_their_share_of_time() -> None:
    source = ac.OnOff(rate=300, on=ac.Fixed(mean="500 ms"), off=ac.Exponential(mean="1 s"))
    assert source.mean_rate == pytest.approx(100)
    assert ac.Poisson(rate=7).mean_rate == 7
    assert ac.Constant(rate=7).mean_rate == 7
