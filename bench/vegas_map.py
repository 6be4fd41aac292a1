"""Make the ns-2 data of the study `vegas`: the goodput of Reno and Vegas clients that share a gateway.

    .venv/bin/python bench/vegas_map.py --out python/ackclock/papers/vegas/data/ns2-2.35.csv

Needs ns-2.35 (``ns``). One process at a time, some seconds a run; runs that the file has are not made again. Each
place is one of the map: the network, the window and the times come from its scenario.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from ackclock.papers.vegas.evidence import PAPERS_BUFFERS, papers
from ackclock.papers.vegas.experiment import BUFFERS, OPEN, POISSON, Place

COLUMNS = (
    "application",
    "pair",
    "gateway",
    "start",
    "buffer",
    "vegas",
    "seed",
    "reno_goodput",
    "vegas_goodput",
    "queue_mean",
)

_ALONG = (
    Place(application=POISSON),
    Place(application=OPEN),
    Place(application=OPEN, start=0),
    Place(application=OPEN, pair=True),
)
PLACES = (
    *(replace(place, buffer=buffer) for place in _ALONG for buffer in BUFFERS),
    *(Place(application=OPEN, gateway="RED", buffer=buffer) for buffer in (50, 500, 3000)),
    *(place for buffer in PAPERS_BUFFERS for start in (1, 10) for place in papers(buffer, start=start)),
)

SCRIPT = Path(__file__).resolve().parent / "ns2" / "beside.tcl"


def measured(place: Place, seed: int) -> list[str]:
    """Run ns-2 at a place: packets a second of a Reno and of a Vegas client, and the packets that wait."""
    reno, vegas = place.clients
    chosen = {
        "seed": seed,
        "window": place.window,
        "limit": place.buffer,
        "queue": "RED" if place.gateway == "RED" else "DropTail",
        "rate": "10Mb" if place.pair else "50Mb",
        "access": "100Mb" if place.pair else "10Mb",
        "poisson": 100 if place.application == POISSON else 0,
        "count(Reno)": reno,
        "count(Vegas)": vegas,
        "start": float(place.start),
        "from": float(place.measured_from),
        "until": float(place.duration),
    }
    script = "".join(f"set {name} {value}\n" for name, value in chosen.items())
    script += SCRIPT.read_text(encoding="utf-8")
    ran = subprocess.run(["ns", "-"], input=script, capture_output=True, text=True, check=False)
    numbers = ran.stdout.split()
    if ran.returncode or len(numbers) != 3:
        sys.exit(f"ns failed at {place.name}: {ran.stderr}")
    return numbers


def main() -> None:
    """Run what the file does not have yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the table, which grows")
    parser.add_argument("--seeds", type=int, default=5, help="seeds a place, from 1")
    given = parser.parse_args()
    there = set()
    if given.out.exists():
        with given.out.open(encoding="utf-8", newline="") as file:
            there = {tuple(row[:7]) for row in csv.reader(file)}
    with given.out.open("a", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if not there:
            rows.writerow(COLUMNS)
        for seed in range(1, given.seeds + 1):
            for place in PLACES:
                cells = (
                    place.application,
                    int(place.pair),
                    place.gateway,
                    place.start,
                    place.buffer,
                    place.vegas,
                    seed,
                )
                if tuple(map(str, cells)) not in there:
                    rows.writerow([*cells, *measured(place, seed)])
                    file.flush()


if __name__ == "__main__":
    main()
