"""Figures of single events, each as a point at its time and its flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import PENS, Axis, Chart, Panel, Series
from ackclock.running.figures.asked import HEIGHT, MOST_LINES, thinned, where
from ackclock.running.records import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.running.figures.asked import Asked, Rows

__all__ = ["drops", "marks", "rows"]

_SIZE: Final = (1.0, 4.0)
"""Least and largest diameter of a point, in points."""
_ALL: Final = 120.0
"""Diameter of the points of all flows together, in points."""


def drops(asked: Asked) -> Chart:
    """Draw each dropped packet by its flow, apart by the place of the drop."""
    rows = asked.of_link(asked.run, "drops", "time", "flow", "place")
    places = {str(place): where(rows["place"] == place, rows) for place in np.unique(rows["place"])}
    return by_flow(asked, places, f"Drops at {asked.link}")


def marks(asked: Asked) -> Chart:
    """Draw each marked packet by its flow."""
    return by_flow(asked, {"marked": asked.of_link(asked.run, "marks", "time", "flow")}, f"Marks at {asked.link}")


def rows(asked: Asked, record: str) -> Chart:
    """Draw each row of any record by its flow."""
    of_links = KINDS[record].of_links
    found = asked.of_link(asked.run, record, "time", "flow") if of_links else asked.of_flows(asked.run, record, "time")
    return by_flow(asked, {record: found}, record.capitalize() + (f" at {asked.link}" if of_links else ""))


def by_flow(asked: Asked, kinds: Mapping[str, Rows], label: str) -> Chart:
    """Draw the rows of each kind of event as points at their time and flow, with their number in the legend."""
    flows = asked.groups.size
    series = []
    for (name, rows), (colour, marker) in zip(kinds.items(), PENS, strict=False):
        there = asked.within(rows)
        x, y = thinned(there["time"], there["flow"])
        series.append(
            Series(
                name=f"{name} ({there['time'].size:,})",
                x=x,
                y=y,
                colour=colour,
                dash="none",
                marker=marker,
                size=float(np.clip(_ALL / flows, *_SIZE)),
                filled=False,
            )
        )
    if not any(np.size(each.x) for each in series):
        raise asked.nothing()
    ticks = [(float(flow), str(flow)) for flow in range(flows)] if flows <= MOST_LINES else None
    panel = Panel(
        x=Axis(label="Time, s", low=asked.start, high=asked.end),
        y=Axis(label=f"{label}, by flow", low=-0.5, high=flows - 0.5, ticks=ticks),
        series=series,
    )
    return Chart(panels=[panel], height=HEIGHT)
