"""One run as stored, and its encoding in a journal."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from pydantic_core import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["Entry", "Row", "encode", "run_id", "scenario_id"]


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


def scenario_id(scenario: str) -> str:
    """Return the id of an effective scenario, given as canonical JSON."""
    return _digest(scenario.encode())


def run_id(scenario_id: str, seed: int, record: Sequence[str], revision: str) -> str:
    """Compute the id of a run from all of its inputs.

    Parameters
    ----------
    scenario_id
        Id of the effective scenario.
    seed
        Random seed.
    record
        The requested records, in any order.
    revision
        Revision of the engine.

    Returns
    -------
    str
        32 hexadecimal digits; in practice, different runs have different ids.

    Examples
    --------
    >>> run_id("5ce9", 1, ["drops", "acks@0"], "e1") == run_id("5ce9", 1, ["acks@0", "drops"], "e1")
    True

    """
    return _digest(to_json([scenario_id, seed, sorted(record), revision]))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


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
    """A row in a journal, parsed on demand."""

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
        label = from_json(content[:end])
        return cls(label["run_id"], label["failed"], memoryview(content)[end + 1 :], label["body"], label["tables"])

    def body(self) -> dict[str, Any]:
        """Return the content of the row, under the names of `Row`, except for the tables."""
        body: dict[str, Any] = from_json(bytes(self._content[: self._length]))
        return body

    def tables(self) -> dict[str, pa.RecordBatchReader]:
        """Open the tables of the row, by name."""
        import pyarrow as pa  # noqa: PLC0415  # slow to load, and most rows have no table

        place, opened = self._length, {}
        for name, length in self._tables.items():
            opened[name] = pa.ipc.open_stream(self._content[place : place + length])
            place += length
        return opened


def _stream(table: pa.Table) -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content
