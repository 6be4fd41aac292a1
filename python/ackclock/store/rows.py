"""The rows of journals that are in no part yet, each once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from ackclock.store.journal import Reading
from ackclock.store.row import Entry
from ackclock.store.tables import BASE, fit, plain, tables_of, unified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["Rows"]

_BATCH: Final = 1000
"""Rows that are Python objects at a time."""


class Rows:
    """The rows of some journals as tables.

    Parameters
    ----------
    journals
        Where they are.
    made
        Tells which of some runs are known already: their rows are left out. So are further rows of a run, and those
        that tell of a failure where another tells of success.

    Attributes
    ----------
    schemas
        The tables, each with the columns that the rows need.
    damage
        What is wrong with journals.

    """

    def __init__(self, journals: Sequence[Path], made: Callable[[Sequence[str]], set[str]]) -> None:
        self.damage: dict[Path, str] = {}
        self._journals = journals
        self._chosen = self._choose(made)
        self._core: dict[str, list[pa.Table]] = {name: [] for name in BASE}
        schemas: dict[str, list[pa.Schema]] = {}
        entries = self._entries()
        while batch := list(islice(entries, _BATCH)):
            for name, table in tables_of([entry.body() for entry in batch]).items():
                self._core[name].append(table)
                schemas.setdefault(name, []).append(table.schema)
            for name, stream in (each for entry in batch for each in entry.tables().items()):
                known = schemas.setdefault(name, [])
                if (schema := _with_run(stream.schema)) not in known:
                    known.append(schema)
        self.schemas = {name: unified(each) for name, each in schemas.items()}

    def pieces(self, name: str) -> Iterator[pa.Table]:
        """Give the rows of one of the tables."""
        if name in self._core:
            yield from self._core[name]
            return
        for entry in self._entries():
            for batch in entry.tables().get(name, ()):
                table = pa.Table.from_batches([batch])
                whole = table.add_column(0, "run_id", pa.repeat(entry.run_id, len(table)))
                yield fit(whole, plain(whole.schema))

    def _choose(self, made: Callable[[Sequence[str]], set[str]]) -> set[tuple[Path, int]]:
        """Find the rows that count, by journal and place."""
        places: dict[str, tuple[Path, int]] = {}
        succeeded = set()
        for path in self._journals:
            reading = Reading(path)
            for number, entry in enumerate(map(Entry.read, reading)):
                if entry.run_id not in succeeded:
                    places[entry.run_id] = path, number
                    if not entry.failed:
                        succeeded.add(entry.run_id)
            if reading.damage is not None:
                self.damage[path] = reading.damage
        known = made(list(places))
        return {place for run_id, place in places.items() if run_id not in known}

    def _entries(self) -> Iterator[Entry]:
        for path in self._journals:
            for number, content in enumerate(Reading(path)):
                if (path, number) in self._chosen:
                    yield Entry.read(content)


def _with_run(schema: pa.Schema) -> pa.Schema:
    return plain(schema).insert(0, pa.field("run_id", pa.string()))
