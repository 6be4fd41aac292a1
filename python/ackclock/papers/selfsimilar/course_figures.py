"""Figures 5 to 7: the window, the round-trip time and retransmissions over the time of one run; and jitter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Final

import numpy as np

from ackclock.analysis import Interval
from ackclock.drawing.chart import Axis, Band, Level, Panel, Series
from ackclock.papers.core.evidence import Side
from ackclock.papers.core.figure import Figure, csv_text, dots, sources
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.paper import Both
from ackclock.papers.core.words import DASH
from ackclock.papers.selfsimilar import figures as shared
from ackclock.papers.selfsimilar import measures
from ackclock.papers.selfsimilar.experiment import CONSTANT, DEFINITION, DURATION, GREEDY, RATE, READINGS, WINDOW
from ackclock.papers.selfsimilar.flow_measures import LOW, SETTLED, SPIKE, STEP
from ackclock.report.html import Table


def _first(side: Side, reading: str, variant: str, name: str) -> np.ndarray:
    """Return the time series of the first run, which is drawn."""
    return np.asarray(shared.runs_of(side, reading, variant)[0].values[name])


def _times(count: int) -> np.ndarray:
    return np.arange(1, count + 1) * STEP


def _course(variant: str, both: Both, *, reading: str, name: str, y: Axis, level: float) -> Panel:
    """Draw one of our runs and one of ns-2's; windows also have a band from the 10th to the 90th percentile."""
    colour, last = shared.PENS[variant].colour, variant == list(shared.KEYS)[-1]
    theirs, ours = (_first(side, reading, variant, name) for side in (both.ns2, both.ours))
    bands = []
    if name == "cwnd":
        low, high = np.percentile(
            [row.values[name] for row in shared.runs_of(both.ours, reading, variant)], (10, 90), axis=0
        )
        bands = [Band(name=variant, x=_times(low.size), low=low, high=high, colour=colour, listed=False)]
    return Panel(
        title=variant,
        x=Axis(label="Time (s)" if last else "", low=0, high=DURATION),
        y=y,
        series=[
            Series(
                name="ns-2.35",
                x=_times(theirs.size),
                y=theirs,
                colour="faint",
                dash="dashed",
                width=0.9,
                listed=variant == next(iter(shared.KEYS)),
            ),
            Series(name=variant, x=_times(ours.size), y=ours, colour=colour, width=1.3, listed=False),
        ],
        bands=bands,
        levels=[Level(y=level)],
    )


def _courses_csv(reading: str, name: str, both: Both) -> str:
    columns = {
        f"{source} {shared.KEYS[variant]}": _first(side, reading, variant, name).tolist()
        for source, side in sources(both)
        for variant in shared.KEYS
    }
    times = _times(round(DURATION / STEP)).tolist()
    return csv_text(["time", *columns], zip(times, *columns.values(), strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Courses:
    """One of the paper's figures over time: a time series of each variant, and a table of measures of it."""

    figure: str
    name: str
    y: Axis
    level: float
    columns: Sequence[Measure]
    caption: str

    def under(self, reading: str, ending: str) -> Figure:
        """Describe the figure for a reading."""
        return Figure(
            **DEFINITION.figure(self.figure, slug=f"{self.figure}{ending}", reading=reading),
            plots=[
                partial(_course, variant, reading=reading, name=self.name, y=self.y, level=self.level)
                for variant in shared.KEYS
            ],
            height=8.8,
            csv=partial(_courses_csv, reading, self.name),
            numbers=lambda both: shared.numbers(both, [reading], self.columns, self.caption),
        )


_FIGURES: Final = (
    _Courses(
        figure="figure5",
        name="cwnd",
        y=Axis(label="cwnd (packets)", low=0),
        level=LOW,
        columns=(measures.LEAST, measures.MEDIAN, measures.MOST, measures.BELOW, measures.FALLS),
        caption=f"Congestion window (packets) from {SETTLED} s on",
    ),
    _Courses(
        figure="figure6",
        name="rtt",
        y=Axis(label="RTT (ms)", low=70, high=230),
        level=SPIKE,
        columns=(measures.LONGEST, measures.SPIKES, measures.AGAIN),
        caption="Round-trip times (ms) and spikes",
    ),
)

_SHOWN: Final = {CONSTANT.name: "", GREEDY.name: "-greedy", WINDOW.name: "-window"}
"""Suffix of the file names for each reading; the reading that is closest to the paper's Figure 5 comes first."""

COURSES = [figure.under(*shown) for figure in _FIGURES for shown in _SHOWN.items()]


def _again(reading: str, both: Both) -> Panel:
    """Draw the times at which one run of each variant retransmitted a packet."""
    variants = list(reversed(shared.KEYS))
    drawn = []
    for place, variant in enumerate(variants):
        for side, shift, ours in ((both.ours, 0.12, True), (both.ns2, -0.18, False)):
            times = _first(side, reading, variant, "again")
            name, size = (variant, 4) if ours else (f"{variant}, ns-2.35", 3.4)
            y = np.full(times.size, place + shift)
            drawn.append(
                dots(name, times, y, shared.PENS[variant], filled=ours, size=size, listed=False, group=variant)
            )
    rows = Axis(low=-0.6, high=3.6, ticks=[*enumerate(variants)])
    return Panel(title=reading, x=shared.time_axis(reading), y=rows, series=drawn)


_SENT_AGAIN = (measures.RETRANSMISSIONS, measures.DROPS, measures.TIMEOUTS)

FIGURE_7 = Figure(
    **DEFINITION.figure("figure7"),
    plots=[partial(_again, reading) for reading in READINGS],
    height=7.2,
    csv=lambda both: csv_text(
        ["source", "reading", "variant", "time"],
        (
            [source, reading, shared.KEYS[variant], float(time)]
            for source, side in sources(both)
            for reading, variant in shared.settings()
            for time in _first(side, reading, variant, "again")
        ),
    ),
    numbers=lambda both: shared.numbers(both, READINGS, _SENT_AGAIN, "Counts in 100 s"),
)


def _transports(side: Side) -> Iterator[tuple[str, dict[str, Interval]]]:
    """Yield the delays of each transport at the constant rate, then of each variant under the other readings."""
    found = {
        name: {**shared.points_of(side, one), **shared.points_of(side, one, "udp")}
        for name, one in measures.JITTER.items()
    }
    constant = CONSTANT.name
    others = [setting for setting in shared.settings() if setting[0] != constant]
    for reading, variant in (*((constant, variant) for variant in (*shared.KEYS, "UDP")), *others):
        there = {name: points[reading, variant] for name, points in found.items() if (reading, variant) in points}
        if there:
            yield variant if reading == constant else f"{variant}, {reading}", there


def _jitter(name: str, both: Both) -> Panel:
    late, names = name.startswith("late"), [*shared.KEYS, "UDP"]
    y = Axis(label="ms", log=late, low=None if late else 0)

    def points(side: Side) -> list[Interval]:
        there = dict(_transports(side))
        return [there[transport][name] for transport in names]

    return shared.beside(measures.JITTER[name].label, names, y, both, points, last=name == list(measures.JITTER)[-1])


def _delays(both: Both) -> Iterator[list[object]]:
    for source, side in sources(both):
        for name, found in _transports(side):
            cells = [(found[one].mean, found[one].half_width) if one in found else ("", "") for one in measures.JITTER]
            yield [source, name, found["jitter"].count, *chain.from_iterable(cells)]


FIGURE_JITTER = Figure(
    **DEFINITION.figure("jitter", rate=RATE),
    plots=[partial(_jitter, name) for name in measures.JITTER],
    height=8.6,
    csv=lambda both: csv_text(
        ["source", "transport", "seeds", *(f"{name}{end}" for name in measures.JITTER for end in ("", "_ci95"))],
        _delays(both),
    ),
    numbers=lambda both: Table(
        caption=shared.CAPTIONS["jitter"],
        head=["", *(one.label for one in measures.JITTER.values())],
        rows=[
            [
                f"{name}{ending}",
                *(found[key].shown(one.digits) if key in found else DASH for key, one in measures.JITTER.items()),
            ]
            for ending, side in shared.endings(both)
            for name, found in _transports(side)
        ],
    ),
)
