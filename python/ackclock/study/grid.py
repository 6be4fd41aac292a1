"""Run scenarios with several seeds each on a pool of threads, in order, with progress.

The engine lets go of Python's lock while it simulates, so threads use every core.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from ackclock.errors import refuse
from ackclock.progress import progress_bar
from ackclock.run import Prepared
from ackclock.study.wanted import Replication, Task, Wanted, tasks_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study.wanted import Point

__all__ = ["Batch", "observe", "run_grid"]

T = TypeVar("T")
R = TypeVar("R")

_REFRESH = 0.1
"""Seconds between two looks at how far the runs are."""


class _StoppedError(Exception):
    """Ends a run that nobody waits for any more."""


def run_grid(
    points: Sequence[Point],
    *,
    seeds: Iterable[int],
    take: Callable[[Run], T],
    record: Iterable[str] = (),
    jobs: int | None = None,
    label: str = "runs",
) -> list[Replication[T]]:
    """Run every point with every seed and keep what `take` makes of each run.

    Parameters
    ----------
    points
        The scenarios.
    seeds
        The seeds that each of them is run with.
    take
        Called in the thread that made the run; the run itself is let go afterwards, so that memory holds
        only what is taken.
    record
        The records that every run makes, as for `ackclock.simulate`.
    jobs
        How many threads; by default one for each processor that this process may use. It never changes a
        result.
    label
        What the progress line calls the work.

    Returns
    -------
    list of Replication
        In the order of the points and, within a point, of the seeds.

    Raises
    ------
    ScenarioError
        If a scenario, a seed or a record request is not allowed: before the first run for all but the seeds.
    KeyboardInterrupt
        On Ctrl-C, after the runs in flight were stopped.
    Exception
        The first failure of a run, with a note that names the point and the seed; the rest is stopped.

    """
    wish = Wanted(points=points, seeds=list(seeds), take=take, record=tuple(record), make=list[Replication[T]])
    return observe(wish, jobs=jobs, label=label)


class Batch:
    """Runs that are made together, each only once, however many want it."""

    def __init__(self) -> None:
        self._wanted: list[Wanted[Any, Any]] = []
        self._made: list[Any] = []

    def add(self, wanted: Wanted[T, R]) -> Callable[[], R]:
        """Want some runs; what comes back gives what was made of them once the batch has run."""
        place = len(self._wanted)
        self._wanted.append(wanted)
        return lambda: self._made[place]

    def run(self, *, jobs: int | None = None, label: str = "runs") -> None:
        """Make all runs.

        Parameters
        ----------
        jobs, label
            As for `run_grid`.

        Raises
        ------
        ScenarioError, KeyboardInterrupt, Exception
            As `run_grid`.

        """
        self._made = _run(self._wanted, jobs=jobs, label=label)


def observe(wanted: Wanted[T, R], *, jobs: int | None = None, label: str = "runs") -> R:
    """Make the runs that one wants, as `Batch` makes those of many."""
    batch = Batch()
    made = batch.add(wanted)
    batch.run(jobs=jobs, label=label)
    return made()


def _run(wanted: Sequence[Wanted[Any, Any]], *, jobs: int | None, label: str) -> list[Any]:
    threads = _threads(jobs)
    tasks = tasks_for(wanted)
    prepared = _prepare(tasks)
    ended: SimpleQueue[tuple[int, list[Any] | BaseException]] = SimpleQueue()
    shares: dict[int, float] = {}
    stop = threading.Event()

    def one(number: int) -> None:
        def report(share: float) -> None:
            if stop.is_set():
                raise _StoppedError
            shares[number] = share

        task = tasks[number]
        try:
            run = prepared[number].run(task.seed, report)
            ended.put((number, [take(run) for _, _, take in task.takers]))
        except BaseException as error:  # noqa: BLE001 - raised again where the runs are waited for
            error.add_note(f"in the run of {task.point.name} with seed {task.seed}")
            ended.put((number, error))

    values: dict[tuple[int, int], Any] = {}
    done, worked, total = 0, 0.0, sum(task.point.work for task in tasks)
    pool = ThreadPoolExecutor(max_workers=threads)
    try:
        for number in range(len(tasks)):
            pool.submit(one, number)
        with progress_bar(label, total) as show:
            while done < len(tasks):
                try:
                    number, taken = ended.get(timeout=_REFRESH)
                except Empty:
                    pass
                else:
                    if isinstance(taken, BaseException):
                        raise taken
                    values |= {taker[:2]: value for taker, value in zip(tasks[number].takers, taken, strict=True)}
                    shares.pop(number, None)
                    done += 1
                    worked += tasks[number].point.work
                in_flight = sum(share * tasks[number].point.work for number, share in shares.copy().items())
                show(worked + in_flight, f"{done:,} of {len(tasks):,} runs")
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    return [wish.make(_replications(wish, number, values)) for number, wish in enumerate(wanted)]


def _prepare(tasks: Sequence[Task]) -> list[Prepared]:
    """Make the scenario of each task ready, once for all its seeds."""
    known: dict[tuple[Scenario, tuple[str, ...]], Prepared] = {}
    prepared = []
    for task in tasks:
        key = task.point.scenario, task.record
        if key not in known:
            known[key] = Prepared.of(*key)
        prepared.append(known[key])
    return prepared


def _replications(wish: Wanted[T, R], number: int, values: Mapping[tuple[int, int], T]) -> list[Replication[T]]:
    """Put what was taken for one wish into its order."""
    places = [(point, seed) for point in wish.points for seed in wish.seeds]
    return [
        Replication(point=point, seed=seed, value=values[number, place]) for place, (point, seed) in enumerate(places)
    ]


def _threads(jobs: int | None) -> int:
    """Choose how many threads to run: `jobs`, or one for each processor that this process may use."""
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs < 1:
        raise refuse("jobs", jobs, "must be an integer from 1")
    return jobs
