"""Finds shortest paths, by number of links, over the directed links of a graph."""

import functools
import itertools
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

from ackclock.scenario.network import GraphLink


@dataclass(frozen=True)
class DirectedLink:
    """One direction of a link."""

    name: str
    from_: str
    to: str
    link: GraphLink
    """The link with its rate, delay and queue."""


def directed(links: Sequence[GraphLink]) -> list[DirectedLink]:
    """List the directed links, in the order in which the engine numbers them."""
    return [
        DirectedLink(*ends, way)
        for link in links
        for ends, way in zip(link.directions, (link, link.back), strict=False)  # a simplex link has one direction
    ]


def routes_over(links: Sequence[DirectedLink]) -> "Routes":
    """Return the routes over directed links; results are cached."""
    return _routes(tuple((link.from_, link.to) for link in links))


class Routes:
    """The routes of a graph. The search from each origin is made once and cached."""

    def __init__(self, ends: Sequence[tuple[str, str]]) -> None:
        self._ends = ends
        self._leaving: dict[str, list[int]] = defaultdict(list)
        for index, (origin, _) in enumerate(ends):
            self._leaving[origin].append(index)
        self._last_link: dict[str, dict[str, int]] = {}

    def route(self, origin: str, destination: str) -> list[int] | None:
        """Find the indices of the directed links that a packet crosses; ``None`` if there is no route."""
        last_link = self._search(origin)
        hops: list[int] = []
        at = destination
        while at != origin:
            if at not in last_link:
                return None
            hops.append(last_link[at])
            at, _ = self._ends[hops[-1]]
        return hops[::-1]

    def through(self, nodes: Sequence[str]) -> list[int] | None:
        """Find the links of the shortest paths from each node to the next; ``None`` if one has no route."""
        hops: list[int] = []
        for origin, destination in itertools.pairwise(nodes):
            leg = self.route(origin, destination)
            if leg is None:
                return None
            hops += leg
        return hops

    def _search(self, origin: str) -> dict[str, int]:
        """Map every reachable node to the last link of the shortest path to it; ties follow the order of links."""
        if origin not in self._last_link:
            last_link: dict[str, int] = {}
            waiting = deque([origin])
            while waiting:
                for index in self._leaving[waiting.popleft()]:
                    _, reached = self._ends[index]
                    if reached != origin and reached not in last_link:
                        last_link[reached] = index
                        waiting.append(reached)
            self._last_link[origin] = last_link
        return self._last_link[origin]


@functools.lru_cache(maxsize=1)
def _routes(ends: tuple[tuple[str, str], ...]) -> Routes:
    return Routes(ends)
