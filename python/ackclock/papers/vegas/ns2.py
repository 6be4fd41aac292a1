"""What ns-2 measured at some places of the map; `data/README.md` says how the numbers were made."""

from __future__ import annotations

import csv
from dataclasses import asdict
from importlib.resources import files

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.vegas.experiment import Place


def runs() -> Runs:
    """Read ns-2's runs: ``ratio``, ``queue_mean``, and the goodput of one client of each kind."""
    text = files("ackclock.papers.vegas").joinpath("data", "ns2-2.35.csv").read_text(encoding="utf-8")
    return Runs({"places": [_run(row) for row in csv.DictReader(text.splitlines())]})


def _run(row: dict[str, str]) -> Run:
    place = Place(
        application=row["application"],
        pair=row["pair"] == "1",
        gateway="RED" if row["gateway"] == "RED" else "FIFO",
        start=int(row["start"]),
        buffer=int(row["buffer"]),
        vegas=int(row["vegas"]),
    )
    measured = {name: float(row[name]) for name in ("reno_goodput", "vegas_goodput", "queue_mean")}
    reno, vegas = measured["reno_goodput"], measured["vegas_goodput"]
    return Run(where=asdict(place), seed=int(row["seed"]), values={**measured, "ratio": vegas / reno if reno else None})
