"""Measure the overhead of a study over its bare runs: CPU, memory, files, and the gain of a second core.

Run `.venv/bin/python bench/sweeps.py`; it takes some minutes.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock as ac
from ackclock.engine import core
from ackclock.running.run import Prepared
from ackclock.study import sweeping
from ackclock.study.design import Study
from ackclock.study.schedule import Schedule

if TYPE_CHECKING:
    from ackclock.study.making import Job
    from ackclock.study.store import Row

SCENARIO = Path(__file__).parents[1] / "examples" / "feng60.toml"
TURNS = 20
"""Number of measurements of bare runs, spread over the study, since the speed of a shared machine varies."""

BARE = 100
"""Number of bare runs per measurement."""


def scenario() -> ac.Scenario:
    """Return a scenario whose run takes about 5 ms."""
    return ac.Scenario.from_toml(SCENARIO).changed({"duration": "28 s", "clients.0.count": 10})


def study(*, runs: int, seeds: int) -> Study:
    """Return a study of ``runs`` runs, with ``seeds`` seeds per point."""
    rates = [100 - 0.001 * number for number in range(runs // seeds)]
    return Study.from_dict({"scenario": scenario(), "over": {"clients.0.source.rate": rates}, "replications": seeds})


def bare(runs: int) -> float:
    """Run the engine alone, and return the CPU seconds per run."""
    plan = Prepared.of(scenario(), ()).plan
    began = time.process_time()
    for seed in range(1, runs + 1):
        core.simulate(plan, seed)
    return (time.process_time() - began) / runs


def measure(*, runs: int, seeds: int, jobs: int) -> None:
    """Run a study with bare runs in between, and print its cost."""
    alone: list[float] = []
    memory: dict[int, float] = {}
    took = Schedule.took

    def watched(self: Schedule, job: Job, row: Row) -> None:
        took(self, job, row)
        if self.tally.made in {1000, runs}:
            memory[self.tally.made] = resident()
        if self.tally.made % (runs // TURNS) == 0:
            alone.append(bare(BARE))

    Schedule.took = watched  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        cpu, wall = time.process_time(), time.monotonic()
        sweeping.fill(Path(folder) / "store", study(runs=runs, seeds=seeds), jobs=jobs)
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        files = sum(path.is_file() for path in Path(folder).rglob("*"))
    one = statistics.fmean(alone)
    share = (cpu - BARE * sum(alone)) / runs / one
    print(
        f"{runs:,} runs of {1000 * one:.2f} ms, {seeds:,} seeds per point, {jobs} jobs: {share:.3f} of the bare CPU, "
        f"{wall:.0f} s; {memory[1000]:.0f} MB after 1,000 runs, {memory[runs]:.0f} MB at the end; {files} files"
    )


def resident() -> float:
    """Return the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    """Measure each design in a separate process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.seeds:
        measure(runs=arguments.runs, seeds=arguments.seeds, jobs=arguments.jobs)
        return
    for seeds in (arguments.runs, 5, 1):
        options = ["--runs", str(arguments.runs), "--seeds", str(seeds), "--jobs", str(arguments.jobs)]
        subprocess.run([sys.executable, __file__, *options], check=True)


if __name__ == "__main__":
    main()
