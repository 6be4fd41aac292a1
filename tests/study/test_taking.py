"""Numbers of the user's own in a sweep: columns of the table of runs, made again if the function changes."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.study.small import scenario

import ackclock as ac
from ackclock.study.taking import Taking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

SHARE = 0.5


def half(value: float) -> float:
    return SHARE * value


def peak(run: ac.Run) -> dict[str, Any]:
    """Take numbers from the summary, from a group and from a table."""
    queue = run.table("queue")["packets"].to_pylist()
    return {
        "peak_queue": max(queue),
        "half_goodput": half(run.summary.goodput_bps),
        "of_numpy": np.float32(0.25),
        "nothing": None,
    }


def made(text: str) -> Callable[[ac.Run], Mapping[str, Any]]:
    """Make a function from a text, as a notebook does."""
    name = f"<cell {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    around: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), around)  # noqa: S102
    function: Callable[[ac.Run], Mapping[str, Any]] = around["take"]
    return function


def swept(folder: Path, take: Any, **design: Any) -> ac.Store:
    return ac.sweep(
        scenario(), store=folder, take=take, over={"clients.0.count": [2, 3]}, replications=3, jobs=2, **design
    )


def test_the_numbers_are_columns_of_the_runs(tmp_path: Path) -> None:
    with swept(tmp_path, peak, record=["queue/50ms"]) as store:
        rows = store.runs.to_pylist()
        means = store.sql('select "clients.0.count" as n, avg(peak_queue) as peak from runs group by n').to_pylist()
    assert len(rows) == 6
    assert len(means) == 2
    for row in rows:
        point = scenario().changed({"clients.0.count": row["clients.0.count"]})
        alone = peak(ac.simulate(point, seed=row["seed"], record=["queue/50ms"]))
        assert {name: row[name] for name in alone} == alone


def test_a_changed_function_is_another_measure(tmp_path: Path) -> None:
    """Sweep with a function, with the same one again, and with another one.

    Validates: the runs are made again only if the function has changed, and none shows the numbers of the earlier one.
    Source: the rule for laws in Python, `ackclock.laws.source`.
    Tolerance: exact.
    """
    one, two = (made(f"def take(run):\n    return {{'mine': {number}}}\n") for number in (1, 2))
    with swept(tmp_path, one) as store:
        first = store.runs.to_pylist()
    with swept(tmp_path, made("def take(run):\n    return {'mine': 1}\n")) as store:
        assert store.runs.to_pylist() == first
    with swept(tmp_path, two) as store:
        again = [row for row in store.runs.to_pylist() if row["mine"] == 2]
    assert len(again) == 6
    assert {row["run_id"] for row in again}.isdisjoint(row["run_id"] for row in first)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("return {'mine': float('inf')}", "take: ValueError: take returns mine = inf; must be a finite number or None"),
        ("return {'cov': 1}", "take: ValueError: take returns the name 'cov'; must not be one of the columns"),
        ("return {'a b': 1}", "take: ValueError: take returns the name 'a b'; must be a word such as peak_queue"),
        ("return 5", "take: ValueError: take returns 5; must be a dictionary of numbers by name"),
        ("return {'mine': 'x'}", "take: ValueError: take returns mine = 'x'; must be a finite number or None"),
        ("return {'mine': 1 / 0}", "take: ZeroDivisionError: division by zero"),
    ],
)
def test_a_function_that_fails_is_the_failure_of_its_run(tmp_path: Path, text: str, words: str) -> None:
    with pytest.warns(UserWarning, match="fewer than 3 values of cov"):
        store = swept(tmp_path, made(f"def take(run):\n    {text}\n"))
    assert store.runs.num_rows == 0
    failures = store.table("failures")["failure"].to_pylist()
    assert len(failures) == 6
    assert all(failure.startswith(words) for failure in failures), failures


def test_a_function_needs_a_known_source() -> None:
    shared: list[int] = []

    def keeps(run: ac.Run) -> dict[str, float]:
        shared.append(run.seed)
        return {"seen": len(shared)}

    for wrong, words in [
        (5, "take: 5 is not allowed; must be a function of a run that returns numbers by name"),
        (lambda run: {"seed": run.seed}, "must have a known source: "),
        (keeps, "must have a known source: .*shared"),
    ]:
        with pytest.raises(ac.ScenarioError, match=words):
            Taking.of(wrong)
    assert Taking.of(peak).sha256 == Taking.of(peak).sha256 != Taking.of(half).sha256
