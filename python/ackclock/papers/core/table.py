"""The evidence as one table with the columns source (simulator), part, coordinates, seed, measure, place, value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ackclock.files.reading import parquet
from ackclock.papers.core.evidence import Row, Run, Runs, Scalar
from ackclock.values.errors import refuse

_Where = tuple[tuple[str, Any], ...]
_ENCODINGS = {"place": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"}  # half the size of dictionary encoding
_FIXED = ("source", "part", "seed", "measure", "place", "value")


def check_axes(points: Iterable[Mapping[str, Scalar]]) -> None:
    """Check that the coordinates of points fit into one table, in which each axis is a column.

    Raises
    ------
    ScenarioError
        An axis has the name of one of the table's own columns, or both numbers and texts as values.

    """
    numeric: dict[str, set[bool]] = {}
    for point in points:
        for axis, value in point.items():
            numeric.setdefault(axis, set()).add(not isinstance(value, str))
    for axis, kinds in numeric.items():
        if axis in _FIXED:
            raise refuse("axis", axis, f"must be none of the table's own columns {', '.join(_FIXED)}")
        if len(kinds) > 1:
            raise refuse("axis", axis, "must have either numbers or texts as values in all parts")


def write_runs(path: Path, sides: Mapping[str, Runs]) -> None:
    """Write the runs of each simulator ("ackclock", "ns-2.35") as Parquet: a row per number and array element.

    Raises
    ------
    ScenarioError
        As for `check_axes`.

    """
    runs = [(source, part, run) for source, side in sides.items() for part, some in side.parts.items() for run in some]
    check_axes(run.where for _, _, run in runs)
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
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=9,
        use_dictionary=[name for name in columns if name not in _ENCODINGS],
        column_encoding=_ENCODINGS,
    )


def read_runs(path: Path, *, source: str) -> Runs:
    """Read the runs of one simulator from a file of `write_runs`, in the order of writing."""
    table = parquet(path)
    table = table.filter(pc.equal(table["source"], source))
    axes = [name for name in table.column_names if name not in _FIXED]
    numbers, begins = table["value"].to_numpy(), _begins(table)
    found: dict[str, dict[tuple[_Where, int], dict[str, Any]]] = {}
    for first, begin, end in zip(table.take(begins).to_pylist(), begins, [*begins, len(table)][1:], strict=True):
        where = tuple((axis, first[axis]) for axis in axes if first[axis] is not None)
        values = found.setdefault(first["part"], {}).setdefault((where, first["seed"]), {})
        values[first["measure"]] = first["value"] if first["place"] is None else numbers[begin:end]
    return Runs(
        {
            part: [Run(where=dict(where), seed=seed, values=values) for (where, seed), values in runs.items()]
            for part, runs in found.items()
        }
    )


@cache
def ns2_runs(study: str) -> Runs:
    """Read ns-2's runs for a study, by part; the study's `data/README.md` describes them."""
    return read_runs(Path(str(files(f"ackclock.papers.{study}") / "data" / "ns2.parquet")), source="ns-2.35")


def _begins(table: pa.Table) -> NDArray[np.int64]:
    """Find the rows at which a number or an array starts."""
    changed = np.zeros(len(table), dtype=bool)
    changed[:1] = True
    for name in table.column_names:
        if name not in {"place", "value"}:
            codes = table[name].combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy()
            changed[1:] |= codes[1:] != codes[:-1]
    return np.flatnonzero(changed)


def _numbers(run: Row) -> list[tuple[str, int | None, float | None]]:
    return [
        (name, place, number)
        for name, value in run.values.items()
        for place, number in (enumerate(value) if np.ndim(value) else [(None, value)])
    ]
