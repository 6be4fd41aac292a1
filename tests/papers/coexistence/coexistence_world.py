"""Synthetic runs for which every claim on pairs of laws holds, and what makes each claim fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.worlds import World, changed, put, runs_of

from ackclock.papers.coexistence.claims import modelled
from ackclock.papers.coexistence.experiment import KERNEL, both_ways, parts
from ackclock.papers.coexistence.study import PAPER
from ackclock.papers.core.evidence import Runs
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.worlds import Change

STRONG = {"Vegas": 1.0, "Copa": 6.0, "Reno": 9.0, "CUBIC": 10.0, "Prague": 10.0}
"""Weights of laws in a world in which shares follow from weights; those of BBR depend on the buffer."""


def weight(law: str, size: float | str | None) -> float:
    if law in STRONG:
        return STRONG[law]
    return 90.0 if not isinstance(size, int | float) or size <= 1 else 9.0


def world(part: str, where: Mapping[str, Any]) -> dict[str, float]:
    """Return numbers for which every claim holds."""
    values = {"utilization": 99.0, "loss": 0.5, "p50": 50.0, "p95": 60.0}
    if part == "alone":
        return {**values, "first_goodput": 99.0, "p50": 3.0}
    if part == "six":
        small = where["BDP"] == 0.8
        return {**values, "first_goodput": 16.0, "loss": 10.0 if where["law"] == "BBR" and small else 0.2}
    if part == "model":
        share = modelled(where["BDP"])
    elif part == "kernel":
        share = KERNEL[where["packets"]]
    elif part == "crowd":
        share = 40.0
    elif where.get("queue") == "FQ-CoDel":
        share = 50.0
    elif where.get("queue") == "DualPI2" and part == "queues, distance":
        share = 75.0
    elif part.startswith("distance"):
        share = 30.0
    else:
        ours, theirs = (weight(where[law], where.get("BDP")) for law in ("first", "second"))
        share = 100 * ours / (ours + theirs)
    return {
        **values,
        "first_goodput": 0.99 * share,
        "second_goodput": 99 - 0.99 * share,
        "share": share,
        "total": share,
    }


def share(part: str, value: float, **at: Any) -> Change:
    """Return a function that changes a share, and the goodputs accordingly."""
    changes = {"share": value, "total": value, "first_goodput": 0.99 * value, "second_goodput": 99 - 0.99 * value}

    def change(runs: Runs) -> Runs:
        return changed(runs, [put(part, name, number, **at) for name, number in changes.items()])

    return change


N = Verdict.NOT

WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("H-1", N, [put("six", "loss", 1.0, law="BBR", BDP=0.8)]),
    ("H-2", N, [put("six", "loss", 2.0, law="CUBIC", BDP=0.8)]),
    ("H-3", N, [put("six", "p50", 90.0, law="BBR", BDP=8)]),
    ("H-4", N, [share("distance", 60.0, first="BBR", second="BBR")]),
    ("H-5", N, [share("buffers", 40.0, first="CUBIC", second="BBR")]),
    ("H-6", N, [share("buffers", 30.0, first="CUBIC", second="BBR")]),
    ("W-1", N, [put("model", "total", 10.0)]),
    ("W-2", N, [put("crowd", "total", 10.0)]),
    ("W-3", N, [share("buffers", 60.0, first="CUBIC", second="BBR")]),
    ("K-1", N, [put("kernel", "total", 30.0)]),
    ("C-1", N, [put("alone", "p50", 20.0, law="Copa")]),
    ("C-2", N, [share("buffers", 95.0, first="CUBIC", second="Copa")]),
    ("D-1", N, [share("queues", 80.0, first="CUBIC", second="Prague")]),
    ("D-2", N, [share("queues, distance", 50.0, first="Prague", second="CUBIC")]),
    ("R-3", N, [share("queues, distance", 70.0, queue="FQ-CoDel")]),
    ("R-1", N, [share("buffers", 20.0, first="Reno", second="CUBIC")]),
    ("R-2", N, [share("queues", 70.0, queue="FQ-CoDel")]),
    ("O-1", N, [share("buffers", 10.0, first="CUBIC", second="Vegas")]),
    ("O-2", N, [share("queues", 50.0, first="CUBIC", second="BBR")]),
]

RUNS = Runs(
    {
        part.name: runs_of(
            [spot.where for spot in part.spots],
            lambda where, part=part.name: world(part, where),  # type: ignore[misc]
            factor=lambda seed: 1 + 0.0001 * (seed - 2),
        )
        for part in parts()
    }
)
WORLD = World(paper=PAPER, runs=RUNS, worse=WORSE, derived=both_ways)
