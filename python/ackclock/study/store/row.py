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
    """One run.

    Parameters
    ----------
    run_id
        What `run_id` makes of all that makes the run.
    scenario_id
        What `scenario_id` makes of its scenario.
    scenario
        The effective scenario as JSON.
    seed
        Where its random numbers came from.
    revision
        Revision of the engine.
    schema
        Version of the scenario's schema.
    point
        The fields that the study swept, by path, and their values as the study wrote them.
    summary
        The numbers of its summary by name, and of what else was measured; empty for a run that failed.
    groups
        The same for each group of flows.
    links
        What passed each measured link, where there is more than one.
    notices
        What a reader of its numbers must know.
    tables
        The records that were asked for.
    cpu_seconds
        What it cost. It is kept apart from what the run found.
    failure
        Why there is no summary. Such a run counts as not made.

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
    """Name a run by all that makes it.

    Parameters
    ----------
    scenario_id
        The effective scenario's.
    seed
        Where its random numbers come from.
    record
        The records that are asked for, in any order.
    revision
        The engine's.

    Returns
    -------
    str
        32 hexadecimal digits; two different runs do not share them in practice.

    Examples
    --------
    >>> run_id("5ce9", 1, ["drops", "acks@0"], "e1") == run_id("5ce9", 1, ["acks@0", "drops"], "e1")
    True

    """
    return _digest(to_json([scenario_id, seed, sorted(record), revision]))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


# In a journal a row is a line that tells whose it is and how long what follows is; then, as JSON, all but its tables;
# then each table as an Arrow stream.


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
        """Read whose row it is."""
        end = content.index(b"\n")
        label = from_json(content[:end])
        return cls(label["run_id"], label["failed"], memoryview(content)[end + 1 :], label["body"], label["tables"])

    def body(self) -> dict[str, Any]:
        """Return the content of the row, under the names of `Row`, except for the tables."""
        body: dict[str, Any] = from_json(bytes(self._content[: self._length]))
        return body

    def tables(self) -> dict[str, pa.RecordBatchReader]:
        """Open its tables."""
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
