"""Rows of made-up runs, for tests of the store."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ackclock.running.identity import run_id, scenario_id
from ackclock.study.store import Row, Store

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def row(number: int, **changes: Any) -> Row:
    """Make the run of that number, always the same: 5 seeds for each count of clients."""
    count, seed = 1 + number // 5, 1 + number % 5
    scenario = json.dumps({"duration": "10 s", "clients": [{"count": count, "transport": {"variant": "reno"}}]})
    return replace(
        Row(
            run_id=run_id(scenario_id(scenario), seed, (), "engine"),
            scenario_id=scenario_id(scenario),
            scenario=scenario,
            seed=seed,
            revision="engine",
            schema=1,
            point={"clients.0.count": count},
            summary={"arrivals": 1000 + number, "cov": 0.1 + number / 7, "cov_poisson": None},
            groups=[{"name": "clients-0", "clients": count, "cov": number / 3}],
            notices=[f"This is run {number}."],
            cpu_seconds=number / 1000,
        ),
        **changes,
    )


def arrivals(number: int, bins: int = 3) -> pa.Table:
    """Make a record of the run of that number."""
    link = pa.array(["bottleneck"] * bins).dictionary_encode()
    return pa.table({"link": link, "bin": pa.array(range(bins), pa.uint32()), "count": [number] * bins})


def add(folder: Path, rows: Iterable[Row]) -> None:
    """Add rows as one process would."""
    with Store.open(folder, create=True) as store:
        for each in rows:
            store.add(each)


def leave(folder: Path, rows: Iterable[Row]) -> None:
    """Add rows as a process would that ends without a word: its journal stays, and nobody holds it."""
    store = Store.open(folder, create=True)
    for each in rows:
        store.add(each)
    assert store._journal is not None
    store._journal.close()


def stored(folder: Path) -> list[tuple[str, float]]:
    """Tell what a store says of its runs: their ids and one of their numbers, in order."""
    runs = Store.open(folder).table("runs", ["run_id", "cov"])
    return sorted(zip(*(column.to_pylist() for column in runs.columns), strict=True))


def expected(rows: Iterable[Row]) -> list[tuple[str, Any]]:
    """Tell what `stored` is to give."""
    return sorted({each.run_id: (each.run_id, each.summary["cov"]) for each in rows}.values())


def strays(folder: Path) -> list[str]:
    """List what has no place in a store that nobody writes to."""
    known = {"store.json", "lock", "parts", "journal"}
    top = [path.name for path in folder.iterdir() if path.name not in known]
    return (
        top
        + [str(path) for path in (folder / "journal").glob("*")]
        + [str(path) for path in (folder / "parts").glob(".*")]
    )


def files(folder: Path) -> int:
    """Count files."""
    return sum(path.is_file() for path in folder.rglob("*"))


def everything(folder: Path) -> str:
    """Tell all that a store says of its runs and records in a line a table: how many rows, and a digest of them."""
    with Store.open(folder) as store:
        names = sorted(set(store.sql("show tables")["name"].to_pylist()) - {"costs", "origins"})
        digest = (
            "select '{0}: ' || count(*) || ' rows ' || md5(string_agg(t::varchar, '|' order by t::varchar)) from {0} t"
        )
        lines = store.sql(" union all ".join(f"select ({digest.format(name)}) as line" for name in names))
        return "\n".join(f"{line}" for line in lines["line"].to_pylist())
