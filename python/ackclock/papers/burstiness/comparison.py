"""What is compared with ns-2 in the homogeneous study, and how far apart two means may lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.agreement import statement
from ackclock.papers.burstiness.experiment import DURATION
from ackclock.papers.comparison import Rule, compare, named
from ackclock.papers.observation import observed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.observation import Observation
    from ackclock.report.html import Statement

WARM = 20
"""Seconds after which the numbers of the warm measures begin."""

_HEAVY = 39
"""The fewest clients that congest the network for good."""


def _heavy_reno(observation: Observation) -> bool:
    return observation.variant.startswith("Reno") and observation.clients >= _HEAVY


def warm_loss(observation: Row) -> float | None:
    """Give the loss from `WARM` seconds on, as a fraction."""
    drops, arrivals = observation.values["drops_warm"], observation.values["arrivals"]
    # ns-2's file does not count the arrivals from 20 s on: on both sides, their share of the time stands in.
    return drops / (arrivals * (1 - WARM / DURATION)) if drops is not None and arrivals else None


RULES = (
    Rule(title="c.o.v. from 0 s", measure=named("cov"), relative=0.04),
    Rule(title="c.o.v. from 20 s", measure=named("cov_warm"), relative=0.04),
    Rule(title="departures", measure=named("departures"), relative=0.005),
    Rule(title="loss from 0 s", measure=named("loss"), relative=0.08, absolute=0.0005),
    Rule(title="loss from 20 s", measure=warm_loss, relative=0.08, absolute=0.0005),
    Rule(title="timeouts", measure=named("timeouts"), relative=0.08, applies=_heavy_reno),
    Rule(title="duplicate ACKs", measure=named("dup_acks"), relative=0.08, applies=_heavy_reno),
)
"""The measures of the homogeneous study, in the order of the tables."""


def agreement_statement(ours: Sequence[Row], ns2: Sequence[Row]) -> Statement:
    """Say at how many points of the figures both simulators agree."""
    shown = [rule for rule in RULES if rule.title in {"c.o.v. from 0 s", "departures", "loss from 0 s"}]
    return statement(
        compare(observed(ours), observed(ns2), shown),
        what="c.o.v., throughput and loss",
        margin="4 % of the c.o.v., 0.5 % of the throughput, 8 % of the loss or 0.05 points",
    )
