"""Waiting times of a user of Python: the start, and replications on one core and on two."""

from __future__ import annotations

import hashlib
import io
import json
import statistics
import sys
import time
from typing import TYPE_CHECKING

from pyarrow import feather

import ackclock
from ackclock.study import Point, run_grid
from performance.measure import run
from performance.page import table
from performance.simulations import S60

if TYPE_CHECKING:
    from ackclock import Run

STARTS = {
    "`python -c pass`": ["-c", "pass"],
    "`import ackclock`": ["-c", "import ackclock"],
    "`ackclock --help`": ["-m", "ackclock", "--help"],
}
START_TURNS = 11
SEEDS = 16
TURNS = 3


def startup() -> str:
    """Measure the start, alternating between the programs."""
    turns = [
        {name: run([sys.executable, *words]).cpu_seconds for name, words in STARTS.items()} for _ in range(START_TURNS)
    ]
    lines: list[list[object]] = [
        [name, f"{1000 * statistics.median(turn[name] for turn in turns):.0f}"] for name in STARTS
    ]
    return table(["", "CPU ms"], lines)


def replications() -> str:
    """Run S60 with 16 seeds on one and on two threads, and compare the results byte by byte."""
    scenario = ackclock.Scenario.from_toml(S60)
    turns = [(waited(scenario, jobs=1), waited(scenario, jobs=2)) for _ in range(TURNS)]
    one = statistics.median(single for (single, _), _ in turns)
    two = statistics.median(double for _, (double, _) in turns)
    ratio = statistics.median(double / single for (single, _), (double, _) in turns)
    same = len({digests for turn in turns for _, digests in turn}) == 1
    lines: list[list[object]] = [["1 job", f"{one:.2f}", None], ["2 jobs", f"{two:.2f}", f"{ratio:.2f}"]]
    return table(["", "wall s", "share of one job's"], lines) + (
        f"\nThe summaries and tables of all {SEEDS} runs are {'byte-identical' if same else '**not the same**'}.\n"
    )


def waited(scenario: ackclock.Scenario, *, jobs: int) -> tuple[float, tuple[str, ...]]:
    """Run S60 with every seed, and return the wall time in seconds and a digest of each run."""
    before = time.perf_counter()
    done = run_grid([Point(name="S60", scenario=scenario)], seeds=range(1, SEEDS + 1), take=digest, jobs=jobs)
    return time.perf_counter() - before, tuple(each.value for each in done)


def digest(one: Run) -> str:
    """Compute a digest of a run's numbers and tables."""
    buffer = io.BytesIO(json.dumps(one.to_dict()).encode())
    buffer.seek(0, io.SEEK_END)
    for name in one.tables:
        feather.write_feather(one.table(name), buffer)
    return hashlib.sha256(buffer.getvalue()).hexdigest()
