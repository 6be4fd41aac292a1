"""Distribution functions of the completion times of transfers and of the load times of pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Chart, Panel
from ackclock.running.figures.asked import HEIGHT, POINTS, Line, curves, shares, where
from ackclock.values.errors import impossible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.running.figures.asked import Asked, Numbers, Rows

__all__ = ["DURATIONS", "durations", "durations_together"]


_DECADE: Final = 10
"""Ratio of the longest to the shortest time from which the axis is logarithmic; a shorter one would have few ticks."""


@dataclass(frozen=True)
class _Duration:
    """What is timed: the record, its column, and the words of a figure."""

    record: str
    column: str
    things: str
    label: str

    def rows(self, asked: Asked) -> list[Rows]:
        """Return the rows of each run that begin in the time to draw."""
        found: list[Rows] = []
        for run in asked.runs:
            rows = asked.of_flows(run, self.record, "start", self.column, "group")
            there = (rows["start"] >= asked.start) & (rows["start"] < asked.end)
            found.append(where(there, rows))
        return found

    def line(self, name: str, values: Sequence[Numbers], x: Numbers) -> Line:
        """Return the distribution function of each run. What did not end counts as longer than all others."""
        total, ended = sum(each.size for each in values), sum(int(np.isfinite(each).sum()) for each in values)
        y = np.array([shares(np.nan_to_num(each, nan=np.inf), x) for each in values])
        return Line(f"{name} ({ended:,} of {total:,} ended)", x, y)

    def axis(self, values: Sequence[Numbers], asked: Asked) -> Numbers:
        """Return the points of the axis, from the shortest time to the longest one."""
        times = np.concatenate(values)
        times = times[times > 0]
        if not times.size:
            one = self.things[:-1]
            raise impossible(f"plot: no {one} that began from {asked.start:g} s to {asked.end:g} s has ended")
        low, high = float(times.min()), float(times.max())
        x = (np.geomspace if high > _DECADE * low else np.linspace)(low, high, 4 * POINTS + 1)
        x[-1] = high
        return x

    def chart(self, lines: Sequence[Line]) -> Chart:
        """Draw the lines."""
        series, bands = curves(lines, limits=(0.0, 1.0))
        panel = Panel(
            x=Axis(label=self.label, log=bool(lines[0].x[-1] > _DECADE * lines[0].x[0])),
            y=Axis(label=f"Share of {self.things}", low=0.0, high=1.02),
            series=series,
            bands=bands,
        )
        return Chart(panels=[panel], height=HEIGHT)


DURATIONS: Final = {
    "completion": _Duration("transfers", "completion", "transfers", "Completion time, s"),
    "load_times": _Duration("pages", "load", "pages", "Load time, s"),
}
"""The durations with a figure, by its name."""


def durations(asked: Asked, name: str) -> Chart:
    """Draw the distribution function of durations in runs of one scenario, also of each group."""
    kind = DURATIONS[name]
    found = kind.rows(asked)
    x = kind.axis([rows[kind.column] for rows in found], asked)
    lines = [kind.line(f"all {kind.things}", [rows[kind.column] for rows in found], x)]
    groups = asked.several([rows["group"] for rows in found])
    of = {group: [rows[kind.column][rows["group"] == group] for rows in found] for group in groups}
    return kind.chart([*lines, *(kind.line(group, own, x) for group, own in of.items())])


def durations_together(runs: Mapping[str, Asked], name: str) -> Chart:
    """Draw the distribution functions of durations in runs of several scenarios."""
    kind = DURATIONS[name]
    found = {of: [rows[kind.column] for rows in kind.rows(asked)] for of, asked in runs.items()}
    x = kind.axis([each for values in found.values() for each in values], next(iter(runs.values())))
    return kind.chart([kind.line(of, values, x) for of, values in found.items()])
