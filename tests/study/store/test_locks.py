"""The locks of a store on Windows, with stand-ins for the functions of the system."""

from __future__ import annotations

import runpy
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.study.store.made_up import add, arrivals, row

from ackclock.cli import main
from ackclock.files import locks
from ackclock.study.store import Store, sql

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class FailedError(Exception):
    def __init__(self, winerror: int) -> None:
        super().__init__(winerror)
        self.winerror, self.strerror = winerror, "it is locked"


def on_windows(monkeypatch: pytest.MonkeyPatch, calls: list[Any], fails: int = 0) -> Callable[..., None]:
    """Return the function for Windows. The values are those of the Windows headers."""

    def lock_file(handle: int, flags: int, low: int, high: int, place: SimpleNamespace) -> None:
        calls.append((handle, flags, low, high, place.Offset, place.OffsetHigh))
        if fails:
            raise FailedError(fails)

    fakes = {
        "fcntl": None,
        "msvcrt": SimpleNamespace(get_osfhandle=lambda file: 100 + file),
        "pywintypes": SimpleNamespace(OVERLAPPED=lambda: SimpleNamespace(Offset=0, OffsetHigh=0), error=FailedError),
        "win32con": SimpleNamespace(LOCKFILE_EXCLUSIVE_LOCK=2, LOCKFILE_FAIL_IMMEDIATELY=1),
        "win32file": SimpleNamespace(LockFileEx=lock_file),
        "winerror": SimpleNamespace(ERROR_LOCK_VIOLATION=33, ERROR_IO_PENDING=997),
    }
    for name, module in fakes.items():
        monkeypatch.setitem(sys.modules, name, module)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        found: Callable[..., None] = runpy.run_path(locks.__file__)["lock"]
        return found


def test_locks_on_windows_are_a_byte_behind_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    lock = on_windows(monkeypatch, calls)
    lock(3, alone=True)
    lock(3, alone=True, wait=False)
    lock(3, alone=False)
    lock(3, alone=False, wait=False)
    assert [flags for _, flags, *_ in calls] == [2, 3, 0, 1]
    assert {(handle, *place) for handle, _, *place in calls} == {(103, 1, 0, 0, 2**30)}


@pytest.mark.parametrize(("code", "error"), [(33, BlockingIOError), (997, BlockingIOError), (5, OSError)])
def test_errors_of_locks_on_windows(monkeypatch: pytest.MonkeyPatch, code: int, error: type[OSError]) -> None:
    with pytest.raises(error) as raised:
        on_windows(monkeypatch, [], fails=code)(3, alone=True, wait=False)
    assert type(raised.value) is error


def test_sql_reads_files_by_path_where_it_cannot_by_descriptor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, whose names of files can contain brackets and the sign of a partition."""
    monkeypatch.setattr(sql, "_BY_PATH", True)
    folder = tmp_path / "seed=5" / "it's [1]"
    add(folder, [row(number, tables={"arrivals": arrivals(number)}) for number in (1, 2)])
    with Store.open(folder) as store:
        assert store.sql("select count(distinct run_id) as runs from arrivals").to_pylist() == [{"runs": 2}]
        assert "seed" not in store.sql("from arrivals").column_names


def test_tables_and_reports_need_no_sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "store"
    add(folder, [row(1), row(2)])
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(SystemExit) as ended:
        main(["report", str(folder)])
    assert ended.value.code == 0
    with Store.open(folder) as store:
        ids = set(store.runs.to_arrow()["run_id"].to_pylist())
        assert ids == {row(1).run_id, row(2).run_id} == store.done()
        with pytest.raises(
            ValueError, match=r"SQL: needs duckdb, which is not installed \(pip install 'ackclock\[sql\]'\)"
        ):
            store.sql("from runs")
