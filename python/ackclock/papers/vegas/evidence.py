"""Which places are run, and what the claims are judged by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from ackclock.papers.claims import Sides
from ackclock.papers.observation import cells_wanted
from ackclock.papers.vegas.experiment import (
    APPLICATIONS,
    BUFFERS,
    GATEWAYS,
    GREEDY,
    OPEN,
    POISSON,
    SHARES,
    STARTS,
    TRANSFERS,
    Gateway,
    Place,
    scenario,
)
from ackclock.papers.vegas.measures import RECORD, Runs, observe
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.study import Batch

__all__ = [
    "IDLE",
    "LIGHT",
    "PAPERS_BUFFERS",
    "PAPERS_SHARES",
    "PLANES",
    "Evidence",
    "gather",
    "halves",
    "line",
    "pairs",
    "papers",
    "places",
    "plane",
    "switched",
]

PLANES: tuple[tuple[int, Gateway], ...] = ((0, "FIFO"), (10, "FIFO"), (10, "RED"))
"""Start and gateway of what is run at every buffer and every share; the rest of the map has half of each kind."""

LIGHT = 0.6
"""The part of the usual load at which Poisson sources leave the link unsaturated: 86 % of its rate."""

IDLE = 0.1
"""The same at which transfers hardly meet each other."""

PAPERS_SHARES = (20, 40)
"""Vegas clients of the 60 at the ends of the papers' curves."""

PAPERS_BUFFERS = (50, 1500)
"""Their gateways."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Sides[Runs]):
    """What the claims are judged by; ns-2 was run at some of the places."""


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


def papers(buffer: int, *, start: int = 1) -> list[Place]:
    """Give the ends of the papers' curves behind a gateway: 20 Vegas clients join 40 of Reno, or 40 join 20."""
    return [
        Place(start=start, buffer=buffer, gateway=gateway, vegas=vegas)
        for gateway, vegas in product(GATEWAYS, PAPERS_SHARES)
    ]


def switched() -> list[Place]:
    """Give the papers' places, and places that differ from others in one thing, to see what that does."""
    early, late = ([place for buffer in PAPERS_BUFFERS for place in papers(buffer, start=start)] for start in (1, 10))
    return [
        *early,
        *late,
        *(replace(place, whole=True) for place in early),
        *(replace(place, ties=True) for place in early),
        *line(Place(load=LIGHT)),
        Place(application=TRANSFERS, load=IDLE),
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
