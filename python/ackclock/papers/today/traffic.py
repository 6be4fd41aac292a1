"""Numbers of the aggregated traffic of one run: c.o.v. at several time scales, windows, and the link's summary."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis import cov
from ackclock.running.run import Run
from ackclock.scenario import Poisson
from ackclock.values.quantity import seconds

Array = NDArray[np.float64]

SCALES: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Lengths of bins in seconds at which the c.o.v. of one run is taken."""

LONG_SCALES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 13.0, 20.0, 50.0, 100.0)
"""Lengths of bins in seconds of the long runs."""

_SUMMARY: Final = (
    "utilization",
    "loss",
    "jain_index",
    "timeouts",
    "dup_acks",
    "timeouts_per_dup_ack",
    "retransmissions",
    "arrivals",
    "marks",
    "queue_mean",
    "sojourn_mean",
    "sojourn_p95",
    "sojourn_p99",
    "goodput_bps",
)


def over_poisson(counts: Array, per_bin: float) -> float:
    """Divide the c.o.v. of counts per bin by that of a Poisson process with `per_bin` packets in a bin.

    Examples
    --------
    >>> round(over_poisson(np.array([8.0, 12.0]), per_bin=10), 3)
    0.632

    """
    return (cov(counts) or 0.0) * math.sqrt(per_bin)


def binned(counts: Array, times: int) -> Array:
    """Add up groups of `times` neighbouring bins, without an incomplete last group."""
    whole = counts[: len(counts) // times * times]
    return np.asarray(whole.reshape(-1, times).sum(axis=1))


def ladder(counts: Array, step: float, rate: float, scales: tuple[float, ...]) -> Array:
    """Return the c.o.v. over Poisson's at each time scale: counts in bins of `step`, for `rate` packets per second."""
    return np.array([over_poisson(binned(counts, round(scale / step)), rate * scale) for scale in scales])


def offered(run: Run) -> float:
    """Return the packets per second that the Poisson sources of a run offer together."""
    sources = [(group.count, group.source) for group in run.scenario.groups]
    return float(sum(count * source.mean_rate for count, source in sources if isinstance(source, Poisson)))


def arrivals(run: Run) -> tuple[Array, float]:
    """Return the packets that arrived at the bottleneck in each bin from `measure.from` on, and the bin in seconds."""
    table = run.table("arrivals")
    times, counts = table["time"].to_numpy(), table["packets"].to_numpy().astype(np.float64)
    step = float(times[1] - times[0])
    start = seconds(run.scenario.measure.from_)
    return counts[times >= start - step / 2], step


def link(run: Run) -> dict[str, float | None]:
    """Return the numbers of the summary that the study uses."""
    return {name: getattr(run.summary, name) for name in _SUMMARY}
