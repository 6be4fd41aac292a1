"""The numbers that the figures show, in the figures' units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock import analysis
from ackclock.papers.burstiness.comparison import WARM
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, FINE
from ackclock.papers.burstiness.windows import UNIT
from ackclock.papers.core.quantities import Measure
from ackclock.papers.observation import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.observation import Observation
    from ackclock.running.run import Run

__all__ = [
    "COV",
    "COV_OVER_POISSON",
    "CUTTING",
    "DEPENDENCE",
    "FIRST_LOSS",
    "LARGEST_WINDOW",
    "LAST_FALL",
    "LAST_LOSS",
    "SETTLED",
    "SETTLED_BY",
    "SETTLE_TIME",
    "START",
    "START_SHARE",
    "TOGETHER",
    "TOGETHER_IN_TIME",
    "WARM_COV_OVER_POISSON",
    "cov",
    "cov_over_poisson",
    "loss_percent",
    "percent_above_poisson",
    "thousand_departures",
    "timeouts_per_dup_ack",
    "warm_cov_over_poisson",
    "warm_summary",
]

SETTLED_BY = 185
"""Seconds by which loss must have ended in a run that has settled."""

START = 1
"""Seconds within which every client's first slow start is over: it takes five round trips to the advertised window."""


def warm_summary(run: Run) -> Mapping[str, float | None]:
    """Take the summary of a run, and what `WARM` seconds without their start-up would have shown.

    The bins and the drops are those of ns-2's file: arrivals in bins of 0.1 s, the first 200 bins left out.
    `drops_start` are the drops of the first `START` seconds. The run must have kept `ARRIVALS` and `DROPS`.
    """
    arrivals, dropped_at = run.table("arrivals")["packets"].to_numpy(), run.table("drops")["time"].to_numpy()
    bins = arrivals[round(WARM / FINE) :].reshape(-1, round(UNIT / FINE)).sum(axis=1)
    return {
        **summary(run),
        "cov_warm": analysis.cov(bins),
        "drops_warm": float(np.count_nonzero(dropped_at >= WARM)),
        "drops_start": float(np.count_nonzero(dropped_at < START)),
    }


def cov(observation: Observation) -> float | None:
    """Give the coefficient of variation of the arrivals in bins of one round-trip propagation delay."""
    return observation.values["cov"]


def cov_over_poisson(observation: Observation) -> float | None:
    """Give the same, relative to what the clients' Poisson sources alone would give."""
    return _over_poisson(observation, "cov")


def percent_above_poisson(observation: Observation) -> float | None:
    """Give by how many per cent it is larger than that."""
    ratio = cov_over_poisson(observation)
    return None if ratio is None else 100 * (ratio - 1)


def warm_cov_over_poisson(observation: Observation) -> float | None:
    """Give the c.o.v. relative to Poisson's without the first `WARM` seconds."""
    return _over_poisson(observation, "cov_warm")


def _over_poisson(observation: Observation, name: str) -> float | None:
    value = observation.values[name]
    return None if value is None else value * math.sqrt(ARRIVALS_PER_RTT * observation.clients)


def thousand_departures(observation: Observation) -> float | None:
    """Give the packets that crossed the bottleneck, in thousands."""
    value = observation.values["departures"]
    return None if value is None else value / 1e3


def loss_percent(observation: Observation) -> float | None:
    """Give the drops at the gateway as a percentage of its arrivals."""
    value = observation.values["loss"]
    return None if value is None else 100 * value


def timeouts_per_dup_ack(observation: Observation) -> float | None:
    """Give the timeouts as a percentage of the duplicate ACKs; None without any, and for UDP."""
    timeouts, dup_acks = observation.values["timeouts"], observation.values["dup_acks"]
    return 100 * timeouts / dup_acks if timeouts is not None and dup_acks else None


def _start_share(run: Row) -> float | None:
    start, drops = run.values.get("drops_start"), run.values.get("drops")
    return None if start is None or not drops else 100 * start / drops


def _percent(name: str) -> Callable[[Row], float | None]:
    return lambda run: None if (share := run.values.get(name)) is None else 100 * share


def _between(name: str, low: float, high: float) -> Callable[[Row], float | None]:
    """Make the measure that is 100 for a run whose time lies between two others, and 0 for any other run."""
    return lambda run: 100.0 * ((time := run.values[name]) is not None and low <= time <= high)


def _poissons(name: str) -> Callable[[Row], float | None]:
    """Make a c.o.v. relative to the one that the clients' Poisson sources alone would give."""

    def measure(run: Row) -> float | None:
        value = run.values.get(name)
        return None if value is None else value * math.sqrt(ARRIVALS_PER_RTT * float(run.where["clients"]))

    return measure


COV = Measure(name="cov", label="c.o.v.", digits=4)
COV_OVER_POISSON = Measure(name="cov_over_poisson", label="c.o.v. over Poisson's", of=_poissons("cov"))
WARM_COV_OVER_POISSON = Measure(
    name="warm_cov_over_poisson", label=f"c.o.v. over Poisson's from {WARM} s on", of=_poissons("cov_warm")
)
START_SHARE = Measure(
    name="start_share", label=f"share of the drops in the first {START} s", unit="%", digits=0, of=_start_share
)
FIRST_LOSS = Measure(name="first_loss", label="first loss", unit="s", digits=3)
LAST_LOSS = Measure(name="last_loss", label="last loss", unit="s", digits=1)
LARGEST_WINDOW = Measure(
    name="before_first_fall", label="largest window before the first cut", unit="packets", digits=1
)
LAST_FALL = Measure(name="last_fall", label="last cut of any of the three windows", unit="s", digits=1)
TOGETHER = Measure(
    name="together",
    label="share of runs with a common cut",
    unit="%",
    digits=0,
    of=_between("last_together", 0, math.inf),
)
TOGETHER_IN_TIME = Measure(
    name="together_in_time",
    label="share of runs whose last common cut is at 2 to 8 s",
    unit="%",
    digits=0,
    of=_between("last_together", 2, 8),
)
SETTLED = Measure(
    name="settled",
    label=f"share of runs settled by {SETTLED_BY} s",
    unit="%",
    digits=0,
    of=_between("settle_time", 0, SETTLED_BY),
)
SETTLE_TIME = Measure(name="settle_time", label="time at which loss ends", unit="s", digits=0)
DEPENDENCE = Measure(name="dependence", label="dependence index", digits=1)
CUTTING = Measure(
    name="cutting",
    label="share of clients that cut their window in a 0.1 s in which any does",
    unit="%",
    digits=1,
    of=_percent("cutting"),
)
