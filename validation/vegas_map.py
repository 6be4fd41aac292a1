"""Repeat the ns-2 runs for `vegas`: the goodput of Reno and Vegas clients that share a gateway.

``python validation/vegas_map.py --check 3`` repeats three random runs and compares every number. Needs ns-2.35
(``ns``); a run takes some seconds. The network, the window and the times come from the scenario of each point.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.papers.vegas.experiment import POISSON, Place
from ns2_parts import main

if TYPE_CHECKING:
    from collections.abc import Mapping

SCRIPT = Path(__file__).resolve().parent / "ns2" / "beside.tcl"


def measured(where: Mapping[str, Any], seed: int) -> dict[str, float | None]:
    """Run ns-2 once: packets per second of a Reno and of a Vegas client, their ratio, and the mean queue."""
    place = Place(**where)
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
    numbers = list(map(float, ran.stdout.split()))
    if ran.returncode or len(numbers) != 3:
        sys.exit(f"ns failed at {place.name}: {ran.stderr}")
    of_reno, of_vegas, queue = numbers
    ratio = of_vegas / of_reno if of_reno else None
    return {"reno_goodput": of_reno, "vegas_goodput": of_vegas, "queue_mean": queue, "ratio": ratio}


if __name__ == "__main__":
    main(__doc__ or "", {"vegas/places": measured})
