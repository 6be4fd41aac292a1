"""What the figures share: the data of places, lines along the buffer, and the table of causes."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.truth import NO, OPEN, YES, at_least
from ackclock.papers.vegas.evidence import by_place, interval, line
from ackclock.papers.vegas.experiment import BUFFERS, GREEDY, TRACE, TRANSFERS, Place
from ackclock.papers.vegas.experiment import OPEN as WIDE_OPEN
from ackclock.papers.vegas.measures import HELD, KINDS
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.core.paper import Both
    from ackclock.papers.vegas.evidence import ByPlace
    from ackclock.report.chart import Dash, Marker

    Look = tuple[str, Marker, Dash]

RATIO = "Goodput of a Vegas client over a Reno client's"

_OUTCOMES = {YES: "holds its own", NO: "loses", OPEN: "is undecided"}
_CHOSEN = ("application", "clients", "vegas", "gateway", "buffer", "start", "load", "base_rtt", "ties", "whole")
_COLUMNS = (
    *("ratio", "share", "jain_between", "queue_mean", "queue_sd", "utilization"),
    *(
        f"{kind}_{name}"
        for kind in KINDS
        for name in ("goodput", "held", "loss", "timeouts", "jain", "window", "window_cov", "rtt_least")
    ),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A place at every buffer, and what it looks like."""

    name: str
    place: Place
    look: Look
    measure: str = "ratio"


def start_words(start: int) -> str:
    return f"after {start} s" if start else "together"


def data(runs: ByPlace, where: Iterable[Place]) -> str:
    """Write places as CSV, a row each: coordinates, outcome for Vegas, means and half-widths of 95 % intervals."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*_CHOSEN, "runs", "outcome", *(f"{name}{end}" for name in _COLUMNS for end in ("", "_ci95"))])
    for place in dict.fromkeys(where):
        points = [interval(runs, place, name) if _has(runs, place, name) else None for name in _COLUMNS]
        numbers = [
            "" if point is None else f"{number:.6g}"
            for point in points
            for number in ((point.mean, point.half_width) if point else (0, 0))
        ]
        total, vegas = sum(place.clients), place.clients[1]
        chosen = [place.application, total, vegas, place.gateway, place.buffer, place.start, place.load, place.base_rtt]
        outcome = "" if points[0] is None else _OUTCOMES[at_least(points[0], HELD)]
        rows.writerow([*chosen, int(place.ties), int(place.whole), len(runs[place]), outcome, *numbers])
    return text.getvalue()


def _has(runs: ByPlace, place: Place, name: str) -> bool:
    return any(run.get(name) is not None for run in runs[place])


def _panel(runs: ByPlace, lines: Sequence[Line], *, title: str, y: Axis, last: bool, levels: Sequence[Level]) -> Panel:
    """Draw lines along the buffer, each with the band of its 95 % interval."""
    x = Axis(
        label="Buffer (packets)" if last else "",
        low=8,
        high=3750,
        log=True,
        ticks=[(buffer, f"{buffer:,}") for buffer in BUFFERS],
    )
    floor = y.low if y.log and y.low else -np.inf
    series, bands = [], []
    for one in lines:
        points = [interval(runs, place, one.measure) for place in line(one.place)]
        means = np.array([point.mean for point in points])
        half = np.array([point.half_width if math.isfinite(point.half_width) else 0.0 for point in points])
        middle, low, high = (np.maximum(values, floor) for values in (means, means - half, means + half))
        colour, marker, dash = one.look
        series.append(Series(name=one.name, x=BUFFERS, y=middle, colour=colour, marker=marker, dash=dash))
        bands.append(Band(name=one.name, x=BUFFERS, low=low, high=high, colour=colour, listed=False))
    return Panel(title=title, x=x, y=y, series=series, bands=bands, levels=levels)


def drawing(
    evidence: Both,
    panels: Mapping[str, Sequence[Line]],
    *,
    slug: str,
    title: str,
    caption: str,
    command: str,
    axes: Sequence[Axis],
    height: float,
    ratios: bool = True,
) -> Drawing:
    """Draw panels of lines along the buffer, by title; ratios have levels at one and at `HELD`."""
    runs = by_place(evidence.ours)
    levels = (Level(y=1, dotted=False), Level(y=HELD)) if ratios else ()
    drawn = [
        _panel(runs, lines, title=name, y=axis, last=number == len(panels), levels=levels)
        for number, ((name, lines), axis) in enumerate(zip(panels.items(), axes, strict=True), start=1)
    ]
    every = [(name, one) for name, lines in panels.items() for one in lines]
    return Drawing(
        chart=Chart(panels=drawn, height=height),
        slug=slug,
        title=title,
        caption=f"{caption} Bands are 95 % confidence intervals (Student's t).",
        csv=data(runs, [place for _, one in every for place in line(one.place)]),
        numbers=Table(
            caption="Mean ± half-width of the 95 % interval by the buffer",
            head=["", *(f"{buffer:,}" for buffer in BUFFERS)],
            rows=[
                [f"{name}, {one.name}", *(interval(runs, place, one.measure).shown(2) for place in line(one.place))]
                for name, one in every
            ],
        ),
        command=command,
    )


def cell(ratio: Interval) -> str:
    """Write a ratio, with a question mark where it is undecided whether Vegas gets its share."""
    return f"{ratio.mean:.2f}" + ("?" if at_least(ratio, HELD) is OPEN else "")


def cause_lines(evidence: Both) -> Table:
    """Lay out how each cause changes the goodput ratio, 30 against 30 unless stated, at every buffer."""
    rows = (
        ("Poisson, as in the papers", Place()),
        ("… starting together", Place(start=0)),
        ("… at 60 packets/s: the link is not full", Place(load=0.6)),
        ("… with the least sample as base round trip", Place(base_rtt="minimum")),
        ("greedy, window 20", Place(application=GREEDY)),
        ("… starting together", Place(application=GREEDY, start=0)),
        ("greedy, open window", Place(application=WIDE_OPEN)),
        ("… starting together", Place(application=WIDE_OPEN, start=0)),
        ("… with the least sample as base round trip", Place(application=WIDE_OPEN, base_rtt="minimum")),
        ("… behind RED", Place(application=WIDE_OPEN, gateway="RED")),
        ("transfers", Place(application=TRANSFERS)),
        ("replayed trace", Place(application=TRACE)),
        ("one against one", Place(application=WIDE_OPEN, pair=True)),
    )
    runs = by_place(evidence.ours)
    return Table(
        caption=f"{RATIO} by the buffer, 30 of each and Vegas 10 s after Reno behind FIFO unless stated; a "
        f"question mark where the 95 % interval reaches to both sides of {HELD}",
        head=["", *(f"{buffer:,}" for buffer in BUFFERS)],
        rows=[[name, *(cell(interval(runs, at)) for at in line(place))] for name, place in rows],
    )
