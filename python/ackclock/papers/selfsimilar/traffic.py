"""Traffic of Table 1, alone at a link that has room for all of it, and what is measured of traffic at any link.

Poisson sources, on/off sources with Pareto periods as in the paper, and a Poisson source whose rate is fractional
Gaussian noise, exactly self-similar in itself. What arrives at the link is counted; nothing waits there.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ackclock.analysis import cov, kettani_gubner, kettani_gubner_k1
from ackclock.analysis.scaling import abry_veitch, local_whittle
from ackclock.papers.core.measures import Profile
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.selfsimilar.experiment import DEFINITION, PACKET, SOURCES, binned
from ackclock.scenario import FractionalNoise, OnOff, Pareto, Poisson, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from ackclock.analysis import HurstEstimate
    from ackclock.papers.core.evidence import Row
    from ackclock.papers.core.parts import Taken
    from ackclock.running.run import Run
    from ackclock.scenario.sources import Source

    Counts = NDArray[np.int64]

Kind = Literal["Poisson", "on/off", "Gaussian noise"]

POISSON: Final = "Poisson"
ON_OFF: Final = "on/off"
NOISE: Final = "Gaussian noise"
KINDS: Final[tuple[Kind, ...]] = (POISSON, ON_OFF, NOISE)
"""Without memory, with the memory of heavy tails, and with the memory of noise that is exactly self-similar."""

STEP: Final = 0.01  # seconds in which packets are counted
LADDER: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds: time scales, multiples of `STEP`
DRAWN: Final = (0.01, 0.1, 1.0, 10.0)  # seconds: time scales that are drawn bin by bin, `FIRST` bins of each
FIRST: Final = 100
BINS: Final = (0.01, 0.1, 0.5, 1.0)  # seconds: bins over which the Hurst parameter is estimated

ALIKE: Final = "sources of one rate each"
SHARED: Final = "sources that share a rate"
COUNTS: Final = (1, 4, 16, 64, 256)  # sources that are multiplexed
TOTAL: Final = 2500  # packets/s of 40 sources, and of all sources that share a rate

LENGTH: Final = 1000  # seconds of the three kinds of traffic: a hundred bins of the longest time scale
MANY_LENGTH: Final = 400  # seconds of the runs with many sources
_GAPS_LENGTH: Final = 100  # seconds in which times between packets are measured
_SETTLED: Final = 10  # seconds before traffic counts: by then a source has had ten periods on average

SHAPE: Final = 1.2  # of the Pareto periods
ASYMPTOTIC: Final = (3 - SHAPE) / 2
"""The Hurst parameter of on/off sources with Pareto periods over long times (Taqqu, Willinger and Sherman 1997)."""

_RATE: Final = 125.0  # packets/s of an on/off source while it is on: 1 Mb/s, as in the paper
_SHARE: Final = 0.5  # of the time that it is on
_NOISE_COV: Final = 0.175  # of the noise in 0.01 s: the c.o.v. of 40 on/off sources there
_RECORD: Final = (f"arrivals@A->B/{1000 * STEP:g}ms",)
_LINK: Final = Scenario.from_dict(DEFINITION.table("traffic"))

ESTIMATORS: Final[Mapping[str, Callable[[ArrayLike], HurstEstimate]]] = {
    "K = 1": kettani_gubner_k1,
    "K = 50": lambda counts: kettani_gubner(counts, lags=min(50, np.size(counts) // 4)),
    "local Whittle": local_whittle,
    "Abry-Veitch": abry_veitch,
}
"""The paper's method with one lag and with 50, or a quarter of the bins, and two that leave the short scales out."""


def traffic(kind: Kind, *, sources: int = SOURCES, rate: float = _RATE, seconds: int = LENGTH) -> Scenario:
    """Give a link of 1 Gb/s with space for all packets, and sources of one kind; packets count for some seconds.

    An on/off source has the rate, in packets/s, while it is on. Poisson sources and noise have the same mean; noise is
    one source, whatever the number.
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

    Names are ``<prefix><method> <bin>``. None stands where a method asks for more bins than there are, or for scaling.
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
    """Take what a run varies by at each time scale, its Hurst parameters, and the first bins at the scales drawn."""
    counts = _settled(run)
    first = {f"first {scale:g}": binned(counts, round(scale / STEP))[:FIRST] for scale in DRAWN}
    return {**ladder(counts), **hursts(counts), **first}


def of_many(run: Run) -> Taken:
    """Take what a run varies by at each time scale, and one Hurst parameter."""
    counts = _settled(run)
    return {**ladder(counts), "local Whittle 0.1": local_whittle(binned(counts, round(0.1 / STEP))).h}


def between_packets(run: Run) -> Taken:
    """Take the coefficient of variation of the times between packets."""
    packets = run.table("packets")
    times = packets["time"].to_numpy()[packets["event"].to_numpy() == "enqueue"]
    return {"gap_cov": cov(np.diff(times[times >= _SETTLED]))}


def traffic_parts() -> list[Part]:
    """Give the runs: the three kinds over time scales and by times between packets, and numbers of sources."""
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
    """Make the profile of Hurst parameters that `hursts` takes."""
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
VARIANCE = Profile(name="variance", label="variance of the packets", digits=0, axes=_by_scale, of=_variance)
H = hurst("h", "H")
GAP_COV = DEFINITION.measure("gap_cov")
