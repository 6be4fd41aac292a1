"""Synthetic runs for which every conclusion still holds for every sender, and what turns each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.papers.today import second_world
from tests.support.worlds import World, put, runs_of, times

from ackclock.papers.core.evidence import Runs
from ackclock.papers.today.parts.burstiness import ACTIVE, SETTINGS, UNEQUAL
from ackclock.papers.today.study import PAPER, derived
from ackclock.papers.today.traffic import LONG_SCALES
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.support.worlds import Change, Where


def load(where: Where) -> Mapping[str, Any]:
    reno = where["sender"] == "Reno"
    paced = str(where["sender"]).startswith("Paced")
    heavy = 3.0 if reno else 1.8 if paced else 2.0
    return {
        "cov": {20: 1.0, 38: 1.2, 44: 1.7, 60: heavy, 100: 4.0}[where["clients"]],
        "plain_cov": 0.001 * where["clients"],
        "utilization": 0.95 if reno else 0.97,
        "loss": 0.05 if reno else 0.02,
        "jain_index": 0.99,
        "timeouts_per_dup_ack": 0.02,
        "window_cov": 0.3,
        "joint": 0.1 * where["clients"],
    }


VALUES: Mapping[str, Callable[[Where], Mapping[str, Any]]] = {
    "load": load,
    "RED": lambda at: {"cov": 4.0, "utilization": 0.9, "joint": 5.0 if at["signal"] == "marks" else 3.0},
    "marking": lambda _: {"cov": 3.0, "utilization": 0.95, "joint": 5.0},
    "short FIFO": lambda _: {"cov": 1.5, "utilization": 0.9, "joint": 4.0},
    "apart": lambda _: {"cov": 1.0},
    "changed transfers": lambda at: {"plain_cov": 0.5 if at["link"] == "loaded" else 0.3},
    "queues": lambda at: (
        {"cov": 2.0, "utilization": 0.99, "joint": 9.0}
        if at["queue"] == "FIFO"
        else {"cov": 3.0, "utilization": 0.95, "joint": 2.0}
    ),
    "settings": lambda _: {"cov": 3.0},
    "back-off": lambda at: {"cov": 4 - 4 * at["kept"]},
    "long": lambda _: {"ladder": np.full(len(LONG_SCALES), 2.0)},
    "1 Gb/s": lambda _: {"cov": 3.0},
    "1 Gb/s, 20 ms": lambda _: {"cov": 3.0},
    "beside": lambda at: {"share": {50: 110.0, 417: 100.0, 1500: 95.0}[at["packets"]], "reno_goodput": 1e6},
    "greedy beside": lambda _: {"share": 50.0},
    "transfers": lambda at: {"plain_cov": 0.5 if at["link"] == "loaded" else 0.3},
    **second_world.VALUES,
}
"""The numbers of a run of each part, by its coordinates."""


def _runs() -> Runs:
    parts = {
        part.name: runs_of(
            [spot.where for spot in part.spots],
            VALUES[part.name],
        )
        for part in PAPER.parts()
    }
    return Runs(parts)


RUNS = _runs()
N, R, D, P = Verdict.NOT, Verdict.REVERSED, Verdict.DEPENDS, Verdict.PARTLY


def heavy(names: str, new: float, **at: Any) -> Change:
    return put("load", names, times(new), clients=60, **at)


WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("B-1", N, [put("load", "cov", 1.5, clients=20)]),
    ("B-1", P, [put("load", "cov", 1.5, clients=20, sender=("BBR", "BBRv3"))]),
    ("B-2", N, [put("load", "cov", times(0.8), clients=38)]),
    ("B-3", D, [heavy("cov", 0.2)]),
    ("B-3", R, [heavy("cov", 0.2), put("settings", "cov", times(0.2), setting=tuple(SETTINGS))]),
    ("B-4", R, [heavy("plain_cov", 0.2)]),
    ("B-5", D, [put("1 Gb/s", "cov", times(0.2))]),
    ("B-5", R, [put(("1 Gb/s", "1 Gb/s, 20 ms"), "cov", times(0.2))]),
    ("B-6", R, [put("long", "ladder", times(0.1))]),
    ("B-6", D, [put("long", "ladder", lambda old, _: np.where(np.array(LONG_SCALES) == 10, 1.2, old))]),
    ("B-7", R, [heavy("cov", 0.1, sender="Reno")]),
    ("B-8", R, [heavy("utilization", 1.04, sender="Reno"), heavy("loss", 0.1, sender="Reno")]),
    ("B-9", N, [heavy("window_cov", 0.2)]),
    ("B-10", R, [heavy("joint", 0.01)]),
    ("B-11", R, [put("load", "joint", times(0.01), clients=100)]),
    ("B-12", N, [put("load", "utilization", 0.999, clients=60)]),
    ("B-13", R, [put("RED", "cov", times(0.1), signal="drops")]),
    ("B-14", R, [put("RED", "cov", times(0.1), signal="marks")]),
    ("B-15", R, [put("RED", "utilization", 0.999, signal="drops")]),
    ("B-16", R, [put("queues", "cov", times(0.1), queue=("CoDel", "PIE", "DualPI2"))]),
    ("B-17", N, [put("queues", "utilization", 0.999, queue=ACTIVE)]),
    ("B-18", N, [heavy("jain_index", 0.5)]),
    ("B-19", R, [heavy("loss", 0.1, sender="Reno")]),
    ("B-20", N, [heavy("timeouts_per_dup_ack", 0.1)]),
    ("B-17", P, [put("queues", "utilization", 0.999, queue=ACTIVE, sender="BBR")]),
    ("B-21", R, [put("settings", "cov", 0.5, setting=UNEQUAL)]),
    ("B-21", N, [put("settings", "cov", 1.2, setting=UNEQUAL)]),
    ("B-22", R, [put("load", "cov", 0.5, clients=100)]),
    ("B-22", P, [put("load", "cov", 1.2, clients=100, sender="CUBIC")]),
    ("B-23", R, [put("marking", "cov", 1.0, queue="RED")]),
    ("B-24", R, [put("marking", "cov", 1.0, queue=("CoDel with ECN", "PIE with ECN"))]),
    ("S-1", R, [put("beside", "share", times(0.1), packets=50)]),
    ("S-1", N, [put("beside", "share", times(0.7), packets=50)]),
    ("S-2", R, [put("beside", "share", times(0.1), packets=417)]),
    ("S-3", N, [put("beside", "share", times(0.1), packets=1500)]),
    ("S-4", R, [put("beside", "share", times(0.1), packets=50)]),
    ("S-5", R, [put("beside", "reno_goodput", times(3), packets=50, sender="Reno")]),
    ("S-6", R, [put("greedy beside", "share", times(4), packets=417)]),
    ("S-7", R, [put("transfers", "plain_cov", times(0.1), link="loaded")]),
    ("M-1", N, [put("back-off", "cov", times(4), kept=0.85)]),
    ("M-2", N, [heavy("cov", 3, sender=("Paced Reno", "Paced CUBIC"))]),
    ("M-3", R, [put("queues", "joint", times(9), queue=("CoDel", "PIE", "DualPI2"))]),
    ("M-2", P, [heavy("cov", 3, sender="Paced Reno")]),
    ("M-4", R, [put("RED", "joint", 1.0, signal="marks")]),
    ("M-5", R, [put("RED", "joint", 9.0, signal="drops")]),
    ("M-6", R, [put("short FIFO", "cov", 9.0)]),
    ("M-7", N, [put("apart", "cov", 1.3)]),
    ("M-8", R, [put("changed transfers", "plain_cov", 0.1, change="equal sizes", link="loaded")]),
    ("M-9", R, [put("changed transfers", "plain_cov", 0.1, change="an initial window of 1 packet", link="loaded")]),
    *second_world.WORSE,
]

WORLD = World(paper=PAPER, runs=RUNS, worse=WORSE, derived=derived)
