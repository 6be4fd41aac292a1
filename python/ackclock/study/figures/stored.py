"""The runs of a store with their recorded tables, for figures over time."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock.running.figures.together import PANELS
from ackclock.scenario import Scenario
from ackclock.study.figures.points import Points
from ackclock.values.errors import ScenarioError

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
        """Return a table."""
        return self.tables[name]


def stored_runs(store: Store) -> dict[str, list[StoredRun]]:
    """Return the runs of each point of a store, by the values of the fields that differ between points."""
    import pyarrow.compute as pc  # noqa: PLC0415  # slow to load

    scenarios = {row["scenario_id"]: row["scenario"] for row in store.table("scenarios").to_pylist()}
    records: dict[str, Any] = {}
    for name in dict.fromkeys(kind.record for kind in PANELS.values()):
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
