"""Shortest paths over the directed links of a graph, by number of links."""

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
    """Where its rate, delay and queue stand."""


def directed(links: Sequence[GraphLink]) -> list[DirectedLink]:
    """List the directed links, in the order in which the engine numbers them."""
    return [DirectedLink(*direction, link) for link in links for direction in link.directions]


class Routes:
    """The routes of a graph; each origin is searched once."""

    def __init__(self, links: Sequence[DirectedLink]) -> None:
        self._links = links
        self._leaving: dict[str, list[int]] = defaultdict(list)
        for index, link in enumerate(links):
            self._leaving[link.from_].append(index)
        self._last_link: dict[str, dict[str, int]] = {}

    def route(self, origin: str, destination: str) -> list[int] | None:
        """Find the directed links that a packet crosses, by index; ``None`` where there is no way."""
        last_link = self._search(origin)
        hops: list[int] = []
        at = destination
        while at != origin:
            if at not in last_link:
                return None
            hops.append(last_link[at])
            at = self._links[hops[-1]].from_
        return hops[::-1]

    def _search(self, origin: str) -> dict[str, int]:
        """Find the last link of the shortest path to every node: breadth first, links in their order."""
        if origin not in self._last_link:
            last_link: dict[str, int] = {}
            waiting = deque([origin])
            while waiting:
                for index in self._leaving[waiting.popleft()]:
                    reached = self._links[index].to
                    if reached != origin and reached not in last_link:
                        last_link[reached] = index
                        waiting.append(reached)
            self._last_link[origin] = last_link
        return self._last_link[origin]
