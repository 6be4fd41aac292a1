"""What ns-2 measured with two kinds of client; `data/README.md` says how the numbers were made."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import TYPE_CHECKING

from ackclock.papers.burstiness import ns2 as alone
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.heterogeneous.experiment import SCENES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.heterogeneous.experiment import Scene


def runs(scenes: Sequence[Scene] = SCENES) -> Runs:
    """Lay out the runs of some scenes, and those with clients of one kind."""
    return Runs({**alone.runs().parts, "curves": rows(scenes=scenes), "late_curves": rows("late", scenes=scenes)})


def rows(name: str = "ns2-2.35", *, scenes: Sequence[Scene] = SCENES) -> list[Row]:
    """Read a table.

    Parameters
    ----------
    name
        Name of the file, without its ending: all scenes; ``late``, with newcomers that start at 10 s; ``recheck``, the
        points that missed once, with seeds that were not used before.
    scenes
        The scenes that are read.

    """
    text = files("ackclock.papers.heterogeneous").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    found: dict[Scene, list[Row]] = {scene: [] for scene in scenes}
    for row in csv.DictReader(text.splitlines()):
        background, buffer, variant, added, seed = (row.pop(key) for key in _KEYS)
        for scene, there in found.items():
            if (scene.background, scene.buffer) == (int(background), int(buffer)):
                where = {**scene.where, "variant": variant, "clients": int(added)}
                values = {column: float(cell) for column, cell in row.items()}
                there.append(Run(where=where, seed=int(seed), values=values))
    return [row for there in found.values() for row in there]


_KEYS = ("background", "buffer", "variant", "added", "seed")
