"""What ns-2 measured over on/off sources; `data/README.md` tells how the numbers were made."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.observation import Observation
from ackclock.papers.selfsimilar.experiment import READINGS, SOURCES, VARIANTS, Setting
from ackclock.papers.selfsimilar.looks import Course, Look, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ackclock.papers.selfsimilar.looks import Values

__all__ = ["background", "looks", "runs", "unresponsive"]


def runs(table: str = "runs") -> list[Observation]:
    """Read what Table 2 counts: a run for each reading, variant and seed.

    Parameters
    ----------
    table
        ``runs``, with sources that are independent; ``adjacent``, with those of the reference runs, which are not.

    """
    return [_observation(_setting(row).name, row) for row in _rows(table)]


def background() -> list[Observation]:
    """Read what the on/off sources do to the link, alone: a run for each seed."""
    return [_observation("background", row) for row in _rows("background")]


def looks() -> Mapping[str, Sequence[Look]]:
    """Read what was looked at closely, by the names of the settings: the first ten of `runs`, each with its counts.

    The first seed has a course too.
    """
    counted = {(run.variant, run.seed): run.values for run in runs()}
    found: dict[str, list[Look]] = defaultdict(list)
    for row in _rows("looks"):
        name, seed = _setting(row).name, int(row.pop("seed"))
        counts = counted[name, seed]
        made = {key: float(value) if value else None for key, value in row.items()}
        found[name].append(Look(seed=seed, values={**counts, **_efficiencies(counts), **made}))
    for name, course in _courses().items():
        found[name][0] = replace(found[name][0], course=course)
    return found


def unresponsive() -> list[Values]:
    """Read what the source of constant rate over UDP showed: ten runs."""
    return [{name: float(value) for name, value in row.items() if name != "seed"} for row in _rows("unresponsive")]


def _courses() -> dict[str, Course]:
    columns: dict[str, list[float]] = defaultdict(list)
    for row in _rows("courses"):
        for name, value in row.items():
            columns[name].append(float(value) if value else np.nan)
    again: dict[str, list[float]] = defaultdict(list)
    for row in _rows("again"):
        again[_setting(row).name].append(float(row["time"]))
    return {
        Setting(reading=reading, variant=variant).name: Course(
            cwnd=np.array(columns[f"{reading.name}, {variant}, cwnd"]),
            rtt=np.array(columns[f"{reading.name}, {variant}, rtt"]),
            again=np.array(again[Setting(reading=reading, variant=variant).name]),
        )
        for reading in READINGS.values()
        for variant in VARIANTS
    }


def _efficiencies(counts: Values) -> Values:
    arrivals, drops, again = (counts[name] or 0.0 for name in ("arrivals", "drops", "retransmissions"))
    return {"efficiency": arrivals / (arrivals + drops + again), "efficiency_plain": plain(counts)}


def _setting(row: dict[str, str]) -> Setting:
    """Take the setting out of a row."""
    variants = {str(variant): variant for variant in VARIANTS}
    return Setting(reading=READINGS[row.pop("reading")], variant=variants[row.pop("variant")])


def _rows(table: str) -> Iterator[dict[str, str]]:
    path = files("ackclock.papers.selfsimilar").joinpath("data", f"{table}.csv")
    return csv.DictReader(path.read_text(encoding="utf-8").splitlines())


def _observation(variant: str, row: Mapping[str, str]) -> Observation:
    values = {name: float(value) for name, value in row.items() if name != "seed"}
    return Observation(variant=variant, clients=SOURCES, seed=int(row["seed"]), values=values)
