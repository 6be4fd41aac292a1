"""Which cells of the profile ``linux`` the running kernel confirms: single flows over a grid of links."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from ackclock.live.judging import MARGINS
from ackclock.live.running import live
from ackclock.running.run import simulate
from ackclock.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LAWS: Final = ("reno", "cubic", "bbr")
RATES: Final = (5, 20, 50)
"""Rates of the bottleneck in Mb/s."""
ROUND_TRIPS: Final = (10, 40, 100)
"""Round-trip times without queues in ms."""
BUFFERS: Final = (0.5, 1.0, 4.0)
"""Buffers as multiples of the bandwidth-delay product."""
QUICK: Final = ((20,), (40,), 10)
"""Rates, round-trip times and duration in s of a quick calibration."""
DURATION: Final = 20
"""Duration of a run in s; the first quarter is not measured."""
JUDGED: Final = ("goodput_bps", "rtt_mean")
"""The measures that decide, each with its margin of `ackclock.live.judging`."""

_PACKET_BITS: Final = 12_000


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A single flow on a link, by the kernel and by the simulator."""

    law: str
    rate: int
    """Rate of the bottleneck in Mb/s."""
    rtt: int
    """Round-trip time without queues in ms."""
    packets: int
    """Size of the buffer."""
    kernel: dict[str, float | None]
    """The measures that decide, in the units of summaries."""
    simulator: dict[str, float | None]
    reasons: tuple[str, ...]
    """Why the live run is not to be trusted; empty if it is."""

    @property
    def name(self) -> str:
        """The cell in words."""
        return f"{self.law}, {self.rate} Mb/s, {self.rtt} ms, {self.packets} packets"

    @property
    def verdict(self) -> str:
        """``confirmed``, ``differs`` or ``too late``."""
        if self.reasons:
            return "too late"
        return "confirmed" if all(_is_near(self, measure) for measure in JUDGED) else "differs"

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as printed by ``ackclock live calibrate --json``."""
        return asdict(self) | {"verdict": self.verdict}


def _is_near(cell: Cell, measure: str) -> bool:
    ours, theirs = cell.kernel[measure], cell.simulator[measure]
    return ours is not None and theirs is not None and abs(ours - theirs) <= MARGINS[measure] * theirs


def scenarios(*, quick: bool) -> list[tuple[tuple[str, int, int, int], Scenario]]:
    """Return the cells with their scenarios: law, rate in Mb/s, round-trip time in ms, and buffer in packets.

    >>> len(scenarios(quick=True)), len(scenarios(quick=False))
    (9, 81)
    """
    rates, round_trips, duration = QUICK if quick else (RATES, ROUND_TRIPS, DURATION)
    cells = []
    for rate in rates:
        for rtt in round_trips:
            for share in BUFFERS:
                packets = max(2, round(share * rate * 1000 * rtt / _PACKET_BITS))
                cells += [
                    ((law, rate, rtt, packets), _scenario(law, rate, rtt, packets, duration=duration)) for law in LAWS
                ]
    return cells


def _scenario(law: str, rate: int, rtt: int, packets: int, *, duration: int) -> Scenario:
    half, unlimited = f"{rtt / 2:g} ms", {"kind": "droptail", "packets": 100_000}
    link = {"rate": "1 Gbps", "delay": "0 ms", "queue": unlimited}
    queue = {"kind": "droptail", "packets": packets}
    return Scenario.from_dict(
        {
            "profile": "linux",
            "duration": f"{duration} s",
            "measure": {"from": f"{duration / 4:g} s"},
            "dumbbell": {
                "bottleneck": {"rate": f"{rate} Mbps", "delay": half, "queue": queue},
                "reverse": link | {"delay": half},
                "access": link,
            },
            "clients": [{"transport": {"kind": "tcp", "variant": law}, "source": {"kind": "greedy"}}],
        }
    )


def calibrate(*, quick: bool = False, seed: int = 1) -> Iterator[Cell]:
    """Run the grid by the machine's kernel and by the simulator, and yield each cell when it is done.

    A cell is confirmed if goodput is within 3 % and the mean round-trip time within 10 % of the simulator's with the
    profile ``linux``.

    Parameters
    ----------
    quick
        Whether to run one link for 10 s a cell, instead of nine links for 20 s a cell.
    seed
        Seed of all runs.

    Raises
    ------
    ScenarioError
        As `live`.
    """
    for (law, rate, rtt, packets), scenario in scenarios(quick=quick):
        kernel = live(scenario, seed=seed)
        simulated = simulate(scenario, seed=seed)
        yield Cell(
            law=law,
            rate=rate,
            rtt=rtt,
            packets=packets,
            kernel={measure: getattr(kernel.run, measure) for measure in JUDGED},
            simulator={measure: getattr(simulated, measure) for measure in JUDGED},
            reasons=kernel.lateness.reasons,
        )


def counted(cells: Sequence[Cell]) -> str:
    """Count the verdicts in a sentence."""
    told = [cell for cell in cells if cell.verdict != "too late"]
    confirmed = sum(cell.verdict == "confirmed" for cell in told)
    late = len(cells) - len(told)
    said = f"This kernel confirms {confirmed} of {len(told)} cells of the profile linux"
    return f"{said}; in {late} the emulator was too late to tell" if late else said
