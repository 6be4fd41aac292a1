"""Figures of flows: congestion windows, rates, ACKs and phases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.acks import ack_scatter
from ackclock.drawing.chart import PENS, Axis, Chart, Panel, Series
from ackclock.running.figures.asked import (
    FAINT,
    HEIGHT,
    HUES,
    MOST_LINES,
    POINTS,
    Line,
    highest,
    sampled,
    steps,
    thinned,
    where,
)
from ackclock.running.figures.capacity import capacity
from ackclock.running.figures.states import PHASES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.running.figures.asked import Asked, Numbers, Rows

__all__ = ["ack_times", "acks", "bitrates", "control", "phases", "rates", "windows"]

_BITRATE: Final = "Bitrate, Mb/s"
_CONTROL: Final = ("target", "received", "by_delay", "by_loss")
_WINDOW: Final = "Congestion window, packets"
_RATE: Final = "Goodput, Mb/s"
_BAR: Final = 150.0
_THICKEST: Final = 9.0
"""Height of all bars of phases together, and of one bar at most, in points."""


def windows(asked: Asked) -> Chart:
    """Draw the congestion windows of all flows; of a few flows in one run, also the slow-start thresholds."""
    rows = [asked.of_flows(run, "windows", "time", "cwnd", "ssthresh") for run in asked.runs]
    if len(rows) > 1:
        return _mean_windows(asked, rows)
    flows = _by_flow(rows[0])
    cwnd = {flow: _steps(asked, own, "cwnd") for flow, own in flows.items()}
    if not any(x.size for x, _ in cwnd.values()):
        raise asked.nothing()
    series, most = _lines(asked, cwnd), highest(y for _, y in cwnd.values())
    if len(cwnd) <= MOST_LINES:
        series += _thresholds(asked, flows, series, most)
    return asked.chart(series, _WINDOW, most=most)


def _thresholds(asked: Asked, flows: Mapping[int, Rows], drawn: list[Series], most: float) -> list[Series]:
    """Draw the slow-start threshold of each flow where it is within the axis: initially it may be infinite."""
    series = []
    for line, own in zip(drawn, flows.values(), strict=True):
        x, y = _steps(asked, own, "ssthresh")
        shown = np.where(y <= most, y, np.nan)
        series.append(Series(name="ssthresh", x=x, y=shown, colour=line.colour, dash="dashed", width=0.7, listed=False))
    if any(np.isfinite(np.asarray(each.y)).any() for each in series):
        series.append(Series(name="ssthresh", x=[], y=[], colour="faint", dash="dashed", width=0.7))
    return series


def _mean_windows(asked: Asked, rows: list[Rows]) -> Chart:
    lines = []
    for flow in sorted({int(flow) for each in rows for flow in np.unique(each["flow"])})[:MOST_LINES]:
        own = [where(each["flow"] == flow, each) for each in rows]
        y = np.array([sampled(each["time"], each["cwnd"], asked.grid) for each in own])
        lines.append(Line(_name(asked, flow), asked.grid, y))
    return asked.over_time(lines, _WINDOW)


def rates(asked: Asked) -> Chart:
    """Draw the rate at which data reaches the application of each flow; of many flows in several runs, by group."""
    rows = [asked.of_flows(run, "throughput", "time", "bytes") for run in asked.runs]
    bins = asked.bins(np.unique(rows[0]["time"]))
    flows = np.unique(rows[0]["flow"])
    # the rates of many flows would be low beside that of the link
    link = asked.run.scenario.measure.link if flows.size <= MOST_LINES else None
    beside = capacity(asked.run.scenario, link, bins)
    if len(rows) == 1:
        drawn = {flow: (bins.starts, bins.rates(own["time"], own["bytes"])) for flow, own in _by_flow(rows[0]).items()}
        most = highest([*(y for _, y in drawn.values()), *(np.asarray(each.y) for each in beside)])
        return asked.chart([*_lines(asked, drawn), *beside], _RATE, bins.label, most=most)
    names = asked.groups
    if flows.size <= MOST_LINES:
        names = np.array([_name(asked, flow) for flow in range(names.size)])
    if np.unique(names[flows]).size > MOST_LINES:
        names = np.full(names.size, "all flows")
    lines = []
    for name in dict.fromkeys(names[flows].tolist()):
        own = [where(names[each["flow"]] == name, each) for each in rows]
        lines.append(Line(name, bins.starts, np.array([bins.rates(each["time"], each["bytes"]) for each in own])))
    return asked.over_time(lines, _RATE, bins.label, beside=beside)


def acks(asked: Asked) -> Chart:
    """Draw the highest segment that is acknowledged over time, a line for each flow, and duplicate ACKs as points."""
    rows = asked.of_flows(asked.run, "acks", "time", "ack", "duplicate")
    rows = where((rows["time"] >= asked.start) & (rows["time"] < asked.end), rows)
    flows = _by_flow(rows)
    if not flows:
        raise asked.nothing()
    series = _lines(asked, {flow: (own["time"], own["ack"]) for flow, own in flows.items()}, mean=False)
    again = where(rows["duplicate"] == 1, rows)
    if again["time"].size and len(flows) <= MOST_LINES:
        name = f"duplicate ACKs ({again['time'].size:,})"
        x, y = thinned(again["time"], again["ack"])
        series.append(Series(name=name, x=x, y=y, colour="ink", dash="none", marker="circle", size=1.6))
    return asked.chart(series, "Acknowledged, segments", most=highest([rows["ack"]]))


def ack_times(asked: Asked) -> Chart:
    """Draw the arrival of each ACK against its flow."""
    rows = asked.of_flows(asked.run, "acks", "time")
    count = asked.groups.size
    panel = ack_scatter(rows["time"], rows["flow"], count=count, start=asked.start, end=asked.end)
    return Chart(panels=[panel], height=HEIGHT)


def phases(asked: Asked) -> Chart:
    """Draw the phase of each sender as a bar over time."""
    rows = asked.of_flows(asked.run, "phases", "time", "phase")
    flows = _by_flow(rows)
    width = float(np.clip(_BAR / len(flows), FAINT, _THICKEST))
    bars: dict[str, list[tuple[float, float, float]]] = {}
    for place, own in enumerate(flows.values()):
        ends = np.append(own["time"][1:], asked.end)
        for begin, end, phase in zip(own["time"], ends, own["phase"], strict=True):
            if begin < asked.end and end > asked.start:
                bars.setdefault(str(phase), []).append((max(begin, asked.start), min(end, asked.end), place))
    if not bars:
        raise asked.nothing()
    series = []
    for phase in sorted(bars, key=list(PHASES).index):
        begins, ends, places = np.array(bars[phase]).T
        gaps = np.full(begins.size, np.nan)
        x = np.column_stack([begins, ends, gaps]).ravel()
        series.append(Series(name=phase, x=x, y=np.repeat(places, 3), colour=PHASES[phase], width=width))
    names = [(float(place), str(flow)) for place, flow in enumerate(flows)]
    panel = Panel(
        x=Axis(label="Time, s", low=asked.start, high=asked.end),
        y=Axis(label="Flow", low=-0.5, high=len(flows) - 0.5, ticks=names[:: -(-len(names) // 10)]),
        series=series,
    )
    return Chart(panels=[panel], height=HEIGHT)


def bitrates(asked: Asked) -> Chart:
    """Draw the bitrate of the chunks that the client of each video requests."""
    rows = asked.of_flows(asked.run, "chunks", "start", "bitrate")
    drawn = {
        flow: steps(own["start"], own["bitrate"] / 1e6, asked.start, asked.end) for flow, own in _by_flow(rows).items()
    }
    if not any(x.size for x, _ in drawn.values()):
        raise asked.nothing()
    return asked.chart(_lines(asked, drawn), _BITRATE, most=highest(y for _, y in drawn.values()))


def control(asked: Asked) -> Chart:
    """Draw the bitrate of calls that adapt; of one call, also the bitrate received and both estimates."""
    rows = asked.of_flows(asked.run, "control", "time", *_CONTROL)
    flows = _by_flow(rows)
    single = len(flows) == 1
    drawn = {
        name: {flow: steps(own["time"], own[name] / 1e6, asked.start, asked.end) for flow, own in flows.items()}
        for name in (_CONTROL if single else _CONTROL[:1])
    }
    if not any(x.size for lines in drawn.values() for x, _ in lines.values()):
        raise asked.nothing()
    most = highest(y for x, y in drawn["target"].values())
    if not single:
        return asked.chart(_lines(asked, drawn["target"]), _BITRATE, most=most)
    series, bounded = [], []
    for (name, lines), (colour, _) in zip(drawn.items(), PENS, strict=False):
        for x, y in lines.values():
            # an estimate that does not count may be far above the bitrate
            bounded.append(np.minimum(y, 2 * most))
            series.append(Series(name=name, x=x, y=bounded[-1], colour=colour, width=1.0))
    return asked.chart(series, _BITRATE, most=highest(bounded))


def _by_flow(rows: Rows) -> Mapping[int, Rows]:
    """Return the rows of each flow."""
    order = np.argsort(rows["flow"], kind="stable")
    flows, first = np.unique(rows["flow"][order], return_index=True)
    pieces = np.split(order, first[1:])
    return {
        int(flow): {name: column[own] for name, column in rows.items()}
        for flow, own in zip(flows, pieces, strict=False)
    }


def _steps(asked: Asked, own: Rows, name: str) -> tuple[Numbers, Numbers]:
    values = np.where(np.isfinite(own[name]), own[name], np.nan)
    return steps(own["time"], values, asked.start, asked.end)


def _name(asked: Asked, flow: int) -> str:
    return f"flow {flow} ({asked.groups[flow]})"


def _lines(asked: Asked, drawn: Mapping[int, tuple[Numbers, Numbers]], *, mean: bool = True) -> list[Series]:
    """Draw a line for each flow. Many flows have thin lines in the colour of their group, with the group's mean."""
    if len(drawn) <= MOST_LINES:
        return [
            Series(name=_name(asked, flow), x=x, y=y, colour=colour, width=1.0)
            for (flow, (x, y)), (colour, _) in zip(drawn.items(), PENS, strict=False)
        ]
    of = {flow: str(asked.groups[flow]) for flow in drawn}
    groups = list(dict.fromkeys(of.values()))
    if len(groups) > len(HUES):
        of, groups = dict.fromkeys(drawn, "all groups"), ["all groups"]
    lines, means = [], []
    for group, (strong, pale) in zip(groups, HUES, strict=False):
        own = [drawn[flow] for flow in drawn if of[flow] == group]
        flows = group if len(own) == 1 else f"{group}, {len(own)} flows"
        lines += [
            Series(name=flows, x=x, y=y, colour=pale, width=FAINT, listed=place == 0 and not mean)
            for place, (x, y) in enumerate(own)
        ]
        if mean:
            grid, values = _together(asked, own)
            there = np.isfinite(values).any(axis=0)
            average = np.full(grid.size, np.nan)
            average[there] = np.nanmean(values[:, there], axis=0)
            name = flows if len(own) == 1 else f"{flows} and their mean"
            means.append(Series(name=name, x=grid, y=average, colour=strong, width=1.6))
    return [*lines, *means]


def _together(asked: Asked, lines: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Return times and the values of all lines at these times, a row for each line."""
    x = lines[0][0]
    if all(np.array_equal(other, x) for other, _ in lines):
        return x, np.array([y for _, y in lines])
    grid = np.linspace(asked.start, asked.end, 10 * POINTS + 1)
    return grid, np.array([sampled(*line, grid) for line in lines])
