"""Determines how many replications a point needs, and which replications are missing."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ackclock.study.fields import FIRST_BLOCK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.study.design import Until

__all__ = ["FEWEST", "Course", "further"]

FEWEST: Final = 3
"""Fewest replications for a useful interval. With two, Student's t is 12.7, and the interval is too wide."""


def further(values: Sequence[float | None], until: Until) -> int:
    """Return how many more replications a point needs.

    Parameters
    ----------
    values
        Value of the measure in each replication so far, ordered by seed; None if it is undefined.
    until
        The required precision, and the maximum number of replications.

    Returns
    -------
    int
        0 if the half-width of the 95 % interval is small enough, if `until.most` is reached, or if no replication has a
        value.

    Notes
    -----
    Replications are made in stages. The first stage has 5 replications. The size of each further stage is computed from
    the variance so far (Stein 1945). It is at least 5, and at most doubles the number of replications, because the
    variance is itself an estimate. The decision is made only after a complete stage, so that it does not depend on the
    order in which replications end.

    """
    from ackclock.analysis import student_interval  # noqa: PLC0415 - it loads NumPy

    count = len(values)
    there = [value for value in values if value is not None]
    if count >= until.most or (count and not there):
        return 0
    needed = math.inf
    if len(there) >= FIRST_BLOCK:
        interval = student_interval(there)
        allowed = until.share * abs(interval.mean)
        if interval.half_width <= allowed:
            return 0
        needed = len(there) * (interval.half_width / allowed) ** 2 if allowed else math.inf
    stage = max(FIRST_BLOCK, min(needed - len(there), count))
    return min(math.ceil(stage), until.most - count)


class Course:
    """The replications of one point.

    Parameters
    ----------
    rule
        The seeds, or the required precision.
    known
        Value of the measure in each replication that the store already has, by seed.

    """

    def __init__(self, rule: Sequence[int] | Until, known: Mapping[int, float | None]) -> None:
        self._rule = rule
        self._known = known
        self._seeds: list[int] = []
        self.values: dict[int, float | None] = {}
        """Value of the measure in each replication that has ended, by seed."""
        self.due: deque[int] = deque()
        """The seeds of the replications that have not begun yet."""
        self._go_on()

    @property
    def ended(self) -> bool:
        """Whether the point has all its replications."""
        return len(self.values) == len(self._seeds)

    def took(self, seed: int, value: float | None) -> None:
        """Record a replication that has ended."""
        self.values[seed] = value
        self._go_on()

    def _go_on(self) -> None:
        """Once a stage is complete, add the next stage. Replications that the store already has are not due."""
        while self.ended:
            stage = self._stage()
            self._seeds += stage
            for seed in stage:
                if seed in self._known:
                    self.values[seed] = self._known[seed]
                else:
                    self.due.append(seed)
            if not stage:
                return

    def _stage(self) -> Sequence[int]:
        count = len(self._seeds)
        if isinstance(self._rule, Sequence):
            return () if count else self._rule
        more = further([self.values[seed] for seed in self._seeds], self._rule)
        return range(count + 1, count + more + 1)
