"""When the network or its traffic changes in a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ackclock.scenario.changes import link_of
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ackclock.scenario import Clients, Flow, Scenario
    from ackclock.scenario.step_trace import StepTrace

__all__ = ["active", "changes", "joins", "merged", "steps"]


def merged(moments: Iterable[tuple[float, str]]) -> dict[float, str]:
    """Return what happens at each time, in order.

    Examples
    --------
    >>> merged([(9.0, "down"), (5.0, "rate"), (5.0, "delay")])
    {5.0: 'rate, delay', 9.0: 'down'}
    """
    found: dict[float, str] = {}
    for at, text in sorted(moments, key=lambda moment: moment[0]):
        found[at] = f"{found[at]}, {text}" if at in found else text
    return found


def changes(scenario: Scenario) -> Iterator[tuple[float, str]]:
    """Yield the time of each change of links and flows, in s, and its words."""
    for change in scenario.changes:
        yield seconds(change.at), change.words


def joins(scenario: Scenario) -> Iterator[tuple[float, str]]:
    """Yield when each group joins and leaves, in s, with a sign and its name; without joins at the start."""
    for group in scenario.groups:
        for begin, end in active(group):
            if begin > 0:
                yield begin, f"+ {group.name}"
            if math.isfinite(end):
                yield end, f"- {group.name}"


def steps(scenario: Scenario, start: float = 0.0, end: float = math.inf) -> Iterator[tuple[float, str]]:
    """Yield when the traces of the measured link have another value in a time, in s, unless they repeat."""
    link = link_of(scenario, scenario.measure.link or "")
    for name in ("rate", "delay", "loss"):
        trace: StepTrace | None = getattr(link, f"{name}_trace", None)
        course = trace and trace.course()
        if course and course.period is None:
            times = course.times[1:] / PICOSECONDS_PER_SECOND
            for at in times[(times >= start) & (times < end)]:
                yield float(at), name


def active(group: Clients | Flow, start: float | None = None) -> list[tuple[float, float]]:
    """Return when the sources of a group are active, in seconds: from their start on, which may be delayed."""
    begin = seconds(group.start or "0 s") if start is None else start
    if group.active is not None:
        return [(max(seconds(first), begin), seconds(last)) for first, last in group.active]
    if group.duration is not None:
        return [(begin, begin + seconds(group.duration))]
    return [(begin, math.inf if group.stop is None else seconds(group.stop))]
