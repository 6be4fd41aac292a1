"""What ns-2 measured on the same network; `data/README.md` tells how the numbers were made."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.courses import SEED
from ackclock.papers.burstiness.experiment import DURATION
from ackclock.papers.burstiness.window_figures import WINDOWS
from ackclock.papers.burstiness.windows import UNIT
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Row

PROFILES = ("ns2-2.35", "ns2-2000")
"""The sets of constants that ns-2 was run with, named as our profiles."""

_WEIGHT_CLIENTS = 60
_KEYS = ("profile", "variant", "clients", "seed")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settling:
    """Whether loss had ended in one ns-2 run of Reno over FIFO, around the crossover at 38 clients."""

    profile: str
    clients: int
    seed: int
    settled: bool


def observations(profile: str) -> list[Observation]:
    """Read ns-2's runs of all variants under one set of constants, with `loss` as a fraction added."""
    return [_observation(row) for row in _rows(f"{profile}.csv")]


def rechecks(profile: str) -> list[Observation]:
    """Read ns-2's runs of the points that once missed, with twenty seeds that were not used before."""
    return [_observation(row) for row in _rows("recheck.csv") if row["profile"] == profile]


def side_runs(name: str, *, variant: str = "", profile: str = "ns2-2.35") -> list[Observation]:
    """Read ns-2's runs of a smaller table, where `variant` and `profile` say what the file does not."""
    return [
        Observation(
            variant=row.get("variant", variant),
            clients=int(row["clients"]),
            seed=int(row["seed"]),
            values=_values(row),
        )
        for row in _rows(f"{name}.csv")
        if row.get("profile", profile) == profile
    ]


def _observation(row: dict[str, str]) -> Observation:
    return Observation(
        variant=row["variant"],
        clients=int(row["clients"]),
        seed=int(row["seed"]),
        values={**_values(row), "loss": int(row["drops"]) / int(row["arrivals"])},
    )


def _values(row: dict[str, str]) -> dict[str, float | None]:
    return {name: float(cell) if cell else None for name, cell in row.items() if name not in _KEYS}


def settlings(profile: str) -> list[Settling]:
    """Read which ns-2 runs around the crossover had settled by the end."""
    return [
        Settling(
            profile=profile,
            clients=int(row["clients"]),
            seed=int(row["seed"]),
            settled=row["settled"] == "1",
        )
        for row in _rows("crossover.csv")
        if row["profile"] == profile
    ]


def synchronisation(*, ties: bool = False) -> list[Observation]:
    """Read how the windows of ns-2's clients were cut together, from 20 s on: `cuts`, `dependence` and `cutting`.

    With `ties`, of the runs without processing time, in which exact ties decide: one for each of 24 points. Otherwise
    of those that compare with ours, five for each of 10.
    """
    rows = [row for row in _rows("sync.csv") if (row["overhead_us"] == "0") is ties]
    return [
        Observation(
            variant=row["variant"],
            clients=int(row["clients"]),
            seed=int(row["seed"]),
            values={name: float(row[name]) if row[name] else None for name in ("cuts", "dependence", "cutting")},
        )
        for row in rows
    ]


def runs() -> Runs:
    """Lay out what ns-2.35 measured, as our runs are."""
    measured = [run for run in side_runs("red_weight") if run.clients == _WEIGHT_CLIENTS]
    weights = [
        Run(where={**run.where, "weight": run.values["weight"] or 0}, seed=run.seed, values=run.values)
        for run in sorted(measured, key=lambda run: run.values["weight"] or 0)
    ]
    return Runs(
        {
            "grid": observations("ns2-2.35"),
            "weights": weights,
            "ties": side_runs("ties"),
            "crossover": side_runs("crossover", variant="Reno"),
            "queues": side_runs("queue"),
            "close": synchronisation(),
            "windows": [run for place in WINDOWS for run in _courses(*place)],
            "bands": [_band(*place) for place in WINDOWS],
        }
    )


def _courses(variant: str, clients: int) -> list[Row]:
    """Read twenty runs of one figure; that with `SEED` has its windows."""
    units, lines = _lines(f"windows/{variant.lower()}-{clients}.csv", "client")
    drawn = {"units": units, **{f"client_{client}": windows for client, windows in lines.items()}}
    return [
        Run(
            where={"variant": variant, "clients": clients},
            seed=int(row["seed"]),
            values={**_values(row), **(drawn if int(row["seed"]) == SEED else {})},
        )
        for row in _rows("courses.csv")
        if (row["variant"], int(row["clients"])) == (variant, clients)
    ]


def _band(variant: str, clients: int) -> Row:
    units, lines = _lines(f"bands/{variant.lower()}-{clients}.csv", "percent")
    quantiles = {f"quantile_{int(percent) / 100:g}": line for percent, line in lines.items()}
    return Run(where={"variant": variant, "clients": clients}, seed=SEED, values={"units": units, **quantiles})


def _lines(name: str, key: str) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
    """Read lines of which only the corners are kept, by the column that names them."""
    corners: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for row in _rows(name):
        at, window = corners[row[key]]
        at.append(int(row["unit"]))
        window.append(float(row["window"]))
    units = np.arange(1, round(DURATION / UNIT) + 1)
    return units, {line: np.interp(units, at, window) for line, (at, window) in corners.items()}


def _rows(name: str) -> list[dict[str, str]]:
    text = files("ackclock.papers.burstiness").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
