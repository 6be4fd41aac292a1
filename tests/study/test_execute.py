"""The executor: tasks in, results out, and a stop at any time."""

from __future__ import annotations

import itertools
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ackclock.study.execute import Report, Threads, execute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def square(task: int, report: Report) -> Callable[[], int]:
    report(0.5)
    if task == 13:
        raise LookupError(str(task))

    def rest() -> int:
        if task == 31:
            raise ArithmeticError(str(task))
        return task * task

    return rest


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_every_task_is_done_once_and_errors_come_back(jobs: int) -> None:
    with Threads(square, jobs) as threads:
        done = dict(execute(iter(range(200)), threads, watch=lambda: True))
    assert isinstance(done.pop(13), LookupError)
    assert isinstance(done.pop(31), ArithmeticError)
    assert done == {task: task * task for task in range(200) if task not in {13, 31}}


def test_tasks_are_asked_for_as_there_is_room() -> None:
    asked = 0

    def tasks() -> Iterator[int]:
        nonlocal asked
        for task in range(100):
            asked += 1
            yield task

    with Threads(square, 2) as threads:
        for number, _ in enumerate(execute(tasks(), threads, watch=lambda: True)):
            assert asked <= number + 1 + threads.room


@pytest.mark.parametrize("jobs", [1, 3])
def test_sixty_four_tasks_are_queued_for_each_thread(jobs: int) -> None:
    assert Threads(square, jobs).room == 64 * jobs


def test_tasks_may_depend_on_what_came_of_others() -> None:
    ended: list[int] = []

    def tasks() -> Iterator[int | None]:
        for stage in range(5):
            yield from (10 * stage + place for place in range(3))
            while len(ended) < 3 * (stage + 1):
                yield None
            assert all(task // 10 <= stage for task in ended)

    with Threads(square, 4) as threads:
        for task, _ in execute(tasks(), threads, watch=lambda: True):
            ended.append(task)
    assert len(ended) == 15


def test_whoever_watches_ends_it_after_what_is_under_way() -> None:
    begun, asked, go_on = threading.Event(), threading.Event(), threading.Event()

    def wait(task: int, report: Report) -> Callable[[], int]:
        report(0)
        begun.set()
        go_on.wait()
        return lambda: task

    def watch() -> bool:
        if asked.is_set():  # tasks that have not begun by then are discarded
            go_on.set()
        if begun.is_set():
            asked.set()
        return not asked.is_set()

    with Threads(wait, 1) as threads:
        done = [task for task, _ in execute(iter(range(100)), threads, watch=watch)]
    assert done == [0]


def test_leaving_stops_what_is_under_way() -> None:
    begun = threading.Event()

    def endless(task: int, report: Report) -> Callable[[], int]:
        while True:
            begun.set()
            report(task)

    with Threads(endless, 2) as threads:
        threads.submit(1)
        begun.wait()
    assert [type(outcome).__name__ for _, outcome in threads.ended(0)] == ["StoppedError"]


def test_a_thread_collects_short_tasks_for_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is made up: each look at it takes 50 ms, so after its first task a thread takes one more."""
    looks = itertools.count()
    monkeypatch.setattr("ackclock.study.execute.time", SimpleNamespace(monotonic=lambda: next(looks) / 20))
    threads = Threads(square, 1)
    for task in range(5):
        threads.submit(task)
    together: list[list[int]] = []
    with threads:
        while sum(len(each) for each in together) < 5:
            together.append([task for task, _ in threads._ended.get(timeout=60)])
    assert together == [[0, 1], [2, 3], [4]]


def test_running_tasks_are_listed_with_their_progress() -> None:
    reported, go_on = threading.Event(), threading.Event()

    def half(task: int, report: Report) -> Callable[[], int]:
        report(0.25)
        report(0.5)
        reported.set()
        go_on.wait(60)
        return lambda: task

    with Threads(half, 1) as threads:
        threads.submit(7)
        threads.submit(8)
        reported.wait(60)
        assert threads.under_way == [(7, 0.5)]
        assert threads.drop() == 1
        go_on.set()
        assert threads.ended(60) == [(7, 7)]
        assert threads.under_way == []
        assert threads.ended(0) == []


class _Made:
    """Workers that end one task at each call, which takes 50 ms of a made-up clock."""

    room = 2

    def __init__(self) -> None:
        self.steps = 0
        self.log: list[Any] = []
        self.queued: list[int] = []

    def clock(self) -> float:
        return self.steps / 20

    def submit(self, task: int) -> None:
        self.log.append(task)
        self.queued.append(task)

    def ended(self, timeout: float) -> list[tuple[int, int]]:
        assert timeout == 0.1
        self.steps += 1
        return [(task, -task) for task in (self.queued.pop(0),)]

    def drop(self) -> int:
        dropped = len(self.queued) - 1
        del self.queued[1:]
        return dropped


def test_progress_is_looked_at_ten_times_a_second_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks are submitted, and one more for each that ends; every second end, 100 ms have passed."""
    workers: Any = _Made()
    monkeypatch.setattr("ackclock.study.execute.time", SimpleNamespace(monotonic=workers.clock))

    def watch() -> bool:
        workers.log.append("look")
        return True

    assert list(execute(iter(range(1, 6)), workers, watch=watch)) == [(task, -task) for task in range(1, 6)]
    assert workers.log == ["look", 1, 2, 3, "look", 4, 5, "look", "look"]


def test_no_task_begins_once_the_watch_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    workers: Any = _Made()
    monkeypatch.setattr("ackclock.study.execute.time", SimpleNamespace(monotonic=workers.clock))
    looks = iter([True, False, False])
    assert list(execute(iter(range(1, 6)), workers, watch=lambda: next(looks))) == [(1, -1), (2, -2), (3, -3)]
    assert workers.log == [1, 2, 3]
    assert list(looks) == []
