"""Converts rows to Arrow tables, and unifies the schemas of tables from different sources."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa
from pydantic_core import to_json

from ackclock.running.summary import GroupSummary, Summary
from ackclock.values.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = [
    "BASE",
    "KEPT",
    "LOST",
    "SWEPT",
    "UNKNOWN",
    "Source",
    "fit",
    "plain",
    "require_columns",
    "revisions_of",
    "tables_of",
    "unified",
    "unified_schemas",
]

SWEPT: Final = {b"swept": b"yes"}
"""Metadata of a column that holds a swept field."""

KEPT: Final = "kept_tables"
"""The column of ``runs`` with the names of the other tables in which the run has rows, separated by commas."""

LOST: Final = "lost_tables"
"""The column of ``runs`` with the names of the tables in which rows of the run were lost to damage."""

UNKNOWN: Final = "unknown"
"""The revision of runs that an earlier version of Ackclock wrote without one."""

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
    """List the numeric fields of a summary class, with their Arrow types."""
    types: dict[object, pa.DataType] = {
        int: pa.int64(),
        int | None: pa.int64(),
        float: pa.float64(),
        float | None: pa.float64(),
    }
    return [(field.name, types[field.type]) for field in fields(summary) if field.type in types]


BASE: Final = {
    "runs": pa.schema([*_IDENTITY, (KEPT, _TEXT), (LOST, _TEXT), *_numbers(Summary)]),
    "failures": pa.schema([*_IDENTITY, ("failure", _TEXT)]),
    "scenarios": pa.schema([("scenario_id", _TEXT), ("scenario", _TEXT)]),
    "groups": pa.schema([("run_id", _TEXT), ("name", _TEXT), *_numbers(GroupSummary)]),
    "notices": pa.schema([("run_id", _TEXT), ("notice", _TEXT)]),
}
"""The tables of every store, with the columns that they always have. All other tables are requested records."""


_NEEDED: Final = {
    "runs": ("run_id", "scenario_id", "seed"),
    "failures": ("run_id", "scenario_id", "seed", "failure"),
    "scenarios": ("scenario_id", "scenario"),
    "groups": ("run_id", "name"),
    "notices": ("run_id", "notice"),
}
"""Columns that a table has in every version."""


def require_columns(name: str, schema: pa.Schema) -> pa.Schema:
    """Check that a stored table has the columns of its name, and return its schema.

    Raises
    ------
    ValueError
        A column is missing, is there twice, or has a type that no store writes.

    """
    base = BASE.get(name, pa.schema([("run_id", _TEXT)]))
    names, needed = schema.names, _NEEDED.get(name, ("run_id",))
    if len({each.casefold() for each in names}) < len(names) or not {*needed} <= {*names}:
        raise ValueError(f"it has not the columns of {name}")
    known = dict(zip(base.names, base.types, strict=True))
    for each, kind in zip(names, schema.types, strict=True):
        wanted = known.get(each, kind)
        empty = pa.types.is_null(kind) and each not in needed
        if kind.num_fields or (pa.types.is_string(kind) != pa.types.is_string(wanted) and not empty):
            raise ValueError(f"its column {shown(each)} has another type")
    return schema


class Source(Protocol):
    """A source of tables, such as a part or the rows of journals."""

    @property
    def schemas(self) -> Mapping[str, pa.Schema]:
        """Schema of each table, by name."""

    def pieces(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows of a table in pieces, at least the given columns; those that are empty may be missing."""


def tables_of(bodies: Sequence[Mapping[str, Any]], scenarios: Mapping[str, str]) -> dict[str, pa.Table]:
    """Convert rows to the tables in `BASE` and the table `links`; empty tables are omitted.

    `scenarios` maps ids to scenarios. Each row lists the names of its records under ``records``.
    """
    made = [body for body in bodies if body["failure"] is None]
    failed = [body for body in bodies if body["failure"] is not None]
    named = dict.fromkeys(body["scenario_id"] for body in bodies if body["scenario_id"] in scenarios)
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
        "scenarios": _columns([{"scenario_id": name, "scenario": scenarios[name]} for name in named]),
        "groups": _columns([{"run_id": body["run_id"], **group} for body in made for group in body["groups"]]),
        # journals of earlier versions have no links
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
    """Return the names of the other tables in which a run has rows, separated by commas."""
    return ",".join(["scenarios", *(name for name in ("groups", "notices") if body[name]), *body["records"]])


def _identity(bodies: Sequence[Mapping[str, Any]]) -> list[_Column]:
    # journals of earlier versions have no revision and no schema
    return [_column(name, [body.get(name) for body in bodies], kind) for name, kind in _IDENTITY]


def _swept(bodies: Sequence[Mapping[str, Any]], names: Iterable[str]) -> list[_Column]:
    columns = [_column(name, [body["point"].get(name) for body in bodies]) for name in names]
    return [(field.with_metadata(SWEPT), array) for field, array in columns]


def _columns(records: Sequence[Mapping[str, Any]]) -> list[_Column]:
    return [_column(name, [record.get(name) for record in records]) for name in _names(records)]


def _column(name: str, values: Sequence[object], kind: pa.DataType | None = None) -> _Column:
    """Create a column of the values, or of their texts if they have different types."""
    try:
        array = pa.array(values, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        texts = (each if each is None or isinstance(each, str) else to_json(each).decode() for each in values)
        array = pa.array(list(texts), pa.string())
    return pa.field(name, array.type), array


def _names(records: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """List all names in the records, in the order of their first occurrence."""
    return dict.fromkeys(name for record in records for name in record)


def plain(schema: pa.Schema) -> pa.Schema:
    """Replace dictionary-encoded columns with plain columns.

    Dictionaries differ between runs, and Parquet encodes the text again.
    """
    return pa.schema(
        [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in schema]
    )


def revisions_of(table: pa.Table) -> pa.ChunkedArray:
    """Return the revision of the engine that made each run of a table, or `UNKNOWN`."""
    if "revision" not in table.column_names:
        return pa.chunked_array([pa.repeat(UNKNOWN, len(table))])
    return table.column("revision").cast(_TEXT).fill_null(UNKNOWN)


def unified(schemas: Iterable[pa.Schema]) -> pa.Schema:
    """Merge schemas into one that fits all tables. Numeric types are widened; other differing types become text."""
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
    """Merge the schemas of each table over all sources; the tables in `BASE` are always included."""
    found = {name: [schema] for name, schema in BASE.items()}
    for source in sources:
        for name, schema in source.schemas.items():
            found.setdefault(name, []).append(schema)
    return {name: unified(schemas) for name, schemas in found.items()}


def fit(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Convert a table to a schema; missing columns are null."""
    if table.schema.equals(schema, check_metadata=True):  # the usual case
        return table
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
