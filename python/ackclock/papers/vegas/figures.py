"""What the figures share: the data of places, lines along the buffer, and the table of what each cause does."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.reading import shown
from ackclock.papers.truth import Truth
from ackclock.papers.vegas.evidence import line
from ackclock.papers.vegas.experiment import BUFFERS, GREEDY, OPEN, TRACE, TRANSFERS, Place
from ackclock.papers.vegas.measures import HELD, KINDS, OUTCOMES, holds_its_own, interval
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.vegas.measures import Runs
    from ackclock.report.chart import Dash, Marker

__all__ = ["RATIO", "Line", "cause_lines", "cell", "data", "drawing", "start_words"]

RATIO = "Goodput of a Vegas client over a Reno client's"
"""What the figures show, in words."""

_COLUMNS = (
    *("ratio", "share", "jain_between", "queue_mean", "queue_sd", "utilization"),
    *(
        f"{kind}_{name}"
        for kind in KINDS
        for name in ("goodput", "held", "loss", "timeouts", "jain", "window", "window_cov", "rtt_least")
    ),
)
"""What the CSV files have of each place."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A place at every buffer, and what it looks like."""

    name: str
    place: Place
    colour: str
    marker: Marker
    dash: Dash = "solid"
    measure: str = "ratio"


def start_words(start: int) -> str:
    """Say when Vegas starts."""
    return f"after {start} s" if start else "together"


def _along(*, last: bool = True) -> Axis:
    return Axis(
        label="Buffer (packets)" if last else "",
        low=8,
        high=3750,
        log=True,
        ticks=[(buffer, f"{buffer:,}") for buffer in BUFFERS],
    )


def data(runs: Runs, where: Iterable[Place]) -> str:
    """Write places as CSV, a row each: what was chosen there, what became of Vegas, means and 95 % half-widths."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    chosen = ("application", "clients", "vegas", "gateway", "buffer", "start", "load", "base_rtt", "ties", "whole")
    rows.writerow([*chosen, "runs", "outcome", *(f"{name}{end}" for name in _COLUMNS for end in ("", "_ci95"))])
    for place in dict.fromkeys(where):
        points = [interval(runs, place, name) if _has(runs, place, name) else None for name in _COLUMNS]
        numbers = [
            "" if point is None else f"{number:.6g}"
            for point in points
            for number in ((point.mean, point.half_width) if point else (0, 0))
        ]
        rows.writerow(
            [
                place.application,
                sum(place.clients),
                place.clients[1],
                place.gateway,
                place.buffer,
                place.start,
                place.load,
                place.base_rtt or "ns2",
                int(place.ties),
                int(place.whole),
                len(runs[place]),
                OUTCOMES[holds_its_own(interval(runs, place))] if _has(runs, place, "ratio") else "",
                *numbers,
            ]
        )
    return text.getvalue()


def _has(runs: Runs, place: Place, name: str) -> bool:
    return any(run.get(name) is not None for run in runs[place])


def _panel(
    runs: Runs, lines: Sequence[Line], *, title: str, y: Axis, last: bool, levels: Sequence[Level] = ()
) -> Panel:
    """Draw lines along the buffer, each with the band of its 95 % interval."""
    series, bands = [], []
    for one in lines:
        points = [interval(runs, place, one.measure) for place in line(one.place)]
        means = np.array([point.mean for point in points])
        half = np.array([point.half_width if math.isfinite(point.half_width) else 0.0 for point in points])
        floor = y.low if y.log and y.low else -np.inf
        series.append(
            Series(
                name=one.name,
                x=BUFFERS,
                y=np.maximum(means, floor),
                colour=one.colour,
                marker=one.marker,
                dash=one.dash,
            )
        )
        bands.append(
            Band(
                name=one.name,
                x=BUFFERS,
                low=np.maximum(means - half, floor),
                high=np.maximum(means + half, floor),
                colour=one.colour,
                listed=False,
            )
        )
    return Panel(title=title, x=_along(last=last), y=y, series=series, bands=bands, levels=levels)


def drawing(
    runs: Runs,
    panels: Mapping[str, Sequence[Line]],
    *,
    slug: str,
    title: str,
    caption: str,
    command: str,
    axes: Sequence[Axis],
    height: float,
    own: bool = True,
) -> Drawing:
    """Make a figure of panels of lines along the buffer.

    Parameters
    ----------
    runs
        All runs.
    panels
        The lines of each, by the panel's title.
    axes
        Their vertical axes.
    own
        Whether they show ratios, where one and what holds its own are marked.
    slug, title, caption, command, height
        As for `ackclock.report.html.Drawing` and `ackclock.report.chart.Chart`.

    """
    levels = (Level(y=1, dotted=False), Level(y=HELD)) if own else ()
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
                [f"{name}, {one.name}", *(shown(interval(runs, place, one.measure), 2) for place in line(one.place))]
                for name, one in every
            ],
        ),
        command=command,
    )


def cell(ratio: Interval) -> str:
    """Write a ratio, with a question mark where chance decides whether Vegas holds its own."""
    return f"{ratio.mean:.2f}" + ("?" if holds_its_own(ratio) is Truth.OPEN else "")


def cause_lines(runs: Runs) -> Table:
    """Lay out how each cause changes the goodput ratio, 30 against 30 unless stated, at every buffer."""
    rows = (
        ("Poisson, as in the papers", Place()),
        ("… starting together", Place(start=0)),
        ("… at 60 packets/s: the link is not full", Place(load=0.6)),
        ("… with the least sample as base round trip", Place(base_rtt="minimum")),
        ("greedy, window 20", Place(application=GREEDY)),
        ("… starting together", Place(application=GREEDY, start=0)),
        ("greedy, open window", Place(application=OPEN)),
        ("… starting together", Place(application=OPEN, start=0)),
        ("… with the least sample as base round trip", Place(application=OPEN, base_rtt="minimum")),
        ("… behind RED", Place(application=OPEN, gateway="RED")),
        ("transfers", Place(application=TRANSFERS)),
        ("replayed trace", Place(application=TRACE)),
        ("one against one", Place(application=OPEN, pair=True)),
    )
    return Table(
        caption=f"{RATIO} by the buffer, 30 of each and Vegas 10 s after Reno behind FIFO unless stated; a "
        f"question mark where the 95 % interval reaches to both sides of {HELD}",
        head=["", *(f"{buffer:,}" for buffer in BUFFERS)],
        rows=[[name, *(cell(interval(runs, at)) for at in line(place))] for name, place in rows],
    )
