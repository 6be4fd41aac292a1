"""Figures 2, 3, 4, 13 and D: c.o.v., throughput, loss and timeouts by the number of clients, and by RED's weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ackclock.analysis import Interval, poisson_cov
from ackclock.drawing.chart import Axis, Level, Note, Scale, Series
from ackclock.papers.burstiness import measures as m
from ackclock.papers.burstiness.experiment import (
    ARRIVALS_PER_RTT,
    CAPACITY,
    CLIENTS,
    DEFINITION,
    DURATION,
    PACKET_SIZE,
    VARIANTS,
)
from ackclock.papers.core.evidence import Evidence, Side, joined
from ackclock.papers.core.figure import Figure, Flat, Lines, Made, Numbers, Pen, Plot, csv_text, sources, stacked
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity
from ackclock.report.html import Table

_FIRST_WITH_LOSS = 30  # first count in Figures 3, 4 and 13; below it, all TCPs behave nearly alike (section 3.2)
_MOST = max(CLIENTS)
_WEIGHT_CLIENTS = 60
_MBPS_OF_THOUSAND = 1e3 * 8 * PACKET_SIZE / DURATION / 1e6  # rate of a thousand packets in one run, Mb/s

PENS = DEFINITION.pens("variants")
"""Styles of lines and markers, by the name of the variant."""


def _of(measure: Measure, first: int = 1) -> Quantity:
    """Return a measure of all variants at the client counts from `first` on."""
    counts = tuple(clients for clients in CLIENTS if clients >= first)
    return measure.at("grid", variant=VARIANTS, clients=counts)


def _lines(of: Quantity) -> Lines:
    return Lines(of=of, x="clients", by="variant", pens=PENS)


_cov, _ratio = _of(m.COV), _of(m.COV_OVER_POISSON)
_throughput, _timeouts = (_of(measure, _FIRST_WITH_LOSS) for measure in (m.THROUGHPUT, m.TIMEOUTS_PER_DUP_ACK))
_loss = _of(replace(m.LOSS, digits=3), _FIRST_WITH_LOSS)
_from_first_loss = Axis(label="Number of clients", low=_FIRST_WITH_LOSS - 1, high=_MOST + 1)


def poissons(name: str, most: int, per_client: float) -> Series:
    """Draw the c.o.v. of Poisson arrivals for up to `most` clients with `per_client` mean arrivals in a bin each."""
    counts = np.arange(1, most + 1)
    return Series(name=name, x=counts, y=poisson_cov(per_client * counts), colour="ink", width=1.0)


def cov_plots(cov: Quantity, ratio: Quantity, pens: Mapping[str, Pen], *, formula: Series, y: Made[Axis]) -> list[Plot]:
    """Plot the c.o.v. and a formula against the number of clients, and the c.o.v. relative to Poisson's."""
    x = Axis(label="Number of clients", low=0, high=_MOST + 2)
    plots = [
        Plot(
            x=x,
            y=Axis(label="Coefficient of variation (c.o.v.)", low=0, high=0.355),
            marks=[Lines(of=cov, x="clients", by="variant", pens=pens), formula],
        ),
        Plot(
            x=x,
            y=y,
            marks=[Lines(of=ratio, x="clients", by="variant", pens=pens)],
            levels=[Level(y=1, dotted=False)],
        ),
    ]
    return stacked(plots)


def _above_all(evidence: Evidence) -> Axis:
    top = 1.15 * max(point.mean for point in _ratio.points(evidence.ours).cells.values())
    return Axis(label="c.o.v. relative to Poisson", low=0, high=top)


def _top_of_tcp(evidence: Evidence) -> float:
    """Return the end of the loss axis: above all TCPs; UDP may exceed it."""
    ends = [
        end
        for (variant, _), point in _loss.points(evidence.ours).cells.items()
        if variant != "UDP"
        for end in (point.mean, point.high)
        if np.isfinite(end)
    ]
    return max(0.1, 1.12 * max(ends, default=0.0))


def _udp_leaves(evidence: Evidence) -> list[Note]:
    top = _top_of_tcp(evidence)
    udp = {key[1]: point.mean for key, point in _loss.points(evidence.ours).cells.items() if key[0] == "UDP"}
    last = max(udp, key=float, default=0)
    if udp.get(last, 0.0) <= top:
        return []
    return [Note(x=45, y=top, text=f"UDP: {udp[last]:.1f} % at {last} clients")]


FIGURE_2 = Figure(
    **DEFINITION.figure("figure2"),
    plots=cov_plots(_cov, _ratio, PENS, formula=poissons("Poisson, 1/√(λτn)", _MOST, ARRIVALS_PER_RTT), y=_above_all),
    height=7.4,
    numbers=Numbers(caption="Coefficient of variation"),
)
FIGURE_3 = Figure(
    **DEFINITION.figure("figure3"),
    plots=[
        Plot(
            x=_from_first_loss,
            y=Axis(label=f"Throughput (thousand packets in {DURATION} s)", high=1.035 * CAPACITY / 1e3),
            marks=[_lines(_throughput)],
            levels=[Level(y=CAPACITY / 1e3, text=f"capacity: {CAPACITY:,.0f} packets")],
            right=Scale(label="Throughput (Mb/s)", factor=_MBPS_OF_THOUSAND, step=2),
        )
    ],
    numbers=Numbers(caption=f"Thousand packets transmitted in {DURATION} s"),
)
FIGURE_4 = Figure(
    **DEFINITION.figure("figure4"),
    plots=[
        Plot(
            x=_from_first_loss,
            y=lambda evidence: Axis(label="Packet loss (% of arrivals)", low=0, high=_top_of_tcp(evidence)),
            marks=[_lines(_loss)],
            notes=_udp_leaves,
        )
    ],
    numbers=Numbers(caption="Packet loss, % of arrivals"),
)
FIGURE_13 = Figure(
    **DEFINITION.figure("figure13"),
    plots=[Plot(x=_from_first_loss, y=Axis(label="Timeouts per duplicate ACK (%)", low=0), marks=[_lines(_timeouts)])],
    numbers=Numbers(caption="Timeouts, % of duplicate ACKs"),
)

_PAIRS = (("Reno", "Reno/RED"), ("Vegas", "Vegas/RED"))
_MEASURES = (
    ("c.o.v. relative to Poisson", m.COV_OVER_POISSON),
    ("Throughput (thousand packets)", m.THROUGHPUT),
    ("Packet loss (% of arrivals)", m.LOSS),
)


def _weight_plot(label: str, measure: Measure) -> Plot:
    reds = tuple(red for _, red in _PAIRS)
    return Plot(
        x=Axis(label="RED's averaging weight", low=5e-5, high=3e-2, log=True),
        y=Axis(label=label, low=None if measure is m.THROUGHPUT else 0),
        marks=[
            Flat(
                of=measure.at("grid", variant=tuple(plain for plain, _ in _PAIRS), clients=_WEIGHT_CLIENTS),
                by="variant",
                low=5e-5,
                high=3e-2,
                pens=PENS,
            ),
            Lines(of=measure.at("weights", variant=reds, clients=_WEIGHT_CLIENTS), x="weight", by="variant", pens=PENS),
        ],
    )


def _weight_rows(side: Side) -> list[tuple[str, str, list[Interval]]]:
    """Return variant, weight and means of each row; FIFO comes before the weights of RED."""
    rows: list[tuple[str, str, list[Interval]]] = []
    for plain, red in _PAIRS:
        fifo = (measure.at("grid", variant=plain, clients=_WEIGHT_CLIENTS) for _, measure in _MEASURES)
        rows.append((plain, "", [of.points(side).only for of in fifo]))
        of_red = [measure.at("weights", variant=red, clients=_WEIGHT_CLIENTS) for _, measure in _MEASURES]
        points = joined([of.points(side) for of in of_red])
        rows += [(red, f"{weight:g}", list(cells)) for (weight,), cells in points.cells.items()]
    return rows


def _weight_csv(evidence: Evidence) -> str:
    names = [f"{measure.name}{end}" for _, measure in _MEASURES for end in ("", "_ci95")]
    rows = [
        [source, variant, weight, *(end for point in points for end in (point.mean, point.half_width))]
        for source, side in sources(evidence)
        for variant, weight, points in _weight_rows(side)
    ]
    return csv_text(["source", "variant", "weight", *names], rows)


def _weight_table(evidence: Evidence) -> Table:
    return Table(
        caption=f"{_WEIGHT_CLIENTS} clients: mean ± half-width of the 95 % interval",
        head=["", "weight", *(label for label, _ in _MEASURES)],
        rows=[
            [variant, weight or "FIFO", *(point.shown(2) for point in points)]
            for variant, weight, points in _weight_rows(evidence.ours)
        ],
    )


WEIGHT = Figure(
    **DEFINITION.figure("weight"),
    plots=stacked(_weight_plot(label, measure) for label, measure in _MEASURES),
    height=8.2,
    csv=_weight_csv,
    numbers=_weight_table,
)


OVERVIEW = Numbers(
    of={
        name: measure.at("grid", variant=VARIANTS, clients=_WEIGHT_CLIENTS)
        for name, measure in (
            ("c.o.v.", m.COV),
            ("relative to Poisson", m.COV_OVER_POISSON),
            ("throughput, 1000 packets", m.THROUGHPUT),
            ("loss, %", m.LOSS),
        )
    },
    rows="variant",
    head="",
    caption=f"With {_WEIGHT_CLIENTS} clients",
)
