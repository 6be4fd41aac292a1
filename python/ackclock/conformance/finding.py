"""Finds scripts, and the files of shell commands that they execute."""

import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ackclock.values.errors import unreadable

SUFFIX: Final = ".pkt"
"""Suffix of the names of scripts."""
LARGEST: Final = 1 << 20
"""Largest script in bytes, and largest file of commands."""
_ALLOWED: Final = "a script or a folder of scripts"


def scripts(paths: Iterable[Path]) -> list[Path]:
    """List scripts: the given files, and all files ``*.pkt`` below the given folders, in alphabetical order.

    Raises
    ------
    ScenarioError
        A path does not exist, or a folder has no scripts.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            below = sorted(each for each in path.rglob(f"*{SUFFIX}") if each.is_file())
            if not below:
                raise unreadable(path, f"the folder has no files *{SUFFIX}", _ALLOWED)
            found.extend(below)
        elif not path.exists():
            raise unreadable(path, "it does not exist", _ALLOWED)
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def content(path: Path) -> bytes:
    """Read a script.

    Raises
    ------
    ScenarioError
        The file cannot be read, or is too large.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise unreadable(path, "it is not a regular file", _ALLOWED)
        with path.open("rb") as file:
            read = file.read(LARGEST + 1)
    except OSError as error:
        raise unreadable(path, error.strerror or str(error), _ALLOWED) from None
    if len(read) > LARGEST:
        raise unreadable(path, f"it has more than {LARGEST:,} bytes", "a script")
    return read


def commands(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Read the files of shell commands that exist. Names are relative to the folder of the script."""
    found: dict[str, str] = {}
    for name in names:
        path = folder / name
        with suppress(OSError, UnicodeDecodeError, ValueError):
            if path.is_file() and path.stat().st_size <= LARGEST:
                found[name] = path.read_text(encoding="utf-8")
    return found
