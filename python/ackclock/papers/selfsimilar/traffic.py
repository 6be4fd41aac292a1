"""The traffic of Table 1, alone at a link with space for all packets, and the paper's background at different loads.

The sources are Poisson sources, on/off sources with Pareto periods as in the paper, or a Poisson source whose rate is
fractional Gaussian noise, which is exactly self-similar. The measures count arrivals at the link. The background is
counted as it arrives at the bottleneck and as it leaves it. The paper names the Hurst parameter with respect to load as
an aim of its simulations, but prints no result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import product
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.analysis import HurstEstimate, cov, kettani_gubner, kettani_gubner_k1
from ackclock.analysis.scaling import abry_veitch, local_whittle
from ackclock.papers.core.evidence import Row
from ackclock.papers.core.measures import Profile
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.selfsimilar.experiment import (
    BOTTLENECK,
    DEFINITION,
    DURATION,
    PACKET,
    SETTLED,
    SOURCES,
    background,
    binned,
)
from ackclock.running.run import Run
from ackclock.scenario import FractionalNoise, OnOff, Pareto, Poisson, Scenario
from ackclock.scenario.sources import Source

Counts = NDArray[np.int64]

Kind = Literal["Poisson", "on/off", "Gaussian noise"]

POISSON: Final = "Poisson"
ON_OFF: Final = "on/off"
NOISE: Final = "Gaussian noise"
KINDS: Final[tuple[Kind, ...]] = (POISSON, ON_OFF, NOISE)
"""Traffic without memory, with memory from heavy-tailed periods, and with the memory of exactly self-similar noise."""

STEP: Final = 0.01  # seconds: bins in which packets are counted
LADDER: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds: time scales, multiples of `STEP`
DRAWN: Final = (0.01, 0.1, 1.0, 10.0)  # seconds: time scales that are drawn bin by bin, `FIRST` bins of each
FIRST: Final = 100
BINS: Final = (0.01, 0.1, 0.5, 1.0)  # seconds: bins over which the Hurst parameter is estimated

ALIKE: Final = "sources of one rate each"
SHARED: Final = "sources that share a rate"
COUNTS: Final = (1, 4, 16, 64, 256)  # numbers of multiplexed sources
TOTAL: Final = 2500  # packets/s of 40 sources, and of all sources that share a rate

LENGTH: Final = 1000  # seconds of the three kinds of traffic: a hundred bins of the longest time scale
MANY_LENGTH: Final = 400  # seconds of the runs with many sources
_GAPS_LENGTH: Final = 100  # seconds in which times between packets are measured
_SETTLED: Final = 10  # seconds before measurements start: a source has then had ten pairs of periods on average

SHAPE: Final = 1.2  # of the Pareto periods
ASYMPTOTIC: Final = (3 - SHAPE) / 2
"""The Hurst parameter of on/off sources with Pareto periods over long times (Taqqu, Willinger and Sherman 1997)."""

_RATE: Final = 125.0  # packets/s of an on/off source while it is on: 1 Mb/s, as in the paper
_SHARE: Final = 0.5  # share of the time that an on/off source is on
_NOISE_COV: Final = 0.175  # c.o.v. of the noise in bins of 0.01 s, as of 40 on/off sources
_RECORD: Final = (f"arrivals@A->B/{1000 * STEP:g}ms",)
_LINK: Final = Scenario.from_dict(DEFINITION.table("traffic"))

ESTIMATORS: Final[Mapping[str, Callable[[ArrayLike], HurstEstimate]]] = {
    "K = 1": kettani_gubner_k1,
    "K = 50": lambda counts: kettani_gubner(counts, lags=min(50, np.size(counts) // 4)),
    "local Whittle": local_whittle,
    "Abry-Veitch": abry_veitch,
}
"""The paper's method with one lag and with 50 (at most a quarter of the bins), and two that omit short time scales."""


def traffic(kind: Kind, *, sources: int = SOURCES, rate: float = _RATE, seconds: int = LENGTH) -> Scenario:
    """Return the scenario with sources of one kind at a link of 1 Gb/s, measured for some seconds.

    `rate` is the rate of an on/off source while it is on, packets/s; Poisson sources have the same mean rate. Noise is
    a single source with the mean rate of all sources together.
    """
    period = Pareto(mean="500 ms", shape=SHAPE)
    mean = rate * _SHARE
    given: Mapping[Kind, Source] = {
        POISSON: Poisson(rate=mean),
        ON_OFF: OnOff(rate=rate, on=period, off=period),
        NOISE: FractionalNoise(rate=sources * mean, hurst=ASYMPTOTIC, cov=_NOISE_COV, bin=f"{1000 * STEP:g} ms"),
    }
    return _LINK.changed(
        {
            "duration": f"{_SETTLED + seconds} s",
            "flows.0.count": 1 if kind == NOISE else sources,
            "flows.0.packet_size": PACKET,
            "flows.0.source": given[kind],
        }
    )


def hursts(counts: Counts, *, prefix: str = "") -> dict[str, float | None]:
    """Estimate the Hurst parameter of counts per `STEP` by every method over every bin of `BINS`.

    Names are ``<prefix><method> <bin>``. A value is None if the method needs more bins, or finds no scaling.
    """
    found: dict[str, float | None] = {}
    for scale, (name, method) in product(BINS, ESTIMATORS.items()):
        h = f"{prefix}{name} {scale:g}"
        found[h] = None
        with suppress(ValueError):
            found[h] = method(binned(counts, round(scale / STEP))).h
    return found


def ladder(counts: Counts) -> dict[str, float | list[float]]:
    """Take the ``mean`` of counts per `STEP`, in packets/s, and their ``cov``, ``dispersion`` and ``peak`` by `LADDER`.

    The index of dispersion is variance over mean, the peak the largest bin over the mean.
    """
    bins = [binned(counts, round(scale / STEP)) for scale in LADDER]
    return {
        "mean": float(counts.mean()) / STEP,
        "cov": [cov(one) for one in bins],
        "dispersion": [float(one.var() / one.mean()) for one in bins],
        "peak": [float(one.max() / one.mean()) for one in bins],
    }


def _settled(run: Run) -> Counts:
    return np.asarray(run.table("arrivals")["packets"].to_numpy()[round(_SETTLED / STEP) :], dtype=np.int64)


def over_scales(run: Run) -> Taken:
    """Take the variation of a run at each time scale, its Hurst parameters, and the first bins at the drawn scales."""
    counts = _settled(run)
    first = {f"first {scale:g}": binned(counts, round(scale / STEP))[:FIRST] for scale in DRAWN}
    return {**ladder(counts), **hursts(counts), **first}


def of_many(run: Run) -> Taken:
    """Take the variation of a run at each time scale, and one Hurst parameter."""
    counts = _settled(run)
    return {**ladder(counts), "local Whittle 0.1": local_whittle(binned(counts, round(0.1 / STEP))).h}


def between_packets(run: Run) -> Taken:
    """Take the coefficient of variation of the times between packets."""
    packets = run.table("packets")
    times = packets["time"].to_numpy()[packets["event"].to_numpy() == "enqueue"]
    return {"gap_cov": cov(np.diff(times[times >= _SETTLED]))}


def traffic_parts() -> list[Part]:
    """Return the runs: the three kinds of traffic over time scales, times between packets, and multiplexed sources."""
    rates: Mapping[str, Callable[[int], float]] = {ALIKE: lambda _: _RATE, SHARED: lambda count: TOTAL / _SHARE / count}
    kinds: tuple[Kind, ...] = (POISSON, ON_OFF)
    many = [
        Spot(
            where={"division": division, "kind": kind, "sources": count},
            scenario=traffic(kind, sources=count, rate=rate(count), seconds=MANY_LENGTH),
        )
        for division, rate in rates.items()
        for kind in kinds
        for count in COUNTS
    ]
    times = [Spot(where={"kind": kind}, scenario=traffic(kind)) for kind in KINDS]
    gaps = [Spot(where={"kind": kind}, scenario=traffic(kind, seconds=_GAPS_LENGTH)) for kind in KINDS]
    return [
        Part(name="times", spots=times, take=over_scales, record=_RECORD),
        Part(name="gaps", spots=gaps, take=between_packets, record=("packets@A->B",)),
        Part(name="many", spots=many, take=of_many, record=_RECORD),
    ]


def _variance(row: Row) -> NDArray[np.float64]:
    packets = np.array(LADDER) * row.values["mean"]
    return np.asarray(np.square(packets * row.values["cov"]))


def hurst(name: str, label: str, prefix: str = "") -> Profile:
    """Make the profile of the Hurst parameters of `hursts`, by method and bin."""
    names = [f"{prefix}{method} {scale:g}" for method in ESTIMATORS for scale in BINS]
    return Profile(
        name=name,
        label=label,
        axes={"method": tuple(ESTIMATORS), "bin": BINS},
        of=lambda row: [row.values.get(one) for one in names],
    )


_by_scale: Final = {"bin": LADDER}
COV = Profile(name="cov", label="c.o.v.", digits=4, axes=_by_scale, of=lambda row: row.values["cov"])
DISPERSION = Profile(
    name="dispersion", label="index of dispersion", axes=_by_scale, of=lambda row: row.values["dispersion"]
)
PEAK = Profile(name="peak", label="peak over mean", axes=_by_scale, of=lambda row: row.values["peak"])
VARIANCE = Profile(name="variance", label="variance of the packets in a bin", digits=0, axes=_by_scale, of=_variance)
H = hurst("h", "H")
GAP_COV = DEFINITION.measure("gap_cov")

LOADS: Final = (5, 10, 20, 30, 40, 50, 60, 80, 95)
"""Numbers of on/off sources; each uses 1 % of the bottleneck on average."""

USUAL, SMALL, CARRIED = "UDP", "210 bytes", "TCP"
OTHERS: Final[Mapping[str, int]] = {SMALL: 25, CARRIED: SOURCES}
"""Other backgrounds with their numbers of sources: packets of ns-2's default size, and sources over TCP."""

_SIZES: Final[Mapping[str, int]] = {USUAL: 1000, SMALL: 210, CARRIED: 1040}  # bytes of a packet, header included
_BITS: Final = 1_000_000  # bit/s of a source while it is on


def load_parts() -> list[Part]:
    """Return the runs of the background alone: `USUAL` at each of `LOADS`, and `OTHERS`."""
    places = [*((USUAL, count) for count in LOADS), *OTHERS.items()]
    spots = [
        Spot(where={"background": name, "sources": count}, scenario=load_scenario(name, count))
        for name, count in places
    ]
    return [
        Part(name="loads", spots=some, take=of_background, record=(f"arrivals@{links}/{1000 * STEP:g}ms",))
        for some, links in ((spots[:-1], "A->B,B->y"), (spots[-1:], "bottleneck"))
    ]


def load_scenario(name: str, sources: int) -> Scenario:
    """Return the network with one kind of background."""
    if name == CARRIED:
        return _by_tcp(sources)
    size = _SIZES[name]
    # The sources send to y: arrivals at the faster link B->y are the packets that leave the bottleneck.
    return background(sources).changed(
        {"flows.0.to": "y", "flows.0.packet_size": size, "flows.0.source.rate": _BITS / (8 * size)}
    )


def _by_tcp(sources: int) -> Scenario:
    """Return the network in which each source uses Tahoe with a window of 20 packets and has its own access link."""
    period = Pareto(mean="500 ms", shape=SHAPE)
    source = OnOff(rate=_BITS / 8000, on=period, off=period)
    return Scenario.from_dict(DEFINITION.table("by_tcp")).changed(
        {"clients.0.count": sources, "clients.0.source": source}
    )


def of_background(run: Run) -> Taken:
    """Take the offered ``load`` as a share of the link's rate, the ``loss``, and `hursts` and ``cov`` of the arrivals.

    Names that begin with ``out`` are for the packets that leave the bottleneck, which are not measured for TCP.
    """
    table, size = run.table("arrivals"), (run.scenario.flows or run.scenario.clients)[0].packet_size or 0
    link, packets = np.asarray(table["link"].to_pylist()), table["packets"].to_numpy()
    found: dict[str, float | None] = {
        "load": run.summary.arrivals * size * 8 / (BOTTLENECK * DURATION),
        "loss": run.summary.loss,
    }
    for prefix, name in ({"": "A->B", "out ": "B->y"} if run.scenario.flows else {"": "bottleneck"}).items():
        counts = np.asarray(packets[link == name][round(SETTLED / STEP) :], dtype=np.int64)
        found |= hursts(counts, prefix=prefix)
        found |= {f"{prefix}cov {scale:g}": cov(binned(counts, round(scale / STEP))) for scale in BINS}
    return found


def _cov(name: str, prefix: str) -> Profile:
    return Profile(
        name=name,
        label="c.o.v.",
        digits=3,
        axes={"bin": BINS},
        of=lambda row: [row.values.get(f"{prefix}cov {scale:g}") for scale in BINS],
    )


LOSS = DEFINITION.measure("loss_percent", of=lambda run: None if (loss := run.values["loss"]) is None else 100 * loss)
H_OUT = hurst("h_out", "H after the bottleneck", "out ")
COV_IN, COV_OUT = _cov("cov", ""), _cov("cov_out", "out ")
