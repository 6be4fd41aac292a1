"""Figure 13: the paper's stochastic model of Reno beside simulated Reno."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import poisson_cov
from ackclock.analysis.models import stochastic_reno
from ackclock.papers.burstiness.experiment import (
    ARRIVALS_PER_RTT,
    BOTTLENECK_RATE,
    CLIENTS,
    PACKET_SIZE,
)
from ackclock.papers.burstiness.measures import cov, cov_over_poisson
from ackclock.papers.figures import GridFigure, Pen, drawing, series
from ackclock.papers.heterogeneous.experiment import RATE
from ackclock.papers.observation import Observation
from ackclock.report.chart import Axis, Chart, Level, Panel, Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.report.html import Drawing

__all__ = ["OPEN", "SMALL", "model_drawing", "model_runs"]

SMALL, OPEN = "Model, W = 1", "Model, W = 20"
"""The model from windows as after a timeout, and from open ones: the paper does not say what it starts from."""

_START = {SMALL: 1.0, OPEN: 20.0}
_BUFFER = 50
_REPLICATIONS = 10

_PENS: Mapping[str, Pen] = {
    "Reno": Pen(colour="blue", marker="square"),
    SMALL: Pen(colour="red", marker="diamond", dash="dashed"),
    OPEN: Pen(colour="orange", marker="hexagon", dash="dotted"),
}


def model_runs(counts: Sequence[int] = CLIENTS, *, replications: int = _REPLICATIONS) -> list[Observation]:
    """Run the model on the paper's network, without its first 20 s.

    Parameters
    ----------
    counts
        Numbers of clients.
    replications
        Independent repetitions, which stand where runs have seeds.

    Returns
    -------
    list of Observation
        With `cov`; the variants are `SMALL` and `OPEN`.

    """
    interval = ARRIVALS_PER_RTT / RATE
    return [
        Observation(variant=name, clients=clients, seed=place, values={"cov": float(value)})
        for name, window in _START.items()
        for clients in counts
        for place, value in enumerate(
            stochastic_reno(
                clients=clients,
                rate=RATE,
                interval=interval,
                capacity=BOTTLENECK_RATE / (8 * PACKET_SIZE),
                buffer=_BUFFER,
                initial_window=window,
                replications=replications,
            ).cov,
            start=1,
        )
    ]


def model_drawing(
    ours: Sequence[Observation], ns2: Sequence[Observation], model: Sequence[Observation], *, command: str
) -> Drawing:
    """Draw Figure 13.

    Parameters
    ----------
    ours, ns2
        Runs of the grid with one kind of client, of which Reno's are drawn.
    model
        What `model_runs` gives.
    command
        What a person types to make it.

    """
    figure = GridFigure(
        slug="figure13",
        title="Figure 13. Coefficient of variation of simulated Reno and of the stochastic model",
        what="Simulated Reno behind FIFO, as in Figure 2, and the paper's model, equations (1) to (4), with gamma = "
        "μτ/8P + B: the printed one adds packets per second to packets. (a) The c.o.v. in bins of 0.1 s; (b) relative "
        "to Poisson's.",
        rest="The model is run without its first 20 s. The window that it starts from decides when it meets "
        "congestion first, and it stays congested then.",
        unit="Coefficient of variation",
        digits=4,
        draw=_chart,
        measures={"cov": cov, "cov_over_poisson": cov_over_poisson},
    )
    mine, theirs = ([run for run in runs if run.variant == "Reno"] for runs in (ours, ns2))
    return drawing(figure, [*mine, *model], theirs, command=command)


def _chart(ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    clients = np.arange(1, max(CLIENTS) + 1)
    poisson = Series(name="Poisson", x=clients, y=poisson_cov(ARRIVALS_PER_RTT * clients), colour="ink", width=1.0)
    return Chart(
        height=7.4,
        panels=[
            Panel(
                title="(a)",
                x=Axis(low=0, high=max(CLIENTS) + 2),
                y=Axis(label="Coefficient of variation (c.o.v.)", low=0, high=0.355),
                series=[*series(ours, ns2, cov, _PENS), poisson],
            ),
            Panel(
                title="(b)",
                x=Axis(label="Number of clients", low=0, high=max(CLIENTS) + 2),
                y=Axis(label="c.o.v. relative to Poisson", low=0),
                series=series(ours, ns2, cov_over_poisson, _PENS),
                levels=[Level(y=1, dotted=False)],
            ),
        ],
    )
