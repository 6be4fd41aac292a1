"""All that the claims are judged by: the grid of the figures, and runs in which one thing is chosen otherwise.

Both sides have the same shape, so that what is said of our runs is said of ns-2's by the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness import ns2
from ackclock.papers.burstiness.close import looks_wanted
from ackclock.papers.burstiness.experiment import (
    ARRIVALS,
    BY_NAME,
    CLIENTS,
    DROPS,
    DURATION,
    HEAVY,
    Setting,
    observations_wanted,
)
from ackclock.papers.burstiness.measures import SETTLED_BY, warm_summary
from ackclock.papers.burstiness.pushes import pushes_wanted
from ackclock.papers.burstiness.starts import starts_wanted
from ackclock.papers.burstiness.window_figures import WINDOW_FIGURES
from ackclock.papers.claims import Sides
from ackclock.papers.core.evidence import Run, Runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ackclock.papers.burstiness.courses import Courses
    from ackclock.papers.core.evidence import Row
    from ackclock.papers.observation import Observation
    from ackclock.running.run import Run as Running
    from ackclock.study import Batch, Wanted

__all__ = [
    "ROOM",
    "ROOMY_CLIENTS",
    "SETTLED_BY",
    "WEIGHTS",
    "Evidence",
    "Side",
    "from_ns2",
    "gather",
    "grid_wanted",
    "settle_time",
]

WEIGHTS = (8e-5, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 2e-2)
"""RED's averaging weights that are tried, `RED_WEIGHT` among them."""

WEIGHT_CLIENTS = 60
"""Clients of the runs with other weights."""

TIE_CLIENTS = (44, 60)
"""Client counts of the runs without processing time."""

ROOM = 3
"""Packets a client that the large gateway has room for: Vegas' beta."""

ROOMY_CLIENTS = (50,)
"""Client counts of the runs with it."""

CROSSOVER_CLIENTS = (37, 38, 39, 40)
CROSSOVER_SEEDS = 12

_BLOCK = 5
"""Seconds of the blocks that tell when loss has ended."""

_BUSY = 10
"""Drops within one of them that say it has not."""

WINDOWS = [(figure.variant, figure.clients) for figure in WINDOW_FIGURES]
"""Variant and number of clients of each figure of windows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The runs of one simulator.

    Parameters
    ----------
    grid
        All variants and client counts, with what `warm_summary` takes.
    weights
        Reno/RED and Vegas/RED at `WEIGHT_CLIENTS`, by RED's weight.
    minimum
        Vegas with `base_rtt = minimum` at `HEAVY`; none of ns-2, which has no such rule.
    ties
        Reno and Vegas without processing time, so that exact ties decide.
    roomy
        Reno and Vegas with room for `ROOM` packets a client in the gateway.
    crossover
        Reno around 38 clients, with `settle_time`.
    queues
        Runs that know `queue_mean`.
    close
        Runs that were looked at closely: shares of time above RED's upper threshold, dependence of window cuts,
        sequences of losses.
    windows
        Runs of the figures of windows, with what the three clients' windows did.
    starts
        Runs of the first second, with what waits in the clients and how they send it.
    pushes
        Runs of Vegas/RED, with what it sends for duplicate ACKs.
    close_weights
        Reno/RED and Vegas/RED looked at closely at the smallest and the largest of `WEIGHTS`.

    """

    grid: Sequence[Observation]
    weights: Mapping[float, Sequence[Observation]] = field(default_factory=dict)
    minimum: Sequence[Observation] = ()
    ties: Sequence[Observation] = ()
    roomy: Sequence[Observation] = ()
    crossover: Sequence[Observation] = ()
    queues: Sequence[Observation] = ()
    close: Sequence[Observation] = ()
    windows: Sequence[Observation] = ()
    starts: Sequence[Observation] = ()
    pushes: Sequence[Observation] = ()
    close_weights: Mapping[float, Sequence[Observation]] = field(default_factory=dict)

    def part(self, name: str) -> Sequence[Row]:
        """Give the runs of a part."""
        part = getattr(self, name)
        if isinstance(part, Mapping):
            part = [
                Run(where={**run.where, "weight": weight}, seed=run.seed, values=run.values)
                for weight, runs in part.items()
                for run in runs
            ]
        return Runs({name: part}).part(name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Sides[Side]):
    """What the claims of this paper are judged by."""


def grid_wanted(
    cells: Iterable[tuple[str, int]], *, seeds: Iterable[int], setting: Setting | None = None, profile: str = "ns2-2.35"
) -> Wanted[Mapping[str, float | None], list[Observation]]:
    """Ask for cells with what the claims need: the summary, and what it would be without the start-up.

    Parameters
    ----------
    cells
        Name of the variant and number of clients of each.
    seeds, setting, profile
        As for `observations_wanted`.

    """
    return observations_wanted(
        [(BY_NAME[variant], clients) for variant, clients in cells],
        seeds=seeds,
        profile=profile,
        setting=setting,
        record=(ARRIVALS, DROPS),
        take=warm_summary,
    )


def gather(
    batch: Batch,
    *,
    looks: Callable[[], Sequence[Observation]],
    courses: Callable[[], Iterable[Courses]],
    seeds: Sequence[int],
) -> Callable[[], Side]:
    """Ask for all that the claims need: the grid of the figures, and the runs in which one thing is chosen otherwise.

    Parameters
    ----------
    batch
        Where to ask.
    looks, courses
        What the batch will give for the closer look and for the figures of windows.
    seeds
        The seeds of the runs; the crossover has seeds of its own.

    Returns
    -------
    Callable
        Gives the side once the batch has run.

    """
    both, reds = ("Reno", "Vegas"), ("Reno/RED", "Vegas/RED")
    grid = batch.add(grid_wanted(product(BY_NAME, CLIENTS), seeds=seeds))
    minimum = batch.add(grid_wanted(product(["Vegas"], HEAVY), seeds=seeds, setting=Setting(base_rtt="minimum")))
    ties = batch.add(grid_wanted(product(both, TIE_CLIENTS), seeds=seeds, setting=Setting(overhead="0 s")))
    roomy = [
        batch.add(grid_wanted(product(both, [clients]), seeds=seeds, setting=Setting(buffer=ROOM * clients)))
        for clients in ROOMY_CLIENTS
    ]
    crossover = batch.add(
        observations_wanted(
            [(BY_NAME["Reno"], clients) for clients in CROSSOVER_CLIENTS],
            seeds=range(1, CROSSOVER_SEEDS + 1),
            record=(DROPS,),
            take=settle_time,
        )
    )
    starts, pushes = batch.add(starts_wanted(seeds=seeds)), batch.add(pushes_wanted(seeds=seeds))
    weights = {
        weight: batch.add(grid_wanted(product(reds, [WEIGHT_CLIENTS]), seeds=seeds, setting=Setting(red_weight=weight)))
        for weight in WEIGHTS
    }
    close_weights = {
        weight: batch.add(
            looks_wanted(
                [(BY_NAME[name], WEIGHT_CLIENTS) for name in reds], seeds=seeds, setting=Setting(red_weight=weight)
            )
        )
        for weight in (min(WEIGHTS), max(WEIGHTS))
    }

    return lambda: Side(
        grid=grid(),
        weights={weight: runs() for weight, runs in weights.items()},
        minimum=minimum(),
        ties=ties(),
        roomy=[run for runs in roomy for run in runs()],
        crossover=crossover(),
        queues=grid(),
        close=looks(),
        windows=[run for place in courses() for run in place.runs],
        starts=starts(),
        pushes=pushes(),
        close_weights={weight: runs() for weight, runs in close_weights.items()},
    )


def settle_time(run: Running) -> Mapping[str, float | None]:
    """Tell when loss had ended: the end of the last 5-s block with 10 drops or more, in s; 0 if there is none.

    As in ns-2's file, a run has settled whose loss had ended by `SETTLED_BY`.
    """
    drops, _ = np.histogram(run.table("drops")["time"].to_numpy(), bins=np.arange(0, DURATION + _BLOCK, _BLOCK))
    busy = np.flatnonzero(drops >= _BUSY)
    return {"settle_time": float(_BLOCK * (busy[-1] + 1)) if busy.size else 0.0}


def from_ns2() -> Side:
    """Lay out what ns-2.35 measured."""
    weights: dict[float, list[Observation]] = {}
    for run in ns2.side_runs("red_weight"):
        if run.clients == WEIGHT_CLIENTS:
            weights.setdefault(run.values["weight"] or 0, []).append(run)
    return Side(
        grid=ns2.observations("ns2-2.35"),
        weights=weights,
        ties=ns2.side_runs("ties"),
        crossover=ns2.side_runs("crossover", variant="Reno"),
        queues=ns2.side_runs("queue"),
        close=ns2.synchronisation(),
        windows=[run for place in WINDOWS for run in ns2.courses(*place).runs],
    )
