"""The standard runs, and the commands that run them in Ackclock, ns-2.35 and ns-3.

In every simulator, packets are counted when they leave the bottleneck.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock
from ackclock.running.plan import plan
from ackclock.running.records import understand
from performance.measure import Cost, instructions, run

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "bench"
S60 = ROOT / "examples" / "feng60.toml"
ONE_GREEDY_FLOW = Path(__file__).with_name("greedy.toml")
ONE_CUBIC_FLOW = Path(__file__).with_name("greedy_cubic.toml")
NS2 = ROOT / "validation" / "ns2"
SPREAD = 0.1
"""Time over which greedy flows start at random, in seconds, in both simulators."""


@dataclass(frozen=True)
class Run:
    """One simulation."""

    cost: Cost
    packets: int
    """Number of packets that left the bottleneck."""
    events: int | None
    """Number of events processed, if the program reports it."""
    start_seconds: float = 0.0
    """CPU time before the run began, if the program reports it."""

    @property
    def cpu_seconds(self) -> float:
        """User and system time together."""
        return self.cost.cpu_seconds


@dataclass(frozen=True)
class Simulation:
    """A command that runs a simulation, given the duration in seconds and the seed."""

    command: tuple[str, ...]

    def run(self, seconds: float, seed: int = 1) -> Run:
        """Simulate once."""
        cost = run([*self.command, f"{seconds:g}", str(seed)])
        counts = counted(cost.output)
        return Run(cost, counts["departures"], counts.get("events"), counts.get("start", 0) / 1e3)

    def instructions_per_packet(self, short: float, long: float) -> float:
        """Count the instructions per packet from `short` to `long` seconds, which excludes the start-up."""
        (few, early), (many, late) = (instructions([*self.command, f"{seconds:g}", "1"]) for seconds in (short, long))
        return (many - few) / (counted(late)["departures"] - counted(early)["departures"])


def counted(output: str) -> dict[str, int]:
    """Parse the counts of a simulator.

    Raises
    ------
    RuntimeError
        The output has no departures.

    Examples
    --------
    >>> counted("arrivals 12 departures 10 drops 2")
    {'arrivals': 12, 'departures': 10, 'drops': 2}
    """
    counts = {name: int(count) for name, count in re.findall(r"([a-z]+) (\d+)", output)}
    if "departures" not in counts:
        raise RuntimeError(f"no count of departures in {output!r}")
    return counts


def ours(scenario: Path, record: Iterable[str] = (), queue: str | None = None) -> Simulation:
    """Return a scenario in the engine's example program, with another queue discipline at the bottleneck if given."""
    return Simulation((_example("run_plan"), _plan(scenario, tuple(record), queue)))


def ours_s60(record: Iterable[str] = ()) -> Simulation:
    """Return S60 in the engine's example program."""
    return ours(S60, record)


def ours_greedy(flows: int, *, one: Path = ONE_GREEDY_FLOW, spread: float = SPREAD) -> Simulation:
    """Return greedy flows in the engine's example program."""
    return Simulation((_example("greedy_flows"), _plan(one), str(flows), f"{spread:g}"))


def ns2_s60() -> Simulation:
    """Return S60 in ns-2."""
    return Simulation(("ns", str(NS2 / "s60.tcl")))


def ns2_greedy(flows: int) -> Simulation:
    """Return greedy flows in ns-2."""
    return Simulation(("ns", str(NS2 / "greedy.tcl"), str(flows), f"{SPREAD:g}"))


@functools.cache
def has_ns2() -> bool:
    """Whether ns-2 is installed, and not some other program called `ns`."""
    if shutil.which("ns") is None:
        return False
    try:
        ns2_s60().run(1)
    except (OSError, RuntimeError):
        return False
    return True


def ns3_s60() -> Simulation:
    """Return S60 in ns-3, which is first installed into a separate environment."""
    environment = OUT / "ns3"
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run(["python3", "-m", "venv", str(environment)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "ns3"], check=True)
    return Simulation((str(python), str(ROOT / "validation" / "ns3" / "s60.py")))


@functools.cache
def _example(name: str) -> str:
    """Build one of the engine's example programs and return its path."""
    command = ["cargo", "build", "--release", "--locked", "--package", "ackclock-net", "--example", name]
    done = subprocess.run([*command, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    messages = (json.loads(line) for line in done.stdout.splitlines())
    return next(str(message["executable"]) for message in messages if message.get("executable"))


@functools.cache
def _plan(scenario: Path, record: tuple[str, ...] = (), queue: str | None = None) -> str:
    """Write the plan of a scenario, with another queue discipline at the bottleneck if given, and return its path."""
    changed = ackclock.Scenario.from_toml(scenario)
    if queue is not None:
        changed = changed.changed({"dumbbell.bottleneck.queue.kind": queue})
    return write("-".join([scenario.stem, queue or "own", *record]).replace("/", "-"), changed, record)


def ours_as(name: str, scenario: ackclock.Scenario, record: tuple[str, ...] = ()) -> Simulation:
    """Return a scenario in the engine's example program; its plan is written to a file with this name."""
    return Simulation((_example("run_plan"), write(name, scenario, record)))


def write(name: str, scenario: ackclock.Scenario, record: tuple[str, ...] = ()) -> str:
    """Write the plan of a scenario to a file and return its path."""
    effective = scenario.effective()
    file = OUT / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(plan(effective, understand(record, effective)), encoding="utf-8")
    return str(file)
