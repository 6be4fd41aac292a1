"""Parts of a store: which ones are merged, and how their rows are read and written, in small cases."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from tests.study.store.made_up import add, leave, row

from ackclock.study.store import Store, parts
from ackclock.study.store.parts import Part, made, to_merge
from ackclock.study.store.tables import KEPT, LOST


def sizes(journal: int, *found: int, files: int = 3) -> list[int]:
    given: Any = [SimpleNamespace(size=size, files=files) for size in found]
    return [part.size for part in to_merge(given, journal)]


class TestChoice:
    """A journal counts a fifth of its size, and 20 kB more; three parts of at most four times this size are merged."""

    @pytest.mark.parametrize(("journal", "limit"), [(0, 80_000), (4, 80_000), (50_000, 120_000)])
    def test_three_parts_of_similar_size(self, journal: int, limit: int) -> None:
        assert sizes(journal, 3, 1, 2) == [1, 2, 3]
        assert sizes(journal, limit, limit, limit) == [limit] * 3
        assert sizes(journal, limit, limit, limit + 1) == []
        assert sizes(journal, limit, limit) == []
        assert sizes(journal) == []

    def test_the_rule_is_applied_to_the_merged_size(self) -> None:
        """Three parts of 20 kB and the journal make 80 kB, which is similar to parts of up to 320 kB."""
        assert sizes(0, *[20_000] * 3, *[320_000] * 3) == [20_000] * 3 + [320_000] * 3
        assert sizes(0, *[20_000] * 3, *[320_000] * 2, 320_001) == [20_000] * 3
        assert sizes(0, *[20_000] * 3, *[320_000] * 2) == [20_000] * 3

    def test_at_most_thirty_files_remain(self) -> None:
        assert sizes(0, 10**6, 10**7, files=15) == []
        assert sizes(0, 10**7, 10**6, files=16) == [10**6]
        assert sizes(0, *(10**each for each in range(6, 12)), files=10) == [10**6, 10**7, 10**8]


def table(**columns: list[Any]) -> pa.Table:
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def test_pieces_are_written_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row has 8 bytes, and a group is complete once it has 24."""
    monkeypatch.setattr(parts, "_GROUP", 24)
    pieces = [table(x=[1]), table(x=[2]).slice(1), *(table(x=[number]) for number in range(2, 8)), table(x=[8, 9, 10])]
    groups = [group["x"].to_pylist() for group in parts._groups(pieces)]
    assert groups == [[1, 2, 3], [4, 5, 6], [7, 8, 9, 10]]
    assert [len(group) for group in parts._groups([table(x=[1]), table(x=[2])])] == [2]
    assert list(parts._groups([table(x=[1]).slice(1)])) == []


def test_repeated_rows_are_omitted() -> None:
    pieces = [table(key=["a", "b", "a"], x=[1, 2, 3]), table(key=["b", "c"], x=[4, 5])]
    assert [piece["x"].to_pylist() for piece in parts._each_once(pieces, "key")] == [[1, 2], [5]]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(errno.ENOENT, "No such file or directory", "x"), "No such file or directory"),
        (ValueError("Bad page.  Good night. "), "Bad page"),
        (ValueError(" two\n  lines"), "two lines"),
        (LookupError(), "LookupError"),
    ],
)
def test_an_error_in_a_line(error: Exception, line: str) -> None:
    assert parts._in_a_line(error) == line


def part(**changes: Any) -> Part:
    given: dict[str, Any] = {
        "path": Path("p"),
        "replaces": frozenset(),
        "schemas": {},
        "missing": frozenset(),
        "lost": frozenset(),
        "damaged": (),
        "size": 1,
    }
    return Part(**(given | changes))


def test_runs_that_had_rows_in_a_missing_table_have_lost_them() -> None:
    """The first run recorded no list of tables; failures are made again in any case."""
    whole = part(missing=frozenset({"arrivals", "drops", "failures"}))
    runs = table(run_id=["a", "b", "c", "d"]).append_column(
        KEPT, pa.array([None, "arrivals,queue", "queue,failures", "drops"])
    )
    lost = ["arrivals,drops", "arrivals", None, "drops"]
    assert whole._with_losses(runs)[LOST].to_pylist() == lost
    before = runs.append_column(LOST, pa.array([None, "queue", None, "drops"]))
    losses = whole._with_losses(before)
    assert losses.column_names == ["run_id", KEPT, LOST]
    assert losses[LOST].to_pylist() == ["arrivals,drops", "arrivals,queue", None, "drops"]
    assert whole._with_losses(table(run_id=["a"]))[LOST].to_pylist() == ["arrivals,drops"]


def test_a_part_without_runs() -> None:
    empty = part(schemas={"failures": pa.schema([])}, lost=frozenset({"drops"}))
    assert (empty.runs, empty.files, list(empty.whole()), empty.partial()) == (0, 2, [], set())
    assert made([empty], ["a"]) == set()


def test_runs_of_a_part(tmp_path: Path) -> None:
    add(tmp_path / "store", [row(number) for number in range(4)])
    (folder,) = (tmp_path / "store" / "parts").iterdir()
    read = Part.read(folder, lambda _: True)
    assert (read.runs, read.has_checksums, read.partial()) == (4, True, set())
    assert read.size == sum(file.stat().st_size for file in folder.glob("*.parquet"))
    assert read.files == len(list(folder.iterdir()))
    assert made([read], [row(2).run_id, row(9).run_id]) == {row(2).run_id}
    assert made([read], []) == set()


def test_a_part_is_on_the_disk_before_its_journal_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file of a new part is flushed, then the part, the folder of parts, and the record; no file stays open."""
    leave(tmp_path / "store", [row(1)])
    flushed: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda file: flushed.append(Path(f"/proc/self/fd/{file}").readlink().name))
    opened: set[int] = set()
    whole_open, whole_close = os.open, os.close

    def open_(*given: Any, **options: Any) -> int:
        opened.add(file := whole_open(*given, **options))
        return file

    def close(file: int) -> None:
        opened.discard(file)
        whole_close(file)

    monkeypatch.setattr(os, "open", open_)
    monkeypatch.setattr(os, "close", close)
    Store.open(tmp_path / "store", create=True)
    assert not opened
    assert flushed.pop() == ".store.json"
    (folder,) = (tmp_path / "store" / "parts").iterdir()
    assert sorted(flushed[:-2]) == sorted(file.name for file in folder.iterdir())
    assert flushed[-2:] == [f".{folder.name}", "parts"]


def test_an_error_without_a_number_is_an_error_of_input_and_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path / "store", create=True)
    store.add(row(1))

    def broken(_: Path) -> None:
        raise OSError("odd")

    with monkeypatch.context() as patch:
        patch.setattr(parts, "_reach_the_disk", broken)
        with pytest.raises(OSError, match=r"Input/output error.*parts"):
            store.close()
    assert list((tmp_path / "store" / "parts").iterdir()) == []
    store.close()
    assert len(store.runs.to_arrow()) == 1
