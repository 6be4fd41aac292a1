"""Standard runs in the engine, ns-2.35 and ns-3: time, instructions, events and memory per packet."""

from __future__ import annotations

import os
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from performance.measure import Spread, has_valgrind
from performance.page import table
from performance.simulations import Run, Simulation, has_ns2, ns2_greedy, ns2_s60, ns3_s60, ours_greedy, ours_s60

if TYPE_CHECKING:
    from collections.abc import Sequence

AT_ONCE = 0.001
"""Duration of a run that only builds the network, in seconds."""


@dataclass(frozen=True)
class Standard:
    """A standard run, and how to measure it.

    The kernel may count CPU time in steps of 4 ms, and one of our runs can take only ten steps. Therefore a repetition
    is one run of ns-2 and several of ours with different seeds, enough for a measurable time.
    """

    name: str
    seconds: float
    turns: int
    runs_a_turn: int
    counted: tuple[float, float]
    """Instructions are counted between these two times."""
    ours: Simulation
    ns2: Simulation
    ns2_gigabytes: float = 0.1
    """Memory that ns-2 needs, in GB."""
    ns3: Simulation | None = None


@dataclass(frozen=True)
class Turn:
    """The cost of both sides in one repetition."""

    ours: list[Run]
    ns2: Run | None = None

    @property
    def share(self) -> float | None:
        """Ratio of our CPU time, including the start, to ns-2's, without its start if ns-2 reports it."""
        if self.ns2 is None:
            return None
        return statistics.fmean(run.cpu_seconds for run in self.ours) / alone(self.ns2)


def alone(run: Run) -> float:
    """Return the CPU time without the start, if the program reports it."""
    return run.cpu_seconds - run.start_seconds


def standards() -> list[Standard]:
    """Return the standard runs."""
    s60 = ours_s60()
    return [
        Standard(
            "S60",
            seconds=200,
            turns=5,
            runs_a_turn=10,
            counted=(10, 20),
            ours=s60,
            ns2=ns2_s60(),
            ns3=ns3_s60() if os.environ.get("BENCH_NS3") == "1" else None,
        ),
        Standard(
            "S1000",
            seconds=20,
            turns=3,
            runs_a_turn=3,
            counted=(5, 10),
            ours=ours_greedy(1_000),
            ns2=ns2_greedy(1_000),
        ),
        Standard(
            "S10000",
            seconds=2,
            turns=1,
            runs_a_turn=5,
            counted=(1, 2),
            ours=ours_greedy(10_000),
            ns2=ns2_greedy(10_000),
            ns2_gigabytes=1,
        ),
    ]


def speed() -> str:
    """Measure the standard runs."""
    return report([row for standard in standards() for row in rows(standard)])


def rows(standard: Standard) -> list[list[object]]:
    """Measure one standard run, with a row for each simulator."""
    with_ns2 = has_ns2() and free_gigabytes() > standard.ns2_gigabytes
    if not with_ns2:
        print(f"{standard.name}: ours alone, since there is no ns-2.35 (`ns`) or no {standard.ns2_gigabytes} GB for it")
    turns = [take_turn(standard, number, with_ns2=with_ns2) for number in range(1, standard.turns + 1)]
    ours = [run for turn in turns for run in turn.ours]
    shares = [turn.share for turn in turns if turn.share is not None]
    count = standard.ours.instructions_per_packet(*standard.counted) if has_valgrind() else None
    made = [row(standard.name, "Ackclock", ours, instructions=count, share=Spread.of(shares) if shares else None)]
    if theirs := [turn.ns2 for turn in turns if turn.ns2]:
        made.append(row(standard.name, "ns-2.35", theirs))
    if standard.ns3:
        start = standard.ns3.run(AT_ONCE).cpu_seconds
        made.append(row(standard.name, "ns-3", [standard.ns3.run(standard.seconds)], start=start))
    return made


def take_turn(standard: Standard, number: int, *, with_ns2: bool) -> Turn:
    """Run both simulators."""
    seeds = range(number * standard.runs_a_turn, (number + 1) * standard.runs_a_turn)
    ns2 = standard.ns2.run(standard.seconds, number) if with_ns2 else None
    return Turn([standard.ours.run(standard.seconds, seed) for seed in seeds], ns2)


def row(
    name: str,
    simulator: str,
    runs: Sequence[Run],
    *,
    start: float = 0.0,
    instructions: float | None = None,
    share: Spread | None = None,
) -> list[object]:
    """Write one line of the table; the time of the start is subtracted."""
    seconds = statistics.median(alone(run) for run in runs) - start
    peaks = [run.cost.peak_bytes for run in runs if run.cost.peak_bytes]
    events = [run.events / run.packets for run in runs if run.events is not None]
    return [
        f"{name}, {simulator}",
        f"{seconds:.3g}",
        share,
        f"{statistics.median((alone(run) - start) / run.packets for run in runs) * 1e9:.0f}",
        f"{instructions:.0f}" if instructions else None,
        f"{statistics.median(events):.2f}" if events else None,
        f"{max(peaks) / 1e6:.0f}" if peaks else None,
    ]


def report(lines: Sequence[Sequence[object]]) -> str:
    """Write the table."""
    columns = ["", "CPU s", "share of ns-2's", "ns/packet", "instructions/packet", "events/packet", "peak MB"]
    return table(columns, lines)


def free_gigabytes() -> float:
    """Return the free memory in GB."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
