"""The order of a study's runs and their statistics, worked out by hand."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.study.small import scenario, study

from ackclock.study.execute import Threads
from ackclock.study.outlook import Outlook
from ackclock.study.replications import Course
from ackclock.study.schedule import Schedule, Tally
from ackclock.study.survey import Survey
from ackclock.study.sweeping import _words, _workers, fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ackclock.running.run import Prepared
    from ackclock.study.making import Job

WORK = 2e12
"""Cost of a flow in the small scenario: 2 s in picoseconds."""


def took(schedule: Schedule, job: Job, value: float | None, failure: str | None = None) -> None:
    schedule.took(job, SimpleNamespace(summary={"cov": value}, failure=failure))  # type: ignore[arg-type]


def taken(schedule: Schedule) -> list[Job]:
    """Take all runs that are due now; the schedule then has none until one ends."""
    jobs: list[Job] = []
    while (job := next(schedule)) is not None:
        jobs.append(job)
    return jobs


def test_fixed_replications() -> None:
    """Two points, of 2 and 4 flows, with 3 seeds; the store has the second seed of the first point: 5 runs are due."""
    survey = Survey.of(study(over={"clients.0.count": [2, 4]}, replications=3))
    assert list(survey.works) == [2 * WORK, 4 * WORK]
    there = {survey.site(0, next(survey.study.places())).job(2).run_id: 0.5}
    schedule = Schedule(survey, there)
    assert (schedule.tally.there, schedule.due) == (1, 5)
    assert schedule.work == 2 * 2 * WORK + 3 * 4 * WORK
    jobs = taken(schedule)
    ids = survey.scenario_ids
    assert [(job.site.scenario_id, job.seed) for job in jobs] == [
        (ids[0], 1), (ids[0], 3), (ids[1], 1), (ids[1], 2), (ids[1], 3),
    ]  # fmt: skip
    assert (schedule.worked, schedule.latest) == (0, None)
    took(schedule, jobs[0], 0.5)
    assert schedule.worked == 2 * WORK
    assert schedule.latest is not None
    assert schedule.latest.values == {2: 0.5, 1: 0.5}
    assert schedule.tally.points == 0
    took(schedule, jobs[1], 0.5)
    took(schedule, jobs[2], 0.5)
    took(schedule, jobs[3], None, "it broke")
    assert (schedule.due, schedule.work) == (5, 16 * WORK)
    assert next(schedule) is None
    took(schedule, jobs[4], 0.5)
    assert schedule.worked == 16 * WORK
    assert schedule.tally == Tally(made=4, there=1, failed=1, points=2, few=1)
    with pytest.raises(StopIteration):
        next(schedule)


def test_replications_until_a_precision_is_reached() -> None:
    """The first stage has 5 runs. Their spread asks for many more, so the second stage doubles them, up to `most`."""
    rule = {"until": "5 %", "measure": "cov", "most": 8}
    schedule = Schedule(Survey.of(study(over={"clients.0.count": [2]}, replications=rule)), {})
    jobs = taken(schedule)
    assert [job.seed for job in jobs] == [1, 2, 3, 4, 5]
    for job, value in zip(jobs, (1, 2, 3, 4, 5), strict=True):
        assert (schedule.due, schedule.work) == (5, 10 * WORK)
        took(schedule, job, value)
    assert (schedule.due, schedule.work, schedule.worked) == (8, 16 * WORK, 10 * WORK)
    assert schedule.tally.points == 0
    jobs = taken(schedule)
    assert [job.seed for job in jobs] == [6, 7, 8]
    for job in jobs:
        took(schedule, job, 3)
    assert schedule.tally == Tally(made=8, points=1)


def test_a_study_that_the_store_has_is_done() -> None:
    survey = Survey.of(study(over={"clients.0.count": [2]}, replications=2))
    site = survey.site(0, next(survey.study.places()))
    schedule = Schedule(survey, {site.job(seed).run_id: 1.0 for seed in (1, 2)})
    with pytest.raises(StopIteration):
        next(schedule)
    assert schedule.tally == Tally(there=2, points=1, few=1)
    assert (schedule.due, schedule.work) == (0, 0)


@pytest.mark.parametrize(
    ("values", "few", "wide"),
    [
        ([1, 1], 1, 0),
        ([1, 1, None], 1, 0),
        ([1, 1, 1, None], 0, 0),
        ([0, 1, 2], 0, 1),  # the half-width is 4.303 / sqrt(3) = 2.48, the mean 1
        ([9, 10, 11], 0, 0),
        ([-9, -10, -11], 0, 0),
        ([0, 0, 0], 0, 0),  # the half-width equals the mean
    ],
)
def test_points_with_too_few_replications(values: list[float | None], few: int, wide: int) -> None:
    tally = Tally()
    tally.close(values)
    assert tally == Tally(points=1, few=few, wide=wide)
    assert len(tally.warnings("cov")) == few + wide


def test_the_outlook_starts_the_first_missing_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is made up: each run takes 3 s. With a warm-up to exclude, runs are made twice."""
    begun: list[tuple[int, int]] = []
    clock = [10.0]

    def run(prepared: Prepared, seed: int, _: Callable[[float], None]) -> None:
        begun.append((prepared.scenario.clients[0].count, seed))
        clock[0] += 3

    monkeypatch.setattr("ackclock.running.run.Prepared.run", run)
    monkeypatch.setattr("ackclock.study.outlook.cpu_time", lambda: clock[0])
    for warmup, factor in ((None, 1), ("mser-5", 2)):
        survey = Survey.of(study(over={"clients.0.count": [2, 4, 8]}, replications=(7, 9), warmup=warmup))
        sites = [survey.site(number, place) for number, place in enumerate(survey.study.places())]
        there = {sites[point].job(seed).run_id: 1.0 for point, seed in ((0, 7), (0, 9), (1, 7))}
        outlook = Outlook.of(survey, there)
        assert begun.pop() == (4, 9)
        assert [runs for _, runs in outlook.points] == [0, 1, 2]
        assert (outlook.runs, outlook.most, outlook.there) == (3, 3, 3)
        # 4 flows take 3 s, so the missing 4 + 8 + 8 flows take 15 s
        assert outlook.cpu_seconds == pytest.approx(15 * factor)
        there |= {site.job(seed).run_id: 1.0 for site in sites for seed in (7, 9)}
        done = Outlook.of(survey, there)
        assert (done.runs, done.there, done.cpu_seconds, begun) == (0, 6, None, [])


def state(*, made: int = 0, failed: int = 0, values: list[float | None] | None = None) -> Any:
    latest = None
    if values is not None:
        latest = Course(range(1, len(values) + 1), dict(enumerate(values, start=1)))
    return SimpleNamespace(tally=Tally(made=made, failed=failed), due=2500, latest=latest)


@pytest.mark.parametrize(
    ("schedule", "seconds", "words"),
    [
        (state(), 0, "0 of 2,500 runs"),
        (state(made=3, failed=2), 4, "5 of 2,500 runs, 1.25/s"),
        (state(made=999), 10, "999 of 2,500 runs, 99.9/s"),
        (state(made=1000), 10, "1,000 of 2,500 runs, 100/s"),
        (state(made=2000), 1.5, "2,000 of 2,500 runs, 1,333/s"),
        (state(made=1, values=[None]), 1, "1 of 2,500 runs, 1/s"),
        (state(made=3, values=[2, None, 2]), 1, "3 of 2,500 runs, 3/s, loss 2 ± 0"),
    ],
)
def test_words_of_progress(schedule: Any, seconds: float, words: str) -> None:
    assert _words(schedule, "loss", seconds) == words


def test_progress_of_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress counts the cost of runs, and begins at 0; the clock stands still."""
    shown: list[Any] = []
    given: list[object] = []

    @contextmanager
    def bar(*arguments: object) -> Iterator[Callable[..., None]]:
        given.extend(arguments)
        yield lambda *each: shown.append(each)

    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("ackclock.study.sweeping.progress_bar", bar)
    monkeypatch.setattr("ackclock.study.sweeping._words", lambda *each: f"{each[1]} {each[2]}")
    monkeypatch.setattr("ackclock.study.sweeping.time", SimpleNamespace(monotonic=lambda: 5.0))
    fill(tmp_path, study(over={"clients.0.count": [2, 4]}), jobs=1)
    assert given == ["sweep", 12 * WORK]
    assert shown[0] == (0, "cov 0.0", 12 * WORK)
    assert shown[-1] == (12 * WORK, "cov 0.0", 12 * WORK)


def test_progress_includes_running_simulations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[float] = []

    @contextmanager
    def bar(*_: object) -> Iterator[Callable[..., None]]:
        yield lambda done, *_: shown.append(done)

    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("ackclock.study.sweeping._words", lambda *_: "")
    monkeypatch.setattr("ackclock.study.sweeping.progress_bar", bar)
    monkeypatch.setattr(Threads, "under_way", [(SimpleNamespace(site=SimpleNamespace(work=4.0)), 0.25)] * 2)
    fill(tmp_path, study(over={"clients.0.count": [2]}), jobs=1)
    assert (shown[0], shown[-1]) == (2.0, 4 * WORK + 2.0)


def test_threads_share_the_memory() -> None:
    workers: Any = _workers("threads", None, 3, "300 MB")
    assert len(workers._threads) == 3
    assert workers._work.keywords == {"memory": 100_000_000}


def test_the_scenario_is_the_only_point_of_a_plain_study() -> None:
    survey = Survey.of(study(scenario=scenario(duration="7 s"), over=None))
    assert list(survey.works) == [3 * 7e12]
