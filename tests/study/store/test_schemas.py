"""Rows as Arrow tables, and schemas that fit the tables of several sources, in small cases."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pytest
from tests.study.store.made_up import add, arrivals, leave, row

from ackclock.study.store import Store
from ackclock.study.store.folder import Folder
from ackclock.study.store.tables import BASE, KEPT, SWEPT, fit, plain, tables_of, unified, unified_schemas

if TYPE_CHECKING:
    from pathlib import Path


def body(run: str, **changes: Any) -> dict[str, Any]:
    return {
        "run_id": run, "scenario_id": "s", "seed": 1, "cpu_seconds": 0.5, "revision": "r", "schema": 1, "failure": None,
        "point": {"a": 1}, "summary": {"cov": 0.5}, "groups": [], "notices": [], "records": [],
    } | changes  # fmt: skip


def test_tables_of_rows() -> None:
    """Two successful runs with different fields, and a failed one; the scenario of the second is not given."""
    found = tables_of(
        [
            body("x", groups=[{"name": "g", "cov": 1.0}], records=["drops", "acks"], links=[{"name": "l"}]),
            body("y", scenario_id="t", point={"b": "word"}, notices=["one", "two"], summary={"loss": 1.0}),
            body("z", failure="it broke", point={"a": 2.5}),
        ],
        {"s": "{}", "other": "unused"},
    )
    runs = found["runs"]
    assert runs.column_names == [
        "run_id", "scenario_id", "seed", "revision", "schema", "cpu_seconds", KEPT, "a", "b", "cov", "loss",
    ]  # fmt: skip
    assert runs.select(["run_id", "a", "b", "cov", "loss"]).to_pydict() == {
        "run_id": ["x", "y"], "a": [1, None], "b": [None, "word"], "cov": [0.5, None], "loss": [None, 1.0],
    }  # fmt: skip
    assert runs[KEPT].to_pylist() == ["scenarios,groups,drops,acks", "scenarios,notices"]
    assert [field.name for field in runs.schema if field.metadata == SWEPT] == ["a", "b"]
    failed = found["failures"]
    assert failed.select(["run_id", "a", "b", "failure"]).to_pylist() == [
        {"run_id": "z", "a": 2.5, "b": None, "failure": "it broke"}
    ]
    assert found["scenarios"].to_pylist() == [{"scenario_id": "s", "scenario": "{}"}]
    assert found["groups"].to_pylist() == [{"run_id": "x", "name": "g", "cov": 1.0}]
    assert found["links"].to_pylist() == [{"run_id": "x", "name": "l"}]
    assert found["notices"]["notice"].to_pylist() == ["one", "two"]
    assert set(tables_of([body("x", scenario_id="unknown")], {})) == {"runs"}


def test_values_of_different_types_become_texts() -> None:
    points: list[Any] = [1, "word", None, True, 0.5]
    found = tables_of([body(str(place), point={"a": value}) for place, value in enumerate(points)], {})["runs"]
    assert found["a"].to_pylist() == ["1", "word", None, "true", "0.5"]


def test_schemas_are_merged() -> None:
    whole, broken, text = (pa.schema([("x", kind)]) for kind in (pa.int64(), pa.float64(), pa.string()))
    assert unified([whole, broken]) == broken
    assert unified([broken, whole]) == broken
    assert unified([whole, text, broken]) == text
    assert unified([whole, pa.schema([("y", pa.bool_())])]).names == ["x", "y"]
    coded = pa.schema([("n", pa.int64()), ("x", pa.dictionary(pa.int32(), pa.string()))])
    assert plain(coded) == pa.schema([("n", pa.int64()), ("x", pa.string())])

    class Source:
        schemas: ClassVar = {"runs": pa.schema([("a", pa.int64())]), "drops": whole}

        def pieces(self, name: str, columns: object = None) -> Any:
            raise AssertionError(name, columns)

    together = unified_schemas([Source(), Source()])
    assert together.keys() == {*BASE, "drops"}
    assert together["runs"].names == [*BASE["runs"].names, "a"]
    assert unified_schemas([]) == BASE


def test_a_table_is_fitted_to_a_schema() -> None:
    table = pa.table({"x": pa.array([1, 2]), "gone": pa.array([True, False])})
    fitted = fit(table, pa.schema([("y", pa.string()), ("x", pa.float64())]))
    assert fitted.to_pydict() == {"y": [None, None], "x": [1.0, 2.0]}
    assert fitted.schema.types == [pa.string(), pa.float64()]


def test_locks_of_a_folder(tmp_path: Path) -> None:
    """A lock held alone excludes all others; readers exclude only the lock held alone."""
    folder = Folder(tmp_path / "store", create=True)

    def free(kind: int) -> bool:
        other = os.open(tmp_path / "store" / "lock", os.O_RDWR)
        try:
            fcntl.flock(other, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(other)
        return True

    with folder.locked(alone=True):
        assert (free(fcntl.LOCK_EX), free(fcntl.LOCK_SH)) == (False, False)
        with pytest.raises(BlockingIOError), folder.locked(alone=False, wait=False):
            pass
    with folder.locked(alone=False):
        assert (free(fcntl.LOCK_EX), free(fcntl.LOCK_SH)) == (False, True)
        with folder.locked(alone=False, wait=False):
            pass
        with pytest.raises(BlockingIOError), folder.locked(alone=True, wait=False):
            pass
    assert free(fcntl.LOCK_EX)


def test_states_of_a_store(tmp_path: Path) -> None:
    rows = [row(number, tables={"arrivals": arrivals(number)}) for number in range(3)]
    add(tmp_path / "store", rows[:2])
    leave(tmp_path / "store", rows[2:])
    with Store.open(tmp_path / "store") as store:
        part, journal = store.check()
        assert store.notices == ()
    assert (part.runs, part.state, part.place.parent.name) == (2, "sound", "parts")
    assert part.bytes == sum(file.stat().st_size for file in part.place.glob("*.parquet"))
    assert (journal.runs, journal.state, journal.bytes) == (1, "sound", journal.place.stat().st_size)
    content = bytearray(journal.place.read_bytes())
    content[-1] ^= 1
    journal.place.write_bytes(content)
    (part.place / "arrivals.parquet").write_bytes(b"")
    with Store.open(tmp_path / "store") as store:
        part, journal = store.check()
        notices = store.notices
    assert (part.runs, part.state) == (2, "rows are missing")
    assert (journal.runs, journal.state) == (0, "damaged")
    again = f"`ackclock sweep STUDY --store {tmp_path / 'store'}` makes them again"
    assert f"{part.place}: rows of arrivals are missing for 2 runs, since a file was damaged; {again}" in notices
    assert [each for each in notices if each.startswith(f"{journal.place}: the row at byte")]
    assert len(notices) == 3


def test_a_store_opens_for_reading_or_writing(tmp_path: Path) -> None:
    """A reader leaves journals as they are; a writer converts them."""
    leave(tmp_path / "store", [row(1)])
    journals = tmp_path / "store" / "journal"
    with Store.open(tmp_path / "store") as store:
        assert (store.done(), len(list(journals.glob("[!.]*")))) == ({row(1).run_id}, 1)
        assert repr(store.table("scenarios")) == "Table(1 rows; columns: scenario_id, scenario)"
        assert store.runs.to_pandas()["run_id"].tolist() == [row(1).run_id]
    assert len(list(journals.glob("[!.]*"))) == 1
    with Store.open(tmp_path / "store", create=True) as store:
        assert (store.done(), len(list(journals.glob("[!.]*")))) == ({row(1).run_id}, 0)
