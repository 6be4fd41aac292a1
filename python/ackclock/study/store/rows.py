"""The rows of journals that are not in a part yet, without duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ackclock.study.store.journal import Reading
from ackclock.study.store.row import Entry
from ackclock.study.store.tables import fit, plain, tables_of, unified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["Rows"]

_Place = tuple["Path", int]
"""A journal, and the index of a row in it."""


class Rows:
    """The rows of some journals as tables.

    Parameters
    ----------
    journals
        Paths of the journals.
    made
        Function that returns which of the given runs are in a part already; the rows of these runs are omitted.
        Duplicate rows of a run are omitted as well, and so is the row of a failure if a later attempt succeeded.

    Attributes
    ----------
    schemas
        Schema of each table, by name.
    runs
        Ids of the successful runs.
    damage
        The problem of each damaged journal, by path.

    """

    def __init__(self, journals: Sequence[Path], made: Callable[[Sequence[str]], set[str]]) -> None:
        self.damage: dict[Path, str] = {}
        self._journals = journals
        bodies: dict[str, dict[str, Any]] = {}
        scenarios: dict[str, str] = {}
        places: dict[str, _Place] = {}
        records: dict[str, list[pa.Schema]] = {}
        for place, entry in self._entries():
            body = entry.body()
            run = entry.run_id
            if body["scenario"] is not None:
                scenarios[body["scenario_id"]] = body["scenario"]
            if run not in bodies or (bodies[run]["failure"] is not None and body["failure"] is None):
                bodies[run], places[run] = body, place
                opened = entry.tables()
                body["records"] = list(opened)
                for name, stream in opened.items():
                    known = records.setdefault(name, [])
                    if (schema := _with_run(stream.schema)) not in known:
                        known.append(schema)
        known_runs = made(list(bodies))
        self._chosen = {place for run, place in places.items() if run not in known_runs}
        kept = {run: body for run, body in bodies.items() if run not in known_runs}
        self.runs = frozenset(run for run, body in kept.items() if body["failure"] is None)
        self._core = tables_of(list(kept.values()), scenarios)
        self.schemas = {name: table.schema for name, table in self._core.items()}
        self.schemas |= {name: unified(schemas) for name, schemas in records.items()}

    def __bool__(self) -> bool:
        """Return whether there are any rows."""
        return bool(self._chosen)

    def pieces(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows of a table in pieces, with all columns: they are in memory in any case."""
        del columns
        if name in self._core:
            yield self._core[name]
            return
        for place, entry in self._entries():
            if place in self._chosen:
                for batch in entry.tables().get(name, ()):
                    table = pa.Table.from_batches([batch])
                    whole = table.add_column(0, "run_id", pa.repeat(entry.run_id, len(table)))
                    yield fit(whole, plain(whole.schema))

    def _entries(self) -> Iterator[tuple[_Place, Entry]]:
        for path in self._journals:
            reading = Reading(path)
            for number, content in enumerate(reading):
                yield (path, number), Entry.read(content)
            if reading.damage is not None:
                self.damage[path] = reading.damage


def _with_run(schema: pa.Schema) -> pa.Schema:
    return plain(schema).insert(0, pa.field("run_id", pa.string()))
