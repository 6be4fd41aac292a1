"""Run a list of scenarios with several seeds each on a pool of threads, in order, with progress.

The engine lets go of Python's lock while it simulates, so threads use every core.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from ackclock.errors import refuse
from ackclock.progress import progress_bar
from ackclock.run import Prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.run import Run
    from ackclock.scenario import Scenario

__all__ = ["Point", "Replication", "run_grid"]

T = TypeVar("T")

_REFRESH = 0.1
"""Seconds between two looks at how far the runs are."""


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

    """

    name: str
    scenario: Scenario
    work: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Replication(Generic[T]):
    """What was taken from the run of one point with one seed."""

    point: Point
    seed: int
    value: T


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
    threads = _threads(jobs)
    seeds, record = list(seeds), tuple(record)
    prepared = [Prepared.of(point.scenario, record) for point in points]
    # Seed by seed, so that the pace at any time tells the time that the rest will take.
    tasks = [(place, seed) for seed in seeds for place in range(len(points))]
    ended: SimpleQueue[tuple[int, T | BaseException]] = SimpleQueue()
    shares: dict[int, float] = {}
    stop = threading.Event()

    def one(task: int) -> None:
        def report(share: float) -> None:
            if stop.is_set():
                raise _StoppedError
            shares[task] = share

        place, seed = tasks[task]
        try:
            ended.put((task, take(prepared[place].run(seed, report))))
        except BaseException as error:  # noqa: BLE001 - raised again where the runs are waited for
            error.add_note(f"in the run of {points[place].name} with seed {seed}")
            ended.put((task, error))

    values: dict[tuple[int, int], T] = {}
    total, worked = len(seeds) * sum(point.work for point in points), 0.0
    pool = ThreadPoolExecutor(max_workers=threads)
    try:
        for task in range(len(tasks)):
            pool.submit(one, task)
        with progress_bar(label, total) as show:
            while len(values) < len(tasks):
                try:
                    task, value = ended.get(timeout=_REFRESH)
                except Empty:
                    pass
                else:
                    if isinstance(value, BaseException):
                        raise value
                    values[tasks[task]] = value
                    shares.pop(task, None)
                    worked += points[tasks[task][0]].work
                in_flight = sum(share * points[tasks[task][0]].work for task, share in shares.copy().items())
                show(worked + in_flight, f"{len(values):,} of {len(tasks):,} runs")
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    return [
        Replication(point=point, seed=seed, value=values[place, seed])
        for place, point in enumerate(points)
        for seed in seeds
    ]


def _threads(jobs: int | None) -> int:
    """Choose how many threads to run: `jobs`, or one for each processor that this process may use."""
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs < 1:
        raise refuse("jobs", jobs, "must be an integer from 1")
    return jobs
