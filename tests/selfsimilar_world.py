"""A made-up world in which most of what the paper says of Table 2 and its figures holds, and ways to change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.selfsimilar.evidence import Evidence, Side, settings
from ackclock.papers.selfsimilar.experiment import READINGS, VARIANTS, Setting
from ackclock.papers.selfsimilar.looks import MARKS, Course, Look
from ackclock.papers.selfsimilar.memory import BACKGROUND
from ackclock.papers.selfsimilar.methods import Method
from ackclock.papers.selfsimilar.paper import TABLE_2

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.papers.selfsimilar.experiment import Reading, Variant

    Values = dict[str, float | None]
    Change = Callable[[Setting, Values], Values]

SEEDS = range(1, 13)

CUTS: dict[Variant, dict[str, float]] = {
    "tahoe": {"cwnd_least": 1, "cwnd_median": 40, "cwnd_falls": 9, "rtt_most": 76, "start": 5.0, "growth": 1.1},
    "newreno": {"cwnd_least": 30, "cwnd_median": 190, "cwnd_falls": 0, "rtt_most": 150, "start": 5.5, "growth": 1.2},
    "vegas": {"cwnd_least": 1, "cwnd_median": 60, "cwnd_falls": 7, "rtt_most": 180, "start": 6.5, "growth": 0.9},
    "sack": {"cwnd_least": 30, "cwnd_median": 210, "cwnd_falls": 0, "rtt_most": 100, "start": 5.5, "growth": 1.2},
}
"""What else is said of each variant."""


def world(setting: Setting, seed: int) -> Values:
    """Make a run: Table 2's numbers, which all move alike with the background."""
    row, cuts = TABLE_2[setting.variant], CUTS[setting.variant]
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
    }
    return values


def side(*changes: Change) -> Side:
    """Make the runs of one simulator."""
    looks = {}
    for reading in READINGS.values():
        for variant in VARIANTS:
            setting = Setting(reading=reading, variant=variant)
            runs = []
            for seed in SEEDS:
                values = world(setting, seed)
                for change in changes:
                    values = change(setting, values)
                runs.append(Look(seed=seed, values=values, rates=np.full(100, 6.0), course=course()))
            looks[setting.name] = runs
    udp = {"arrivals": 77473.0, "drops": 0.0, "hurst_k50": 0.3, "jitter": 0.1, "variation_99": 0.4}
    late = {"late_jitter": 0.1, "late_99": 0.4, "late_most": 0.8}
    return Side(looks=looks, unresponsive=[{**udp, **late} for _ in SEEDS], memory=memory())


def memory(*without: Setting, h: float = 0.8) -> dict[str, list[Values]]:
    """Make what long runs showed: memory everywhere, but another Hurst parameter by wavelets in some settings."""
    named = {each.name for each in without}
    return {
        name: [
            {"abry_veitch": (h if name in named else 0.8) + 0.01 * (seed - 6.5), "local_whittle": 0.8} for seed in SEEDS
        ]
        for name in (*settings(), BACKGROUND)
    }


def course() -> Course:
    """Make a course that does not move, with two retransmissions."""
    return Course(cwnd=np.full(500, 60.0), rtt=np.full(500, 75.0), again=np.array([1.0, 20.0]))


def methods(*, width: float = 0.2, covered: float = 0.95) -> dict[str, Method]:
    """Make what estimators say of noise: these are of the optimisation method."""
    others = Method(mean=0.79, deviation=0.1, width=0.4, covered=0.95)
    own = Method(mean=0.76, deviation=0.04, width=width, covered=covered)
    return {"optimisation": own, "wavelet": others, "variance-time": others, "R/S": others}


def evidence(*changes: Change) -> Evidence:
    """Return what is judged: changed runs of ours, and ns-2's as they were."""
    return Evidence(ours=side(*changes), ns2=side(), methods=methods())


def put(
    name: str, new: float | None, *variants: Variant, readings: Sequence[Reading] = tuple(READINGS.values())
) -> Change:
    """Make the change of a number: of some variants or all, under some readings or all."""

    def change(setting: Setting, values: Values) -> Values:
        meant = setting.variant in (variants or VARIANTS) and setting.reading in readings
        return {**values, name: new} if meant else values

    return change
