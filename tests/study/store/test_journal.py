"""Journals: complete rows are read, a truncated tail is dropped, damage is reported."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.study.store.made_up import arrivals, leave, row

from ackclock.study.store import Store
from ackclock.study.store.journal import MAGIC, Journal, Reading, is_left
from ackclock.study.store.row import Entry, Row, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def written(rows: Sequence[bytes]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal")
        for each in rows:
            journal.append(each)
        journal.close()
        assert journal.size == journal.path.stat().st_size
        return journal.path.read_bytes()


@pytest.fixture
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "journal"


def read(content: bytes) -> tuple[list[bytes], str | None]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        path.write_bytes(content)
        reading = Reading(path)
        return list(reading), reading.damage


ROWS = st.lists(st.binary(max_size=200), max_size=8)


@given(ROWS)
def test_what_is_written_comes_back(rows: list[bytes]) -> None:
    assert read(written(rows)) == (rows, None)


@given(st.lists(st.binary(max_size=40), max_size=4))
def test_a_journal_cut_at_any_byte_gives_the_rows_before_and_is_not_damaged(rows: list[bytes]) -> None:
    content = written(rows)
    ends = [len(MAGIC) + sum(16 + len(each) for each in rows[:count]) for count in range(len(rows) + 1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        path.write_bytes(content)
        for cut in reversed(range(len(content) + 1)):
            os.truncate(path, cut)
            reading = Reading(path)
            whole = sum(end <= cut for end in ends[1:])
            assert (list(reading), reading.damage) == (rows[:whole], None), cut


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=4), st.data())
def test_a_changed_byte_is_reported_and_changes_no_row(rows: list[bytes], data: st.DataObject) -> None:
    content = bytearray(written(rows))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    back, damage = read(bytes(content))
    assert damage is not None
    rest = iter(rows)
    assert all(each in rest for each in back)  # in order, none made up
    assert len(back) >= len(rows) - 1 or "nothing after it" in damage or "not a journal" in damage


@given(st.binary(min_size=len(MAGIC), max_size=60))
def test_another_file_is_no_journal(content: bytes) -> None:
    assume(not content.startswith(MAGIC))
    assert read(content) == ([], "it is not a journal")


def test_a_row_that_cannot_be_written_whole_is_not_there(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up within a row: the rest of the journal, before and after, is intact."""
    journal = Journal(scratch)
    journal.append(b"first")
    real = os.write
    room = [10]

    def write(file: int, content: bytes) -> int:
        if room[0] == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = real(file, content[: room[0]])
        room[0] -= count
        return count

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="No space left") as caught:
        journal.append(b"second")
    assert caught.value.filename == str(scratch)
    monkeypatch.undo()
    journal.append(b"third")
    journal.close()
    reading = Reading(scratch)
    assert list(reading) == [b"first", b"third"]
    assert reading.damage is None


def test_a_journal_is_left_once_it_is_closed(scratch: Path) -> None:
    journal = Journal(scratch)
    assert not is_left(scratch)
    journal.close()
    assert is_left(scratch)


NUMBERS = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
NAMES = st.text(min_size=1, max_size=8)


@given(
    point=st.dictionaries(NAMES, NUMBERS | st.text() | st.booleans(), max_size=4),
    summary=st.dictionaries(NAMES, NUMBERS, max_size=6),
    seed=st.integers(0, 2**64 - 1),
    notices=st.lists(st.text(), max_size=3),
    failure=st.none() | st.text(),
)
def test_a_row_comes_back_from_its_bytes(seed: int, failure: str | None, **fields: Any) -> None:
    fields |= {"links": [{"link": "hop", "loss": 0.5}], "tables": {"arrivals": arrivals(3), "drops": arrivals(4, 0)}}
    given_row = row(3, seed=seed, failure=failure, **fields)
    entry = Entry.read(encode(given_row, with_scenario=True))
    body, tables = entry.body(), {name: stream.read_all() for name, stream in entry.tables().items()}
    assert (entry.run_id, entry.failed) == (given_row.run_id, failure is not None)
    assert body.keys() | {"tables"} == set(Row.__dataclass_fields__)
    assert all(body[name] == getattr(given_row, name) for name in body.keys() - {"notices"})
    assert body["notices"] == list(given_row.notices)
    assert tables == given_row.tables


@pytest.mark.parametrize(
    ("field", "value"),
    [("cpu_seconds", 2**70), ("schema", 2**40), ("seed", -1), ("summary", {"cov": "high"}), ("notices", [1])],
)
def test_a_row_that_no_store_would_write_is_damage(tmp_path: Path, field: str, value: object) -> None:
    """Its checksum is right, but a table with it could not be read again."""
    leave(tmp_path, [row(1), row(2, **{field: value}), row(3)])
    (journal,) = tmp_path.glob("journal/[!.]*")
    with Store.open(tmp_path) as store:
        assert store.runs.to_arrow().num_rows == 2
        assert f"{journal}: its row 2 is not that of a run" in store.notices
    with Store.open(tmp_path, create=True) as store:
        assert store.runs.to_arrow().num_rows == 2
    assert (tmp_path / "aside" / f"journal-{journal.name}").exists()
