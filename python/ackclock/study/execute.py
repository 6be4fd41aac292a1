"""Executes all runs: passes tasks to workers a few at a time, and yields results as they are ready.

Workers are threads of this process, since the engine releases Python's lock while it simulates, or workers of a Ray
cluster (`ackclock.study.ray`). Results do not depend on the workers or on the order in which tasks end.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from ackclock.engine.processors import threads

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Report", "StoppedError", "Threads", "Workers", "execute"]

T = TypeVar("T")
R = TypeVar("R")
Report = Callable[[float], None]
"""Called by a task with its fraction done; raises `StoppedError` if the task's result is no longer needed."""

_REFRESH = 0.1
"""Seconds between two updates of the progress."""

_TOGETHER = 0.1
"""Seconds for which a thread runs simulations before it post-processes their results."""

_WAITING = 64
"""Number of tasks queued per thread: about as many as a thread processes in one batch if each takes a millisecond or
two."""


class Workers(Protocol[T, R]):
    """Executors of tasks."""

    @property
    def room(self) -> int:
        """Maximum number of running and queued tasks; a few are queued so that no worker idles."""

    @property
    def under_way(self) -> list[tuple[T, float]]:
        """The running tasks that report progress, with their fraction done."""

    def submit(self, task: T) -> None:
        """Submit a task."""

    def ended(self, timeout: float) -> list[tuple[T, R | BaseException]]:
        """Wait at most `timeout` seconds for a task to end; return all ended tasks with their results or exceptions."""

    def drop(self) -> int:
        """Drop the tasks that have not begun, and return their number."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *why: object) -> None:
        """Stop the running tasks and the workers."""


def execute(
    tasks: Iterator[T | None],
    workers: Workers[T, R],
    *,
    watch: Callable[[], bool],
) -> Iterator[tuple[T, R | BaseException]]:
    """Run tasks, and yield their results in the order in which they end.

    Memory holds only the running tasks, whatever the total number of tasks.

    Parameters
    ----------
    tasks
        The tasks, requested one by one when a worker is free. None means that the next task is unknown until a running
        task ends.
    workers
        The executors.
    watch
        Called periodically and at the end. If it returns false, no further task begins, and running tasks are finished.

    Yields
    ------
    tuple
        A task, and its result or exception.
    """
    under_way, more, next_refresh = 0, True, -math.inf
    while True:
        if time.monotonic() >= next_refresh:
            next_refresh = time.monotonic() + _REFRESH
            if not watch() and more:
                more = False
                under_way -= workers.drop()
        while more and under_way < workers.room:
            try:
                task = next(tasks)
            except StopIteration:
                more = False
                break
            if task is None:
                break
            workers.submit(task)
            under_way += 1
        if not under_way:
            watch()
            return
        for task, outcome in workers.ended(_REFRESH):
            under_way -= 1
            yield task, outcome


class StoppedError(Exception):
    """Raised in a run to end it, because its result is no longer needed."""


class Threads(Generic[T, R]):
    """Threads of this process.

    Parameters
    ----------
    work
        Runs a task in one of the threads, and returns a function that post-processes it in the same thread. The results
        of several short tasks are post-processed together. This is cheaper than post-processing between simulations,
        because a simulation replaces the contents of the processor's caches.
    jobs
        Number of threads (default: one per CPU that this process may use).
    """

    def __init__(self, work: Callable[[T, Report], Callable[[], R]], jobs: int | None = None) -> None:
        self._work = work
        self._tasks: SimpleQueue[T | None] = SimpleQueue()
        self._ended: SimpleQueue[list[tuple[T, R | BaseException]]] = SimpleQueue()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._serve, args=(place,)) for place in range(threads(jobs))]
        self._shares: dict[int, tuple[T, float]] = {}

    @property
    def room(self) -> int:
        """Maximum number of running and queued tasks: enough that no thread idles while results are collected."""
        return _WAITING * len(self._threads)

    @property
    def under_way(self) -> list[tuple[T, float]]:
        """The running tasks that report progress, with their fraction done."""
        return list(self._shares.copy().values())

    def submit(self, task: T) -> None:
        """Submit a task to the next free thread."""
        self._tasks.put(task)

    def ended(self, timeout: float) -> list[tuple[T, R | BaseException]]:
        """Wait at most `timeout` seconds for a task to end; return all ended tasks with their results or exceptions."""
        try:
            first = self._ended.get(timeout=timeout)
        except Empty:
            return []
        return list(itertools.chain(first, *_all_of(self._ended)))

    def drop(self) -> int:
        """Drop the tasks that no thread has begun."""
        return len(_all_of(self._tasks))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *why: object) -> None:
        """End the running tasks and the threads."""
        self._stop.set()
        self.drop()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self, place: int) -> None:
        while (task := self._tasks.get()) is not None:
            end = time.monotonic() + _TOGETHER
            begun = [(task, self._begin(place, task))]
            while time.monotonic() < end and not self._tasks.empty():
                with suppress(Empty):
                    following = self._tasks.get_nowait()
                    if following is None:  # the signal to stop: returned to the queue for the outer loop
                        self._tasks.put(None)
                        break
                    begun.append((following, self._begin(place, following)))
            self._shares.pop(place, None)
            self._ended.put([(task, _outcome(rest)) for task, rest in begun])

    def _begin(self, place: int, task: T) -> Callable[[], R] | BaseException:
        def report(share: float) -> None:
            if self._stop.is_set():
                raise StoppedError
            self._shares[place] = task, share

        try:
            return self._work(task, report)
        except BaseException as error:  # noqa: BLE001 - raised by the caller that waits for the task
            return error


def _outcome(rest: Callable[[], R] | BaseException) -> R | BaseException:
    if isinstance(rest, BaseException):
        return rest
    try:
        return rest()
    except BaseException as error:  # noqa: BLE001 - raised by the caller that waits for the task
        return error


def _all_of(queue: SimpleQueue[T]) -> list[T]:
    """Return everything in a queue."""
    taken = []
    with suppress(Empty):
        while True:
            taken.append(queue.get_nowait())
    return taken
