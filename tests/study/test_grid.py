"""Grids of runs in memory: their order, progress, memory limits and failures."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.study.small import scenario

from ackclock.running.run import Prepared
from ackclock.study.grid import Batch, run_grid
from ackclock.study.wanted import Point, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

POINTS = [
    Point(name=f"{count} clients", scenario=scenario().changed({"clients.0.count": count}), work=work)
    for count, work in ((2, 1.0), (3, 4.0))
]


def given(run: Any) -> Any:
    return run


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Replace runs by their clients, seed, memory limit and records."""
    made: list[Any] = []

    def run(self: Prepared, seed: int, report: Callable[[float], None], *, memory: int) -> Any:
        count = self.scenario.clients[0].count
        report(0.5)
        if seed == 13:
            raise ArithmeticError("not today")
        made.append((count, seed, memory, self.record))
        return count, seed

    monkeypatch.setattr(Prepared, "run", run)
    return made


def test_values_are_ordered_by_point_and_seed(runs: list[Any]) -> None:
    """Three threads share the memory."""
    found = run_grid(POINTS, seeds=[7, 5], take=given, record=["arrivals"], jobs=3, memory="300 MB")
    assert [(each.point.name, each.seed, each.value) for each in found] == [
        ("2 clients", 7, (2, 7)),
        ("2 clients", 5, (2, 5)),
        ("3 clients", 7, (3, 7)),
        ("3 clients", 5, (3, 5)),
    ]
    assert sorted(runs) == [(count, seed, 100_000_000, ("arrivals",)) for count in (2, 3) for seed in (5, 7)]


def test_requests_share_runs(runs: list[Any]) -> None:
    batch = Batch()
    first = batch.add(Wanted(points=POINTS, seeds=[1, 2], take=given, record=(), make=len))
    second = batch.add(Wanted(points=POINTS[1:], seeds=[2, 3], take=given, record=(), make=list))
    batch.run(jobs=1)
    assert first() == 4
    assert [each.value for each in second()] == [(3, 2), (3, 3)]
    assert sorted(run[:2] for run in runs) == [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]


def test_progress_counts_the_cost_of_runs(runs: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    @contextmanager
    def bar(*arguments: object, lines: bool) -> Iterator[Callable[..., None]]:
        assert not lines
        shown.append(arguments)
        yield lambda *each: shown.append(each)

    monkeypatch.setattr("ackclock.study.grid.progress_bar", bar)
    run_grid(POINTS, seeds=[1, 2], take=given, jobs=1, label="some")
    assert shown[:2] == [("some", 10.0), (0.0, "0 of 4 runs")]
    assert shown[-1] == (10.0, "4 of 4 runs")
    monkeypatch.setattr("ackclock.study.execute.Threads.under_way", [(0, 0.25), (1, 0.5)])
    run_grid(POINTS, seeds=[1, 2], take=given, jobs=1)
    assert shown[-1] == (10.0 + 0.25 * 1 + 0.5 * 4, "4 of 4 runs")
    assert len(runs) == 8


def test_a_failure_names_its_run(runs: list[Any]) -> None:
    with pytest.raises(ArithmeticError) as caught:
        run_grid(POINTS[1:], seeds=[13], take=given, jobs=1)
    assert caught.value.__notes__ == ["in the run of 3 clients with seed 13"]
    assert runs == []
