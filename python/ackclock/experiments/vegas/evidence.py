"""Which places are run, and what the claims are judged by."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from ackclock.experiments.observation import cells_wanted
from ackclock.experiments.vegas.experiment import (
    APPLICATIONS,
    BUFFERS,
    GATEWAYS,
    GREEDY,
    OPEN,
    POISSON,
    SHARES,
    STARTS,
    Gateway,
    Place,
    scenario,
)
from ackclock.experiments.vegas.measures import RECORD, Runs, observe
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.study import Batch

__all__ = ["LIGHT", "PLANES", "gather", "halves", "line", "pairs", "places", "plane", "switched"]

PLANES: tuple[tuple[int, Gateway], ...] = ((0, "FIFO"), (10, "FIFO"), (10, "RED"))
"""Start and gateway of what is run at every buffer and every share; the rest of the map has half of each kind."""

LIGHT = 0.6
"""The part of the usual load at which Poisson sources leave the link unsaturated: 86 % of its rate."""


def plane(application: str, start: int, gateway: Gateway) -> list[Place]:
    """Give the places over buffer and share, shares first."""
    return [
        Place(application=application, start=start, gateway=gateway, vegas=vegas, buffer=buffer)
        for vegas, buffer in product(SHARES, BUFFERS)
    ]


def line(place: Place) -> list[Place]:
    """Give the same place at every buffer."""
    return [replace(place, buffer=buffer) for buffer in BUFFERS]


def halves() -> list[Place]:
    """Give the places with as many Vegas clients as Reno clients: every application, start, gateway and buffer."""
    return [
        place
        for application, start, gateway in product(APPLICATIONS, STARTS, GATEWAYS)
        for place in line(Place(application=application, start=start, gateway=gateway))
    ]


def pairs() -> list[Place]:
    """Give the places of one against one: greedy at every start, the other applications after 10 s."""
    which = [(OPEN, start) for start in STARTS]
    which += [(application, 10) for application in APPLICATIONS if application not in (OPEN, GREEDY)]
    return [
        place
        for (application, start), gateway in product(which, GATEWAYS)
        for place in line(Place(application=application, start=start, gateway=gateway, pair=True))
    ]


def switched() -> list[Place]:
    """Give the places that differ from others in one thing, which may be why those came out as they did."""
    papers = [Place(start=1, buffer=buffer, gateway=gateway) for buffer in (50, 1500) for gateway in GATEWAYS]
    return [
        *line(Place(load=LIGHT)),
        *(replace(place, whole=True) for place in papers),
        *(replace(place, ties=True) for place in papers),
        *(
            replace(place, base_rtt="minimum")
            for application, start in product((POISSON, OPEN), (0, 10))
            for place in line(Place(application=application, start=start))
        ),
    ]


def places() -> list[Place]:
    """Give every place that is run, each once."""
    planes = [place for application in APPLICATIONS for where in PLANES for place in plane(application, *where)]
    return list(dict.fromkeys([*planes, *halves(), *pairs(), *switched()]))


def gather(batch: Batch, *, seeds: Sequence[int], where: Sequence[Place] | None = None) -> Callable[[], Runs]:
    """Ask for runs.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs.
    where
        The places; all of `places` by default.

    Returns
    -------
    Callable
        Gives the runs once the batch has made them.

    """
    return batch.add(
        cells_wanted(
            list(where or places()),
            point=lambda place: Point(name=place.name, scenario=scenario(place), work=place.duration),
            seeds=seeds,
            take=observe,
            make=lambda ran: {place: [run.value for run in runs] for place, runs in ran},
            record=RECORD,
        )
    )
