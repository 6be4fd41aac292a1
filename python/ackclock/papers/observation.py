"""Observations of runs, and requests for the runs of a study's curves."""

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
    """The measured numbers of a run.

    Parameters
    ----------
    variant
        Name of the variant, and so of the run's curve.
    clients
        Number of clients, the x coordinate.
    seed
        Seed of the run.
    values
        The measured numbers by name; None if a number is undefined, such as the timeouts of UDP.

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
    """Return the numbers of a run's summary."""
    return {name: getattr(run.summary, name) for name in MEASURES}


def observed(rows: Iterable[Row]) -> list[Observation]:
    """Convert rows of evidence with variant and number of clients."""
    return [
        Observation(
            variant=str(row.where["variant"]), clients=int(row.where["clients"]), seed=row.seed, values=row.values
        )
        for row in rows
    ]


def seeds_of(runs: Sequence[Observation]) -> int:
    """Count the seeds of runs."""
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
    """Request the runs of a grid's cells.

    Parameters
    ----------
    cells
        Keys of the cells.
    point
        Returns the scenario of a cell.
    make
        Computes the result from the cells in order, each with its runs in the order of the seeds.
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
    """Request observations of cells, ordered by cell and seed.

    Parameters
    ----------
    where
        Returns the variant and the number of clients of a cell.
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
