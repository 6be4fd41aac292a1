"""The evidence as one table: source, part, coordinates, seed, measure, value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ackclock.papers.core.evidence import Run, Runs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ackclock.papers.core.evidence import Row

__all__ = ["read_runs", "write_runs"]

_Where = tuple[tuple[str, Any], ...]
_FIXED = ("source", "part", "seed", "measure", "place", "value")


def write_runs(path: Path, sides: Mapping[str, Runs]) -> None:
    """Write runs as Parquet: a row for each number, and for each element of an array.

    Parameters
    ----------
    path
        The file.
    sides
        The runs by source: "ackclock" or "ns-2.35".

    """
    runs = [(source, part, run) for source, side in sides.items() for part, some in side.parts.items() for run in some]
    axes = dict.fromkeys(axis for _, _, run in runs for axis in run.where)
    columns: dict[str, list[Any]] = {name: [] for name in ("source", "part", *axes, *_FIXED[2:])}
    for source, part, run in runs:
        numbers = _numbers(run)
        fixed = {"source": source, "part": part, **axes, **run.where, "seed": run.seed}
        for name, value in fixed.items():
            columns[name] += [value] * len(numbers)
        for name, column in zip(_FIXED[3:], zip(*numbers, strict=True), strict=False):
            columns[name] += column
    types = {"seed": pa.uint64(), "place": pa.int64(), "value": pa.float64()}
    table = pa.table({name: pa.array(column, types.get(name)) for name, column in columns.items()})
    pq.write_table(table, path, compression="zstd")


def read_runs(path: Path, *, source: str) -> Runs:
    """Read the runs of one source from such a file, parts and runs in the order in which they were written."""
    table = pq.read_table(path)
    axes = [name for name in table.column_names if name not in _FIXED]
    found: dict[str, dict[tuple[_Where, int], dict[str, Any]]] = {}
    for row in table.to_pylist():
        if row["source"] == source:
            where = tuple((axis, row[axis]) for axis in axes if row[axis] is not None)
            values = found.setdefault(row["part"], {}).setdefault((where, row["seed"]), {})
            if row["place"] is None:
                values[row["measure"]] = row["value"]
            else:
                values.setdefault(row["measure"], []).append(row["value"])
    return Runs(
        {part: [_run(where, seed, values) for (where, seed), values in runs.items()] for part, runs in found.items()}
    )


def _run(where: _Where, seed: int, values: Mapping[str, Any]) -> Row:
    arrays = {name: np.array(value, dtype=np.float64) for name, value in values.items() if isinstance(value, list)}
    return Run(where=dict(where), seed=seed, values={**values, **arrays})


def _numbers(run: Row) -> list[tuple[str, int | None, float | None]]:
    return [
        (name, place, number)
        for name, value in run.values.items()
        for place, number in (enumerate(value) if np.ndim(value) else [(None, value)])
    ]
