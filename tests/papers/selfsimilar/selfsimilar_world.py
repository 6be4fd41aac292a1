"""Synthetic runs that satisfy most claims on TCP over self-similar traffic, and what makes each claim fail."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.support.worlds import World, put

from ackclock.analysis.models import mathis
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.selfsimilar.claims.last_hop import MODERATE
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, SETTINGS, TABLE_2, VARIANTS
from ackclock.papers.selfsimilar.flow_measures import MARKS
from ackclock.papers.selfsimilar.last_hop import BURSTS, DWELLS, LOSSES, MILLION, RANDOM, RTT
from ackclock.papers.selfsimilar.last_hop import LOADS as SOURCES
from ackclock.papers.selfsimilar.study import PAPER
from ackclock.papers.selfsimilar.traffic import (
    ALIKE,
    BINS,
    CARRIED,
    COUNTS,
    DRAWN,
    ESTIMATORS,
    FIRST,
    KINDS,
    LADDER,
    LOADS,
    ON_OFF,
    OTHERS,
    POISSON,
    SHARED,
    USUAL,
)
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.support.worlds import Change

    from ackclock.papers.core.evidence import Row, Scalar
    from ackclock.papers.selfsimilar.experiment import Setting, Variant

    Values = dict[str, Any]

# Table 2 and Figures 4 to 7

SEEDS = range(1, 13)

CUTS: dict[Variant, dict[str, float]] = {
    "tahoe": {"cwnd_least": 1, "cwnd_median": 40, "cwnd_falls": 9, "rtt_most": 76, "start": 5.0, "growth": 1.1},
    "newreno": {"cwnd_least": 30, "cwnd_median": 190, "cwnd_falls": 0, "rtt_most": 150, "start": 5.5, "growth": 1.2},
    "vegas": {"cwnd_least": 1, "cwnd_median": 60, "cwnd_falls": 7, "rtt_most": 180, "start": 6.5, "growth": 0.9},
    "sack": {"cwnd_least": 30, "cwnd_median": 210, "cwnd_falls": 0, "rtt_most": 100, "start": 5.5, "growth": 1.2},
}
"""Further numbers of each variant."""


def flow(setting: Setting, seed: int) -> Values:
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


def table_2() -> Runs:
    """Make the runs of one simulator."""
    flows: list[Row] = [
        Run(where=setting.where, seed=seed, values=flow(setting, seed)) for setting in SETTINGS for seed in SEEDS
    ]
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


# Table 1, and the background


FEW_SEEDS = (1, 2, 3)


def chance(seed: int) -> float:
    """Return the difference between seeds: a per mille."""
    return 1 + 0.001 * seed


def traffic(seed: int, *, mean: float, cov: float, power: float, h: float) -> dict[str, Any]:
    """Make a synthetic run with a given c.o.v. in 1 s, which changes with a power of the scale."""
    covs = [cov * chance(seed) * scale**power for scale in LADDER]
    return {
        "mean": mean,
        "cov": covs,
        "dispersion": [here**2 * mean * scale for here, scale in zip(covs, LADDER, strict=True)],
        "peak": [1 + 3 * here for here in covs],
        **{f"{method} {scale:g}": h * chance(seed) for method in ESTIMATORS for scale in BINS},
        **{f"first {scale:g}": np.arange(90, 90 + FIRST) for scale in DRAWN},
    }


def load(
    name: str, count: int, seed: int, h: Callable[[str, int, str, float], float], cut: float
) -> dict[str, float | None]:
    values: dict[str, float | None] = {"load": count / 100, "loss": 0.0}
    for method in ESTIMATORS:
        for scale in BINS:
            known = method in {"K = 1", "K = 50"} or scale < 0.5
            value = h(name, count, method, scale) * chance(seed) if known else None
            values[f"{method} {scale:g}"] = value
            if name != CARRIED:
                values[f"out {method} {scale:g}"] = None if value is None else value + cut * (scale == BINS[0])
    for scale in BINS:
        values |= {f"cov {scale:g}": count**-0.5 * chance(seed), f"out cov {scale:g}": count**-0.5 * chance(seed)}
    return values


def traffic_runs(
    *,
    over_scales: Callable[[str], float] = lambda kind: -0.5 if kind == POISSON else -0.1,
    alike: Callable[[str], float] = lambda _: -0.5,
    shared: Callable[[str], float] = lambda kind: 0.0 if kind == POISSON else -0.5,
    memory: Callable[[str, int], float] = lambda kind, _: 0.5 if kind == POISSON else 0.95,
    gap: Callable[[str], float] = lambda _: 1.0,
    h: Callable[[str, int, str, float], float] = lambda *_: 0.8,
    long: float = 0.9,
    cut: float = 0.0,
) -> dict[str, list[Run]]:
    """Make synthetic runs from powers of the scale and of the number of sources, and from Hurst parameters."""
    many: dict[str, tuple[Callable[[str], float], Callable[[int], float]]] = {
        ALIKE: (alike, lambda count: 62.5 * count),
        SHARED: (shared, lambda _: 2500),
    }
    return {
        "times": [
            Run(
                where={"kind": kind},
                seed=seed,
                values=traffic(seed, mean=2500, cov=0.1, power=over_scales(kind), h=long),
            )
            for kind in KINDS
            for seed in FEW_SEEDS
        ],
        "gaps": [
            Run(where={"kind": kind}, seed=seed, values={"gap_cov": gap(kind) * chance(seed)})
            for kind in KINDS
            for seed in FEW_SEEDS
        ],
        "many": [
            Run(
                where={"division": division, "kind": kind, "sources": count},
                seed=seed,
                values=traffic(
                    seed,
                    mean=mean(count),
                    cov=0.5 * count ** power(kind),
                    power=over_scales(kind),
                    h=memory(kind, count),
                ),
            )
            for division, (power, mean) in many.items()
            for kind in (POISSON, ON_OFF)
            for count in COUNTS
            for seed in FEW_SEEDS
        ],
        "loads": [
            Run(where={"background": name, "sources": count}, seed=seed, values=load(name, count, seed, h, cut))
            for name, count in [*((USUAL, count) for count in LOADS), *OTHERS.items()]
            for seed in FEW_SEEDS
        ],
    }


# The authors' future work


def loss_for(goodput: float, ratio: float) -> float:
    """Return the loss at which a goodput is this multiple of the prediction of Mathis et al."""
    return float(1.5 * (ratio / (RTT * goodput * 125)) ** 2)


def over_load(where: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return goodput, loss and efficiency."""
    first = where["variant"] == "NewReno"
    greedy = 30 / (1 + where["sources"] / 10) * (1 if first else 0.9)
    goodput = greedy if where["reading"] == GREEDY.name else min(6.2, greedy)
    return goodput, loss_for(goodput, 1.5), 0.999 if first else 0.99


def with_losses(where: Mapping[str, Any]) -> tuple[float, float, float]:
    amount = where["lost_of_a_million"]
    part = amount / MILLION
    factor = 1.3 if where["variant"] == "Vegas" else 1.0
    if where["kind"] == BURSTS:
        factor *= 0.5 if amount == LOSSES[-1] else 1.5
        factor *= 1.2 if where["variant"] == "SACK" and amount in MODERATE else 1
    return factor * (float(mathis(p=part, rtt=RTT).rate) / 125), part, 0.99


def with_rates(where: Mapping[str, Any]) -> tuple[float, float, float]:
    vegas, others = ({0: 3.9, DWELLS[-1]: 3.0}, 2.0), ({0: 3.8, DWELLS[-1]: 3.5}, 2.8)
    goodputs, usual = vegas if where["variant"] == "Vegas" else others
    return goodputs.get(where["stay_ms"], usual), 0.01, 0.99


def last_hops() -> dict[str, list[Run]]:
    """Make runs over last hops, in which as many packets arrive as in ns-2."""
    theirs = [row for part in ("losses", "steps") for row in ns2_runs("selfsimilar").part(part)]

    def arrivals(where: Mapping[str, Scalar]) -> float:
        return float(np.mean([row.values["arrivals"] for row in theirs if row.where == where] or [1.0]))

    def rows(found: Callable[[Mapping[str, Any]], tuple[float, float, float]], **axes: Sequence[Scalar]) -> list[Run]:
        return [
            Run(
                where=where,
                seed=seed,
                values={
                    "goodput": found(where)[0] * (1 + 0.001 * seed),
                    "loss": found(where)[1],
                    "efficiency": found(where)[2] + 1e-5 * seed,
                    "arrivals": arrivals(where) + seed,
                    "retransmissions": 1.0,
                    "timeouts": 1.0,
                },
            )
            for where in (dict(zip(axes, key, strict=True)) for key in product(*axes.values()))
            for seed in (1, 2, 3, 4)
        ]

    variants = tuple(VARIANTS.values())
    return {
        "load": rows(over_load, reading=(GREEDY.name, CONSTANT.name), variant=variants, sources=SOURCES),
        "losses": rows(with_losses, kind=(RANDOM, BURSTS), variant=variants, lost_of_a_million=LOSSES),
        "rates": rows(with_rates, variant=variants, stay_ms=DWELLS),
        "steps": rows(lambda _: (4.0, 0.01, 0.99), variant=variants),
    }


def instead(parts: Mapping[str, list[Any]]) -> Change:
    """Return a function that replaces parts of the runs."""
    return lambda runs: Runs({**runs.parts, **parts})


def traffic_with(**changes: Any) -> list[Change]:
    return [instead(traffic_runs(**changes))]


def goodput(part: str, new: Callable[[Mapping[str, Any]], float], **at: Any) -> Change:
    """Return a function that computes goodput from the coordinates; it grows with the seed as in the usual runs."""
    return put(part, "goodput", lambda _, run: new(run.where) * (1 + 0.001 * run.seed), **at)


def formula(where: Mapping[str, Any]) -> float:
    """Return the goodput that is predicted for a loss rate, but with another exponent."""
    part: float = where["lost_of_a_million"] / MILLION
    return 0.05 * float(mathis(p=part, rtt=RTT).rate) / 125 / float(part**0.5)


R, N = Verdict.REPRODUCED, Verdict.NOT

WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("4-1", N, [instead(methods(width=0.5))]),
    ("5-2", N, [put("flows", ("drops", "retransmissions"), 500.0)]),
    ("5-3", N, [put("flows", "arrivals", 90000.0, variant="SACK")]),
    (
        "5-4",
        N,
        [put("flows", "efficiency", new, variant=name) for name, new in (("Vegas", 0.9999), ("NewReno", 0.9981))],
    ),
    ("5-5", N, [put("flows", ("arrivals", "efficiency"), 1e5, variant="Vegas")]),
    (
        "5-6",
        N,
        [put("flows", name, new, variant="Tahoe") for name, new in (("retransmissions", 100.0), ("arrivals", 55000.0))],
    ),
    ("5-7", N, [put("flows", ("acks", "arrivals"), 70000.0)]),
    ("5-8", N, [put("flows", "hurst_k50", 0.5)]),
    ("5-9", N, [instead(memory(*SETTINGS, h=1.2))]),
    ("5-10", N, [put("flows", "hurst_k50", 0.8, variant="Vegas")]),
    ("5-11", N, [put("flows", name, new, variant="Vegas") for name, new in (("growth", 1.3), ("rate_20", 1.0))]),
    ("5-12", N, [put("flows", "cwnd_median", 60.0, variant="SACK"), put("flows", "cwnd_least", 5.0)]),
    ("5-13", N, [put("flows", "cwnd_falls", 9.0)]),
    ("5-14", N, [put("flows", "rtt_most", 90.0, variant="Tahoe")]),
    ("5-15", N, [put("flows", "spikes_again", 0.1)]),
    ("T1-1", N, traffic_with(over_scales=lambda _: -0.1)),
    ("T1-2", N, traffic_with(over_scales=lambda _: -0.5)),
    ("T1-3", R, traffic_with(shared=lambda _: -0.5)),
    ("T1-3", N, traffic_with(alike=lambda _: 0.0)),
    ("T1-4", R, traffic_with(alike=lambda _: 0.2)),
    ("T1-5", R, traffic_with(shared=lambda _: 0.2)),
    ("T1-6", N, traffic_with(alike=lambda _: -1.2)),
    ("T1-7", N, traffic_with(memory=lambda kind, n: 0.5 if kind == POISSON or n > 50 else 0.95)),
    ("2-1", N, traffic_with(over_scales=lambda _: -0.1)),
    ("2-2", N, traffic_with(gap=lambda kind: 1.0 if kind == POISSON else 2.0)),
    ("H-1", N, traffic_with(h=lambda *_: 0.95)),
    ("H-2", N, traffic_with(h=lambda _, count, *__: 0.7 + count / 500)),
    ("H-3", N, [put("loads", [f"out {method} {scale:g}" for method in ESTIMATORS for scale in BINS], 0.5)]),
    ("H-4", R, traffic_with(long=0.8)),
    ("H-5", N, traffic_with(h=lambda name, *_: 0.8 if name == USUAL else 0.6)),
    ("F-1", N, [goodput("load", lambda where: 30 + where["sources"], reading=GREEDY.name)]),
    ("F-2", N, [goodput("load", lambda where: 20 - where["sources"] / 10, reading=GREEDY.name, variant="SACK")]),
    ("F-3", N, [put("load", "efficiency", 0.9995, reading=GREEDY.name, variant="SACK")]),
    ("F-4", N, [goodput("load", lambda where: 3 if where["sources"] < 40 else 6.2, reading=CONSTANT.name)]),
    ("F-5", N, [goodput("load", lambda _: 9, reading=CONSTANT.name)]),
    ("F-6", N, [put("load", "loss", lambda old, _: old / 9)]),
    ("F-7", N, [goodput("losses", formula, kind=RANDOM)]),
    ("F-8", N, [goodput("losses", formula, kind=RANDOM)]),
    ("F-9", N, [goodput("losses", lambda _: 0.1, kind=BURSTS)]),
    ("F-10", N, [goodput("losses", lambda _: 9, kind=BURSTS)]),
    ("F-11", N, [goodput("losses", lambda where: 9 - 8 * (where["kind"] == BURSTS), variant="SACK")]),
    ("F-12", N, [goodput("losses", lambda _: 0.1, variant="Vegas")]),
    ("F-13", N, [goodput("rates", lambda _: 1, stay_ms=0)]),
    ("F-14", N, [goodput("rates", lambda _: 1, stay_ms=DWELLS[-1])]),
    ("F-15", N, [goodput("rates", lambda where: 1 if where["stay_ms"] == 0 else 9, variant="Vegas")]),
    ("F-16", N, [put(("losses", "steps"), "arrivals", lambda old, _: 2 * old)]),
]

TABLE_2_RUNS, LATER = table_2(), ns2_runs("selfsimilar")
BEST = {
    "5-1": Verdict.NOT_TESTABLE,
    "T1-3": Verdict.DEPENDS,
    **dict.fromkeys(("T1-6", "2-1"), Verdict.PARTLY),
    **dict.fromkeys(("T1-4", "T1-5", "H-4"), N),
}
SINGLE = {
    "5-1": "nobody has the capture",
    "5-7": "a difference exists if one run has it",
}
WORLD = World(
    paper=PAPER,
    runs=Runs({**TABLE_2_RUNS.parts, **traffic_runs(), **last_hops()}),
    worse=WORSE,
    ns2=Runs({**TABLE_2_RUNS.parts, **{name: LATER.part(name) for name in ("loads", "losses", "steps")}}),
    best=BEST,
    single=SINGLE,
)
