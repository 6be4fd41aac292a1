"""A second look, drawn: burstiness at every time scale, autocorrelation of arrivals, and the queue."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import poisson_cov, student_interval
from ackclock.papers.burstiness.close import FINE, SCALES, UNIT
from ackclock.papers.burstiness.comparison import WARM
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, VARIANTS
from ackclock.papers.burstiness.figures import PENS
from ackclock.papers.figures import Pen
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.close import CloseLook

__all__ = ["close_drawings"]

_MOST = 60
"""The load at which all variants are compared."""

_OF_LOADS = (
    Pen(colour="grey", marker="circle"),
    Pen(colour="mint", marker="down"),
    Pen(colour="green", marker="triangle"),
    Pen(colour="sky", marker="pentagon"),
    Pen(colour="orange", marker="hexagon"),
    Pen(colour="blue", marker="square"),
)
"""Reno's pens, lightest load first."""

_TICKS = (10, 20, 30, 40)
"""Queue lengths that the table names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Curve:
    """One measure along its axis, averaged over the seeds."""

    name: str
    pen: Pen
    points: tuple[Interval, ...]

    def series(self, x: Sequence[float], *, bars: bool = True, markers: bool = True) -> Series:
        return Series(
            name=self.name,
            x=x,
            y=[point.mean for point in self.points],
            error=[point.half_width for point in self.points] if bars else None,
            colour=self.pen.colour,
            dash=self.pen.dash,
            marker=self.pen.marker if markers else None,
        )


def close_drawings(looks: Sequence[CloseLook], *, command: str) -> list[Drawing]:
    """Draw all figures of the second look.

    Parameters
    ----------
    looks
        Runs of all cells in `ackclock.papers.burstiness.close.CELLS`.
    command
        What a person types to make them.

    """
    seeds = len({look.seed for look in looks})
    runs = f"Means of {seeds} runs from {WARM} s on."
    return [_scales(looks, runs, command), _memory(looks, runs, command), _queue(looks, runs, command)]


def _scales(looks: Sequence[CloseLook], runs: str, command: str) -> Drawing:
    scales = list(SCALES)
    whole = _by_variant(looks, lambda look: look.ladder.cov)
    ratio = _by_variant(looks, _over_poisson)
    loads = _by_load(looks, _over_poisson)
    poisson = Series(
        name=f"Poisson, {_MOST} clients",
        x=scales,
        y=poisson_cov(ARRIVALS_PER_RTT / UNIT * _MOST * np.array(scales)),
        colour="ink",
        width=1.0,
    )
    along, last = (Axis(label=label, low=0.008, high=12.5, log=True) for label in ("", "Length of a bin (s)"))
    relative = "c.o.v. relative to Poisson"
    return Drawing(
        slug="scales",
        title="Figure A. Burstiness at every time scale",
        caption=f"Coefficient of variation of the arrivals at the gateway, counted in bins of {SCALES[0]:g} to "
        f"{SCALES[-1]:g} s: (a) of all variants with {_MOST} clients; (b) the same relative to a Poisson process of as "
        f"many arrivals; (c) Reno behind FIFO at several loads. {runs} Bars: 95 % "
        f"confidence intervals. The paper looked at {UNIT:g} s alone.",
        chart=Chart(
            height=8.6,
            panels=[
                Panel(
                    title=f"(a) {_MOST} clients",
                    x=along,
                    y=Axis(label="c.o.v.", low=4e-4, high=0.4, log=True),
                    series=[*(curve.series(scales) for curve in whole), poisson],
                ),
                Panel(
                    title=f"(b) {_MOST} clients",
                    x=along,
                    y=Axis(label=relative, low=0, high=_top(ratio)),
                    series=[curve.series(scales) for curve in ratio],
                    levels=[Level(y=1, dotted=False)],
                ),
                Panel(
                    title="(c) Reno",
                    x=last,
                    y=Axis(label=relative, low=0, high=_top(loads)),
                    series=[curve.series(scales) for curve in loads],
                    levels=[Level(y=1, dotted=False)],
                ),
            ],
        ),
        csv=_data("bin_s", scales, [("cov", whole), ("cov_over_poisson", ratio), ("cov_over_poisson", loads)]),
        numbers=_numbers(
            "c.o.v. relative to Poisson: mean ± half-width of the 95 % interval",
            "Bin, s",
            scales,
            [*ratio, *loads[:-1]],
        ),
        command=command,
    )


def _memory(looks: Sequence[CloseLook], runs: str, command: str) -> Drawing:
    short = _by_variant(looks, lambda look: look.short.values)
    long = _by_variant(looks, lambda look: look.long.values)
    panels = []
    for title, curves, width, look in (
        (f"(a) bins of {FINE:g} s", short, FINE, looks[0].short),
        (f"(b) bins of {UNIT:g} s", long, UNIT, looks[0].long),
    ):
        lags = (width * np.arange(look.values.size)).tolist()
        noise = 1.96 * look.standard_error
        panels.append(
            Panel(
                title=title,
                x=Axis(label="Lag (s)", low=0, high=lags[-1]),
                y=Axis(label="Autocorrelation", low=-0.9, high=1),
                series=[curve.series(lags, bars=False, markers=False) for curve in curves],
                bands=[
                    Band(
                        name="95 % of white noise",
                        x=[0, lags[-1]],
                        low=[-noise] * 2,
                        high=[noise] * 2,
                        colour="grey",
                    )
                ],
            )
        )
    lags = [round(UNIT * lag, 9) for lag in range(len(long[0].points))]
    shown = [1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50]
    picked = [
        _Curve(name=curve.name, pen=curve.pen, points=tuple(curve.points[lag] for lag in shown)) for curve in long
    ]
    fine = [round(FINE * lag, 9) for lag in range(len(short[0].points))]
    return Drawing(
        slug="memory",
        title="Figure B. Autocorrelation of arrivals",
        caption=f"Autocorrelation of the arrivals at the gateway with {_MOST} clients, in bins of (a) {FINE:g} s and "
        f"(b) {UNIT:g} s. {runs} A Poisson process has none beyond the grey band.",
        chart=Chart(panels=panels, height=6.6),
        csv=_data("lag_s", fine, [("autocorrelation_10ms_bins", short)])
        + _data("lag_s", lags, [("autocorrelation_100ms_bins", long)], head=False),
        numbers=_numbers(
            f"Autocorrelation in bins of {UNIT:g} s: mean ± half-width of the 95 % interval",
            "Lag, s",
            [lags[lag] for lag in shown],
            picked,
        ),
        command=command,
    )


def _queue(looks: Sequence[CloseLook], runs: str, command: str) -> Drawing:
    lengths = list(range(max(look.occupancy.size for look in looks)))

    def from_above(look: CloseLook) -> NDArray[np.float64]:
        # FIFO's limit counts the packet in transmission, RED's does not: no queue of theirs is equally long.
        occupancy = np.pad(look.occupancy, (0, len(lengths) - look.occupancy.size))
        return np.cumsum(occupancy[::-1])[::-1]

    at_least = _by_variant(looks, from_above)
    averages = _by_variant(looks, lambda look: np.array([look.values["queue_mean"], look.values["queue_full"]], float))
    rows = [
        [
            curve.name,
            f"{average.points[0].mean:.1f}",
            *(f"{100 * curve.points[length].mean:.1f}" for length in _TICKS),
            f"{100 * average.points[1].mean:.2f}",
        ]
        for curve, average in zip(at_least, averages, strict=True)
    ]
    return Drawing(
        slug="queue",
        title="Figure C. What the queue sees",
        caption=f"Share of the time in which at least so many packets wait at the gateway, with {_MOST} clients and "
        f"room for 50, sampled every {FINE:g} s. {runs} A steep fall far to the "
        "right is a queue that is always nearly full; a straight descent is one that swings through all lengths.",
        chart=Chart(
            panels=[
                Panel(
                    x=Axis(label="Packets waiting, at least", low=0, high=lengths[-1]),
                    y=Axis(label="Share of the time", low=0, high=1.02),
                    series=[curve.series(lengths, bars=False, markers=False) for curve in at_least],
                )
            ],
            height=4.8,
        ),
        csv=_data("packets", lengths, [("share_of_time_with_at_least", at_least)]),
        numbers=Table(
            caption="Packets waiting on average, and % of the time with at least so many; full: without room",
            head=["", "mean", *(f"≥ {length}" for length in _TICKS), "full"],
            rows=rows,
        ),
        command=command,
    )


def _top(curves: Sequence[_Curve]) -> float:
    """End an axis above the highest mean, whatever the bars say where chance decides."""
    return 1.25 * max(point.mean for curve in curves for point in curve.points)


def _over_poisson(look: CloseLook) -> NDArray[np.float64]:
    return look.ladder.cov / look.ladder.poisson


def _by_variant(looks: Sequence[CloseLook], take: Callable[[CloseLook], NDArray[np.float64]]) -> list[_Curve]:
    return [
        _mean(variant.name, PENS[variant.name], [take(look) for look in mine])
        for variant in VARIANTS
        if (mine := [look for look in looks if look.variant == variant.name and look.clients == _MOST])
    ]


def _by_load(looks: Sequence[CloseLook], take: Callable[[CloseLook], NDArray[np.float64]]) -> list[_Curve]:
    loads = sorted({look.clients for look in looks if look.variant == "Reno"})
    return [
        _mean(
            f"Reno, {load} clients",
            pen,
            [take(look) for look in looks if look.variant == "Reno" and look.clients == load],
        )
        for load, pen in zip(loads, _OF_LOADS, strict=True)
    ]


def _mean(name: str, pen: Pen, samples: Sequence[NDArray[np.float64]]) -> _Curve:
    return _Curve(name=name, pen=pen, points=tuple(student_interval(sample) for sample in zip(*samples, strict=True)))


def _data(
    first: str, x: Sequence[float], measures: Sequence[tuple[str, Sequence[_Curve]]], *, head: bool = True
) -> str:
    """Write curves as CSV: one row a point, with mean and half-width of the 95 % interval."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    if head:
        rows.writerow(["measure", "curve", first, "mean", "ci95"])
    for measure, curves in measures:
        for curve in curves:
            for at, point in zip(x, curve.points, strict=True):
                rows.writerow([measure, curve.name, at, f"{point.mean:.6g}", f"{point.half_width:.3g}"])
    return text.getvalue()


def _numbers(caption: str, first: str, x: Sequence[float], curves: Sequence[_Curve]) -> Table:
    return Table(
        caption=caption,
        head=[first, *(curve.name for curve in curves)],
        rows=[
            [f"{at:g}", *(curve.points[place].shown(2) for curve in curves)]  # a column a curve
            for place, at in enumerate(x)
        ],
    )
