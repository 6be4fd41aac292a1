"""Synthetic runs in which the questions of papers 4 and 5 have their old answers, and changes that turn these.

`VALUES` and `WORSE` are about the claims on many connections, self-similar traffic and clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.support.worlds import put

from ackclock.papers.today.parts.crowds import SHARES
from ackclock.papers.today.parts.incast import FINE, USUAL
from ackclock.papers.today.parts.many import FULL, NONE, PROCESSING, ROOT
from ackclock.papers.today.senders import THEN, TODAY
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.support.worlds import Change, Where

    from ackclock.papers.core.evidence import Row


def _goodput(flows: int, last: int) -> float:
    return 0.99 if flows < last else 0.9


def _large_pipe(flows: int, capacity: int) -> float:
    window = capacity / flows
    return 8 / (3 * window**2 + 25 * window + 4)


def _t1(where: Where) -> Mapping[str, float]:
    flows = where["connections"]
    loss = _large_pipe(flows, 100) if flows <= 20 else 0.5 * flows / (flows + 145)
    return {"loss": loss, "goodput_share": _goodput(flows, 600), "within": 0.8, "starved": 0.0, "jain_index": 0.9}


def _pipes(where: Where) -> Mapping[str, float]:
    busy = where["change"] == PROCESSING
    return {"correlation": 0.05 if busy else 0.5, "jain_index": 0.97, "starved": 0.1 if busy else 0.4}


def _gigabit(where: Where) -> Mapping[str, float]:
    flows = where["connections"]
    return {
        "loss": _large_pipe(flows, 6666),
        "goodput_share": _goodput(flows, 1000),
        "utilization": 0.97,
        "correlation": 0.5,
        "jain_index": 0.97,
        "within": 0.8,
    }


def _over_self_similar(where: Where) -> Mapping[str, float]:
    best = where["sender"] == THEN.name
    return {"throughput_bps": 10e6 if best else 8e6, "efficiency": 0.99 if best else 0.98}


VALUES: Mapping[str, Callable[[Where], Mapping[str, Any]]] = {
    "many": _t1,
    "pipes": _pipes,
    "short buffer": lambda _: {"utilization": 0.95},
    "distances": lambda _: {"exponent": 1.5},
    "gigabit": _gigabit,
    "self-similar": _over_self_similar,
    "memory": lambda _: {"hurst": 0.8},
    "incast": lambda where: {"slowest": 220.0 if where["floor"] == USUAL else 12.0},
    "crowds": lambda _: {"rates": np.ones(len(SHARES)), "utilization": 1.0, "loss": 0.1},
}
"""The numbers of a run of each part, by its coordinates."""


def _set(part: str, name: str, value: float, sender: Any = TODAY, **at: Any) -> Change:
    return put(part, name, value, sender=sender, **at)


def _linear(_: Any, row: Row) -> float:
    """Make the loss proportional to the number of connections."""
    return 1e-4 * float(row.where["connections"])


N, P, R, D = Verdict.NOT, Verdict.PARTLY, Verdict.REVERSED, Verdict.DEPENDS
WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("N-1", N, [_set("pipes", "correlation", 0.2)]),
    ("N-1", P, [_set("pipes", "correlation", 0.2, sender="CUBIC")]),
    ("N-1", D, [_set("pipes", "correlation", 0.2, change="profile")]),
    ("N-2", N, [_set("gigabit", "correlation", 0.2)]),
    ("N-3", N, [_set("pipes", "correlation", 0.4, change=PROCESSING)]),
    ("N-4", N, [_set("pipes", "jain_index", 0.9)]),
    ("N-4", R, [_set("pipes", "jain_index", 0.4)]),
    ("N-4", D, [_set("pipes", "jain_index", 0.9, change="start times")]),
    ("N-5", N, [_set("gigabit", "jain_index", 0.9)]),
    ("N-5", R, [_set("gigabit", "jain_index", 0.4)]),
    ("N-6", N, [_set("pipes", "starved", 0.05)]),
    ("N-6", D, [_set("pipes", "starved", 0.05, change="longest timeout")]),
    ("N-7", R, [_set("pipes", "starved", 0.6, change=PROCESSING)]),
    ("N-8", N, [put("many", "loss", _linear)]),
    ("N-9", N, [put("gigabit", "loss", _linear)]),
    ("N-10", N, [put("many", "loss", _linear)]),
    ("N-10", N, [_set("many", "loss", 0.01, connections=600)]),
    ("N-11", N, [_set("many", "goodput_share", 0.97, connections=600)]),
    ("N-11", R, [_set("many", "goodput_share", 0.5, connections=20)]),
    ("N-12", N, [_set("gigabit", "goodput_share", 0.97, connections=1000)]),
    ("N-12", R, [_set("gigabit", "goodput_share", 0.5, connections=10)]),
    ("N-13", N, [_set("short buffer", "utilization", 0.8)]),
    ("N-14", N, [_set("gigabit", "utilization", 0.8, buffer=ROOT, connections=100)]),
    ("N-15", N, [_set("distances", "exponent", 0.5)]),
    ("N-15", R, [_set("distances", "exponent", -0.5)]),
    ("N-15", D, [_set("distances", "exponent", 0.5, change=NONE)]),
    ("N-16", N, [_set("distances", "exponent", 2.5)]),
    ("N-16", R, [_set("distances", "exponent", -0.5, network="1 Gb/s")]),
    ("N-17", N, [_set("many", "within", 0.3, connections=lambda flows: flows >= 60)]),
    ("N-18", N, [_set("gigabit", "within", 0.3, buffer=FULL)]),
    ("L-1", N, [_set("self-similar", "throughput_bps", 10e6)]),
    ("L-1", R, [_set("self-similar", "throughput_bps", 20e6)]),
    ("L-1", D, [_set("self-similar", "throughput_bps", 20e6, change="buffer")]),
    ("L-2", N, [_set("self-similar", "efficiency", 0.99)]),
    ("L-2", R, [_set("self-similar", "efficiency", 0.999)]),
    ("L-2", D, [_set("self-similar", "efficiency", 0.999, change="ACK frequency")]),
    ("L-3", N, [_set("memory", "hurst", 0.5, application="constant rate")]),
    ("L-4", N, [_set("memory", "hurst", 0.5, application="greedy")]),
    ("C-1", N, [_set("incast", "slowest", 15, floor=USUAL)]),
    ("C-1", N, [_set("incast", "slowest", 200, floor=FINE)]),
]
