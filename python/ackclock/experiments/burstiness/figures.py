"""Figures 2, 3, 4 and 13 of the paper, from our runs, with ns-2's points as hollow markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from ackclock.analysis import poisson_cov
from ackclock.experiments.burstiness.curves import curves
from ackclock.experiments.burstiness.experiment import ARRIVALS_PER_RTT, CAPACITY, DURATION, PACKET_SIZE
from ackclock.experiments.burstiness.measures import (
    cov,
    cov_over_poisson,
    loss_percent,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.report.style import COLOURS, paper_style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from ackclock.experiments.burstiness.curves import Curve
    from ackclock.experiments.burstiness.experiment import Observation

__all__ = ["loss_figure", "throughput_figure", "timeouts_figure", "variation_figure"]

FIRST_WITH_LOSS = 30
"""Figures 3, 4 and 13 start here: below, says the paper, all TCPs behave nearly alike."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pen:
    colour: str
    marker: str
    dashed: bool = False

    @property
    def dashes(self) -> Literal["solid"] | tuple[float, tuple[float, ...]]:
        return (0.0, (4.0, 1.6)) if self.dashed else "solid"


_PENS: Mapping[str, _Pen] = {
    "UDP": _Pen(colour=COLOURS["grey"].light, marker="o"),
    "Reno": _Pen(colour=COLOURS["blue"].light, marker="s"),
    "Reno/DelAck": _Pen(colour=COLOURS["green"].light, marker="^"),
    "Vegas": _Pen(colour=COLOURS["red"].light, marker="D"),
    "Reno/RED": _Pen(colour=COLOURS["sky"].light, marker="p", dashed=True),
    "Reno/DelAck/RED": _Pen(colour=COLOURS["mint"].light, marker="v", dashed=True),
    "Vegas/RED": _Pen(colour=COLOURS["orange"].light, marker="h", dashed=True),
}

_INK = COLOURS["ink"].light

_RATE_OF_THOUSAND = 1e3 * 8 * PACKET_SIZE / DURATION / 1e6
"""Mb/s that a thousand packets in one run come to."""


def variation_figure(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Figure:
    """Draw Figure 2: the coefficient of variation of the arrivals, and its ratio to Poisson's."""
    with paper_style():
        figure = Figure(figsize=(5.8, 7.2), layout="constrained")
        whole, ratio = figure.subplots(2, sharex=True)
        clients = np.arange(1, 61)
        whole.plot(clients, poisson_cov(ARRIVALS_PER_RTT * clients), color=_INK, linewidth=1.0, zorder=1.5)
        ratio.axhline(1, color=_INK, linewidth=1.0, zorder=1.5)
        _draw(whole, curves(ours, cov), curves(ns2, cov))
        _draw(ratio, curves(ours, cov_over_poisson), curves(ns2, cov_over_poisson))
        whole.set(xlim=(0, 61.5), ylim=(0, 0.355), ylabel="Coefficient of variation (c.o.v.)")
        ratio.set(xlabel="Number of clients", ylabel="c.o.v. relative to Poisson")
        ratio.set_ylim(bottom=0)
        whole.set_title("(a)", loc="left", fontsize=10, fontweight="bold")
        ratio.set_title("(b)", loc="left", fontsize=10, fontweight="bold")
        poisson = Line2D([], [], color=_INK, linewidth=1.0, label=r"Poisson, $1/\sqrt{\lambda\tau n}$")
        whole.legend(handles=[*_legend(), poisson], loc="upper right", ncols=2, columnspacing=1.4)
    return figure


def throughput_figure(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Figure:
    """Draw Figure 3: the packets that crossed the bottleneck."""
    with paper_style():
        figure = Figure(figsize=(5.8, 4.5), layout="constrained")
        axes = figure.subplots()
        first = FIRST_WITH_LOSS
        axes.axhline(CAPACITY / 1e3, color=_INK, linewidth=0.9, linestyle=(0, (1, 1.5)), zorder=1.5)
        axes.annotate(
            f"capacity: {CAPACITY:,.0f} packets",
            (first, CAPACITY / 1e3),
            xytext=(0, 4),
            textcoords="offset points",
            fontsize=9,
        )
        _draw(axes, curves(ours, thousand_departures), curves(ns2, thousand_departures), first=first)
        axes.set(
            xlim=(first - 1, 61),
            xlabel="Number of clients",
            ylabel=f"Throughput (thousand packets in {DURATION} s)",
        )
        axes.set_ylim(top=1.035 * CAPACITY / 1e3)
        rate = axes.secondary_yaxis("right", functions=(_to_rate, _from_rate))
        rate.set_ylabel("Throughput (Mb/s)")
        rate.grid(visible=False)
        rate.yaxis.set_major_locator(MultipleLocator(2))
        rate.spines["right"].set_visible(True)
        axes.legend(handles=_legend(), loc="lower right", ncols=2, columnspacing=1.4)
    return figure


def _to_rate(thousand_packets: ArrayLike) -> NDArray[np.float64]:
    """Turn thousand packets in a run into Mb/s."""
    return np.asarray(thousand_packets, dtype=np.float64) * _RATE_OF_THOUSAND


def _from_rate(rate: ArrayLike) -> NDArray[np.float64]:
    """Turn Mb/s into thousand packets in a run."""
    return np.asarray(rate, dtype=np.float64) / _RATE_OF_THOUSAND


def loss_figure(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Figure:
    """Draw Figure 4: the share of packets that the gateway dropped; UDP leaves the frame."""
    with paper_style():
        figure = Figure(figsize=(5.8, 4.5), layout="constrained")
        axes = figure.subplots()
        first = FIRST_WITH_LOSS
        drawn = curves(ours, loss_percent)
        _draw(axes, drawn, curves(ns2, loss_percent), first=first)
        of_tcp = [
            bound
            for curve in drawn
            if curve.variant != "UDP"
            for interval in curve.points.values()
            for bound in (interval.mean, interval.high)
            if np.isfinite(bound)
        ]
        top = max(0.1, 1.12 * max(of_tcp, default=0.0))
        axes.set(
            xlim=(first - 1, 61),
            ylim=(0, top),
            xlabel="Number of clients",
            ylabel="Packet loss (% of arrivals)",
        )
        for curve in drawn:
            last = max(curve.points)
            if curve.variant == "UDP" and curve.points[last].mean > top:
                axes.annotate(
                    f"UDP: {curve.points[last].mean:.1f} % at {last} clients",
                    (44, top),
                    xytext=(0, -3),
                    textcoords="offset points",
                    verticalalignment="top",
                    color=COLOURS["faint"].light,
                    fontsize=9,
                )
        axes.legend(handles=_legend(), loc="upper left")
    return figure


def timeouts_figure(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Figure:
    """Draw Figure 13: how many timeouts come with a hundred duplicate ACKs."""
    with paper_style():
        figure = Figure(figsize=(5.8, 4.5), layout="constrained")
        axes = figure.subplots()
        drawn, theirs = curves(ours, timeouts_per_dup_ack), curves(ns2, timeouts_per_dup_ack)
        _draw(axes, drawn, theirs, first=FIRST_WITH_LOSS)
        axes.set(
            xlim=(FIRST_WITH_LOSS - 1, 61),
            xlabel="Number of clients",
            ylabel="Timeouts per duplicate ACK (%)",
        )
        axes.set_ylim(bottom=0)
        figure.legend(handles=_legend(udp=False), loc="outside upper center", ncols=4, columnspacing=1.2)
    return figure


def _draw(axes: Axes, ours: Sequence[Curve], ns2: Sequence[Curve], *, first: int = 1) -> None:
    """Draw our curves with their intervals, and ns-2's means as hollow markers around them."""
    for curve in ns2:
        pen = _PENS[curve.variant]
        points = {clients: interval for clients, interval in curve.points.items() if clients >= first}
        axes.plot(
            list(points),
            [interval.mean for interval in points.values()],
            linestyle="none",
            marker=pen.marker,
            markersize=7.5,
            markerfacecolor="none",
            markeredgecolor=pen.colour,
            markeredgewidth=0.9,
            zorder=2,
        )
    for curve in ours:
        pen = _PENS[curve.variant]
        points = {clients: interval for clients, interval in curve.points.items() if clients >= first}
        bars = [interval.half_width for interval in points.values()]
        axes.errorbar(
            list(points),
            [interval.mean for interval in points.values()],
            yerr=bars if np.isfinite(bars).all() else None,
            color=pen.colour,
            linestyle=pen.dashes,
            marker=pen.marker,
            markersize=3.4,
            elinewidth=0.9,
            capthick=0.9,
            zorder=3,
        )


def _legend(*, udp: bool = True) -> list[Line2D]:
    """Make the legend's entries, with the paper's names."""
    handles = [
        Line2D([], [], color=pen.colour, linestyle=pen.dashes, marker=pen.marker, markersize=4.5, label=name)
        for name, pen in _PENS.items()
        if udp or name != "UDP"
    ]
    hollow = Line2D([], [], linestyle="none", marker="o", markersize=7.5, label="hollow: ns-2.35")
    hollow.set(markerfacecolor="none", markeredgecolor=_INK)
    return [*handles, hollow]
