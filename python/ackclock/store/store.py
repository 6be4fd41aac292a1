"""A store: rows go in, whole; tables come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from ackclock.store.folder import Folder
from ackclock.store.journal import Journal, Reading
from ackclock.store.row import Row, encode, head

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Store"]


class Store:
    """A folder that is a database of runs. Several processes may add to one at once."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._journal: Journal | None = None
        self._scenarios: set[str] = set()
        self.notices: tuple[str, ...] = ()
        """What was found in the folder and cannot be used."""

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Open a store.

        Raises
        ------
        ScenarioError
            There is no store, or one that this version cannot read.

        """
        return cls(Folder(folder, create=create))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def done(self) -> set[str]:
        """Give the runs that are there, whoever wrote them, but for those that failed."""
        with self._folder.locked(alone=False):
            rows = [head(row) for path in self._folder.journals.glob("*") for row in Reading(path)]
        return {row["run_id"] for row in rows if row["failure"] is None}

    def add(self, row: Row) -> None:
        """Add a run. When this returns, the end of the process cannot lose it.

        Raises
        ------
        OSError
            It cannot be written, as on a full disk; what was there before still is.

        """
        if self._journal is None:
            with self._folder.locked(alone=True):
                self._folder.journals.mkdir(exist_ok=True)
                self._journal = Journal(self._folder.journals / self._folder.new_name())
        self._journal.append(encode(row, with_scenario=row.scenario_id not in self._scenarios))
        self._scenarios.add(row.scenario_id)

    def close(self) -> None:
        """Let go of the store."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
