"""Queries a store with DuckDB.

A query is a single ``SELECT`` and can only read. The database is in memory, opens only files of the store and loads no
extensions. No query can change these settings.

DuckDB interprets parts of a path as columns (``seed=5/``), patterns (``*``, ``?``, ``[``), a home directory, a protocol
or a compression. Files are therefore passed to DuckDB as open file descriptors, except on Windows.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Self

import duckdb
import pyarrow as pa

from ackclock.files import reading
from ackclock.files.inside import open_file
from ackclock.study.store.parts import ignored
from ackclock.study.store.tables import fit
from ackclock.study.store.views import FIXED, Views
from ackclock.values.errors import ScenarioError, damaged, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ackclock.study.store.contents import Contents
    from ackclock.study.store.parts import Part

__all__ = ["ask", "closed", "identifier", "names"]

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    # A single thread adds numbers in a fixed order, so that answers are byte-identical.
    "threads": 1,
    "temp_directory": "",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}

_ROWS: Final = 65_536
"""Number of rows that an answer is read in."""

_BY_PATH: Final = os.name == "nt"
"""Windows has no files by descriptor. Of the characters above, its names can contain only brackets and =."""


def names(query: str, table: str) -> bool:
    """Return whether a query may read a table: the query contains the name, or a function that could construct it."""
    text = query.casefold()
    return table.casefold() in text or "query" in text  # the functions `query` and `query_table`


def ask(contents: Contents, query: str, revision: str | None) -> pa.Table:
    """Run a query over the runs of a revision in a store, whose folder must be locked.

    Raises
    ------
    ScenarioError
        The query is not a single ``SELECT``, or contains an error.
    DamagedError
        A file of the store cannot be read.

    """
    with _Database() as database:
        try:
            views = _make_views(database, contents, query, revision)
        except duckdb.Error as error:  # only for files without a checksum; other files are known to be intact
            check = f"`ackclock store check {contents.path}` reports which file it is"
            raise damaged(contents.path, _in_a_line(error), check) from None
        try:
            return _answer(database.connection, query, views)
        except ScenarioError:
            gone = {name for part in contents.parts for name in part.missing if names(query, name)} - set(views)
            if gone:  # no part has rows of these tables any more
                raise damaged(contents.path, f"no rows of {', '.join(sorted(gone))} are left", contents.again) from None
            raise


def closed(query: str, files: Mapping[str, Path]) -> pa.Table:
    """Run a query over Parquet files, each a table by its name, and over nothing else.

    Raises
    ------
    ScenarioError
        The query is not a single ``SELECT``, or contains an error.
    DamagedError
        One of the files cannot be read.

    """
    with _Database() as database:
        for name, path in files.items():
            try:
                database.connection.execute(f"create view {identifier(name)} as from {database.file(path)}")
            except (duckdb.Error, OSError) as error:
                raise damaged(path, _in_a_line(error), "the command that wrote it makes it again") from None
        database.close()
        return _answer(database.connection, query, list(files))


class _Database:
    """A database in memory. The files that it may read stay open as long as it exists."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._paths: list[str] = []

    def __enter__(self) -> Self:
        self.connection = self._stack.enter_context(
            duckdb.connect(config=_CONFIG | {"memory_limit": f"{reading.limit()}B"})
        )
        return self

    def __exit__(self, *why: object) -> None:
        self._stack.close()

    def file(self, path: Path) -> str:
        """Open a Parquet file, and return its name in queries."""
        if _BY_PATH:
            whole = str(path.absolute())
            pattern = _text(whole.replace("[", "[[]"))
            self._paths += [_text(whole), pattern]  # DuckDB checks both
            return f"read_parquet({pattern}, hive_partitioning = false)"
        number = open_file(path)
        self._stack.callback(os.close, number)
        self._paths.append(f"'/dev/fd/{number}'")
        return f"read_parquet({self._paths[-1]})"

    def close(self) -> None:
        """Restrict the database to these files permanently."""
        self.connection.execute(f"set allowed_paths = [{', '.join(self._paths)}]")
        self.connection.execute("set enable_external_access = false")
        self.connection.execute("set lock_configuration = true")


def _answer(connection: duckdb.DuckDBPyConnection, query: str, tables: Sequence[str]) -> pa.Table:
    try:
        statements = connection.extract_statements(query)
        if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
            raise unreadable("query", "it is not a single SELECT", f"a query over {', '.join(tables)}")
        answer = connection.sql(query).to_arrow_reader(_ROWS)
        return _plain(reading.gathered("query", answer.schema, (pa.Table.from_batches([batch]) for batch in answer)))
    except duckdb.Error as error:
        raise unreadable("query", _in_a_line(error), f"DuckDB's SQL over {', '.join(tables)}") from None


def _in_a_line(error: duckdb.Error | OSError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return " ".join(str(error).partition("\n\n")[0].split())  # the rest is the query with a marker


def _plain(answer: pa.Table) -> pa.Table:
    """Convert decimal numbers, such as sums of integers, to integers or floating-point numbers."""
    for place, field in enumerate(answer.schema):
        if pa.types.is_decimal(field.type):
            column = answer.column(place)
            try:
                numbers = column.cast(pa.int64())
            except pa.ArrowInvalid:  # it has fractions or is too large
                numbers = column.cast(pa.float64())
            answer = answer.set_column(place, field.name, numbers)
    return answer


def _make_views(database: _Database, contents: Contents, query: str, revision: str | None) -> list[str]:
    """Create a view for each table that the query may read, and restrict the database to the files of the store.

    Records are read from their files; the tables that every store has are small enough to be in memory.
    """
    connection = database.connection
    views = Views(contents, revision)
    connection.execute("create schema store")  # the rows of records that are not in a part yet, and ids of runs
    if views.shown is not None:
        _keep(database, "shown runs", views.shown)
    for name in views.names:
        if name in FIXED:
            connection.register(name, views.table(name) if names(query, name) else views.empty(name))
            continue
        schema = views.schemas[name]
        fresh = [fit(piece, schema) for piece in views.rows.pieces(name)] if name in views.rows.schemas else []
        connection.register("fresh", pa.concat_tables([schema.empty_table(), *fresh]))
        connection.execute(f"create table store.{identifier(name)} as from fresh")
        connection.unregister("fresh")
        kept = [
            _rows_of(database, part, name, ignored(part, views.rows)) for part in contents.parts if name in part.schemas
        ]
        together = " union all by name ".join(f"from {each}" for each in (f"store.{identifier(name)}", *kept))
        if views.shown is not None:
            together = f"from ({together}) where run_id in (select run_id from store.{identifier('shown runs')})"
        connection.execute(f"create view {identifier(name)} as {together}")
    database.close()
    return views.names


def _rows_of(database: _Database, part: Part, name: str, gone: Iterable[str]) -> str:
    """Return SQL for a record in a part, without some runs."""
    file = database.file(part.file(name))
    if not gone:
        return file
    without = f"{name} without {part.path.name}"
    _keep(database, without, pa.chunked_array([sorted(gone)], pa.string()))
    return f"{file} where run_id not in (select run_id from store.{identifier(without)})"


def _keep(database: _Database, name: str, ids: pa.ChunkedArray) -> None:
    """Make a table of ids of runs."""
    database.connection.register("ids", pa.table({"run_id": ids}))
    database.connection.execute(f"create table store.{identifier(name)} as from ids")
    database.connection.unregister("ids")


def identifier(text: str) -> str:
    """Quote a name for SQL."""
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
