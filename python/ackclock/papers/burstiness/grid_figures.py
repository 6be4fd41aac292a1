"""The figures against the number of clients: 2, 3, 4 and 13, each with its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, DURATION, VARIANTS
from ackclock.papers.burstiness.figures import (
    FIRST_WITH_LOSS,
    loss_chart,
    throughput_chart,
    timeouts_chart,
    variation_chart,
)
from ackclock.papers.burstiness.measures import (
    cov,
    cov_over_poisson,
    loss_percent,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.papers.curves import curves
from ackclock.papers.figures import GridFigure, drawing
from ackclock.report.html import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.observation import Observation
    from ackclock.report.html import Drawing

__all__ = ["grid_drawings", "overview"]


_FIGURES = (
    GridFigure(
        slug="figure2",
        title="Figure 2. Coefficient of variation of the aggregated TCP traffic",
        what="Arrivals at the gateway, counted in bins of one round-trip propagation delay (0.1 s) over the "
        "whole run: (a) standard deviation over mean; (b) the same relative to the Poisson process that the "
        "clients generate.",
        rest=f"Thin line: 1/√(λτn) with λτ = {ARRIVALS_PER_RTT} packets a client.",
        unit="Coefficient of variation",
        digits=4,
        draw=variation_chart,
        measures={"cov": cov, "cov_over_poisson": cov_over_poisson},
    ),
    GridFigure(
        slug="figure3",
        title="Figure 3. Throughput of the aggregated TCP traffic",
        what=f"Packets that the bottleneck transmitted in {DURATION} s (left axis) and the same as a rate "
        "(right axis).",
        rest="Dotted line: the capacity of the bottleneck.",
        unit=f"Thousand packets transmitted in {DURATION} s",
        digits=1,
        draw=throughput_chart,
        measures={"thousand_departures": thousand_departures},
        first=FIRST_WITH_LOSS,
    ),
    GridFigure(
        slug="figure4",
        title="Figure 4. Packet loss percentage of the aggregated TCP traffic",
        what="Packets that the gateway dropped, as a part of those that arrived, retransmissions included.",
        rest="UDP, which does not slow down, leaves the frame where the load passes the capacity.",
        unit="Packet loss, % of arrivals",
        digits=3,
        draw=loss_chart,
        measures={"loss_percent": loss_percent},
        first=FIRST_WITH_LOSS,
    ),
    GridFigure(
        slug="figure13",
        title="Figure 13. Timeouts per duplicate ACK",
        what="Timeouts as a part of the duplicate ACKs that reached the senders, of all clients together.",
        rest="UDP has neither.",
        unit="Timeouts, % of duplicate ACKs",
        digits=2,
        draw=timeouts_chart,
        measures={"timeouts_per_dup_ack_percent": timeouts_per_dup_ack},
        first=FIRST_WITH_LOSS,
    ),
)


def grid_drawings(
    ours: Sequence[Observation],
    ns2: Sequence[Observation],
    *,
    command: str,
    slugs: Sequence[str] = ("figure2", "figure3", "figure4", "figure13"),
) -> list[Drawing]:
    """Draw Figures 2, 3, 4 and 13 and lay their data beside them.

    Parameters
    ----------
    ours, ns2
        Runs of the whole grid, here and in ns-2.
    command
        What a person types to make them.
    slugs
        Which of them; the two papers that followed show the first three again.

    """
    return [drawing(figure, ours, ns2, command=command) for figure in _FIGURES if figure.slug in slugs]


def overview(ours: Sequence[Observation], most: int) -> Table:
    """Lay all variants side by side at one number of clients.

    Parameters
    ----------
    ours
        Runs of the whole grid.
    most
        The number of clients.

    """
    columns = [
        [curve.points[most].shown(digits) for curve in curves(ours, measure)]
        for measure, digits in ((cov, 4), (cov_over_poisson, 2), (thousand_departures, 1), (loss_percent, 2))
    ]
    return Table(
        caption=f"With {most} clients: mean ± half-width of the 95 % confidence interval",
        head=["", "c.o.v.", "relative to Poisson", "throughput, 1000 packets", "loss, %"],
        rows=[[variant.name, *cells] for variant, *cells in zip(VARIANTS, *columns, strict=True)],
    )
