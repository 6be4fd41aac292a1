"""Rows as Arrow tables, and one schema for tables that were made apart."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa
from pydantic_core import to_json

from ackclock.running.summary import GroupSummary, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["BASE", "KEPT", "LOST", "SWEPT", "Source", "fit", "plain", "tables_of", "unified", "unified_schemas"]

SWEPT: Final = {b"swept": b"yes"}
"""Marks a column that holds what a study swept."""

KEPT: Final = "kept_tables"
"""The column of ``runs`` that names, with commas, the other tables in which a run has rows."""

LOST: Final = "lost_tables"
"""The column of ``runs`` that names those of them whose rows were lost to damage."""

_TEXT: Final = pa.string()
_IDENTITY: Final = [
    ("run_id", _TEXT),
    ("scenario_id", _TEXT),
    ("seed", pa.uint64()),
    ("revision", _TEXT),
    ("schema", pa.uint32()),
    ("cpu_seconds", pa.float64()),
]


def _numbers(summary: type) -> list[tuple[str, pa.DataType]]:
    """List the numbers that a summary has."""
    types: dict[object, pa.DataType] = {int: pa.int64(), float: pa.float64(), float | None: pa.float64()}
    return [(field.name, types[field.type]) for field in fields(summary) if field.type in types]


BASE: Final = {
    "runs": pa.schema([*_IDENTITY, (KEPT, _TEXT), (LOST, _TEXT), *_numbers(Summary)]),
    "failures": pa.schema([*_IDENTITY, ("failure", _TEXT)]),
    "scenarios": pa.schema([("scenario_id", _TEXT), ("scenario", _TEXT)]),
    "groups": pa.schema([("run_id", _TEXT), ("name", _TEXT), *_numbers(GroupSummary)]),
    "notices": pa.schema([("run_id", _TEXT), ("notice", _TEXT)]),
}
"""The tables of every store, with the columns that they always have; other tables are records that were asked for."""


class Source(Protocol):
    """Where tables come from, piece by piece."""

    @property
    def schemas(self) -> Mapping[str, pa.Schema]:
        """What tables there are."""

    def pieces(self, name: str) -> Iterator[pa.Table]:
        """Give the rows of one of them; each piece has the columns that it needs."""


def tables_of(bodies: Sequence[Mapping[str, Any]], scenarios: Mapping[str, str]) -> dict[str, pa.Table]:
    """Make the tables in `BASE`, and `links`, of some rows and of the scenarios known by id, without empty ones.

    Each row has the names of its records as ``records``.
    """
    made = [body for body in bodies if body["failure"] is None]
    failed = [body for body in bodies if body["failure"] is not None]
    told = dict.fromkeys(body["scenario_id"] for body in bodies if body["scenario_id"] in scenarios)
    swept = _names(body["point"] for body in bodies)
    tables = {
        "runs": [
            *_identity(made),
            _column(KEPT, [_kept(body) for body in made], _TEXT),
            *_swept(made, swept),
            *_columns([body["summary"] for body in made]),
        ],
        "failures": [
            *_identity(failed),
            *_swept(failed, swept),
            _column("failure", [each["failure"] for each in failed]),
        ],
        "scenarios": _columns([{"scenario_id": name, "scenario": scenarios[name]} for name in told]),
        "groups": _columns([{"run_id": body["run_id"], **group} for body in made for group in body["groups"]]),
        # a journal of an earlier version has none
        "links": _columns([{"run_id": body["run_id"], **link} for body in made for link in body.get("links", ())]),
        "notices": _columns([{"run_id": body["run_id"], "notice": each} for body in made for each in body["notices"]]),
    }
    return {
        name: pa.table([array for _, array in columns], schema=pa.schema([field for field, _ in columns]))
        for name, columns in tables.items()
        if columns and len(columns[0][1])
    }


_Column = tuple[pa.Field, pa.Array]


def _kept(body: Mapping[str, Any]) -> str:
    """Name the other tables in which a run has rows."""
    return ",".join(["scenarios", *(name for name in ("groups", "notices") if body[name]), *body["records"]])


def _identity(bodies: Sequence[Mapping[str, Any]]) -> list[_Column]:
    # a journal of an earlier version has no revision and no schema
    return [_column(name, [body.get(name) for body in bodies], kind) for name, kind in _IDENTITY]


def _swept(bodies: Sequence[Mapping[str, Any]], names: Iterable[str]) -> list[_Column]:
    columns = [_column(name, [body["point"].get(name) for body in bodies]) for name in names]
    return [(field.with_metadata(SWEPT), array) for field, array in columns]


def _columns(records: Sequence[Mapping[str, Any]]) -> list[_Column]:
    return [_column(name, [record.get(name) for record in records]) for name in _names(records)]


def _column(name: str, values: Sequence[object], kind: pa.DataType | None = None) -> _Column:
    """Make a column of what the values are, or of their texts where they are of no one type."""
    try:
        array = pa.array(values, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        texts = (each if each is None or isinstance(each, str) else to_json(each).decode() for each in values)
        array = pa.array(list(texts), pa.string())
    return pa.field(name, array.type), array


def _names(records: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """List all names that occur, in the order in which they come up."""
    return dict.fromkeys(name for record in records for name in record)


def plain(schema: pa.Schema) -> pa.Schema:
    """Replace words that are dictionary-encoded for a single run by plain text; Parquet encodes them again."""
    return pa.schema(
        [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in schema]
    )


def unified(schemas: Iterable[pa.Schema]) -> pa.Schema:
    """Find the columns that hold what any of the tables has: numbers as wide as needed, texts where types differ."""
    found: dict[str, pa.Field] = {}
    for field in (field for schema in schemas for field in schema):
        known = found.setdefault(field.name, field)
        if not known.equals(field):
            try:
                both = [pa.schema([each]) for each in (known, field)]
                found[field.name] = pa.unify_schemas(both, promote_options="permissive").field(0)
            except pa.ArrowTypeError:
                found[field.name] = known.with_type(pa.string())
    return pa.schema(found.values())


def unified_schemas(sources: Iterable[Source]) -> dict[str, pa.Schema]:
    """Find the tables that any of the sources has, and those in `BASE`, and the columns that hold all of each."""
    found = {name: [schema] for name, schema in BASE.items()}
    for source in sources:
        for name, schema in source.schemas.items():
            found.setdefault(name, []).append(schema)
    return {name: unified(schemas) for name, schemas in found.items()}


def fit(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Give a table the columns of a schema; what it does not have is null."""
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
