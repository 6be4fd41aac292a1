"""The numbers that the figures show, in the figures' units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.experiment import ARRIVALS_PER_RTT

if TYPE_CHECKING:
    from ackclock.experiments.burstiness.experiment import Observation

__all__ = ["cov", "cov_over_poisson", "loss_percent", "thousand_departures", "timeouts_per_dup_ack"]


def cov(observation: Observation) -> float | None:
    """Give the coefficient of variation of the arrivals in bins of one round-trip propagation delay."""
    return observation.values["cov"]


def cov_over_poisson(observation: Observation) -> float | None:
    """Give the same, relative to what the clients' Poisson sources alone would give."""
    value = observation.values["cov"]
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
