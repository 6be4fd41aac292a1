"""The figures against the number of clients: 2, 3, 4 and 13, each with its data."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.curves import curves
from ackclock.experiments.burstiness.experiment import ARRIVALS_PER_RTT, DURATION, VARIANTS
from ackclock.experiments.burstiness.figures import (
    FIRST_WITH_LOSS,
    loss_chart,
    throughput_chart,
    timeouts_chart,
    variation_chart,
)
from ackclock.experiments.burstiness.measures import (
    cov,
    cov_over_poisson,
    loss_percent,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.experiments.burstiness.experiment import Observation
    from ackclock.report.chart import Chart

__all__ = ["grid_drawings", "overview", "seeds_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Figure:
    slug: str
    title: str
    what: str
    rest: str
    unit: str
    digits: int
    draw: Callable[[Sequence[Observation], Sequence[Observation]], Chart]
    measures: Mapping[str, Callable[[Observation], float | None]]
    first: int = 1


_FIGURES = (
    _Figure(
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
    _Figure(
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
    _Figure(
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
    _Figure(
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


def grid_drawings(ours: Sequence[Observation], ns2: Sequence[Observation], *, command: str) -> list[Drawing]:
    """Draw Figures 2, 3, 4 and 13 and lay their data beside them.

    Parameters
    ----------
    ours, ns2
        Runs of the whole grid, here and in ns-2.
    command
        What a person types to make them.

    """
    return [_drawing(figure, ours, ns2, command=command) for figure in _FIGURES]


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
        [_shown(curve.points[most], digits) for curve in curves(ours, measure)]
        for measure, digits in ((cov, 4), (cov_over_poisson, 2), (thousand_departures, 1), (loss_percent, 2))
    ]
    return Table(
        caption=f"With {most} clients: mean ± half-width of the 95 % confidence interval",
        head=["", "c.o.v.", "relative to Poisson", "throughput, 1000 packets", "loss, %"],
        rows=[[variant.name, *cells] for variant, *cells in zip(VARIANTS, *columns, strict=True)],
    )


def seeds_of(runs: Sequence[Observation]) -> int:
    """Count the seeds of some runs."""
    return len({run.seed for run in runs})


def _drawing(figure: _Figure, ours: Sequence[Observation], theirs: Sequence[Observation], *, command: str) -> Drawing:
    """Draw a figure and lay its data beside it."""
    seeds = seeds_of(ours)
    bars = (
        f"Points are means of {seeds} runs with bars for the 95 % confidence interval (Student's t); "
        if seeds > 1
        else "Points are single runs, without bars; "
    )
    marks = f"hollow markers are means of {seeds_of(theirs)} runs of ns-2.35, whose intervals are in the CSV."
    return Drawing(
        chart=figure.draw(ours, theirs),
        slug=figure.slug,
        title=figure.title,
        caption=f"{figure.what} {bars}{marks} {figure.rest}",
        csv=_data(figure, ours, theirs),
        numbers=_numbers(figure, ours),
        command=command,
    )


def _data(figure: _Figure, ours: Sequence[Observation], theirs: Sequence[Observation]) -> str:
    """Write what a figure shows as CSV: one row a point, with mean and half-width of the 95 % interval."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    names = [f"{name}{end}" for name in figure.measures for end in ("", "_ci95")]
    rows.writerow(["source", "variant", "clients", "runs", *names])
    for source, runs in (("ackclock", ours), ("ns-2.35", theirs)):
        drawn = [curves(runs, measure) for measure in figure.measures.values()]
        for along in zip(*drawn, strict=True):
            for clients, interval in along[0].points.items():
                if clients >= figure.first:
                    cells = [curve.points[clients] for curve in along]
                    numbers = [f"{number:.6g}" for cell in cells for number in (cell.mean, cell.half_width)]
                    rows.writerow([source, along[0].variant, clients, interval.count, *numbers])
    return text.getvalue()


def _numbers(figure: _Figure, ours: Sequence[Observation]) -> Table:
    """Lay our means out for people: a row for each number of clients, a column a variant."""
    along = curves(ours, next(iter(figure.measures.values())))
    return Table(
        caption=f"{figure.unit}: mean ± half-width of the 95 % interval",
        head=["Clients", *(curve.variant for curve in along)],
        rows=[
            [str(clients), *(_shown(curve.points.get(clients), figure.digits) for curve in along)]
            for clients in along[0].points
            if clients >= figure.first
        ],
    )


def _shown(interval: Interval | None, digits: int) -> str:
    """Write a mean, and its half-width if it has one."""
    return "–" if interval is None else interval.shown(digits)  # noqa: RUF001 - a dash for what is not there
