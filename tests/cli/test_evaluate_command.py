"""``ackclock evaluate`` prints verdicts, and writes its page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ackclock.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *words])
    return int(ended.value.code or 0)


def test_prints_a_line_for_each_experiment_and_writes_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "card.html"
    words = ["vegas", "--fast", "--seeds", "3", "--only", "extremes", "--out", str(page)]
    assert run(*words) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("vegas passes 0 of 1 experiments, fails 1, beside cubic in its place.\n")
    assert "extremes" in shown
    written = page.read_text()
    assert "ackclock evaluate vegas --seeds 3 --only extremes --fast" in written
    assert run(*words) == 0
    assert page.read_text() == written
    page.write_text("mine")
    assert run(*words) == 2
    assert "must be a new file, or an earlier page of an evaluation" in capsys.readouterr().err
    assert page.read_text() == "mine"


def test_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run("examples/reno.py:Reno", "--against", "reno", "--fast", "--seeds", "3", "--only", "extremes", "--json") == 0
    )
    card = json.loads(capsys.readouterr().out)
    assert (card["name"], card["against"]) == ("Reno", "reno")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nolaw"], "law: 'nolaw' is not allowed; must be one of"),
        (["cubic", "--seeds", "many"], "--seeds: 'many' is not allowed; must be an integer"),
        (["cubic", "--out", "card.png"], "--out: 'card.png' is not allowed; must end in .html: a report is a page"),
        (["cubic", "--only", "self"], "only: 'self' is not allowed; did you mean 'itself'? must be one of alone"),
    ],
)
def test_bad_input(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == 2
    assert message in capsys.readouterr().err
