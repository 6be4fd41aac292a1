"""Notices about what a scenario sets up and nothing uses: pacing rates, equal-cost paths."""

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ackclock.scenario import Flow, Scenario, Tcp
from ackclock.scenario.routes import DirectedLink, directed, routes_over

_MOST_NAMED: Final = 6


def unused_rate(scenario: Scenario) -> Iterator[str]:
    """Report laws written in Python that set a pacing rate which their transport does not use."""
    for group in scenario.groups:
        tcp = group.transport
        if isinstance(tcp, Tcp) and tcp.law is not None and tcp.pacing != "law":
            from ackclock.laws.finding import known  # noqa: PLC0415  # few scenarios have such laws
            from ackclock.laws.source import source  # noqa: PLC0415

            law = known(tcp.law, tcp.law_sha256 or "")
            if law is not None and "pacing_rate" in source(law).names:
                yield (
                    f"The law {law.__name__} of group {group.name} sets a pacing rate without effect: the transport's "
                    f"pacing is {tcp.pacing}. With pacing law, the rate is used."
                )


def unused_paths(scenario: Scenario) -> Iterator[str]:
    """Report links of paths that are as short as those in use, and that carry nothing."""
    flows = [group for group in scenario.groups if isinstance(group, Flow)]
    links = directed(scenario.links)
    routes = routes_over(links)
    ways = [flow.stops(via) for flow in flows for via in _vias(scenario, flow)]
    used = {link for way in ways for stops in (way, way[::-1]) for link in routes.through(stops) or ()}
    flows = [flow for flow in flows if not flow.via]
    ends = {(flow.from_, flow.to) for flow in flows}
    shortest = _Shortest(links)
    crossed = {pair: shortest.between(*pair) for pair in sorted(ends)}
    idle = sorted({link for found in crossed.values() for link in found} - used)
    if not idle:
        return
    among = sum(flow.count for flow in flows if crossed[flow.from_, flow.to] & set(idle))
    names = ", ".join(links[link].name for link in idle[:_MOST_NAMED]) + (", …" if len(idle) > _MOST_NAMED else "")
    yield (
        f"{among} flow{'' if among == 1 else 's'} could take other paths with as few links, but all flows between two "
        f"nodes take the same one: the first in the order of links. {len(idle)} links of the other paths carry "
        f"nothing: {names}."
    )


def _vias(scenario: Scenario, flow: Flow) -> Iterator[Sequence[str]]:
    """Yield the nodes that a flow visits: at the start, and after each change."""
    yield flow.via or ()
    for change in scenario.changes:
        if change.via is not None and flow.name in (change.groups or ()):
            yield change.via


class _Shortest:
    """All shortest paths of a graph, by number of links."""

    def __init__(self, links: Sequence[DirectedLink]) -> None:
        self._leaving: Mapping[str, list[tuple[int, str]]] = defaultdict(list)
        self._arriving: Mapping[str, list[tuple[int, str]]] = defaultdict(list)
        for index, link in enumerate(links):
            self._leaving[link.from_].append((index, link.to))
            self._arriving[link.to].append((index, link.from_))
        self._known: dict[str, dict[str, int]] = {}

    def between(self, origin: str, destination: str) -> set[int]:
        """Return the links that lie on any of the shortest paths between two nodes."""
        distances = self._distances(origin)
        found: set[int] = set()
        reached, waiting = {destination}, [destination]
        while waiting:
            node = waiting.pop()
            for link, before in self._arriving[node]:
                if distances.get(before, math.inf) + 1 == distances.get(node):
                    found.add(link)
                    if before not in reached:
                        reached.add(before)
                        waiting.append(before)
        return found

    def _distances(self, origin: str) -> dict[str, int]:
        """Map each reachable node to the number of links of the shortest paths to it."""
        if origin not in self._known:
            distances, waiting = {origin: 0}, deque([origin])
            while waiting:
                node = waiting.popleft()
                for _, reached in self._leaving[node]:
                    if reached not in distances:
                        distances[reached] = distances[node] + 1
                        waiting.append(reached)
            self._known[origin] = distances
        return self._known[origin]
