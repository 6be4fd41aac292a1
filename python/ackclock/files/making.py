"""Makes files and folders that appear under their name only once they are complete.

The content is made beside its place, under the name ``.NAME.making-DIGITS``. A failure or an interrupt removes it. A
process that is killed leaves it: whoever makes the same name next removes it, if nobody holds its lock any more.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ackclock.files.locks import lock
from ackclock.values.errors import unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["beside", "check_name", "new_file", "new_folder", "replace_folder"]

_LONGEST: Final = 200
"""Characters of the name that are kept, as file systems limit the length of a name."""
_LOCKS_FOLDERS: Final = os.name != "nt"


@contextmanager
def new_folder(out: Path, place: Callable[[Path], None], *, allowed: str) -> Iterator[Path]:
    """Make a folder; ``place`` moves it to its name.

    Yields
    ------
    pathlib.Path
        An empty folder to write into.

    Raises
    ------
    ScenarioError
        The folder cannot be made; ``allowed`` ends the sentence.
    OSError
        It cannot be written, for example because the disk is full.
    """
    with _made(out, allowed, Path.mkdir) as made:
        yield made
        made.chmod(0o755)
        place(made)


@contextmanager
def new_file(
    out: Path, *, allowed: str, replaces: bool = False, check: Callable[[], None] = lambda: None
) -> Iterator[Path]:
    """Make a file.

    Parameters
    ----------
    out
        The name. Folders on the way to it are made.
    allowed
        End of the sentence of an error.
    replaces
        Whether an earlier file is replaced.
    check
        Called before the file gets its name, to refuse what has come into being there.

    Yields
    ------
    pathlib.Path
        An empty file to write.

    Raises
    ------
    ScenarioError
        The file cannot be made.
    OSError
        It cannot be written, for example because the disk is full.
    """
    with _made(out, allowed, lambda path: path.touch(exist_ok=False)) as made:
        yield made
        made.chmod(0o644)
        check()
        (made.replace if replaces else made.rename)(out)


@contextmanager
def _made(out: Path, allowed: str, create: Callable[[Path], None]) -> Iterator[Path]:
    check_name(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _clear(out)
        made, held = _locked(out, create)
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        # what stands in the place of a folder on the way to the name
        why = "Not a directory" if isinstance(error, FileExistsError) else getattr(error, "strerror", None)
        raise unreadable(out, str(why or error), allowed) from None
    try:
        yield made
    except OSError as error:
        if error.filename is None or made.name in str(error.filename):  # a full disk gives no name
            error.filename = str(out)
        raise
    finally:
        _remove(made)
        if held is not None:
            os.close(held)


def check_name(out: Path) -> None:
    """Refuse a name that is not text in UTF-8, which neither Parquet nor records can hold.

    Raises
    ------
    ScenarioError
        The name, or the name of a folder on the way to it, is not UTF-8.
    """
    try:
        str(out.absolute()).encode()
    except UnicodeEncodeError:
        raise unreadable(out, "its name is not UTF-8", "a name in UTF-8") from None


def beside(out: Path, word: str = "making") -> Path:
    """Return an unused name beside a name."""
    return out.with_name(f".{out.name[:_LONGEST]}.{word}-{secrets.token_hex(8)}")


def replace_folder(made: Path, out: Path) -> None:
    """Give a new folder its name, instead of an earlier folder, which is removed."""
    if not out.exists():
        made.rename(out)
        return
    earlier, held = beside(out, "replaced"), None
    if _LOCKS_FOLDERS:
        held = os.open(out, os.O_RDONLY)
        lock(held, alone=True)
    try:
        out.rename(earlier)
        try:
            made.rename(out)
        except BaseException:
            earlier.rename(out)
            raise
        _remove(earlier)
    finally:
        if held is not None:
            os.close(held)


def _locked(out: Path, create: Callable[[Path], None]) -> tuple[Path, int | None]:
    """Create a file or folder, and lock it. An interrupt in between removes it."""
    while True:
        made = beside(out)
        try:
            create(made)
            if made.is_dir() and not _LOCKS_FOLDERS:
                return made, None
            held = os.open(made, os.O_RDONLY)
            lock(held, alone=True)
            if made.exists():  # nobody took it for a leftover before it was locked
                return made, held
        except BaseException:
            _remove(made)
            raise
        os.close(held)


def _clear(out: Path) -> None:
    """Remove what processes left of the same name that have ended, as the locks show."""
    pattern = re.compile(re.escape(f".{out.name[:_LONGEST]}.") + r"(making|replaced)-[0-9a-f]{16}")
    for path in [each for each in out.parent.iterdir() if pattern.fullmatch(each.name)]:
        with suppress(OSError):
            kind = path.lstat()
            if not (stat.S_ISREG(kind.st_mode) or (stat.S_ISDIR(kind.st_mode) and _LOCKS_FOLDERS)):
                continue
            held = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                lock(held, alone=True, wait=False)
                if ".replaced-" in path.name and not out.exists():
                    path.rename(out)  # the process ended before it had put the new folder there
                else:
                    _remove(path)
            finally:
                os.close(held)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
