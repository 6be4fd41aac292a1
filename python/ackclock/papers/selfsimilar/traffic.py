"""Table 1 of the paper made visible: traffic with and without memory, alone at a link that has room for all of it.

Poisson sources, on/off sources with Pareto periods as in the paper, and a Poisson source whose rate is fractional
Gaussian noise, exactly self-similar in itself. What arrives at the link is counted; nothing waits there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ackclock.analysis import cov, kettani_gubner, kettani_gubner_k1
from ackclock.analysis.scaling import abry_veitch, local_whittle
from ackclock.papers.observation import Observation, observations_wanted
from ackclock.papers.selfsimilar.experiment import PACKET, SOURCES, binned
from ackclock.scenario import (
    DropTail,
    Flow,
    FractionalNoise,
    GraphLink,
    Measure,
    Node,
    OnOff,
    Pareto,
    Poisson,
    Scenario,
    Udp,
)
from ackclock.study import Point, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ackclock.analysis import HurstEstimate
    from ackclock.running.run import Run
    from ackclock.scenario.sources import Source

    Values = Mapping[str, float | None]
    Counts = NDArray[np.int64]

__all__ = [
    "BINS",
    "COUNTS",
    "ESTIMATORS",
    "KINDS",
    "LADDER",
    "LENGTH",
    "NOISE",
    "ON_OFF",
    "PANELS",
    "POISSON",
    "SHAPE",
    "STEP",
    "Kind",
    "Traffic",
    "gaps_wanted",
    "hursts",
    "ladder_summary",
    "panels_wanted",
    "traffic_wanted",
]

Kind = Literal["Poisson", "on/off", "Gaussian noise"]

POISSON: Final = "Poisson"
ON_OFF: Final = "on/off"
NOISE: Final = "Gaussian noise"
KINDS: Final[tuple[Kind, ...]] = (POISSON, ON_OFF, NOISE)
"""Without memory, with the memory of heavy tails, and with that of noise which is exactly self-similar."""

STEP: Final = 0.01
"""Seconds in which packets are counted: the shortest time scale."""

LADDER: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds: the time scales that traffic is looked at, whole multiples of `STEP`."""

PANELS: Final = (0.01, 0.1, 1.0, 10.0)
"""Seconds: those that are drawn bin by bin, a hundred bins of each."""

BINS: Final = (0.01, 0.1, 0.5, 1.0)
"""Seconds: those at which the Hurst parameter is estimated."""

COUNTS: Final = (1, 4, 16, 64, 256)
"""Sources that are multiplexed."""

LENGTH: Final = 1000
"""Seconds over which the three kinds of traffic are compared: a hundred bins of the longest scale."""

SHAPE: Final = 1.2
"""Of the Pareto periods."""

_SETTLED: Final = 10
"""Seconds before traffic counts: by then a source has had ten periods on average."""

_RATE: Final = 125.0
"""Packets per second of an on/off source while it is on: 1 Mb/s, as in the paper."""

_PART: Final = 0.5
"""The part of the time that it is on."""

_NOISE_COV: Final = 0.175
"""Of the noise in 0.01 s: what 40 on/off sources have there."""

_GAPS: Final = 100
"""Seconds in which times between packets are looked at."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Traffic:
    """Sources of one kind at a link.

    Parameters
    ----------
    kind
        Which. Noise is one source, whatever the number.
    sources
        How many.
    rate
        Packets per second of an on/off source while on. Poisson and noise have the same mean.
    seconds
        How long it is counted.

    """

    kind: Kind
    sources: int = SOURCES
    rate: float = _RATE
    seconds: int = LENGTH

    @property
    def mean(self) -> float:
        """Packets per second of all sources, in the long run."""
        return self.sources * self.rate * _PART

    def scenario(self) -> Scenario:
        """Give the network: one link of 1 Gb/s with room for all."""
        count, source = self.sources, self._source()
        if self.kind == NOISE:
            count = 1
        return Scenario(
            profile="ns2-2.35",
            duration=f"{_SETTLED + self.seconds} s",
            measure=Measure(link="A->B"),
            nodes=[Node(name=name) for name in ("A", "B")],
            links=[GraphLink(from_="A", to="B", rate="1 Gbps", delay="1 ms", queue=DropTail(packets=100_000))],
            flows=[
                Flow(
                    name="traffic",
                    count=count,
                    from_="A",
                    to="B",
                    packet_size=PACKET,
                    spread="1 s",
                    transport=Udp(),
                    source=source,
                )
            ],
        )

    def _source(self) -> Source:
        if self.kind == POISSON:
            return Poisson(rate=self.rate * _PART)
        if self.kind == ON_OFF:
            period = Pareto(mean="500 ms", shape=SHAPE)
            return OnOff(rate=self.rate, on=period, off=period)
        return FractionalNoise(rate=self.mean, hurst=(3 - SHAPE) / 2, cov=_NOISE_COV, bin=f"{1000 * STEP:g} ms")


_RECORD: Final = f"arrivals@A->B/{1000 * STEP:g}ms"

ESTIMATORS: Final[Mapping[str, Callable[[ArrayLike], HurstEstimate]]] = {
    "K = 1": kettani_gubner_k1,
    "K = 50": lambda counts: kettani_gubner(counts, lags=min(50, np.size(counts) // 4)),
    "local Whittle": local_whittle,
    "Abry-Veitch": abry_veitch,
}
"""Methods for the Hurst parameter: the paper's with one lag and with 50, or a quarter of the bins, and two that leave
the short scales out."""


def hursts(counts: Counts, *, prefix: str = "") -> dict[str, float | None]:
    """Estimate the Hurst parameter of counts per `STEP` by every method over every bin of `BINS`.

    Parameters
    ----------
    counts
        Packets.
    prefix
        What all names begin with.

    Returns
    -------
    dict
        ``<prefix><method> <bin>``; None where a method asks for more bins than there are, or for scaling.

    """
    found: dict[str, float | None] = {}
    for scale in BINS:
        series = binned(counts, round(scale / STEP))
        for name, method in ESTIMATORS.items():
            try:
                found[f"{prefix}{name} {scale:g}"] = method(series).h
            except ValueError:
                found[f"{prefix}{name} {scale:g}"] = None
    return found


def ladder_summary(counts: Counts) -> dict[str, float | None]:
    """Take what counts per `STEP` vary by at each scale of `LADDER`.

    ``mean`` is their mean in packets per second; ``cov_<scale>`` the coefficient of variation, ``dispersion_<scale>``
    the index of dispersion, variance over mean, and ``peak_<scale>`` the largest over the mean.
    """
    found: dict[str, float | None] = {"mean": float(counts.mean()) / STEP}
    for scale in LADDER:
        bins = binned(counts, round(scale / STEP))
        mean = float(bins.mean())
        found[f"cov_{scale:g}"] = cov(bins)
        found[f"dispersion_{scale:g}"] = float(bins.var()) / mean
        found[f"peak_{scale:g}"] = float(bins.max()) / mean
    return found


def _settled(run: Run) -> Counts:
    return np.asarray(run.table("arrivals")["packets"].to_numpy()[round(_SETTLED / STEP) :], dtype=np.int64)


def traffic_wanted(
    cells: Sequence[Traffic], *, seeds: Iterable[int], whole: bool = False
) -> Wanted[Values, list[Observation]]:
    """Ask for runs of traffic, in the order of the cells and, within one, of the seeds.

    Parameters
    ----------
    cells
        What is sent.
    seeds
        As for `ackclock.study.Wanted`.
    whole
        Estimate the Hurst parameter by all methods, `hursts`; by local Whittle over 0.1 s alone otherwise.

    """

    def take(run: Run) -> Values:
        counts = _settled(run)
        every = hursts(counts) if whole else {"local Whittle 0.1": local_whittle(binned(counts, round(0.1 / STEP))).h}
        return ladder_summary(counts) | every

    return _wanted(cells, seeds=seeds, take=take, record=_RECORD)


def gaps_wanted(*, seeds: Iterable[int]) -> Wanted[Values, list[Observation]]:
    """Ask for ``cov``, the coefficient of variation of the times between packets, of each kind of traffic."""

    def take(run: Run) -> Values:
        packets = run.table("packets")
        times = packets["time"].to_numpy()[packets["event"].to_numpy() == "enqueue"]
        return {"cov": cov(np.diff(times[times >= _SETTLED]))}

    cells = [Traffic(kind=kind, seconds=_GAPS) for kind in KINDS]
    return _wanted(cells, seeds=seeds, take=take, record="packets@A->B")


def _wanted(
    cells: Sequence[Traffic], *, seeds: Iterable[int], take: Callable[[Run], Values], record: str
) -> Wanted[Values, list[Observation]]:
    return observations_wanted(
        cells,
        where=lambda cell: (cell.kind, cell.sources),
        point=_point,
        seeds=seeds,
        take=take,
        record=(record,),
    )


def _point(cell: Traffic) -> Point:
    return Point(
        name=f"{cell.kind}, {cell.sources} sources of {cell.rate:g} packets/s",
        scenario=cell.scenario(),
        work=cell.mean * cell.seconds / 1e5,
    )


def panels_wanted(seed: int) -> Wanted[dict[float, Counts], dict[str, dict[float, Counts]]]:
    """Ask for the first hundred bins at each scale of `PANELS`, by the kind of traffic: of the runs of `LENGTH`."""

    def take(run: Run) -> dict[float, Counts]:
        counts = _settled(run)
        return {scale: binned(counts, round(scale / STEP))[:100] for scale in PANELS}

    return Wanted(
        points=[_point(Traffic(kind=kind)) for kind in KINDS],
        seeds=[seed],
        take=take,
        record=(_RECORD,),
        make=lambda ran: {kind: one.value for kind, one in zip(KINDS, ran, strict=True)},
    )
