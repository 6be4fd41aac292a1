"""What ns-2 measured at some places of the map; `data/README.md` tells how the numbers were made."""

from __future__ import annotations

import csv
from collections import defaultdict
from importlib.resources import files
from typing import TYPE_CHECKING

from ackclock.papers.vegas.experiment import Place

if TYPE_CHECKING:
    from ackclock.papers.vegas.measures import Runs, Values

__all__ = ["runs"]


def runs() -> Runs:
    """Read ns-2's runs: ``ratio``, ``queue_mean``, and the goodput of one client of each kind."""
    read: dict[Place, list[Values]] = defaultdict(list)
    text = files("ackclock.papers.vegas").joinpath("data", "ns2-2.35.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        place = Place(
            application=row["application"],
            pair=row["pair"] == "1",
            gateway="RED" if row["gateway"] == "RED" else "FIFO",
            start=int(row["start"]),
            buffer=int(row["buffer"]),
            vegas=int(row["vegas"]),
        )
        reno, vegas, queue = (float(row[name]) for name in ("reno_goodput", "vegas_goodput", "queue_mean"))
        read[place].append(
            {"reno_goodput": reno, "vegas_goodput": vegas, "queue_mean": queue, "ratio": vegas / reno if reno else None}
        )
    return read
