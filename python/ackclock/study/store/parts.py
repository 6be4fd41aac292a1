"""Parts: rows of earlier journals as Parquet files.

A part is a folder with a file for each table and ``part.json``, which names the tables with the checksum of each file,
and the journals and parts from which it was merged (``replaces``). A part is renamed to its final name when it is
complete. From then on, readers ignore the files that it replaces, until these files are deleted. No run is in two
parts, with two exceptions: a run that lost rows to damage and was made again, and runs of a part that was copied from
another store. Such rows are ignored in all parts but one, and are dropped when their part is next rewritten.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ackclock.files.checksum import CHANGED, checksum, is_sealed, sealed
from ackclock.files.inside import file_in, is_plain
from ackclock.files.reading import footer, pieces, row_count
from ackclock.scenario.files import read_json
from ackclock.study.store.row import is_name
from ackclock.study.store.tables import BASE, KEPT, LOST, fit, require_columns, unified_schemas
from ackclock.values.errors import ScenarioError, damaged, shown, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from ackclock.study.store.rows import Rows
    from ackclock.study.store.tables import Source

__all__ = ["NotWholeError", "Part", "ignored", "is_own", "made", "merge", "sources", "to_merge"]

_MOST_FILES: Final = 30
"""Maximum number of files of all parts."""
_ALIKE: Final = 4
"""Number of parts of similar size that are merged. A part has a similar size if it is at most this many times as
large."""
_DENSER: Final = 5
"""Ratio of the size of a row in a journal to its size in a part."""
_LEAST: Final = 20_000
"""Approximate minimum size of a part in bytes."""
_GROUP: Final = 1_000_000
"""Size of a row group in bytes, before encoding."""
_PIECE: Final = 1024
"""Number of rows read at a time."""

_RECORD: Final = "part.json"

_BROKEN: Final = (OSError, pa.ArrowException, ValueError, TypeError, LookupError)
"""Exceptions that Arrow raises for a file that is not, or no longer, valid Parquet."""
_NOT_ITS_FAULT: Final = {errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
"""Errors that are not caused by the content of a file."""

_KEYS: Final = {"scenarios": "scenario_id", "failures": "run_id"}
"""Tables in which several parts may contain the same row, and the column that identifies the row."""


class NotWholeError(Exception):
    """Raised for a folder that cannot be read as a part, or a file that cannot be read as a table of a part."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, why)
        self.path, self.why = path, why


@dataclass(frozen=True)
class Part:
    """A part whose runs can be read."""

    path: Path
    replaces: frozenset[str]
    """Names of the journals and parts from which this part was merged."""
    schemas: Mapping[str, pa.Schema]
    """Schema of each table that can be read."""
    missing: frozenset[str]
    """Names of the tables that cannot be read: their rows are lost."""
    lost: frozenset[str]
    """Names of all tables in which runs have lost rows, including `missing`."""
    damaged: tuple[NotWholeError, ...]
    """The files that cannot be read."""
    size: int
    """Bytes on disk."""
    has_checksums: bool = True
    """Whether the record of the part has checksums; earlier versions wrote none."""
    again: frozenset[str] = frozenset()
    """Ids of the runs that other parts have as well, after a loss or because a part was copied: their rows in this part
    are ignored."""
    runs: int = 0
    """Number of successful runs."""

    @classmethod
    def read(cls, path: Path, checked: Callable[[str], bool], *, through: bool = False) -> Part:
        """Read the record and the schemas of a part, and verify its checksums.

        Parameters
        ----------
        path
            The folder of the part.
        checked
            Function of the name of a record. It returns whether the file of the record is verified against its
            checksum. Tables in `BASE` are always verified.
        through
            Also read files without a checksum completely, to find damage.

        Raises
        ------
        NotWholeError
            The folder is not a part, or its table ``runs`` cannot be read.
        ScenarioError
            One of its files is a link or a special file.

        """
        record = _read_record(path)
        sums = record["tables"] if isinstance(record["tables"], dict) else {}
        names, lost, replaces = record["tables"], record["lost"], record["replaces"]
        schemas, broken, runs = {}, [], 0
        for name in names:
            file = path / f"{name}.parquet"
            with suppress(OSError):  # reported below
                file_in(path, file.name)
            try:
                if name in sums and (name in BASE or checked(name)) and checksum(file) != sums[name]:
                    broken.append(NotWholeError(file, CHANGED))
                    continue
                schema, metadata = footer(file)
                schemas[name] = require_columns(name, schema)
                if name == "runs":
                    runs = row_count(metadata)
                if through and name not in sums:
                    _read_through(file)
            except _BROKEN as error:
                if getattr(error, "errno", None) in _NOT_ITS_FAULT:
                    raise unreadable(file, _in_a_line(error), "a file that can be read") from None
                schemas.pop(name, None)
                broken.append(NotWholeError(file, _in_a_line(error)))
        if not schemas or ("runs" in names and "runs" not in schemas):
            raise NotWholeError(path, "; ".join(f"{each.path.name}: {each.why}" for each in broken) or "it is empty")
        size = sum((path / f"{name}.parquet").stat().st_size for name in schemas)
        missing = frozenset(each.path.stem for each in broken)
        if "runs" in schemas and LOST not in schemas["runs"].names:
            missing |= set(lost)  # an earlier version did not record which runs lost rows
        gone = missing.union(lost)
        return cls(path, frozenset(replaces), schemas, missing, gone, tuple(broken), size, bool(sums), runs=runs)

    @property
    def files(self) -> int:
        """Number of files."""
        return len(self.schemas) + 1

    def file(self, name: str) -> Path:
        """Return the path of a table."""
        return self.path / f"{name}.parquet"

    def pieces(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows of a table in pieces, with all or some of its columns.

        Raises
        ------
        DamagedError
            The rows cannot be read, although the file had passed the first checks.

        """
        try:
            for piece in _pieces(self.file(name), columns):
                yield self._with_losses(piece) if name == "runs" and self.missing else piece
        except ScenarioError:  # it needs too much memory
            raise
        except _BROKEN as error:
            again = f"`ackclock store check {self.path.parent.parent}` reports the loss"
            raise damaged(self.file(name), _in_a_line(error), again) from None

    def ids(self) -> Iterator[pa.Array]:
        """Yield the ids of the runs in the part."""
        if "runs" in self.schemas:
            for piece in self.pieces("runs", ["run_id"]):
                yield from piece.column("run_id").chunks

    def whole(self) -> Iterator[pa.ChunkedArray]:
        """Yield the ids of the runs in the part that have all of their rows."""
        for piece in self._ids():
            yield piece.column("run_id").filter(pc.is_null(piece.column(LOST))) if self.lost else piece.column("run_id")

    def partial(self) -> set[str]:
        """Return the ids of the runs in the part that have lost rows."""
        if not self.lost:
            return set()
        lists = (piece.column("run_id").filter(pc.is_valid(piece.column(LOST))).to_pylist() for piece in self._ids())
        return {each for ids in lists for each in ids}

    def _ids(self) -> Iterator[pa.Table]:
        if "runs" in self.schemas:
            yield from self.pieces("runs", ["run_id", KEPT, LOST] if self.lost else ["run_id"])

    def _with_losses(self, piece: pa.Table) -> pa.Table:
        """Complete the column `LOST` of each run with the missing tables in which the run had rows.

        A run from an earlier version has no list of its tables: it counts as having rows in every missing table.
        """
        columns = (
            piece.column(name).to_pylist() if name in piece.column_names else [None] * len(piece)
            for name in (KEPT, LOST)
        )
        gone = self.missing - {"failures"}  # failed runs are made again in any case
        lost = [
            _words(before) | (gone if kept is None else gone & _words(kept))
            for kept, before in zip(*columns, strict=True)
        ]
        texts = pa.array([",".join(sorted(each)) or None for each in lost], pa.string())
        rest = piece.drop_columns([LOST]) if LOST in piece.column_names else piece
        return rest.append_column(LOST, texts)


def _read_record(path: Path) -> dict[str, Any]:
    """Read the record of a part, and check that it names tables only."""
    try:
        file = file_in(path, _RECORD)
    except OSError:
        raise NotWholeError(path, f"it has no {_RECORD} that can be read") from None
    try:
        record = read_json(file)
    except ScenarioError:
        raise NotWholeError(path, f"it has no {_RECORD} that can be read") from None
    tables, lost, replaces = (record.get(key) for key in ("tables", "lost", "replaces"))
    if isinstance(tables, dict):
        if not is_sealed(record):
            raise NotWholeError(path, f"{_RECORD}: {CHANGED}")
        tables = list(tables)
    if not (isinstance(tables, list) and isinstance(lost, list) and isinstance(replaces, list)) or not all(
        isinstance(name, str) for name in (*tables, *lost, *replaces)
    ):
        raise NotWholeError(path, f"it has no {_RECORD} that can be read")
    wrong = next((name for name in (*tables, *lost) if not is_name(name)), None)
    if wrong is not None:
        raise NotWholeError(path, f"{_RECORD}: {shown(wrong)} is not the name of a table")
    return record


def is_own(path: Path) -> bool:
    """Return whether a file in a part is one that a store writes."""
    return path.is_file() and is_plain(path) and (path.name == _RECORD or path.suffix == ".parquet")


def _words(text: str | None) -> set[str]:
    return set(text.split(",")) if text else set()


def _pieces(path: Path, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    yield from pieces(path, columns, rows=_PIECE, checksums=True)


def _read_through(path: Path) -> None:
    for _ in _pieces(path):
        pass


def _in_a_line(error: BaseException) -> str:
    what = " ".join(str(getattr(error, "strerror", None) or error).partition(". ")[0].split())
    return what or type(error).__name__


def made(parts: Iterable[Part], runs: Sequence[str]) -> set[str]:
    """Return which of the given runs are in a part with all of their rows. Failed runs are excluded."""
    found: set[str] = set()
    if not runs:  # the usual case, in which no part needs to be read
        return found
    wanted = pa.array(runs, pa.string())
    for part in parts:
        for ids in part.whole():
            found.update(ids.filter(pc.is_in(ids, value_set=wanted)).to_pylist())
    return found


def to_merge(parts: Sequence[Part], journal: int) -> list[Part]:
    """Choose the parts to merge with a journal of the given size in bytes.

    The new part is merged with existing parts of a similar size once there are enough of them. The rule is then applied
    again to the merged size. Each row is thus rewritten only a few times, and few parts remain.
    """
    rest = sorted(parts, key=lambda part: part.size)
    size = _LEAST + journal // _DENSER
    chosen: list[Part] = []
    while rest:
        alike = [part for part in rest if part.size <= _ALIKE * size]
        if len(alike) + 1 < _ALIKE:
            if sum(part.files for part in rest) <= _MOST_FILES:
                break
            alike = rest[:1]
        chosen += alike
        rest = rest[len(alike) :]
        size += sum(part.size for part in alike)
    return chosen


def merge(folder: Path, name: str, parts: Sequence[Part], rows: Rows, replaces: Iterable[str]) -> Part:
    """Merge parts and new rows into a new part.

    Parameters
    ----------
    folder
        The folder of all parts.
    name
        Name of the new part.
    parts, rows
        The contents of the new part.
    replaces
        Names of the journals that the rows come from.

    Raises
    ------
    OSError
        The part cannot be written, for example because the disk is full. The store is unchanged.

    """
    making = folder / f".{name}"
    making.mkdir(parents=True)
    try:
        found = sources(parts, rows)
        schemas = unified_schemas(found)
        written = [table for table, schema in schemas.items() if _write(making / f"{table}.parquet", schema, found)]
        record: dict[str, Any] = {
            "tables": {table: checksum(making / f"{table}.parquet") for table in written},
            "lost": sorted(_lost(making / "runs.parquet")) if any(part.lost for part in parts) else [],
            "replaces": sorted({*replaces, *(part.path.name for part in parts)}),
        }
        (making / _RECORD).write_text(json.dumps(sealed(record)) + "\n")
        for path in (*making.iterdir(), making):
            _reach_the_disk(path)
        making.rename(folder / name)
        _reach_the_disk(folder)
    except BaseException as error:
        _give_up(making)
        if isinstance(error, OSError):
            raise OSError(error.errno, os.strerror(error.errno or errno.EIO), str(folder)) from None
        raise
    return Part.read(folder / name, lambda _: True)


@dataclass(frozen=True)
class _Rest:
    """A part without the rows of some runs."""

    part: Part
    runs: AbstractSet[str]

    @property
    def schemas(self) -> Mapping[str, pa.Schema]:
        return self.part.schemas

    def pieces(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        gone = pa.array(list(self.runs), pa.string())
        for piece in self.part.pieces(name, columns):
            known = "run_id" in piece.column_names
            yield piece.filter(pc.invert(pc.is_in(piece.column("run_id"), value_set=gone))) if known else piece


def sources(parts: Sequence[Part], rows: Rows) -> list[Source]:
    """Return the sources of all rows: parts, without runs that others have, and the new rows."""
    return [*(_Rest(part, gone) if (gone := ignored(part, rows)) else part for part in parts), rows]


def ignored(part: Part, rows: Rows) -> frozenset[str]:
    """Return the ids of the runs whose rows in a part are ignored: other parts, or new rows, have them."""
    return part.again | rows.runs if part.lost else part.again


def _lost(runs: Path) -> set[str]:
    """Return the names of the tables in which some runs have lost rows."""
    pieces = _pieces(runs, [LOST]) if runs.exists() else ()
    return {word for piece in pieces for text in piece.column(LOST).to_pylist() for word in _words(text)}


def _write(path: Path, schema: pa.Schema, sources: Sequence[Source]) -> bool:
    """Write the table that the path names, with the rows of all sources; return false if there are no rows."""
    name = path.stem
    pieces: Iterator[pa.Table] = (
        fit(piece, schema) for source in sources if name in source.schemas for piece in source.pieces(name)
    )
    if name in _KEYS:
        pieces = _each_once(pieces, _KEYS[name])
    writer = None
    try:
        for group in _groups(pieces):
            writer = writer or pq.ParquetWriter(path.absolute(), schema, compression="zstd", write_page_checksum=True)
            writer.write_table(group)
    finally:
        if writer is not None:
            writer.close()
    return writer is not None


def _each_once(pieces: Iterable[pa.Table], key: str) -> Iterator[pa.Table]:
    """Omit rows with the same key as an earlier row."""
    known: set[str] = set()
    for piece in pieces:
        keep = []
        for each in piece.column(key).to_pylist():
            keep.append(each not in known)
            known.add(each)
        yield piece.filter(pa.array(keep, pa.bool_()))


def _groups(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Combine small pieces into row groups."""
    gathered: list[pa.Table] = []
    size = 0
    for piece in filter(len, pieces):
        gathered.append(piece)
        size += piece.nbytes
        if size >= _GROUP:
            yield pa.concat_tables(gathered)
            gathered, size = [], 0
    if gathered:
        yield pa.concat_tables(gathered)


def _give_up(making: Path) -> None:
    shutil.rmtree(making, ignore_errors=True)


def _reach_the_disk(path: Path) -> None:
    """Wait until a file, or the entries of a folder, would survive a power failure."""
    if os.name == "nt":  # Windows writes the entries of folders itself, and only files open for writing
        if path.is_dir():
            return
        file = os.open(path, os.O_RDWR)
    else:
        file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
