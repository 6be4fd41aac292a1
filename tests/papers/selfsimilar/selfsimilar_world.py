"""Synthetic runs that satisfy most of the paper's claims on Table 2 and its figures, and functions that change them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.selfsimilar.experiment import READINGS, SETTINGS, TABLE_2, VARIANTS, Setting
from ackclock.papers.selfsimilar.looks import MARKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.selfsimilar.experiment import Reading, Variant

    Values = dict[str, Any]
    Change = Callable[[Setting, Values], Values]

SEEDS = range(1, 13)

CUTS: dict[Variant, dict[str, float]] = {
    "tahoe": {"cwnd_least": 1, "cwnd_median": 40, "cwnd_falls": 9, "rtt_most": 76, "start": 5.0, "growth": 1.1},
    "newreno": {"cwnd_least": 30, "cwnd_median": 190, "cwnd_falls": 0, "rtt_most": 150, "start": 5.5, "growth": 1.2},
    "vegas": {"cwnd_least": 1, "cwnd_median": 60, "cwnd_falls": 7, "rtt_most": 180, "start": 6.5, "growth": 0.9},
    "sack": {"cwnd_least": 30, "cwnd_median": 210, "cwnd_falls": 0, "rtt_most": 100, "start": 5.5, "growth": 1.2},
}
"""Further numbers of each variant."""


def world(setting: Setting, seed: int) -> Values:
    """Make a run with the numbers of Table 2; a seed shifts all variants equally, as a common background does."""
    row, cuts = TABLE_2[VARIANTS[setting.variant]], CUTS[setting.variant]
    moved = 100 * (seed - 6.5)
    tiny = 1e-6 * (seed - 6.5)
    values: Values = {
        **row,
        "arrivals": row["arrivals"] + moved,
        "acks": row["acks"] + moved,
        "drops": row["drops"] + (seed - 6.5),
        "retransmissions": row["retransmissions"] + (seed - 6.5),
        "efficiency": row["efficiency"] + tiny,
        "efficiency_plain": row["efficiency"] + 2e-4 + tiny,
        "timeouts": 1.0,
        "copies": 20.0,
        "hurst_k50": row["hurst_k50"] + tiny,
        "hurst_k1": row["hurst_k50"] + tiny,
        "hurst_wavelet": 0.85,
        "long_range": 1.0,
        **{f"rate_{mark}": cuts["start"] + tiny for mark in MARKS},
        "growth": cuts["growth"] + tiny,
        **{name: value for name, value in cuts.items() if name not in ("start", "growth")},
        "cwnd_most": 300.0,
        "cwnd_below": 0.1,
        "spikes": 0.0 if setting.variant == "tahoe" else 5.0,
        "spikes_again": None if setting.variant == "tahoe" else 1.0,
        "again_share": 0.02,
        "jitter": 0.1,
        "variation_99": 1.0,
        "late_jitter": 1.0 + tiny,
        "late_99": 1000.0,
        "late_most": 1100.0,
        "rates": np.full(100, 6.0),
        "cwnd": np.full(500, 60.0),
        "rtt": np.full(500, 75.0),
        "again": np.array([1.0, 20.0]),
    }
    return values


def side(*changes: Change) -> Runs:
    """Make the runs of one simulator."""
    flows: list[Row] = []
    for setting in SETTINGS:
        for seed in SEEDS:
            values = world(setting, seed)
            for change in changes:
                values = change(setting, values)
            flows.append(Run(where=setting.where, seed=seed, values=values))
    udp = {"arrivals": 77473.0, "drops": 0.0, "hurst_k50": 0.3, "jitter": 0.1, "variation_99": 0.4}
    late = {"late_jitter": 0.1, "late_99": 0.4, "late_most": 0.8}
    where = {"reading": "constant rate", "variant": "UDP"}
    steady = [Run(where=where, seed=seed, values=udp | late) for seed in SEEDS]
    return Runs({"flows": flows, "udp": steady, **memory(), **methods()})


def memory(*without: Setting, h: float | None = 0.8) -> dict[str, list[Row]]:
    """Make long runs: memory everywhere, but a different Hurst parameter by wavelets in some settings."""

    def run(where: dict[str, str], seed: int, wavelets: float | None) -> Run:
        moved = None if wavelets is None else wavelets + 0.01 * (seed - 6.5)
        return Run(where=where, seed=seed, values={"abry_veitch": moved, "local_whittle": 0.8})

    rows: list[Row] = [run(one.where, seed, h if one in without else 0.8) for one in SETTINGS for seed in SEEDS]
    return {"memory": rows, "background memory": [run({}, seed, 0.8) for seed in SEEDS]}


def methods(*, width: float = 0.2, covered: int = 97) -> dict[str, list[Row]]:
    """Make the results of two estimators on a hundred paths of noise; the arguments describe the first one."""
    rows: list[Row] = [
        Run(where={"method": name}, seed=seed, values={"h": h, "width": wide, "covered": float(seed <= often)})
        for name, h, wide, often in (("optimisation", 0.76, width, covered), ("wavelet", 0.79, 0.4, 95))
        for seed in range(1, 101)
    ]
    return {"methods": rows}


def evidence(*changes: Change) -> Both:
    """Return the evidence for judging: changed runs of ours, and unchanged runs of ns-2."""
    return Both(ours=side(*changes), ns2=side())


def instead(parts: dict[str, list[Row]]) -> Both:
    """Return the usual evidence with some of our parts replaced."""
    usual = evidence()
    return replace(usual, ours=Runs({**usual.ours.parts, **parts}))


def put(
    name: str, new: float | None, *variants: Variant, readings: Sequence[Reading] = tuple(READINGS.values())
) -> Change:
    """Return a function that changes a number, for some variants and readings or all."""

    def change(setting: Setting, values: Values) -> Values:
        meant = setting.variant in (variants or VARIANTS) and setting.reading in readings
        return {**values, name: new} if meant else values

    return change
