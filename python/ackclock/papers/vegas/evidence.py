"""The places of the map that are run, and the parts of the study to which they belong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import Any

from ackclock.analysis import Interval, student_interval
from ackclock.papers.core.evidence import Row, Run, Runs, Scalar
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.vegas.experiment import (
    APPLICATIONS,
    BUFFERS,
    DEFINITION,
    GATEWAYS,
    OPEN,
    POISSON,
    SHARES,
    STARTS,
    TRACE,
    TRANSFERS,
    Gateway,
    Place,
    scenario,
)
from ackclock.papers.vegas.measures import RECORD, observe

Values = Mapping[str, float | None]
ByPlace = Mapping[Place, Sequence[Values]]
Located = list[tuple[Place, Mapping[str, Scalar]]]

PLANES: tuple[tuple[int, Gateway], ...] = ((0, "FIFO"), (10, "FIFO"), (10, "RED"))
"""Start and gateway of the planes of the map, which have every buffer and every share of Vegas clients. In all other
parts, half of the clients run Vegas."""

LIGHT = 0.6  # share of the usual load at which Poisson sources use only 86 % of the link's rate

IDLE = 0.1  # share of the usual load at which transfers rarely overlap

PAPERS_SHARES = (20, 40)  # Vegas clients of the 60 at the ends of the papers' curves

PAPERS_BUFFERS = (50, 1500)

SHORT, LONG = "start into a short queue", "start into a long queue"
WHOLE, TIED, LEAST = "measured from 0 s", "no processing time", "least sample as base RTT"
FEW = "60 packets/s"  # like the constants above: the value of the axis that distinguishes a part from the others


def line(place: Place) -> list[Place]:
    """Return a place with every buffer."""
    return [replace(place, buffer=buffer) for buffer in BUFFERS]


def grid(**axes: Sequence[Any]) -> list[Place]:
    """Return the places with all combinations of some coordinates; the last coordinate varies fastest."""
    return [Place(**dict(zip(axes, values, strict=True))) for values in product(*axes.values())]


def plane(application: str, start: int, gateway: Gateway) -> list[Place]:
    """Return the places of a plane: for each share of Vegas clients, every buffer."""
    return grid(application=[application], start=[start], gateway=[gateway], vegas=SHARES, buffer=BUFFERS)


def papers(*buffers: int, start: int = 1) -> list[Place]:
    """Return the ends of the papers' curves with both gateways: 20 Vegas clients join 40 Reno ones, or 40 join 20."""
    return grid(start=[start], buffer=buffers, gateway=GATEWAYS, vegas=PAPERS_SHARES)


def parts() -> dict[str, Located]:
    """Return the places of each part, with their coordinates in the part.

    ``map`` has the planes; ``halves`` has as many Vegas clients as Reno clients; ``pairs`` has one client of each kind,
    with greedy sources at every start and other sources after 10 s; ``papers`` has the ends of the papers' curves;
    ``arrivals`` has pairs of places, of which one has a longer queue when Vegas starts. Other parts change one setting.
    """
    early, late = (papers(*PAPERS_BUFFERS, start=start) for start in (1, 10))
    half, curves = ("application", "start", "gateway", "buffer"), ("gateway", "vegas", "buffer")
    along: dict[str, Sequence[Any]] = {"gateway": GATEWAYS, "buffer": BUFFERS}
    pairs = [
        *grid(pair=[True], application=[OPEN], start=STARTS, **along),
        *grid(pair=[True], application=[POISSON, TRANSFERS, TRACE], **along),
    ]
    least = grid(base_rtt=["minimum"], application=[POISSON, OPEN], start=[0, 10], buffer=BUFFERS)
    return {
        "map": _part(
            (place for application in APPLICATIONS for one in PLANES for place in plane(application, *one)),
            *("application", "start", *curves),
        ),
        "halves": _part(grid(application=APPLICATIONS, start=STARTS, **along), *half),
        "pairs": _part(pairs, *half),
        "papers": _part([*early, *late], "start", *curves),
        "whole": _part((replace(place, whole=True) for place in early), *curves, measured=WHOLE),
        "ties": _part((replace(place, ties=True) for place in early), *curves, senders=TIED),
        "light": _part(grid(load=[LIGHT], buffer=BUFFERS), "buffer", rate=FEW),
        "idle": _part([Place(application=TRANSFERS, load=IDLE)]),
        "least": _part(least, "application", "start", "buffer", base=LEAST),
        "arrivals": [
            (place, {"case": case, "queue": queue})
            for case, places in _ARRIVALS.items()
            for queue, place in zip((SHORT, LONG), places, strict=True)
        ],
    }


def _arrivals(starts: Sequence[int], **where: Any) -> list[Place]:
    """Return two places: at the first Vegas starts into a short queue, at the second into a long queue."""
    return [Place(start=start, **where) for start in starts]


_ARRIVALS = {case: _arrivals(**given) for case, given in DEFINITION.table("arrivals").items()}


def _part(places: Iterable[Place], *axes: str, **common: str) -> Located:
    return [(place, {axis: getattr(place, axis) for axis in axes} | common) for place in places]


def places() -> list[Place]:
    """Return every place that is run, without duplicates."""
    return list(dict.fromkeys(place for part in parts().values() for place, _ in part))


def runs_at(places: Iterable[Place]) -> Part:
    """Make the part of the study that has these places, with all their coordinates."""
    spots = [Spot(where=asdict(place), scenario=scenario(place)) for place in places]
    return Part(name="places", spots=spots, take=observe, record=RECORD)


def by_place(runs: Runs) -> ByPlace:
    """Return the values of the runs at each place, in the order of the seeds."""
    found: dict[Place, list[Values]] = {}
    for row in runs.part("places"):
        found.setdefault(Place(**row.where), []).append(row.values)  # type: ignore[arg-type]
    return found


def by_part(runs: Runs) -> Runs:
    """Add the parts that rules and figures use to the part with all places."""
    there: dict[Place, list[Row]] = {}
    for row in runs.part("places"):
        there.setdefault(Place(**row.where), []).append(row)  # type: ignore[arg-type]
    asked = {
        name: [
            Run(where=where, seed=row.seed, values=row.values)
            for place, where in places
            for row in there.get(place, ())
        ]
        for name, places in parts().items()
    }
    return Runs({**runs.parts, **asked})


def interval(runs: ByPlace, place: Place, measure: str = "ratio") -> Interval:
    """Return the mean of a measure at a place over the seeds, with its 95 % interval; LookupError if no run has it."""
    numbers = [number for run in runs[place] if (number := run.get(measure)) is not None]
    if not numbers:
        raise LookupError(f"{place.name}: no run has {measure}")
    return student_interval(numbers)
