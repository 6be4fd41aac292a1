"""Several runs in one figure: panels over one time axis, with a line for each run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.drawing.chart import PENS, Axis, Band, Chart, Dash, Moment, Panel, Series
from ackclock.running import changing
from ackclock.running.figures.asked import POINTS, Asked, intervals, sampled, where, within
from ackclock.running.figures.capacity import capacity, key
from ackclock.running.figures.durations import DURATIONS, durations_together
from ackclock.running.figures.fairness import LABEL, index_in
from ackclock.values.errors import impossible, listed, one_of, refuse
from ackclock.values.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.running.figures.asked import Numbers
    from ackclock.running.run import Run

__all__ = ["PANELS", "check_names", "together"]

_DASHES: Final[Sequence[Dash]] = ("solid", "dashed", "dotted")
_FIRST: Final = 2.3
_EACH: Final = 1.6
"""Height of a figure with one panel, and of each further panel, in inches."""


@dataclass(frozen=True)
class PanelKind:
    """A panel: the record that it is made from, and the times and values of a run."""

    record: str
    label: str
    values: Callable[[Asked, Run], tuple[Numbers, Numbers]]
    has_capacity: bool = False
    """Whether the rate of the measured link is drawn as well, if it changes."""


def _grid(asked: Asked) -> Numbers:
    """Return the times at which values that hold until the next one are drawn."""
    return asked.grid if len(asked.runs) > 1 else np.linspace(asked.start, asked.end, 10 * POINTS + 1)


def _of_flows(column: str, unit: float = 1.0) -> Callable[[Asked, Run], tuple[Numbers, Numbers]]:
    """Make the mean over all flows of a column of the record of windows, whose values hold until the next one."""

    def values(asked: Asked, run: Run) -> tuple[Numbers, Numbers]:
        rows = asked.of_flows(run, "windows", "time", column)
        x = _grid(asked)
        groups = [group for group in run.scenario.groups for _ in range(group.flows)]
        each = np.full((np.unique(rows["flow"]).size, x.size), np.nan)
        for row, flow in zip(each, np.unique(rows["flow"]), strict=True):
            own, active = where(rows["flow"] == flow, rows), within(changing.active(groups[flow]), x, x)
            row[active] = sampled(own["time"], own[column], x)[active]
        there = np.isfinite(each).any(axis=0)
        y = np.full(x.size, np.nan)
        y[there] = np.nanmean(each[:, there], axis=0) * unit
        return x, y

    return values


def _throughput(asked: Asked, run: Run) -> tuple[Numbers, Numbers]:
    rows = asked.of_flows(run, "throughput", "time", "bytes")
    bins = asked.bins(np.unique(rows["time"]))
    return bins.starts, bins.rates(rows["time"], rows["bytes"])


def _queue(asked: Asked, run: Run) -> tuple[Numbers, Numbers]:
    rows = asked.of_link(run, "queue", "time", "packets")
    x = _grid(asked)
    return x, sampled(rows["time"], rows["packets"], x)


def _fairness(asked: Asked, run: Run) -> tuple[Numbers, Numbers]:
    bins = asked.bins(np.unique(asked.of_flows(run, "throughput", "time")["time"]))
    return bins.starts, index_in(asked, run, bins)


PANELS: Final[Mapping[str, PanelKind]] = {
    "cwnd": PanelKind("windows", "Window, packets", _of_flows("cwnd")),
    "rtt": PanelKind("windows", "Smoothed RTT, ms", _of_flows("srtt", 1e3)),
    "throughput": PanelKind("throughput", "Goodput, Mb/s", _throughput, has_capacity=True),
    "queue": PanelKind("queue", "Queue, packets", _queue),
    "jain": PanelKind("throughput", LABEL, _fairness),
}
"""The panels of a figure of several runs, from top to bottom."""


def together(
    runs: Mapping[str, Sequence[Run]],
    figures: Sequence[str] = (),
    *,
    link: str | None = None,
    flow: int | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
) -> Chart:
    """Make the chart of several runs: the arguments are those of `ackclock.plot`."""
    from ackclock.running.figures import time_of  # noqa: PLC0415  # it is above this module

    if not 1 <= len(runs) <= len(PENS) or not all(runs.values()):
        raise refuse("runs", len(runs), f"must be 1 to {len(PENS)} runs, which a figure can tell apart")
    check_names(figures)
    every = [run for own in runs.values() for run in own]
    durations = [name for name in figures if name in DURATIONS]
    if durations and len(figures) > 1:
        raise refuse("figure", durations[0], "must be the only one: its axis has durations, not times of the run")
    kinds = [] if durations else _kinds(every, figures)
    last = max(seconds(run.scenario.duration) for run in every)
    first = min(seconds(run.scenario.measure.from_ or "") for run in every) if durations else 0.0
    begin, stop = time_of("start", start, first), min(time_of("end", end, last), last)
    if not begin < stop:
        raise refuse("start", begin, f"must be less than the end, {stop:g} s")
    asked = {
        name: Asked(
            own, link or own[0].scenario.measure.link, flow, begin, min(stop, seconds(own[0].scenario.duration))
        )
        for name, own in runs.items()
    }
    if durations:
        return durations_together(asked, durations[0])
    moments = _moments(list(asked.values()))
    panels = [
        _panel(kind, asked, Axis(label="Time, s" if kind is kinds[-1] else "", low=begin, high=stop), moments)
        for kind in kinds
    ]
    bare = [replace(moment, text="") for moment in moments]
    return Chart(
        panels=[panels[0], *(replace(panel, moments=bare) for panel in panels[1:])],
        height=_FIRST + _EACH * (len(panels) - 1),
    )


def check_names(names: Sequence[str]) -> None:
    """Refuse names of panels that do not exist.

    Raises
    ------
    ScenarioError
        There is no such panel.
    """
    for name in names:
        if name not in PANELS and name not in DURATIONS:
            raise refuse("figure", name, one_of(name, [*PANELS, *DURATIONS]), noun="figure of several runs")


def _kinds(runs: Sequence[Run], names: Sequence[str]) -> list[PanelKind]:
    kept = {name: kind for name, kind in PANELS.items() if all(_has(run, kind) for run in runs)}
    if missing := [name for name in names if name not in kept]:
        raise impossible(
            f"plot: {missing[0]} needs the record {PANELS[missing[0]].record}, which not all runs have kept"
        )
    if not kept:
        needed = listed(dict.fromkeys(kind.record for kind in PANELS.values()))
        raise impossible(f"plot: the runs have no record in common that can be drawn; these can: {needed}")
    several = any(sum(group.flows for group in run.scenario.groups) > 1 for run in runs)
    usual = [name for name in kept if name != "jain" or several]
    return [kept[name] for name in names or usual]


def _has(run: Run, kind: PanelKind) -> bool:
    """Whether a run has the record of a panel; the record of rates may be that of links."""
    return kind.record in run.tables and (kind.record == "queue" or "flow" in run.table(kind.record).column_names)


def _panel(kind: PanelKind, runs: Mapping[str, Asked], x: Axis, moments: Sequence[Moment]) -> Panel:
    series: list[Series] = []
    bands: list[Band] = []
    beside = _capacities(runs) if kind.has_capacity else []
    tallest = max((float(np.max(each.y)) for each in beside), default=0.0)
    for place, (name, asked) in enumerate(runs.items()):
        found = [kind.values(asked, run) for run in asked.runs]
        means, low, high = intervals(np.array([y for _, y in found]))
        colour, _ = PENS[place]
        series.append(
            Series(name=name, x=found[0][0], y=means, colour=colour, dash=_DASHES[place % len(_DASHES)], width=1.1)
        )
        if len(found) > 1:
            low, high = np.clip([low, high], 0, 1 if kind.label == LABEL else np.inf)
            bands.append(Band(name=name, x=found[0][0], low=low, high=high, colour=colour, listed=False))
        tallest = max(tallest, float(np.nanmax(means, initial=0.0)))
    most = 1.05 if kind.label == LABEL else 1.05 * tallest or 1.0
    y = Axis(label=kind.label, low=0.0, high=most)
    return Panel(x=x, y=y, series=[*series, *beside], bands=bands, moments=moments)


def _capacities(runs: Mapping[str, Asked]) -> list[Series]:
    """Return the rates of the measured links that change, equal ones once."""
    different: dict[Any, tuple[str, Asked]] = {}
    for name, asked in runs.items():
        there = different.get(key(asked.run.scenario))
        if there is None or seconds(there[1].run.scenario.duration) < seconds(asked.run.scenario.duration):
            different[key(asked.run.scenario)] = (name, asked)
    pens = {name: PENS[place][0] for place, name in enumerate(runs)}
    found = []
    for name, asked in different.values():
        bins = asked.bins(np.unique(asked.of_flows(asked.run, "throughput", "time")["time"]))
        for line in capacity(asked.run.scenario, asked.run.scenario.measure.link, bins):
            own = replace(line, name=f"{line.name}, {name}", colour=pens[name])
            found.append(own if len(different) > 1 else line)
    return found


def _moments(asked: Sequence[Asked]) -> list[Moment]:
    """Return the changes of all runs, each once; those at one time share a mark."""
    found: dict[float, list[str]] = {}
    for moment in (moment for each in asked for moment in each.moments()):
        texts = found.setdefault(moment.x, [])
        if moment.text and moment.text not in texts:
            texts.append(moment.text)
    return [Moment(x=x, text="; ".join(found[x])) for x in sorted(found)]
