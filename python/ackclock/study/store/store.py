"""A store: rows go in, whole; tables come out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from ackclock.scenario.errors import refuse, unreadable
from ackclock.study.store.folder import Folder, new_name
from ackclock.study.store.journal import Journal
from ackclock.study.store.row import Row, encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ackclock.study.store.contents import Contents, State

__all__ = ["Store", "Table"]

_LONGEST_JOURNAL: Final = 1_000_000
"""Bytes after which a journal is compacted: its rows are in memory then."""


class Store:
    """A folder that is a database of runs. Several processes may add to one at once.

    Parameters
    ----------
    folder
        Where it is.
    create
        Open it to write, and make it if nothing is there.

    Attributes
    ----------
    notices
        What was found in the folder and cannot be used.

    Raises
    ------
    ScenarioError
        There is no store, or one that this version cannot read, or, with ``create``, write.

    """

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self._folder = Folder(folder, create=create)
        self._writes = create
        self._journal: Journal | None = None
        self._scenarios: set[str] = set()
        self._notices: dict[str, None] = {}
        self._losses: list[str] = []
        try:
            self._tidy()
        except OSError as error:
            if create:  # who only reads can do so all the same
                raise unreadable(folder, str(error.strerror or error), "a folder that can be written") from None

    @classmethod
    def open(cls, folder: str | Path, *, create: bool = False) -> Self:
        """Open a store, as the class itself does; this is ``ackclock.open``."""
        return cls(Path(folder), create=create)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What was found in the folder and cannot be used, and what damage took that was not made again."""
        return *self._notices, *self._losses

    def done(self) -> set[str]:
        """Return the runs now in the store, including those that other processes added.

        Runs that failed or whose rows were lost are excluded.
        """
        with self._folder.locked(alone=False):
            return self._contents(mend=False, checked=lambda _: self._writes).done()

    def add(self, row: Row) -> None:
        """Add a run. When this returns, the end of the process cannot lose it.

        Raises
        ------
        OSError
            It cannot be written, as on a full disk; what was there before still is.

        """
        for name in row.point.keys() & row.summary.keys():
            raise refuse("point", name, "must not have the name of a measured number")
        if self._journal is None:
            with self._folder.locked(alone=True):
                self._folder.journals.mkdir(exist_ok=True)
                self._journal = Journal(self._folder.journals / new_name())
        self._journal.append(encode(row, with_scenario=row.scenario_id not in self._scenarios))
        self._scenarios.add(row.scenario_id)
        if self._journal.size > _LONGEST_JOURNAL:
            self.close()

    def close(self) -> None:
        """Convert the written rows to Parquet; the store can still be used.

        Raises
        ------
        OSError
            That cannot be written, as on a full disk; nothing is lost.

        """
        if self._journal is not None:
            self._journal.close()
            self._journal = None
            self._scenarios.clear()
        if self._writes:
            self._tidy()

    def check(self) -> list[State]:
        """Hold every file to its checksum, and move aside what is damaged; `notices` has what was found.

        Returns
        -------
        list of State
            The parts and journals that there are.

        """
        try:
            with self._folder.locked(alone=True):
                return self._contents(mend=True, through=True).states()
        except OSError:  # it can only be read
            with self._folder.locked(alone=False):
                return self._contents(mend=False, through=True).states()

    def sql(self, query: str) -> pa.Table:
        """Ask the store.

        Parameters
        ----------
        query
            One ``SELECT`` in DuckDB's SQL over ``runs``, ``groups``, ``scenarios``, ``failures``, ``notices``,
            ``costs`` and the records that were asked for.

        Returns
        -------
        pyarrow.Table
            The answer.

        Raises
        ------
        ScenarioError
            It is no such query, or there is an error in it.

        """
        from ackclock.study.store.sql import ask, names  # noqa: PLC0415  # slow to load

        with self._folder.locked(alone=False):
            return ask(self._contents(mend=False, checked=lambda name: names(query, name)), query)

    def table(self, name: str) -> Table:
        """Give all of a table, such as ``groups`` or the kind of a record."""
        from ackclock.study.store.sql import identifier  # noqa: PLC0415

        return Table(self.sql(f"from {identifier(name)}"))

    @property
    def runs(self) -> Table:
        """All runs but those that failed: what was swept, and the numbers of the summaries."""
        return self.table("runs")

    def _tidy(self) -> None:
        """Put the folder in order; who writes also turns journals that nobody writes any more into Parquet."""
        with self._folder.locked(alone=True, wait=self._writes):
            contents = self._contents(mend=True, checked=lambda _: self._writes)
            if self._writes:
                contents.compact()
                self._losses = contents.losses()

    def _contents(
        self, *, mend: bool, checked: Callable[[str], bool] = lambda _: True, through: bool = False
    ) -> Contents:
        from ackclock.study.store.contents import Contents  # noqa: PLC0415  # it loads Arrow

        contents = Contents(self._folder, mend=mend, notices=self._notices, checked=checked, through=through)
        self._losses = contents.losses()
        return contents


class Table:
    """A table, for the library of your choice."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __repr__(self) -> str:
        return f"Table({len(self._table)} rows; columns: {', '.join(self._table.column_names)})"

    def to_arrow(self) -> pa.Table:
        """Give it as a ``pyarrow.Table``."""
        return self._table

    def to_polars(self) -> pl.DataFrame:
        """Give it as a ``polars.DataFrame``."""
        import polars as pl  # noqa: PLC0415

        return pl.DataFrame(self._table)

    def to_pandas(self) -> pd.DataFrame:
        """Give it as a ``pandas.DataFrame``."""
        frame: pd.DataFrame = self._table.to_pandas()
        return frame
