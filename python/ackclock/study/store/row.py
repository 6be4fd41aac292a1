"""One run as stored, and its encoding in a journal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from pydantic_core import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from ackclock.study.store.journal import Reading

__all__ = ["Entry", "Row", "encode", "entries", "is_name"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One run, as the store receives it.

    Parameters
    ----------
    run_id
        Id of the run, from `run_id`.
    scenario_id
        Id of the scenario, from `scenario_id`.
    scenario
        The effective scenario as JSON.
    seed
        Random seed.
    revision
        Revision of the engine.
    schema
        Version of the scenario's schema.
    point
        Value of each swept field, by path, as written in the study.
    summary
        The numbers of the run's summary and the end of its warm-up, by name; empty for a failed run.
    groups
        One mapping per group of flows, with its numbers by name.
    links
        One mapping per measured link, with its numbers by name; empty if there is only one link.
    notices
        The run's notices: facts that a user of its numbers must know.
    tables
        The recorded tables, by name.
    cpu_seconds
        CPU time of the run. It is not part of the results.
    failure
        The error of a failed run, which has no summary and counts as not made; None for a successful run.

    """

    run_id: str
    scenario_id: str
    scenario: str
    seed: int
    revision: str
    schema: int
    point: Mapping[str, str | float | bool | None] = field(default_factory=dict)
    summary: Mapping[str, float | None] = field(default_factory=dict)
    groups: Sequence[Mapping[str, object]] = ()
    links: Sequence[Mapping[str, object]] = ()
    notices: Sequence[str] = ()
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    failure: str | None = None


# A row in a journal has three sections: a line with the run's id and the lengths of the other sections, the row without
# its tables as JSON, and each table as an Arrow stream.


def encode(row: Row, *, with_scenario: bool) -> bytes:
    """Encode a row; the scenario may be omitted if it is already stored."""
    body = to_json(
        {
            "run_id": row.run_id,
            "scenario_id": row.scenario_id,
            "scenario": row.scenario if with_scenario else None,
            "seed": row.seed,
            "revision": row.revision,
            "schema": row.schema,
            "point": row.point,
            "summary": row.summary,
            "groups": row.groups,
            "links": row.links,
            "notices": row.notices,
            "cpu_seconds": row.cpu_seconds,
            "failure": row.failure,
        },
        fallback=dict,
    )
    streams = {name: _stream(table) for name, table in row.tables.items()}
    lengths = {name: len(stream) for name, stream in streams.items()}
    label = {"run_id": row.run_id, "failed": row.failure is not None, "body": len(body), "tables": lengths}
    return b"".join([to_json(label), b"\n", body, *streams.values()])


@dataclass(frozen=True, slots=True)
class Entry:
    """A row in a journal, parsed on demand.

    Its checksum is right, but other people may have made it. Methods raise a ``ValueError`` if it is not that of a run.
    """

    run_id: str
    failed: bool
    _content: memoryview
    """The bytes after the label."""
    _length: int
    _tables: Mapping[str, int]

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Parse the first line of the row: the run's id and the lengths of the sections."""
        end = content.index(b"\n")
        label = _shaped(from_json(content[:end]), _LABEL)
        tables = label["tables"]
        if not all(is_name(name) and type(length) is int and length >= 0 for name, length in tables.items()):
            raise ValueError("names of tables")
        return cls(label["run_id"], label["failed"], memoryview(content)[end + 1 :], label["body"], tables)

    def body(self) -> dict[str, Any]:
        """Return the content of the row, under the names of `Row`, except for the tables."""
        body = _shaped(from_json(bytes(self._content[: max(0, self._length)])), _BODY)
        _shaped(body, {name: types for name, types in _LATER.items() if name in body})
        if body["run_id"] != self.run_id or (body["failure"] is not None) != self.failed:
            raise ValueError("the label of another row")
        return _checked(body)

    def tables(self) -> dict[str, pa.RecordBatchReader]:
        """Open the tables of the row, by name."""
        import pyarrow as pa  # noqa: PLC0415  # slow to load, and most rows have no table

        place, opened = self._length, {}
        for name, length in self._tables.items():
            opened[name] = pa.ipc.open_stream(self._content[place : place + length])
            place += length
        return opened


_NONE: Final = type(None)
_Fields: TypeAlias = "Mapping[str, tuple[type, ...]]"
_LABEL: Final[_Fields] = {"run_id": (str,), "failed": (bool,), "body": (int,), "tables": (dict,)}
_BODY: Final[_Fields] = {
    "run_id": (str,),
    "scenario_id": (str,),
    "scenario": (str, _NONE),
    "seed": (int,),
    "point": (dict,),
    "summary": (dict,),
    "groups": (list,),
    "notices": (list,),
    "failure": (str, _NONE),
}
"""The types of the fields that every row has; earlier versions wrote no others."""
_LATER: Final[_Fields] = {
    "revision": (str, _NONE),
    "schema": (int, _NONE),
    "cpu_seconds": (float, int),
    "links": (list,),
}
_NUMBER: Final = (int, float, _NONE)
_VALUE: Final = (*_NUMBER, str, bool)
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def is_name(text: str) -> bool:
    """Return whether a text may be the name of a table, and so of a file."""
    return _NAME.fullmatch(text) is not None


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    """Check that a row is one that `encode` could have written."""
    rows = [*body["groups"], *body.get("links", ())]
    numbers = [body.get("cpu_seconds"), *body["summary"].values()]
    values = [value for row in rows for value in _require(row, dict).values()]
    beyond = not 0 <= body["seed"] < 2**64 or not 0 <= (body.get("schema") or 0) < 2**32
    if beyond or not {*_BODY, *_LATER}.isdisjoint([*body["point"], *body["summary"]]):
        raise ValueError("a field of a row")
    for each in body["notices"]:
        _require(each, str)
    for each in numbers:
        _require(each, *_NUMBER)
    for each in (*body["point"].values(), *values):
        _require(each, *_VALUE)
    if any(type(each) is int and not -(2**63) <= each < 2**63 for each in (*numbers, *values)):
        raise ValueError("a number of a row")
    return body


def _shaped(found: Any, fields: _Fields) -> dict[str, Any]:
    """Check that a value is a table that has these fields, with values of these types."""
    table: dict[str, Any] = _require(found, dict)
    for name, types in fields.items():
        _require(table.get(name, ...), *types)
    return table


def _require(found: Any, *types: type) -> Any:
    if type(found) not in types:
        raise ValueError("the type of a field")
    return found


def entries(reading: Reading) -> Iterator[tuple[int, Entry]]:
    """Yield the rows of a journal with their places; rows that are not those of runs count as damage."""
    for number, content in enumerate(reading):
        try:
            yield number, Entry.read(content)
        except ValueError:
            reading.damage = f"its row {number + 1} is not that of a run"


def _stream(table: pa.Table) -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content
