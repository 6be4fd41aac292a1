"""Determines how many replications a point needs, and which are still to be made."""

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
"""With fewer replications an interval means almost nothing: Student's t for two is 12.7."""


def further(values: Sequence[float | None], until: Until) -> int:
    """Return how many more replications a point needs.

    Parameters
    ----------
    values
        The measure in the replications so far, in the order of their seeds; None where it has no value.
    until
        How well it is to be known.

    Returns
    -------
    int
        0 when half the 95 % interval is small enough, when `until.most` is reached, or when no replication has a value.

    Notes
    -----
    After a first stage of 5, each further one has as many as the spread so far asks for (Stein 1945), at least 5 and at
    most as many as there are already: the spread is an estimate too. Decisions fall between stages only, so that they
    do not depend on which of the replications ends first.

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
        The seeds, or until when to go on.
    known
        The measure in the replications that are there already, by their seeds.

    """

    def __init__(self, rule: Sequence[int] | Until, known: Mapping[int, float | None]) -> None:
        self._rule = rule
        self._known = known
        self._seeds: list[int] = []
        self.values: dict[int, float | None] = {}
        """The measure in all replications, by seed."""
        self.due: deque[int] = deque()
        """The seeds not begun yet."""
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
        """Request the next stage, beyond the known replications, once all of the current stage have ended."""
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
