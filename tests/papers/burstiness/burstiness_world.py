"""Synthetic runs in which every claim of the burstiness paper holds, and what makes each claim fail."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

from tests.support.worlds import World, put, runs_of, times

from ackclock.papers.burstiness.claims.reading import TCPS
from ackclock.papers.burstiness.experiment import CLIENTS, HEAVY, VARIANTS, WEIGHTS
from ackclock.papers.burstiness.study import PAPER
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.table import ns2_runs
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.support.worlds import Change

    from ackclock.papers.core.evidence import Scalar

    Values = dict[str, Any]
    Where = Mapping[str, Any]

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


def world(where: Where) -> Values:
    """Return the numbers of a run in which every claim of the paper holds."""
    variant, clients = where["variant"], where["clients"]
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


def cells(variants: Iterable[str], counts: Iterable[int], **others: Iterable[float]) -> list[Where]:
    """Return the points of a grid."""
    axes: dict[str, Iterable[Scalar]] = {"variant": variants, "clients": counts, **others}
    return [dict(zip(axes, values, strict=True)) for values in product(*map(list, axes.values()))]


def constant(table: Mapping[tuple[str, int], Values], **others: Iterable[float]) -> list[Run]:
    """Make runs at some points that do not depend on the other axes."""
    points = [where for variant, clients in table for where in cells([variant], [clients], **others)]
    return runs_of(points, lambda where: table[where["variant"], where["clients"]])


RED = ("Reno/RED", "Vegas/RED")
GRID = runs_of(cells(VARIANTS, CLIENTS), world)
SWINGS = {"window_ratio": 30, "queue_cov": 0.9}
PARTS = {
    "grid": GRID,
    "weights": runs_of(cells(RED, [60], weight=WEIGHTS), world),
    "minimum": runs_of(cells(["Vegas"], HEAVY), world),
    "ties": runs_of(cells(["Reno", "Vegas"], [44, 60]), world),
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


def light(clients: int) -> bool:
    return clients < 10


def moderate(clients: int) -> bool:
    return 10 <= clients <= 38


def heavy(clients: int) -> bool:
    return clients > 38


VEGAS, REDS, ALL_RED = ("Vegas", "Vegas/RED"), ("grid", "weights"), TCPS[3:]
CLOSE = ("close", "close_weights")
SEQUENCES = ("longest_sequence", "losses_per_event", "multiple_losses")
N, D = Verdict.NOT, Verdict.DEPENDS

WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("0-1", N, [put("grid", "cov", times(0.2), variant=TCPS, clients=heavy)]),
    (
        "2.2-1",
        N,
        [
            put("grid", "departures", lambda _, run: 1e6 * run.values["cov"]),
            put("grid", "loss", lambda _, run: 1e-3 / run.values["cov"]),
        ],
    ),
    ("3.1-1", D, [put("ties", "cov", times(1.5))]),
    ("3.2-1", N, [put("grid", "cov", lambda _, run: 0.1 * int(run.where["clients"]), variant="UDP")]),
    ("3.2-2", N, [put("grid", "cov", times(1.06), variant="UDP")]),
    ("3.2-3", N, [put("grid", "loss", 0.02), put("grid", "loss", 0.0, variant="UDP")]),
    ("3.2-4", N, [put("grid", "cov", times(1.5), variant=TCPS, clients=light)]),
    ("3.2-5", N, [put("grid", "cov", times(1.4), variant="Reno", clients=moderate)]),
    ("3.2-6", N, [put("grid", "cov", times(0.7), variant=TCPS, clients=moderate)]),
    ("3.2-7", N, [put("grid", "departures", times(0.9), variant=TCPS, clients=moderate)]),
    ("3.2-8", N, [put("grid", "departures", times(0.9), variant="Vegas", clients=range(30))]),
    ("3.2-9", N, [put("grid", "cov", times(3), variant="Vegas", clients=heavy)]),
    ("3.2-10", N, [put("grid", "cov", times(0.8), variant="Reno", clients=heavy)]),
    ("3.2-11", N, [put(REDS, "cov", times(0.8), variant="Reno/RED", clients=heavy)]),
    ("3.2-12", N, [put("grid", "departures", times(1.2), variant=("Reno", "Reno/RED"), clients=heavy)]),
    ("3.2.1-1", N, [put("grid", "drops_start", 0.0)]),
    ("3.2.1-2", N, [put("windows", "before_first_fall", 2.0)]),
    ("3.2.1-3", N, [put("windows", "first_loss", 0.5, clients=30)]),
    ("3.2.1-4", N, [put("windows", "last_together", None)]),
    ("3.2.1-5", N, [put("crossover", "settle_time", 200.0)]),
    ("3.2.1-6", N, [put("windows", "last_loss", 1.0)]),
    ("3.2.1-7", N, [put("crossover", "settle_time", 200.0)]),
    ("3.2.1-8", N, [put("crossover", "settle_time", 30.0)]),
    ("3.2.1-9", N, [put("grid", "cov", 0.01, variant="Reno", clients=39)]),
    ("3.2.1-10", N, [put("close", "dependence", 31.0)]),
    ("3.2.1-11", N, [put("close", "cutting", 0.14)]),
    ("3.2.1-12", N, [put("close", "dependence", 1.0 - 1e-3)]),
    ("3.2.1-13", N, [put("starts", "backlog", 3.0), put("starts", "burst", 2.0)]),
    ("3.2.1-14", N, [put("close", "window_ratio", 1.0), put("close", "queue_cov", 0.2)]),
    ("3.2.2-1", N, [put("windows", "falls", 900.0, variant="Vegas")]),
    ("3.2.2-2", N, [put("grid", "loss", 0.02, variant="Vegas", clients=heavy)]),
    ("3.2.2-3", N, [put("close", "dependence", 40.0), put("close", "cutting", 0.5)]),
    ("3.2.2-4", N, [put("grid", "cov", times(3), variant="Vegas", clients=heavy)]),
    ("3.2.2-5", N, [put(("grid", "minimum", "ties"), "jain_index", 0.9, variant="Vegas")]),
    ("3.2.2-6", N, [put("roomy", "drops_warm", 9_000.0)]),
    ("3.2.2-7", N, [put("queues", "queue_mean", 20.0, variant="Vegas")]),
    ("3.2.3-1", N, [put(REDS, "cov", times(0.3), variant=ALL_RED, clients=heavy)]),
    ("3.2.3-2", N, [put(REDS, "departures", times(1.2), variant=ALL_RED, clients=heavy)]),
    ("3.2.3-3", N, [put("queues", "queue_mean", 100.0, variant=ALL_RED)]),
    ("3.2.3-4", N, [put(REDS, "departures", times(0.7), variant="Vegas/RED", clients=heavy)]),
    (
        "3.2.3-5",
        N,
        [put(REDS, name, times(by), variant="Vegas/RED") for name, by in (("cov", 2), ("departures", 0.7))],
    ),
    ("3.2.3-6", N, [put(REDS, "loss", 0.018, variant="Vegas/RED", clients=heavy)]),
    ("3.2.3-7", N, [put(CLOSE, "above_max_th", 0.1)]),
    ("3.2.3-8", N, [put(CLOSE, "above_max_th", 0.1, variant="Vegas/RED")]),
    ("3.2.3-9", N, [put("grid", "timeouts", 20_000.0, variant=VEGAS)]),
    ("3.2.3-10", N, [put("close", SEQUENCES, 1.0)]),
    ("3.2.3-11", N, [put("grid", "timeouts", 6_000.0, variant=VEGAS)]),
    ("3.2.3-12", N, [put("grid", "timeouts", lambda _, run: run.values["departures"], variant=TCPS)]),
    ("3.2.3-13", N, [put("pushes", "pushed", 0.1), put("pushes", "pushed_loss", 1.0)]),
    ("4-1", N, [put("windows", "falls", 10.0), put("windows", "last_fall", 60.0)]),
    ("4-2", N, [put("grid", "cov", lambda _, run: 1 / int(run.where["clients"]), variant="Reno")]),
    ("4-3", N, [put("grid", "departures", times(0.9), variant="Vegas", clients=heavy)]),
]

BEST = {"2.2-1": Verdict.PARTLY, "3.2.3-12": Verdict.PARTLY}
"""Claims that no runs reproduce: rank correlations over six TCPs show too little."""

WORLD = World(paper=PAPER, runs=Runs(PARTS), worse=WORSE, ns2=ns2_runs("burstiness"), best=BEST)
