"""Agreement with ns-2 on the whole grid.

``python -m ns2 burstiness`` compares every variant and number of clients that ns-2 ran, with both sets of constants,
and the crossover between 38 and 39 clients. It exits with status 1 if too few points agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.burstiness.agreement import TOLERANCES
from ackclock.papers.burstiness.experiment import DEFINITION, DROPS, DURATION
from ackclock.papers.core.parts import Part, gather
from ackclock.papers.core.table import ns2_runs
from ns2.compared import EXPLAINED, Compared, command, texts

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from ackclock.running.run import Run

SETTLED = 20  # a run with this many drops in its last 10 s has not settled
LEAST_P = 0.01  # largest p-value at which the numbers of settled runs differ

_INTRODUCTION = texts("burstiness")["introduction"].format(explained=EXPLAINED, settled=SETTLED, least=100 * LEAST_P)


def last_drops(run: Run) -> Mapping[str, float | None]:
    """Count the drops in the last 10 s of a run."""
    return {"last_drops": float(np.count_nonzero(run.table("drops")["time"].to_numpy() >= DURATION - 10))}


@dataclass(frozen=True, kw_only=True, slots=True)
class Crossover:
    """Numbers of settled runs and of all runs with Reno over FIFO, in Ackclock and in ns-2."""

    clients: int
    ours: tuple[int, int]
    theirs: tuple[int, int]

    @property
    def p(self) -> float:
        """P-value of the difference between the two shares of settled runs (Fisher's exact test)."""
        from scipy.stats import fisher_exact  # noqa: PLC0415 - slow to load

        table = [[settled, runs - settled] for settled, runs in (self.ours, self.theirs)]
        return float(fisher_exact(np.array(table)).pvalue)

    @property
    def agrees(self) -> bool:
        """Whether the difference may be due to chance."""
        return self.p > LEAST_P


def crossovers(profile: str, part: str, given: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Compare the numbers of settled runs; ns-2's have no 5-s block with 10 drops or more from 185 s on."""
    theirs = ns2_runs("burstiness").part(part)
    counts = (37, 40) if given.quick else sorted({int(row.where["clients"]) for row in theirs})
    spots = [spot for spot in _part("crossover", profile).spots if spot.where["clients"] in counts]
    crossing = Part(name="crossover", spots=spots, take=last_drops, record=[DROPS])
    seeds = range(1, 4 if given.quick else 13)
    ours = gather([crossing], seeds=seeds, jobs=given.jobs, label="crossover").part("crossover")
    found = [
        Crossover(
            clients=n,
            ours=_count([row.values["last_drops"] < SETTLED for row in ours if row.where["clients"] == n]),
            theirs=_count([bool(row.values["settled"]) for row in theirs if row.where["clients"] == n]),
        )
        for n in counts
    ]
    rows = [
        f"| {at.clients} | {at.ours[0]} of {at.ours[1]} | {at.theirs[0]} of {at.theirs[1]} | {at.p:.3f} | "
        f"{'yes' if at.agrees else 'no'} |"
        for at in found
    ]
    head = ["| crossover: clients | settled: Ackclock | ns-2 | p | agrees |", "| ---: | ---: | ---: | ---: | --- |"]
    missed = [f"crossover at {at.clients} clients, p = {at.p:.3f}" for at in found if not at.agrees]
    return ["", *head, *rows], missed


def _count(settled: Sequence[bool]) -> tuple[int, int]:
    return sum(settled), len(settled)


def _part(name: str, profile: str) -> Part:
    (part,) = (part for part in DEFINITION.parts() if part.name == name)
    spots = [replace(spot, scenario=spot.scenario.changed({"profile": profile})) for spot in part.spots]
    return replace(part, spots=spots)


def _quick(where: Mapping[str, Any]) -> bool:
    few = {("UDP", 10), ("Reno", 20), ("Reno", 44), ("Reno/RED", 44), ("Vegas", 60)}
    return (where["variant"], where["clients"]) in few


COMPARED = [
    Compared(
        title=profile,
        study="burstiness",
        part=f"grid{end}",
        again=f"again{end}",
        ours=partial(_part, "grid", profile),
        tolerances=TOLERANCES,
        bar=bar,
        quick=_quick,
        more=partial(crossovers, profile, f"crossover{end}"),
    )
    for profile, end, bar in (("ns2-2.35", "", 0.95), ("ns2-2000", "_2000", 0.90))
]

main = partial(command, _INTRODUCTION, COMPARED, description=__doc__, quick="five points and a short crossover")
