"""The folder written by ``ackclock capture --out``: its verification, and queries on it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from ackclock.files.checksum import CHANGED, checksum, is_sealed
from ackclock.files.inside import file_in
from ackclock.files.recognised import CAPTURE, RECORD
from ackclock.scenario.files import read_json
from ackclock.values.errors import DamagedError, ScenarioError, damaged, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

__all__ = ["MADE", "ask", "ask_file", "check", "files_of", "is_capture"]

MADE: Final = "a capture"
"""Value of `study` in the record of such a folder."""

_TABLES: Final = ("packets", "flows", "arrivals")


def is_capture(folder: Path) -> bool:
    """Return whether ``ackclock capture --out`` made a folder.

    Raises
    ------
    DamagedError
        The folder contains the results of a capture, but its record is damaged.
    ScenarioError
        The record is a link or a special file.
    """
    try:
        path = file_in(folder, RECORD)
    except OSError:
        return False
    record: dict[str, Any] = {}
    with suppress(ScenarioError):  # a file that is not JSON is not a record
        record = read_json(path)
    files = record.get("files")
    if (
        record.get("study") != MADE
        or not isinstance(files, list | dict)
        or not all(isinstance(name, str) for name in files)
    ):
        if (folder / CAPTURE).exists():
            raise damaged(path, "it is not the record of a capture", _again({}))
        return False
    if isinstance(files, dict) and not is_sealed(record):
        raise damaged(path, CHANGED, _again(record))
    return True


def files_of(folder: Path) -> dict[str, str]:
    """Return the state of each file of a capture's folder: ``sound``, or the problem."""
    record = _read_record(folder)
    sound = "sound" if isinstance(record["files"], dict) else "no checksum: an earlier version wrote it"
    return {name: _wrong(folder, record, name) or sound for name in sorted(record["files"])}


def check(folder: Path, names: Iterable[str]) -> None:
    """Verify the checksums of some files of a capture's folder. Folders made by earlier versions have no checksums.

    Raises
    ------
    DamagedError
        A file has changed since it was written.
    ScenarioError
        A file is a link or a special file, or is not in the folder.
    """
    record = _read_record(folder)
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


def ask_file(file: Path, query: str) -> pa.Table:
    """Run one ``SELECT`` over the tables of a capture file, which are made for it.

    Raises
    ------
    ScenarioError
        The file is not a capture, the query is not a single ``SELECT``, or it has an error.
    """
    # slow to load
    from ackclock.capture.keeping import write_arrivals  # noqa: PLC0415
    from ackclock.capture.reading import read_capture  # noqa: PLC0415
    from ackclock.study.store.sql import closed  # noqa: PLC0415

    with TemporaryDirectory() as made:
        tables = {name: Path(made, f"{name}.parquet") for name in _TABLES}
        capture = read_capture(file, packets=tables["packets"], flows=tables["flows"])
        write_arrivals(capture, tables["arrivals"])
        return closed(query, tables)


def _read_record(folder: Path) -> dict[str, Any]:
    return read_json(file_in(folder, RECORD))


def _wrong(folder: Path, record: Mapping[str, Any], name: str) -> str | None:
    files = record.get("files")
    try:
        found = checksum(file_in(folder, name))
    except OSError as error:
        return str(error.strerror or error)
    return CHANGED if isinstance(files, dict) and files.get(name, found) != found else None


def _again(record: Mapping[str, Any]) -> str:
    return f"`{shorten(str(record.get('command', 'ackclock capture FILE --out FOLDER')), 500)}` makes it again"
