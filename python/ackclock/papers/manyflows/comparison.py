"""What is compared with ns-2 where many connections share the link, and how far chance goes with one run a point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.analysis import Interval, student_interval
from ackclock.papers.comparison import Comparison, Rule, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ackclock.papers.manyflows.ns2 import Reference
    from ackclock.papers.observation import Observation

__all__ = ["BAR", "BIAS", "GRID", "WHOLE", "compare_runs"]

BAR = 0.95
"""The part of the points of each measure that must agree."""

GRID = (
    Rule(title="loss", measure=named("loss"), relative=0.05),
    Rule(title="Jain's index", measure=named("jain_index"), relative=0.05),
    Rule(title="throughput", measure=named("throughput"), relative=0.0, absolute=0.005),
    Rule(title="goodput", measure=named("goodput"), relative=0.0, absolute=0.01),
)
"""On the grid, after a warm-up; throughput and goodput are parts of the bottleneck's rate."""

WHOLE = (Rule(title="loss", measure=named("loss"), relative=0.04),)
"""From time 0 on, as in Tables 4 and 5."""

BIAS = (Rule(title="goodput, near over far", measure=named("goodput_ratio"), relative=0.10),)
"""Of two groups at unequal distances, as in Figure 23."""


def compare_runs(ours: Iterable[Observation], theirs: Iterable[Reference], rules: Sequence[Rule]) -> list[Comparison]:
    """Compare our mean at each point with one run of ns-2, rule by rule, in the order of ns-2's runs.

    A single run does not show how far it may lie from the mean of many. It is taken to vary as ours do: with the
    standard deviation ``s`` of our ``n`` seeds, at least two, the standard error of the difference is
    ``s sqrt(1 + 1 / n)``. More points than ns-2 has are left out.
    """
    points: dict[tuple[str, int], list[Observation]] = {}
    for run in ours:
        points.setdefault((run.variant, run.clients), []).append(run)
    comparisons = []
    for rule in rules:
        for reference in theirs:
            theirs_there, place = rule.measure(reference.run), (reference.run.variant, reference.run.clients)
            sample = [value for run in points.get(place, ()) if (value := rule.measure(run)) is not None]
            if theirs_there is not None and len(sample) > 1:
                mine = student_interval(sample)
                single = Interval(
                    mean=theirs_there,
                    half_width=math.inf,
                    standard_error=mine.standard_error * math.sqrt(mine.count),
                    count=1,
                    level=mine.level,
                )
                comparisons.append(Comparison(rule=rule, variant=place[0], clients=place[1], ours=mine, theirs=single))
    return comparisons
