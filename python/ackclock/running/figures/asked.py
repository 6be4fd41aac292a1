"""What a figure of runs shows, and the curves that it draws from the rows of records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.analysis import student_interval
from ackclock.drawing.chart import PENS, Axis, Band, Chart, Moment, Panel, Series
from ackclock.running import changing
from ackclock.values.columns import numbers, words
from ackclock.values.errors import impossible, listed, refuse
from ackclock.values.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.running.run import Run

    Numbers = NDArray[np.float64]
    Rows = Mapping[str, NDArray[Any]]

__all__ = ["FAINT", "HEIGHT", "HUES", "MOST_LINES", "POINTS", "Asked", "Line", "where"]

MOST_LINES: Final = 6
"""Maximum number of lines that a figure tells apart."""
HEIGHT: Final = 3.3
"""Height of a figure, in inches."""
POINTS: Final = 100
"""Maximum number of bins of a throughput of several runs, and number of points at which they are compared."""
_BINS_OF_ONE: Final = 5 * POINTS
"""Maximum number of bins of a throughput of one run."""
HUES: Final = (("blue", "sky"), ("red", "orange"), ("green", "mint"))
"""Colours of a group's mean and of its flows."""
FAINT: Final = 0.4
"""Width of one of many lines, in points."""
_FEW: Final = 8
"""Maximum number of changes that a figure describes in words."""
_MOST_MARKED: Final = 40
"""Maximum number of joins, leaves and steps of traces that a figure marks."""
_CELLS: Final = 1000
"""Cells of the grid of separate points, in each direction."""
_MEGABITS: Final = 8e-6
_ROUNDING: Final = 1e-9
"""Part of a bin by which times differ because of rounding."""
_ABOVE: Final = 1.05
"""Room above the largest value of any run; wide intervals, such as those of slow starts, end there."""


@dataclass(frozen=True)
class Line:
    """A curve of several runs: one row of `y` for each run."""

    name: str
    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Bins:
    """Equal bins in which bytes become rates."""

    start: float
    width: float
    count: int

    @property
    def starts(self) -> Numbers:
        """The start of each bin, in seconds."""
        return self.start + self.width * np.arange(self.count, dtype=np.float64)

    @property
    def label(self) -> str:
        """The label of the axis of time."""
        return f"Time, s (bins of {self.width:g} s)"

    def rates(self, times: Numbers, amounts: Numbers) -> Numbers:
        """Return the rate in each bin in Mb/s, from bytes at the given times."""
        place = np.floor((times - self.start) / self.width + _ROUNDING)
        there = (place >= 0) & (place < self.count)
        summed = np.bincount(place[there].astype(np.int64), amounts[there], minlength=self.count)
        rates: Numbers = (summed * _MEGABITS / self.width).astype(np.float64)
        return rates


@dataclass(frozen=True)
class Asked:
    """What a figure shows."""

    runs: Sequence[Run]
    link: str | None
    """The link of a figure of a link."""
    flow: int | None
    start: float
    end: float
    names: Sequence[str] = ()
    """Gauges or variables, each in its own panel."""

    @property
    def run(self) -> Run:
        """The first run, or the only one."""
        return self.runs[0]

    @property
    def bin(self) -> float:
        """Width of the scenario's bins, in seconds."""
        return seconds(self.run.scenario.measure.bin or "")

    @property
    def grid(self) -> Numbers:
        """Times at which several runs are compared."""
        return np.linspace(self.start, self.end, POINTS + 1)

    @property
    def groups(self) -> NDArray[np.str_]:
        """The name of the group of each flow."""
        return np.array([group.name or "" for group in self.run.scenario.groups for _ in range(group.flows)])

    def bins(self, times: Numbers) -> Bins:
        """Return bins for rows at equal distances: each one contains whole rows, and they are not too many to draw."""
        each = self.end - self.start if times.size < 2 else float(np.round(times[1] - times[0], 12))
        first = math.ceil((self.start - times[0]) / each - _ROUNDING) if times.size else 0
        start = float(times[0]) + each * max(first, 0)
        most = POINTS if len(self.runs) > 1 else _BINS_OF_ONE
        width = each * max(1, math.ceil((self.end - start) / each / most - _ROUNDING))
        count = int((self.end - start) / width + _ROUNDING)
        if count < 1:
            raise refuse("end", self.end, f"must be at least one bin of {width:g} s after the start")
        return Bins(start, width, count)

    def of_link(self, run: Run, record: str, *names: str) -> Rows:
        """Return the named columns of a record at the link."""
        table = run.table(record)
        links = words(table["link"])
        there = links == self.link
        if not there.any():
            others = f"; it has rows for {listed(np.unique(links))}" if links.size else ""
            raise impossible(f"plot: the record {record} has no rows for the link {self.link}{others}")
        return where(there, {name: _column(table[name]) for name in names})

    def of_flows(self, run: Run, record: str, *names: str) -> Rows:
        """Return the flow and the named columns of a record, of the flow that was asked for or of all flows."""
        table = run.table(record)
        rows = {name: _column(table[name]) for name in ("flow", *names)}
        rows["flow"] = rows["flow"].astype(np.int64)
        if self.flow is None:
            if not rows["flow"].size:
                raise impossible(f"plot: the record {record} has no rows")
            return rows
        there = rows["flow"] == self.flow
        if not there.any():
            recorded = listed(map(str, np.unique(rows["flow"])))
            raise refuse("flow", self.flow, f"must be one of the flows in the record {record}: {recorded or 'none'}")
        return where(there, rows)

    def within(self, rows: Rows) -> Rows:
        """Return the rows in the time to draw."""
        return where((rows["time"] >= self.start) & (rows["time"] < self.end), rows)

    def several(self, groups: Iterable[NDArray[np.str_]]) -> list[str]:
        """Return the groups to draw apart: none if there is only one, or if there are more than colours."""
        there = sorted({str(group) for each in groups for group in np.unique(each)})
        return there if 1 < len(there) < MOST_LINES else []

    def over_time(
        self, lines: Sequence[Line], label: str, x_label: str = "Time, s", *, beside: Sequence[Series] = ()
    ) -> Chart:
        """Draw curves over time, above zero, with other lines beside them."""
        if not any(line.x.size for line in lines):
            raise self.nothing()
        series, bands = curves(lines)
        most = highest([*(line.y for line in lines), *(np.asarray(each.y) for each in beside)])
        return self.chart([*series, *beside], label, x_label, bands=bands, most=most)

    def chart(
        self,
        series: Sequence[Series],
        label: str,
        x_label: str = "Time, s",
        *,
        bands: Sequence[Band] = (),
        most: float,
    ) -> Chart:
        """Make a chart of one panel with the time to draw, and values from zero to a little above the largest."""
        panel = Panel(
            x=Axis(label=x_label, low=self.start, high=self.end),
            y=Axis(label=label, low=0.0, high=_ABOVE * most or 1.0),
            series=series,
            bands=bands,
            moments=self.moments(),
        )
        return Chart(panels=[panel], height=HEIGHT)

    def moments(self) -> list[Moment]:
        """Mark the changes; unless they are very many, also joins and leaves of groups, and steps of traces.

        They are in words if they are few.
        """
        changes, joins = (
            [(at, text) for at, text in kind(self.run.scenario) if self.start <= at < self.end]
            for kind in (changing.changes, changing.joins)
        )
        others = [*joins, *islice(changing.steps(self.run.scenario, self.start, self.end), _MOST_MARKED + 1)]
        there = changing.merged(changes + (others if len(others) <= _MOST_MARKED else []))
        return [Moment(x=at, text=text if len(there) <= _FEW else "") for at, text in there.items()]

    def nothing(self) -> Exception:
        """Make the error for a time without rows."""
        return impossible(f"plot: there is nothing to draw from {self.start:g} s to {self.end:g} s")


def _column(column: Any) -> NDArray[Any]:
    """Convert a column to numbers, or to words."""
    import pyarrow as pa  # noqa: PLC0415  # slow to load

    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        return words(column)
    return numbers(column.cast(pa.uint8()) if pa.types.is_boolean(column.type) else column)


def within(spans: Sequence[tuple[float, float]], starts: Numbers, ends: Numbers) -> NDArray[np.bool_]:
    """Return which intervals lie within a period."""
    there: NDArray[np.bool_] = np.any([(starts >= begin) & (ends <= end) for begin, end in spans], axis=0)
    return there


def where(there: NDArray[np.bool_], rows: Rows) -> dict[str, NDArray[Any]]:
    """Return the chosen rows."""
    return {name: column[there] for name, column in rows.items()}


def highest(values: Iterable[Numbers]) -> float:
    """Return the largest value, without gaps; 0 if there is none."""
    return max((float(np.nanmax(each, initial=0.0)) for each in values), default=0.0)


def curves(
    lines: Sequence[Line], *, marked: bool = False, limits: tuple[float, float] = (0.0, math.inf)
) -> tuple[list[Series], list[Band]]:
    """Draw each line, or the mean of its runs with an interval at each point."""
    series: list[Series] = []
    bands: list[Band] = []
    for line, (colour, marker) in zip(lines, PENS[:MOST_LINES], strict=False):
        runs = len(line.y)
        several = runs > 1
        means, low, high = intervals(line.y)
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


def intervals(rows: Numbers) -> tuple[Numbers, Numbers, Numbers]:
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


def steps(times: Numbers, values: Numbers, start: float, end: float) -> tuple[Numbers, Numbers]:
    """Return a step function between two times: each value holds until the next."""
    first = max(int(np.searchsorted(times, start, side="right")) - 1, 0)
    last = int(np.searchsorted(times, end, side="left"))
    if last <= first:
        return np.empty(0), np.empty(0)
    at = np.append(np.maximum(times[first:last], start), end)
    return np.repeat(at, 2)[1:-1], np.repeat(values[first:last], 2)


def sampled(times: Numbers, values: Numbers, at: Numbers) -> Numbers:
    """Return the values of a step function at the given times; NaN before its first step."""
    place = np.searchsorted(times, at, side="right") - 1
    return np.where(place < 0, math.nan, values[np.maximum(place, 0)]) if times.size else np.full(at.size, math.nan)


def thinned(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Keep one of all points that are drawn at the same place: one in each cell of a fine grid."""
    if not x.size:
        return x, y
    columns, rows = (np.rint(_CELLS * (each - each.min()) / (np.ptp(each) or 1.0)) for each in (x, y))
    _, first = np.unique(columns * (_CELLS + 1) + rows, return_index=True)
    first.sort()
    return x[first], y[first]


def shares(values: Numbers, at: Numbers) -> Numbers:
    """Return the share of the values up to each point; NaN without values."""
    if not values.size:
        return np.full(at.size, math.nan)
    return np.searchsorted(np.sort(values), at, side="right") / values.size
