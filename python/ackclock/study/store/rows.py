"""The rows of journals that are not in a part yet, without duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ackclock.study.store.journal import Reading
from ackclock.study.store.row import entries
from ackclock.study.store.tables import BASE, fit, plain, tables_of, unified
from ackclock.values.errors import damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ackclock.study.store.row import Entry

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
            run = entry.run_id
            try:
                body, opened = entry.body(), entry.tables()
                _require_names(body, opened)
            except (ValueError, pa.ArrowException):
                self.damage[place[0]] = f"its row {place[1] + 1} is not that of a run"
                continue
            if body["scenario"] is not None:
                scenarios[body["scenario_id"]] = body["scenario"]
            if run not in bodies or (bodies[run]["failure"] is not None and body["failure"] is None):
                bodies[run], places[run] = body, place
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
                for batch in _batches(entry, name, place[0]):
                    table = pa.Table.from_batches([batch])
                    whole = table.add_column(0, "run_id", pa.repeat(entry.run_id, len(table)))
                    yield fit(whole, plain(whole.schema))

    def _entries(self) -> Iterator[tuple[_Place, Entry]]:
        for path in self._journals:
            reading = Reading(path)
            for number, entry in entries(reading):
                yield (path, number), entry
            if reading.damage is not None:
                self.damage[path] = reading.damage


def _require_names(body: Mapping[str, Any], records: Iterable[str]) -> None:
    if not {*BASE, "links"}.isdisjoint(records) or body["point"].keys() & body["summary"].keys():
        raise ValueError("the name of a column or of a record")


def _batches(entry: Entry, name: str, journal: Path) -> Iterator[pa.RecordBatch]:
    try:
        yield from entry.tables().get(name, ())
    except pa.ArrowException:
        raise damaged(journal, f"{name} of a run cannot be read", "delete it: a sweep makes its runs again") from None


def _with_run(schema: pa.Schema) -> pa.Schema:
    return plain(schema).insert(0, pa.field("run_id", pa.string()))
