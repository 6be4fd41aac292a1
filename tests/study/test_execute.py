"""The executor: tasks in, results out, and a stop at any time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

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
