"""Checksums: whether a file, or a record in JSON, still has the bytes that were written.

They are CRC-32, as those of journals are. It detects every change within 32 adjacent bits and all but one in four
billion of the others, and it is the fastest one in Python's standard library. It protects against damage, not forgery.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["CHANGED", "checksum", "is_sealed", "sealed"]

CHANGED: Final = "its bytes are not those that were written"
"""What is wrong with a file whose checksum differs."""

_SEAL: Final = "checksum"
_PIECE: Final = 1 << 20

_known: Final[dict[tuple[int, ...], str]] = {}
"""The checksums of files that this process has read."""


def checksum(path: Path) -> str:
    """Compute the checksum of a file.

    A process reads a file once: again only when its inode, its size or its time of modification changed.

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
    identity = now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns
    if identity not in _known:
        value, piece = 0, memoryview(bytearray(_PIECE))
        with path.open("rb", buffering=0) as file:
            while count := file.readinto(piece):
                value = crc32(piece[:count], value)
        _known[identity] = f"{value:08x}"
    return _known[identity]


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Add its own checksum to a record that is to be written as JSON."""
    return {**record, _SEAL: _of_record(record)}


def is_sealed(record: Mapping[str, Any]) -> bool:
    """Tell whether a record has a checksum, and is what `sealed` gave.

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
