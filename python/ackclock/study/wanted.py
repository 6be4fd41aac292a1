"""Collects requests for runs and deduplicates them: requests with the same scenario and seed share one run."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ackclock.running.records import kind_of
from ackclock.running.run import whole_scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.running.run import Run
    from ackclock.scenario import Scenario

__all__ = ["Point", "Replication", "Scalar", "Task", "Wanted", "tasks_for"]

Scalar = bool | int | float | str
"""A value of a swept field."""
T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """One place of a grid.

    Parameters
    ----------
    name
        What people call it; named when a run of it fails.
    scenario
        What is simulated there.
    work
        Its cost relative to the other points, for an honest estimate of the remaining time.
    coordinates
        Of a point of a `Study`: the value of each swept field, by its path.

    """

    name: str
    scenario: Scenario
    work: float = 1.0
    coordinates: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Replication(Generic[T]):
    """What was taken from the run of one point with one seed."""

    point: Point
    seed: int
    value: T


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted(Generic[T, R_co]):
    """Runs that somebody wants, and what is to become of them; `ackclock.study.Batch` makes them.

    Parameters
    ----------
    points
        The scenarios.
    seeds
        The seeds that each of them is run with.
    take
        Called in the thread that made the run; the run itself is released afterwards, so that memory holds
        only what is taken. The run may hold more tables than were asked for.
    record
        The records that every run makes, as for `ackclock.simulate`.
    make
        What becomes of all that was taken, in the order of the points and, within a point, of the seeds.

    """

    points: Sequence[Point]
    seeds: Sequence[int]
    take: Callable[[Run], T]
    record: Sequence[str] = ()
    make: Callable[[list[Replication[T]]], R_co]


@dataclass(kw_only=True, slots=True)
class Task:
    """One run.

    Parameters
    ----------
    point, seed
        What is run.
    record
        The records that it makes.
    takers
        Everybody whom it serves: the number among those who want something, the number of what was taken there, and
        the function that takes it.

    """

    point: Point
    seed: int
    record: tuple[str, ...]
    takers: list[tuple[int, int, Callable[[Run], Any]]] = field(default_factory=list)


def tasks_for(wanted: Sequence[Wanted[Any, Any]]) -> list[Task]:
    """Find the runs that serve everybody.

    Two who want the same scenario with the same seed share a run unless they ask differently for records of one kind:
    what is recorded never changes what a run does.

    Returns
    -------
    list of Task
        The first seed of everybody before the second, so that the pace at any time tells the time that the rest takes.

    Raises
    ------
    ScenarioError
        If a point has no scenario, but something else.

    """
    alike: dict[tuple[Scenario, int], list[Task]] = defaultdict(list)
    ranked: list[tuple[int, Task]] = []
    for one, wish in enumerate(wanted):
        for place, point in enumerate(wish.points):
            scenario = whole_scenario(point.scenario)
            for rank, seed in enumerate(wish.seeds):
                known = alike[scenario, seed]
                task = next((task for task in known if _agree(task.record, wish.record)), None)
                if task is None:
                    task = Task(point=point, seed=seed, record=tuple(wish.record))
                    known.append(task)
                    ranked.append((rank, task))
                task.record += tuple(request for request in wish.record if request not in task.record)
                task.takers.append((one, place * len(wish.seeds) + rank, wish.take))
    return [task for _, task in sorted(ranked, key=lambda entry: entry[0])]


def _agree(some: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether what both ask for can be recorded at once: a run has one table of each kind."""
    return all(one == other or kind_of(one) != kind_of(other) for one in some for other in others)
