"""Paths within a folder that other people may have made: whatever is in it must not name a place outside of it.

A name is a sequence of plain words, and each step of it a real folder or a regular file. Links are never followed, and
pipes and devices never opened, because they may belong to anything. Folders on another file system are refused for the
same reason. The folder itself may be reached through a link: its user named it.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Final

from ackclock.values.errors import shown, unreadable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PLAIN", "entries_in", "file_in", "folder_in", "is_plain", "open_file"]

PLAIN: Final[int] = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags of `os.open` that neither follow a link nor wait for the other end of a pipe."""

_KINDS: Final = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_JUNCTION: Final = 0xA0000003
"""Tag of a folder on Windows that leads to another one, without being a symbolic link."""
_STEP: Final = re.compile(r"[^/\\:\0]+")
"""A word in a path. Backslashes and colons separate words on Windows."""


def is_plain(path: Path) -> bool:
    """Return whether a path is a regular file or a real folder, rather than a link, a pipe or a device."""
    return stat.S_IFMT(path.lstat().st_mode) in {stat.S_IFREG, stat.S_IFDIR} and not _is_junction(path.lstat())


def file_in(folder: Path, name: str) -> Path:
    """Return the path of a regular file in a folder.

    Parameters
    ----------
    folder
        The folder.
    name
        Name of the file, with slashes if it is in a folder below.

    Raises
    ------
    ScenarioError
        The name leads out of the folder, or the file or a folder on the way to it is a link or a special file.
    OSError
        There is no such file.

    """
    steps = name.split("/")
    if not all(_STEP.fullmatch(step) and step not in {".", ".."} for step in steps):
        raise unreadable(folder, f"it names the file {shown(name)}", "a folder that names only files in it")
    for step in steps[:-1]:
        folder = folder_in(folder, step)
    path = folder / steps[-1]
    _require(path, stat.S_IFREG)
    return path


def folder_in(folder: Path, name: str) -> Path:
    """Return the path of a real folder directly in another one, on the same file system.

    Raises
    ------
    ScenarioError
        It is a link, something other than a folder, or on another file system.
    OSError
        There is no such folder.

    """
    path = folder / name
    if _require(path, stat.S_IFDIR).st_dev != folder.stat().st_dev:
        raise unreadable(path, "it is on another file system", f"a folder on the file system of {folder}")
    return path


def entries_in(folder: Path, name: str) -> list[Path]:
    """List the files and folders in a folder below another one, in order; nothing if it does not exist.

    Raises
    ------
    ScenarioError
        The folder, or something in it, is a link or a special file.

    """
    try:
        there = sorted(folder_in(folder, name).iterdir())
    except FileNotFoundError:
        return []
    for path in there:
        if path.is_dir() and not path.is_symlink():
            folder_in(path.parent, path.name)
        else:
            _require(path, stat.S_IFREG)
    return there


def open_file(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a regular file, and return its descriptor; a link or a special file is refused.

    Raises
    ------
    ScenarioError
        It is not a regular file.
    OSError
        It cannot be opened.

    """
    try:
        _require(path, stat.S_IFREG)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    return os.open(path, flags | PLAIN, 0o666)


def _require(path: Path, kind: int) -> os.stat_result:
    found = path.lstat()
    if stat.S_IFMT(found.st_mode) != kind or _is_junction(found):
        what = "a link" if _is_junction(found) else _KINDS.get(stat.S_IFMT(found.st_mode), "a special file")
        wanted = "a regular file" if kind == stat.S_IFREG else "a folder"
        raise unreadable(path, f"it is {what}", f"{wanted} in {path.parent}")
    return found


def _is_junction(found: os.stat_result) -> bool:
    return getattr(found, "st_reparse_tag", 0) == _JUNCTION
