"""Units and tables of a run's numbers, and the progress bar."""

from __future__ import annotations

import io
from dataclasses import MISSING, fields
from types import SimpleNamespace
from typing import Any

import pytest
import rich.progress

from ackclock.engine.catalogue import catalogue
from ackclock.running.progress import progress_bar
from ackclock.running.summary import (
    LINK_MEASURES,
    MEASURES,
    UNITS,
    Groups,
    GroupSummary,
    Links,
    LinkSummary,
    Summary,
    links_of_run,
)

FACTORS = {"s": 1, "": 1, "packets": 1, "flows": 1, "%": 100, "ms": 1000, "Mbps": 1e-6}
"""Factor from the unit of the summary (1, seconds, bit/s) to each display unit."""


def test_the_unit_of_a_measure_determines_its_factor() -> None:
    for measure, (unit, factor) in UNITS.items():
        assert factor == FACTORS[unit], measure
    assert set(MEASURES) - set(UNITS) == {"timeouts_per_dup_ack", "jain_between"}
    assert set(UNITS) <= set(MEASURES)


@pytest.mark.parametrize(
    ("level", "summary", "own"),
    [("run", Summary, ["groups", "links"]), ("group", GroupSummary, ["name"]), ("link", LinkSummary, ["name"])],
)
def test_summaries_have_the_declared_measures(level: str, summary: Any, own: list[str]) -> None:
    """They have a default exactly if results of earlier versions lack them."""
    declared = catalogue().measures_of(level)
    found = {field.name: field.default for field in fields(summary) if field.name not in own}
    assert list(found) == list(declared)
    for name, default in found.items():
        assert default == declared[name].later.get(level, MISSING), name


@pytest.mark.parametrize("count", [1, 2])
def test_a_summary_lists_links_if_there_are_several(count: int) -> None:
    numbers: Any = {measure: place for place, measure in enumerate(MEASURES)}
    found = links_of_run("first", numbers, [{"name": "second", "loss": 0.5}])
    assert found == [
        {"name": "first"} | {measure: MEASURES.index(measure) for measure in LINK_MEASURES},
        {"name": "second", "loss": 0.5},
    ]
    link: Any = {measure: place for place, measure in enumerate(LINK_MEASURES)}
    links = [{"name": f"l{number}", **link} for number in range(count)]
    summary = Summary(**numbers, groups=Groups(), links=Links(LinkSummary(**each) for each in links))
    assert summary.to_dict() == {**numbers, "groups": []} | ({"links": links} if count > 1 else {})
    assert summary.links["l0"] is summary.links[0]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[rich.progress.Progress] = []

    class Progress(rich.progress.Progress):
        def __init__(self, *columns: Any, **options: Any) -> None:
            super().__init__(*columns, **options)
            made.append(self)

    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(rich.progress, "Progress", Progress)
    with progress_bar("sweep", 8) as show:
        (bar,) = made
        (task,) = bar.tasks
        assert (task.description, task.completed, task.total, task.fields) == ("sweep", 0, 8, {"words": ""})
        show(2, "two done")
        assert (task.completed, task.total, task.fields) == (2, 8, {"words": "two done"})
        show(3, "three done", 9)
        assert (task.completed, task.total, task.fields) == (3, 9, {"words": "three done"})
    assert (bar.live.transient, bar.console.stderr) == (True, True)
    assert "three done" in terminal.getvalue()


def test_no_progress_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: False))
    with progress_bar("sweep", 8) as show:
        assert (show(2, "two done"), show(3, "three done", 9)) == (None, None)


def test_lines_of_progress_are_at_most_one_for_each_twentieth(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("vegas", 400, lines=True) as show:
        for done in (0, 1, 19.9, 20, 21, 61, 400):
            show(done, f"{done} done")
    assert capsys.readouterr().err.splitlines() == [
        "vegas: 0%, 0 done",
        "vegas: 5%, 20 done",
        "vegas: 15%, 61 done",
        "vegas: 100%, 400 done",
    ]
    with progress_bar("nothing", 0, lines=True) as show:
        show(0, "0 of 0 runs")
    assert capsys.readouterr().err == "nothing: 0%, 0 of 0 runs\n"
