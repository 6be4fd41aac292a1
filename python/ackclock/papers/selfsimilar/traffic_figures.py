"""Figures of Table 1, and of the background's Hurst parameter by load, by bin, and after the bottleneck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ackclock.analysis import Interval, poisson_cov
from ackclock.drawing.chart import Axis, Level, Series
from ackclock.papers.core.evidence import Evidence, Scalar, Side
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, csv_text, points_csv, powers, sources, stacked
from ackclock.papers.core.paper import Chapter
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.words import DASH
from ackclock.papers.selfsimilar import traffic as t
from ackclock.papers.selfsimilar.experiment import DEFINITION, SOURCES
from ackclock.papers.selfsimilar.figures import CAPTIONS
from ackclock.report.html import Table

_PENS: Final = DEFINITION.pens("kinds")


@dataclass(frozen=True, slots=True)
class _Bins:
    """The first bins at one time scale, one run of each kind of traffic, next to one another."""

    scale: float
    apart = 112  # bins from the first of one kind to the first of the next

    def packets(self, evidence: Evidence) -> dict[str, np.ndarray]:
        first = {row.where["kind"]: row for row in reversed(evidence.ours.part("times"))}
        return {kind: np.asarray(first[kind].values[f"first {self.scale:g}"]) for kind in t.KINDS}

    def series(self, evidence: Evidence) -> Sequence[Series]:
        return [
            Series(
                name=kind,
                x=self.apart * place + np.arange(t.FIRST),
                y=packets / (t.TOTAL * self.scale),
                colour=_PENS[kind].colour,
                width=0.9,
                listed=False,
            )
            for place, (kind, packets) in enumerate(self.packets(evidence).items())
        ]


_bins = [_Bins(scale) for scale in t.DRAWN]


def _bins_csv(evidence: Evidence) -> str:
    rows = [
        [bins.scale, place, *map(int, packets)]
        for bins in _bins
        for place, packets in enumerate(zip(*bins.packets(evidence).values(), strict=True))
    ]
    return csv_text(["bin_s", "number", *t.KINDS], rows)


def _bins_table(evidence: Evidence) -> Table:
    ratios = {bins.scale: [one / one.mean() for one in bins.packets(evidence).values()] for bins in _bins}
    return Table(
        caption="Smallest and largest number of packets in the drawn bins, divided by the mean of these bins",
        head=["Bin (s)", *t.KINDS],
        rows=[
            [f"{scale:g}", *(f"{one.min():.2f} to {one.max():.2f}" for one in some)] for scale, some in ratios.items()
        ],
    )


_TIME_SCALES: Final = Figure(
    **DEFINITION.figure("time-scales", total=t.TOTAL, h=t.ASYMPTOTIC),
    plots=stacked(
        Plot(
            title=f"bins of {bins.scale:g} s",
            x=Axis(
                label=f"{t.FIRST} bins of each kind",
                low=-4,
                high=_Bins.apart * len(t.KINDS),
                ticks=[(_Bins.apart * place + t.FIRST / 2, kind) for place, kind in enumerate(t.KINDS)],
            ),
            y=Axis(label="Packets / mean", low=0.2, high=1.8),
            marks=[bins],
        )
        for bins in _bins
    ),
    height=7.6,
    counted=t.COV.at("times"),
    csv=_bins_csv,
    numbers=_bins_table,
)

_ladders = {one.name: one.at("times") for one in (t.COV, t.DISPERSION, t.PEAK)}
_exact = Series(
    name="Poisson, exact", x=t.LADDER, y=poisson_cov(t.TOTAL * np.array(t.LADDER)), colour="ink", dash="dotted"
)
_SCALES: Final = Figure(
    **DEFINITION.figure("scales-of-burstiness", length=t.LENGTH),
    plots=stacked(
        Plot(
            title=title,
            x=powers("Bin (s)", None, None, (0.01, 0.1, 1, 10)),
            y=Axis(label=label, log=name != "peak"),
            marks=[Lines(of=_ladders[name], x="bin", by="kind", pens=_PENS), *([_exact] if name == "cov" else [])],
            levels=[Level(y=1)] if name == "dispersion" else [],
        )
        for name, label, title in (
            ("cov", "C.o.v.", "standard deviation over mean"),
            ("dispersion", "Index of dispersion", "variance over mean"),
            ("peak", "Peak / mean", "largest bin over mean"),
        )
    ),
    height=8.6,
    csv=points_csv("measure", "kind", "bin_s", of=_ladders),
    numbers=Numbers(of=_ladders, rows="bin", columns="kind", head="Bin (s)", caption="All measures"),
)

_many = {
    title: {
        f"{kind}, {scale:g} s": of.at("many", division=division, kind=kind, bin=scale)
        for kind in (t.POISSON, t.ON_OFF)
        for scale in (0.1, 10.0)
    }
    for title, division, of in (
        ("fixed rate per source: c.o.v.", t.ALIKE, t.COV),
        ("fixed total rate: c.o.v.", t.SHARED, t.COV),
        ("fixed rate per source: variance", t.ALIKE, t.VARIANCE),
    )
}
_memory = {
    f"{kind}, 0.1 s": t.H.at("many", division=t.ALIKE, kind=kind, method="local Whittle", bin=0.1)
    for kind in (t.POISSON, t.ON_OFF)
}
_cells = {f"{title}, {name}": of for title, curves in _many.items() for name, of in curves.items()}
_cells |= {f"Hurst parameter, {name.partition(',')[0]}": of for name, of in _memory.items()}
_MANY_PENS: Final = DEFINITION.pens("many")

_MULTIPLEXING: Final = Figure(
    **DEFINITION.figure("multiplexing", length=t.MANY_LENGTH, total=t.TOTAL),
    plots=stacked(
        Plot(
            title=title,
            x=powers("Number of sources", None, None, map(float, t.COUNTS)),
            y=y,
            marks=[Lines(of=of, x="sources", name=name, pens=_MANY_PENS) for name, of in curves.items()],
        )
        for y, (title, curves) in zip(
            (
                Axis(label="C.o.v.", log=True),
                Axis(label="C.o.v.", log=True),
                Axis(label="Packets²", log=True),
                Axis(label="H, local Whittle", low=0.4, high=1.1),
            ),
            (_many | {"fixed rate per source: Hurst parameter in bins of 0.1 s": _memory}).items(),
            strict=True,
        )
    ),
    height=10.4,
    csv=points_csv("measure", "sources", of=_cells),
    numbers=Numbers(of=_cells, columns="sources", head="Measure", caption="All measures"),
)

_METHODS: Final = DEFINITION.pens("methods")
_LOAD: Final = "Number of on/off sources (each uses 1 % of the link)"


def _known(first: float, last: float) -> list[Series]:
    """Draw the values of H in theory and in the paper as lines from one end of the axis to the other."""
    return [
        Series(name=name, x=[first, last], y=[h, h], colour=colour, dash="dotted", width=1.0)
        for name, h, colour in (("(3 - shape) / 2", t.ASYMPTOTIC, "ink"), ("the paper's 0.8", 0.8, "grey"))
    ]


_by_load = {
    f"{method}, {scale:g} s": t.H.at("loads", background=t.USUAL, method=method, bin=scale)
    for scale in t.BINS
    for method in t.ESTIMATORS
}
_BY_LOAD: Final = Figure(
    **DEFINITION.figure("hurst-by-load"),
    plots=stacked(
        Plot(
            title=f"bins of {scale:g} s",
            x=Axis(label=_LOAD, low=0, high=100),
            y=Axis(label="H", low=0.62, high=1.12),
            marks=[
                Lines(of=t.H.at("loads", background=t.USUAL, bin=scale), x="sources", by="method", pens=_METHODS),
                *_known(0, 100),
            ],
        )
        for scale in t.BINS
    ),
    height=11.0,
    csv=points_csv("series", "sources", of=_by_load),
    numbers=Numbers(of=_by_load, columns="sources", head="Method and bin", caption="Hurst parameter"),
)

_LONGER: Final = f"UDP, {t.LENGTH} s"
_KINDS: Final[Mapping[str, int]] = {t.USUAL: SOURCES, **t.OTHERS, _LONGER: SOURCES}
_KIND_PENS: Final = DEFINITION.pens("backgrounds")


def _by_bin(name: str, method: str) -> Quantity:
    if name == _LONGER:
        return t.H.at("times", kind=t.ON_OFF, method=method)
    return t.H.at("loads", background=name, sources=_KINDS[name], method=method)


def _along(of: Quantity, side: Side) -> Mapping[Scalar, Interval]:
    """Return the points along the only axis; empty if no run has the quantity."""
    with suppress(LookupError):
        return {at: point for (at,), point in of.points(side).cells.items()}
    return {}


def _by_bin_table(evidence: Evidence) -> Table:
    rows = [
        [method, f"{name}, {count} sources", source, *(points[at].shown(2) if at in points else DASH for at in t.BINS)]
        for method in t.ESTIMATORS
        for name, count in _KINDS.items()
        for source, side in sources(evidence)
        if (points := _along(_by_bin(name, method), side))
    ]
    head = ["Method", "Background", "Simulator", *(f"{scale:g} s" for scale in t.BINS)]
    return Table(caption="Hurst parameter: mean ± half-width of the 95 % interval", head=head, rows=rows)


_BY_BIN: Final = Figure(
    **DEFINITION.figure("hurst-by-bin", length=t.LENGTH),
    plots=stacked(
        Plot(
            title=method,
            x=powers("Bin (s)", 0.008, 1.25, t.BINS),
            y=Axis(label="H", low=0.55, high=1.15),
            marks=[
                *(Lines(of=_by_bin(name, method), x="bin", name=name, pens=_KIND_PENS) for name in _KINDS),
                *_known(t.BINS[0], t.BINS[-1]),
            ],
        )
        for method in t.ESTIMATORS
    ),
    height=11.0,
    numbers=_by_bin_table,
)

_SIDES: Final = DEFINITION.pens("sides")
_ends: Final[Mapping[str, tuple[str, Mapping[str, Quantity]]]] = {
    title: (
        label,
        {
            side: one.at("loads", background=t.USUAL, **where).called(label, digits=3)
            for side, one in zip(_SIDES, profiles, strict=True)
        },
    )
    for title, label, profiles, where in (
        ("Hurst parameter in bins of 0.01 s, one lag", "H, K = 1", (t.H, t.H_OUT), {"method": "K = 1", "bin": 0.01}),
        ("Hurst parameter in bins of 0.1 s, 50 lags", "H, K = 50", (t.H, t.H_OUT), {"method": "K = 50", "bin": 0.1}),
        ("coefficient of variation in bins of 0.01 s", "C.o.v.", (t.COV_IN, t.COV_OUT), {"bin": 0.01}),
    )
}
_columns = {f"{title}, {side}": of for title, (_, both) in _ends.items() for side, of in both.items()}


def _behind_table(evidence: Evidence) -> Table:
    table = Numbers(of=_columns, rows="sources", head="Sources", caption="Arrivals and departures").table(evidence.ours)
    loss = t.LOSS.at("loads", background=t.USUAL).points(evidence.ours).cells
    rows = [[row[0], f"{loss[count,].mean:.3f}", *row[1:]] for count, row in zip(t.LOADS, table.rows, strict=True)]
    return replace(table, head=[table.head[0], "loss (%)", *table.head[1:]], rows=rows)


_BEHIND: Final = Figure(
    **DEFINITION.figure("hurst-behind"),
    plots=stacked(
        Plot(
            title=title,
            x=Axis(label=_LOAD, low=0, high=100),
            y=Axis(label=label),
            marks=[Lines(of=of, x="sources", name=side, pens=_SIDES) for side, of in both.items()],
        )
        for title, (label, both) in _ends.items()
    ),
    height=8.0,
    counted=t.H_OUT.at("loads", background=t.USUAL),
    numbers=_behind_table,
)

TRAFFIC: Final = Chapter(
    title="Table 1, and the background's Hurst parameter",
    text=CAPTIONS["traffic"],
    figures=[_TIME_SCALES, _SCALES, _MULTIPLEXING, _BY_LOAD, _BY_BIN, _BEHIND],
)
