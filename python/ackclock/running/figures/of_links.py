"""Figures of a link: arrivals, queue, throughput and waits."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import cov_ladder
from ackclock.drawing.chart import Axis, Chart, Panel, Series
from ackclock.running.figures.asked import HEIGHT, POINTS, Line, curves, shares, where
from ackclock.running.figures.capacity import capacity
from ackclock.values.errors import impossible
from ackclock.values.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ackclock.running.figures.asked import Asked, Numbers, Rows

__all__ = ["arrivals", "delay", "ladder", "queue", "rates", "throughput"]

_FEWEST_BINS: Final = 10
"""Fewest bins for a coefficient of variation."""
_MILLI: Final = 1e3


def throughput(asked: Asked) -> Chart:
    """Draw the rate at which bits leave a link, also of each group, from each packet."""
    bins = asked.bins(np.array([asked.start, asked.start + asked.bin]))

    offered = [asked.of_link(run, "packets", "time", "event", "flow", "bytes") for run in asked.runs]
    sent = [where(rows["event"] == "dequeue", rows) for rows in offered]
    groups = [asked.groups[rows["flow"]] for rows in sent]

    def rates_of(rows: Rows) -> Numbers:
        return bins.rates(rows["time"], rows["bytes"])

    lines = [Line("all packets", bins.starts, np.array([rates_of(rows) for rows in sent]))]
    for group in asked.several(groups):
        each = [rates_of(where(own == group, rows)) for rows, own in zip(sent, groups, strict=True)]
        lines.append(Line(group, bins.starts, np.array(each)))
    beside = capacity(asked.run.scenario, asked.link, bins)
    return asked.over_time(lines, f"Throughput of {asked.link}, Mb/s", bins.label, beside=beside)


def rates(asked: Asked) -> Chart:
    """Draw the rate at which bits leave a link."""
    rows = [asked.of_link(run, "throughput", "time", "bytes") for run in asked.runs]
    bins = asked.bins(rows[0]["time"])
    line = Line("throughput", bins.starts, np.array([bins.rates(each["time"], each["bytes"]) for each in rows]))
    beside = capacity(asked.run.scenario, asked.link, bins)
    return asked.over_time([line], f"Throughput of {asked.link}, Mb/s", bins.label, beside=beside)


def arrivals(asked: Asked) -> Chart:
    """Draw the number of packets that arrive in each bin, without a bin that the end of the run cuts short."""
    rows = [asked.within(asked.of_link(run, "arrivals", "time", "packets")) for run in asked.runs]
    _check_same(each["time"] for each in rows)
    times = rows[0]["time"]
    width = _width(times) if times.size > 1 else asked.end - asked.start
    whole = times + width <= seconds(asked.run.scenario.duration) * (1 + 1e-12)
    counts = np.array([each["packets"][whole] for each in rows], dtype=np.float64)
    line = Line("arrivals", times[whole], counts)
    return asked.over_time([line], f"Arrivals at {asked.link}, packets", f"Time, s (bins of {width:g} s)")


def queue(asked: Asked) -> Chart:
    """Draw the packets that wait at a link, and the average of RED."""
    rows = [asked.within(asked.of_link(run, "queue", "time", "packets", "average")) for run in asked.runs]
    _check_same(each["time"] for each in rows)
    times = rows[0]["time"]
    lines = [Line("queue", times, np.array([each["packets"] for each in rows], dtype=np.float64))]
    averages = np.array([each["average"] for each in rows], dtype=np.float64)
    if np.isfinite(averages).any():
        lines.append(Line("average of RED", times, averages))
    return asked.over_time(lines, f"Queue at {asked.link}, packets")


def ladder(asked: Asked) -> Chart:
    """Draw the coefficient of variation of the arrivals over the width of the bins."""
    ladders = []
    for run in asked.runs:
        rows = asked.of_link(run, "arrivals", "time", "packets")
        counts = asked.within(rows)["packets"]
        width = _width(rows["time"]) if rows["time"].size > 1 else math.inf
        most = counts.size // _FEWEST_BINS
        if most < 1:
            raise impossible(f"plot: the record arrivals has {counts.size} bins in this time; the figure cov needs 10")
        ladders.append(cov_ladder(counts, width, [width * 2**power for power in range(most.bit_length())]))
    _check_same(each.scales for each in ladders)
    scales = ladders[0].scales
    lines = [
        Line("arrivals", scales, np.array([_above_zero(each.cov) for each in ladders])),
        Line("Poisson arrivals of the same mean", scales, np.array([each.poisson for each in ladders])),
    ]
    series, bands = curves(lines[:1], marked=True)
    series.append(Series(name=lines[1].name, x=scales, y=lines[1].y.mean(axis=0), colour="grey", dash="dashed"))
    panel = Panel(
        x=Axis(label="Width of bins, s", log=True),
        y=Axis(label=f"C.o.v. of arrivals at {asked.link}", log=True),
        series=series,
        bands=bands,
    )
    return Chart(panels=[panel], height=HEIGHT)


def delay(asked: Asked) -> Chart:
    """Draw the distribution function of the time in the queue of a link."""
    found: list[tuple[Numbers, NDArray[np.str_]]] = []
    for run in asked.runs:
        left, waits, flows = _waits(asked.of_link(run, "packets", *_PACKET))
        there = (left >= asked.start) & (left < asked.end)
        found.append((waits[there], asked.groups[flows[there]]))
    if not all(waits.size for waits, _ in found):
        raise impossible(f"plot: no packet left the queue of {asked.link} in this time")
    x = np.linspace(0.0, max(float(waits.max()) for waits, _ in found), 4 * POINTS + 1)
    lines = [Line("all packets", _MILLI * x, np.array([shares(waits, x) for waits, _ in found]))]
    for group in asked.several([groups for _, groups in found]):
        each = [shares(waits[groups == group], x) for waits, groups in found]
        lines.append(Line(group, _MILLI * x, np.array(each)))
    series, bands = curves(lines, limits=(0.0, 1.0))
    panel = Panel(
        x=Axis(label=f"Time in the queue of {asked.link}, ms", low=0.0),
        y=Axis(label="Share of packets", low=0.0, high=1.02),
        series=series,
        bands=bands,
    )
    return Chart(panels=[panel], height=HEIGHT)


def _width(times: Numbers) -> float:
    """Return the width of the bins that begin at the given times, in seconds."""
    return float(np.round(times[1] - times[0], 12))


def _check_same(points: Iterable[Numbers]) -> None:
    first, *others = points
    if not all(np.array_equal(first, each) for each in others):
        raise impossible("plot: the runs differ in the interval or the time of their records; draw each run alone")


_PACKET: Final = ("time", "event", "flow", "kind", "segment")


def _waits(rows: Rows) -> tuple[Numbers, Numbers, NDArray[np.int64]]:
    """Return when each packet left the queue, its wait, both in s, and its flow.

    A packet is known by its flow, kind and segment; copies of a segment leave in the order in which they entered. A
    drop ends the wait of a stored packet, or is that of a packet which never entered.
    """
    stored: dict[tuple[int, str, int], deque[float]] = defaultdict(deque)
    found: list[tuple[float, float, int]] = []
    columns = (rows[name].tolist() for name in _PACKET)
    for time, event, *key in zip(*columns, strict=True):
        copies = stored[tuple(key)]
        if event == "enqueue":
            copies.append(time)
        elif event in {"dequeue", "drop"} and copies:
            begin = copies.popleft()
            if event == "dequeue":
                found.append((time, time - begin, key[0]))
    left, waits, flows = np.array(found).reshape(-1, 3).T
    return left, waits, flows.astype(np.int64)


def _above_zero(values: Numbers) -> Numbers:
    """Leave out values that a logarithmic axis cannot show."""
    return np.where(values > 0, values, math.nan)
