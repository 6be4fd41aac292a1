"""Tables of ns-2's runs: each row is made again from its coordinates, to be checked or written."""

from __future__ import annotations

import argparse
import csv
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Make = Callable[[Mapping[str, str]], "Row"]

Row = dict[str, str]


def main(description: str, tables: Mapping[str, tuple[Path, Make]]) -> None:
    """Run the command line: check random rows of tables, or write whole ones.

    Parameters
    ----------
    description
        Description for the help; its first line is shown.
    tables
        File of each table, and what makes a row of it.

    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--check", type=int, metavar="N", help="random rows of each table to run again")
    parser.add_argument("--table", choices=list(tables), help="the table (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice of rows (default 1)")
    parser.add_argument("--out", type=Path, help="the folder for whole tables")
    given = parser.parse_args()
    if (given.check is None) == (given.out is None):
        parser.error("--check or --out: must be given, and not both")
    chosen = random.Random(given.seed)  # noqa: S311 - no secret
    wrong = 0
    for name in [given.table] if given.table else tables:
        path, make = tables[name]
        with path.open(encoding="utf-8", newline="") as lines:
            rows: list[Row] = list(csv.DictReader(lines))
        if given.out:
            _write(given.out / f"{name}.csv", rows, make)
            continue
        for row in chosen.sample(rows, min(given.check, len(rows))):
            found = _differences(row, make(row))
            wrong += bool(found)
            where = ", ".join(list(row.values())[: list(row).index("seed") + 1])
            print(f"{name} {where}: {'; '.join(found) or 'the same'}", flush=True)
    sys.exit(wrong > 0)


def _write(path: Path, rows: list[Row], make: Make) -> None:
    """Make every row again, with the columns that the table has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as lines:
        out = csv.DictWriter(lines, list(rows[0]), lineterminator="\n", extrasaction="ignore")
        out.writeheader()
        for row in rows:
            out.writerow({**row, **make(row)})


def _differences(row: Row, made: Row) -> list[str]:
    """List the numbers that differ by more than the last digit."""
    return [
        f"{name}: {row[name]} there, {made[name]} now"
        for name in row
        if name in made and not _same(row[name], made[name])
    ]


def _same(one: str, other: str) -> bool:
    if one == other or "" in {one, other}:
        return one == other
    digits = min(len(number.partition(".")[2]) for number in (one, other))
    return bool(abs(float(one) - float(other)) <= 1.01 * 10**-digits)
