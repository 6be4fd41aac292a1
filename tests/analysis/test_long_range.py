"""Long-range dependence is claimed where it exists, and not for effects that resemble it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import signal
from tests.support.long import LONG

import ackclock as ac
from ackclock.analysis import abry_veitch, fractional_gaussian_noise, hurst, local_whittle

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

COUNT = 16384
METHODS = ["abry_veitch", "local_whittle", "kettani_gubner_k1", "kettani_gubner", "variance_time", "rescaled_range"]


def normal(seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=COUNT)


def first_order(share: float, seed: int) -> NDArray[np.float64]:
    return np.asarray(signal.lfilter([1], [1, -share], normal(seed)))


@pytest.fixture(scope="module")
def sawtooth() -> NDArray[np.float64]:
    """Return the packets per 100 ms of a single Reno flow."""
    scenario = ac.Scenario(
        profile="ns2-2.35",
        duration="1000 s",
        packet_size=1000,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="10 ms"),
            bottleneck=ac.Link(rate="10 Mbps", delay="40 ms", queue=ac.DropTail(packets=50)),
        ),
        clients=[ac.Clients(count=1, transport=ac.Tcp("reno", max_window=10_000), source=ac.Greedy())],
    )
    arrivals = ac.simulate(scenario, seed=1, record=["arrivals/100ms"]).table("arrivals")
    return np.asarray(arrivals["packets"].to_numpy(), dtype=np.float64)


@pytest.mark.parametrize("truth", [0.7, 0.9])
def test_claimed_of_noise_that_has_it(truth: float) -> None:
    """Validates: long-range dependence is found in exact noise of H = 0.7 and 0.9.
    Source: simulated noise.
    Tolerance: at least eight of ten paths.
    """
    found = [hurst(fractional_gaussian_noise(COUNT, hurst=truth, seed=seed)) for seed in range(10)]
    assert sum(each.long_range for each in found) >= 8
    assert [each.method for each in found[0].estimates] == METHODS
    assert found[0].notices[0].startswith("Long-range dependence: from ")


@pytest.mark.parametrize(
    "kind", ["poisson", "short memory", "longer memory", "memory of a hundred bins", "noise", "anti-persistent"]
)
def test_no_false_alarm(kind: str) -> None:
    """Validates: series without memory or with a finite memory are not mistaken for long-range dependence.
    Source: Poisson counts; first-order autoregressions with 0.5, 0.9 and 0.99; noise of H = 0.5 and 0.3.
    Tolerance: at most one false alarm in twenty.
    """
    makers: dict[str, Callable[[int], NDArray[Any]]] = {
        "poisson": lambda seed: np.random.default_rng(seed).poisson(8, COUNT),
        "short memory": lambda seed: first_order(0.5, seed),
        "longer memory": lambda seed: first_order(0.9, seed),
        "memory of a hundred bins": lambda seed: first_order(0.99, seed),
        "noise": lambda seed: fractional_gaussian_noise(COUNT, hurst=0.5, seed=seed),
        "anti-persistent": lambda seed: fractional_gaussian_noise(COUNT, hurst=0.3, seed=seed),
    }
    assert sum(hurst(makers[kind](seed)).long_range for seed in range(20)) <= 1


@pytest.mark.parametrize("rise", [0.5, 5.0])
def test_a_trend_is_reported(rise: float) -> None:
    found = hurst(normal(1) + np.linspace(0, rise, COUNT))
    assert not found.long_range
    stated = re.search(r"has a trend, which causes ([0-9.]+)% of its variance", found.notices[0])
    assert stated is not None
    line = rise**2 / 12
    assert float(stated[1]) / 100 == pytest.approx(line / (1 + line), rel=0.3)
    wavelets = found.get("abry_veitch")
    assert wavelets is not None
    assert wavelets.low < 0.5 < wavelets.high


def test_long_memory_is_no_trend() -> None:
    """Validates: drifts of long-range dependent noise are not mistaken for a trend.
    Source: simulated noise of H = 0.95, which has the slowest drifts.
    Tolerance: at most one in twenty.
    """
    found = [hurst(fractional_gaussian_noise(4096, hurst=0.95, seed=seed)).notices[0] for seed in range(20)]
    assert sum("has a trend" in each for each in found) <= 1


def test_the_sawtooth_of_a_single_flow_is_reported(sawtooth: NDArray[np.float64]) -> None:
    """Validates: the sawtooth of a single Reno flow is a cycle, although neighbouring bins are almost equal.
    Source: a simulated flow whose window falls by half every ten seconds.
    Tolerance: a tenth of the cycle's length.
    """
    found = hurst(sawtooth)
    assert not found.long_range
    assert "has a cycle of about 10" in found.notices[0]
    first = found.get("kettani_gubner_k1")
    assert first is not None
    assert first.h > 0.9  # a single estimate would suggest long-range dependence
    assert any(") do not overlap: over all scales" in notice for notice in found.notices)


def test_cycles_of_unequal_lengths_are_reported() -> None:
    random = np.random.default_rng(1)
    teeth = [np.linspace(30, 60, int(length)) for length in random.uniform(60, 120, COUNT // 60)]
    found = hurst(np.concatenate(teeth)[:COUNT] + random.normal(size=COUNT))
    assert not found.long_range
    assert "has a cycle of about" in found.notices[0]


def test_a_missing_estimate_is_reported() -> None:
    found = hurst(normal(1)[:200])
    assert [each.method for each in found.estimates] == METHODS[1:-1]
    assert "abry_veitch has no estimate: 200 values are not allowed: must be at least 636." in found.notices
    assert "Long-range dependence is not claimed: it requires both abry_veitch and local_whittle" in found.notices[0]


@pytest.mark.parametrize("series", [[1.0] * 200, [1.0, 2.0] * 49, [1.0, float("inf")] * 100])
def test_refuses(series: list[float]) -> None:
    with pytest.raises(ValueError, match=r"^series: "):
        hurst(series)


@pytest.mark.parametrize(
    "series",
    [
        np.arange(5000.0),
        np.repeat([0.0, 1.0], 3000),
        np.tile([1.0, 2.0], 3000),
        np.eye(1, 5000)[0],
        np.cumsum(normal(1)),
    ],
    ids=["line", "step", "alternating", "one packet", "random walk"],
)
def test_strange_series_are_not_claimed_and_not_refused(series: NDArray[np.float64]) -> None:
    found = hurst(series)
    assert not found.long_range
    assert all(each.low <= each.h <= each.high for each in found.estimates)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [1.2, 1.4, 1.6] if LONG else [1.4])
def test_the_law_of_heavy_tailed_sources(shape: float, record_property: Callable[[str, object], None]) -> None:
    """Validates: the sum of on-off sources with Pareto periods has H = (3 - shape) / 2.
    Source: Taqqu, Willinger and Sherman 1997.
    Tolerance: 0.05 for the mean of five runs of 131,072 bins, each bin four periods long.
    """
    periods = ac.Pareto(mean="250 ms", shape=shape)
    scenario = ac.Scenario(
        profile="ns2-2.35",
        duration=f"{2**17} s",
        packet_size=1000,
        measure=ac.Measure(bin="1 s"),
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="1 ms"),
            bottleneck=ac.Link(rate="1000 Mbps", delay="1 ms", queue=ac.DropTail(packets=10_000)),
        ),
        clients=[ac.Clients(count=4, transport=ac.Udp(), source=ac.OnOff(rate=6, on=periods, off=periods))],
    )
    arrivals = [
        ac.simulate(scenario, seed=seed, record=["arrivals/1s"]).table("arrivals")["packets"] for seed in range(1, 6)
    ]
    means = [float(np.mean([method(counts).h for counts in arrivals])) for method in (abry_veitch, local_whittle)]
    record_property("measured", f"shape {shape}: {means[0]:.3f} and {means[1]:.3f} for {(3 - shape) / 2:.1f}")
    assert means == pytest.approx([(3 - shape) / 2] * 2, abs=0.05)
