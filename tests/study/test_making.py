"""Rows of single runs: their fields, CPU time, memory limit and excluded warm-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.study.small import study

from ackclock.running.run import Outcome, Prepared
from ackclock.scenario import SCHEMA
from ackclock.study.making import begin, make
from ackclock.study.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.study.making import Job


def job(**design: object) -> Job:
    survey = Survey.of(study(over={"clients.0.count": [2]}, **design))
    return survey.site(0, next(survey.study.places())).job(5)


def outcome(cov: float, *, warmup: float | None = None, links: int = 1) -> Outcome:
    return Outcome(
        summary={"cov": cov},
        groups=[{"name": "clients-0"}],
        links=[{"name": f"l{number}"} for number in range(links)],
        notices=("It is made up.",),
        warmup=warmup,
        tables={},
        captures=(),
    )


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Replace simulations by a list of outcomes; their arguments are recorded, and each takes 1 s of CPU time."""
    outcomes: list[Any] = []
    asked: list[Any] = [outcomes]

    def simulate(
        self: Prepared, seed: int, progress: Callable[[float], None] | None = None, *, memory: int
    ) -> Callable[[], Outcome]:
        asked.append((self.scenario.measure.from_, seed, progress, memory))
        following = outcomes.pop(0)
        if isinstance(following, BaseException):
            raise following
        return lambda: following

    monkeypatch.setattr(Prepared, "simulate", simulate)
    monkeypatch.setattr("ackclock.study.making.cpu_time", lambda: 10.0 + len(asked))
    return asked


def report(share: float) -> None:
    del share


def test_a_row_has_the_results_of_its_run(simulated: list[Any]) -> None:
    simulated[0].append(outcome(0.5))
    made = job()
    row = begin(made, report, memory=77)()
    assert simulated[1:] == [("0 s", 5, report, 77)]
    assert (row.run_id, row.scenario_id, row.seed) == (made.run_id, made.site.scenario_id, 5)
    assert (row.scenario, row.revision, row.schema) == (made.site.scenario, made.site.revision, SCHEMA)
    assert (row.point, row.cpu_seconds, row.failure) == ({"clients.0.count": 2}, 1.0, None)
    assert (row.summary, row.groups) == ({"cov": 0.5, "warmup": None}, [{"name": "clients-0"}])
    assert (row.links, row.notices, row.tables) == ((), ("It is made up.",), {})


@pytest.mark.parametrize("links", [1, 2, 3])
def test_links_are_stored_if_there_are_several(simulated: list[Any], links: int) -> None:
    simulated[0].append(outcome(0.5, links=links))
    assert len(begin(job(), memory=1)().links) == (links if links > 1 else 0)


def test_a_run_that_fails_has_a_row_with_the_reason(simulated: list[Any]) -> None:
    simulated[0].append(ArithmeticError("not today"))
    row = begin(job(), memory=1)()
    assert (row.failure, row.cpu_seconds, row.summary) == ("ArithmeticError: not today", 1.0, {})


def test_a_warmup_is_excluded_by_a_second_run(simulated: list[Any]) -> None:
    simulated[0].extend([outcome(0.5, warmup=1.25), outcome(0.75)])
    row = begin(job(warmup="mser-5"), report, memory=77)()
    assert simulated[1:] == [("0 s", 5, report, 77), ("1250 ms", 5, report, 77)]
    assert (row.summary, row.cpu_seconds) == ({"cov": 0.75, "warmup": 1.25}, 2.0)
    assert row.notices == ("It is made up.",)


def test_a_run_without_a_warmup_is_not_repeated(simulated: list[Any]) -> None:
    simulated[0].append(outcome(0.5))
    row = begin(job(warmup="mser-5"), report, memory=77)()
    assert simulated[1:] == [("0 s", 5, report, 77)]
    assert row.summary == {"cov": 0.5, "warmup": None}
    assert row.notices == ("It is made up.", "No warm-up was excluded, because none was found.")


def test_a_worker_gives_a_run_the_share_of_one_cpu(simulated: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackclock.study.making.threads", lambda jobs: 3 if jobs is None else 1)
    simulated[0].append(outcome(0.5))
    assert make(job(), memory="300 MB").summary["cov"] == 0.5
    assert simulated[1:] == [("0 s", 5, None, 100_000_000)]
