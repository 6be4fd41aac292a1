"""Makes the runs that are missing in a store, and reads what they measured."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ackclock.advice.measures import COLUMNS, values
from ackclock.engine.catalogue import catalogue
from ackclock.study.design import Study
from ackclock.study.store import Store
from ackclock.study.survey import Survey
from ackclock.study.sweeping import fill, preview
from ackclock.values.errors import LostError
from ackclock.values.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ackclock.study.outlook import Outlook

__all__ = ["Samples", "expected", "measured"]

Samples = dict[str, dict[str, list[float]]]
"""The values of each contender by the keys of the measures, one per seed."""


def measured(
    folder: Path, networks: Mapping[str, dict[str, Any]], *, seeds: int, jobs: int | None, label: str
) -> Samples:
    """Run networks with the seeds from 1 on that the store does not have, and return their values.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after the running simulations were stored.
    LostError
        A run failed; the store has the reason.
    """
    study = _study(networks, seeds)
    tally = fill(folder, study, jobs=jobs, label=label)
    if tally.interrupted:
        raise KeyboardInterrupt
    if tally.failed:
        raise LostError(f"{tally.failed:,} runs failed: see the table `failures` of the store {folder}")
    with Store.open(folder, revision=catalogue().revision) as store:
        return _values(store, study, seeds)


def expected(folder: Path, networks: Mapping[str, dict[str, Any]], *, seeds: int) -> Outlook:
    """Count the runs that `measured` would make, and estimate their cost."""
    return preview(folder, _study(networks, seeds))


def _study(networks: Mapping[str, dict[str, Any]], seeds: int) -> Study:
    """Return the study whose variants are the networks: each sets all tables that differ."""
    first = next(iter(networks.values()))
    variants = {
        name: {table: each[table] for table in ("duration", "measure", "dumbbell", "clients")}
        for name, each in networks.items()
    }
    return Study.from_dict({"scenario": first, "variants": variants, "replications": seeds})


def _values(store: Store, study: Study, seeds: int) -> Samples:
    """Read the values of a study's runs, in the order of the seeds."""
    import pyarrow as pa  # noqa: PLC0415  # slow to load
    import pyarrow.compute as pc  # noqa: PLC0415

    survey = Survey.of(study)
    names = dict(zip(survey.scenario_ids, study.variants or (), strict=True))
    length = {scenario: _measured_time(study, name) for scenario, name in names.items()}
    runs = store.table("runs", ["run_id", "scenario_id", "seed"]).to_arrow()
    runs = runs.filter(pc.is_in(runs["scenario_id"], value_set=pa.array(names, pa.string())))
    wanted = {row["run_id"]: row for row in runs.to_pylist() if row["seed"] <= seeds}
    groups = store.table("groups", ["run_id", "name", *COLUMNS]).to_arrow()
    groups = groups.filter(pc.is_in(groups["run_id"], value_set=pa.array(wanted, pa.string())))
    by_run: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in groups.to_pylist():
        by_run[row["run_id"]][row["name"]] = row
    samples: Samples = {name: defaultdict(list) for name in names.values()}
    for run, row in sorted(wanted.items(), key=lambda entry: entry[1]["seed"]):
        scenario = row["scenario_id"]
        for key, value in values(by_run[run], length[scenario]).items():
            samples[names[scenario]][key].append(value)
    return {name: dict(by_key) for name, by_key in samples.items()}


def _measured_time(study: Study, name: str) -> float:
    fields = (study.variants or {})[name]
    return seconds(fields["duration"]) - seconds(fields["measure"]["from"])
