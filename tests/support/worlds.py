"""Worlds: synthetic runs in which the claims of a study hold, and changes that make claims fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both, Paper

if TYPE_CHECKING:
    from ackclock.papers.core.evidence import Row
    from ackclock.report.html import Verdict

__all__ = ["World", "changed", "noisy", "put", "runs_of", "times"]

SEEDS = (1, 2, 3)
Where = Mapping[str, Any]
Change = Callable[[Runs], Runs]
New = Callable[[Any, "Row"], Any]


@dataclass(frozen=True, kw_only=True)
class World:
    """The synthetic runs of a study.

    Parameters
    ----------
    paper
        The study.
    runs
        Our runs, in which each claim holds.
    worse
        For each claim, changes of the runs that make it fail, and the verdict it must then have.
    derived
        Adds the computed parts to the runs.
    ns2
        The runs of ns-2.
    best
        Verdicts of claims that these runs do not reproduce.
    single
        Claims that a single seed decides, with the reason.

    """

    paper: Paper
    runs: Runs
    worse: Sequence[tuple[str, Verdict, Sequence[Change]]]
    derived: Callable[[Runs], Runs] = lambda runs: runs
    ns2: Runs = field(default_factory=Runs)
    best: Mapping[str, Verdict] = field(default_factory=dict)
    single: Mapping[str, str] = field(default_factory=dict)

    def evidence(self, *changes: Change) -> Both:
        """Return the evidence for judging: our runs with some changes, and ns-2's runs."""
        return Both(ours=self.derived(changed(self.runs, changes)), ns2=self.ns2)


def runs_of(
    points: Iterable[Where],
    values: Callable[[Where], Mapping[str, Any]],
    *,
    factor: Callable[[int], float] = lambda seed: 1 + 1e-6 * seed,
) -> list[Run]:
    """Make a run of each point and seed, whose numbers are multiplied by the factor of the seed."""
    return [
        Run(
            where=where,
            seed=seed,
            values={name: value if value is None else value * factor(seed) for name, value in values(where).items()},
        )
        for where in points
        for seed in SEEDS
    ]


def put(
    parts: str | Sequence[str],
    names: str | Sequence[str],
    new: float | New | None,
    when: Callable[[Where], bool] = lambda _: True,
    **at: Any,
) -> Change:
    """Return a function that changes numbers of some runs.

    Parameters
    ----------
    parts, names
        One or several parts of the evidence, and one or several numbers.
    new
        The new number, or a function of the old one and its run.
    when
        Chooses runs by their coordinates.
    at
        Coordinates of the changed runs: for each axis a value, several values, or a condition.

    """

    def run(row: Row) -> Row:
        if not (all(_meets(row.where.get(axis), wanted) for axis, wanted in at.items()) and when(row.where)):
            return row
        made = {name: new(row.values.get(name), row) if callable(new) else new for name in _listed(names)}
        return Run(where=row.where, seed=row.seed, values={**row.values, **made})

    return lambda runs: Runs({**runs.parts, **{part: [run(row) for row in runs.part(part)] for part in _listed(parts)}})


def times(factor: float) -> New:
    """Multiply a number; an undefined number becomes 0."""
    return lambda old, _: 0 if old is None else factor * old


def changed(runs: Runs, changes: Iterable[Change]) -> Runs:
    """Make several changes, one after the other."""
    for change in changes:
        runs = change(runs)
    return runs


def noisy(runs: Runs, *, by: float, seed: int) -> Runs:
    """Multiply each number of each run by a factor of its own; `by` is the standard deviation of its logarithm."""
    draw = np.random.default_rng(seed)

    def noise(value: Any) -> Any:
        return value * draw.lognormal(0, by) if isinstance(value, float) else value

    def run(row: Row) -> Row:
        return Run(where=row.where, seed=row.seed, values={name: noise(value) for name, value in row.values.items()})

    return Runs({part: [run(row) for row in rows] for part, rows in runs.parts.items()})


def _listed(one: str | Sequence[str]) -> Sequence[str]:
    return (one,) if isinstance(one, str) else one


def _meets(value: Any, wanted: Any) -> bool:
    if callable(wanted):
        return bool(wanted(value))
    return value in wanted if isinstance(wanted, tuple | list | range) else bool(value == wanted)
