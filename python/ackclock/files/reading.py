"""Reads files of any origin within the memory limit of a run.

A small file can hold a table that fills the memory: Parquet stores equal values once, and names the number of rows. All
readers of Parquet, CSV, JSON, TOML and text therefore use the functions here. What a file declares is checked first,
and what it gives is counted while it is read, in pieces.
"""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

from ackclock.engine.processors import memory_bound
from ackclock.values.errors import unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = [
    "Room",
    "check_nesting",
    "content",
    "csv",
    "encoding",
    "footer",
    "gathered",
    "limit",
    "parquet",
    "pieces",
    "regular",
    "row_count",
]

_PIECE: Final = 32_000_000
"""Size of a piece of a table in bytes."""
_ROWS: Final = 65_536
_LONGEST_HEADER: Final = 1_000_000
"""Maximum size of the first line of a CSV file, in bytes."""


def limit() -> int:
    """Return the memory, in bytes, that the content of a file may need: the limit of a run."""
    return memory_bound(None)


class Room:
    """Counts the memory that the content of a file needs.

    Parameters
    ----------
    path
        Name of the file in the error.
    """

    def __init__(self, path: object) -> None:
        self._path = path
        self._most = limit()
        self._taken = 0

    def take(self, size: int) -> None:
        """Count further bytes.

        Raises
        ------
        ScenarioError
            More memory is needed than the limit.
        """
        self._taken += size
        self.fits(self._taken)

    def fits(self, size: int) -> None:
        """Check the known part of the size of the whole content."""
        if size > self._most:
            why = f"its content needs at least {_shown(size)} of memory, and the limit is {_shown(self._most)}"
            raise unreadable(self._path, why, "smaller, or read on a machine with more memory: the limit is half of it")


def _shown(size: int) -> str:
    return f"{size / 1e9:.2g} GB" if size >= 1e9 else f"{-(-size // 1_000_000)} MB"


def regular(path: Path, allowed: str) -> None:
    """Refuse a file that may never end or never begin: a named pipe, a device or a socket.

    A pipe that a shell has opened already, as in ``ackclock run <(command)``, is allowed.

    Raises
    ------
    ScenarioError
        There is no such file, or it is none of these.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise unreadable(path, error.strerror or str(error), allowed) from None
    except ValueError as error:  # a path with a null character
        raise unreadable(path, str(error), allowed) from None
    is_open = str(path.parent) in {"/dev/fd", "/proc/self/fd"} or str(path) == "/dev/stdin"
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or (stat.S_ISFIFO(mode) and is_open)):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise unreadable(path, f"it is {kind}, not a regular file", allowed)


def content(path: Path, allowed: str, *, most: int) -> bytes:
    """Read a whole file of at most `most` bytes; ``allowed`` ends the sentence of an error."""
    regular(path, allowed)
    most = min(most, limit())
    try:
        with path.open("rb") as file:
            found = file.read(most + 1)
    except OSError as error:
        raise unreadable(path, error.strerror or str(error), allowed) from None
    if len(found) > most:
        raise unreadable(path, "it is too large", f"a file of at most {most // 1_000_000} MB")
    return found


def encoding(start: bytes, *, whole: bool = False) -> str | None:
    """Describe the problem of a text that is not UTF-8, from its first or all bytes; None if there is none."""
    head = start[:64]
    if start[:2] in {b"\xff\xfe", b"\xfe\xff"} or (len(head) > 3 and not (any(head[1::2]) and any(head[::2]))):
        return "it is UTF-16, not UTF-8; save it as UTF-8"
    try:
        start.decode()
    except UnicodeDecodeError as error:
        if whole or error.reason != "unexpected end of data":  # otherwise the last character may be cut
            return f"byte {error.start} is not UTF-8"
    return None


def check_nesting(path: Path, text: bytes, language: str) -> None:
    """Check that the tables of a TOML or JSON text fit into memory; the estimate is high."""
    each, tables = (300, 300) if language == "JSON" else (150, 900)
    counted = 2 * len(text) + each * text.count(b",") + tables * sum(map(text.count, (b"{", b"[", b"=", b":")))
    if language == "TOML":  # each part of a dotted name is a table
        counted += tables * text.count(b".")
    Room(path).fits(counted)


def parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file, with all or some of its columns.

    Raises
    ------
    ScenarioError
        The table needs more memory than the limit.
    OSError, pyarrow.ArrowException
        The file cannot be read as Parquet.
    """
    import pyarrow as pa  # noqa: PLC0415  # slow to load

    regular(path, "a Parquet file")
    whole, metadata = footer(path)
    schema = pa.schema([field for field in whole if columns is None or field.name in columns])
    Room(path).fits(row_count(metadata) * sum(_width(field.type) for field in schema))
    return gathered(path, schema, pieces(path, columns))


def footer(path: Path) -> tuple[pa.Schema, pq.FileMetaData]:
    """Return the schema and the metadata of a Parquet file."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    with pq.ParquetFile(path.absolute()) as file:
        return file.schema_arrow, file.metadata


def row_count(metadata: pq.FileMetaData) -> int:
    """Return the number of rows that reading a Parquet file gives, from its metadata."""
    return sum(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))


def gathered(path: object, schema: pa.Schema, parts: Iterable[pa.Table]) -> pa.Table:
    """Put pieces of a table together, within the limit."""
    import pyarrow as pa  # noqa: PLC0415

    room, tables = Room(path), [schema.empty_table()]
    for piece in parts:
        room.take(_size(piece))
        tables.append(piece)
    return pa.concat_tables(tables)


def _size(piece: pa.Table) -> int:
    """Return the memory of a piece, with the texts of its dictionaries in each row."""
    import pyarrow as pa  # noqa: PLC0415

    coded = [field.name for field in piece.schema if pa.types.is_dictionary(field.type)]
    size: int = piece.nbytes
    return size + _texts(piece, [name for name in coded if _is_text(piece.field(name).type.value_type)])


def pieces(
    path: Path, columns: Sequence[str] | None = None, *, rows: int = _ROWS, checksums: bool = False
) -> Iterator[pa.Table]:
    """Read a Parquet file in pieces of at most some rows, and of a size that fits into memory.

    Parameters
    ----------
    path, columns
        The file, and the names of the columns to read (default: all).
    rows
        Maximum number of rows of a piece.
    checksums
        Whether to verify the checksums of pages.

    Raises
    ------
    ScenarioError
        A single value needs more memory than the limit, or a column holds lists.
    OSError, pyarrow.ArrowException
        The file cannot be read as Parquet.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    schema, metadata = footer(path)
    chosen = [field for field in schema if columns is None or field.name in columns]
    for field in chosen:
        if pa.types.is_nested(field.type):
            raise unreadable(path, f"its column {field.name} holds a {field.type}", "a table of numbers and texts")
    # texts are read as numbers of distinct texts, since a text that is stored once may stand in many rows
    texts = [field.name for field in chosen if _is_text(field.type)]
    rows = max(1, min(rows, _PIECE // max(1, sum(_width(field.type) for field in chosen))))
    options = {"metadata": metadata, "pre_buffer": False, "page_checksum_verification": checksums}
    with pq.ParquetFile(path.absolute(), read_dictionary=texts, **options) as file:
        for batch in file.iter_batches(rows, columns=columns, use_threads=False):
            yield from _plain(path, pa.Table.from_batches([batch]), set(texts))


def _plain(path: Path, piece: pa.Table, texts: set[str]) -> Iterator[pa.Table]:
    """Replace numbers of texts by the texts, in smaller pieces if these are long."""
    import pyarrow as pa  # noqa: PLC0415

    size = _texts(piece, texts)
    if size > _PIECE and len(piece) > 1:
        half = len(piece) // 2
        yield from _plain(path, piece.slice(0, half), texts)
        yield from _plain(path, piece.slice(half), texts)
        return
    Room(path).fits(size)
    plain = [
        pa.field(field.name, field.type.value_type, metadata=field.metadata) if field.name in texts else field
        for field in piece.schema
    ]
    yield piece.cast(pa.schema(plain, metadata=piece.schema.metadata))


def _texts(piece: pa.Table, names: Iterable[str]) -> int:
    """Return the length of all texts in columns that number their texts."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    size = 0
    for name in names:
        for chunk in piece.column(name).chunks:
            lengths = pc.binary_length(chunk.dictionary).cast(pa.int64())
            size += pc.sum(lengths.take(chunk.indices)).as_py() or 0
    return size


def csv(path: Path, allowed: str, choose: Callable[[pa.Schema], Sequence[str]]) -> pa.Table:
    """Read columns of numbers from a CSV file with a header.

    Parameters
    ----------
    path, allowed
        The file, and the end of the sentence of an error.
    choose
        Returns the names of the columns to read.

    Raises
    ------
    ScenarioError
        The file is not text, or needs more memory than the limit.
    OSError, pyarrow.ArrowException
        The file cannot be read as CSV.
    """
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import csv as arrow  # noqa: PLC0415

    regular(path, allowed)
    with path.open("rb") as file:
        start = file.read(_LONGEST_HEADER)
    if (problem := encoding(start)) is not None:
        raise unreadable(path, problem, allowed)
    if b"\n" not in start and b"\r" not in start and len(start) == _LONGEST_HEADER:
        raise unreadable(path, "its first line is too long", allowed)
    serial = arrow.ReadOptions(use_threads=False)
    with arrow.open_csv(path.absolute(), read_options=serial) as stream:
        chosen = choose(stream.schema)
    schema = pa.schema([(name, pa.float64()) for name in chosen])
    convert = arrow.ConvertOptions(include_columns=list(chosen), column_types=schema)
    with arrow.open_csv(path.absolute(), read_options=serial, convert_options=convert) as stream:
        return gathered(path, schema, (pa.Table.from_batches([batch]) for batch in stream))


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa  # noqa: PLC0415

    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or kind == pa.large_binary()
    )


def _width(kind: pa.DataType) -> int:
    """Return the least size of a value in bytes."""
    try:
        bits: int = kind.bit_width
    except ValueError:  # texts, dictionaries
        return 4
    return max(1, bits // 8)
