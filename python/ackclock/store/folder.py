"""What lies in the folder of a store, and who may change it.

====================  =====================================================================================
``store.json``        says that the folder is a store, and of which format
``lock``              an empty file; whoever reads the folder shares its lock, whoever changes it holds it alone
``journal/``          a file for each process that writes, appended to (`ackclock.store.journal`)
``parts/``            what was in journals before, as Parquet (`ackclock.store.parts`)
``aside/``            what was found and cannot be used
====================  =====================================================================================
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from ackclock.errors import refuse, unreadable
from ackclock.scenario.files import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["FORMAT", "Folder"]

FORMAT: Final = 1
"""What this version reads and writes."""

_KIND: Final = "ackclock store"


class Folder:
    """The folder of a store.

    Parameters
    ----------
    path
        Where it is.
    create
        Make it if nothing is there.

    Raises
    ------
    ScenarioError
        There is no store, or one that this version cannot read.

    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path = path
        self.journals = path / "journal"
        self.parts = path / "parts"
        self.aside = path / "aside"
        self._lock = path / "lock"
        self._record = path / "store.json"
        if not self._record.exists():
            if not create:
                raise unreadable(path, self._nothing(), "the folder of a store, as `ackclock sweep` makes it")
            self._create()
        self._check()

    @contextmanager
    def locked(self, *, alone: bool) -> Iterator[None]:
        """Wait until nobody changes the folder (``alone``: nor reads it), and keep it so meanwhile."""
        lock = os.open(self._lock, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            os.close(lock)

    def new_name(self) -> str:
        """Make up a name that nothing in the folder has."""
        return secrets.token_hex(8)

    def _nothing(self) -> str:
        if not self.path.exists():
            return "there is no such folder"
        return "it holds no store.json" if self.path.is_dir() else "it is no folder"

    def _create(self) -> None:
        """Make the folder; who comes second finds it made."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            making = self.path / ".store.json"
            if {each.name for each in self.path.iterdir()} - {self._lock.name, self._record.name, making.name}:
                raise refuse("store", str(self.path), "must be a new folder, or that of a store")
            self._lock.touch()
            with self.locked(alone=True):
                if not self._record.exists():
                    making.write_text(json.dumps({"kind": _KIND, "format": FORMAT}) + "\n")
                    making.rename(self._record)
        except OSError as error:
            raise unreadable(self.path, str(error.strerror or error), "a folder that can be written") from None

    def _check(self) -> None:
        record = read_json(self._record)
        number = record.get("format")
        if record.get("kind") != _KIND or not isinstance(number, int):
            raise unreadable(self._record, "it is not that of a store", "what `ackclock sweep` wrote")
        if number > FORMAT:
            why = f"a newer version of Ackclock made it, in format {number}"
            raise unreadable(self.path, why, f"a store of format {FORMAT}, or be read by that version")
