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
    """A scenario to run with several seeds, such as one point of a study.

    Parameters
    ----------
    name
        Name of the point in error messages.
    scenario
        The scenario to simulate.
    work
        Cost of a run relative to other points, for the estimate of the remaining time.
    coordinates
        Value of each swept field, by its path; empty if the point is not from a `Study`.

    """

    name: str
    scenario: Scenario
    work: float = 1.0
    coordinates: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Replication(Generic[T]):
    """The value that `take` computed from the run of one point with one seed."""

    point: Point
    seed: int
    value: T


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted(Generic[T, R_co]):
    """A request for runs, with the functions that compute its result; `ackclock.study.Batch` makes the runs.

    Parameters
    ----------
    points
        The scenarios.
    seeds
        The seeds to run each scenario with.
    take
        Called with each run, in the thread that made it. Only the returned value stays in memory; the run is released.
        The run may have more tables than this request asks for.
    record
        Tables to record in every run, as for `ackclock.simulate`.
    make
        Computes the result of the request from all values of `take`, ordered by point, and by seed within a point.

    """

    points: Sequence[Point]
    seeds: Sequence[int]
    take: Callable[[Run], T]
    record: Sequence[str] = ()
    make: Callable[[list[Replication[T]]], R_co]


@dataclass(kw_only=True, slots=True)
class Task:
    """One run, which may serve several requests.

    Parameters
    ----------
    point, seed
        The point and the seed to run.
    record
        The tables to record.
    takers
        One entry per request that the run serves: index of the request, index of the value in the request's results,
        and the request's `take`.

    """

    point: Point
    seed: int
    record: tuple[str, ...]
    takers: list[tuple[int, int, Callable[[Run], Any]]] = field(default_factory=list)


def tasks_for(wanted: Sequence[Wanted[Any, Any]]) -> list[Task]:
    """Combine requests into a list of runs that serves all requests.

    Requests for the same scenario and seed share a run, since records do not change the behaviour of a run. They need
    separate runs only if they request different records of the same kind.

    Returns
    -------
    list of Task
        Runs with the first seed of each request come first, then runs with its second seed, and so on. All points
        therefore progress together, and the time of the remaining runs can be extrapolated.

    Raises
    ------
    ScenarioError
        The scenario of a point is not a `Scenario`.

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
    """Return whether one run can make both sets of records. A run has only one table of each kind."""
    return all(one == other or kind_of(one) != kind_of(other) for one in some for other in others)
