"""What people run today: `make guard` counts the instructions of these scenarios, `make bench` measures their time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from performance.measure import has_valgrind
from performance.page import table
from performance.simulations import S60, Simulation, ours

SCENARIOS = Path(__file__).with_name("workloads")
JOBS = 2
TURNS = 3


@dataclass(frozen=True)
class Workload:
    """A scenario, and the two simulated times in seconds between which instructions are counted."""

    words: str
    counted: tuple[float, float]
    scenario: str | None = None
    """Name of a scenario in `workloads/`; `None` for S60."""
    queue: str | None = None
    """A queue discipline in place of the scenario's own."""

    @property
    def simulation(self) -> Simulation:
        """The engine's example program with this scenario."""
        file = S60 if self.scenario is None else SCENARIOS / f"{self.scenario}.toml"
        return ours(file, queue=self.queue)


WORKLOADS = {
    "s60": Workload("S60, drop-tail", (10, 20)),
    "s60_codel": Workload("S60, CoDel", (10, 20), queue="codel"),
    "reno": Workload("Reno (`ns2-2.35`), 10 flows", (3, 6), "reno"),
    "sack": Workload("SACK (`ns2-2.35`), 10 flows", (3, 6), "sack"),
    "cubic": Workload("CUBIC, 10 flows", (3, 6), "cubic"),
    "cubic_fq_codel": Workload("CUBIC, 10 flows, FQ-CoDel", (3, 6), "cubic", queue="fq_codel"),
    "cubic_cake": Workload("CUBIC, 10 flows, CAKE", (3, 6), "cubic", queue="cake"),
    "bbr": Workload("BBR, 10 flows, no loss", (3, 6), "bbr"),
    "bbr_loss": Workload("BBR, 10 flows, 12 % loss", (3, 6), "bbr_loss"),
    "bbr3": Workload("BBRv3, 10 flows", (3, 6), "bbr3"),
    "dctcp": Workload("DCTCP, 64 flows, 10 Gb/s", (0.1, 0.2), "dctcp"),
    "transfers": Workload("transfers of 15 kB, 80 % of 1 Gb/s", (0.5, 1.5), "transfers"),
    "cubic_1000": Workload("CUBIC, 1,000 flows, 10 Gb/s", (1, 1.2), "cubic_1000"),
}


def count_all() -> dict[str, float]:
    """Count the instructions per packet of all workloads, some at a time: counts do not depend on the load."""
    # the program is built and the plans are written one at a time
    simulations = [workload.simulation for workload in WORKLOADS.values()]
    counted = [workload.counted for workload in WORKLOADS.values()]
    with ThreadPoolExecutor(JOBS) as pool:
        found = pool.map(lambda run, times: run.instructions_per_packet(*times), simulations, counted)
        return dict(zip(WORKLOADS, found, strict=True))


def today() -> str:
    """Measure the workloads, and return a table."""
    instructions = count_all() if has_valgrind() else {}
    rows = []
    for name, workload in WORKLOADS.items():
        seconds = 2 * workload.counted[1]
        runs = [workload.simulation.run(seconds, seed) for seed in range(1, TURNS + 1)]
        fastest = min(runs, key=lambda run: run.cpu_seconds / run.packets)
        rows.append(
            (
                workload.words,
                f"{instructions[name]:.0f}" if name in instructions else None,
                f"{(fastest.events or 0) / fastest.packets:.2f}",
                f"{fastest.cpu_seconds / fastest.packets * 1e9:.0f}",
            )
        )
    return table(["", "instructions/packet", "events/packet", "least ns/packet"], rows)
