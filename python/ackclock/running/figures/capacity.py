"""The rate of a link that changes, as a line beside what the link or its flows carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.drawing.chart import Series
from ackclock.running.link_plan import rate_for_engine
from ackclock.scenario import changes
from ackclock.values.quantity import PICOSECONDS_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.running.figures.asked import Bins, Numbers
    from ackclock.scenario import Scenario

__all__ = ["capacity", "key"]

_MEGABIT: Final = 1e6


def capacity(scenario: Scenario, name: str | None, bins: Bins) -> list[Series]:
    """Draw the mean rate of a link in each bin, in Mb/s, if it changes in a run of an effective scenario."""
    link = changes.link_of(scenario, name) if name else None
    if link is None or name is None:
        return []
    course = rate_for_engine(link, changes.of_link(scenario.changes, name))
    if not isinstance(course, dict):
        return []
    edges = np.append(bins.starts, bins.starts[-1] + bins.width)
    rates = np.diff(_carried(course, edges)) / bins.width / _MEGABIT
    return [Series(name=f"rate of {name}", x=bins.starts, y=rates, colour="faint", dash="dashed", width=1.0)]


def key(scenario: Scenario) -> str:
    """Tell the courses of the rates of measured links apart."""
    name = scenario.measure.link or ""
    link = changes.link_of(scenario, name)
    return f"{name} {link and (link.rate, link.rate_trace)} {changes.of_link(scenario.changes, name)}"


def _carried(course: Mapping[str, Any], at: Numbers) -> Numbers:
    """Return the bits that a busy link carries from time 0 to each time, in s."""
    carried = _integral(course, at)
    for outage in course.get("outages", ()):
        begin, end = np.array(outage) / PICOSECONDS_PER_SECOND
        carried = carried - _integral(course, np.clip(at, begin, end)) + _integral(course, np.array([begin]))
    return carried


def _integral(course: Mapping[str, Any], at: Numbers) -> Numbers:
    """Return the integral of the rate from time 0 to each time, in s."""
    times = np.array(course["times"], dtype=np.float64) / PICOSECONDS_PER_SECOND
    rates = np.array(course["rates"], dtype=np.float64)
    rounds, rest, whole = np.zeros(at.size), at, 0.0
    sums = np.append(0.0, np.cumsum(rates[:-1] * np.diff(times)))
    if course["period"] is not None:
        period = course["period"] / PICOSECONDS_PER_SECOND
        rounds, rest = np.divmod(at, period)
        whole = float(sums[-1] + rates[-1] * (period - times[-1]))
    place = np.searchsorted(times, rest, side="right") - 1
    integral: Numbers = rounds * whole + sums[place] + rates[place] * (rest - times[place])
    return integral
