"""Runs with 100,000 and 1,000,000 flows, with 100,000 flows that start at the same time, and with CUBIC flows."""

from __future__ import annotations

import statistics

from performance.page import table
from performance.simulations import ONE_CUBIC_FLOW, Run, ours_greedy, ours_s60

TURNS = 3


def scale() -> str:
    """Measure the runs, alternating the first with S60."""
    flows = 100_000
    spread, at_once = ours_greedy(flows), ours_greedy(flows, spread=0)
    cubic = ours_greedy(flows, one=ONE_CUBIC_FLOW)
    turns = [
        (ours_s60().run(200, seed), *(many.run(0.8, seed) for many in (spread, at_once, cubic)))
        for seed in range(1, TURNS + 1)
    ]
    s60, apart, together, today = ([turn[place] for turn in turns] for place in range(4))
    base = per_packet(s60)
    lines = [
        row("100,000 flows, 0.8 s", flows, apart, base),
        row("100,000 flows that start at once, 0.8 s", flows, together, base),
        row("100,000 CUBIC flows of profile `linux`, 0.8 s", flows, today, base),
        row("1,000,000 flows, 0.6 s", 1_000_000, [ours_greedy(1_000_000).run(0.6)], base),
    ]
    ratio = statistics.median(
        at_once.cpu_seconds / spread.cpu_seconds for at_once, spread in zip(together, apart, strict=True)
    )
    each = per_packet(together) / per_packet(apart)
    return (
        table(["", "packets", "CPU s", "ns/packet", "relative to S60", "peak MB", "bytes/flow"], lines)
        + f"\nStarting 100,000 flows at once takes {ratio:.2f} times the CPU time of starting them over 0.1 s, "
        f"and {each:.2f} times the CPU time per packet.\n"
    )


def per_packet(runs: list[Run]) -> float:
    """Compute the CPU time per packet in nanoseconds."""
    return statistics.median(run.cpu_seconds / run.packets for run in runs) * 1e9


def row(name: str, flows: int, runs: list[Run], base: float) -> list[object]:
    """Write one line of the table."""
    peaks = [run.cost.peak_bytes for run in runs if run.cost.peak_bytes]
    return [
        name,
        f"{statistics.median(run.packets for run in runs):,.0f}",
        f"{statistics.median(run.cpu_seconds for run in runs):.3g}",
        f"{per_packet(runs):.0f}",
        f"{per_packet(runs) / base:.2f}",
        f"{max(peaks) / 1e6:.0f}" if peaks else None,
        f"{max(peaks) / flows:.0f}" if peaks else None,
    ]
