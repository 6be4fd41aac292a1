"""Figures 5 to 12 of the paper: congestion windows through one run, with those of ns-2 below on the same axes."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.courses import QUANTILES, SEED, courses_of, courses_table
from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, DURATION
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, UNIT, effective
from ackclock.papers.core.words import listed
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing

if TYPE_CHECKING:
    from ackclock.papers.burstiness.courses import Courses
    from ackclock.papers.burstiness.windows import Trace
    from ackclock.papers.core.evidence import Evidence


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowFigure:
    """One of the paper's figures of congestion windows.

    Parameters
    ----------
    number
        Its number in the paper.
    variant, clients
        What runs.
    zoom
        First and last time unit of the upper panels.
    shows
        What the upper panels show, for the caption.

    """

    number: int
    variant: str
    clients: int
    zoom: tuple[int, int]
    shows: str

    @property
    def title(self) -> str:
        """The heading."""
        return f"Figure {self.number}. Congestion windows of TCP {self.variant} with {self.clients} clients"


WINDOW_FIGURES = (
    WindowFigure(number=5, variant="Reno", clients=20, zoom=(0, 100), shows="the first 10 s"),
    WindowFigure(number=6, variant="Reno", clients=30, zoom=(0, 100), shows="the first 10 s"),
    WindowFigure(number=7, variant="Reno", clients=38, zoom=(0, 500), shows="the first 50 s"),
    WindowFigure(number=8, variant="Reno", clients=39, zoom=(0, 500), shows="the first 50 s"),
    WindowFigure(number=9, variant="Reno", clients=60, zoom=(1000, 1200), shows="20 s from its middle"),
    WindowFigure(number=10, variant="Vegas", clients=20, zoom=(0, 200), shows="the first 20 s"),
    WindowFigure(number=11, variant="Vegas", clients=30, zoom=(0, 200), shows="the first 20 s"),
    WindowFigure(number=12, variant="Vegas", clients=60, zoom=(0, 200), shows="the first 20 s"),
)

WINDOWS = tuple((figure.variant, figure.clients) for figure in WINDOW_FIGURES)
"""Variant and number of clients of each."""

_COLOURS = dict(zip(CLIENTS_SHOWN, ("blue", "red", "green"), strict=True))


def window_drawings(evidence: Evidence, command: str) -> list[Drawing]:
    """Draw every figure of windows and lay its data beside it."""
    drawings = []
    for figure in WINDOW_FIGURES:
        own, other = (courses_of(side, figure.variant, figure.clients) for side in (evidence.ours, evidence.ns2))
        drawings.append(
            Drawing(
                chart=window_chart(figure, own, other),
                slug=f"figure{figure.number}",
                title=figure.title,
                caption=_caption(figure, len(own.runs)),
                csv=_data(own, other),
                numbers=courses_table(own, other),
                command=command,
            )
        )
    return drawings


def window_chart(figure: WindowFigure, ours: Courses, ns2: Courses) -> Chart:
    """Draw one figure: a section of the run and the whole run, each from both simulators."""
    panels = []
    whole = (0, round(DURATION / UNIT))
    for places, span, bold in (("ab", figure.zoom, 1.5), ("cd", whole, 0.9)):
        top = 1.08 * max(_highest(side.drawn, span) for side in (ours, ns2))
        for place, source, side in zip(places, ("Ackclock", "ns-2.35"), (ours, ns2), strict=True):
            label = f"Time (units of {UNIT:g} s)" if place in "bd" else ""
            panels.append(
                Panel(
                    title=f"({place}) {source}",
                    x=Axis(label=label, low=span[0], high=span[1]),
                    y=Axis(low=0, high=top),
                    series=_series(side.drawn, span, bold=bold),
                    bands=[_band(side, span)] if span != whole else [],
                    levels=[Level(y=ADVERTISED_WINDOW)],
                )
            )
    return Chart(panels=panels, height=7.8, y_label="Congestion window (packets)")


def _band(side: Courses, span: tuple[int, int]) -> Band:
    band = side.band
    shown = (band.units >= span[0]) & (band.units <= span[1])
    return Band(
        name=f"{_percent(QUANTILES[0])} to {_percent(QUANTILES[-1])} of {len(side.runs)} seeds",
        x=band.units[shown],
        low=band.low[shown],
        high=band.high[shown],
        colour="grey",
    )


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _highest(trace: Trace, span: tuple[int, int]) -> float:
    shown = (trace.units >= span[0]) & (trace.units <= span[1])
    return max(ADVERTISED_WINDOW, *(float(window[shown].max()) for window in trace.windows.values()))


def _series(trace: Trace, span: tuple[int, int], *, bold: float) -> list[Series]:
    """Draw effective windows boldly and, where the congestion window is larger, that as a thin line."""
    shown = (trace.units >= span[0]) & (trace.units <= span[1])
    units = trace.units[shown]
    drawn = []
    for client, colour in _COLOURS.items():
        window = trace.windows[client][shown]
        above = window > ADVERTISED_WINDOW
        # With a sample on either side, so that the thin line leaves the bold one without a gap.
        near = np.convolve(above, [1, 1, 1])[1:-1] > 0
        name = f"client {client}"
        if near.any():
            beyond = np.where(near, window, np.nan)
            drawn.append(Series(name=name, x=units, y=beyond, colour=colour, width=0.6, listed=False))
        drawn.append(Series(name=name, x=units, y=effective(window), colour=colour, width=bold))
    return drawn


def _caption(figure: WindowFigure, seeds: int) -> str:
    return (
        f"Clients {listed(list(map(str, CLIENTS_SHOWN)))} of one run, seed {SEED}, sampled every {UNIT:g} s: (a) and "
        f"(b) {figure.shows}, (c) and (d) the whole run. Bold lines are what TCP may send, the congestion window cut "
        f"off at the advertised window of {ADVERTISED_WINDOW} packets (dotted); thin lines go on where the congestion "
        "window is larger, without effect. ns-2's run (seed 1) draws other random numbers: compare the patterns, not "
        f"single losses. Grey: where the three windows lie in most of {seeds} runs of each simulator, which the table "
        "sums up. The CSV has the congestion windows; those of ns-2 are kept to a tenth of a packet."
    )


def _data(ours: Courses, ns2: Courses) -> str:
    """Write the congestion windows and the bands as CSV: a row a sample, columns for either simulator."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    names = [*(f"client_{client}" for client in CLIENTS_SHOWN), *(f"quantile_{share:g}" for share in QUANTILES)]
    rows.writerow(["time_s", *(f"{source}_{name}" for source in ("ackclock", "ns2") for name in names)])
    own, other = (
        {
            int(unit): [f"{window:.{digits}f}".rstrip("0").rstrip(".") for window in columns]
            for unit, *columns in zip(
                side.drawn.units,
                *(side.drawn.windows[client] for client in CLIENTS_SHOWN),
                side.band.low,
                side.band.middle,
                side.band.high,
                strict=True,
            )
        }
        for side, digits in ((ours, 2), (ns2, 1))
    )
    blank = [""] * len(names)
    for unit in sorted({*own, *other}):
        rows.writerow([f"{unit * UNIT:.1f}", *own.get(unit, blank), *other.get(unit, blank)])
    return text.getvalue()
