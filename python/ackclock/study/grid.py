"""Runs scenarios with several seeds each, and returns their results in memory, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ackclock.engine.processors import memory_bound, threads
from ackclock.running.progress import progress_bar
from ackclock.running.run import Prepared
from ackclock.study.execute import Threads, execute
from ackclock.study.wanted import Replication, Task, Wanted, tasks_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study.execute import Report
    from ackclock.study.wanted import Point

__all__ = ["Batch", "observe", "run_grid"]

T = TypeVar("T")
R = TypeVar("R")


def run_grid(
    points: Sequence[Point],
    *,
    seeds: Iterable[int],
    take: Callable[[Run], T],
    record: Iterable[str] = (),
    jobs: int | None = None,
    memory: str | None = None,
    label: str = "runs",
) -> list[Replication[T]]:
    """Run every point with every seed, and return the value that `take` computes from each run.

    Parameters
    ----------
    points
        The scenarios.
    seeds
        The seeds to run each scenario with.
    take
        Called with each run, in the thread that made it. Only the returned value stays in memory; the run is released.
    record
        Tables to record in every run, as for `ackclock.simulate`.
    jobs
        Number of threads (default: one per CPU that this process may use). Does not affect results.
    memory
        Memory limit of all parallel runs together (default: half of the machine's memory).
    label
        Text in front of the progress bar.

    Returns
    -------
    list of Replication
        Ordered by point, and by seed within a point.

    Raises
    ------
    ScenarioError
        A scenario, a seed or a record request is not allowed. Scenarios and record requests are checked before the
        first run.
    KeyboardInterrupt
        On Ctrl-C, after the running simulations were stopped.
    Exception
        The first failure of a run, with a note that names the point and the seed. All other runs are stopped.

    """
    wish = Wanted(points=points, seeds=list(seeds), take=take, record=tuple(record), make=list[Replication[T]])
    return observe(wish, jobs=jobs, memory=memory, label=label)


class Batch:
    """Collects requests for runs and makes each run once, even if several requests need it."""

    def __init__(self) -> None:
        self._wanted: list[Wanted[Any, Any]] = []
        self._made: list[Any] = []

    def add(self, wanted: Wanted[T, R]) -> Callable[[], R]:
        """Add a request for runs. The returned function returns the request's result after `run`."""
        place = len(self._wanted)
        self._wanted.append(wanted)
        return lambda: self._made[place]

    def run(
        self, *, jobs: int | None = None, memory: str | None = None, label: str = "runs", lines: bool = False
    ) -> None:
        """Make all runs.

        Parameters
        ----------
        jobs, memory, label
            As for `run_grid`.
        lines
            Whether to write lines of progress if there is no terminal.

        Raises
        ------
        ScenarioError, KeyboardInterrupt, Exception
            As raised by `run_grid`.

        """
        self._made = _run(self._wanted, jobs=jobs, memory=memory, label=label, lines=lines)


def observe(wanted: Wanted[T, R], *, jobs: int | None = None, memory: str | None = None, label: str = "runs") -> R:
    """Make the runs of a single request and return its result."""
    batch = Batch()
    made = batch.add(wanted)
    batch.run(jobs=jobs, memory=memory, label=label)
    return made()


def _run(
    wanted: Sequence[Wanted[Any, Any]], *, jobs: int | None, memory: str | None, label: str, lines: bool
) -> list[Any]:
    share = memory_bound(memory) // threads(jobs)
    tasks = tasks_for(wanted)
    prepared = _prepare(tasks)
    values: dict[tuple[int, int], Any] = {}
    done, worked, total = 0, 0.0, sum(task.point.work for task in tasks)

    def work(number: int, report: Report) -> Callable[[], list[Any]]:
        task = tasks[number]
        run = prepared[number].run(task.seed, report, memory=share)
        return lambda: [take(run) for _, _, take in task.takers]

    with Threads(work, jobs) as workers, progress_bar(label, total, lines=lines) as show:

        def watch() -> bool:
            in_flight = sum(share * tasks[number].point.work for number, share in workers.under_way)
            show(worked + in_flight, f"{done:,} of {len(tasks):,} runs")
            return True

        for number, taken in execute(iter(range(len(tasks))), workers, watch=watch):
            task = tasks[number]
            if isinstance(taken, BaseException):
                taken.add_note(f"in the run of {task.point.name} with seed {task.seed}")
                raise taken
            values |= {taker[:2]: value for taker, value in zip(task.takers, taken, strict=True)}
            done += 1
            worked += task.point.work
    return [wish.make(_replications(wish, number, values)) for number, wish in enumerate(wanted)]


def _prepare(tasks: Sequence[Task]) -> list[Prepared]:
    """Prepare the scenario of each task; tasks with the same scenario and records share one prepared scenario."""
    known: dict[tuple[Scenario, tuple[str, ...]], Prepared] = {}
    prepared = []
    for task in tasks:
        key = task.point.scenario, task.record
        if key not in known:
            known[key] = Prepared.of(*key)
        prepared.append(known[key])
    return prepared


def _replications(wish: Wanted[T, R], number: int, values: Mapping[tuple[int, int], T]) -> list[Replication[T]]:
    """Return the values of one request, ordered by point and seed."""
    places = [(point, seed) for point in wish.points for seed in wish.seeds]
    return [
        Replication(point=point, seed=seed, value=values[number, place]) for place, (point, seed) in enumerate(places)
    ]
