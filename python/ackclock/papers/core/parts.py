"""Parts of a study: grids of runs with the numbers extracted from each run, which a store keeps.

The key of a run consists of its scenario, seed, records, the engine's revision, and the source of the function that
extracts its numbers. An interrupted study, or one with more seeds, makes only the missing runs.
"""

from __future__ import annotations

import ast
import hashlib
import math
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ackclock.engine.catalogue import catalogue
from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.core.evidence import Runs, Scalar
from ackclock.papers.core.table import check_axes
from ackclock.running.identity import run_id, scenario_id
from ackclock.running.run import Prepared, Run
from ackclock.scenario import SCHEMA, Scenario
from ackclock.study import Batch, Point, Wanted
from ackclock.study.store import Row, Store

Taken = Mapping[str, Any]
"""The numbers of a run: finite numbers, None for undefined ones, or one-dimensional arrays."""

_MEASURES = "measures"
"""The store's table of values, with a row for each number and each array element."""

_EMPTY = -1
"""Index that marks the row of an empty array."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A point of a part: its coordinates and its scenario.

    If the scenario itself is random, `drawn` creates it for each seed, and `scenario` is one example.
    """

    where: Mapping[str, Scalar]
    scenario: Scenario
    drawn: Callable[[int], Scenario] | None = None

    @property
    def name(self) -> str:
        """The coordinates as text, for the message on a failed run."""
        return ", ".join(f"{axis} = {value}" for axis, value in self.where.items())


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A grid of runs.

    Parameters
    ----------
    name
        Name in the evidence.
    spots
        The points, all with the same axes.
    take
        Extracts the numbers of a run; a module-level function, so that its source is known.
    record
        The records that `take` needs.
    seeds
        Seeds of this part (default: the study's).
    work
        Returns the cost of a run relative to others (default: simulated seconds times clients).

    """

    name: str
    spots: Sequence[Spot]
    take: Callable[[Run], Taken]
    record: Sequence[str] = ()
    seeds: Sequence[int] | None = None
    work: Callable[[Scenario], float] | None = None


def gather(
    parts: Sequence[Part],
    *,
    seeds: Sequence[int],
    store: Path | None = None,
    jobs: int | None = None,
    label: str = "runs",
) -> Runs:
    """Make the runs of all parts, each only once, except runs that the store already has.

    Parameters
    ----------
    parts
        The parts.
    seeds
        Seeds of parts that do not define their own seeds.
    store
        Folder of the store; without it, no run is kept.
    jobs
        Number of parallel runs (default: one per CPU core).
    label
        Name of the work in the progress bar.

    Raises
    ------
    ScenarioError
        Before the first run: a scenario, a record request or an axis (`check_axes`) is not allowed, or the folder
        contains no store.
    KeyboardInterrupt
        On Ctrl-C; the store has all finished runs.

    """
    check_axes(spot.where for part in parts for spot in part.spots)
    with Store.open(store, create=True) if store else nullcontext() as opened:
        keeper = _Keeper(opened)
        batch = Batch()
        asked = [
            (part, spot, keeper.want(batch, part, spot, list(part.seeds or seeds)))
            for part in parts
            for spot in part.spots
        ]
        batch.run(jobs=jobs, label=label, lines=True)
        rows: dict[str, list[Observed]] = {part.name: [] for part in parts}
        for part, spot, give in asked:
            values = give()
            rows[part.name] += [
                # in one order, whether a run was made now or read from the store
                Observed(where=spot.where, seed=seed, values=dict(sorted(values[seed].items())))
                for seed in part.seeds or seeds
            ]
    return Runs({name: _alike(found) for name, found in rows.items()})


class _Keeper:
    """Reads runs from a store, requests the missing ones, and stores them when they end."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known = _read(store) if store else {}

    def want(self, batch: Batch, part: Part, spot: Spot, seeds: Sequence[int]) -> Callable[[], Mapping[int, Taken]]:
        """Request the missing runs of a point; the returned function gives the values of all seeds after the batch."""
        if spot.drawn:
            each = [self._want(batch, part, spot, spot.drawn(seed), [seed]) for seed in seeds]
            return lambda: {seed: values for give in each for seed, values in give().items()}
        return self._want(batch, part, spot, spot.scenario, seeds)

    def _want(
        self, batch: Batch, part: Part, spot: Spot, asked: Scenario, seeds: Sequence[int]
    ) -> Callable[[], Mapping[int, Taken]]:
        scenario = Prepared.of(asked, part.record).scenario.to_json()
        known = scenario_id(scenario)
        made_by = [*part.record, f"part={part.name}", f"take={_version(part.take)}"]
        ids = {seed: run_id(known, seed, made_by, catalogue().revision) for seed in seeds}
        missing = [seed for seed in seeds if ids[seed] not in self._known]

        def take(run: Run) -> Taken:
            values = _checked(part, part.take(run))
            point = {"part": part.name, **spot.where}
            self._keep(
                Row(
                    run_id=ids[run.seed],
                    scenario_id=known,
                    scenario=scenario,
                    seed=run.seed,
                    point=point,
                    tables={_MEASURES: _table(values)},
                    revision=catalogue().revision,
                    schema=SCHEMA,
                )
            )
            return values

        work = (part.work or _work)(asked)
        made = batch.add(
            Wanted(
                points=[Point(name=f"{part.name}, {spot.name}", scenario=asked, work=work)],
                seeds=missing,
                take=take,
                record=part.record,
                make=lambda runs: {run.seed: run.value for run in runs},
            )
        )
        there = {seed: self._known[ids[seed]] for seed in seeds if seed not in missing}
        return lambda: {**there, **made()}

    def _keep(self, row: Row) -> None:
        if self._store is not None:
            with self._lock:
                self._store.add(row)


def _checked(part: Part, values: Taken) -> Taken:
    """Convert numbers to floats and sequences to arrays, and reject values that a store cannot preserve."""
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if value is None:
            checked[name] = None
        elif np.ndim(value):
            checked[name] = np.asarray(value, dtype=np.float64)
        else:
            checked[name] = float(value)
            if not math.isfinite(checked[name]):
                raise ValueError(f"{part.name}: {name} is {value}; must be a finite number or None")
    return checked


def _table(values: Taken) -> pa.Table:
    """Convert values to rows; a number has no index."""
    rows = [
        (name, place, number)
        for name, value in values.items()
        for place, number in (_numbered(value) if isinstance(value, np.ndarray) else [(None, value)])
    ]
    names, places, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    columns = {
        "measure": pa.array(names, pa.string()),
        "place": pa.array(places, pa.int64()),
        "value": pa.array(numbers, pa.float64()),
    }
    return pa.table(columns)


def _numbered(array: NDArray[np.float64]) -> list[tuple[int, float | None]]:
    """Return the elements with their indices; an empty array is one row with the index `_EMPTY`."""
    return list(enumerate(array.tolist())) or [(_EMPTY, None)]


def _read(store: Store) -> dict[str, Taken]:
    """Read the values of all runs in a store, by run id."""
    done = store.done()
    if not done:
        return {}
    found = store.stored(_MEASURES).sort_by([(name, "ascending") for name in ("run_id", "measure", "place")])
    values: dict[str, dict[str, Any]] = {}
    for run, measure, place, value in zip(
        *(found.column(name).to_pylist() for name in ("run_id", "measure", "place", "value")), strict=True
    ):
        if run not in done:
            continue
        if place is None:
            values.setdefault(run, {})[measure] = value
        else:
            array = values.setdefault(run, {}).setdefault(measure, [])
            if place != _EMPTY:
                array.append(value)
    return {
        run: {
            name: np.array(value, dtype=np.float64) if isinstance(value, list) else value
            for name, value in taken.items()
        }
        for run, taken in values.items()
    }


def _alike(rows: list[Observed]) -> list[Observed]:
    """Give all rows of a part the same names: missing numbers become None, and names without any number are omitted."""
    names = dict.fromkeys(name for row in rows for name, value in row.values.items() if value is not None)
    return [
        Observed(where=row.where, seed=row.seed, values={name: row.values.get(name) for name in names}) for row in rows
    ]


def _work(scenario: Scenario) -> float:
    return float(sum(group.count for group in scenario.groups))


@cache
def _version(take: Callable[[Run], Taken]) -> str:
    """Return the name of a function and a digest of the sources that determine its result: its module and imports."""
    sources: dict[str, bytes] = {}
    _collect(take.__module__, sources)
    digest = hashlib.sha256(b"\0".join(sources[name] for name in sorted(sources))).hexdigest()[:16]
    return f"{take.__module__}.{take.__qualname__}@{digest}"


def _collect(module: str, sources: dict[str, bytes]) -> None:
    """Read the source of a module and of its imports that may affect the result."""
    spec = find_spec(module)
    if module in sources or spec is None or spec.origin is None:
        return
    sources[module] = Path(spec.origin).read_bytes()
    for node in ast.walk(ast.parse(sources[module])):
        if isinstance(node, ast.ImportFrom) and node.module and _takes(node.module):
            for name in (node.module, *(f"{node.module}.{one.name}" for one in node.names)):
                if name in sys.modules:
                    _collect(name, sources)


def _takes(module: str) -> bool:
    """Whether the functions of a module may affect the result; the engine has its own revision."""
    return module.startswith(("ackclock.papers.", "ackclock.analysis")) and not module.startswith(
        "ackclock.papers.core"
    )
