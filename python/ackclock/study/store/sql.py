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

from ackclock.scenario.errors import ScenarioError, damaged, unreadable
from ackclock.study.store.tables import KEPT, LOST, SWEPT, fit, unified_schemas

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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

_BY_PATH: Final = os.name == "nt"
"""Windows has no files by descriptor. Of the characters above, its names can contain only brackets and =."""

_HIDDEN: Final = {"revision", "schema", "cpu_seconds", KEPT, LOST}
"""Columns of ``runs`` that are hidden from queries."""

_SCENARIOS: Final = "select distinct on (scenario_id) * from store.scenarios"


def names(query: str, table: str) -> bool:
    """Return whether a query may read a table: the query contains the name, or a function that could construct it."""
    text = query.casefold()
    return table.casefold() in text or "query" in text  # the functions `query` and `query_table`


def ask(contents: Contents, query: str) -> pa.Table:
    """Run a query over the contents of a store, whose folder must be locked.

    Raises
    ------
    ScenarioError
        The query is not a single ``SELECT``, or contains an error.
    DamagedError
        A file of the store cannot be read.

    """
    with _Database() as database:
        try:
            views = _make_views(database, contents)
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
        self.connection = self._stack.enter_context(duckdb.connect(config=_CONFIG))
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
        number = os.open(path, os.O_RDONLY)
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
        return _plain(connection.sql(query).to_arrow_table())
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


def _make_views(database: _Database, contents: Contents) -> list[str]:
    """Create a view for each table, and restrict the database to the files of the store."""
    connection = database.connection
    rows = contents.rows()
    schemas = unified_schemas([*contents.parts, rows])
    connection.execute("create schema store")  # the tables as they are stored; the views below select from them
    for name, schema in schemas.items():
        fresh = [fit(piece, schema) for piece in rows.pieces(name)] if name in rows.schemas else []
        connection.register("fresh", pa.concat_tables([schema.empty_table(), *fresh]))
        connection.execute(f"create table store.{identifier(f'journal.{name}')} as from fresh")
        connection.unregister("fresh")
        kept = [_rows_of(database, part, name) for part in contents.parts if name in part.schemas]
        tables = [f"store.{identifier(f'journal.{name}')}", *kept]
        together = " union all by name ".join(f"from {each}" for each in tables)
        connection.execute(f"create view store.{identifier(name)} as {together}")
    views = {
        "runs": _runs(connection, schemas["runs"]),
        "failures": _failures(schemas["failures"]),
        "scenarios": f"from ({_SCENARIOS}) order by scenario_id",
        "origins": "select run_id, revision, schema from store.runs order by all",
        "costs": "select run_id, cpu_seconds from store.runs order by all",
        "groups": "from store.groups order by run_id, name",
        "notices": "from store.notices order by all",
    }
    views |= {name: f"from store.{identifier(name)}" for name in schemas.keys() - views.keys()}
    for name, view in views.items():
        connection.execute(f"create view {identifier(name)} as {view}")
    database.close()
    return list(views)


def _rows_of(database: _Database, part: Part, name: str) -> str:
    """Return SQL for a table of a part, without runs that lost rows and were made again."""
    file = database.file(part.file(name))
    if not part.lost or name == "scenarios":
        return file
    again = f"select unnest([{', '.join(map(_text, sorted(part.again)))}])"
    return f"{file} where run_id not in (select run_id from store.{identifier('journal.runs')} union all {again})"


def _runs(connection: duckdb.DuckDBPyConnection, schema: pa.Schema) -> str:
    """Return SQL for the runs; a field that the study of a run did not sweep is read from the scenario."""
    swept = _swept(schema)
    rest = [field.name for field in schema if field.name not in {*swept, *_HIDDEN, "run_id", "scenario_id", "seed"}]
    types = dict(connection.execute("select column_name, column_type from (describe store.runs)").fetchall())
    columns = [identifier(name) for name in swept]
    gaps = ", ".join(f"count(*) > count({column})" for column in columns) or "false"
    partly = connection.execute(f"select {gaps} from store.runs").fetchone() or ()
    shown = [
        f"coalesce({column}, try_cast({_in_scenario(name)} as {types[name]})) as {column}" if gap else column
        for name, column, gap in zip(swept, columns, partly, strict=False)
    ]
    join = f"left join ({_SCENARIOS}) using (scenario_id)" if any(partly) else ""
    all_columns = ", ".join(["run_id", "seed", *shown, *map(identifier, rest), "scenario_id"])
    return f"select {all_columns} from store.runs {join} order by {', '.join([*columns, 'seed', 'run_id'])}"


def _failures(schema: pa.Schema) -> str:
    """Return SQL for the failures, without runs that succeeded later."""
    shown = ", ".join(["run_id", "seed", *map(identifier, _swept(schema)), "failure", "scenario_id"])
    return (
        f"select distinct on (run_id) {shown} from store.failures "
        "where run_id not in (select run_id from store.runs) order by run_id"
    )


def _swept(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if field.metadata == SWEPT]


def _in_scenario(path: str) -> str:
    """Return SQL that reads a field of the scenario by JSON pointer (RFC 6901, sections 3 and 4)."""
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path.split("."))
    return f"json_extract_string(scenario, {_text(pointer)})"


def identifier(text: str) -> str:
    """Quote a name for SQL."""
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
