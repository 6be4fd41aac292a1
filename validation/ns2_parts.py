"""The ns-2 data of the studies, with one file per study. Runs can be repeated to check or to replace them."""

from __future__ import annotations

import argparse
import random
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.table import ns2_runs, write_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.core.evidence import Row

    Values = Mapping[str, Any]
    Make = Callable[[Mapping[str, Any], int], Values]


def main(description: str, parts: Mapping[str, Make]) -> None:
    """Run the command line: check random runs of parts, or make whole parts again.

    Parameters
    ----------
    description
        Description for the help; its first line is shown.
    parts
        Functions that compute the values of a run from its coordinates and its seed, by study and part:
        ``burstiness/grid``.

    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--check", type=int, metavar="N", help="number of random runs of each part to repeat")
    parser.add_argument("--make", action="store_true", help="repeat whole parts and store them")
    parser.add_argument("--part", choices=list(parts), help="the part (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice of runs (default 1)")
    given = parser.parse_args()
    if (given.check is None) != given.make:
        parser.error("--check or --make: exactly one must be given")
    chosen = random.Random(given.seed)  # noqa: S311 - no secret
    wrong = 0
    for name in [given.part] if given.part else parts:
        study, part = name.split("/")
        rows, make = ns2_runs(study).part(part), parts[name]
        if given.make:
            made = [Run(where=row.where, seed=row.seed, values=make(row.where, row.seed)) for row in rows]
            keep(study, {part: made})
            continue
        for row in chosen.sample(rows, min(given.check, len(rows))):
            found = _differences(row.values, make(row.where, row.seed))
            wrong += bool(found)
            where = ", ".join(map(str, row.where.values()))
            print(f"{name}, {where}, seed {row.seed}: {'; '.join(found) or 'the same'}", flush=True)
    sys.exit(wrong > 0)


def keep(study: str, parts: Mapping[str, Sequence[Row]]) -> None:
    """Replace parts in the file of a study."""
    path = Path(str(files(f"ackclock.papers.{study}") / "data" / "ns2.parquet"))
    there = ns2_runs(study).parts if path.exists() else {}
    write_runs(path, {"ns-2.35": Runs({**there, **parts})})
    ns2_runs.cache_clear()


def _differences(there: Values, now: Values) -> list[str]:
    """List the numbers that differ by more than the last digit."""
    return [
        f"{name}: {number} stored, {now.get(name)} now"
        for name, number in there.items()
        if not _same(number, now.get(name))
    ]


def _same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    digits = max((len(f"{number:.9f}".rstrip("0").partition(".")[2]) for number in np.ravel(one)), default=0)
    return np.shape(one) == np.shape(other) and bool(np.all(np.abs(np.subtract(one, other)) <= 1.01 * 10**-digits))
