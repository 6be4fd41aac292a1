"""Figures 2, 3, 4 and 13 of the paper, from our runs, with ns-2's points as hollow markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import poisson_cov
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, CAPACITY, CLIENTS, DURATION, PACKET_SIZE
from ackclock.papers.burstiness.measures import (
    cov,
    cov_over_poisson,
    loss_percent,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.papers.curves import curves
from ackclock.papers.figures import Pen, series
from ackclock.report.chart import Axis, Chart, Level, Note, Panel, Scale, Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.observation import Observation

__all__ = [
    "FIRST_WITH_LOSS",
    "PENS",
    "loss_chart",
    "throughput_chart",
    "timeouts_chart",
    "variation_chart",
]

FIRST_WITH_LOSS = 30
"""Figures 3, 4 and 13 start here: below, says the paper, all TCPs behave nearly alike."""


PENS: Mapping[str, Pen] = {
    "UDP": Pen(colour="grey", marker="circle"),
    "Reno": Pen(colour="blue", marker="square"),
    "Reno/DelAck": Pen(colour="green", marker="triangle"),
    "Vegas": Pen(colour="red", marker="diamond"),
    "Reno/RED": Pen(colour="sky", marker="pentagon", dash="dashed"),
    "Reno/DelAck/RED": Pen(colour="mint", marker="down", dash="dashed"),
    "Vegas/RED": Pen(colour="orange", marker="hexagon", dash="dashed"),
}
"""By the names of the variants."""

_MOST = max(CLIENTS)
_RATE_OF_THOUSAND = 1e3 * 8 * PACKET_SIZE / DURATION / 1e6
"""Mb/s that a thousand packets in one run come to."""


def variation_chart(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    """Draw Figure 2: the coefficient of variation of the arrivals, and its ratio to Poisson's."""
    clients = np.arange(1, _MOST + 1)
    top = 1.15 * max(interval.mean for curve in curves(ours, cov_over_poisson) for interval in curve.points.values())
    poisson = Series(
        name="Poisson, 1/√(λτn)",
        x=clients,
        y=poisson_cov(ARRIVALS_PER_RTT * clients),
        colour="ink",
        width=1.0,
    )
    along = Axis(low=0, high=_MOST + 2)
    return Chart(
        height=7.4,
        panels=[
            Panel(
                title="(a)",
                x=along,
                y=Axis(label="Coefficient of variation (c.o.v.)", low=0, high=0.355),
                series=[*series(ours, ns2, cov, PENS), poisson],
            ),
            Panel(
                title="(b)",
                x=Axis(label="Number of clients", low=0, high=_MOST + 2),
                y=Axis(label="c.o.v. relative to Poisson", low=0, high=top),
                series=series(ours, ns2, cov_over_poisson, PENS),
                levels=[Level(y=1, dotted=False)],
            ),
        ],
    )


def throughput_chart(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    """Draw Figure 3: the packets that crossed the bottleneck."""
    full = CAPACITY / 1e3
    return _from_first_loss(
        series(ours, ns2, thousand_departures, PENS, first=FIRST_WITH_LOSS),
        Axis(label=f"Throughput (thousand packets in {DURATION} s)", high=1.035 * full),
        levels=[Level(y=full, text=f"capacity: {CAPACITY:,.0f} packets")],
        right=Scale(label="Throughput (Mb/s)", factor=_RATE_OF_THOUSAND, step=2),
    )


def loss_chart(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    """Draw Figure 4: the share of packets that the gateway dropped; UDP leaves the frame."""
    drawn = curves(ours, loss_percent)
    of_tcp = [
        bound
        for curve in drawn
        if curve.variant != "UDP"
        for interval in curve.points.values()
        for bound in (interval.mean, interval.high)
        if np.isfinite(bound)
    ]
    top = max(0.1, 1.12 * max(of_tcp, default=0.0))
    notes = []
    for curve in drawn:
        last = max(curve.points)
        if curve.variant == "UDP" and curve.points[last].mean > top:
            notes.append(Note(x=45, y=top, text=f"UDP: {curve.points[last].mean:.1f} % at {last} clients"))
    return _from_first_loss(
        series(ours, ns2, loss_percent, PENS, first=FIRST_WITH_LOSS),
        Axis(label="Packet loss (% of arrivals)", low=0, high=top),
        notes=notes,
    )


def timeouts_chart(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    """Draw Figure 13: how many timeouts come with a hundred duplicate ACKs."""
    return _from_first_loss(
        series(ours, ns2, timeouts_per_dup_ack, PENS, first=FIRST_WITH_LOSS),
        Axis(label="Timeouts per duplicate ACK (%)", low=0),
    )


def _from_first_loss(
    series: Sequence[Series],
    y: Axis,
    *,
    levels: Sequence[Level] = (),
    notes: Sequence[Note] = (),
    right: Scale | None = None,
) -> Chart:
    x = Axis(label="Number of clients", low=FIRST_WITH_LOSS - 1, high=_MOST + 1)
    return Chart(panels=[Panel(x=x, y=y, series=series, levels=levels, notes=notes, right=right)], height=4.8)
