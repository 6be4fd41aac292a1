"""Checksums that detect whether a file, or a JSON record, has changed since it was written.

Checksums are CRC-32. CRC-32 detects every change within 32 adjacent bits and all but one in four billion
other changes, and it is the fastest checksum in Python's standard library. It protects against damage, not against
forgery.
"""

from __future__ import annotations

import errno
import json
import stat
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["CHANGED", "checksum", "is_sealed", "sealed"]

CHANGED: Final = "its content has changed since it was written"
"""The reason given in messages about a file whose checksum differs."""

_SEAL: Final = "checksum"
_PIECE: Final = 1 << 20

_known: Final[dict[tuple[int, ...], str]] = {}
"""Cache: checksums of the files that this process has read."""


def checksum(path: Path) -> str:
    """Compute the checksum of a file.

    Checksums are cached: a file is read again only if its inode, size or modification time has changed.

    Returns
    -------
    str
        8 hexadecimal digits.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    now = path.stat()
    if not stat.S_ISREG(now.st_mode):  # a pipe may never end
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    identity = now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns
    if identity not in _known:
        value, piece = 0, memoryview(bytearray(_PIECE))
        with path.open("rb", buffering=0) as file:
            while count := file.readinto(piece):
                value = crc32(piece[:count], value)
        _known[identity] = f"{value:08x}"
    return _known[identity]


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record, to be written as JSON, with a field for its checksum."""
    return {**record, _SEAL: _of_record(record)}


def is_sealed(record: Mapping[str, Any]) -> bool:
    """Return whether a record has a checksum that matches its content.

    Examples
    --------
    >>> record = sealed({"tables": ["runs"]})
    >>> is_sealed(record), is_sealed(record | {"tables": ["run"]}), is_sealed({})
    (True, False, False)

    """
    rest = {name: value for name, value in record.items() if name != _SEAL}
    return _SEAL in record and record[_SEAL] == _of_record(rest)


def _of_record(record: Mapping[str, Any]) -> str:
    return f"{crc32(json.dumps(record, sort_keys=True).encode()):08x}"
