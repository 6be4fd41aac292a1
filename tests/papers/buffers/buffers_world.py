"""Synthetic runs for which every claim on router buffers holds, and what makes each claim fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.worlds import World, put

from ackclock.papers.buffers.study import PAPER
from ackclock.papers.core.evidence import Run, Runs
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.worlds import Change


def world(variant: str, packets: int) -> float:
    """Return a utilization for which every claim holds."""
    enough = {"1 flow": 400, "4 flows": 200, "16 flows": 100, "64 flows": 50, "64 flows, equal delays": 400}[variant]
    return 100.0 if packets >= enough else 100.0 - 20 * (1 - packets / enough)


RUNS = Runs(
    {
        part.name: [
            Run(
                where=spot.where,
                seed=seed,
                values={
                    "utilization": world(str(spot.where["variant"]), int(spot.where["packets"])) + 0.001 * seed,
                    "loss": 0.1,
                },
            )
            for spot in part.spots
            for seed in (1, 2, 3)
        ]
        for part in PAPER.definition.parts()
    }
)


def utilization(value: float, **at: Any) -> Change:
    return put(list(RUNS.parts), "utilization", lambda _, run: value + 0.001 * run.seed, **at)


N = Verdict.NOT
WORSE: list[tuple[str, Verdict, Sequence[Change]]] = [
    ("2-1", N, [utilization(90, variant="1 flow", packets=400)]),
    ("2-2", N, [utilization(100, variant="1 flow")]),
    ("3-1", N, [utilization(95, variant=("4 flows", "16 flows"))]),
    ("3-2", N, [utilization(100, variant="64 flows, equal delays")]),
]

WORLD = World(paper=PAPER, runs=RUNS, worse=WORSE)
