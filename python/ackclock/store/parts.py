"""Parts: what was in journals before, as Parquet.

A part is a folder with a file for each table and ``part.json``, which names the tables, and the journals and parts that
it was made of. It appears whole, by one renaming; until what it was made of is removed, that is left out. No run is in
two parts.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ackclock.errors import unreadable
from ackclock.store.tables import fit, unified_schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ackclock.store.rows import Rows
    from ackclock.store.tables import Source

__all__ = ["NotWholeError", "Part", "made", "merge", "to_merge"]

_MOST_FILES: Final = 30
"""Files that all parts may have."""
_ALIKE: Final = 4
"""So many parts of about a size are merged; they are of about a size up to this factor."""
_DENSER: Final = 5
"""How much smaller rows are in a part than in a journal."""
_LEAST: Final = 20_000
"""Bytes that a part takes even for a single row, about."""
_GROUP: Final = 1_000_000
"""Bytes of a row group before they are encoded."""
_PIECE: Final = 1024
"""Rows that are read at a time."""

_RECORD: Final = "part.json"

_KEYS: Final = {"scenarios": "scenario_id", "failures": "run_id"}
"""Tables of which parts may hold a row twice, and what tells it."""


class NotWholeError(Exception):
    """Something that cannot be read as a part, or as a table of one."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, why)
        self.path, self.why = path, why


@dataclass(frozen=True)
class Part:
    """A part whose runs can be read."""

    path: Path
    replaces: frozenset[str]
    """Names of what it was made of."""
    schemas: Mapping[str, pa.Schema]
    """Its tables."""
    lost: frozenset[str]
    """Those tables of which rows are missing, since a file was damaged."""
    damaged: tuple[NotWholeError, ...]
    """The files of which this is true now."""
    size: int
    """Bytes on disk."""

    @classmethod
    def read(cls, path: Path) -> Part:
        """Look at a part.

        Raises
        ------
        NotWholeError
            It is no part, or its runs cannot be read.

        """
        try:
            record = json.loads((path / _RECORD).read_bytes())
            names, lost, replaces = (list(map(str, record[key])) for key in ("tables", "lost", "replaces"))
        except (OSError, ValueError, TypeError, LookupError):
            raise NotWholeError(path, f"it has no {_RECORD} that can be read") from None
        schemas, damaged = {}, []
        for name in names:
            file = path / f"{name}.parquet"
            try:
                schemas[name] = pq.read_schema(file.absolute())
            except (OSError, pa.ArrowInvalid) as error:
                damaged.append(NotWholeError(file, str(error).partition(". ")[0]))
        if not schemas or ("runs" in names and "runs" not in schemas):
            raise NotWholeError(path, "; ".join(f"{each.path.name}: {each.why}" for each in damaged) or "it is empty")
        size = sum((path / f"{name}.parquet").stat().st_size for name in schemas)
        missing = [each.path.stem for each in damaged]
        return cls(path, frozenset(replaces), schemas, frozenset(lost + missing), tuple(damaged), size)

    @property
    def files(self) -> int:
        """How many files it has."""
        return len(self.schemas) + 1

    def file(self, name: str) -> Path:
        """Say where a table is."""
        return self.path / f"{name}.parquet"

    def pieces(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Give the rows of one of its tables, or some columns of them.

        Raises
        ------
        ScenarioError
            They cannot be read, though the file looked whole.

        """
        try:
            with pq.ParquetFile(self.file(name).absolute(), pre_buffer=False, page_checksum_verification=True) as file:
                for batch in file.iter_batches(_PIECE, columns=columns, use_threads=False):
                    yield pa.Table.from_batches([batch])
        except (OSError, pa.ArrowInvalid) as error:
            allowed = "as it was written; without its folder, the store does what it still can"
            raise unreadable(self.file(name), str(error).partition(". ")[0], allowed) from None


def made(parts: Iterable[Part], runs: Sequence[str]) -> set[str]:
    """Find which of some runs are in parts, those that failed left out."""
    found: set[str] = set()
    if not runs:  # no journal has any, as a rule: then no part need be read
        return found
    wanted = pa.array(runs, pa.string())
    for part in parts:
        if "runs" in part.schemas:
            for piece in part.pieces("runs", ["run_id"]):
                column = piece.column("run_id")
                found.update(column.filter(pc.is_in(column, value_set=wanted)).to_pylist())
    return found


def to_merge(parts: Sequence[Part], journal: int) -> list[Part]:
    """Choose the parts that are written again together with a journal of so many bytes.

    Those that are about as large as what is to be written, once there are several, and so on with what they become:
    each row is written again only a few times, and few parts remain.
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
    """Make a part of parts and of new rows.

    Parameters
    ----------
    folder
        Where parts are.
    name
        What the part is to be called.
    parts, rows
        What goes into it.
    replaces
        Names of the journals that the rows come from.

    Raises
    ------
    OSError
        It cannot be written, as on a full disk; nothing has changed.

    """
    making = folder / f".{name}"
    making.mkdir(parents=True)
    try:
        sources: list[Source] = [*parts, rows]
        schemas = unified_schemas(sources)
        written = [table for table, schema in schemas.items() if _write(making / f"{table}.parquet", schema, sources)]
        record = {
            "tables": written,
            "lost": sorted(frozenset().union(*(part.lost for part in parts))),
            "replaces": sorted({*replaces, *(part.path.name for part in parts)}),
        }
        (making / _RECORD).write_text(json.dumps(record) + "\n")
        for path in (*making.iterdir(), making):
            _reach_the_disk(path)
        making.rename(folder / name)
        _reach_the_disk(folder)
    except BaseException as error:
        _give_up(making)
        if isinstance(error, OSError):
            raise OSError(error.errno, os.strerror(error.errno or errno.EIO), str(folder)) from None
        raise
    return Part.read(folder / name)


def _write(path: Path, schema: pa.Schema, sources: Sequence[Source]) -> bool:
    """Write the table of that name of all sources, unless it has no rows."""
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
    """Leave out rows that say again what an earlier one says."""
    known: set[str] = set()
    for piece in pieces:
        keep = []
        for each in piece.column(key).to_pylist():
            keep.append(each not in known)
            known.add(each)
        yield piece.filter(pa.array(keep, pa.bool_()))


def _groups(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Join small pieces to row groups."""
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
    """Wait until a file, or the names in a folder, would outlast a loss of power."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
