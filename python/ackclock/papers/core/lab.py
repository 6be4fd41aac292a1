"""Links from the figures of a study to the lab, each with the scenario of one of the figure's runs.

A figure does not list its runs: it is drawn from quantities, or by a function. So the runs are watched: those whose
values are read while a figure is drawn are the runs of the figure.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ackclock.lab.document import document, in_python
from ackclock.papers.core.evidence import Row, Run, Runs, Scalar
from ackclock.papers.core.parts import Part, Spot
from ackclock.scenario import Scenario

PAGE = "lab.html"
"""Name of the lab's page in the folder of a study."""

_LONGEST = 32_000
"""Longest link. The scenario of a longer one has much data, such as a trace."""


@dataclass(frozen=True, kw_only=True)
class _Watched(Run):
    """A run that reports when its values are read."""

    read: Callable[[], None]

    def __getattribute__(self, name: str) -> Any:
        if name == "values":
            object.__getattribute__(self, "read")()
        return object.__getattribute__(self, name)


Place = tuple[str, frozenset[tuple[str, "Scalar"]]]
"""A part and the coordinates of a point."""


@dataclass
class Lab:
    """The points of a study, and the points that have been read since the last link."""

    spots: Mapping[Place, Spot]
    seen: dict[Place, None] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Lab:
        """Collect the points of parts."""
        return cls({_place(part.name, spot.where): spot for part in parts for spot in part.spots})

    def watched(self, runs: Runs) -> Runs:
        """Return the runs, which are noted from now on when their values are read."""
        return Runs({name: [self._watched(name, row) for row in rows] for name, rows in runs.parts.items()})

    def _watched(self, part: str, row: Row) -> Row:
        place = _place(part, row.where)
        if place not in self.spots:
            return row
        return _Watched(where=row.where, seed=row.seed, values=row.values, read=lambda: self.seen.setdefault(place))

    def link(self, title: str) -> tuple[str, str] | None:
        """Return a link to the point in the middle of those that were read, with its coordinates as text.

        Points with a law or a queue discipline in Python do not count, since the page cannot run them.
        """
        read = [spot for place, spot in self.spots.items() if place in self.seen and not any(in_python(spot.scenario))]
        self.seen.clear()
        if not read:
            return None
        spot = read[len(read) // 2]
        address = lab_address(spot.scenario, name=f"{title}: {spot.name}" if spot.name else title)
        return None if len(address) > _LONGEST else (f"{PAGE}#{address}", spot.name)


def _place(part: str, where: Mapping[str, Scalar]) -> Place:
    return part, frozenset(where.items())


def lab_address(scenario: Scenario, *, name: str) -> str:
    """Return what follows ``#`` in the address of the lab's page to show a scenario.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario(
    ...     duration="2 s",
    ...     dumbbell=ac.Dumbbell(
    ...         access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="5 ms")
    ...     ),
    ...     clients=[ac.Clients(transport=ac.Tcp("reno"), source=ac.Greedy())],
    ... )
    >>> lab_address(scenario, name="small")[:2]
    'd='
    """
    text = json.dumps(document(scenario, seed=1, name=name), separators=(",", ":"), allow_nan=False)
    deflate = zlib.compressobj(9, wbits=-15)
    packed = deflate.compress(text.encode()) + deflate.flush()
    return "d=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
