"""Finds shortest paths, by number of links, over the directed links of a graph."""

import functools
import itertools
from collections import deque
from collections.abc import Iterator, Sequence
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
    """The routes of a graph, as the engine finds them.

    A path is walked from its origin, over links that lead closer to its destination. A node with a single link to it,
    such as a host, needs no search of its own: its paths are those to the node before it.
    """

    def __init__(self, ends: Sequence[tuple[str, str]]) -> None:
        numbers: dict[str, int] = {}
        self._ends = [tuple(numbers.setdefault(name, len(numbers)) for name in pair) for pair in ends]
        self._numbers = numbers
        self._leaving: list[list[int]] = [[] for _ in numbers]
        self._arriving: list[list[int]] = [[] for _ in numbers]
        for index, (origin, destination) in enumerate(self._ends):
            self._leaving[origin].append(index)
            self._arriving[destination].append(index)
        self._distances: dict[int, list[int]] = {}

    def route(self, origin: str, destination: str) -> list[int] | None:
        """Find the indices of the links of the first shortest path; ``None`` if there is no route."""
        steps = self._steps(origin, destination)
        return None if steps is None else [links[0] for links in steps]

    def through(self, nodes: Sequence[str]) -> list[int] | None:
        """Find the links of the first shortest paths from each node to the next; ``None`` if one has no route."""
        hops: list[int] = []
        for origin, destination in itertools.pairwise(nodes):
            leg = self.route(origin, destination)
            if leg is None:
                return None
            hops += leg
        return hops

    def through_link(self, nodes: Sequence[str], link: int) -> list[int] | None:
        """Find the same, but over `link` where it lies on a shortest path from a node to the next."""
        names = list(self._numbers)
        before, after = (names[end] for end in self._ends[link])
        hops: list[int] = []
        for origin, destination in itertools.pairwise(nodes):
            leg, there, rest = (
                self.route(*ends) for ends in ((origin, destination), (origin, before), (after, destination))
            )
            if leg is None:
                return None
            over = None if there is None or rest is None else [*there, link, *rest]
            hops += leg if over is None or len(over) > len(leg) else over
        return hops

    def has_choice(self, nodes: Sequence[str]) -> bool:
        """Return whether there are several shortest paths from a node to the next."""
        # two paths part at a node of the first one
        legs = (self._steps(*ends) or () for ends in itertools.pairwise(nodes))
        return any(len(links) > 1 for leg in legs for links in leg)

    def _steps(self, origin: str, destination: str) -> list[list[int]] | None:
        """List the links from each node of the first shortest path that lead closer to the destination."""
        if origin == destination:
            return []
        if origin not in self._numbers or destination not in self._numbers:
            return None
        node, end = self._numbers[origin], self._numbers[destination]
        last: list[list[int]] = []
        while end != node and len(self._arriving[end]) == 1:
            if len(last) > len(self._numbers):
                return None
            last.append(self._arriving[end])
            end = self._ends[last[-1][0]][0]
        steps = list(self._walk(node, end))
        if node != end and not steps:
            return None
        return steps + last[::-1]

    def _walk(self, node: int, end: int) -> Iterator[list[int]]:
        if node == end:
            return
        distances = self._search(end)
        for left in range(distances[node] - 1, -1, -1):
            links = [link for link in self._leaving[node] if distances[self._ends[link][1]] == left]
            yield links
            node = self._ends[links[0]][1]

    def _search(self, end: int) -> list[int]:
        """Return the number of links from each node to `end`, or -1 if there is no path."""
        if end not in self._distances:
            distances = [-1] * len(self._numbers)
            distances[end] = 0
            waiting = deque([end])
            while waiting:
                node = waiting.popleft()
                for link in self._arriving[node]:
                    before = self._ends[link][0]
                    if distances[before] < 0:
                        distances[before] = distances[node] + 1
                        waiting.append(before)
            self._distances[end] = distances
        return self._distances[end]


@functools.lru_cache(maxsize=1)
def _routes(ends: tuple[tuple[str, str], ...]) -> Routes:
    return Routes(ends)
