"""Figures A to C on the assumptions of section 2, for which the paper has no figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ackclock.drawing.chart import Axis, Level, Series
from ackclock.papers.core.evidence import Evidence
from ackclock.papers.core.figure import Figure, Lines, Plot, powers
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows.internet import ANYONE, BACKBONES, CLUSTERS, DEGREES, DRAWN, EXTRA, giant_component
from ackclock.papers.manyflows.places import DEFINITION
from ackclock.report.html import Table

_PLACES = {str(count): str(place) for place, count in enumerate(EXTRA)}  # equally spaced positions on the axis
_RATES = powers("", 18, 440, (20, 40, 60, 80, 100, 150, 200, 400))
_PERCENT = Axis(label="%", low=0, high=108)


def _line(part: str, of: Quantity, x: str, name: str) -> Lines:
    return Lines(of=of, x=x, name=name, pens=DEFINITION.pens(part))


def _shown(evidence: Evidence, of: Quantity) -> dict[Any, str]:
    return {at: point.shown(of.digits) for (at,), point in of.points(evidence.ours).cells.items()}


_drops, _goodput = (one.at("backbone", rate=BACKBONES) for one in (m.AT_BACKBONE, m.ACCESS_GOODPUT))
_without = m.ACCESS_GOODPUT.at("backbone", rate=0)


def _backbones(evidence: Evidence) -> Table:
    drops, goodput, without = (_shown(evidence, one) for one in (_drops, _goodput, m.ACCESS_GOODPUT.at("backbone")))
    rows = [[f"{rate} %", drops[rate], goodput[rate]] for rate in BACKBONES]
    return DEFINITION.laid_out("backbone", [*rows, ["none", "0", without[0]]])


BACKBONE = Figure(
    **DEFINITION.figure("backbone"),
    plots=[
        Plot(
            x=_RATES,
            y=Axis(label="Drops at the backbone (%)", low=-3, high=103),
            marks=[_line("backbone", _drops, "rate", "with a backbone")],
        ),
        Plot(
            x=replace(_RATES, label="Rate of the backbone (% of all access links)"),
            y=Axis(label="Goodput (% of all access links)", low=0, high=100),
            marks=[_line("backbone", _goodput, "rate", "with a backbone")],
            levels=lambda evidence: [Level(y=_without.points(evidence.ours).only.mean, text="without a backbone")],
        ),
    ],
    numbers=_backbones,
)

_stays, _entry, _extra_goodput = (one.at("extra") for one in (m.STAYS, m.AT_ENTRY, m.ACCESS_GOODPUT))
_drawn_stays, _alike = (one.at("drawn") for one in (m.STAYS, m.ALIKE))


def _bottlenecks(evidence: Evidence) -> Table:
    entry, stays, goodput, network, alike = (
        _shown(evidence, one.called(one.words, digits=0))
        for one in (_entry, _stays, _extra_goodput, _drawn_stays, _alike)
    )
    rows = [[f"20 and {count} others", entry[count], stays[count], goodput[count], ""] for count in EXTRA]
    rows += [[f"network {draw}", "", network[draw], "", alike[draw]] for draw in DRAWN]
    return DEFINITION.laid_out("bottlenecks", rows)


BOTTLENECKS = Figure(
    **DEFINITION.figure("bottlenecks"),
    plots=[
        Plot(
            title="(a)",
            x=Axis(
                label="Other connections to the same domain",
                low=-0.5,
                high=len(EXTRA) - 0.5,
                ticks=[(place, str(count)) for place, count in enumerate(EXTRA)],
            ),
            y=_PERCENT,
            marks=[
                _line("extra", of.relabel("others", _PLACES), "others", name)
                for of, name in zip((_stays, _entry, _extra_goodput), DEFINITION.pens("extra"), strict=True)
            ],
        ),
        Plot(
            title="(b)",
            x=Axis(label="Network", low=0.5, high=len(DRAWN) + 0.5),
            y=_PERCENT,
            marks=[
                _line("drawn", of, "network", name)
                for of, name in zip((_drawn_stays, _alike), DEFINITION.pens("drawn"), strict=True)
            ],
        ),
    ],
    numbers=_bottlenecks,
)


def _apart(evidence: Evidence) -> Table:
    columns = [
        _shown(evidence, one.at("components", traffic=who))
        for who in (ANYONE, CLUSTERS)
        for one in (m.LARGEST, m.COMPONENTS)
    ]
    rows = [
        [f"{degree:g}", *(column[degree] for column in columns), f"{giant_component(degree):.3f}"] for degree in DEGREES
    ]
    return DEFINITION.laid_out("components", rows)


_FINE = np.linspace(0.25, 4, 151)
_LAW = Series(
    name="S = 1 - exp(-cS)", x=_FINE, y=[giant_component(degree) for degree in _FINE], colour="ink", width=1.0
)

APART = Figure(
    **DEFINITION.figure("components"),
    plots=[
        Plot(
            title=title,
            x=Axis(label=label, low=0, high=4.2),
            y=Axis(label=words, low=0),
            marks=[
                *law,
                Lines(of=of.at("components"), x="degree", by="traffic", pens=DEFINITION.pens("traffic")),
            ],
        )
        for title, label, words, law, of in (
            ("(a)", "", "Largest component (share of domains)", [_LAW], m.LARGEST),
            ("(b)", "Mean degree c", "Components, per 100 domains", [], m.COMPONENTS),
        )
    ],
    numbers=_apart,
)
