"""The picture of a graph: hosts and switches in rows, and the load of each direction of each link."""

from __future__ import annotations

import itertools
import math
from collections import deque
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Chart, Note, Panel, Series
from ackclock.scenario.routes import directed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.running.figures.asked import Asked
    from ackclock.scenario import Scenario

__all__ = ["has_network", "network", "tiers"]

_LOADS: Final = (
    (0.0, "no packets", "grid", 1.0),
    (0.25, "up to 25 %", "sky", 1.2),
    (0.5, "up to 50 %", "blue", 1.8),
    (0.75, "up to 75 %", "orange", 2.4),
    (math.inf, "above 75 %", "red", 3.0),
)
"""Highest utilization, name, colour and width of a link."""
_NAMED: Final = 20
"""Maximum number of nodes of a row whose names are drawn."""
_HEIGHT: Final = 1.3
"""Height of a row, in inches."""


def has_network(scenario: Scenario) -> bool:
    """Return whether the picture of a scenario can be drawn: it is a graph, and several links are measured."""
    return bool(scenario.nodes and scenario.measure.links)


def network(asked: Asked) -> Chart:
    """Draw the nodes in rows by their distance from hosts, and each direction of a link as the half that it leaves."""
    scenario = asked.run.scenario
    rows = tiers(scenario)
    places = {
        name: (2 * (column + 0.5) / len(row) - 1, float(height))
        for height, row in enumerate(rows)
        for column, name in enumerate(row)
    }
    loads = {link.name: link.utilization for link in asked.run.links}
    series, below = [], -math.inf
    for highest, name, colour, width in _LOADS:
        chosen = [
            (link.from_, link.to)
            for link in directed(scenario.links)
            if link.name in loads and below < loads[link.name] <= highest
        ]
        below = highest
        x, y = _halves(chosen, places)
        series.append(Series(name=name, x=x, y=y, colour=colour, width=width))
    at = np.array(list(places.values()))
    nodes = Series(
        name="node", x=at[:, 0], y=at[:, 1], colour="ink", dash="none", marker="circle", size=4.0, listed=False
    )
    notes = [
        Note(x=places[name][0], y=places[name][1], text=name) for row in rows if len(row) <= _NAMED for name in row
    ]
    panel = Panel(
        x=Axis(
            label=f"Load of links, {_times(scenario)}: each half shows what leaves its node", low=-1, high=1.1, ticks=[]
        ),
        y=Axis(low=-0.5, high=len(rows) - 0.7, ticks=[]),
        series=[*series, nodes],
        notes=notes,
    )
    return Chart(panels=[panel], height=_HEIGHT * (len(rows) + 0.5))


def _times(scenario: Scenario) -> str:
    return f"from {scenario.measure.from_} to {scenario.duration}"


def _halves(
    ends: Iterable[tuple[str, str]], places: Mapping[str, tuple[float, float]]
) -> tuple[Sequence[float], Sequence[float]]:
    """Return lines from each first node to the middle of the link, with gaps between them."""
    x: list[float] = []
    y: list[float] = []
    for start, end in ends:
        (left, low), (right, high) = places[start], places[end]
        x += [left, (left + right) / 2, math.nan]
        y += [low, (low + high) / 2, math.nan]
    return x, y


def tiers(scenario: Scenario) -> list[list[str]]:
    """Put the nodes of a graph in rows: hosts, which have one neighbour, then switches by their distance from hosts.

    In a graph without such hosts, the ends of flows take their place. Nodes of a row are in the order of the means of
    their neighbours in the row below.

    Examples
    --------
    >>> import ackclock as ac
    >>> tree = ac.Scenario(
    ...     duration="1 ms",
    ...     topology=ac.FatTree(k=2, access=ac.Link(rate="1 Gbps", delay="1 us")),
    ...     measure=ac.Measure(link="h0->edge0.0"),
    ...     flows=[ac.Flow(from_="h0", to="h1", transport=ac.Tcp("reno"), source=ac.Greedy())],
    ... )
    >>> tiers(tree.effective())
    [['h0', 'h1'], ['edge0.0', 'edge1.0'], ['agg0.0', 'agg1.0'], ['core0']]
    """
    neighbours: dict[str, set[str]] = {node.name: set() for node in scenario.nodes}
    for link in scenario.links:
        neighbours[link.from_].add(link.to)
        neighbours[link.to].add(link.from_)
    ends = {name for flow in scenario.flows for name in (flow.from_, flow.to)}
    hosts = [name for name, near in neighbours.items() if len(near) <= 1]
    heights = dict.fromkeys(hosts or (name for name in neighbours if name in ends), 0)
    waiting = deque(heights)
    while waiting:
        name = waiting.popleft()
        for near in neighbours[name] - heights.keys():
            heights[near] = heights[name] + 1
            waiting.append(near)
    rows: list[list[str]] = [[] for _ in range(max(heights.values()) + 1)]
    for name in neighbours:
        rows[heights.get(name, 0)].append(name)
    for below, row in itertools.pairwise(rows):
        columns = {name: column for column, name in enumerate(below)}
        means = {name: np.mean([columns[near] for near in neighbours[name] if near in columns]) for name in row}
        row.sort(key=means.__getitem__)
    return rows
