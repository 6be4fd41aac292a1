"""Table 1 and the background: all runs behind what the paper says of self-similar traffic itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import student_interval
from ackclock.papers.selfsimilar.loads import gather_loads
from ackclock.papers.selfsimilar.traffic import (
    COUNTS,
    KINDS,
    ON_OFF,
    POISSON,
    Traffic,
    gaps_wanted,
    panels_wanted,
    traffic_wanted,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation
    from ackclock.papers.selfsimilar.traffic import Kind
    from ackclock.study import Batch

__all__ = ["TOTAL", "Scales", "gather_scales", "over_counts", "over_scales", "variance"]

TOTAL = 2500
"""Packets per second of all sources together, where they share a rate: of 40 as in the paper."""

_SECONDS = 400
"""Of the runs with many sources."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scales:
    """All runs of this part of the study.

    Parameters
    ----------
    panels
        Packets in the first hundred bins at each scale, by the kind of traffic: of one run.
    times
        The three kinds of traffic with one mean, over `LENGTH` seconds.
    gaps
        The same, by the times between packets.
    alike
        `COUNTS` sources of one rate each.
    shared
        As many sources that share one rate.
    loads
        The background.

    """

    panels: Mapping[str, Mapping[float, NDArray[np.int64]]]
    times: Sequence[Observation]
    gaps: Sequence[Observation]
    alike: Sequence[Observation]
    shared: Sequence[Observation]
    loads: Sequence[Observation]

    @property
    def runs(self) -> dict[str, Sequence[Observation]]:
        """Every run by what it is for."""
        return {
            "time scales": self.times,
            "times between packets": self.gaps,
            "sources of one rate each": self.alike,
            "sources that share a rate": self.shared,
            "background by load": self.loads,
        }


def gather_scales(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], Scales]:
    """Ask for all runs.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs; pictures of single runs have the first.

    Returns
    -------
    Callable
        Gives them once the batch has run.

    """
    panels = batch.add(panels_wanted(seeds[0]))
    times = batch.add(traffic_wanted([Traffic(kind=kind) for kind in KINDS], seeds=seeds, whole=True))
    gaps = batch.add(gaps_wanted(seeds=seeds))
    kinds: tuple[Kind, ...] = (POISSON, ON_OFF)
    alike = [Traffic(kind=kind, sources=count, seconds=_SECONDS) for kind in kinds for count in COUNTS]
    shared = [
        Traffic(kind=kind, sources=count, rate=2 * TOTAL / count, seconds=_SECONDS)
        for kind in kinds
        for count in COUNTS
    ]
    each, together = (batch.add(traffic_wanted(cells, seeds=seeds)) for cells in (alike, shared))
    loads = gather_loads(batch, seeds=seeds)
    return lambda: Scales(panels=panels(), times=times(), gaps=gaps(), alike=each(), shared=together(), loads=loads())


def over_scales(
    runs: Iterable[Observation], variant: str, measure: str, scales: Sequence[float], *, clients: int | None = None
) -> Interval:
    """Fit the power of the time scale that a measure goes with, run by run, by least squares of logarithms.

    Parameters
    ----------
    runs
        Ours.
    variant
        The kind of traffic.
    measure
        Its name up to the scale, such as ``cov``.
    scales
        Seconds, two or more.
    clients
        Sources; any number where it is None.

    Returns
    -------
    Interval
        Of the power, over the seeds.

    """
    return student_interval(
        [
            _power(scales, [run.values[f"{measure}_{scale:g}"] or np.nan for scale in scales])
            for run in runs
            if run.variant == variant and clients in (None, run.clients)
        ]
    )


def over_counts(runs: Iterable[Observation], variant: str, measure: Callable[[Observation], float]) -> Interval:
    """Fit the power of the number of sources that a measure goes with, seed by seed, likewise.

    Parameters
    ----------
    runs
        Ours, at several numbers of sources for each seed.
    variant
        The kind of traffic.
    measure
        What is fitted, above 0.

    """
    by_seed: dict[int, list[tuple[int, float]]] = {}
    for run in runs:
        if run.variant == variant:
            by_seed.setdefault(run.seed, []).append((run.clients, measure(run)))
    return student_interval([_power(*zip(*points, strict=True)) for points in by_seed.values()])


def variance(run: Observation, scale: float) -> float:
    """Give the variance of the packets in bins of so many seconds."""
    share, mean = run.values[f"cov_{scale:g}"] or 0.0, run.values["mean"] or 0.0
    return (share * mean * scale) ** 2


def _power(x: Sequence[float], y: Sequence[float]) -> float:
    """Give the slope of the line through the logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
