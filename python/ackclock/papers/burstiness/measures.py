"""The numbers that the figures show, in the figures' units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock import analysis
from ackclock.papers.burstiness.comparison import WARM
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, FINE
from ackclock.papers.burstiness.windows import UNIT
from ackclock.papers.observation import summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.observation import Observation
    from ackclock.running.run import Run

__all__ = [
    "START",
    "cov",
    "cov_over_poisson",
    "loss_percent",
    "percent_above_poisson",
    "thousand_departures",
    "timeouts_per_dup_ack",
    "warm_cov_over_poisson",
    "warm_summary",
]

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
