"""Figures 2, 3, 4, 13 and D: c.o.v., throughput, loss and timeouts by the number of clients, and by RED's weight."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import poisson_cov
from ackclock.papers.burstiness import measures as m
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, CAPACITY, CLIENTS, DURATION, PACKET_SIZE, VARIANTS
from ackclock.papers.core.evidence import joined
from ackclock.papers.core.figure import Figure, Flat, Lines, Numbers, Pen, Plot, rows_csv
from ackclock.report.chart import Axis, Level, Note, Scale, Series
from ackclock.report.html import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Evidence, Side
    from ackclock.papers.core.measures import Measure
    from ackclock.papers.core.quantities import Quantity

_FIRST_WITH_LOSS = 30  # Figures 3, 4 and 13 start here: below, says the paper, all TCPs behave nearly alike
_MOST = max(CLIENTS)
_WEIGHT_CLIENTS = 60
_MBPS_OF_THOUSAND = 1e3 * 8 * PACKET_SIZE / DURATION / 1e6  # rate of a thousand packets in one run, Mb/s

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


def _of(measure: Measure, first: int = 1) -> Quantity:
    """Ask for a measure of all variants at the client counts from the first on."""
    counts = tuple(clients for clients in CLIENTS if clients >= first)
    return measure.at("grid", variant=VARIANTS, clients=counts)


def _lines(of: Quantity) -> Lines:
    return Lines(of=of, x="clients", by="variant", pens=PENS)


def _table(of: Quantity, caption: str) -> Numbers:
    return Numbers(of=of, rows="clients", columns="variant", head="Clients", caption=caption)


_cov, _ratio = _of(m.COV), _of(m.COV_OVER_POISSON)
_throughput, _timeouts = (_of(measure, _FIRST_WITH_LOSS) for measure in (m.THROUGHPUT, m.TIMEOUTS_PER_DUP_ACK))
_loss = _of(replace(m.LOSS, digits=3), _FIRST_WITH_LOSS)
_from_first_loss = Axis(label="Number of clients", low=_FIRST_WITH_LOSS - 1, high=_MOST + 1)
_poisson = Series(
    name="Poisson, 1/√(λτn)",
    x=np.arange(1, _MOST + 1),
    y=poisson_cov(ARRIVALS_PER_RTT * np.arange(1, _MOST + 1)),
    colour="ink",
    width=1.0,
)


def _above_all(evidence: Evidence) -> Axis:
    top = 1.15 * max(point.mean for point in _ratio.points(evidence.ours).cells.values())
    return Axis(label="c.o.v. relative to Poisson", low=0, high=top)


def _top_of_tcp(evidence: Evidence) -> float:
    """End the axis of the loss above the TCPs, which UDP leaves."""
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
    slug="figure2",
    title="Figure 2. Coefficient of variation of the aggregated TCP traffic",
    what="Arrivals at the gateway, counted in bins of one round-trip propagation delay (0.1 s) over the whole run: (a) "
    "standard deviation over mean; (b) the same relative to the Poisson process that the clients generate.",
    rest=f"Thin line: 1/√(λτn) with λτ = {ARRIVALS_PER_RTT} packets per client.",
    plots=[
        Plot(
            title="(a)",
            x=Axis(low=0, high=_MOST + 2),
            y=Axis(label="Coefficient of variation (c.o.v.)", low=0, high=0.355),
            marks=[_lines(_cov), _poisson],
        ),
        Plot(
            title="(b)",
            x=Axis(label="Number of clients", low=0, high=_MOST + 2),
            y=_above_all,
            marks=[_lines(_ratio)],
            levels=[Level(y=1, dotted=False)],
        ),
    ],
    height=7.4,
    data={"cov": _cov, "cov_over_poisson": _ratio},
    numbers=_table(_cov, "Coefficient of variation"),
)
FIGURE_3 = Figure(
    slug="figure3",
    title="Figure 3. Throughput of the aggregated TCP traffic",
    what=f"Packets that the bottleneck transmitted in {DURATION} s (left axis) and the same as a rate (right axis).",
    rest="Dotted line: the capacity of the bottleneck.",
    plots=[
        Plot(
            x=_from_first_loss,
            y=Axis(label=f"Throughput (thousand packets in {DURATION} s)", high=1.035 * CAPACITY / 1e3),
            marks=[_lines(_throughput)],
            levels=[Level(y=CAPACITY / 1e3, text=f"capacity: {CAPACITY:,.0f} packets")],
            right=Scale(label="Throughput (Mb/s)", factor=_MBPS_OF_THOUSAND, step=2),
        )
    ],
    data={"thousand_departures": _throughput},
    numbers=_table(_throughput, f"Thousand packets transmitted in {DURATION} s"),
)
FIGURE_4 = Figure(
    slug="figure4",
    title="Figure 4. Packet loss percentage of the aggregated TCP traffic",
    what="Packets that the gateway dropped, as a share of all that arrived, retransmissions included.",
    rest="UDP, which does not slow down, is outside the frame when the load exceeds the capacity.",
    plots=[
        Plot(
            x=_from_first_loss,
            y=lambda evidence: Axis(label="Packet loss (% of arrivals)", low=0, high=_top_of_tcp(evidence)),
            marks=[_lines(_loss)],
            notes=_udp_leaves,
        )
    ],
    data={"loss_percent": _loss},
    numbers=_table(_loss, "Packet loss, % of arrivals"),
)
FIGURE_13 = Figure(
    slug="figure13",
    title="Figure 13. Timeouts per duplicate ACK",
    what="Timeouts as a percentage of the duplicate ACKs that reached the senders, of all clients together.",
    rest="UDP has no timeouts and no ACKs.",
    plots=[Plot(x=_from_first_loss, y=Axis(label="Timeouts per duplicate ACK (%)", low=0), marks=[_lines(_timeouts)])],
    data={"timeouts_per_dup_ack_percent": _timeouts},
    numbers=_table(_timeouts, "Timeouts, % of duplicate ACKs"),
)

_PAIRS = (("Reno", "Reno/RED"), ("Vegas", "Vegas/RED"))
_MEASURES = (
    ("c.o.v. relative to Poisson", m.COV_OVER_POISSON),
    ("Throughput (thousand packets)", m.THROUGHPUT),
    ("Packet loss (% of arrivals)", m.LOSS),
)


def _weight_plot(place: str, label: str, measure: Measure) -> Plot:
    reds = tuple(red for _, red in _PAIRS)
    return Plot(
        title=f"({place})",
        x=Axis(label="RED's averaging weight" if place == "c" else "", low=5e-5, high=3e-2, log=True),
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
    """Give variant, weight and means: the FIFO gateway before the weights of the RED gateway."""
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
        [source, variant, weight, *(f"{end:.6g}" for point in points for end in (point.mean, point.half_width))]
        for source, side in (("ackclock", evidence.ours), ("ns-2.35", evidence.ns2))
        for variant, weight, points in _weight_rows(side)
    ]
    return rows_csv([["source", "variant", "weight", *names], *rows])


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
    slug="weight",
    title="Figure D. RED's averaging weight",
    what=f"{_WEIGHT_CLIENTS} clients: (a) c.o.v. relative to Poisson, (b) throughput and (c) loss, against the "
    "weight of the present queue in RED's average. Horizontal lines show the FIFO gateway.",
    points="Points are means of {runs} with 95 % confidence intervals; hollow markers are single runs of ns-2.35 "
    "without processing time, whose results exact ties also influence.",
    rest="The paper prints no weight.",
    plots=[_weight_plot(place, label, measure) for place, (label, measure) in zip("abc", _MEASURES, strict=True)],
    height=8.2,
    data={"loss_percent": m.LOSS.at("weights", variant="Reno/RED", clients=_WEIGHT_CLIENTS)},
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
