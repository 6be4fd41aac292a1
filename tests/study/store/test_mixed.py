"""Stores with runs of several revisions, with copied parts, and with missing files: what is shown and reported."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.study.store.made_up import add, arrivals, everything, expected, leave, row, stored, strays

import ackclock as ac
from ackclock.cli import main
from ackclock.study.store import Row, Store
from ackclock.study.store.journal import MAGIC, Reading
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path


def made(number: int, revision: str) -> Row:
    """Make the run of that number as an engine of another revision would."""
    first = row(number, tables={"arrivals": arrivals(number)})
    return replace(first, run_id=f"{revision}{number}", revision=revision, summary={"cov": 5.0})


OLD = [made(number, "ffff0000old") for number in range(6)]
NEW = [made(number, "00001111new") for number in range(4)]


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(str(ended.value.code))


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Return a store whose runs two engines made."""
    folder = tmp_path / "results"
    add(folder, [*OLD, made(9, "ffff0000old")])
    add(folder, NEW[:2])
    leave(folder, NEW[2:])
    return folder


def counts(store: Store) -> dict[str, int]:
    """Count the rows of every table, which SQL and tables must agree on."""
    names = ["runs", "groups", "notices", "scenarios", "origins", "costs", "arrivals"]
    asked = {name: store.sql(f"select count(*) as n from {name}")["n"].to_pylist()[0] for name in names}  # noqa: S608
    assert asked == {name: len(store.table(name).to_arrow()) for name in names}
    return asked


def test_a_store_shows_the_runs_of_the_newest_revision(mixed: Path) -> None:
    with Store.open(mixed) as store:
        assert stored(mixed) == expected(NEW)
        assert counts(store) == {
            "runs": 4, "groups": 4, "notices": 4, "scenarios": 1, "origins": 4, "costs": 4, "arrivals": 12,
        }  # fmt: skip
        assert set(store.table("origins").to_arrow()["revision"].to_pylist()) == {"00001111new"}
        (notice,) = store.notices
        assert "left out: ffff0000old (7 runs). The runs shown are of 00001111new, the newest; the option" in notice
        assert store.intact
        with pytest.warns(UserWarning, match="left out"), pytest.raises(ScenarioError):
            store.plot(x="clients.0.count")  # one point
    assert Store.open(mixed).done() == {each.run_id for each in (*OLD, made(9, "ffff0000old"), *NEW)}


@pytest.mark.parametrize("asked", ["f", "ffff0000old"])
def test_another_revision_is_shown_when_asked(
    mixed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: str
) -> None:
    with ac.open(mixed, revision=asked) as store:
        assert counts(store) == {
            "runs": 7, "groups": 7, "notices": 7, "scenarios": 2, "origins": 7, "costs": 7, "arrivals": 21,
        }  # fmt: skip
        assert "00001111new (4 runs). The runs shown are of ffff0000old, as asked" in store.notices[0]
    query = ["query", mixed, "select count(*) as n from runs", "--json"]
    assert run(*query, "--revision", asked) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == [{"n": 7}]
    assert captured.err.count("Note: ") == 1
    assert run("report", mixed, "--revision", asked, "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text()
    assert "00001111new (4 runs)" in page
    assert f"--revision {asked}" in page


def test_a_revision_that_made_no_run_is_refused(mixed: Path) -> None:
    with pytest.raises(ScenarioError, match="revision: 'abc' is not allowed; must be one of 00001111new, ffff0000old"):
        ac.open(mixed, revision="abc")


def test_store_check_tells_of_other_revisions_and_is_content(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("store", "check", mixed) == 0
    assert "left out: ffff0000old (7 runs)" in capsys.readouterr().out


def test_the_newest_revision_is_the_one_that_came_last(tmp_path: Path) -> None:
    """An older engine may add runs later; merging parts changes nothing."""
    add(tmp_path, OLD[:2])
    add(tmp_path, NEW)
    for each in OLD[2:]:
        add(tmp_path, [each])
    assert stored(tmp_path) == expected(NEW)


def test_a_copied_part_counts_once(tmp_path: Path) -> None:
    rows = [row(number, tables={"arrivals": arrivals(number)}) for number in range(6)]
    add(tmp_path / "whole", rows)
    add(tmp_path / "a", rows[:3])
    add(tmp_path / "b", rows)
    for part in (tmp_path / "b" / "parts").iterdir():
        shutil.copytree(part, tmp_path / "a" / "parts" / part.name)
    for folder in ("a", "b"):
        assert everything(tmp_path / folder) == everything(tmp_path / "whole"), folder
    (notice,) = Store.open(tmp_path / "a").notices
    assert notice == f"{tmp_path / 'a'}: 3 runs stored in two parts, and shown once"
    assert counts(Store.open(tmp_path / "a"))["runs"] == 6
    for number in range(6, 12):
        add(tmp_path / "a", [row(number)])  # until the parts are merged
    assert stored(tmp_path / "a") == expected([*rows, *map(row, range(6, 12))])
    assert Store.open(tmp_path / "a").notices == ()


def test_removed_files_are_noticed_until_their_runs_are_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, rows = tmp_path / "results", [row(number) for number in range(6)]
    add(folder, rows)
    shutil.rmtree(folder / "parts")
    again = f"`ackclock sweep STUDY --store {folder}` makes them again"
    missing = f"{folder}: {{}} missing, since files were damaged or removed; {again}"
    assert Store.open(folder).notices == (missing.format("6 runs are"),)
    assert run("store", "check", folder) == 1
    assert run("query", folder, "from runs") == 0
    assert "6 runs are missing" in capsys.readouterr().err
    add(folder, rows[:5])
    assert Store.open(folder).notices == (missing.format("1 run is"),)
    leave(folder, rows[5:])
    assert Store.open(folder).notices == (missing.format("1 run is"),)  # a journal may have other runs
    add(folder, [])
    assert Store.open(folder).notices == ()


def test_a_record_of_an_earlier_version_is_completed(tmp_path: Path) -> None:
    add(tmp_path, OLD)
    (tmp_path / "store.json").write_text('{"kind": "ackclock store", "format": 1}\n')
    assert Store.open(tmp_path).notices == ()
    add(tmp_path, NEW)
    record = json.loads((tmp_path / "store.json").read_text())
    assert (record["revisions"], record["runs"]) == (["ffff0000old", "00001111new"], 10)


@pytest.mark.parametrize("rows_left", [0, 1, 2])
def test_a_cut_journal_is_noticed(tmp_path: Path, rows_left: int) -> None:
    """It ends with a whole row, as if the others had never been written."""
    folder, rows = tmp_path / "results", [row(number) for number in range(3)]
    leave(folder, rows)
    (journal,) = folder.glob("journal/[!.]*")
    sizes = [len(MAGIC) + sum(16 + len(each) for each in list(Reading(journal))[:count]) for count in range(3)]
    os.truncate(journal, sizes[rows_left])
    assert f"{journal}: it was cut: {rows_left} of its 3 rows are left" in Store.open(folder).notices
    assert stored(folder) == expected(rows[:rows_left])
    assert run("store", "check", folder) == 1
    add(folder, [])
    (aside,) = folder.glob("aside/*")
    assert any(notice.startswith(f"{aside}: this file was damaged") for notice in Store.open(folder).notices)
    assert stored(folder) == expected(rows[:rows_left])
    add(folder, rows)
    assert stored(folder) == expected(rows)


def test_a_removed_journal_is_noticed(tmp_path: Path) -> None:
    folder, rows = tmp_path / "results", [row(number) for number in range(3)]
    leave(folder, rows)
    (journal,) = folder.glob("journal/[!.]*")
    journal.unlink()
    for _ in range(2):
        (notice,) = Store.open(folder).notices
        assert notice.startswith(f"{journal}: it was removed with its 3 rows; `ackclock sweep")
        add(folder, rows)
    (folder / "journal" / f".{journal.name}").unlink()
    assert Store.open(folder).notices == ()
    assert stored(folder) == expected(rows)
    assert strays(folder) == []
