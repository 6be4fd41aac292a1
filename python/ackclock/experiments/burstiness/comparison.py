"""Whether two simulators agree: one rule a measure, wide enough for chance and no wider.

A point is one variant with one number of clients. It agrees when the means over the seeds differ by no more
than a fixed part of ns-2's, or a fixed amount, or three standard errors of the difference, whichever is most.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.analysis import student_interval
from ackclock.experiments.burstiness.experiment import DURATION, VARIANTS
from ackclock.report.html import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.analysis import Interval
    from ackclock.experiments.burstiness.experiment import Observation

__all__ = ["RULES", "WARM", "Comparison", "Rule", "agreement_statement", "compare", "warm_loss"]

WARM = 20
"""Seconds after which the numbers of the warm measures begin."""

STANDARD_ERRORS = 3
"""How many standard errors of the difference are put down to chance."""

_HEAVY = 39
"""The fewest clients that congest the network for good."""


def _any(_observation: Observation) -> bool:
    return True


def _heavy_reno(observation: Observation) -> bool:
    return observation.variant.startswith("Reno") and observation.clients >= _HEAVY


def _named(measure: str) -> Callable[[Observation], float | None]:
    return lambda observation: observation.values[measure]


def warm_loss(observation: Observation) -> float | None:
    """Give the loss from `WARM` seconds on, as a fraction."""
    drops, arrivals = observation.values["drops_warm"], observation.values["arrivals"]
    # ns-2's file does not count the arrivals from 20 s on: on both sides, their share of the time stands in.
    return drops / (arrivals * (1 - WARM / DURATION)) if drops is not None and arrivals else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """What is compared, where, and how far apart two means may lie.

    Parameters
    ----------
    title
        What the measure is called in tables.
    measure
        Takes it from a run.
    relative
        Allowed difference as a part of ns-2's mean.
    absolute
        Allowed difference in the unit of the measure.
    applies
        Says for a run whether its point is compared.

    """

    title: str
    measure: Callable[[Observation], float | None]
    relative: float
    absolute: float = 0.0
    applies: Callable[[Observation], bool] = _any


RULES = (
    Rule(title="c.o.v. from 0 s", measure=_named("cov"), relative=0.04),
    Rule(title="c.o.v. from 20 s", measure=_named("cov_warm"), relative=0.04),
    Rule(title="departures", measure=_named("departures"), relative=0.005),
    Rule(title="loss from 0 s", measure=_named("loss"), relative=0.08, absolute=0.0005),
    Rule(title="loss from 20 s", measure=warm_loss, relative=0.08, absolute=0.0005),
    Rule(title="timeouts", measure=_named("timeouts"), relative=0.08, applies=_heavy_reno),
    Rule(title="duplicate ACKs", measure=_named("dup_acks"), relative=0.08, applies=_heavy_reno),
)
"""The measures of the homogeneous study, in the order of the tables."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One measure at one point, on both sides."""

    rule: Rule
    variant: str
    clients: int
    ours: Interval
    theirs: Interval

    @property
    def difference(self) -> float:
        """Our mean minus ns-2's."""
        return self.ours.mean - self.theirs.mean

    @property
    def relative(self) -> float:
        """The difference as a part of ns-2's mean; not finite where that is 0."""
        if self.theirs.mean:
            return self.difference / self.theirs.mean
        return math.copysign(math.inf, self.difference) if self.difference else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of the difference: of two means of independent runs."""
        return math.hypot(self.ours.standard_error, self.theirs.standard_error)

    @property
    def standard_errors(self) -> float:
        """The difference in standard errors, with its sign; not finite where no run differed from another."""
        if self.standard_error:
            return self.difference / self.standard_error
        return math.copysign(math.inf, self.difference) if self.difference else 0.0

    @property
    def agrees(self) -> bool:
        """Whether the difference is within the rule."""
        allowed = max(
            self.rule.relative * abs(self.theirs.mean),
            self.rule.absolute,
            STANDARD_ERRORS * self.standard_error,
        )
        return abs(self.difference) <= allowed


def compare(
    ours: Iterable[Observation], theirs: Iterable[Observation], rules: Sequence[Rule] = RULES
) -> list[Comparison]:
    """Compare every point that both sides have and that a rule applies to.

    Parameters
    ----------
    ours, theirs
        Runs of both sides, at least two seeds a point: a single run has no standard error.
    rules
        What is compared.

    Returns
    -------
    list of Comparison
        Rule by rule, then in the order of the paper's legends, then by the number of clients.

    """
    left, right = _points(ours), _points(theirs)
    order = {variant.name: place for place, variant in enumerate(VARIANTS)}
    both = sorted(left.keys() & right.keys(), key=lambda point: (order[point[0]], point[1]))
    comparisons = []
    for rule in rules:
        for point in both:
            if not rule.applies(left[point][0]):
                continue
            samples = [
                [value for run in side[point] if (value := rule.measure(run)) is not None] for side in (left, right)
            ]
            if all(len(sample) > 1 for sample in samples):
                ours_there, theirs_there = map(student_interval, samples)
                comparisons.append(
                    Comparison(rule=rule, variant=point[0], clients=point[1], ours=ours_there, theirs=theirs_there)
                )
    return comparisons


def _points(runs: Iterable[Observation]) -> dict[tuple[str, int], list[Observation]]:
    points: dict[tuple[str, int], list[Observation]] = defaultdict(list)
    for run in runs:
        points[run.variant, run.clients].append(run)
    return points


def agreement_statement(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Statement:
    """Say how much of the figures agrees.

    Parameters
    ----------
    ours, ns2
        Runs of the whole grid.

    """
    shown = [rule for rule in RULES if rule.title in {"c.o.v. from 0 s", "departures", "loss from 0 s"}]
    places = compare(ours, ns2, shown)
    if not places:
        return Statement(lead="A single seed has no error bars.", text="Agreement with ns-2 needs at least two seeds.")
    agreeing = sum(place.agrees for place in places)
    share = agreeing / len(places)
    words = "agree" if share >= 0.95 else "mostly agree" if share >= 0.8 else "do not agree"
    return Statement(
        lead=f"Ackclock and ns-2.35 {words}.",
        text=f"Of {len(places)} means of c.o.v., throughput and loss, {agreeing} ({100 * share:.1f} %) lie "
        "within the wider of three standard errors and a fixed margin (4 % of the c.o.v., 0.5 % of the "
        "throughput, 8 % of the loss or 0.05 points).",
    )
