"""What one run of a study shows, and how the runs behind a study's curves are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from ackclock.running.summary import MEASURES
from ackclock.study import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.papers.core.evidence import Row
    from ackclock.running.run import Run
    from ackclock.study import Point, Replication

__all__ = ["Observation", "cells_wanted", "observations_wanted", "observed", "seeds_of", "summary"]

C = TypeVar("C")
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """What one run of one variant showed.

    Parameters
    ----------
    variant
        Name of the variant: the curve that the run is a point of.
    clients
        Number of clients, where that is what runs along the figure.
    seed
        Seed of the run.
    values
        The measured numbers by their names; None where a number has no meaning, such as the timeouts of UDP.

    """

    variant: str
    clients: int
    seed: int
    values: Mapping[str, float | None]

    @property
    def where(self) -> Mapping[str, str | int]:
        """The coordinates of the point."""
        return {"variant": self.variant, "clients": self.clients}


def summary(run: Run) -> Mapping[str, float | None]:
    """Take the summary of a run, number by number."""
    return {name: getattr(run.summary, name) for name in MEASURES}


def observed(rows: Iterable[Row]) -> list[Observation]:
    """Take rows of evidence by variant and number of clients."""
    return [
        Observation(
            variant=str(row.where["variant"]), clients=int(row.where["clients"]), seed=row.seed, values=row.values
        )
        for row in rows
    ]


def seeds_of(runs: Sequence[Observation]) -> int:
    """Count the seeds of some runs."""
    return len({run.seed for run in runs})


def cells_wanted(
    cells: Sequence[C],
    *,
    point: Callable[[C], Point],
    seeds: Iterable[int],
    take: Callable[[Run], T],
    make: Callable[[list[tuple[C, list[Replication[T]]]]], R],
    record: Sequence[str] = (),
) -> Wanted[T, R]:
    """Ask for cells of a grid.

    Parameters
    ----------
    cells
        Whatever names a place of the grid.
    point
        Gives what is simulated there.
    make
        What becomes of the cells, in their order, each with its runs in the order of the seeds.
    seeds, take, record
        As for `ackclock.study.Wanted`.

    """
    seeds = list(seeds)

    def gathered(runs: list[Replication[T]]) -> R:
        rest = iter(runs)
        return make([(cell, list(islice(rest, len(seeds)))) for cell in cells])

    return Wanted(points=[point(cell) for cell in cells], seeds=seeds, take=take, record=record, make=gathered)


def observations_wanted(
    cells: Sequence[C],
    *,
    where: Callable[[C], tuple[str, int]],
    point: Callable[[C], Point],
    seeds: Iterable[int],
    take: Callable[[Run], Mapping[str, float | None]] = summary,
    record: Sequence[str] = (),
) -> Wanted[Mapping[str, float | None], list[Observation]]:
    """Ask for observations of cells, in the order of the cells and, within a cell, of the seeds.

    Parameters
    ----------
    where
        Gives the variant and the number of clients of a cell.
    cells, point, seeds, take, record
        As for `cells_wanted`.

    """
    return cells_wanted(
        cells,
        point=point,
        seeds=seeds,
        take=take,
        make=lambda ran: [
            Observation(variant=variant, clients=clients, seed=run.seed, values=run.value)
            for cell, runs in ran
            for variant, clients in [where(cell)]
            for run in runs
        ],
        record=record,
    )
