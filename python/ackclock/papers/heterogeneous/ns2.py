"""What ns-2 measured with two kinds of client; `data/README.md` tells how the numbers were made."""

from __future__ import annotations

import csv
from collections import defaultdict
from importlib.resources import files
from typing import TYPE_CHECKING

from ackclock.papers.heterogeneous.experiment import Scene
from ackclock.papers.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["scenes"]

_KEYS = ("background", "buffer", "variant", "added", "seed")


def scenes(name: str = "ns2-2.35") -> Mapping[Scene, Sequence[Observation]]:
    """Read a table of ns-2's runs.

    Parameters
    ----------
    name
        Name of the file, without its ending: all scenes; ``late``, with newcomers that start at 10 s; ``recheck``, the
        points that missed once, with seeds that were not used before.

    """
    read: dict[Scene, list[Observation]] = defaultdict(list)
    text = files("ackclock.papers.heterogeneous").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        scene = Scene(background=int(row["background"]), buffer=int(row["buffer"]))
        values = {column: float(cell) for column, cell in row.items() if column not in _KEYS}
        read[scene].append(
            Observation(variant=row["variant"], clients=int(row["added"]), seed=int(row["seed"]), values=values)
        )
    return read
