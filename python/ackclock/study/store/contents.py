"""The current contents of a store, which are its parts and journals, and the maintenance of its folder."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from ackclock.running.reading import Room
from ackclock.study.store.folder import new_name
from ackclock.study.store.journal import Reading, is_journal, is_left
from ackclock.study.store.parts import NotWholeError, Part, is_own, made, merge, to_merge
from ackclock.study.store.row import entries
from ackclock.study.store.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from ackclock.study.store.folder import Folder

__all__ = ["Contents", "State"]

_PER_RUN: Final = 200
"""Memory for the id of a run, which is always read, in bytes."""
_HALF: Final = re.compile(r"\.[0-9a-f]{16}")
"""Names of parts that are half written or half removed."""


@dataclass(frozen=True, slots=True)
class State:
    """A part or a journal of a store, with its state."""

    place: Path
    runs: int
    bytes: int
    state: str


class Contents:
    """The parts and journals of a store. The store's folder must stay locked while this object is used.

    Parameters
    ----------
    folder
        The folder of the store.
    mend
        Move unusable files aside, and remove the leftovers of killed processes. Only a writer may do so, while it holds
        the exclusive lock of the folder. Otherwise nothing in the folder is changed.
    notices
        Receives a message about each unusable file.
    checked
        Function of the name of a record. It returns whether the files of the record are verified against their
        checksums (default: always true). The tables in `ackclock.study.store.tables.BASE` are always verified.
    through
        Also read files without a checksum completely, to find damage.

    Attributes
    ----------
    path
        The path of the folder.
    again
        Text for messages: the command that makes lost runs again.
    parts, journals
        The contents of the store.

    Raises
    ------
    ScenarioError
        A file or a folder of the store is a link or a special file.

    """

    def __init__(
        self,
        folder: Folder,
        *,
        mend: bool,
        notices: dict[str, None],
        checked: Callable[[str], bool] = lambda _: True,
        through: bool = False,
    ) -> None:
        self.path = folder.path
        self.again = f"`ackclock sweep STUDY --store {folder.path}` makes them again"
        self._folder = folder
        self._mend = mend
        self._notices = notices
        self._checked = checked
        self._through = through
        self._aside = folder.damaged_aside()
        there, journals = folder.entries(folder.parts), folder.entries(folder.journals)
        for path in folder.foreign():
            self._put_aside(path, "it does not belong to a store")
        parts = list(self._read_parts(there))
        replaced = frozenset().union(*(part.replaces for part in parts))
        self.parts = [part for part in parts if part.path.name not in replaced]
        Room(self.path).fits(_PER_RUN * sum(part.runs for part in self.parts))
        self._leave_out_what_was_made_again()
        self.journals = []
        for path in journals:
            if not is_journal(path):
                self._put_aside(path, "it is not a journal")
            elif path.name not in replaced:
                self.journals.append(path)
            elif mend:
                self._remove_journal(path, _damage(path))
        if mend:
            for part in parts:
                if part.path.name in replaced:
                    self._remove_part(part)

    def done(self) -> set[str]:
        """Return the ids of the successful runs that have all of their rows."""
        ids = {each for part in self.parts for piece in part.whole() for each in piece.to_pylist()}
        rows = (entry for path in self.journals for _, entry in entries(Reading(path)))
        return ids.union(entry.run_id for entry in rows if not entry.failed)

    def losses(self) -> list[str]:
        """Report the data of the store that was lost by damage and not restored."""
        again = self.again
        told = [
            f"{path}: this file was damaged, and its runs are missing; {again}, after which the file can be deleted"
            for path in self._aside
        ]
        for part in self.parts:
            if left := len(part.partial() - part.again):
                names, runs = ", ".join(sorted(part.lost)), "1 run" if left == 1 else f"{left:,} runs"
                told.append(f"{part.path}: rows of {names} are missing for {runs}, since a file was damaged; {again}")
            elif "failures" in part.missing:
                told.append(f"{part.path}: rows of failures are missing, since a file was damaged; {again}")
        return told

    def rows(self) -> Rows:
        """Return the rows of the journals that are not in a part yet."""
        rows = Rows(self.journals, lambda runs: made(self.parts, runs))
        self._notices.update((f"{path}: {why}", None) for path, why in rows.damage.items())
        return rows

    def states(self) -> list[State]:
        """Return the state of each part and journal; problems of journals are added to the notices."""
        found = []
        for part in self.parts:
            state = "sound" if part.has_checksums else "no checksums: an earlier version wrote it"
            found.append(State(part.path, part.runs, part.size, "rows are missing" if part.partial() else state))
        for path in self.journals:
            reading = Reading(path)
            runs = sum(1 for _ in entries(reading))
            if reading.damage is not None:
                self._notices[f"{path}: {reading.damage}"] = None
            found.append(State(path, runs, path.stat().st_size, "damaged" if reading.damage else "sound"))
        return found

    def compact(self) -> None:
        """Convert the journals that no process writes any more into parts.

        Raises
        ------
        OSError
            A part cannot be written, for example because the disk is full. No rows are lost.

        """
        for path in filter(is_left, self.journals.copy()):
            rows = Rows([path], lambda runs: made(self.parts, runs))
            if rows:
                self._merge(to_merge(self.parts, path.stat().st_size), rows, [path.name])
            self.journals.remove(path)
            self._remove_journal(path, rows.damage.get(path))
        self._leave_out_what_was_made_again()
        for part in self.parts.copy():
            if part.again and part.again == part.partial():  # other parts have all rows that this part lost
                self._merge([part], Rows([], lambda _: set()), [])
        pa.default_memory_pool().release_unused()

    def _merge(self, old: list[Part], rows: Rows, journals: list[str]) -> None:
        part = merge(self._folder.parts, new_name(), old, rows, journals)
        self.parts = [*(each for each in self.parts if each not in old), part]
        for each in old:
            self._remove_part(each)

    def _read_parts(self, there: Iterable[Path]) -> Iterator[Part]:
        for path in there:
            if path.name.startswith("."):
                if self._mend and _HALF.fullmatch(path.name) and path.is_dir():
                    self._remove_half(path)
                continue
            try:
                part = Part.read(path, self._checked, through=self._through)
            except NotWholeError as error:
                self._put_aside(path, error.why)
                continue
            for each in part.damaged:
                if each.path.exists():
                    self._put_aside(each.path, each.why)
            yield part

    def _leave_out_what_was_made_again(self) -> None:
        if any(part.lost for part in self.parts):
            whole = {each for part in self.parts for piece in part.whole() for each in piece.to_pylist()}
            self.parts = [replace(part, again=frozenset(part.partial() & whole)) for part in self.parts]

    def _put_aside(self, path: Path, why: str) -> None:
        where = "is ignored"
        if self._mend:
            with suppress(OSError):  # otherwise it stays in place
                where = f"was moved to {self._folder.put_aside(path)}"
        self._notices[f"{path}: {why}; it {where}"] = None

    def _remove_part(self, part: Part) -> None:
        """Remove a part; it is renamed first, so that no incomplete part is ever found."""
        self._remove_half(part.path.rename(part.path.with_name(f".{part.path.name}")))

    def _remove_half(self, path: Path) -> None:
        """Remove a part that is not used any more; if it holds files that no part has, put it aside instead."""
        if all(is_own(each) for each in path.iterdir()):
            _remove_tree(path)
        else:
            self._put_aside(path, "it holds files that do not belong to a store")

    def _remove_journal(self, path: Path, damage: str | None) -> None:
        """Remove a journal whose rows are in a part; a damaged journal is put aside instead."""
        if damage is None:
            path.unlink()
        else:
            self._put_aside(path, damage)


def _remove_tree(path: Path) -> None:
    """Remove a folder of files that is no longer used; later processes retry if it cannot be removed."""
    with suppress(OSError):
        for each in path.iterdir():
            each.unlink()
        path.rmdir()


def _damage(journal: Path) -> str | None:
    reading = Reading(journal)
    for _ in reading:
        pass
    return reading.damage
