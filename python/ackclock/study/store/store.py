"""The store of a sweep: adds runs as rows, and returns tables."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from ackclock.scenario.extras import optional
from ackclock.study.store.folder import Folder, Record, new_name
from ackclock.study.store.journal import Journal
from ackclock.study.store.row import Row, encode
from ackclock.values.errors import listed, one_of, refuse, unreadable
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

    from ackclock.study.store.contents import Contents, State
    from ackclock.study.store.parts import Part
    from ackclock.values.arrow import ArrowTable

__all__ = ["Store", "Table"]

_LONGEST_JOURNAL: Final = 1_000_000
"""Size in bytes above which a journal is compacted. Compaction holds the journal's rows in memory."""
_SHOWN: Final = 10
_LONGEST_CELL: Final = 60
"""Number of rows and of characters of a cell that a notebook shows."""


class Store:
    """A folder that acts as a database of runs. Several processes may add runs at the same time.

    Parameters
    ----------
    folder
        Path of the folder.
    create
        Open the store for writing, and create it if it does not exist.
    revision
        Show the runs of this revision of the engine, of which some first letters are enough (default: the newest
        revision in the store). A store never shows runs of several revisions at once.

    Attributes
    ----------
    notices
        Messages about unusable files, about lost runs, and about runs that are left out.

    Raises
    ------
    ScenarioError
        There is no store, or this version cannot read it, or it has no runs of the revision; with ``create``, the
        folder cannot be written.

    """

    def __init__(self, folder: Path, *, create: bool = False, revision: str | None = None) -> None:
        self._folder = Folder(folder, create=create)
        self._writes = create
        self._journal: Journal | None = None
        self._scenarios: set[str] = set()
        self._notices: dict[str, None] = {}
        self._losses: list[str] = []
        self._remarks: list[str] = []
        self._asked = revision
        self._shown: str | None = None
        self._only: str | None = None
        if not create:
            with self._folder.locked(alone=False):
                self._contents(checked=lambda _: False)
            return
        try:
            self._tidy()
        except OSError as error:
            raise unreadable(folder, str(error.strerror or error), "a folder that can be written") from None

    @classmethod
    def open(cls, folder: str | Path, *, create: bool = False, revision: str | None = None) -> Self:
        """Open a store; same as the constructor, and available as ``ackclock.open``."""
        return cls(Path(folder), create=create, revision=revision)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({str(self._folder.path)!r})"

    def _repr_html_(self) -> str:
        """Return the notices, the number of runs and the first runs, for notebooks."""
        from ackclock.drawing.inline import block  # noqa: PLC0415  # only notebooks need it

        runs, failures = self.runs.to_arrow(), self.table("failures").to_arrow()
        title = f"Store of {counted(len(runs), 'run')}"
        title += f" and {counted(len(failures), 'failure')}" if len(failures) else ""
        return block(title, _table_html(runs), notices=self.notices)

    def plot(self, *, measure: str = "cov", x: str | None = None, by: str | Sequence[str] | None = None) -> Figure:
        """Draw a measure against a swept field: means over the seeds, with 95 % confidence intervals.

        The figure is that of ``ackclock report``.

        Parameters
        ----------
        measure
            A number of a ``Summary``, such as ``goodput_bps``, or of a group, such as ``web.completion_p95``. The name
            of the group may be absent if only one group has the measure.
        x
            Path of the field on the horizontal axis (default: the first numeric field).
        by
            Path of the field, or paths of the fields, whose values have a curve each (default: those that fit into one
            panel). The values of further fields have a panel each.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which a notebook shows. ``savefig`` writes it to a file.

        Raises
        ------
        ScenarioError
            There is no such measure or field, no field differs between the runs, or the measure is undefined in all
            runs.

        Examples
        --------
        >>> import ackclock as ac
        >>> scenario = ac.Scenario.from_toml("examples/feng60.toml").changed({"duration": "2 s"})
        >>> store = ac.sweep(scenario, over={"clients.0.count": [20, 40, 60]}, replications=3)
        >>> axes = store.plot(measure="throughput_bps", x="clients.0.count").axes[0]
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('Number of clients', 'Throughput, Mbps')
        """
        if not isinstance(measure, str):
            raise refuse("measure", measure, "must be the name of one measure: plot draws one figure")
        for notice in self.notices:
            warnings.warn(notice, stacklevel=2)
        from ackclock.drawing.paper import draw  # noqa: PLC0415  # it loads Matplotlib
        from ackclock.study.figures.plots import measure_chart  # noqa: PLC0415

        tables = self.runs.to_arrow(), self.table("groups").to_arrow()
        return draw(measure_chart(*tables, measure, x=x, by=[by] if isinstance(by, str) else by))

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages about unusable files, about runs lost and not made again, and about runs that are left out."""
        return *self._notices, *self._losses, *self._remarks

    @property
    def intact(self) -> bool:
        """Whether nothing in the folder is damaged, missing or foreign; only files that were verified count."""
        return not self._notices and not self._losses

    def done(self) -> set[str]:
        """Return the ids of the runs now in the store, including runs that other processes added.

        Runs that failed or whose rows were lost are excluded.
        """
        with self._folder.locked(alone=False):
            return self._contents(checked=lambda _: self._writes).done()

    def add(self, row: Row) -> None:
        """Add a run. After the call, the run survives the end of this process.

        Raises
        ------
        OSError
            The run cannot be written, for example because the disk is full. Earlier runs are unaffected.

        """
        for name in row.point.keys() & row.summary.keys():
            raise refuse("point", name, "must not have the name of a measure of the summary")
        if self._journal is None:
            with self._folder.locked(alone=True):
                known = self._folder.record()
                self._note(known, replace(known, revisions=known.merged([row.revision])))
                self._folder.journals.mkdir(exist_ok=True)
                self._journal = Journal(self._folder.journals / new_name())
        self._journal.append(encode(row, with_scenario=row.scenario_id not in self._scenarios))
        self._scenarios.add(row.scenario_id)
        if self._journal.size > _LONGEST_JOURNAL:
            self.close()

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the studies of the store ask: ``question``, ``measures`` and ``objective``, if given."""
        return self._folder.record().asked

    def ask(self, asked: Mapping[str, Any]) -> None:
        """Store what a study asks, in place of what an earlier study asked."""
        with self._folder.locked(alone=True):
            known = self._folder.record()
            self._note(known, replace(known, asked=dict(asked)))

    def close(self) -> None:
        """Convert the written rows to Parquet; the store can still be used.

        Raises
        ------
        OSError
            The Parquet files cannot be written, for example because the disk is full. No rows are lost.

        """
        if self._journal is not None:
            self._journal.close()
            self._journal = None
            self._scenarios.clear()
        if self._writes:
            self._tidy()

    def check(self) -> list[State]:
        """Verify every file against its checksum, and change nothing; `notices` reports damaged files.

        Returns
        -------
        list of State
            Each part and journal of the store with its state.

        """
        self._notices.clear()
        with self._folder.locked(alone=False):
            return self._contents(through=True).states()

    def sql(self, query: str) -> ArrowTable:
        """Run an SQL query over the store (``pip install 'ackclock[sql]'``).

        Parameters
        ----------
        query
            One ``SELECT`` in DuckDB's SQL over ``runs``, ``groups``, ``scenarios``, ``failures``, ``notices``,
            ``costs`` and the recorded tables.

        Returns
        -------
        pyarrow.Table
            The answer.

        Raises
        ------
        ScenarioError
            The text is not a single ``SELECT``, or contains an error; or DuckDB is not installed.

        """
        optional("duckdb", "sql", "SQL")
        from ackclock.study.store.sql import ask, names  # noqa: PLC0415  # slow to load

        with self._folder.locked(alone=False):
            contents = self._contents(checked=lambda name: names(query, name))
            answer: ArrowTable = ask(contents, query, self._only)
            return answer

    def table(self, name: str, columns: Sequence[str] | None = None) -> Table:
        """Return a table, such as ``groups`` or the kind of a record, with all or some of its columns.

        Raises
        ------
        ScenarioError
            There is no such table.

        """
        return Table(self._table(name, columns, everything=False))

    def stored(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a table with the rows of all runs, whatever revision of the engine made them."""
        return self._table(name, columns, everything=True)

    def _table(self, name: str, columns: Sequence[str] | None, *, everything: bool) -> pa.Table:
        from ackclock.study.store.views import Views  # noqa: PLC0415  # it loads Arrow

        with self._folder.locked(alone=False):
            contents = self._contents(checked=name.__eq__)
            return Views(contents, None if everything else self._only).table(name, columns)

    @property
    def runs(self) -> Table:
        """The successful runs, one row each: the swept fields, and the numbers of the summary."""
        return self.table("runs")

    def _tidy(self) -> None:
        """Mend the store, which is open for writing.

        Unusable files are moved aside, leftovers of killed processes removed, and journals without a writer converted
        to Parquet.
        """
        with self._folder.locked(alone=True):
            self._folder.clear()
            contents = self._contents(mend=True)
            contents.compact()
            self._take_stock(contents)
            self._contents(checked=lambda _: False, known_parts=contents.parts)

    def _contents(
        self,
        *,
        mend: bool = False,
        checked: Callable[[str], bool] = lambda _: True,
        through: bool = False,
        known_parts: Iterable[Part] = (),
    ) -> Contents:
        from ackclock.study.store.contents import Contents  # noqa: PLC0415  # it loads Arrow

        contents = Contents(
            self._folder, mend=mend, notices=self._notices, checked=checked, through=through, known_parts=known_parts
        )
        if not mend:
            self._tell(contents)
        return contents

    def _take_stock(self, contents: Contents) -> None:
        """Note how many runs the parts have, and the revisions of the engine that made runs."""
        known = self._folder.record()
        revisions = known.revisions if contents.known else known.merged(reversed(contents.revisions()))
        names = () if any(part.again for part in contents.parts) else (part.path.name for part in contents.parts)
        self._note(known, Record(revisions, max(known.runs, contents.stored), tuple(sorted(names)), known.asked))

    def _note(self, known: Record, record: Record) -> None:
        if record != known:
            self._folder.write(record)

    def _tell(self, contents: Contents) -> None:
        """Report what is lost, and what is left out."""
        self._losses = contents.losses()
        if missing := contents.missing():
            self._losses.append(
                f"{contents.path}: {_runs(missing)} {'is' if missing == 1 else 'are'} missing, since files were "
                f"damaged or removed; {contents.again}"
            )
        self._remarks = []
        if twice := contents.twice:
            self._remarks.append(f"{contents.path}: {_runs(twice)} stored in two parts, and shown once")
        counts = contents.revisions()
        self._shown = next(iter(counts), None)
        if self._asked is not None:
            self._shown = next((each for each in counts if each.startswith(self._asked)), None)
            if self._shown is None and counts:
                raise refuse("revision", self._asked, one_of(self._asked, counts))
        self._only = self._shown if len(counts) > 1 else None  # otherwise no run need be left out
        others = [f"{each[:12]} ({_runs(count)})" for each, count in counts.items() if each != self._shown]
        if others:
            chosen = "the newest" if self._asked is None else "as asked"
            self._remarks.append(
                f"{contents.path}: runs of other engine revisions are left out: {listed(others)}. The runs shown are "
                f"of {str(self._shown)[:12]}, {chosen}; the option --revision, or revision= in Python, selects another"
            )


class Table:
    """A table of a store: a ``pyarrow.Table``, with what notebooks show and a conversion to Polars.

    It has the attributes and methods of ``pyarrow.Table``, such as ``num_rows`` and ``to_pylist()``. Functions for
    Arrow data take it as it is: ``pyarrow.table``, ``polars.DataFrame``. `to_arrow` gives the table itself.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # such as those that pickling and copying look for
            raise AttributeError(f"'Table' object has no attribute {name!r}", name=name, obj=self)
        return getattr(self._table, name)

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, key: int | str | slice) -> Any:
        return self._table[key]

    def __eq__(self, other: object) -> bool:
        table = other.to_arrow() if isinstance(other, Table) else other
        return bool(self._table == table)

    __hash__ = None  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the table to other libraries, by Arrow's interface for them."""
        return self._table.__arrow_c_stream__(requested_schema)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in dir(self._table) if not name.startswith("_"))]

    def __repr__(self) -> str:
        return f"Table({len(self._table)} rows; columns: {listed(self._table.column_names)})"

    def _repr_html_(self) -> str:
        """Return the first rows, for notebooks."""
        return _table_html(self._table)

    def to_arrow(self) -> pa.Table:
        """Return the table as a ``pyarrow.Table``."""
        return self._table

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a ``polars.DataFrame`` (``pip install 'ackclock[polars]'``)."""
        frame: pl.DataFrame = optional("polars", "polars", "to_polars()").DataFrame(self._table)
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a ``pandas.DataFrame`` (``pip install 'ackclock[pandas]'``)."""
        optional("pandas", "pandas", "to_pandas()")
        frame: pd.DataFrame = self._table.to_pandas()
        return frame


def _table_html(rows: pa.Table) -> str:
    from ackclock.drawing.inline import table  # noqa: PLC0415  # only notebooks need it

    shown = [[_as_text(value) for value in row.values()] for row in rows.slice(0, _SHOWN).to_pylist()]
    more = f"; the first {_SHOWN}" if len(rows) > _SHOWN else ""
    return table(shown, head=rows.column_names, caption=f"{counted(len(rows), 'row')}{more}")


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"


def _as_text(value: Any) -> str:
    """Format a cell, shortened if it is long."""
    text = "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"
