"""Figures of the authors' future work: the variants at different loads, and over a wireless last hop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ackclock.analysis.models import mathis
from ackclock.drawing.chart import Axis, Series
from ackclock.papers.core.evidence import Evidence, joined
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, csv_text, stacked
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.paper import Chapter
from ackclock.papers.selfsimilar import last_hop as hop
from ackclock.papers.selfsimilar.experiment import CONSTANT, DEFINITION, GREEDY
from ackclock.papers.selfsimilar.figures import CAPTIONS

_PENS: Final = DEFINITION.pens("last_hop")
_MEASURES: Final = (hop.GOODPUT, hop.LOSS, hop.RETRANSMISSIONS, hop.TIMEOUTS, hop.EFFICIENCY)
_GOODPUT: Final = "Goodput (Mb/s)"
_POWERS: Final = [(0.3, "0.3"), (1.0, "1"), (3.0, "3"), (10.0, "10"), (30.0, "30")]


def _csv(part: str, name: str, x: str) -> Callable[[Evidence], str]:
    """Return a function that formats our means as CSV: a row for each line, named by format `name`, and each `x`."""

    def write(evidence: Evidence) -> str:
        points = joined([measure.at(part).points(evidence.ours) for measure in _MEASURES])
        heads = [f"{measure.name}{end}" for measure in _MEASURES for end in ("", "_ci95")]
        rows = []
        for key, cells in points.cells.items():
            at = dict(zip(points.axes, key, strict=True))
            numbers = [number for one in cells for number in (one.mean, one.half_width)]
            rows.append([name.format(**at), at[x], cells[0].count, *numbers])
        return csv_text(["variant", x, "runs", *heads], rows)

    return write


def _numbers(part: str, rows: str, head: str, *columns: str) -> Numbers:
    return Numbers(
        of=hop.GOODPUT.at(part), rows=rows, columns=("variant", *columns), head=head, caption="Goodput, Mb/s"
    )


def _by_load(title: str, reading: str, measure: Measure, y: Axis) -> Plot:
    return Plot(
        title=title,
        x=Axis(label="Number of on/off sources (each uses 1 % of the link)", low=0, high=105),
        y=y,
        marks=[Lines(of=measure.at("load", reading=reading), x="sources", by="variant", pens=_PENS)],
    )


_shares = [(1e-4, "0.01%"), (1e-3, "0.1%"), (1e-2, "1%"), (1e-1, "10%")]
_goodput = Axis(label=_GOODPUT, low=0.2, high=40, log=True, ticks=_POWERS)
_LOAD: Final = Figure(
    **DEFINITION.figure("load", few=hop.LOADS[0], many=hop.LOADS[-1]),
    plots=stacked(
        _by_load("constant rate of 6.2 Mb/s" if reading is CONSTANT else "greedy source", reading.name, measure, y)
        for reading, measure, y in (
            (GREEDY, hop.GOODPUT, _goodput),
            (CONSTANT, hop.GOODPUT, _goodput),
            (GREEDY, hop.LOSS, Axis(label="Packet loss", low=5e-5, high=0.15, log=True, ticks=_shares)),
            (GREEDY, hop.TIMEOUTS, Axis(label="Timeouts in 100 s", low=0)),
            (GREEDY, hop.EFFICIENCY, Axis(label="Efficiency", low=0.78, high=1.01)),
        )
    ),
    height=13.0,
    csv=_csv("load", "{variant}, {reading}", "sources"),
    numbers=_numbers("load", "sources", "Sources", "reading"),
)

_lost = np.geomspace(4e-4, 3e-2, 40)
_mathis = Series(
    name="Mathis et al.",
    x=hop.MILLION * _lost,
    y=mathis(p=_lost, rtt=hop.RTT).rate * 8000 / hop.MILLION,
    colour="ink",
    dash="dotted",
    width=1.0,
)
_LOSSES: Final = Figure(
    **DEFINITION.figure("last-hop-losses", rtt=1000 * hop.RTT),
    plots=stacked(
        Plot(
            title=title,
            x=Axis(
                label="Packets lost by the last hop (%)",
                low=7,
                high=4.5e4,
                log=True,
                ticks=[(float(amount), f"{100 * amount / hop.MILLION:g}") for amount in hop.LOSSES],
            ),
            y=Axis(label=_GOODPUT, low=0.15, high=14, log=True, ticks=_POWERS[:-1]),
            marks=[
                Lines(of=hop.GOODPUT.at("losses", kind=kind), x="lost_of_a_million", by="variant", pens=_PENS),
                _mathis,
            ],
        )
        for kind, title in ((hop.RANDOM, "random losses"), (hop.BURSTS, f"losses in bursts of {hop.BURST} on average"))
    ),
    height=9.0,
    csv=_csv("losses", "{variant}, {kind}", "lost_of_a_million"),
    numbers=_numbers("losses", "lost_of_a_million", "Losses per million", "kind"),
)

_stays = [f"{dwell / 1000:g} s" if dwell else "constant" for dwell in hop.DWELLS]
_places = {float(dwell): float(place) for place, dwell in enumerate(hop.DWELLS)}
_made = hop.course(hop.DWELLS[2], 1).course()
_drawn = 30  # seconds of a generated rate that are drawn


def _by_stay(title: str, measure: Measure, y: Axis, label: str = "") -> Plot:
    return Plot(
        title=title,
        x=Axis(label=label, low=-0.3, high=len(hop.DWELLS) - 0.7, ticks=[*enumerate(_stays)]),
        y=y,
        marks=[Lines(of=measure.at("rates"), x="stay_ms", by="variant", pens=_PENS, places=_places, apart=0.08)],
    )


_some = _made.times < _drawn * 10**12
_rate = Series(
    name="rate",
    x=[*np.repeat(_made.times[_some] / 1e12, 2)[1:], _drawn],
    y=np.repeat(_made.values[_some] / hop.MILLION, 2),
    colour="ink",
    width=1.1,
    listed=False,
)
_RATES: Final = Figure(
    **DEFINITION.figure("last-hop-rates", buffer=hop.BUFFER, rate=hop.MEAN_RATE / hop.MILLION),
    plots=[
        Plot(
            title=f"(a) a generated rate with a mean stay of {_stays[2]}",
            x=Axis(label="Time (s)", low=0, high=_drawn),
            y=Axis(label="Rate (Mb/s)", low=0),
            marks=[_rate],
        ),
        _by_stay(
            f"(b) goodput at a mean rate of {hop.MEAN_RATE / hop.MILLION:g} Mb/s",
            hop.GOODPUT,
            Axis(label=_GOODPUT, low=0, high=4.2),
        ),
        _by_stay("(c) timeouts", hop.TIMEOUTS, Axis(label="Timeouts in 100 s", low=-0.7), "Mean stay at a rate"),
    ],
    height=10.0,
    csv=_csv("rates", "{variant}, rate", "stay_ms"),
    numbers=_numbers("rates", "stay_ms", "Mean stay (ms)"),
)

LEFT_FOR_LATER: Final = Chapter(
    title="The authors' future work", text=CAPTIONS["last_hop"], figures=[_LOAD, _LOSSES, _RATES]
)
