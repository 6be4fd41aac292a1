"""Queues and sources compared with exact laws of queueing theory.

Each run has a fixed seed, so a test passes always or never. For random results the tolerance is four standard errors of
the mean over twenty runs. A correct engine would fail for one choice of seeds in 1,300 (by Student's t); an engine
whose error exceeds the stated width fails.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import stats

import ackclock as ac

SERVICE = 1e-3
"""Seconds that the link takes for a packet of mean size."""
SEEDS = 20

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def server(load: float, packets: int, sizes: str, queue: ac.Queue | None = None) -> ac.Scenario:
    """Return a link as a queue: 1000 bytes (on average) at 8 Mbps, Poisson arrivals, no propagation delay."""
    seconds = packets * SERVICE / load
    return ac.Scenario(
        duration=f"{seconds:.3f} s",
        packet_size=1000,
        measure=ac.Measure(from_=f"{seconds / 20:.3f} s", bin="1 s", link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="8 Mbps", delay="0 s", queue=queue)],
        flows=[
            ac.Flow(from_="a", to="b", transport=ac.Udp(packet_sizes=sizes), source=ac.Poisson(rate=load / SERVICE))
        ],
    )


def check(note: Note, what: str, values: list[float], law: float, *, widest: float) -> None:
    """Check that the mean of independent values is within four standard errors of a law, and that these are small."""
    mean, error = float(np.mean(values)), float(stats.sem(values))
    note("measured", f"{what}: {mean:.5g} ± {error:.1g} for {law:.5g}")
    assert 4 * error <= widest * law
    assert abs(mean - law) <= 4 * error


@pytest.mark.parametrize("load", [0.3, 0.6, 0.9])
def test_mean_wait_in_m_d_1(load: float, record_property: Note) -> None:
    """Equal packets at Poisson times.

    Validates: the mean wait in an M/D/1 queue is rho / (2 (1 - rho)) services.
    Source: the Pollaczek-Khinchine formula (Kleinrock, Queueing Systems I, 1975, chapter 5).
    Tolerance: four standard errors over 20 runs of 200,000 packets, at most 4 % of the wait; 5 % of each run are left
        out as start.
    """
    runs = ac.replicate(server(load, 200_000, "fixed"), seeds=SEEDS, jobs=1)
    waits = [run.summary.delay_mean / SERVICE - 1 for run in runs if run.summary.delay_mean is not None]
    check(record_property, f"wait at load {load}", waits, load / (2 * (1 - load)), widest=0.04)


@pytest.mark.parametrize("load", [0.3, 0.6, 0.9])
def test_mean_wait_in_m_m_1(load: float, record_property: Note) -> None:
    """Exponential packet sizes at Poisson times.

    Validates: the mean wait in an M/M/1 queue is rho / (1 - rho) mean services.
    Source: Kleinrock, Queueing Systems I, 1975, section 3.2.
    Tolerance: four standard errors over 20 runs of 200,000 packets, at most 5 % of the wait; sizes in whole bytes
        change it by 10^-6.
    """
    runs = ac.replicate(server(load, 200_000, "exponential"), seeds=SEEDS, jobs=1)
    waits = [run.summary.delay_mean / SERVICE - 1 for run in runs if run.summary.delay_mean is not None]
    check(record_property, f"wait at load {load}", waits, load / (1 - load), widest=0.05)


@pytest.mark.parametrize("sizes", ["fixed", "exponential"])
def test_littles_law(sizes: str, record_property: Note) -> None:
    """The mean number of waiting packets, and the mean waiting time.

    Validates: the mean number waiting is the arrival rate times the mean wait.
    Source: Little 1961.
    Tolerance: 10^-4: packets in the queue or on the link at the start or the end of the measured time, of 190,000
        packets.
    """
    run = ac.simulate(server(0.8, 200_000, sizes))
    summary = run.summary
    assert summary.delay_mean is not None
    seconds = 0.95 * 200_000 * SERVICE / 0.8
    wait = summary.delay_mean - summary.utilization * seconds / summary.departures
    by_waits = summary.arrivals / seconds * wait
    record_property("measured", f"{summary.queue_mean:.5g} for {by_waits:.5g} packets of {sizes} size")
    assert summary.queue_mean == pytest.approx(by_waits, rel=1e-4)


def erlang(load: float, services: float) -> float:
    """Return the share of packets that wait at most this many services in M/D/1; terms cancel, so it uses 60 digits."""
    with localcontext() as context:
        context.prec = 60
        rho, t = Decimal(load), Decimal(services)
        terms = (
            (rho * (k - t)) ** k / math.factorial(k) * (rho * (t - k)).exp() for k in range(math.floor(services) + 1)
        )
        return float((1 - rho) * sum(terms))


def waits_at_most(sizes: str, load: float, seconds: float) -> float:
    """Return the share of packets that wait at most this time, in M/D/1 or M/M/1."""
    services = seconds / SERVICE
    if sizes == "fixed":
        return erlang(load, services)
    return 1 - load * math.exp(-(1 - load) * services)


@pytest.mark.parametrize("load", [0.6, 0.9])
@pytest.mark.parametrize("sizes", ["fixed", "exponential"])
def test_distribution_of_waits(sizes: str, load: float, record_property: Note) -> None:
    """The median, 95th and 99th percentile of waits.

    Validates: the waiting time has the distribution of M/D/1 and M/M/1 at its median, 95th and 99th percentile.
    Source: Erlang 1909 for M/D/1; Kleinrock, Queueing Systems I, 1975, section 5.7, for M/M/1.
    Tolerance: four standard errors over 20 runs of 200,000 packets, at most 3 % of the share, plus the rounding of the
        summary's percentiles, 0.2 % of the time.
    """
    runs = ac.replicate(server(load, 200_000, sizes), seeds=SEEDS, jobs=1)
    measured = []
    for share, name in ((0.5, "sojourn_p50"), (0.95, "sojourn_p95"), (0.99, "sojourn_p99")):
        times = np.array(getattr(runs, name).values, dtype=float)
        shares = [waits_at_most(sizes, load, time) for time in times]
        rounding = waits_at_most(sizes, load, 1.002 * times.mean()) - waits_at_most(sizes, load, times.mean())
        mean, error = float(np.mean(shares)), float(stats.sem(shares))
        measured.append(f"{mean:.4f} ± {error:.1g} for {share}")
        assert 4 * error <= 0.03 * share
        assert abs(mean - share) <= 4 * error + rounding
    record_property("measured", f"{sizes} sizes at load {load}: {', '.join(measured)}")


def test_waits_of_each_group(record_property: Note) -> None:
    """Two groups of different load at one queue.

    Validates: the packets of each group wait as in M/M/1 at the load of both together: mean, median, 95th and 99th
        percentile.
    Source: Poisson arrivals see time averages (Wolff 1982); Kleinrock, Queueing Systems I, 1975, sections 3.2 and 5.7.
    Tolerance: four standard errors over 20 runs of 200,000 packets, at most 5 % of the wait, plus the rounding of the
        summary, 0.2 % of the time.
    """
    load = 0.7
    both = server(load, 200_000, "exponential")
    shares = {"small": 0.2, "large": 0.5}
    each = [
        both.flows[0].model_copy(update={"name": name, "source": ac.Poisson(rate=share / SERVICE)})
        for name, share in shares.items()
    ]
    runs = ac.replicate(both.model_copy(update={"flows": tuple(each)}), seeds=SEEDS, jobs=1)
    waits = {share: SERVICE * math.log(load / (1 - share)) / (1 - load) for share in (0.5, 0.95, 0.99)}
    laws = {f"sojourn_p{100 * share:.0f}": wait for share, wait in waits.items()}
    laws["sojourn_mean"] = SERVICE * load / (1 - load)
    for name, measure in itertools.product(shares, laws):
        law, values = laws[measure], np.array(getattr(runs.groups[name], measure).values, dtype=float)
        mean, error = float(values.mean()), float(stats.sem(values))
        record_property("measured", f"{name}, {measure}: {mean:.4g} ± {error:.1g} s for {law:.4g} s")
        assert 4 * error <= 0.05 * law
        assert abs(mean - law) <= 4 * error + 0.002 * law


def test_waits_behind_another_group() -> None:
    """Packets of 1 ms every 10 ms: the first waits 0 ms, the others for the packets before them.

    Validates: the mean, the percentiles and the maximum of a group's waits where all of them are equal.
    Source: by hand: packets that arrive 0.4 ms and 0.8 ms after the first wait 0.6 ms and 1.2 ms.
    Tolerance: the rounding of the summary, 0.1 % of the time for the mean and the maximum, 0.2 % for percentiles.
    """
    base = server(0.1, 1000, "fixed")
    waits = {"first": 0.0, "second": 0.6e-3, "third": 1.2e-3}
    flows = [
        base.flows[0].model_copy(update={"name": name, "start": f"{0.4 * place} ms", "source": ac.Constant(rate=100)})
        for place, name in enumerate(waits)
    ]
    summary = ac.simulate(base.model_copy(update={"flows": tuple(flows)})).summary
    for name, wait in waits.items():
        group = summary.groups[name]
        assert [group.sojourn_mean, group.sojourn_max] == pytest.approx([wait, wait], rel=1e-3)
        assert [group.sojourn_p50, group.sojourn_p95, group.sojourn_p99] == pytest.approx([wait] * 3, rel=2e-3)
    assert [summary.sojourn_mean, summary.sojourn_p50] == pytest.approx([0.6e-3, 0.6e-3], rel=2e-3)


def lost_in_m_d_1_k(load: float, places: int) -> float:
    """Return the share of packets lost in M/D/1/K: the chain embedded at the ends of services.

    Let p be the probabilities of the number of packets that a departure leaves behind, 0 to K - 1. The link is idle for
    ``p_0 / (p_0 + rho)`` of the time, so it serves the share ``1 / (p_0 + rho)`` of the arrivals.
    """
    arrivals = stats.poisson.pmf(np.arange(places), load)
    moves = np.zeros((places, places))
    for left in range(places):
        begun_with = max(left, 1)
        for after in range(begun_with - 1, places - 1):
            moves[left, after] = arrivals[after - begun_with + 1]
        moves[left, places - 1] = 1 - moves[left].sum()
    stationary = np.linalg.lstsq(
        np.vstack([moves.T - np.eye(places), np.ones(places)]), np.append(np.zeros(places), 1), rcond=None
    )[0]
    return float(1 - 1 / (stationary[0] + load))


def lost_in_m_m_1_k(load: float, places: int) -> float:
    """Return the share of packets lost in M/M/1/K."""
    return (1 - load) * load**places / (1 - load ** (places + 1))


def test_the_loss_of_m_d_1_k_is_right_by_hand() -> None:
    """For queues of one and two packets, the formula can be computed by hand."""
    assert lost_in_m_d_1_k(0.7, 1) == pytest.approx(0.7 / 1.7)  # Erlang's loss formula
    assert lost_in_m_d_1_k(0.7, 2) == pytest.approx(1 - 1 / (math.exp(-0.7) + 0.7))


@pytest.mark.parametrize("places", [1, 4, 10])
@pytest.mark.parametrize("load", [0.8, 1.2])
@pytest.mark.parametrize("sizes", ["fixed", "exponential"])
def test_loss_of_a_finite_queue(sizes: str, load: float, places: int, record_property: Note) -> None:
    """Drop-tail queues whose limit includes the packet in transmission.

    Validates: a drop-tail queue of K places has the loss of M/D/1/K and M/M/1/K.
    Source: Kleinrock, Queueing Systems I, 1975, section 3.6, for M/M/1/K; the embedded Markov chain for M/D/1/K;
        Erlang's loss formula for K = 1.
    Tolerance: four standard errors over 20 runs of 80,000 packets, at most 10 % of the loss.
    """
    runs = ac.replicate(server(load, 80_000, sizes, ac.DropTail(packets=places)), seeds=SEEDS, jobs=1)
    law = (lost_in_m_d_1_k if sizes == "fixed" else lost_in_m_m_1_k)(load, places)
    losses = [run.summary.loss for run in runs if run.summary.loss is not None]
    what = f"loss of {places} places at load {load}, {sizes}"
    check(record_property, what, losses, law, widest=0.1)


@pytest.mark.parametrize("bin_ms", [10, 100, 1000])
def test_poisson_arrivals_at_several_scales(bin_ms: int, record_property: Note) -> None:
    """The merged arrivals of twenty sources, 2000 packets a second, counted in bins.

    Validates: packets per bin of merged Poisson sources have the Poisson c.o.v. at every scale: 1 / sqrt(mean).
    Source: P, section 3.2; the index of dispersion test (Cox and Lewis 1966).
    Tolerance: the central 99.99 % of chi-square with n - 1 degrees of freedom, n bins in 1000 s.
    """
    scenario = ac.Scenario(
        duration="1000 s",
        packet_size=1000,
        measure=ac.Measure(bin=f"{bin_ms} ms", link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="1 Gbps", delay="1 ms")],
        flows=[ac.Flow(count=20, from_="a", to="b", transport=ac.Udp(), source=ac.Poisson(rate=100))],
    )
    summary = ac.simulate(scenario).summary
    bins = 1_000_000 // bin_ms
    assert summary.cov is not None
    assert summary.cov_poisson == pytest.approx(1 / math.sqrt(2 * bin_ms))
    dispersion = bins * summary.cov**2 * (summary.arrivals / bins)
    record_property("measured", f"{bin_ms} ms: {summary.cov:.5f} for {summary.cov_poisson:.5f}")
    low, high = stats.chi2.interval(0.9999, bins - 1)
    assert low <= dispersion <= high


def test_serialisation_and_propagation_to_the_picosecond(record_property: Note) -> None:
    """Single packets on a path of three different links.

    Validates: a packet takes the sum of its transmission times, each rounded up to 1 ps, and of the propagation delays.
    Source: the definition of a store-and-forward link; there is no queueing.
    Tolerance: exact, to the picosecond (the summary's real number is rounded to one).
    """
    hops = [("7 Mbps", 7_000_000, 13_000_000_007), ("1 Gbps", 10**9, 1), ("333 kbps", 333_000, 250_000_000_000)]
    names = ["a", "b", "c", "d"]
    scenario = ac.Scenario(
        duration="10 s",
        packet_size=1499,
        measure=ac.Measure(link="a->b", bin="1 s"),
        nodes=[ac.Node(name=name) for name in names],
        links=[
            ac.GraphLink(from_=a, to=b, rate=rate, delay=f"{delay} ps")
            for (a, b), (rate, _, delay) in zip(itertools.pairwise(names), hops, strict=True)
        ],
        flows=[ac.Flow(from_="a", to="d", transport=ac.Udp(), source=ac.Constant(rate=10))],
    )
    delay = ac.simulate(scenario).summary.delay_mean
    assert delay is not None
    law = sum(-(-1499 * 8 * 10**12 // rate) + propagation for _, rate, propagation in hops)
    record_property("measured", f"{round(delay * 1e12)} ps for {law} ps")
    assert round(delay * 1e12) == law
