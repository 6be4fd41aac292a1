"""The runs of a store with their recorded tables, for figures over time."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.running.figures.durations import DURATIONS
from ackclock.running.figures.together import PANELS
from ackclock.scenario import Scenario
from ackclock.study.figures.points import Points
from ackclock.values.errors import ScenarioError, impossible

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from ackclock.study.store import Store

__all__ = ["StoredRun", "stored_runs"]


@dataclass(frozen=True)
class StoredRun:
    """A run of a store: its scenario, and the tables that its sweep has recorded."""

    scenario: Scenario
    tables: Mapping[str, pa.Table]

    def table(self, name: str) -> pa.Table:
        """Return a table.

        Raises
        ------
        ScenarioError
            The sweep has not recorded it.
        """
        if name not in self.tables:
            raise impossible(f"plot: the store has no record {name}; add it to the study's `record`")
        return self.tables[name]


def stored_runs(store: Store) -> dict[str, list[StoredRun]]:
    """Return the runs of each point of a store, by the values of the fields that differ between points."""
    import pyarrow.compute as pc  # noqa: PLC0415  # slow to load

    scenarios = {row["scenario_id"]: row["scenario"] for row in store.table("scenarios").to_pylist()}
    records: dict[str, Any] = {}
    drawn = [*(kind.record for kind in PANELS.values()), *(kind.record for kind in DURATIONS.values())]
    for name in dict.fromkeys(drawn):
        with contextlib.suppress(ScenarioError):
            records[name] = store.table(name)
    rows = store.runs.to_pylist()
    fields = [field.path for field in Points.of(store.runs.to_arrow()).fields] if rows else []
    found: dict[str, list[StoredRun]] = {}
    for row in rows:
        tables = {
            name: table.filter(pc.equal(table["run_id"].cast("string"), row["run_id"])).drop_columns(["run_id"])
            for name, table in records.items()
        }
        label = ", ".join(f"{field.rpartition('.')[2]} {row[field]}" for field in fields)
        scenario = Scenario.from_dict(json.loads(scenarios[row["scenario_id"]]))
        found.setdefault(label, []).append(StoredRun(scenario, tables))
    return found
