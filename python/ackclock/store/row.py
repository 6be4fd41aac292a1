"""One run as a store keeps it, and the bytes that it is in a journal."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["Row", "decode", "encode", "head", "run_id", "scenario_id"]


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
    point
        The fields that the study swept, by path, and their values as the study wrote them.
    summary
        The numbers of its summary by name, and of what else was measured; empty for a run that failed.
    groups
        The same for each group of flows.
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
    point: Mapping[str, str | float | bool | None] = field(default_factory=dict)
    summary: Mapping[str, float | None] = field(default_factory=dict)
    groups: Sequence[Mapping[str, object]] = ()
    notices: Sequence[str] = ()
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    failure: str | None = None


def scenario_id(scenario: str) -> str:
    """Name an effective scenario, given as JSON of one form."""
    return _digest(scenario)


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
    return _digest(json.dumps([scenario_id, seed, sorted(record), revision]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


# A row is one line of JSON; after it come its tables, one Arrow stream each, whose lengths the line tells.


def encode(row: Row, *, with_scenario: bool) -> bytes:
    """Write a row; the scenario may stay out where it is kept already."""
    streams = {name: _stream(table) for name, table in row.tables.items()}
    line = {
        "run_id": row.run_id,
        "scenario_id": row.scenario_id,
        "scenario": row.scenario if with_scenario else None,
        "seed": row.seed,
        "point": row.point,
        "summary": row.summary,
        "groups": row.groups,
        "notices": row.notices,
        "tables": {name: len(stream) for name, stream in streams.items()},
        "cpu_seconds": row.cpu_seconds,
        "failure": row.failure,
    }
    return b"".join([json.dumps(line, separators=(",", ":"), default=dict).encode(), b"\n", *streams.values()])


def head(payload: bytes) -> dict[str, Any]:
    """Read a row back but for its tables."""
    line: dict[str, Any] = json.loads(payload[: payload.index(b"\n")])
    return line


def decode(payload: bytes) -> dict[str, pa.Table]:
    """Read the tables of a row back."""
    import pyarrow as pa  # noqa: PLC0415  # slow to load, and most rows have no table

    place = payload.index(b"\n") + 1
    tables = {}
    for name, length in head(payload)["tables"].items():
        with pa.ipc.open_stream(pa.py_buffer(payload)[place : place + length]) as stream:
            tables[name] = stream.read_all()
        place += length
    return tables


def _stream(table: pa.Table) -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content
