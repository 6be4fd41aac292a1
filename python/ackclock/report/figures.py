"""The usual figures of runs: throughput, queue, windows, c.o.v. over time scales, and the distribution of waits.

Each figure is made from one run, or from runs of one scenario with several seeds. Of several runs it shows the means,
with 95 % confidence intervals (Student's t) at each point.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.analysis import cov_ladder, student_interval
from ackclock.report.chart import Axis, Band, Chart, Panel, Series
from ackclock.report.paper import draw
from ackclock.report.plots import PENS
from ackclock.running.tables import numbers, words
from ackclock.scenario.errors import impossible, listed, one_of, refuse
from ackclock.scenario.links import links_of
from ackclock.scenario.quantity import TIME, QuantityError, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ackclock.running.run import Run

    _Numbers = NDArray[np.float64]
    _Rows = Mapping[str, NDArray[Any]]

__all__ = ["FIGURES", "chart", "figure"]

_MOST_LINES: Final = 6
_HEIGHT: Final = 3.3
"""Height of a figure, in inches."""
_POINTS: Final = 100
"""Maximum number of bins of a throughput, and number of points at which several runs are compared."""
_FEWEST_BINS: Final = 10
"""Fewest bins for a coefficient of variation."""
_ABOVE: Final = 1.05
"""Room above the largest value of any run; wide intervals, such as those of slow starts, end there."""
_MILLI: Final = 1e3
_MEGABITS: Final = 8e-6


@dataclass(frozen=True)
class _Line:
    """A curve of several runs: one row of `y` for each run."""

    name: str
    x: _Numbers
    y: _Numbers


@dataclass(frozen=True)
class _Asked:
    """What a figure shows."""

    runs: Sequence[Run]
    link: str
    start: float
    end: float

    @property
    def bin(self) -> float:
        """Width of the scenario's bins, in seconds."""
        return seconds(self.runs[0].scenario.measure.bin or "")

    @property
    def grid(self) -> _Numbers:
        """Times at which several runs are compared."""
        return np.linspace(self.start, self.end, _POINTS + 1)

    def of_link(self, run: Run, record: str, *names: str) -> _Rows:
        """Return the named columns of a record at the link."""
        table = run.table(record)
        links = words(table["link"])
        there = links == self.link
        if not there.any():
            others = f"; it has rows for {listed(np.unique(links))}" if links.size else ""
            raise impossible(f"plot: the record {record} has no rows for the link {self.link}{others}")
        return _where(there, {name: _WAYS.get(name, numbers)(table[name]) for name in names})

    def within(self, rows: _Rows) -> _Rows:
        """Return the rows in the time to draw."""
        return _where((rows["time"] >= self.start) & (rows["time"] < self.end), rows)


_WAYS: Final[Mapping[str, Callable[[Any], NDArray[Any]]]] = {"event": words, "kind": words}
"""How the columns without numbers are converted."""


def _where(there: NDArray[np.bool_], rows: _Rows) -> _Rows:
    return {name: column[there] for name, column in rows.items()}


def figure(
    runs: Sequence[Run],
    name: str,
    *,
    link: str | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
) -> Figure:
    """Draw a usual figure of one run, or of runs of one scenario; the arguments are those of `chart`."""
    return draw(chart(runs, name, link=link, start=start, end=end))


def chart(
    runs: Sequence[Run],
    name: str,
    *,
    link: str | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
) -> Chart:
    """Make a usual figure of one run, or of runs of one scenario, as a chart.

    Parameters
    ----------
    runs
        The runs, at least one.
    name
        One of `FIGURES`.
    link
        Name of the link (default: the measured link). The figure ``cwnd`` has no link.
    start, end
        Time range, in seconds or as a text with a unit (default: the whole run; for ``cov`` and ``delay``, the
        measured time).

    Raises
    ------
    ScenarioError
        There is no such figure or link, a time is not allowed, the runs have not kept the record that the figure needs,
        or there are no rows to draw.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario.from_toml("examples/codel.toml").changed({"duration": "12 s"})
    >>> run = ac.simulate(scenario, record=["queue/10ms"])
    >>> chart([run], "queue").panels[0].y.label
    'Queue at bottleneck, packets'

    """
    if name not in FIGURES:
        raise refuse("figure", name, one_of(name, FIGURES), noun="figure")
    if not runs:
        raise refuse("runs", 0, "must be at least one run")
    scenario, wanted = runs[0].scenario, FIGURES[name]
    there, links = link or scenario.measure.link or "", links_of(scenario)
    if links.number(str(there)) is None:
        raise refuse("link", there, one_of(there, links.names()), noun="link")
    if any(wanted.record not in run.tables for run in runs):
        request = wanted.record if wanted.record == "windows" else f"{wanted.record}@{there}"
        raise impossible(
            f"plot: the figure {name} needs the record {wanted.record}, which was not kept: "
            f'ask for it with simulate(..., record=["{request}"]); replicate takes the same argument'
        )
    first, last = seconds(scenario.measure.from_ or "") if wanted.measured else 0.0, seconds(scenario.duration)
    asked = _Asked(runs, there, _time("start", start, first), min(_time("end", end, last), last))
    if not asked.start < asked.end:
        raise refuse("start", asked.start, f"must be less than the end, {asked.end:g} s")
    return wanted.chart(asked)


def _time(field: str, given: Any, default: float) -> float:
    """Return a time in seconds."""
    if given is None:
        return default
    if isinstance(given, str):
        try:
            return seconds(given)
        except QuantityError as error:
            raise refuse(field, given, str(error)) from None
    is_number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if not is_number or not given >= 0:
        raise refuse(field, given, f"must be a number of seconds that is not negative, or {TIME.allowed}")
    time: float = given
    return time


def _throughput(asked: _Asked) -> Chart:
    step = asked.bin * max(1, math.ceil((asked.end - asked.start) / asked.bin / _POINTS))
    count = int((asked.end - asked.start) / step + 1e-9)
    if not count:
        raise refuse("end", asked.end, f"must be at least one bin of {step:g} s after the start")
    edges = asked.start + step * np.arange(count + 1, dtype=np.float64)
    names = _by_flow(asked.runs[0])

    offered = [asked.of_link(run, "packets", "time", "event", "flow", "bytes") for run in asked.runs]
    sent = [_where(rows["event"] == "dequeue", rows) for rows in offered]
    groups = [names[rows["flow"]] for rows in sent]

    def rates(rows: _Rows) -> _Numbers:
        return np.histogram(rows["time"], edges, weights=rows["bytes"])[0] * _MEGABITS / step

    lines = [_Line("all packets", edges[:-1], np.array([rates(rows) for rows in sent]))]
    for group in _several(groups):
        each = [rates(_where(own == group, rows)) for rows, own in zip(sent, groups, strict=True)]
        lines.append(_Line(group, edges[:-1], np.array(each)))
    return _over_time(asked, lines, f"Throughput of {asked.link}, Mb/s", f"Time, s (bins of {step:g} s)")


def _queue(asked: _Asked) -> Chart:
    rows = [asked.within(asked.of_link(run, "queue", "time", "packets")) for run in asked.runs]
    _check_same(each["time"] for each in rows)
    lines = [_Line("queue", rows[0]["time"], np.array([each["packets"] for each in rows], dtype=np.float64))]
    return _over_time(asked, lines, f"Queue at {asked.link}, packets")


def _windows(asked: _Asked) -> Chart:
    tables = [run.table("windows") for run in asked.runs]
    windows = [{name: numbers(table[name]) for name in ("flow", "time", "cwnd")} for table in tables]
    flows = sorted({int(flow) for rows in windows for flow in np.unique(rows["flow"])})[:_MOST_LINES]
    if not flows:
        raise impossible("plot: the record windows has no rows, because no flow with a window was recorded")
    lines = []
    for flow in flows:
        own = [_where(rows["flow"] == flow, rows) for rows in windows]
        steps = [(rows["time"], rows["cwnd"]) for rows in own]
        if len(steps) == 1:
            (times, values) = steps[0]
            there = (times >= asked.start) & (times < asked.end)
            x, y = np.repeat(times[there], 2)[1:], np.repeat(values[there], 2)[:-1][None, :]
        else:
            x, y = asked.grid, np.array([_sampled(*each, asked.grid) for each in steps])
        lines.append(_Line(f"flow {flow} ({_by_flow(asked.runs[0])[flow]})", x, y))
    return _over_time(asked, lines, "Congestion window, packets")


def _ladder(asked: _Asked) -> Chart:
    ladders = []
    for run in asked.runs:
        rows = asked.of_link(run, "arrivals", "time", "packets")
        times, counts = rows["time"], asked.within(rows)["packets"]
        width = float(np.round(times[1] - times[0], 12)) if times.size > 1 else math.inf
        most = counts.size // _FEWEST_BINS
        if most < 1:
            raise impossible(f"plot: the record arrivals has {counts.size} bins in this time; the figure cov needs 10")
        ladders.append(cov_ladder(counts, width, [width * 2**power for power in range(most.bit_length())]))
    _check_same(each.scales for each in ladders)
    scales = ladders[0].scales
    lines = [
        _Line("arrivals", scales, np.array([_above_zero(each.cov) for each in ladders])),
        _Line("Poisson arrivals of the same mean", scales, np.array([each.poisson for each in ladders])),
    ]
    series, bands = _curves(lines[:1], marked=True)
    series.append(Series(name=lines[1].name, x=scales, y=lines[1].y.mean(axis=0), colour="grey", dash="dashed"))
    panel = Panel(
        x=Axis(label="Width of bins, s", log=True),
        y=Axis(label=f"C.o.v. of arrivals at {asked.link}", log=True),
        series=series,
        bands=bands,
    )
    return Chart(panels=[panel], height=_HEIGHT)


def _delay(asked: _Asked) -> Chart:
    names = _by_flow(asked.runs[0])
    found: list[tuple[_Numbers, NDArray[np.str_]]] = []
    for run in asked.runs:
        left, waits, flows = _waits(asked.of_link(run, "packets", *_PACKET))
        there = (left >= asked.start) & (left < asked.end)
        found.append((waits[there], names[flows[there]]))
    if not all(waits.size for waits, _ in found):
        raise impossible(f"plot: no packet left the queue of {asked.link} in this time")
    x = np.linspace(0.0, max(float(waits.max()) for waits, _ in found), 4 * _POINTS + 1)
    lines = [_Line("all packets", _MILLI * x, np.array([_shares(waits, x) for waits, _ in found]))]
    for group in _several([groups for _, groups in found]):
        shares = [_shares(waits[groups == group], x) for waits, groups in found]
        lines.append(_Line(group, _MILLI * x, np.array(shares)))
    series, bands = _curves(lines, limits=(0.0, 1.0))
    panel = Panel(
        x=Axis(label=f"Time in the queue of {asked.link}, ms", low=0.0),
        y=Axis(label="Share of packets", low=0.0, high=1.02),
        series=series,
        bands=bands,
    )
    return Chart(panels=[panel], height=_HEIGHT)


def _check_same(points: Iterable[_Numbers]) -> None:
    first, *others = points
    if not all(np.array_equal(first, each) for each in others):
        raise impossible("plot: the runs differ in the interval or the time of their records; draw each run alone")


def _over_time(asked: _Asked, lines: Sequence[_Line], label: str, x_label: str = "Time, s") -> Chart:
    if not any(line.x.size for line in lines):
        raise impossible(f"plot: there is nothing to draw from {asked.start:g} s to {asked.end:g} s")
    series, bands = _curves(lines)
    most = _ABOVE * max((float(np.nanmax(line.y, initial=0.0)) for line in lines), default=0.0) or 1.0
    panel = Panel(
        x=Axis(label=x_label, low=asked.start, high=asked.end),
        y=Axis(label=label, low=0.0, high=most),
        series=series,
        bands=bands,
    )
    return Chart(panels=[panel], height=_HEIGHT)


def _curves(
    lines: Sequence[_Line], *, marked: bool = False, limits: tuple[float, float] = (0.0, math.inf)
) -> tuple[list[Series], list[Band]]:
    """Draw each line, or the mean of its runs with an interval at each point."""
    series: list[Series] = []
    bands: list[Band] = []
    for line, (colour, marker) in zip(lines, PENS[:_MOST_LINES], strict=False):
        runs = len(line.y)
        several = runs > 1
        means, low, high = _intervals(line.y)
        one = Series(
            name=line.name,
            x=line.x,
            y=means,
            colour=colour,
            width=1.4 if several or marked else 1.0,
            marker=marker if marked else None,
            listed=several or marked or len(lines) > 1,
        )
        series.append(one)
        if several:
            low, high = np.clip([low, high], *limits)
            name = f"95 % interval of {runs} runs"
            bands.append(Band(name=name, x=line.x, low=low, high=high, colour=colour, listed=not bands))
    return series, bands


def _intervals(rows: _Numbers) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Return the mean of each column without its gaps, and the ends of its interval; NaN where there is none."""
    if len(rows) == 1:
        return rows[0], rows[0], rows[0]
    found = np.full((3, rows.shape[1]), math.nan)
    for place, column in enumerate(rows.T):
        there = column[np.isfinite(column)]
        if there.size:
            interval = student_interval(there)
            found[:, place] = interval.mean, interval.low, interval.high
    found[1:, ~np.isfinite(found[1])] = math.nan
    return found[0], found[1], found[2]


_PACKET: Final = ("time", "event", "flow", "kind", "segment")


def _waits(rows: _Rows) -> tuple[_Numbers, _Numbers, NDArray[np.int64]]:
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


def _shares(values: _Numbers, at: _Numbers) -> _Numbers:
    """Return the share of the values up to each point; NaN without values."""
    if not values.size:
        return np.full(at.size, math.nan)
    return np.searchsorted(np.sort(values), at, side="right") / values.size


def _sampled(times: _Numbers, values: _Numbers, at: _Numbers) -> _Numbers:
    """Return the values of a step function at the given times; NaN before its first step."""
    place = np.searchsorted(times, at, side="right") - 1
    return np.where(place < 0, math.nan, values[np.maximum(place, 0)]) if times.size else np.full(at.size, math.nan)


def _above_zero(values: _Numbers) -> _Numbers:
    """Leave out values that a logarithmic axis cannot show."""
    return np.where(values > 0, values, math.nan)


def _by_flow(run: Run) -> NDArray[np.str_]:
    """Return the name of the group of each flow."""
    return np.array([group.name or "" for group in run.scenario.groups for _ in range(group.flows)])


def _several(groups: Sequence[NDArray[np.str_]]) -> list[str]:
    """Return the groups to draw apart: none if there is only one, or if there are more than colours."""
    there = sorted({str(group) for each in groups for group in np.unique(each)})
    return there if 1 < len(there) < _MOST_LINES else []


@dataclass(frozen=True)
class _Kind:
    """A kind of figure: how it is made, and from which record."""

    chart: Callable[[_Asked], Chart]
    record: str
    measured: bool = False
    """Whether the figure shows only the measured time by default, as the summary does."""


FIGURES: Final[Mapping[str, _Kind]] = {
    "throughput": _Kind(_throughput, "packets"),
    "queue": _Kind(_queue, "queue"),
    "cwnd": _Kind(_windows, "windows"),
    "cov": _Kind(_ladder, "arrivals", measured=True),
    "delay": _Kind(_delay, "packets", measured=True),
}
"""The usual figures by name."""
