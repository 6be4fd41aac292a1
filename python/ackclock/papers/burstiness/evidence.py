"""The runs of this study as the heterogeneous study takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackclock.papers.burstiness import ns2
from ackclock.papers.burstiness.experiment import ARRIVALS, BY_NAME, DROPS, Setting, observations_wanted
from ackclock.papers.burstiness.measures import warm_summary
from ackclock.papers.claims import Sides
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.observation import observed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ackclock.papers.core.evidence import Row
    from ackclock.papers.observation import Observation
    from ackclock.study import Wanted

WEIGHTS = (8e-5, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 2e-2)
"""RED's averaging weights that are tried."""

WEIGHT_CLIENTS = 60
"""Clients of the runs with other weights."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The runs of one simulator: the parts of `ackclock.papers.burstiness.study`."""

    grid: Sequence[Observation]
    weights: Mapping[float, Sequence[Observation]] = field(default_factory=dict)
    queues: Sequence[Observation] = ()
    close: Sequence[Observation] = ()
    windows: Sequence[Observation] = ()

    def part(self, name: str) -> Sequence[Row]:
        """Give the runs of a part."""
        part = getattr(self, name, ())
        if isinstance(part, Mapping):
            part = [
                Run(where={**run.where, "weight": weight}, seed=run.seed, values=run.values)
                for weight, runs in part.items()
                for run in runs
            ]
        return Runs({name: part}).part(name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Sides[Side]):
    """Both simulators' runs."""


def grid_wanted(
    cells: Iterable[tuple[str, int]], *, seeds: Iterable[int], setting: Setting | None = None, profile: str = "ns2-2.35"
) -> Wanted[Mapping[str, float | None], list[Observation]]:
    """Ask for cells of the grid, by the name of the variant and the number of clients, with `warm_summary`."""
    return observations_wanted(
        [(BY_NAME[variant], clients) for variant, clients in cells],
        seeds=seeds,
        profile=profile,
        setting=setting,
        record=(ARRIVALS, DROPS),
        take=warm_summary,
    )


def side(runs: Runs) -> Side:
    """Lay out the parts of one simulator."""
    weights: dict[float, list[Observation]] = {}
    for row in runs.part("weights"):
        weights.setdefault(float(row.where["weight"]), []).extend(observed([row]))
    plain = {name: observed(runs.part(name)) for name in ("grid", "queues", "close", "windows")}
    return Side(weights=weights, **plain)


def from_ns2() -> Side:
    """Lay out what ns-2.35 measured."""
    return side(ns2.runs())
