"""What ns-2 measured over on/off sources; `data/README.md` tells how the numbers were made."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import TYPE_CHECKING

from ackclock.experiments.observation import Observation
from ackclock.experiments.selfsimilar.experiment import READINGS, SOURCES, VARIANTS, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["background", "runs"]


def runs(table: str = "runs") -> list[Observation]:
    """Read what Table 2 counts: a run for each reading, variant and seed.

    Parameters
    ----------
    table
        ``runs``, with sources that are independent; ``adjacent``, with those of the reference runs, which are not.

    """
    variants = {str(variant): variant for variant in VARIANTS}
    found = []
    for row in _rows(table):
        setting = Setting(reading=READINGS[row.pop("reading")], variant=variants[row.pop("variant")])
        found.append(_observation(setting.name, row))
    return found


def background() -> list[Observation]:
    """Read what the on/off sources do to the link, alone: a run for each seed."""
    return [_observation("background", row) for row in _rows("background")]


def _rows(table: str) -> Iterator[dict[str, str]]:
    path = files("ackclock.experiments.selfsimilar").joinpath("data", f"{table}.csv")
    return csv.DictReader(path.read_text(encoding="utf-8").splitlines())


def _observation(variant: str, row: Mapping[str, str]) -> Observation:
    values = {name: float(value) for name, value in row.items() if name != "seed"}
    return Observation(variant=variant, clients=SOURCES, seed=int(row["seed"]), values=values)
