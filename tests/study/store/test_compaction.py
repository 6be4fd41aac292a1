"""Parts: each run is stored once, in few files, for any order of additions and despite crashes."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.study.store.made_up import add, arrivals, expected, files, leave, row, stored, strays
from tests.support.long import often

from ackclock.study.store import Store, contents, parts, store
from ackclock.study.store.tables import fit, unified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ackclock.study.store import Row


def test_many_rows_make_few_files(tmp_path: Path) -> None:
    rows = [row(number) for number in range(5000)]
    add(tmp_path / "store", rows)
    assert stored(tmp_path / "store") == expected(rows)
    assert strays(tmp_path / "store") == []
    assert files(tmp_path / "store") < 25


def test_files_are_closed_even_if_rows_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writers = []

    class Writer(parquet.ParquetWriter):  # type: ignore[misc]  # pyarrow has no types
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            writers.append(self)

    class Unreadable:
        schemas: ClassVar = {"runs": pa.schema([("run_id", pa.string())])}

        def pieces(self, name: str, columns: object = None) -> Iterator[pa.Table]:
            del columns
            yield pa.table({"run_id": ["a" * 2_000_000]})
            raise OSError(name)

    monkeypatch.setattr(parquet, "ParquetWriter", Writer)
    with pytest.raises(OSError, match="runs"):
        parts._write(tmp_path / "runs.parquet", Unreadable.schemas["runs"], [Unreadable()])
    add(tmp_path / "store", [row(1)])
    assert len(writers) > 1
    assert not any(writer.is_open for writer in writers)


def test_many_sweeps_make_few_files(tmp_path: Path) -> None:
    rows = []
    for number in range(60):
        some = [row(2 * number, tables={"arrivals": arrivals(number)}), row(2 * number + 1, failure="it broke")]
        add(tmp_path, some)
        rows.append(some[0])
        assert files(tmp_path) < 50
    assert stored(tmp_path) == expected(rows)
    assert len(Store.open(tmp_path).table("failures").to_arrow()) == 60


def test_records_keep_their_rows_and_words(tmp_path: Path) -> None:
    add(tmp_path, [row(number, tables={"arrivals": arrivals(number, 2)}) for number in range(3)])
    leave(tmp_path, [row(3, tables={"arrivals": arrivals(3, 2)})])
    query = 'select seed, link, bin, "count" from arrivals join runs using (run_id) order by all'
    table = Store.open(tmp_path).sql(query)
    assert [tuple(each.values()) for each in table.to_pylist()] == [
        (number + 1, "bottleneck", place, number) for number in range(4) for place in range(2)
    ]
    assert table.schema.field("bin").type == pa.uint32()


def test_a_failure_counts_until_the_run_is_made(tmp_path: Path) -> None:
    failed = row(1, failure="the buffer is full", summary={}, groups=[], notices=[])
    add(tmp_path, [failed, row(2)])
    add(tmp_path, [failed])
    with Store.open(tmp_path, create=True) as again:
        assert again.done() == {row(2).run_id}
        failures = 'select run_id, failure, "clients.0.count" from failures'
        assert again.sql(failures).to_pylist() == [
            {"run_id": failed.run_id, "failure": "the buffer is full", "clients.0.count": 1}
        ]
        again.add(row(1))
        assert again.done() == {row(1).run_id, row(2).run_id}
        assert again.sql(failures).num_rows == 0
    assert stored(tmp_path) == expected([row(1), row(2)])
    assert Store.open(tmp_path).sql(failures).num_rows == 0


def test_a_failure_tells_the_scenario_of_the_run_that_follows(tmp_path: Path) -> None:
    leave(tmp_path, [row(0, failure="once"), row(0)])
    add(tmp_path, [])
    assert Store.open(tmp_path).sql("from scenarios").to_pylist() == [
        {"scenario_id": row(0).scenario_id, "scenario": row(0).scenario}
    ]


def test_a_scenario_is_kept_once(tmp_path: Path) -> None:
    for part in range(3):
        add(tmp_path, [row(part)])
    leave(tmp_path, [row(3), row(4), row(5)])
    kept = Store.open(tmp_path).sql("from scenarios").to_pylist()
    assert sorted(each["scenario"] for each in kept) == sorted({row(number).scenario for number in range(6)})


ACTIONS = st.lists(
    st.tuples(st.sampled_from([add, leave]), st.lists(st.integers(0, 30), min_size=1, max_size=6)), max_size=8
)


@pytest.mark.slow
@settings(max_examples=often(12, long=200))
@given(ACTIONS)
def test_each_run_is_there_once(actions: list[tuple[Callable[[Path, list[Row]], None], list[int]]]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder, rows = Path(scratch) / "store", []
        for action, numbers in actions:
            action(folder, [row(number) for number in numbers])
            rows += [row(number) for number in numbers]
            assert stored(folder) == expected(rows)
            assert Store.open(folder).done() == {each.run_id for each in rows}
        add(folder, [])
        assert stored(folder) == expected(rows)
        assert strays(folder) == []


class KilledError(BaseException):
    """Stands for the end of the process: nothing else is done."""


class Fatal:
    """A step during which the process ends, at one of its calls: before the step is done, or after it."""

    def __init__(self, step: Callable[..., Any], call: int, *, after: bool) -> None:
        self.step, self.left, self.after = step, call, after

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.left -= 1
        if self.left > 0:
            return self.step(*given, **named)
        if self.left == 0 and self.after:
            self.step(*given, **named)
        raise KilledError


STEPS = {
    "write a table": (parts, "_write"),
    "sync": (parts, "_reach_the_disk"),
    "make a folder": (Path, "mkdir"),
    "rename": (Path, "rename"),
    "remove a file": (Path, "unlink"),
    "remove a part": (contents, "_remove_tree"),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_at_any_step_loses_nothing_and_tells_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, when: str
) -> None:
    """The process ends at the first, second, ... call of a step, until it comes through."""
    rows = [row(number, tables={"arrivals": arrivals(number)}) for number in range(8)]
    where, name = STEPS[step]
    came_through = False
    for number in range(3):
        add(tmp_path / "before", rows[number : number + 1])
    leave(tmp_path / "before", rows[3:])
    for call in itertools.count(1):
        folder = shutil.copytree(tmp_path / "before", tmp_path / str(call))
        fatal = Fatal(getattr(where, name), call, after=when == "after")
        with monkeypatch.context() as patch:
            patch.setattr(where, name, lambda *given, fatal=fatal, **named: fatal(*given, **named))
            patch.setattr(parts, "_give_up", lambda _: None)  # who is killed does not clean up
            try:
                add(folder, [])
                came_through = True
            except KilledError:
                pass
        assert stored(folder) == expected(rows), call
        leave(folder, rows[2:6])
        assert stored(folder) == expected(rows), call
        add(folder, [])
        assert stored(folder) == expected(rows), call
        kept = Store.open(folder)
        assert [len(kept.table(name)) for name in ("arrivals", "groups", "notices")] == [24, 8, 8]
        assert strays(folder) == []
        if came_through:
            break
    assert call > 1


def test_parts_grow(tmp_path: Path) -> None:
    """Each row is written again about as often as its logarithm says, not each time."""
    written = 0
    kept: list[parts.Part] = []
    for number in range(1000):
        chosen = parts.to_merge(kept, 500_000)
        size = 100_000 + sum(part.size for part in chosen)
        written += size
        schemas = dict.fromkeys(["runs", "groups", "scenarios", "notices"], pa.schema([]))
        new = parts.Part(tmp_path / str(number), frozenset(), schemas, frozenset(), frozenset(), (), size)
        kept = [*(part for part in kept if part not in chosen), new]
        assert sum(part.files for part in kept) <= 35
    assert sum(part.size for part in kept) == 100_000_000
    assert written < 8 * 100_000_000


@pytest.mark.parametrize(
    ("some", "others", "all_of_them"),
    [
        ([1, 2], [3], [1, 2, 3]),
        ([1], [2.5], [1.0, 2.5]),
        ([1], ["10 ms"], ["1", "10 ms"]),
        ([True], ["maybe"], ["true", "maybe"]),
        ([None], ["a"], [None, "a"]),
        ([1], [None], [1, None]),
        ([2**70], [1], [str(2**70), "1"]),
        ([0.5, "half"], [1], ["0.5", "half", "1"]),
    ],
)
def test_a_column_holds_whatever_was_swept(
    tmp_path: Path, some: list[Any], others: list[Any], all_of_them: list[Any]
) -> None:
    """What one study sweeps as numbers and another as texts is one column, and so it stays when parts are merged."""
    places = iter(range(10))
    rows = [[row(next(places), point={"x": value}) for value in values] for values in (some, others)]
    for each in rows:
        add(tmp_path, each)
    query = "select x from runs order by cov"
    assert Store.open(tmp_path).sql(query).column("x").to_pylist() == all_of_them
    for _ in range(6):
        add(tmp_path, [row(next(places), point={})])
    back = Store.open(tmp_path).sql(query).column("x").to_pylist()
    assert back[: len(all_of_them)] == all_of_them
    assert set(back[len(all_of_them) :]) <= {None}


def test_tables_that_were_made_apart_fit_together() -> None:
    some, others = pa.table({"a": [1], "b": ["x"]}), pa.table({"b": [2.5], "c": [True]})
    schema = unified([some.schema, others.schema])
    whole = pa.concat_tables([fit(some, schema), fit(others, schema)])
    assert whole.to_pylist() == [{"a": 1, "b": "x", "c": None}, {"a": None, "b": "2.5", "c": True}]


def test_memory_is_bounded_by_the_length_of_a_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LONGEST_JOURNAL", 2000)
    with Store.open(tmp_path, create=True) as opened:
        for number in range(50):
            opened.add(row(number))
            assert sum(path.stat().st_size for path in (tmp_path / "journal").iterdir()) < 4000
    assert stored(tmp_path) == expected(row(number) for number in range(50))
