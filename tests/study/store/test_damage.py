"""Flipped bits, in every kind of file of a store and of a capture: each is reported, or changes nothing."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from tests.study.small import study
from tests.study.store.made_up import add, arrivals, everything, leave, row

from ackclock.cli import main
from ackclock.study.store import Store
from ackclock.study.store.tables import KEPT, LOST
from ackclock.study.sweeping import fill
from ackclock.values.errors import DamagedError

if TYPE_CHECKING:
    from pathlib import Path

CASES = 150
"""Two of three in a store, the others in a capture."""


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(str(ended.value.code))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def flip(file: Path, bit: int) -> None:
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)


def flipped(folder: Path, copy: Path, choice: random.Random, case: int) -> Path:
    """Copy a folder, and flip a bit of one of its files, each in its turn."""
    shutil.copytree(folder, copy)
    there = files(copy)
    file = there[case % len(there)]
    flip(file, choice.randrange(8 * file.stat().st_size))
    return file


def as_it_was_before(folder: Path) -> None:
    """Turn the parts of a store into those of the version before, which had no checksums."""
    for path in folder.glob("parts/*/part.json"):
        record = json.loads(path.read_text())
        before = {"tables": list(record["tables"]), "lost": record["lost"], "replaces": record["replaces"]}
        path.write_text(json.dumps(before) + "\n")
        table = pq.read_table(path.with_name("runs.parquet"))
        kept = table.drop_columns([KEPT, LOST, "revision", "schema"])
        pq.write_table(kept, path.with_name("runs.parquet"), compression="zstd", write_page_checksum=True)
        failures = path.with_name("failures.parquet")
        pq.write_table(pq.read_table(failures).drop_columns(["revision", "schema"]), failures)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a part of all tables, and with a journal that nobody writes any more."""
    path = tmp_path_factory.mktemp("stores") / "results"
    failed = row(9, failure="it broke", summary={}, groups=(), notices=())
    add(path, [*(row(number, tables={"arrivals": arrivals(number)}) for number in range(6)), failed])
    leave(path, [row(6), row(7, tables={"arrivals": arrivals(7)})])
    assert len({file.suffix for file in files(path)}) == 3
    return path


@pytest.fixture(scope="module")
def capture(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("captures") / "lan"
    assert run("capture", root / "tests" / "data" / "captures" / "ethernet.pcap", "--bin", "1 s", "--out", path) == 0
    return path


def test_a_flipped_bit_in_a_store_is_reported(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    choice = random.Random(4)  # noqa: S311 - places, not secrets
    whole = everything(store)
    for case in range(CASES * 2 // 3):
        copy = tmp_path / str(case)
        file = flipped(store, copy, choice, case)
        if case < len(files(store)):  # a query is slow: one for each file
            assert answer(shutil.copytree(copy, tmp_path / f"{case}-asked")) in {None, whole}, file
        capsys.readouterr()
        code = run("store", "check", copy)
        shown = capsys.readouterr()
        if code == 0:
            assert everything(copy) == whole, file
            continue
        assert code == 1
        assert "Traceback" not in shown.err
        lines = [line for line in (shown.out + shown.err).splitlines() if line.startswith(str(copy))]
        assert any(str(file) in line or str(file.parent) in line for line in lines), (file, shown)


def answer(folder: Path) -> str | None:
    """Return the complete answer of a query, unless it reports that something is missing."""
    try:
        whole = everything(folder)
        with Store.open(folder) as opened:
            opened.sql("from arrivals")
            return None if opened.notices else whole
    except DamagedError:
        return None


def test_a_flipped_bit_in_a_store_of_the_version_before_never_ends_in_a_traceback(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = random.Random(5)  # noqa: S311
    before = shutil.copytree(store, tmp_path / "before")
    as_it_was_before(before)
    assert run("store", "check", before) == 0
    assert "no checksums: an earlier version wrote it" in capsys.readouterr().out
    for case in range(40):
        flipped(before, tmp_path / str(case), choice, case)
        if case % 5 == 0:
            assert run("query", tmp_path / str(case), "from runs, arrivals") in {0, 1}
        assert run("store", "check", tmp_path / str(case)) in {0, 1}


def test_a_store_of_the_version_before_gets_checksums_as_it_is_compacted(store: Path, tmp_path: Path) -> None:
    whole, before = (shutil.copytree(store, tmp_path / name) for name in ("whole", "before"))
    for copy in (whole, before):
        shutil.rmtree(copy / "journal")  # its rows have a revision
    as_it_was_before(before)
    assert everything(before) == everything(whole)
    unknown = Store.open(before).sql("select count(*) as n from origins where revision is null and schema is null")
    assert unknown["n"].to_pylist() == [6]
    for number in range(20, 24):
        add(before, [row(number)])
    assert {each.state for each in Store.open(before).check()} == {"sound"}


def test_a_flipped_bit_in_a_capture_is_reported(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = random.Random(6)  # noqa: S311
    assert run("store", "check", capture) == 0
    query = "select count(*) as n, sum(bytes) as b, sum(f.packets) as p from packets, flows f"
    for case in range(CASES - CASES * 2 // 3):
        copy = tmp_path / str(case)
        file = flipped(capture, copy, choice, case)
        capsys.readouterr()
        assert run("store", "check", copy) == 1, file
        error = capsys.readouterr().err
        assert error.startswith(f"{file}: is damaged: ")
        assert error.count("\n") == 1
        assert "` makes it again" in error
        if file.name in {"packets.parquet", "flows.parquet", "record.json"}:
            assert run("query", copy, query) == 1
            assert capsys.readouterr().err == error
        if file.name == "arrivals.parquet":
            assert run("burstiness", copy, "--column", "packets") == 1
            assert capsys.readouterr().err == error


def test_a_record_is_looked_at_when_a_query_names_it(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "store")
    whole = Store.open(copy).sql("select run_id, cov from runs").to_pylist()
    (file,) = copy.glob("parts/*/arrivals.parquet")
    flip(file, 4000)
    with Store.open(copy) as opened:
        assert opened.sql("select run_id, cov from runs").to_pylist() == whole
        assert not list(opened.notices)
        for query in ("from arrivals", "from ARRIVALS", "from query('from arri' || 'vals')"):
            assert opened.sql(f"select count(*) as n from ({query})").to_pylist() == [{"n": 3}]  # noqa: S608
            assert [each.partition(": ")[0] for each in opened.notices] == [str(file), str(file.parent)]
    assert file.exists()  # a query moves nothing
    for journal in copy.glob("journal/[!.]*"):
        journal.unlink()
    with pytest.raises(DamagedError, match=f"^{copy}: is damaged: no rows of arrivals are left; `ackclock sweep STUDY"):
        Store.open(copy).sql("from arrivals")


def test_a_capture_may_have_any_name(capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "select count(*) as n, min(protocol) as p from packets"
    assert run("query", capture, query, "--json") == 0
    whole = capsys.readouterr().out
    for name in ("a1", "protocol=9", "a[1]", "a*"):
        shutil.copytree(capture, tmp_path / name)
        assert run("query", tmp_path / name, query, "--json") == 0
        assert capsys.readouterr().out == whole, name


def test_a_sweep_makes_exactly_the_missing_rows_again(tmp_path: Path) -> None:
    """Runs of another study in the same part asked for no arrivals: they have lost nothing."""
    with_arrivals, without = study(record=["arrivals"]), study(replications=[7, 8])
    fill(tmp_path / "store", with_arrivals)
    fill(tmp_path / "store", without)
    for _ in range(3):
        fill(tmp_path / "store", study(replications=[9]))  # four parts become one
    whole = everything(tmp_path / "store")
    for file in tmp_path.glob("store/parts/*/arrivals.parquet"):
        flip(file, 4000)
    assert counts(fill(tmp_path / "store", without)) == (0, 12)
    tally = fill(tmp_path / "store", with_arrivals)
    assert counts(tally) == (12, 0)
    assert all("rows of arrivals are missing" not in note for note in tally.notices)
    assert everything(tmp_path / "store") == whole
    assert counts(fill(tmp_path / "store", with_arrivals)) == (0, 12)
    assert Store.open(tmp_path / "store").notices == ()


def counts(tally: Any) -> tuple[int, int]:
    return tally.made, tally.there


def test_a_part_that_is_lost_is_named_until_it_is_deleted(tmp_path: Path) -> None:
    fill(tmp_path / "store", study())
    whole = everything(tmp_path / "store")
    (file,) = tmp_path.glob("store/parts/*/runs.parquet")
    flip(file, 4000)
    notices = Store.open(tmp_path / "store").notices
    assert any(f"{file.parent}: runs.parquet: its content has changed" in note for note in notices)
    assert file.exists()  # a reader moves nothing
    aside = tmp_path / "store" / "aside" / f"parts-{file.parent.name}"
    for made in (12, 0):
        tally = fill(tmp_path / "store", study())
        assert counts(tally) == (made, 12 - made)
        assert any(note.startswith(f"{aside}: this file was damaged") for note in tally.notices)
    (aside,) = tmp_path.glob("store/aside/parts-*")
    shutil.rmtree(aside)
    assert Store.open(tmp_path / "store").notices == ()
    assert everything(tmp_path / "store") == whole
