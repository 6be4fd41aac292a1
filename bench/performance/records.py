"""Cost of each kind of record on S60, compared with a run without records."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from performance.measure import has_valgrind
from performance.page import table
from performance.simulations import ours_s60

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from performance.simulations import Run

ALL_BUT_PACKETS = ("arrivals", "queue", "drops", "windows", "acks")
COUNTED = (10, 20)
"""Instructions are counted between these two times, in seconds."""
RECORDS: Mapping[str, tuple[str, ...]] = {
    "no records": (),
    "arrivals in bins of 100 ms": ("arrivals",),
    "queue every 100 ms": ("queue",),
    "each drop": ("drops",),
    "windows of all flows every 100 ms": ("windows/100ms",),
    "windows of all flows at each change": ("windows",),
    "each ACK": ("acks",),
    "all of these, windows at each change": ALL_BUT_PACKETS,
    "each packet at every link": ("packets@*",),
}
SECONDS = 200
TURNS = 7


def records() -> str:
    """Measure all kinds, alternating between them."""
    simulations = {name: ours_s60(record) for name, record in RECORDS.items()}
    turns = [{name: each.run(SECONDS, seed) for name, each in simulations.items()} for seed in range(1, TURNS + 1)]
    counts = {
        name: each.instructions_per_packet(*COUNTED) if has_valgrind() else None for name, each in simulations.items()
    }
    return report(turns, counts)


def report(turns: Sequence[Mapping[str, Run]], counts: Mapping[str, float | None]) -> str:
    """Write the table; the other kinds are compared with the first."""
    none = next(iter(counts))
    base = counts[none]
    lines: list[list[object]] = []
    for name, count in counts.items():
        more = statistics.median(turn[name].cpu_seconds / turn[none].cpu_seconds - 1 for turn in turns)
        peaks = [peak for turn in turns if (peak := turn[name].cost.peak_bytes)]
        lines.append(
            [
                name,
                f"{count:.0f}" if count else None,
                f"{100 * (count / base - 1):+.1f} %" if count and base and name != none else None,
                f"{statistics.median(turn[name].cpu_seconds for turn in turns):.3f}",
                f"{100 * more:+.0f} %" if name != none else None,
                f"{max(peaks) / 1e6:.0f}" if peaks else None,
            ]
        )
    return table(["", "instructions/packet", "increase", "CPU s", "increase", "peak MB"], lines)
