"""Figures 5 to 7: the window, the round-trip time and retransmissions over the time of one run; and jitter."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.drawing.chart import Axis, Band, Level, Panel, Series
from ackclock.papers.core.figure import Figure
from ackclock.papers.core.words import DASH
from ackclock.papers.selfsimilar import measures
from ackclock.papers.selfsimilar.experiment import CONSTANT, DEFINITION, DURATION, GREEDY, RATE, READINGS, WINDOW
from ackclock.papers.selfsimilar.figures import (
    CAPTIONS,
    KEYS,
    PENS,
    beside,
    endings,
    numbers,
    points_of,
    runs_of,
    settings,
    sides,
    time_axis,
)
from ackclock.papers.selfsimilar.looks import LOW, SETTLED, SPIKE, STEP
from ackclock.papers.selfsimilar.tables import csv_text
from ackclock.report.html import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Side
    from ackclock.papers.core.paper import Both


def _first(side: Side, reading: str, variant: str, name: str) -> np.ndarray:
    """Return the time series of the first run, which is drawn."""
    return np.asarray(runs_of(side, reading, variant)[0].values[name])


def _times(count: int) -> np.ndarray:
    return np.arange(1, count + 1) * STEP


def _course(variant: str, both: Both, *, reading: str, name: str, y: Axis, level: float) -> Panel:
    """Draw one of our runs and one of ns-2's; windows also have a band from the 10th to the 90th percentile."""
    colour, last = PENS[variant].colour, variant == list(KEYS)[-1]
    theirs, ours = (_first(side, reading, variant, name) for side in (both.ns2, both.ours))
    bands = []
    if name == "cwnd":
        low, high = np.percentile([row.values[name] for row in runs_of(both.ours, reading, variant)], (10, 90), axis=0)
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
                listed=variant == next(iter(KEYS)),
            ),
            Series(name=variant, x=_times(ours.size), y=ours, colour=colour, width=1.3, listed=False),
        ],
        bands=bands,
        levels=[Level(y=level)],
    )


def _courses_csv(reading: str, name: str, both: Both) -> str:
    columns = {
        f"{source} {KEYS[variant]}": _first(side, reading, variant, name).tolist()
        for source, side in sides(both)
        for variant in KEYS
    }
    times = _times(round(DURATION / STEP)).tolist()
    return csv_text(["time", *columns], zip(times, *columns.values(), strict=True))


def _window_figure(reading: str, ending: str) -> Figure:
    return Figure(
        **DEFINITION.figure("figure5", slug=f"figure5{ending}", reading=reading),
        plots=[
            partial(_course, variant, reading=reading, name="cwnd", y=Axis(label="cwnd (packets)", low=0), level=LOW)
            for variant in KEYS
        ],
        height=8.8,
        csv=partial(_courses_csv, reading, "cwnd"),
        numbers=lambda both: numbers(
            both,
            [reading],
            [measures.LEAST, measures.MEDIAN, measures.MOST, measures.BELOW, measures.FALLS],
            f"Congestion window (packets) from {SETTLED} s on",
        ),
    )


def _round_trip_figure(reading: str, ending: str) -> Figure:
    return Figure(
        **DEFINITION.figure("figure6", slug=f"figure6{ending}", reading=reading),
        plots=[
            partial(
                _course, variant, reading=reading, name="rtt", y=Axis(label="RTT (ms)", low=70, high=230), level=SPIKE
            )
            for variant in KEYS
        ],
        height=8.8,
        csv=partial(_courses_csv, reading, "rtt"),
        numbers=lambda both: numbers(
            both, [reading], [measures.LONGEST, measures.SPIKES, measures.AGAIN], "Round-trip times (ms) and spikes"
        ),
    )


_SHOWN: Final = {CONSTANT.name: "", GREEDY.name: "-greedy", WINDOW.name: "-window"}
"""Suffix of the file names for each reading; the reading that is closest to the paper's Figure 5 comes first."""

COURSES = (
    *(_window_figure(reading, ending) for reading, ending in _SHOWN.items()),
    *(_round_trip_figure(reading, ending) for reading, ending in _SHOWN.items()),
)


def _again(reading: str, both: Both) -> Panel:
    """Draw the times at which one run of each variant retransmitted a packet."""
    variants = list(reversed(KEYS))
    drawn = []
    for place, variant in enumerate(variants):
        for side, shift, ours in ((both.ours, 0.12, True), (both.ns2, -0.18, False)):
            times = _first(side, reading, variant, "again")
            drawn.append(
                Series(
                    name=variant if ours else f"{variant}, ns-2.35",
                    x=times,
                    y=np.full(times.size, place + shift),
                    colour=PENS[variant].colour,
                    marker=PENS[variant].marker,
                    dash="none",
                    filled=ours,
                    size=4 if ours else 3.4,
                    listed=False,
                    group=variant,
                )
            )
    y = Axis(low=-0.6, high=3.6, ticks=[*enumerate(variants)])
    return Panel(title=reading, x=time_axis(reading), y=y, series=drawn)


_SENT_AGAIN = (measures.RETRANSMISSIONS, measures.DROPS, measures.TIMEOUTS)

FIGURE_7 = Figure(
    **DEFINITION.figure("figure7"),
    plots=[partial(_again, reading) for reading in READINGS],
    height=7.2,
    csv=lambda both: csv_text(
        ["source", "reading", "variant", "time"],
        (
            [source, reading, KEYS[variant], float(time)]
            for source, side in sides(both)
            for reading, variant in settings()
            for time in _first(side, reading, variant, "again")
        ),
    ),
    numbers=lambda both: numbers(both, READINGS, _SENT_AGAIN, "Counts in 100 s"),
)


def _transports(side: Side) -> Iterator[tuple[str, dict[str, Interval]]]:
    """Yield the delays of each transport at the constant rate, then of each variant under the other readings."""
    found = {name: {**points_of(side, one), **points_of(side, one, "udp")} for name, one in measures.JITTER.items()}
    constant = CONSTANT.name
    others = [setting for setting in settings() if setting[0] != constant]
    for reading, variant in (*((constant, variant) for variant in (*KEYS, "UDP")), *others):
        there = {name: points[reading, variant] for name, points in found.items() if (reading, variant) in points}
        if there:
            yield variant if reading == constant else f"{variant}, {reading}", there


def _jitter(name: str, both: Both) -> Panel:
    late, names = name.startswith("late"), [*KEYS, "UDP"]
    y = Axis(label="ms", log=late, low=None if late else 0)

    def points(side: Side) -> list[Interval]:
        there = dict(_transports(side))
        return [there[transport][name] for transport in names]

    return beside(measures.JITTER[name].label, names, y, both, points, last=name == list(measures.JITTER)[-1])


def _delays(both: Both) -> Iterator[list[object]]:
    for source, side in sides(both):
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
        caption=CAPTIONS["jitter"],
        head=["", *(one.label for one in measures.JITTER.values())],
        rows=[
            [
                f"{name}{ending}",
                *(found[key].shown(one.digits) if key in found else DASH for key, one in measures.JITTER.items()),
            ]
            for ending, side in endings(both)
            for name, found in _transports(side)
        ],
    ),
)
