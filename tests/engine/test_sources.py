"""Traffic of sources in a run, compared with their distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ackclock as ac

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def wide(source: ac.OnOff | ac.FractionalNoise, *, duration: str, count: int = 1, bin_: str = "1 s") -> ac.Scenario:
    """Return a fast link and UDP flows: arrivals equal the packets that the sources send."""
    return ac.Scenario(
        duration=duration,
        packet_size=1000,
        measure=ac.Measure(bin=bin_, link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="100 Gbps", delay="0 s")],
        flows=[ac.Flow(from_="a", to="b", count=count, transport=ac.Udp(), source=source)],
    )


def test_on_off_in_bins_longer_than_its_periods(record_property: Note) -> None:
    """Thirty exponential on/off sources run for 20,000 s, counted in bins of 100 s.

    Validates: the mean and the variance of packets per bin of merged exponential on/off sources follow from the time
        on.
    Source: Cox and Lewis, The Statistical Analysis of Series of Events (1966): the time that an alternating renewal
        process is on has the variance 2 (on off)^2 / (on + off)^3 t in a long time t.
    Tolerance: four standard errors at a fixed seed, of the variance sqrt(2 / bins) of it, and 2 % for the ends of bins.
    """
    on, off, rate, count, width = 0.3, 0.7, 50.0, 30, 100.0
    source = ac.OnOff(rate=rate, on=ac.Exponential(mean="300 ms"), off=ac.Exponential(mean="700 ms"))
    run = ac.simulate(wide(source, duration="20000 s", count=count), record=["arrivals/100s"])
    counts = run.table("arrivals")["packets"].to_numpy().astype(float)
    mean = count * rate * on / (on + off) * width
    variance = count * rate**2 * 2 * (on * off) ** 2 / (on + off) ** 3 * width
    record_property(
        "measured", f"mean {counts.mean():.0f} for {mean:.0f}, variance {counts.var():.0f} for {variance:.0f}"
    )
    assert counts.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / counts.size))
    assert counts.var() == pytest.approx(variance, rel=4 * math.sqrt(2 / counts.size) + 0.02)


def test_on_off_with_pareto_periods_stays_bursty(record_property: Note) -> None:
    """Forty on/off sources of shape 1.4 run for 20,000 s, compared with exponential ones of the same means.

    Validates: the variance of the mean of m bins falls as m^(2H - 2), H = (3 - shape) / 2, for Pareto on and off
        periods; as 1 / m for exponential ones.
    Source: Taqqu, Willinger and Sherman, "Proof of a Fundamental Result in Self-Similar Traffic Modeling" (CCR 1997).
    Tolerance: 0.1 of H by the slope from 10 s to 1000 s, five runs at fixed seeds.
    """

    def hurst(period: ac.Pareto | ac.Exponential) -> float:
        source = ac.OnOff(rate=8, on=period, off=period)
        scenario = wide(source, duration="20000 s", count=40, bin_="10 s")
        runs = ac.replicate(scenario, seeds=5, record=["arrivals"], jobs=1)
        scales = np.array([1, 2, 5, 10, 20, 50, 100])
        spreads = []
        for run in runs:
            counts = run.table("arrivals")["packets"].to_numpy().astype(float)[200:]
            spreads.append([counts[: counts.size // m * m].reshape(-1, m).mean(axis=1).var() for m in scales])
        slope = np.polyfit(np.log(scales), np.log(np.mean(spreads, axis=0)), 1)[0]
        return float(1 + slope / 2)

    heavy, light = hurst(ac.Pareto(mean="1 s", shape=1.4)), hurst(ac.Exponential(mean="1 s"))
    record_property("measured", f"H = {heavy:.2f} for 0.80 (Pareto), {light:.2f} for 0.50 (exponential)")
    assert heavy == pytest.approx(0.8, abs=0.1)
    assert light == pytest.approx(0.5, abs=0.1)


def test_a_start_is_an_off_period() -> None:
    source = ac.OnOff(rate=10, on=ac.Fixed(mean="450 ms"), off=ac.Fixed(mean="550 ms"))
    scenario = wide(source, duration="3 s", bin_="1 s")
    run = ac.simulate(scenario, record=["packets@a->b"])
    table = run.table("packets").to_pandas()
    times = table[table["event"] == "enqueue"]["time"].to_numpy()
    # The interval of 100 ms continues after a pause: 4 packets, 50 ms left over, then 5 packets.
    expected = [0.65, 0.75, 0.85, 0.95, 1.6, 1.7, 1.8, 1.9, 2.0, 2.65, 2.75, 2.85, 2.95]
    assert times == pytest.approx(expected, abs=1e-9)


def test_udp_on_off_that_overloads_is_reported() -> None:
    source = ac.OnOff(rate=2000, on=ac.Exponential(mean="1 s"), off=ac.Exponential(mean="1 s"))
    scenario = wide(source, duration="10 s").changed({"links.0.rate": "7 Mbps"})
    assert any("offer 114% of the measured link's rate" in notice for notice in ac.simulate(scenario).notices)
    assert not any("offer" in n for n in ac.simulate(scenario.changed({"links.0.rate": "9 Mbps"})).notices)


def reader(source: ac.Transfers, **settings: Any) -> ac.Scenario:
    """Return one TCP connection over a link of 10 Mbps and 10 ms, which loses nothing."""
    return ac.Scenario(
        duration="10 s",
        packet_size=1000,
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="10 Mbps", delay="10 ms", queue=ac.DropTail(packets=100_000))],
        flows=[
            ac.Flow(
                from_="a", to="b", transport=ac.Tcp("reno", handshake=False, overhead="0 s", **settings), source=source
            )
        ],
    )


def test_thinking_begins_when_all_is_acknowledged() -> None:
    """Each transfer has ten packets, all within the initial window.

    Validates: a transfer takes its transmission and the propagation; the next one follows after the return path and the
        think time.
    Source: the definition of a closed loop.
    Tolerance: exact to a nanosecond.
    """
    source = ac.Transfers(size=ac.Fixed(mean="9600 B"), think=ac.Fixed(mean="1 s"))
    run = ac.simulate(reader(source, initial_window=10, idle_restart="timeout"), record=["packets@a->b"])
    took, back = 10 * 0.8e-3 + 10e-3, 40 * 8 / 10e6 + 10e-3
    rows = run.table("packets").to_pandas()
    begins = rows[(rows["event"] == "enqueue") & (rows["segment"] % 10 == 0)]["time"].to_numpy()
    assert begins == pytest.approx([1 + number * (1 + took + back) for number in range(9)], abs=1e-9)
    (group,) = run.summary.groups
    assert group.completed == 9
    assert group.completion_mean == pytest.approx(took, abs=1e-9)
    flows = run.table("flows").to_pydict()
    assert flows["completed"] == [9]
    assert flows["completion"] == [group.completion_mean]


@pytest.mark.parametrize(
    ("rule", "think", "first"), [("rfc5681", "4 s", 2), ("timeout", "4 s", 1), ("rfc5681", "0.5 s", 20)]
)
def test_the_window_is_kept_for_a_timeout(rule: str, think: str, first: int) -> None:
    source = ac.Transfers(size=ac.Fixed(mean="96 kB"), think=ac.Fixed(mean=think))
    scenario = reader(source, initial_window=2, max_window=20, idle_restart=rule, delayed_ack=False, min_rto="1 s")
    rows = ac.simulate(scenario, record=["packets@a->b"]).table("packets").to_pandas()
    second = rows[(rows["event"] == "enqueue") & (rows["segment"] >= 100)]["time"].to_numpy()
    assert np.sum(second == second[0]) == first


def test_a_cycle_is_a_transfer_and_a_time_to_think(record_property: Note) -> None:
    """Ten clients read files of exponential size and load the link by a fifth.

    Validates: the number of transfers is the time divided by a cycle of thinking, sending and the last return path; the
        traffic is this number times the mean size.
    Source: the response time law of closed systems, N = X (R + Z) (Lazowska et al., Quantitative System Performance,
        1984, chapter 3).
    Tolerance: four standard errors of 20 runs: at most 3 %.
    """
    sizes, think = ac.Exponential(mean="48 kB"), ac.Exponential(mean="2 s")
    scenario = reader(ac.Transfers(size=sizes, think=think), delayed_ack=False).changed(
        {"duration": "420 s", "measure.from": "20 s", "flows.0.count": 10}
    )
    ratios, packets = [], []
    for seed in range(1, 21):
        (group,) = ac.simulate(scenario, seed=seed).summary.groups
        assert group.completion_mean is not None
        cycle = group.completion_mean + 40 * 8 / 10e6 + 10e-3 + 2
        ratios.append(group.completed / 400 / (10 / cycle))
        packets.append(group.goodput_bps * 400 / 8000 / group.completed)
    # A size of 48 kB is 50 packets; rounding up makes it half a packet more.
    for name, values, law in (("transfers", ratios, 1.0), ("packets", packets, 1 / (1 - math.exp(-1 / 50)))):
        mean, error = float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(20))
        record_property("measured", f"{name}: {mean:.4g} ± {error:.1g} for {law:.4g}")
        assert 4 * error < 0.03 * law
        assert abs(mean - law) < 4 * error


def test_fractional_noise_has_the_variance_of_every_scale(record_property: Note) -> None:
    """Forty runs of a source with H = 0.85 have 4,096 bins each; sums over 1 to 256 bins are compared.

    Validates: counts of a source with fractional Gaussian noise have the variance n m + (n cov)^2 m^2H over m bins.
    Source: the definition of the noise, and of a Poisson process of random rate; Davies and Harte (1987).
    Tolerance: four standard errors, taken from the forty sources themselves, at a fixed seed, and 1 % of the mean,
        since rates are clipped at 0.
    """
    hurst, cov, mean, bins, count = 0.85, 0.3, 50.0, 4096, 40
    source = ac.FractionalNoise(rate=500, hurst=hurst, cov=cov, bin="100 ms")
    lines = []
    scenario = wide(source, duration="409.6 s", bin_="100 ms")
    counts = np.array(
        [
            ac.simulate(scenario, seed=seed, record=["arrivals/100ms"]).table("arrivals")["packets"].to_numpy()
            for seed in range(1, count + 1)
        ]
    )
    assert counts.shape == (count, bins)
    assert counts.mean() == pytest.approx(mean, rel=0.05)
    for scale in (1, 16, 256):
        sums = counts.reshape(count, -1, scale).sum(axis=2)
        # deviations from the known mean: subtracting a run's own mean would remove slow variations
        variances = ((sums - mean * scale) ** 2).mean(axis=1)
        expected = mean * scale + (mean * cov) ** 2 * scale ** (2 * hurst)
        error = variances.std(ddof=1) / math.sqrt(count)
        lines.append(f"{scale} bins: {variances.mean() / expected:.2f} of it")
        assert variances.mean() == pytest.approx(expected, abs=4 * error + 0.01 * expected)
    record_property("measured", ", ".join(lines))


def test_fractional_noise_is_refused_where_it_would_fill_the_memory() -> None:
    source = ac.FractionalNoise(rate=500, hurst=0.8, cov=0.3, bin="1 us")
    with pytest.raises(ac.ScenarioError, match="flows.0.source.bin: '1 us' .* at most 4,194,304 bins"):
        ac.simulate(wide(source, duration="10 s"))
    longer = ac.FractionalNoise(rate=500, hurst=0.8, cov=0.3, bin="10 us")
    with pytest.raises(ac.ScenarioError, match="summed over all flows"):
        ac.simulate(wide(longer, duration="10 s", count=1000))


def test_fractional_noise_drives_tcp_as_well() -> None:
    scenario = wide(ac.FractionalNoise(rate=500, hurst=0.8, cov=0.3, bin="100 ms"), duration="20 s").to_dict()
    scenario["links"][0] |= {"duplex": True, "delay": "1 ms"}
    scenario["flows"][0]["transport"] = {"kind": "tcp"}
    summary = ac.simulate(ac.Scenario.from_dict(scenario)).summary
    assert 8_000 < summary.arrivals < 12_000
    assert summary.drops == 0
