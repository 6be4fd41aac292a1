"""Small studies whose runs take a millisecond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tomli_w

import ackclock as ac

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

GRID = {"clients.0.count": [2, 4, 6], "clients.0.transport.variant": ["reno", "vegas"]}


def scenario(**changes: object) -> ac.Scenario:
    """Return a small dumbbell that loses packets."""
    fields: dict[str, Any] = {
        "duration": "2 s",
        "dumbbell": ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="5 ms"),
            bottleneck=ac.Link(rate="2 Mbps", delay="5 ms", queue=ac.DropTail(packets=10)),
        ),
        "clients": [ac.Clients(count=3, transport=ac.Tcp("reno", overhead="12 us"), source=ac.Poisson(rate=100))],
    }
    return ac.Scenario(**(fields | changes))


def study(**design: object) -> ac.Study:
    """Return a study of this scenario, by default with 6 points and two seeds."""
    return ac.Study.from_dict({"scenario": scenario(), "over": GRID, "replications": 2} | design)


def write(path: Path, *, clients: int = 5, seeds: int = 40, seconds: int = 2) -> Path:
    """Write a study's file with a number of points and of replications."""
    design = {
        "replications": seeds,
        "over": {"clients.0.count": list(range(1, clients + 1))},
        "scenario": scenario(duration=f"{seconds} s").to_dict(),
    }
    path.write_text(tomli_w.dumps(design))
    return path


def found(store: Path) -> dict[str, pa.Table]:
    """Return all results of a study's runs, in a fixed order."""
    with ac.open(store) as opened:
        names = opened.sql("show tables")["name"].to_pylist()
        tables = {name: opened.sql(f"from {name} order by all") for name in names if name != "costs"}
    return {name: table.select(sorted(table.column_names)) for name, table in tables.items()}
