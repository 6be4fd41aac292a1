"""The journal of one writing process: an append-only file of rows in which an incomplete row is detectable.

A file consists of `MAGIC` and frames. A frame is a header (length of the row, CRC-32 of the row, CRC-32 of these two)
and the row. If the file ends within a frame, the writer was killed while it wrote this frame, and the row was never in
the store. Any other frame with a wrong checksum was damaged later. The writer of a journal holds its lock: no process
writes to an unlocked journal.

A hidden file beside the journal counts its rows, each after it was written, so that a journal that lost rows at its end
can be distinguished from one whose writer was killed. It is made after the journal, and removed before it: without its
journal, somebody removed the journal.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Final
from zlib import crc32

from ackclock.files.inside import PLAIN, open_file
from ackclock.files.locks import lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["MAGIC", "Journal", "Reading", "counted", "counter", "is_journal", "is_left"]

MAGIC: Final = b"ackclock journal 1\n"
_LENGTHS: Final = struct.Struct("<QI")
_CHECK: Final = struct.Struct("<I")
_COUNT: Final = struct.Struct("<Q")
_BINARY: Final[int] = getattr(os, "O_BINARY", 0)  # only Windows has it
_HEADER: Final = _LENGTHS.size + _CHECK.size


class Journal:
    """A new journal, open for writing, and locked until it is closed.

    Parameters
    ----------
    path
        Path of the new file.

    Raises
    ------
    OSError
        The file exists already or cannot be created.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        """Size of the file in bytes."""
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY | PLAIN, 0o666)
        lock(self._file, alone=True)
        self._write(MAGIC)
        self._rows = 0
        self._count = os.open(counter(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | PLAIN, 0o666)

    def append(self, row: bytes) -> None:
        """Append a row, completely or not at all. After the call, the row survives the end of this process.

        Raises
        ------
        OSError
            The row cannot be written, for example because the disk is full. Earlier rows are unaffected.

        """
        lengths = _LENGTHS.pack(len(row), crc32(row))
        self._write(b"".join([lengths, _CHECK.pack(crc32(lengths)), row]))
        self._rows += 1
        count = _COUNT.pack(self._rows)
        os.lseek(self._count, 0, os.SEEK_SET)
        os.write(self._count, count + _CHECK.pack(crc32(count)))

    def close(self) -> None:
        """Close the files."""
        os.close(self._file)
        os.close(self._count)

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            self.size += len(content)
        except BaseException as error:
            os.ftruncate(self._file, self.size)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(self.path)) from None
            raise


class Reading:
    """The complete rows of a journal; another process may be writing to it.

    Parameters
    ----------
    path
        The journal.

    Attributes
    ----------
    damage
        Set after all rows were read: the problem of the file, or ``None``. An incomplete last row is not a problem.

    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.damage: str | None = None

    def __iter__(self) -> Iterator[bytes]:
        written = counted(self._path)
        rows = 0
        for row in self._rows():
            yield row
            rows += 1
        if rows < written and self.damage is None:
            self.damage = f"it was cut: {rows:,} of its {written:,} rows are left"

    def _rows(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            start = file.read(len(MAGIC))
            if start != MAGIC:
                self.damage = None if MAGIC.startswith(start) else "it is not a journal"
                return
            end = os.fstat(file.fileno()).st_size
            while len(header := file.read(_HEADER)) == _HEADER:
                lengths = header[: _LENGTHS.size]
                if _CHECK.pack(crc32(lengths)) != header[_LENGTHS.size :]:
                    self.damage = f"it is damaged at byte {file.tell() - _HEADER}, and nothing after it can be read"
                    return
                length, check = _LENGTHS.unpack(lengths)
                place = file.tell()
                if place + length > end:
                    return
                row = file.read(length)
                if crc32(row) == check:
                    yield row
                else:
                    self.damage = f"the row at byte {place} is damaged"


def counter(journal: Path) -> Path:
    """Return the path of the file that counts the rows of a journal."""
    return journal.with_name(f".{journal.name}")


def counted(journal: Path) -> int:
    """Return how many rows a journal had, or 0 if nothing says so: earlier versions did not count them."""
    try:
        file = os.open(counter(journal), os.O_RDONLY | _BINARY | PLAIN)
    except OSError:
        return 0
    try:
        content = os.read(file, _COUNT.size + _CHECK.size)
    finally:
        os.close(file)
    count, check = content[: _COUNT.size], content[_COUNT.size :]
    return int(_COUNT.unpack(count)[0]) if _CHECK.pack(crc32(count)) == check else 0


def is_journal(path: Path) -> bool:
    """Return whether a file starts with `MAGIC`, or with its beginning if the file was truncated."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MAGIC.startswith(file.read(len(MAGIC)))


def is_left(path: Path) -> bool:
    """Return whether no process writes to a journal any more."""
    file = open_file(path, os.O_RDWR)
    try:
        lock(file, alone=True, wait=False)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(file)
