"""The folder written by ``ackclock capture --out``: its verification, and queries on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ackclock.running.checksum import CHANGED, checksum, is_sealed
from ackclock.scenario.errors import DamagedError, ScenarioError, damaged
from ackclock.scenario.files import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa

__all__ = ["MADE", "ask", "check", "files_of", "is_capture"]

MADE: Final = "a capture"
"""Value of `study` in the record of such a folder."""

_RECORD: Final = "record.json"

_TABLES: Final = ("packets", "flows", "arrivals")


def is_capture(folder: Path) -> bool:
    """Return whether ``ackclock capture --out`` made a folder.

    Raises
    ------
    DamagedError
        The folder contains the results of a capture, but its record is damaged.
    """
    try:
        record = read_json(folder / _RECORD)
    except ScenarioError:
        record = {}
    if record.get("study") != MADE:
        if (folder / "capture.json").exists():
            raise damaged(folder / _RECORD, "it is not the record of a capture", _again({}))
        return False
    if isinstance(record.get("files"), dict) and not is_sealed(record):
        raise damaged(folder / _RECORD, CHANGED, _again(record))
    return True


def files_of(folder: Path) -> dict[str, str]:
    """Return the state of each file of a capture's folder: ``sound``, or the problem."""
    record = read_json(folder / _RECORD)
    sound = "sound" if isinstance(record["files"], dict) else "no checksum: an earlier version wrote it"
    return {name: _wrong(folder, record, name) or sound for name in sorted(record["files"])}


def check(folder: Path, names: Iterable[str]) -> None:
    """Verify the checksums of some files of a capture's folder. Folders made by earlier versions have no checksums.

    Raises
    ------
    DamagedError
        A file has changed since it was written.
    """
    record = read_json(folder / _RECORD)
    for name in names:
        if (wrong := _wrong(folder, record, name)) is not None:
            raise damaged(folder / name, wrong, _again(record))


def ask(folder: Path, query: str) -> pa.Table:
    """Run one ``SELECT`` over the tables ``packets``, ``flows`` and ``arrivals`` of a capture's folder.

    Raises
    ------
    ScenarioError
        The query is not a single ``SELECT``, or it has an error.
    DamagedError
        A table that the query uses has changed since it was written.
    """
    from ackclock.study.store.sql import closed, names  # noqa: PLC0415  # slow to load

    check(folder, [f"{name}.parquet" for name in _TABLES if names(query, name)])
    try:
        return closed(query, {name: folder / f"{name}.parquet" for name in _TABLES})
    except DamagedError:
        check(folder, [f"{name}.parquet" for name in _TABLES])
        raise


def _wrong(folder: Path, record: Mapping[str, Any], name: str) -> str | None:
    files = record.get("files")
    try:
        found = checksum(folder / name)
    except OSError as error:
        return str(error.strerror or error)
    return CHANGED if isinstance(files, dict) and files.get(name, found) != found else None


def _again(record: Mapping[str, Any]) -> str:
    return f"`{record.get('command', 'ackclock capture FILE --out FOLDER')}` makes it again"
