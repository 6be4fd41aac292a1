"""The files in the folder of a store, and the locks for reading and changing them.

===============  ======================================================================================
``store.json``   marks the folder as a store, and has its `Record`
``lock``         an empty file: readers of the folder share its lock, writers lock it exclusively
``journal/``     one append-only file per writing process (`ackclock.study.store.journal`)
``parts/``       the rows of earlier journals as Parquet files (`ackclock.study.store.parts`)
``aside/``       unusable files, which a writer moved there
===============  ======================================================================================

A store may come from other people. A reader changes nothing in it, and nobody follows a link in it: a store in which
one of these files or folders is a link or a special file is refused (`ackclock.files.inside`).
"""

from __future__ import annotations

import json
import os
import re
import secrets
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from ackclock.files.checksum import CHANGED, is_sealed, sealed
from ackclock.files.inside import entries_in, file_in, folder_in, open_file
from ackclock.files.locks import lock
from ackclock.files.making import check_name
from ackclock.files.recognised import STORE, recognised
from ackclock.scenario.files import read_json
from ackclock.values.errors import ScenarioError, damaged, refuse, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["FORMAT", "Folder", "Record", "is_store"]

FORMAT: Final = 1
"""The format version that this program reads and writes."""

_KIND: Final = "ackclock store"

_WHOLE: Final = re.compile(r"([0-9a-f]{16}-)?(parts|journal)-[0-9a-f]{16}")
"""Names of parts and journals that were put aside."""


def is_store(path: Path) -> bool:
    """Return whether a path is the folder of a store, of any version."""
    return (path / STORE).is_file()


@dataclass(frozen=True)
class Record:
    """What a store knows of itself apart from its parts and journals, in ``store.json``."""

    revisions: tuple[str, ...] = ()
    """The revisions of the engine that made runs of the store, in the order in which they first did."""
    runs: int = 0
    """Number of runs that the parts had at most, so that missing ones are noticed."""
    parts: tuple[str, ...] = ()
    """Names of parts that have no run in common, and only runs of `revisions`: they need not be searched for others."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """What the last study asked that asked something: its question, measures and objective."""

    def merged(self, revisions: Iterable[str]) -> tuple[str, ...]:
        """Return the revisions, followed by others that are new."""
        return tuple(dict.fromkeys([*self.revisions, *revisions]))

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """Read the record; earlier versions wrote none of it."""
        runs = record.get("runs")
        revisions, parts = (record.get(name) for name in ("revisions", "parts"))
        names = (
            [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
            for found in (revisions, parts)
        )
        asked = record.get("asked")
        return cls(
            tuple(next(names)),
            runs if type(runs) is int else 0,
            tuple(next(names)),
            asked if isinstance(asked, dict) else {},
        )


class Folder:
    """The folder of a store.

    Parameters
    ----------
    path
        Path of the folder.
    create
        Create the store if the folder does not exist or is empty.

    Raises
    ------
    ScenarioError
        There is no store, or one that this version cannot read.

    """

    def __init__(self, path: Path, *, create: bool) -> None:
        check_name(path)
        self.path = path
        self.journals = path / "journal"
        self.parts = path / "parts"
        self.aside = path / "aside"
        self._lock = path / "lock"
        self._record = path / STORE
        self._making = path / ".store.json"
        if not os.path.lexists(self._record):
            if not create:
                raise unreadable(path, self._nothing(), "the folder of a store, as `ackclock sweep` makes it")
            self._create()
        self.record()

    @contextmanager
    def locked(self, *, alone: bool, wait: bool = True) -> Iterator[None]:
        """Lock the folder while the body runs: against writers, and with ``alone`` also against readers.

        Raises
        ------
        ScenarioError
            The file ``lock`` is a link or a special file.
        OSError
            Another process holds a conflicting lock and ``wait`` is false, or ``alone`` is true and the folder is not
            writable.

        """
        try:
            file = open_file(self._lock, os.O_RDWR | os.O_CREAT if alone else os.O_RDONLY)
        except FileNotFoundError:  # nobody writes to the store: a writer would have made the file
            yield
            return
        try:
            lock(file, alone=alone, wait=wait)
            yield
        finally:
            os.close(file)

    def foreign(self) -> list[Path]:
        """List files that do not belong to a store; names with a leading dot are ignored."""
        own = {self._record, self._lock, self.journals, self.parts, self.aside}
        return sorted(each for each in self.path.iterdir() if each not in own and not each.name.startswith("."))

    def entries(self, place: Path) -> list[Path]:
        """List the parts, the journals, or what was put aside, in order; a link among them is refused."""
        return entries_in(self.path, place.name)

    def put_aside(self, path: Path) -> Path:
        """Move a file aside, and return its new path; a link is moved itself, wherever it leads."""
        self.aside.mkdir(exist_ok=True)
        folder_in(self.path, self.aside.name)
        place = self.aside / "-".join(path.relative_to(self.path).parts)
        if place.exists() or place.is_symlink():
            place = place.with_name(f"{new_name()}-{place.name}")
        path.rename(place)
        return place

    def damaged_aside(self) -> list[Path]:
        """List whole parts and journals that were put aside: their rows may be missing in the store."""
        try:
            there = folder_in(self.path, self.aside.name).iterdir()
        except FileNotFoundError:
            return []
        return sorted(each for each in there if _WHOLE.fullmatch(each.name))

    def _nothing(self) -> str:
        if not self.path.exists():
            return "there is no such folder"
        why = f"it contains no {STORE}" if self.path.is_dir() else "it is not a folder"
        return recognised(self.path) or why

    def _create(self) -> None:
        """Create the folder, unless another process has just done so."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            others = set(self.path.iterdir()) - {self._lock, self._making}
            if others and not self._record.exists():  # the record of a store is created before anything else
                raise refuse("store", str(self.path), "must be a new or empty folder, or the folder of a store")
            with self.locked(alone=True):
                if not self._record.exists():
                    self.write(Record())
        except OSError as error:
            raise unreadable(self.path, str(error.strerror or error), "a folder that can be written") from None

    def write(self, record: Record) -> None:
        """Write the record of the store, which must be locked alone."""
        self.clear()
        with self._making.open("x", encoding="utf-8", newline="\n") as file:
            own = {name: value for name, value in asdict(record).items() if value or name != "asked"}
            file.write(json.dumps(sealed({"kind": _KIND, "format": FORMAT, **own})) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._making.replace(self._record)

    def clear(self) -> None:
        """Remove a record that a process was writing when it was killed."""
        with suppress(FileNotFoundError):
            file_in(self.path, self._making.name).unlink()

    def record(self) -> Record:
        """Read the record of the store.

        Raises
        ------
        ScenarioError
            This version cannot read the store.

        """
        record: dict[str, Any] = {}
        path = file_in(self.path, self._record.name)
        with suppress(ScenarioError):  # a file that is not JSON is not a record
            record = read_json(path)
        number = record.get("format")
        changed = "checksum" in record and not is_sealed(record)
        if changed or record.get("kind") != _KIND or not isinstance(number, int):
            if self.parts.exists() or self.journals.exists():
                whole = json.dumps({"kind": _KIND, "format": FORMAT})
                again = f"replace its content by {whole} to make the store readable again"
                raise damaged(self._record, CHANGED, again)
            raise unreadable(self._record, "it is not the record of a store", "the record that `ackclock sweep` wrote")
        if number > FORMAT:
            why = f"a newer version of Ackclock made it, in format {number}"
            raise unreadable(self.path, why, f"a store of format {FORMAT}; the newer version can read it")
        return Record.read(record)


def new_name() -> str:
    """Return an unused name."""
    return secrets.token_hex(8)
