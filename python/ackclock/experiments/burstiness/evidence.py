"""All that the claims are judged by: the grid of the figures, and runs in which one thing is chosen otherwise.

Both sides have the same shape, so that what is said of our runs is said of ns-2's by the same words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ackclock.experiments.burstiness import ns2
from ackclock.experiments.burstiness.close import observe_close
from ackclock.experiments.burstiness.experiment import (
    BY_NAME,
    DURATION,
    HEAVY,
    RED_WEIGHT,
    Observation,
    Setting,
    observe,
)
from ackclock.experiments.burstiness.measures import warm_summary
from ackclock.experiments.burstiness.pushes import observe_pushes
from ackclock.experiments.burstiness.starts import observe_starts
from ackclock.experiments.burstiness.window_figures import WINDOW_FIGURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.experiments.burstiness.close import CloseLook
    from ackclock.experiments.burstiness.courses import Courses
    from ackclock.run import Run

__all__ = [
    "ROOM",
    "ROOMY_CLIENTS",
    "SETTLED_BY",
    "WEIGHTS",
    "Evidence",
    "Side",
    "from_ns2",
    "gather",
    "observe_grid",
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
SETTLED_BY = 185
"""Seconds by which loss must have ended in a run that has settled."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What the claims are judged by.

    Parameters
    ----------
    ours
        Our runs: they alone decide.
    ns2
        What ns-2 measured of the same; told beside it.

    """

    ours: Side
    ns2: Side


def observe_grid(
    cells: Sequence[tuple[str, int]],
    *,
    seeds: Iterable[int],
    setting: Setting | None = None,
    jobs: int | None = None,
    label: str = "burstiness",
) -> list[Observation]:
    """Run cells and take what the claims need: the summary, and what it would be without the start-up.

    Parameters
    ----------
    cells
        Name of the variant and number of clients of each.
    seeds, setting, jobs, label
        As for `observe`.

    """
    return observe(
        [(BY_NAME[variant], clients) for variant, clients in cells],
        seeds=seeds,
        setting=setting,
        record=("arrivals", "drops"),
        take=warm_summary,
        jobs=jobs,
        label=label,
    )


def gather(
    grid: Sequence[Observation],
    *,
    close: Iterable[CloseLook],
    courses: Iterable[Courses],
    seeds: Sequence[int],
    jobs: int | None = None,
) -> Side:
    """Add to the grid the runs in which one thing is chosen otherwise.

    Parameters
    ----------
    grid, close, courses
        The runs of the figures' grid, of the closer look and of the figures of windows; they are not made again.
    seeds
        The seeds of the runs to add; the crossover has seeds of its own.
    jobs
        How many runs at once; one for each processor by default.

    """
    weights: dict[float, Sequence[Observation]] = {
        RED_WEIGHT: [run for run in grid if run.variant.endswith("/RED") and run.clients == WEIGHT_CLIENTS]
    }
    for weight in WEIGHTS:
        if weight != RED_WEIGHT:
            cells = [("Reno/RED", WEIGHT_CLIENTS), ("Vegas/RED", WEIGHT_CLIENTS)]
            setting = Setting(red_weight=weight)
            weights[weight] = observe_grid(
                cells, seeds=seeds, setting=setting, jobs=jobs, label=f"RED's weight {weight:g}"
            )
    return Side(
        grid=grid,
        weights=dict(sorted(weights.items())),
        minimum=observe_grid(
            [("Vegas", clients) for clients in HEAVY],
            seeds=seeds,
            setting=Setting(base_rtt="minimum"),
            jobs=jobs,
            label="Vegas' other base_rtt",
        ),
        ties=observe_grid(
            list(product(("Reno", "Vegas"), TIE_CLIENTS)),
            seeds=seeds,
            setting=Setting(overhead="0 s"),
            jobs=jobs,
            label="exact ties",
        ),
        roomy=[
            run
            for clients in ROOMY_CLIENTS
            for run in observe_grid(
                [("Reno", clients), ("Vegas", clients)],
                seeds=seeds,
                setting=Setting(buffer=ROOM * clients),
                jobs=jobs,
                label="larger gateway",
            )
        ],
        crossover=observe(
            [(BY_NAME["Reno"], clients) for clients in CROSSOVER_CLIENTS],
            seeds=range(1, CROSSOVER_SEEDS + 1),
            record=("drops",),
            take=settle_time,
            jobs=jobs,
            label="crossover",
        ),
        queues=grid,
        close=_observations(close),
        windows=[run for place in courses for run in place.runs],
        starts=observe_starts(seeds=seeds, jobs=jobs),
        pushes=observe_pushes(seeds=seeds, jobs=jobs),
        close_weights={
            weight: _observations(
                observe_close(
                    [(BY_NAME[name], WEIGHT_CLIENTS) for name in ("Reno/RED", "Vegas/RED")],
                    seeds=seeds,
                    setting=Setting(red_weight=weight),
                    jobs=jobs,
                )
            )
            for weight in (min(WEIGHTS), max(WEIGHTS))
        },
    )


def _observations(looks: Iterable[CloseLook]) -> list[Observation]:
    return [Observation(variant=run.variant, clients=run.clients, seed=run.seed, values=run.values) for run in looks]


def settle_time(run: Run) -> Mapping[str, float | None]:
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
