"""S60, the standard run: sixty Reno clients over a 50 Mb/s bottleneck for 200 s, ours beside ns-2.35.

Ours is measured twice. *Process* is the engine's example program that runs a plan, from start to exit, measured as
ns-2 is. *In Python* is the call into the engine that `ackclock.simulate` makes, without the start of Python.
ns-2 and ours take turns, so that both see the same machine; the ratios are taken turn by turn. A packet is
one that left the bottleneck. `BENCH_NS2_INSTRUCTIONS=1` counts ns-2's instructions as well (two minutes).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

import ackclock
from ackclock import _core
from ackclock.plan import plan
from measure import cpu_cost, instructions, peak_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "examples" / "feng60.toml"
NS2_SCRIPT = ROOT / "bench" / "ns2" / "s60.tcl"
SECONDS = 200
# The kernel may count CPU time in steps of 4 ms, and one run of ours is not far above that.
RUNS_PER_TURN = 10
# Instructions are those of the second ten seconds: what start-up takes is in both runs and falls out.
SHORT, LONG = 10, 20
RATIO_BAR = 0.12


@dataclass(frozen=True)
class Run:
    """One simulation of S60, or the mean of several: CPU seconds and packets that left the bottleneck."""

    cpu_seconds: float
    packets: float


@dataclass(frozen=True)
class Turn:
    """What each side took in one turn; `ns2_start` is ns-2 stopped as soon as it has built the network."""

    process: Run
    in_python: Run
    ns2: Run | None
    ns2_start: Run | None


@dataclass(frozen=True)
class Spread:
    """A quantity over all turns."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Summarise `values`, one a turn."""
        ordered = sorted(values)
        return cls(statistics.median(ordered), ordered[0], ordered[-1])


@dataclass(frozen=True)
class Side:
    """The cost of S60 in one program."""

    name: str
    cpu_seconds: Spread
    ns_per_packet: Spread
    instructions_per_packet: float | None = None
    peak_memory_bytes: int | None = None


def departures(output: str) -> int:
    """Read the number of departed packets from what either simulator printed."""
    count = re.search(r"departures\D*(\d+)", output)
    if count is None:
        raise RuntimeError(f"no count of departures in {output!r}")
    return int(count.group(1))


def find_ns2() -> list[str] | None:
    """Give the command that runs S60 in ns-2; None without it, or if `ns` is some other program."""
    ns = shutil.which("ns")
    if ns is None:
        return None
    command = [ns, str(NS2_SCRIPT)]
    try:
        run_program(command, seconds=1, seed=1)
    except (OSError, RuntimeError):
        return None
    return command


def build_example(s60: str, folder: Path) -> list[str]:
    """Build the engine's example program, write the plan to a file, and give the command that runs it."""
    command = ["cargo", "build", "--release", "--locked", "--package", "ackclock-net", "--example", "run_plan"]
    done = subprocess.run([*command, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    program = next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "run_plan")
    file = folder / "s60.plan.json"
    file.write_text(s60, encoding="utf-8")
    return [program, str(file)]


def run_program(command: list[str], *, seconds: float, seed: int) -> Run:
    """Simulate S60 once, in a process of its own."""
    cost = cpu_cost([*command, str(seconds), str(seed)])
    return Run(cost.cpu_seconds, departures(cost.output))


def run_in_python(s60: str, *, seed: int) -> Run:
    """Simulate S60 once, in this process."""
    before = time.process_time()
    outcome, _ = _core.simulate(s60, seed)
    cpu_seconds = time.process_time() - before
    return Run(cpu_seconds, json.loads(outcome)["summary"]["departures"])


def mean_run(simulate: Callable[[int], Run], *, turn: int) -> Run:
    """Call `simulate` with the seeds of this turn."""
    runs = [simulate(turn * RUNS_PER_TURN + i) for i in range(RUNS_PER_TURN)]
    return Run(statistics.fmean(r.cpu_seconds for r in runs), statistics.fmean(r.packets for r in runs))


def take_turn(turn: int, *, s60: str, ours: list[str], ns2: list[str] | None) -> Turn:
    """Let each side simulate S60: ns-2 once, ours with as many seeds as make a time that can be measured."""
    return Turn(
        ns2=run_program(ns2, seconds=SECONDS, seed=turn) if ns2 else None,
        process=mean_run(lambda seed: run_program(ours, seconds=SECONDS, seed=seed), turn=turn),
        in_python=mean_run(lambda seed: run_in_python(s60, seed=seed), turn=turn),
        ns2_start=run_program(ns2, seconds=0.001, seed=turn) if ns2 else None,
    )


def instructions_per_packet(command: list[str]) -> float | None:
    """Count the instructions for each departed packet, start-up left out; None without valgrind."""
    short = instructions([*command, str(SHORT), "1"])
    long = instructions([*command, str(LONG), "1"])
    if short is None or long is None:
        return None
    return (long[0] - short[0]) / (departures(long[1]) - departures(short[1]))


def side(name: str, runs: list[Run], *, command: list[str] | None = None, count: bool = False) -> Side:
    """Put together what one side took; its memory and, with `count`, its instructions are measured here."""
    return Side(
        name,
        cpu_seconds=Spread.of(r.cpu_seconds for r in runs),
        ns_per_packet=Spread.of(r.cpu_seconds / r.packets * 1e9 for r in runs),
        instructions_per_packet=instructions_per_packet(command) if command and count else None,
        peak_memory_bytes=peak_memory([*command, str(SECONDS), "1"]) if command else None,
    )


def ratios(turns: list[Turn]) -> dict[str, Spread]:
    """Ours over ns-2's, turn by turn; nothing without ns-2."""
    pairs = [(t, t.ns2.cpu_seconds, t.ns2_start.cpu_seconds) for t in turns if t.ns2 and t.ns2_start]
    if not pairs:
        return {}
    return {
        "process": Spread.of(t.process.cpu_seconds / ns2 for t, ns2, _ in pairs),
        "in Python": Spread.of(t.in_python.cpu_seconds / ns2 for t, ns2, _ in pairs),
        "process, ns-2 less its start-up": Spread.of(t.process.cpu_seconds / (ns2 - start) for t, ns2, start in pairs),
    }


def table_of(title: str, columns: list[str], rows: Iterable[list[str]]) -> Table:
    """Lay out numbers: names to the left, figures to the right."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def show(console: Console, sides: list[Side], ratio: dict[str, Spread]) -> None:
    """Print what was found as two small tables."""
    costs = (
        [
            s.name,
            f"{s.cpu_seconds.median:.4f}",
            f"{s.ns_per_packet.median:.1f}",
            f"{s.instructions_per_packet:.0f}" if s.instructions_per_packet else "-",
            f"{s.peak_memory_bytes / 1e6:.1f}" if s.peak_memory_bytes else "-",
        ]
        for s in sides
    )
    columns = ["CPU s", "ns/packet", "instructions/packet", "peak MB"]
    console.print(table_of(f"S60, {SECONDS} s simulated: medians", columns, costs))
    if not ratio:
        console.print("No ns-2.35 (`ns`) on this machine: ours alone, and no ratio.")
        return
    rows = ([name, f"{r.median:.4f}", f"{r.least:.4f}", f"{r.greatest:.4f}"] for name, r in ratio.items())
    title = f"share of ns-2's CPU time, turn by turn (bar: {RATIO_BAR})"
    console.print(table_of(title, ["median", "least", "greatest"], rows))


def main() -> None:
    """Measure, print the tables, write the JSON."""
    parser = argparse.ArgumentParser(description="Measure what S60 costs, beside ns-2.35 where there is one.")
    parser.add_argument("--turns", type=int, default=5, help="how often the two sides take turns (default: 5)")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "bench" / "s60.json", help="the JSON file")
    options = parser.parse_args()

    s60 = plan(ackclock.Scenario.from_toml(SCENARIO).effective())
    options.out.parent.mkdir(parents=True, exist_ok=True)
    ours = build_example(s60, options.out.parent)
    ns2 = find_ns2()
    console = Console()
    with console.status("measuring"):
        turns = [take_turn(t, s60=s60, ours=ours, ns2=ns2) for t in range(1, options.turns + 1)]
        sides = [
            side("Ackclock, process", [t.process for t in turns], command=ours, count=True),
            side("Ackclock, in Python", [t.in_python for t in turns]),
        ]
        if ns2:
            count = os.environ.get("BENCH_NS2_INSTRUCTIONS") == "1"
            sides.append(side("ns-2.35, process", [t.ns2 for t in turns if t.ns2], command=ns2, count=count))
    ratio = ratios(turns)
    show(console, sides, ratio)

    result = {
        "version": ackclock.__version__,
        "seconds": SECONDS,
        "runs_per_turn": RUNS_PER_TURN,
        "sides": [asdict(s) for s in sides],
        "ratio": {name: asdict(r) for name, r in ratio.items()},
        "turns": [asdict(t) for t in turns],
    }
    options.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    console.print(f"written to {options.out}")


if __name__ == "__main__":
    main()
