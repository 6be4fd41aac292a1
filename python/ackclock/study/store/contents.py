"""The current contents of a store, which are its parts and journals, and the maintenance of its folder."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from ackclock.files.reading import Room
from ackclock.study.store.folder import new_name
from ackclock.study.store.journal import Reading, counted, counter, is_journal, is_left
from ackclock.study.store.parts import NotWholeError, Part, is_own, made, merge, sources, to_merge
from ackclock.study.store.row import entries
from ackclock.study.store.rows import Rows
from ackclock.study.store.tables import UNKNOWN, revisions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
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
    known_parts
        Parts that were read since the folder was locked: they are not read again.

    Attributes
    ----------
    path
        The path of the folder.
    again
        Text for messages: the command that makes lost runs again.
    parts, journals
        The contents of the store.
    known
        Whether the record of the store listed all parts when they were read.

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
        known_parts: Iterable[Part] = (),
    ) -> None:
        self.path = folder.path
        self.again = f"`ackclock sweep STUDY --store {folder.path}` makes them again"
        self._folder = folder
        self._mend = mend
        self._notices = notices
        self._checked = checked
        self._through = through
        self._known_parts = {part.path: part for part in known_parts}
        self._rows: Rows | None = None
        self._removed: list[str] = []
        self._aside = folder.damaged_aside()
        there, journals = folder.entries(folder.parts), folder.entries(folder.journals)
        for path in folder.foreign():
            self._put_aside(path, "it does not belong to a store")
        parts = list(self._read_parts(there))
        replaced = frozenset().union(*(part.replaces for part in parts))
        self.parts = [part for part in parts if part.path.name not in replaced]
        Room(self.path).fits(_PER_RUN * sum(part.runs for part in self.parts))
        self._record = folder.record()
        self.known = {part.path.name for part in self.parts} <= {*self._record.parts}
        if not self.known or any(part.lost for part in self.parts):
            self._leave_out_what_others_have()
        self.journals: list[Path] = []
        self._read_journals(journals, replaced)
        if mend:
            for part in parts:
                if part.path.name in replaced:
                    self._remove_part(part)

    def _read_journals(self, there: Iterable[Path], replaced: Collection[str]) -> None:
        for path in there:
            if path.name.startswith("."):
                self._check_journal(path)
            elif not is_journal(path):
                self._put_aside(path, "it is not a journal")
            elif path.name not in replaced:
                self.journals.append(path)
            elif self._mend:
                self._remove_journal(path, _damage(path))

    def done(self) -> set[str]:
        """Return the ids of the successful runs that have all of their rows."""
        ids = {each for part in self.parts for piece in part.whole() for each in piece.to_pylist()}
        rows = (entry for path in self.journals for _, entry in entries(Reading(path)))
        return ids.union(entry.run_id for entry in rows if not entry.failed)

    def losses(self) -> list[str]:
        """Report the data of the store that was lost by damage and not restored."""
        again = self.again
        lines = [
            f"{path}: this file was damaged, and its runs are missing; {again}, after which the file can be deleted"
            for path in self._aside
        ]
        lines += self._removed
        for part in self.parts:
            if left := len(part.partial() - part.again):
                names, runs = ", ".join(sorted(part.lost)), "1 run" if left == 1 else f"{left:,} runs"
                lines.append(f"{part.path}: rows of {names} are missing for {runs}, since a file was damaged; {again}")
            elif "failures" in part.missing:
                lines.append(f"{part.path}: rows of failures are missing, since a file was damaged; {again}")
        return lines

    def rows(self) -> Rows:
        """Return the rows of the journals that are not in a part yet."""
        if self._rows is None:
            self._rows = Rows(self.journals, lambda runs: made(self.parts, runs))
            self._notices.update((f"{path}: {why}", None) for path, why in self._rows.damage.items())
        return self._rows

    def missing(self) -> int:
        """Return how many runs the parts once had and have no more."""
        return max(0, self._record.runs - self.stored)

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
        if any(part.lost or part.again for part in self.parts):
            self._leave_out_what_others_have()
        for part in self.parts.copy():
            if part.lost and part.again and part.partial() <= part.again:  # other parts have all rows that it lost
                self._merge([part], Rows([], lambda _: set()), [])
        pa.default_memory_pool().release_unused()

    def revisions(self) -> dict[str, int]:
        """Count the runs and failures by the revision of the engine that made them, the newest revision first."""
        found: Counter[str] = Counter()
        searched = sources(self.parts, self.rows())
        if self.known and len(self._record.revisions) == 1:
            found[self._record.revisions[0]] = sum(part.runs for part in self.parts)
            searched = [self.rows()]
        for source in searched:
            for name in ("runs", "failures"):
                for piece in source.pieces(name, ["run_id", "revision"]) if name in source.schemas else ():
                    for each in revisions_of(piece).value_counts():
                        found[each["values"].as_py()] += each["counts"].as_py()
        known = self._record.revisions
        return {name: found[name] for name in sorted(+found, key=lambda name: _age(name, known))}

    @property
    def stored(self) -> int:
        """Number of different runs in parts."""
        return sum(part.runs - len(part.again) for part in self.parts)

    @property
    def twice(self) -> int:
        """Number of runs that are in several parts although none of their rows were lost."""
        return sum(len(part.again) for part in self.parts if not part.lost)

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
                part = self._known_parts.get(path) or Part.read(path, self._checked, through=self._through)
            except NotWholeError as error:
                self._put_aside(path, error.why)
                continue
            for each in part.damaged:
                if each.path.exists():
                    self._put_aside(each.path, each.why)
            yield part

    def _leave_out_what_others_have(self) -> None:
        """Find the runs that several parts have; one part has them whole, or the first one, if none does."""
        known = set[str]()
        if len(self.parts) < 2:
            return
        ids = pa.chunked_array([each for part in self.parts for each in part.ids()], pa.string())
        if pc.count_distinct(ids).as_py() == len(ids):
            self.parts = [replace(part, again=frozenset()) for part in self.parts]
            return
        whole = [{each for piece in part.whole() for each in piece.to_pylist()} for part in self.parts]
        anywhere = set[str]().union(*whole)
        for place, (part, own) in enumerate(zip(self.parts, whole, strict=True)):
            there = {each for piece in part.ids() for each in piece.to_pylist()}
            again = {each for each in there if each in known or (each not in own and each in anywhere)}
            known |= there - again
            self.parts[place] = replace(part, again=frozenset(again))

    def _check_journal(self, count: Path) -> None:
        """Report a removed journal, of which only the file that counted its rows is left."""
        journal = count.with_name(count.name[1:])
        if _HALF.fullmatch(count.name) and not journal.exists():
            rows = counted(journal)
            if rows:
                self._removed.append(
                    f"{journal}: it was removed with its {rows:,} row{'s' if rows > 1 else ''}; {self.again}, after "
                    f"which {count} can be deleted"
                )
            elif self._mend:
                count.unlink()

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
        counter(path).unlink(missing_ok=True)
        if damage is None:
            path.unlink()
        else:
            self._put_aside(path, damage)


def _age(revision: str, known: Sequence[str]) -> tuple[int, str]:
    """Return a key that sorts the newest revision first; earlier versions did not note when a revision was new."""
    return (-known.index(revision) - 1 if revision in known else int(revision == UNKNOWN), revision)


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
