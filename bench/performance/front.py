"""Waiting times of a user: short commands, and replications on one core and on two."""

from __future__ import annotations

import hashlib
import io
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pyarrow import feather

import ackclock
from ackclock.study import Point, run_grid
from performance.measure import run
from performance.page import table
from performance.simulations import ROOT, S60

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock import Run

SMALLEST = """
duration = "1 s"

[dumbbell]
access = { rate = "10 Mbps", delay = "1 ms" }
bottleneck = { rate = "1 Mbps", delay = "10 ms", queue = { kind = "droptail", packets = 10 } }

[[clients]]
transport = { kind = "tcp" }
source = { kind = "greedy" }
"""
STUDY = 'scenario = "smallest.toml"\nreplications = 1\n[over]\npacket_size = [1500]\n'
RECORDS = [word for kind in ("arrivals", "queue", "drops", "windows", "acks", "packets") for word in ("--record", kind)]
COMMANDS = {
    "`python -c pass`": ["-c", "pass"],
    "`import ackclock`": ["-c", "import ackclock"],
    "`ackclock.Scenario`": ["-c", "import ackclock; ackclock.Scenario"],
    "`ackclock --help`": ["--help"],
    "`ackclock --version`": ["--version"],
    "`ackclock run --help`": ["run", "--help"],
    "`ackclock list variants`": ["list", "variants"],
    "`ackclock run --json`, the smallest scenario": ["run", "{folder}/smallest.toml", "--json"],
    "`ackclock run --json`, S60": ["run", str(S60), "--json"],
    "S60 with arrivals, queue, drops, windows, ACKs and packets, written": [
        "run",
        str(S60),
        *RECORDS,
        "--out",
        "{folder}/run{turn}",
    ],
    "`ackclock sweep`, one of these runs": ["sweep", "{folder}/study.toml", "--store", "{folder}/store{turn}"],
    "`ackclock query` of its store": ["query", "{folder}/store{turn}", "select * from runs", "--json"],
    "`ackclock report` of its store": ["report", "{folder}/store{turn}", "--out", "{folder}/report.html"],
    "`ackclock capture --json` of 391 packets": ["capture", str(ROOT / "examples" / "lan.pcapng"), "--json"],
}
"""What each line measures: the words after ``python`` if they begin with ``-c``, or else after ``ackclock``."""
COMMAND_TURNS = 10
SEEDS = 16
TURNS = 3


def startup() -> str:
    """Measure the CPU time and the memory of short commands, alternating between them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("smallest.toml", SMALLEST), ("study.toml", STUDY)):
            Path(folder, name).write_text(text, encoding="utf-8")
        turns = [
            {name: run(_command(words, folder=folder, turn=turn)) for name, words in COMMANDS.items()}
            for turn in range(COMMAND_TURNS)
        ]
    lines: list[list[object]] = []
    for name in COMMANDS:
        costs = [turn[name] for turn in turns]
        milliseconds = 1000 * statistics.median(cost.cpu_seconds for cost in costs)
        lines.append([name, f"{milliseconds:.0f}", f"{max(cost.peak_bytes or 0 for cost in costs) / 1e6:.0f}"])
    return table(["", "CPU ms", "peak MB"], lines)


def _command(words: Sequence[str], *, folder: str, turn: int) -> list[str]:
    begin = [] if words[0] == "-c" else ["-m", "ackclock"]
    return [sys.executable, *begin, *(word.format(folder=folder, turn=turn) for word in words)]


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
