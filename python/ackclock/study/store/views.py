"""The tables of a store as its users see them: complete, ordered, and without columns for internal use.

=============  =====================================================================================
``runs``       the successful runs: swept fields, which are read from the scenario where the study of
               a run did not sweep them, and the numbers of the summary
``failures``   the failed runs, except those that succeeded later
``scenarios``  each effective scenario once, as JSON
``origins``    the engine and the schema that made each run
``costs``      the CPU time of each run, stored apart so that ``runs`` does not depend on a clock
``groups``     the numbers of each group of flows
``notices``    the notices of the runs
=============  =====================================================================================

Each record that a study requested is a table as well.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from ackclock.files.reading import gathered
from ackclock.scenario.earlier import upgrade
from ackclock.scenario.files import json_table
from ackclock.study.store.parts import sources
from ackclock.study.store.tables import KEPT, LOST, SWEPT, fit, revisions_of, unified_schemas
from ackclock.values.errors import damaged, one_of, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ackclock.study.store.contents import Contents

__all__ = ["FIXED", "Views"]

_ORIGIN: Final = ["run_id", "revision", "schema"]
_COST: Final = ["run_id", "cpu_seconds"]
_HIDDEN: Final = {"revision", "schema", "cpu_seconds", KEPT, LOST}
"""Columns of the stored table ``runs`` that are not in its view."""

FIXED: Final = ("runs", "failures", "scenarios", "origins", "costs", "groups", "notices")
"""The views that every store has."""


class Views:
    """The views of a store, whose folder must be locked.

    Attributes
    ----------
    schemas
        The schema of each stored table.
    rows
        The rows of journals that are not in a part yet.
    shown
        The ids of the runs and failures that are shown, or ``None`` if these are all.

    """

    def __init__(self, contents: Contents, revision: str | None) -> None:
        """Show the runs of a revision of the engine, or with ``None`` all runs."""
        self.rows = contents.rows()
        self._sources = sources(contents.parts, self.rows)
        self.schemas = unified_schemas(self._sources)
        self._contents = contents
        self.shown: pa.ChunkedArray | None = None
        if revision is not None:
            tables = [self._stored(name, ["run_id", "revision"]) for name in ("runs", "failures")]
            alike = [pc.equal(revisions_of(table), revision) for table in tables]
            if not all(pc.all(each, min_count=0).as_py() for each in alike):
                ids = (table.column("run_id").filter(each) for table, each in zip(tables, alike, strict=True))
                self.shown = pa.chunked_array([chunk for column in ids for chunk in column.chunks], pa.string())

    @property
    def names(self) -> list[str]:
        """The names of the views."""
        return [*FIXED, *(name for name in self.schemas if name not in FIXED)]

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a view, with all or some of its columns.

        Raises
        ------
        ScenarioError
            There is no such view.
        DamagedError
            All rows of the table were lost to damage.

        """
        if name not in self.names:
            if any(name in part.missing for part in self._contents.parts):
                raise damaged(self._contents.path, f"no rows of {name} are left", self._contents.again)
            raise refuse("table", name, one_of(name, self.names))
        schema = self._shown(name)
        if columns is not None:
            schema = pa.schema([schema.field(each) for each in columns])
        return self._ordered(name, schema).select(schema.names).cast(schema)

    def empty(self, name: str) -> pa.Table:
        """Return a view without its rows."""
        return self._shown(name).empty_table()

    def _shown(self, name: str) -> pa.Schema:
        if name in {"runs", "failures"}:
            schema = self.schemas[name]
            swept = _swept(schema)
            rest = [each for each in schema.names if each not in {"run_id", "seed", "scenario_id", *swept, *_HIDDEN}]
            schema = _part_of(schema, ["run_id", "seed", *swept, *rest, "scenario_id"])
        else:
            shown = {"origins": _ORIGIN, "costs": _COST}.get(name)
            schema = _part_of(self.schemas["runs"], shown) if shown else self.schemas[name]
        return pa.schema([field.remove_metadata() for field in schema])

    def _ordered(self, name: str, schema: pa.Schema) -> pa.Table:
        """Return the columns of a view, and those that determine its order."""
        if name == "runs":
            keys = [*_swept(self.schemas[name]), "seed", "run_id"]
            return _sorted(self._with_scenarios(self._stored(name, [*keys, "scenario_id", *schema.names])), keys)
        if name == "failures":
            made = self._stored("runs", ["run_id"]).column("run_id")
            failed = _each_once(self._stored(name), "run_id")
            return failed.filter(pc.invert(pc.is_in(failed.column("run_id"), value_set=made)))
        if name == "scenarios":
            scenarios = _each_once(self._stored(name), "scenario_id")
            if self.shown is None:
                return scenarios
            ids = pa.chunked_array(
                [
                    chunk
                    for each in ("runs", "failures")
                    for chunk in self._stored(each, ["run_id", "scenario_id"]).column("scenario_id").chunks
                ],
                pa.string(),
            )
            return scenarios.filter(pc.is_in(scenarios.column("scenario_id"), value_set=ids))
        if name in {"origins", "costs"}:
            return _sorted(self._stored("runs", schema.names), schema.names)
        order = {"groups": ["run_id", "name"], "notices": ["run_id", "notice"]}.get(name)
        return _sorted(self._stored(name), order) if order else self._stored(name)

    def _stored(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        schema = self.schemas[name]
        if columns is not None:
            schema = _part_of(schema, dict.fromkeys(columns))
        stored = gathered(f"{self._contents.path}: the table {name}", schema, self._pieces(name, schema))
        if self.shown is None or "run_id" not in schema.names:
            return stored
        return stored.filter(pc.is_in(stored.column("run_id"), value_set=self.shown))

    def _pieces(self, name: str, schema: pa.Schema) -> Iterator[pa.Table]:
        for source in self._sources:
            if name in source.schemas:
                there = set(source.schemas[name].names)
                columns = [each for each in dict.fromkeys(["run_id", *schema.names]) if each in there]
                for piece in source.pieces(name, columns):
                    yield fit(piece, schema)

    def _with_scenarios(self, runs: pa.Table) -> pa.Table:
        """Complete swept fields of runs whose study did not sweep them."""
        gaps = [name for name in _swept(runs.schema) if runs.column(name).null_count]
        if not gaps:
            return runs
        scenarios = self._stored("scenarios").to_pydict()
        known = {
            each: json_table(f"scenario {each}", text)
            for each, text in zip(scenarios["scenario_id"], scenarios["scenario"], strict=True)
        }
        for scenario in known.values():
            upgrade(scenario)
        ids = runs.column("scenario_id").to_pylist()
        for name in gaps:
            place, field = runs.schema.get_field_index(name), runs.schema.field(name)
            found = {each: _as(_value(scenario, name), field.type) for each, scenario in known.items()}
            column = [
                found.get(each) if value is None else value
                for each, value in zip(ids, runs.column(name).to_pylist(), strict=True)
            ]
            runs = runs.set_column(place, field, pa.array(column, field.type))
        return runs


def _swept(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if field.metadata == SWEPT]


def _part_of(schema: pa.Schema, names: Iterable[str]) -> pa.Schema:
    return pa.schema([schema.field(name) for name in names])


def _sorted(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sort rows by some columns, nulls last; a column without any type has only nulls."""
    typed = [table.column(key) for key in keys if not pa.types.is_null(table.schema.field(key).type)]
    names = [str(place) for place in range(len(typed))]  # Arrow interprets names that begin with a dot or a bracket
    order = pc.sort_indices(pa.table(typed, names), sort_keys=[(name, "ascending") for name in names])
    return table.take(order)


def _each_once(table: pa.Table, key: str) -> pa.Table:
    """Sort rows by a key, and keep the first row of each key."""
    ordered = _sorted(table, [key])
    values = ordered.column(key).combine_chunks()
    if len(values) < 2:
        return ordered
    return ordered.filter(pa.concat_arrays([pa.array([True]), pc.not_equal(values[1:], values[:-1])]))


def _value(scenario: object, path: str) -> object:
    """Return a field of a scenario, or ``None``."""
    found = scenario
    for step in path.split("."):
        if isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        elif isinstance(found, dict):
            found = found.get(step)
        else:
            return None
    return found


def _as(value: object, kind: pa.DataType) -> Any:
    """Convert a field of a scenario to the type of a column, or to ``None``."""
    if pa.types.is_string(kind) and value is not None and not isinstance(value, str):
        return json.dumps(value)
    try:
        return pa.scalar(value, kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None
