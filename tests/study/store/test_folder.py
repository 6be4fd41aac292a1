"""Contents of a store's folder: older or newer stores, other files, damage, and read-only folders."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest
from tests.study.store.made_up import add, arrivals, expected, leave, row, stored, strays

import ackclock as ac
from ackclock.study.store import Store, parts
from ackclock.study.store.folder import FORMAT
from ackclock.study.store.journal import MAGIC
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = [row(number, tables={"arrivals": arrivals(number)}) for number in range(6)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a store with a part, and with a journal that nobody writes any more."""
    add(tmp_path / "results", ROWS[:4])
    leave(tmp_path / "results", ROWS[4:])
    return tmp_path / "results"


def the(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (str, "there is no such folder"),
        (lambda path: path.mkdir(), "it contains no store.json"),
        (lambda path: path.write_text("x"), "it is not a folder"),
    ],
    ids=["nothing", "empty", "file"],
)
def test_what_is_no_store_is_not_opened(tmp_path: Path, make: Callable[[Path], object], why: str) -> None:
    make(tmp_path / "results")
    with pytest.raises(ScenarioError, match=why):
        Store.open(tmp_path / "results")


def test_a_store_is_not_made_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ScenarioError, match="must be a new or empty folder"):
        Store.open(tmp_path, create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("left", [[], ["lock"], ["lock", ".store.json"]])
def test_a_store_that_was_partly_created_is_completed(tmp_path: Path, left: list[str]) -> None:
    for name in left:
        (tmp_path / name).touch()
    add(tmp_path, ROWS)
    assert stored(tmp_path) == expected(ROWS)
    assert not (tmp_path / ".store.json").exists()


def test_a_newer_store_is_refused_and_not_touched(folder: Path) -> None:
    (folder / "store.json").write_text(json.dumps({"kind": "ackclock store", "format": FORMAT + 1}))
    before = sorted(folder.rglob("*"))
    for create in (False, True):
        with pytest.raises(ScenarioError, match=f"a newer version of Ackclock made it, in format {FORMAT + 1}"):
            Store.open(folder, create=create)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"kind": "box", "format": 1}', '{"kind": "ackclock store"}'])
def test_a_record_that_is_none_is_refused(folder: Path, content: str) -> None:
    (folder / "store.json").write_text(content)
    with pytest.raises(ScenarioError, match="store.json"):
        Store.open(folder)


def test_foreign_files_are_named_and_set_aside(folder: Path) -> None:
    foreign = ["notes.txt", "journal/notes.txt", "parts/notes.txt", "parts/folder/data.parquet"]
    (folder / "parts" / "folder").mkdir()
    for name in foreign:
        (folder / name).write_text(f"I am {name}, and I am important.")
    assert len(Store.open(folder).notices) == 4
    assert not (folder / "aside").exists()  # a reader moves nothing
    notices = "\n".join(Store.open(folder, create=True).notices)
    for name in ("notes.txt", "journal/notes.txt", "parts/notes.txt", "parts/folder"):
        assert f"{folder / name}: " in notices
    aside = [path.read_text() for path in (folder / "aside").rglob("*") if path.is_file()]
    assert sorted(aside) == sorted(f"I am {name}, and I am important." for name in foreign)
    assert stored(folder) == expected(ROWS)
    assert Store.open(folder).notices == ()


def test_two_foreign_files_of_one_name_are_both_kept(folder: Path) -> None:
    for content in ("first", "second"):
        (folder / "notes.txt").write_text(content)
        add(folder, [])
    assert sorted(path.read_text() for path in (folder / "aside").iterdir()) == ["first", "second"]


@pytest.mark.parametrize("name", ["runs", "part"])
def test_a_part_whose_runs_cannot_be_read_is_set_aside(folder: Path, name: str) -> None:
    file = the(folder, f"parts/*/{name}.*")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    store = Store.open(folder)
    ignored, missing = store.notices
    assert file.parent.name in ignored
    assert "is ignored" in ignored
    assert "4 runs are missing" in missing
    assert file.read_bytes() == whole[: len(whole) // 2]
    assert stored(folder) == expected(ROWS[4:])
    assert store.done() == {each.run_id for each in ROWS[4:]}  # the next sweep makes the others again
    add(folder, ROWS)
    assert the(folder, f"aside/*/{file.name}").read_bytes() == whole[: len(whole) // 2]
    assert stored(folder) == expected(ROWS)


@pytest.mark.parametrize("name", ["arrivals", "groups", "scenarios", "notices"])
def test_a_damaged_table_is_set_aside_and_its_runs_stay(folder: Path, name: str) -> None:
    file = the(folder, f"parts/*/{name}.parquet")
    file.write_bytes(file.read_bytes()[:-1])
    first = Store.open(folder, create=True)
    assert any(f"{file}: " in notice and "aside" in notice for notice in first.notices)
    assert the(folder, f"aside/*{name}.parquet").is_file()
    for number in range(6, 12):
        add(folder, [ROWS[4], row(number)])
        store = Store.open(folder)  # reported while rows are missing, also after a merge
        assert any(f"rows of {name} are missing for 4 runs" in notice for notice in store.notices)
        assert ROWS[0].run_id not in store.done()
    assert stored(folder) == expected([*ROWS, *map(row, range(6, 12))])


@pytest.mark.parametrize("name", ["arrivals", "groups", "scenarios", "notices"])
def test_rows_that_damage_took_are_made_again(folder: Path, name: str) -> None:
    """Two of four runs come first, while the others wait in a part, in a journal, and in merged parts."""
    add(folder, [])
    whole = contents(folder)
    for file in folder.glob(f"parts/*/{name}.parquet"):
        file.write_bytes(file.read_bytes()[:-1])
    assert contents(folder) != whole
    missing = {each.run_id for each in ROWS} - Store.open(folder).done()
    again = [each for each in ROWS if each.run_id in missing]
    assert again
    leave(folder, again[:2])
    assert stored(folder) == expected(ROWS)
    assert {each.run_id for each in ROWS} - Store.open(folder).done() == missing - {each.run_id for each in again[:2]}
    add(folder, [])
    add(folder, again[2:])
    add(folder, [])
    assert contents(folder) == whole
    assert Store.open(folder).notices == ()
    assert Store.open(folder).done() == {each.run_id for each in ROWS}


def contents(folder: Path) -> dict[str, list[Any]]:
    """Return the rows of every table."""
    with Store.open(folder) as store:
        names = ["arrivals", "groups", "notices", "runs", "scenarios"]
        there = store.sql("show tables")["name"].to_pylist()
        return {name: store.sql(f"from {name} order by all").to_pylist() for name in names if name in there}


def test_a_damaged_journal_is_read_as_far_as_it_goes_and_kept(folder: Path) -> None:
    journal = the(folder, "journal/[!.]*")
    content = bytearray(journal.read_bytes())
    content[-1] ^= 1
    journal.write_bytes(content)
    store = Store.open(folder)
    assert store.sql("select count(*) n from runs").to_pylist() == [{"n": 5}]
    assert any(f"{journal}: the row at byte" in notice for notice in store.notices)
    writer = Store.open(folder, create=True)
    assert any("is damaged; it was moved to" in notice for notice in writer.notices)
    assert the(folder, "aside/*").read_bytes() == bytes(content)
    assert stored(folder) == expected(ROWS[:5])


def test_a_journal_cut_short_is_nothing_to_talk_about(folder: Path) -> None:
    """The writer was killed within a row, which it had not counted yet."""
    journal = the(folder, "journal/[!.]*")
    journal.write_bytes(journal.read_bytes() + journal.read_bytes()[len(MAGIC) : -1])
    add(folder, ROWS)
    assert Store.open(folder, create=True).notices == ()
    assert stored(folder) == expected(ROWS)
    assert strays(folder) == []


def test_a_store_that_cannot_be_written_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may be allowed to write anywhere, so the system's answer is made up."""
    (folder / "notes.txt").touch()
    refuse_writing(monkeypatch)
    store = Store.open(folder)
    assert store.sql("select count(*) n from runs").to_pylist() == [{"n": 6}]
    assert store.notices == (f"{folder / 'notes.txt'}: it does not belong to a store; it is ignored",)
    with pytest.raises(ScenarioError, match="Read-only file system; must be a folder that can be written"):
        Store.open(folder, create=True)
    with pytest.raises(OSError, match="Read-only file system"):
        store.add(row(7))


def refuse_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def opened(path: Any, flags: int, *rest: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", opened)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_read(folder: Path) -> None:
    for path in (folder, folder / "parts", folder / "journal"):
        path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    (folder / "lock").chmod(stat.S_IRUSR)
    try:
        assert stored(folder) == expected(ROWS)
        with pytest.raises(ScenarioError, match="must be a folder that can be written"):
            Store.open(folder, create=True)
    finally:
        for path in (folder, folder / "parts", folder / "journal"):
            path.chmod(stat.S_IRWXU)


FULL = """
import resource, signal, sys
from pathlib import Path
from ackclock.cli import main
from ackclock.study.store import Store
from tests.study.store.made_up import row

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
store = Store.open(Path(sys.argv[1]), create=True)
number = 0
try:
    while True:
        store.add(row(number))
        number += 1
finally:
    print(number, flush=True)
"""


def test_rows_that_were_taken_outlast_a_full_disk(tmp_path: Path, root: Path) -> None:
    """A limit on file sizes simulates a full disk: writing fails within a row."""
    ran = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path / "store"], cwd=root, capture_output=True, text=True, check=False
    )
    assert "File too large" in ran.stderr
    taken = int(ran.stdout)
    assert taken > 20
    assert stored(tmp_path / "store") == expected(row(number) for number in range(taken))
    add(tmp_path / "store", [row(taken)])
    assert stored(tmp_path / "store") == expected(row(number) for number in range(taken + 1))


def test_a_disk_that_is_full_when_a_part_is_written_loses_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        patch.setattr(parts, "_reach_the_disk", full)
        with pytest.raises(ScenarioError, match="No space left on device"):
            Store.open(folder, create=True)
    assert stored(folder) == expected(ROWS)
    assert not list((folder / "parts").glob(".*"))
    add(folder, [])
    assert stored(folder) == expected(ROWS)
    assert strays(folder) == []


def test_a_reader_does_not_wait_for_another_one(folder: Path) -> None:
    lock = os.open(folder / "lock", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    try:
        assert stored(folder) == expected(ROWS)
    finally:
        os.close(lock)


NAMES = ["with'quote", 'with"quotes', "star*[1]?{a,b}", "a space", "ümläut", "-dash", "back\\slash*", "~"]
HIVE = ["seed=5", "cov=0.5", "clients.0.count=3"]
LIKE_OTHERS = ["a[1]", "?1", "**"]
PROTOCOLS = ["http:", "file:", "runs.csv.gz"]


@pytest.mark.parametrize("name", [*NAMES, *HIVE, *LIKE_OTHERS, *PROTOCOLS])
def test_a_store_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Nothing is guessed from it: neither columns nor patterns, a home directory, a protocol or a compression."""
    monkeypatch.chdir(tmp_path)
    folder = Path(name) / "below"
    add(folder, ROWS[:3])
    shutil.copytree(tmp_path / name, tmp_path / "a1")  # what a pattern would find as well
    assert stored(folder) == expected(ROWS[:3])
    with Store.open(folder) as store:
        assert store.done() == {each.run_id for each in ROWS[:3]}
        assert store.sql('select seed, "clients.0.count" as count from runs').to_pylist() == [
            {"seed": seed, "count": 1} for seed in (1, 2, 3)
        ]
        assert store.sql("from arrivals").column_names == ["run_id", "link", "bin", "count"]
    add(folder, ROWS)
    assert stored(folder) == expected(ROWS)


def test_a_point_must_not_hide_a_number(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store, pytest.raises(ScenarioError, match="point: 'cov'"):
        store.add(row(1, point={"cov": 3}))


def test_a_store_opens_by_its_short_name(folder: Path) -> None:
    runs = ac.open(str(folder)).runs
    assert runs.to_polars().height == runs.to_pandas().shape[0] == runs.to_arrow().num_rows == 6
    assert runs.to_polars()["clients.0.count"].to_list() == [1] * 5 + [2]
    assert "6 rows" in repr(runs)


def test_a_table_is_an_arrow_table(folder: Path) -> None:
    """Use a table of a store as `Run.table` gives it."""
    runs = ac.open(str(folder)).runs
    arrow = runs.to_arrow()
    assert (runs.num_rows, len(runs), runs.column_names) == (6, 6, arrow.column_names)
    assert runs["seed"].to_pylist() == runs.to_pydict()["seed"] == [row["seed"] for row in runs.to_pylist()]
    assert pa.table(runs) == arrow == pl.DataFrame(runs).to_arrow().cast(arrow.schema)
    assert runs == arrow
    assert runs == pickle.loads(pickle.dumps(runs))  # noqa: S301
    assert "column_names" in dir(runs)
    with pytest.raises(AttributeError, match="covv"):
        runs.covv  # noqa: B018
