"""The one way to make many runs: tasks go to workers a few at a time, and what comes of them comes back as it is ready.

Workers are threads of this process, since the engine lets go of Python's lock while it simulates, or those of a Ray
cluster (`ackclock.study.ray`). Who does a task, and in which order tasks end, never shows in what comes of it.
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

from ackclock.running.processors import threads

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Report", "StoppedError", "Threads", "Workers", "execute"]

T = TypeVar("T")
R = TypeVar("R")
Report = Callable[[float], None]
"""What a task calls with the share of itself that is done; it raises if nobody waits for the task any more."""

_REFRESH = 0.1
"""Seconds between two looks at how far the runs are."""

_TOGETHER = 0.1
"""Seconds for which a thread goes on with tasks before it sees to what came of them."""

_WAITING = 64
"""Tasks for each thread: as many as it does together, if they take a millisecond or two."""


class Workers(Protocol[T, R]):
    """Those who do tasks."""

    @property
    def room(self) -> int:
        """How many tasks they take at once: those under way, and some that wait, so that nobody idles."""

    @property
    def under_way(self) -> list[tuple[T, float]]:
        """The tasks under way that have told how far they are, from 0 to 1."""

    def submit(self, task: T) -> None:
        """Give them a task."""

    def ended(self, timeout: float) -> list[tuple[T, R | BaseException]]:
        """Wait until a task has ended, but no longer than so many seconds; give all that have, or what they raised."""

    def drop(self) -> int:
        """Forget the tasks that nobody has begun, and tell how many they are."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *why: object) -> None:
        """Stop what is under way and send them home."""


def execute(
    tasks: Iterator[T | None],
    workers: Workers[T, R],
    *,
    watch: Callable[[], bool],
) -> Iterator[tuple[T, R | BaseException]]:
    """Do tasks, and give what comes of them in the order in which they end.

    Memory holds the tasks under way, however many there are in all.

    Parameters
    ----------
    tasks
        What is to be done, asked for one by one when somebody can take it. None says that nothing is to be done before
        something else has ended.
    workers
        Who does it.
    watch
        Called now and then, and at the end. When it says so, no further task begins: what is under way is finished.

    Yields
    ------
    tuple
        A task, and what came of it or what it raised.

    """
    under_way, more, look = 0, True, -math.inf
    while True:
        if time.monotonic() >= look:
            look = time.monotonic() + _REFRESH
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
    """Ends a run that nobody waits for any more."""


class Threads(Generic[T, R]):
    """Threads of this process.

    Parameters
    ----------
    work
        What is done with a task, called in one of the threads. What comes back is called there too, and gives what came
        of the task: that waits until some short tasks are done, as it costs less in a row than between simulations,
        which leave nothing of it in the processor's caches.
    jobs
        How many threads; by default one for each processor that this process may use.

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
        """Some wait for each thread, so that none of them idles while others are taken in."""
        return _WAITING * len(self._threads)

    @property
    def under_way(self) -> list[tuple[T, float]]:
        """The tasks under way that have told how far they are, from 0 to 1."""
        return list(self._shares.copy().values())

    def submit(self, task: T) -> None:
        """Give a task to the next thread that is free."""
        self._tasks.put(task)

    def ended(self, timeout: float) -> list[tuple[T, R | BaseException]]:
        """Wait for a thread."""
        try:
            first = self._ended.get(timeout=timeout)
        except Empty:
            return []
        return list(itertools.chain(first, *_all_of(self._ended)))

    def drop(self) -> int:
        """Forget what no thread has begun."""
        return len(_all_of(self._tasks))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *why: object) -> None:
        """End the runs under way, and the threads."""
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
                    if following is None:  # it is for another thread, or for later
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
        except BaseException as error:  # noqa: BLE001 - told where the task is waited for
            return error


def _outcome(rest: Callable[[], R] | BaseException) -> R | BaseException:
    if isinstance(rest, BaseException):
        return rest
    try:
        return rest()
    except BaseException as error:  # noqa: BLE001 - likewise
        return error


def _all_of(queue: SimpleQueue[T]) -> list[T]:
    """Take what is in a queue."""
    taken = []
    with suppress(Empty):
        while True:
            taken.append(queue.get_nowait())
    return taken
