"""Synthetic runs in which every claim of the burstiness paper holds, and functions that change them."""

from __future__ import annotations

import dataclasses
import math
from itertools import product
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ackclock.papers.burstiness.claims import CLAIMS
from ackclock.papers.burstiness.experiment import CLIENTS, HEAVY, VARIANTS, WEIGHTS
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both
from ackclock.papers.core.table import ns2_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.papers.core.claim import Judged
    from ackclock.papers.core.evidence import Row, Scalar

    Values = dict[str, Any]
    Where = dict[str, Scalar]

BY_KEY = {claim.key: claim for claim in CLAIMS}

# The paper's statements as numbers: excess over Poisson, throughput relative to UDP, loss and timeouts at heavy load.
HEAVY_WORLD = {
    "UDP": (1.0, 1.0, 0.01, 0),
    "Reno": (2.6, 0.93, 0.015, 4800),
    "Reno/DelAck": (2.5, 0.95, 0.010, 1300),
    "Vegas": (1.1, 0.99, 0.003, 50),
    "Reno/RED": (3.5, 0.87, 0.020, 5000),
    "Reno/DelAck/RED": (3.0, 0.90, 0.018, 4900),
    "Vegas/RED": (2.55, 0.96, 0.030, 1400),
}


def world(variant: str, clients: int) -> Values:
    """Make a synthetic run in which every claim of the paper holds."""
    ratio, share, loss, timeouts = HEAVY_WORLD[variant]
    heavy, tcp = clients > 38, variant != "UDP"
    if not heavy:
        ratio = 1.0 if not tcp else 1.02 if clients < 10 else 1.4
        share, loss = 1.0, 0.0002 if tcp and clients >= 10 else 0.0
    elif variant == "Reno":
        ratio *= (clients / 39) ** 0.3  # its c.o.v. hardly falls
    warm = 1.2 if tcp and 10 <= clients <= 38 else ratio
    departures = share * min(20_000 * clients, 833_333)
    arrivals = departures / (1 - loss)
    drops = arrivals * loss
    queue = 1.5 * clients if variant == "Vegas" else 20.0 if variant.endswith("RED") else 30.0
    return {
        "cov": ratio / math.sqrt(10 * clients),
        "cov_warm": warm / math.sqrt(10 * clients),
        "departures": departures,
        "arrivals": arrivals,
        "drops": drops,
        "loss": loss,
        "drops_start": 0 if heavy else drops,
        "drops_warm": 0.9 * drops if heavy else 0,
        "timeouts": timeouts if tcp else None,
        "dup_acks": (400_000 if variant.startswith("Vegas") else 100_000) if tcp else None,
        "jain_index": 0.999 if variant.startswith("Vegas") else 0.99,
        "queue_mean": queue,
    }


def runs(cells: Iterable[Where], values: Callable[[str, int], Values], seeds: int = 3) -> list[Run]:
    """Make runs that differ by a millionth between seeds."""
    return [
        Run(
            where=where,
            seed=seed,
            values={
                name: value if value is None else value * (1 + 1e-6 * seed)
                for name, value in values(str(where["variant"]), int(where["clients"])).items()
            },
        )
        for where in cells
        for seed in range(1, seeds + 1)
    ]


def cells(variants: Iterable[str], counts: Iterable[int], **others: Iterable[float]) -> list[Where]:
    """Return the points of a grid."""
    axes: dict[str, Iterable[Scalar]] = {"variant": variants, "clients": counts, **others}
    return [dict(zip(axes, values, strict=True)) for values in product(*map(list, axes.values()))]


def constant(table: dict[tuple[str, int], Values], **others: Iterable[float]) -> list[Run]:
    """Make runs at some points that do not depend on the other axes."""
    return [
        run
        for (variant, clients), values in table.items()
        for run in runs(cells([variant], [clients], **others), lambda *_, values=values: values)
    ]


RED = ("Reno/RED", "Vegas/RED")
GRID = runs(cells(VARIANTS, CLIENTS), world)
SWINGS = {"window_ratio": 30, "queue_cov": 0.9}
PARTS = {
    "grid": GRID,
    "weights": runs(cells(RED, [60], weight=WEIGHTS), world),
    "minimum": runs(cells(["Vegas"], HEAVY), world),
    "ties": runs(cells(["Reno", "Vegas"], [44, 60]), world),
    "roomy": constant(
        {("Reno", 50): {"drops_warm": 9_000, "arrivals": 1e6}, ("Vegas", 50): {"drops_warm": 0, "arrivals": 1e6}}
    ),
    "crossover": [
        Run(where={"variant": "Reno", "clients": clients}, seed=seed, values={"settle_time": time})
        for clients, times in {37: (15, 20, 20), 38: (20, 25, 30), 39: (200, 200, 200), 40: (200, 200, 200)}.items()
        for seed, time in enumerate(times)
    ],
    "queues": GRID,
    "close": constant(
        {
            ("Reno", 39): {"dependence": 31, "cutting": 0.6, **SWINGS},
            ("Reno", 44): {"dependence": 33, "cutting": 0.6, **SWINGS},
            ("Reno", 50): {"dependence": 36, "cutting": 0.6, **SWINGS},
            ("Reno", 60): {
                **SWINGS,
                "dependence": 40,
                "cutting": 0.7,
                "longest_sequence": 70,
                "losses_per_event": 1.6,
                "multiple_losses": 0.4,
            },
            ("Vegas", 60): {
                "dependence": 5,
                "cutting": 0.1,
                "longest_sequence": 10,
                "losses_per_event": 1.1,
                "multiple_losses": 0.1,
            },
            ("Vegas/RED", 60): {
                "above_max_th": 0.97,
                "longest_sequence": 20,
                "losses_per_event": 1.2,
                "multiple_losses": 0.2,
            },
            ("Reno/RED", 60): {
                "above_max_th": 0.5,
                "longest_sequence": 90,
                "losses_per_event": 1.4,
                "multiple_losses": 0.3,
            },
        }
    ),
    "windows": constant(
        {
            ("Reno", 20): {"first_loss": 0.4, "last_loss": 0.5, "before_first_fall": 17, "falls": 6, "lowest": 1},
            ("Reno", 30): {
                "first_loss": 0.3,
                "last_loss": 4,
                "last_fall": 4,
                "last_together": 4,
                "falls": 9,
                "lowest": 1,
            },
            ("Reno", 38): {"last_loss": 25},
            ("Reno", 60): {"falls": 700, "last_fall": 199, "lowest": 1},
            ("Vegas", 20): {"falls": 0, "lowest": None, "highest": 20},
            ("Vegas", 30): {"falls": 3, "lowest": 2},
            ("Vegas", 60): {"falls": 50, "lowest": 2},
        }
    ),
    "starts": constant({("Reno", 20): {"backlog": 40, "burst": 17}}),
    "pushes": constant({("Vegas/RED", 60): {"pushed": 0.8, "pushed_loss": 5, "loss": 3}}),
    "close_weights": constant(
        {("Vegas/RED", 60): {"above_max_th": 0.97}, ("Reno/RED", 60): {"above_max_th": 0.5}}, weight=(8e-5, 2e-2)
    ),
}
SIDE = Runs(PARTS)
PAPER = Both(ours=SIDE, ns2=ns2_runs("burstiness"))


def light(clients: int) -> bool:
    return clients < 10


def moderate(clients: int) -> bool:
    return 10 <= clients <= 38


def heavy(clients: int) -> bool:
    return clients > 38


def anywhere(clients: int) -> bool:
    return clients > 0


def put(
    part: str,
    name: str,
    new: float | Callable[[Row], float] | None,
    *variants: str,
    at: Callable[[int], bool] = anywhere,
) -> Callable[[Runs], Runs]:
    """Return a function that changes a number in one part of the evidence, at some points."""

    def changed(run: Row) -> Row:
        if (variants and run.where["variant"] not in variants) or not at(int(run.where["clients"])):
            return run
        value = new(run) if callable(new) else new
        return Run(where=run.where, seed=run.seed, values={**run.values, name: value})

    return lambda side: Runs({**side.parts, part: [changed(run) for run in side.parts[part]]})


def smoother_at_small_weights(side: Runs) -> Runs:
    weak = put("weights", "cov", times("cov", 0.5))(side).part("weights")
    rows = [
        other if run.where["weight"] == 8e-5 else run for run, other in zip(side.part("weights"), weak, strict=True)
    ]
    return Runs({**side.parts, "weights": rows})


def times(name: str, factor: float) -> Callable[[Row], float]:
    return lambda run: factor * (run.values[name] or 0)


def change_each(side: Runs, change: Callable[[Sequence[Row]], Sequence[Row]]) -> Runs:
    """Change every part of the evidence."""
    return Runs({name: change(rows) for name, rows in side.parts.items()})


def once(side: Runs) -> Runs:
    """Keep one run of each point."""
    return change_each(side, lambda there: [run for run in there if run.seed == 1])


def unsteady(side: Runs) -> Runs:
    """Let runs differ so much between seeds that no interval excludes any value."""

    def spread(rows: Sequence[Row]) -> list[Row]:
        def factor(run: Row, name: str) -> float:
            variant, clients = run.where["variant"], run.where["clients"]
            return 100.0 ** ((run.seed + crc32(f"{variant} {clients} {name}".encode())) % 3)

        return [
            Run(
                where=run.where,
                seed=run.seed,
                values={name: value and value * factor(run, name) for name, value in run.values.items()},
            )
            for run in rows
        ]

    return change_each(side, spread)


def judged(key: str, *changes: Callable[[Runs], Runs]) -> Judged:
    side = SIDE
    for change in changes:
        side = change(side)
    return BY_KEY[key].judge(dataclasses.replace(PAPER, ours=side))
