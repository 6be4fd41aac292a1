"""The figures: the map, and goodput ratios, queue, oscillations and losses over the size of the buffer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ackclock.analysis import Interval
from ackclock.drawing.chart import Axis, Band, Heat, Level, Panel, Series
from ackclock.papers import truth
from ackclock.papers.core.figure import Figure
from ackclock.papers.core.marks import widths_of
from ackclock.papers.core.paper import Both
from ackclock.papers.vegas.evidence import PLANES, ByPlace, by_place, interval, line, plane
from ackclock.papers.vegas.experiment import (
    APPLICATIONS,
    BUFFERS,
    CLIENTS,
    DEFINITION,
    GATEWAYS,
    GREEDY,
    OPEN,
    POISSON,
    SHARES,
    STARTS,
    TRACE,
    TRANSFERS,
    Gateway,
    Place,
)
from ackclock.papers.vegas.measures import HELD, KINDS
from ackclock.report.html import Table
from ackclock.report.rows import rows_csv

RATIO = "Ratio of a Vegas client's goodput to a Reno client's"

_ENDS = 2.0  # the colours end at ratios of 2^-2 and 2^2
_BUFFERS = [f"{buffer:,}" for buffer in BUFFERS]

_PENS = DEFINITION.pens("lines")
_OUTCOMES = {truth.YES: "holds its own", truth.NO: "loses", truth.OPEN: "is undecided"}
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
    """A line of a figure: one measure at a place with every buffer."""

    name: str
    place: Place
    measure: str = "ratio"


def start_words(start: int) -> str:
    return f"after {start} s" if start else "together"


def data(runs: ByPlace, where: Iterable[Place]) -> str:
    """Format places as CSV, one row each: coordinates, outcome for Vegas, means and half-widths of 95 % intervals."""
    rows: list[list[object]] = [
        [*_CHOSEN, "runs", "outcome", *(f"{name}{end}" for name in _COLUMNS for end in ("", "_ci95"))]
    ]
    for place in dict.fromkeys(where):
        points = [interval(runs, place, name) if _has(runs, place, name) else None for name in _COLUMNS]
        numbers = [
            "" if point is None else f"{number:.6g}"
            for point in points
            for number in ((point.mean, point.half_width) if point else (0, 0))
        ]
        total, vegas = sum(place.clients), place.clients[1]
        chosen = [place.application, total, vegas, place.gateway, place.buffer, place.start, place.load, place.base_rtt]
        outcome = "" if points[0] is None else _OUTCOMES[truth.at_least(points[0], HELD)]
        rows.append([*chosen, int(place.ties), int(place.whole), len(runs[place]), outcome, *numbers])
    return rows_csv(rows)


def _has(runs: ByPlace, place: Place, name: str) -> bool:
    return any(run.get(name) is not None for run in runs[place])


def lines_figure(
    panels: Mapping[str, Sequence[Line]],
    words: str,
    *,
    slug: str = "",
    height: float,
    ratios: bool = True,
    **fields: object,
) -> Figure:
    """Describe a figure with panels of lines over the buffer, by title; panels of ratios mark 1 and `HELD`."""
    last = list(panels)[-1]
    every = [(name, one) for name, lines in panels.items() for one in lines]
    places = [place for _, one in every for place in line(one.place)]
    axes = [_axis(**axis) for axis in DEFINITION.table("axes")[words]]
    draw = partial(_panel, ratios=ratios)
    return Figure(
        **DEFINITION.figure(words, slug=slug, **fields),
        plots=[
            partial(draw, lines=lines, title=name, y=axis, last=name == last)
            for (name, lines), axis in zip(panels.items(), axes if len(axes) > 1 else axes * len(panels), strict=True)
        ],
        height=height,
        csv=lambda evidence: data(by_place(evidence.ours), places),
        numbers=partial(_numbers, every=every),
    )


def _axis(*, ticks: Sequence[float] = (), **axis: Any) -> Axis:
    return Axis(**axis, ticks=[(at, f"{at:g}") for at in ticks] or None)


def _panel(evidence: Both, *, lines: Sequence[Line], title: str, y: Axis, last: bool, ratios: bool) -> Panel:
    """Draw lines over the buffer, each with the band of its 95 % interval."""
    runs = by_place(evidence.ours)
    ticks = [(buffer, f"{buffer:,}") for buffer in BUFFERS]
    x = Axis(label="Buffer (packets)" if last else "", low=8, high=3750, log=True, ticks=ticks)
    levels = (Level(y=1, dotted=False), Level(y=HELD)) if ratios else ()
    floor = y.low if y.log and y.low else -np.inf
    series, bands = [], []
    for one in lines:
        points = [interval(runs, place, one.measure) for place in line(one.place)]
        means = np.array([point.mean for point in points])
        half = widths_of(points)
        middle, low, high = (np.maximum(values, floor) for values in (means, means - half, means + half))
        pen = _PENS[one.name]
        series.append(Series(name=one.name, x=BUFFERS, y=middle, colour=pen.colour, marker=pen.marker, dash=pen.dash))
        bands.append(Band(name=one.name, x=BUFFERS, low=low, high=high, colour=pen.colour, listed=False))
    return Panel(title=title, x=x, y=y, series=series, bands=bands, levels=levels)


def _numbers(evidence: Both, *, every: Sequence[tuple[str, Line]]) -> Table:
    runs = by_place(evidence.ours)
    return Table(
        caption="Mean ± half-width of the 95 % interval for each buffer (packets)",
        head=["", *_BUFFERS],
        rows=[
            [f"{name}, {one.name}", *(interval(runs, place, one.measure).shown(2) for place in line(one.place))]
            for name, one in every
        ],
    )


def cell(ratio: Interval) -> str:
    """Write a ratio, with a question mark where it is undecided whether Vegas gets its share."""
    return f"{ratio.mean:.2f}" + ("?" if truth.at_least(ratio, HELD) is truth.OPEN else "")


def cause_lines(evidence: Both) -> Table:
    """Lay out the goodput ratio for each cause and buffer."""
    runs = by_place(evidence.ours)
    return Table(
        caption=f"{RATIO} for each buffer (packets). Unless stated, 30 clients of each kind share a FIFO gateway, and "
        f"Vegas starts 10 s after Reno. A question mark means that the 95 % interval contains {HELD}",
        head=["", *_BUFFERS],
        rows=[
            [name, *(cell(interval(runs, at)) for at in line(Place(**place)))]
            for name, place in DEFINITION.table("causes")["rows"]
        ],
    )


def _plane(evidence: Both, *, application: str, start: int, gateway: Gateway) -> Panel:
    """Draw one plane of the map."""
    runs = by_place(evidence.ours)
    ratios = [interval(runs, place) for place in plane(application, start, gateway)]
    logs = np.array([math.log2(max(ratio.mean, 1e-3)) for ratio in ratios]).reshape(len(SHARES), len(BUFFERS))
    words = np.array([cell(ratio) for ratio in ratios]).reshape(logs.shape).tolist()
    label = "Buffer (packets)" if (start, gateway) == PLANES[-1] else ""
    return Panel(
        title=f"{gateway}, {start_words(start)}",
        x=Axis(label=label, ticks=list(enumerate(_BUFFERS))),
        y=Axis(
            label="Clients that run Vegas (%)",
            ticks=[(place, f"{100 * vegas // CLIENTS}") for place, vegas in enumerate(SHARES)],
        ),
        series=(),
        heat=Heat(
            values=logs,
            words=words,
            label="Vegas / Reno, per client",
            low=-_ENDS,
            high=_ENDS,
            parted=True,
            ticks=[(-2, "≤ ¼"), (-1, "½"), (0, "1"), (1, "2"), (2, "≥ 4")],
        ),
    )


def _map_table(evidence: Both, *, application: str) -> Table:
    runs = by_place(evidence.ours)
    return Table(
        caption=f"{RATIO}: mean ± half-width of the 95 % interval; in brackets Vegas' share of all goodput",
        head=["", *_BUFFERS],
        rows=[
            [
                f"{gateway}, {start_words(start)}, {100 * vegas // CLIENTS} %",
                *(
                    f"{interval(runs, place).shown(2)} ({100 * interval(runs, place, 'share').mean:.0f} %)"
                    for place in plane(application, start, gateway)
                    if place.vegas == vegas
                ),
            ]
            for start, gateway in PLANES
            for vegas in SHARES
        ],
    )


def _map(application: str, letter: str) -> Figure:
    where = [place for one in PLANES for place in plane(application, *one)]
    slug = f"map-{application.rsplit(maxsplit=1)[-1] if application != OPEN else 'open'}".lower()
    return Figure(
        **DEFINITION.figure("map", slug=slug, letter=letter, application=application, clients=CLIENTS, held=HELD),
        plots=[partial(_plane, application=application, start=start, gateway=gateway) for start, gateway in PLANES],
        height=8.6,
        csv=lambda evidence: data(by_place(evidence.ours), where),
        numbers=partial(_map_table, application=application),
    )


MAPS = [_map(application, letter) for letter, application in zip("ABCDE", APPLICATIONS, strict=True)]


def _line_figures() -> list[Figure]:
    """Describe the goodput ratio by application, start and pair, and the packets of each kind in the queue."""
    applications: dict[str, list[Line]] = {
        gateway: [Line(name, Place(application=name, gateway=gateway)) for name in APPLICATIONS] for gateway in GATEWAYS
    }
    pair: dict[str, list[Line]] = {
        gateway: [
            Line(f"{name}, {start_words(start)}", Place(application=name, pair=True, start=start, gateway=gateway))
            for name, start in [*((OPEN, start) for start in STARTS), (POISSON, 10), (TRANSFERS, 10), (TRACE, 10)]
        ]
        for gateway in GATEWAYS
    }
    held = {application: _kinds(application, "held") for application in (POISSON, GREEDY, OPEN)}
    return [
        lines_figure(applications, "applications", height=6.8, held=HELD),
        *(_starts(gateway, letter) for gateway, letter in zip(GATEWAYS, "GH", strict=True)),
        lines_figure(pair, "pair", height=7.8),
        lines_figure(held, "held", height=9.5, ratios=False),
    ]


def _starts(gateway: Gateway, letter: str) -> Figure:
    panels = {
        application: [
            Line(start_words(start), Place(application=application, start=start, gateway=gateway)) for start in STARTS
        ]
        for application in APPLICATIONS
    }
    slug = f"starts-{gateway.lower()}"
    return lines_figure(panels, "starts", slug=slug, height=13.5, letter=letter, gateway=gateway, held=HELD)


def _kinds(application: str, measure: str) -> list[Line]:
    """Return the lines of both kinds of client behind both gateways."""
    return [
        Line(f"{kind.capitalize()}, {gateway}", Place(application=application, gateway=gateway), f"{kind}_{measure}")
        for gateway in GATEWAYS
        for kind in KINDS
    ]


def _swing_figures() -> list[Figure]:
    """Describe the oscillations of queue and windows, and the losses of each kind."""
    queue = [
        Line(f"{100 * vegas // CLIENTS} % Vegas", Place(application=OPEN, vegas=vegas), "queue_sd") for vegas in SHARES
    ]
    windows, loss, timeouts, jain = (_kinds(OPEN, name) for name in ("window_cov", "loss", "timeouts", "jain"))
    swings = {"(a) The queue": queue, "(b) The windows": windows}
    losses = {"(a) Loss": loss, "(b) Timeouts": timeouts, "(c) Jain's index of one variant's clients": jain}
    return [
        lines_figure(swings, "swings", height=7.8, ratios=False),
        lines_figure(losses, "losses", height=9.5, ratios=False),
    ]


LINES, SWINGS = _line_figures(), _swing_figures()
