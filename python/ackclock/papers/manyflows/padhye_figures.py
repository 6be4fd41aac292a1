"""Tables 2 and 3 as figures: how large a part of the flows is within any factor of what the formulas say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.core.evidence import Row
from ackclock.papers.figures import Pen
from ackclock.papers.manyflows.padhye import FACTORS, MODELS, PAPER, pooled
from ackclock.papers.manyflows.panels import to_csv
from ackclock.papers.manyflows.places import WITH, WITHOUT
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.core.evidence import Side
    from ackclock.papers.core.paper import Both
    from ackclock.papers.manyflows.padhye import Model

_PENS: Mapping[int, Pen] = {
    1: Pen(colour="blue", marker="square"),
    2: Pen(colour="sky", marker="diamond", dash="dashed"),
    3: Pen(colour="red", marker="circle"),
    4: Pen(colour="orange", marker="triangle", dash="dashed"),
    5: Pen(colour="grey", marker="hexagon", dash="dotted"),
}

_NAMES: Mapping[int, str] = {
    1: "1: ISDN to 100",
    2: "2: ISDN from 150",
    3: "3: T1 to 100",
    4: "4: T1 from 150",
    5: "5: as we take it",
}
"""Topologies with the numbers of connections at which we and ns-2 ran them."""

_ABOUT_THE_FIFTH = (
    " Of topology 5 the paper's figure is lost: we take its links of 28.8 kb/s for modems of the sources before a "
    "T1 link, with buffers of 100 to 500 packets and 10 to 600 connections, and their mean smoothed round trips."
)

_TITLES: Mapping[Model, str] = {"approximate": "Table 2: approximate", "full": "Table 3: full"}
_STEPS = np.geomspace(1, 8, 85)
"""Factors at which the curves are drawn."""


Shares = dict[tuple[int, str], Row]
"""The rows of Tables 2 and 3, by topology and formula."""


def tables2and3(evidence: Both, processing: str, command: str) -> Drawing:
    """Draw Tables 2 and 3; topology 5 as we take it has no processing times and no runs of ns-2."""
    busy = processing == WITH
    ours, theirs = (_shares(side, processing) for side in (evidence.ours, evidence.ns2))
    seeds = len({row.seed for row in evidence.ours.part("flows")})
    times = "with processing times of up to 10 % of the round trip" if busy else "without processing times"
    return Drawing(
        chart=Chart(height=8.2, panels=[_panel(evidence, theirs, model, processing) for model in MODELS]),
        slug="tables2and3-busy" if busy else "tables2and3",
        title=f"Tables 2 and 3. Flows within a factor of the formulas of Padhye et al., {times}",
        caption="The part of the flows whose rate, in packets sent, is within a factor of what a formula says of the "
        "flow's own drops, its mean timeout without back-off and the mean round trip of its run; W_c is 100 to 500. "
        f"Lines are our flows of {seeds} seeds, hollow markers those of one run of ns-2.35 a place, small full "
        "markers what the paper prints, both at the factors of its tables. Flows that lost nothing or everything are "
        "left out: the formulas have no answer for them." + ("" if busy else _ABOUT_THE_FIFTH),
        csv=_data(ours, theirs),
        numbers=_numbers(ours, theirs),
        command=command,
    )


def _shares(side: Side, processing: str) -> Shares:
    rows = [row for row in side.part("padhye") if row.where["processing"] == processing]
    found = {(int(row.where["topology"]), str(row.where["formula"])): row for row in rows}
    return dict(sorted(found.items(), key=lambda item: (item[0][1], item[0][0])))


def _percent(row: Row) -> list[float]:
    return [row.values[f"within_{factor:g}"] for factor in FACTORS]


def _marks(name: str, percent: Sequence[float], pen: Pen, group: str, *, printed: bool) -> Series:
    """Mark what others have at the factors of the tables: the paper in full, ns-2 hollow."""
    return Series(
        name=name,
        x=FACTORS,
        y=percent,
        colour=pen.colour,
        marker=pen.marker,
        dash="none",
        filled=printed,
        size=4.0 if printed else 7.5,
        listed=False,
        group=group,
    )


def _curve(side: Side, model: Model, one: int, processing: str) -> Series:
    rows = [
        row
        for row in side.part("fifth" if one == 5 else "flows")
        if (row.where["processing"], row.where["topology"]) == (processing, one)
    ]
    off = np.exp(np.abs(np.log(pooled(rows, model))))
    within = np.searchsorted(np.sort(off), _STEPS, side="right") / off.size
    return Series(name=_NAMES[one], x=_STEPS, y=100 * within, colour=_PENS[one].colour, dash=_PENS[one].dash)


def _panel(evidence: Both, theirs: Shares, model: Model, processing: str) -> Panel:
    drawn = []
    for one, pen in _PENS.items():
        if one != 5 or processing == WITHOUT:
            name = _NAMES[one]
            drawn.append(_curve(evidence.ours, model, one, processing))
            if (one, model) in theirs:
                ns2 = _percent(theirs[one, model])
                drawn.append(_marks(f"{name}, ns-2.35", ns2, pen, name, printed=False))
            drawn.append(_marks(f"{name}, paper", PAPER[one, model], pen, name, printed=True))
    words = (("hollow: ns-2.35", False, 7.5), ("full: paper", True, 4.0))
    legend = [
        Series(name=word, x=[np.nan], y=[np.nan], colour="ink", marker="circle", dash="none", filled=filled, size=size)
        for word, filled, size in words
    ]
    return Panel(
        title=_TITLES[model],
        x=Axis(
            label="Factor, either way",
            low=1,
            high=8,
            log=True,
            ticks=[(factor, f"{factor:g}") for factor in (1, *FACTORS, 6, 8)],
        ),
        y=Axis(label="Flows within it (%)", low=0, high=103),
        series=[*drawn, *legend],
    )


def _numbers(ours: Shares, theirs: Shares) -> Table:
    rows = []
    for (one, model), row in ours.items():
        ns2, paper = theirs.get((one, model)), PAPER[one, _model(model)]
        cells = [
            f"{mine:.1f} ({printed:.1f})" if ns2 is None else f"{mine:.1f} ({_percent(ns2)[place]:.1f}; {printed:.1f})"
            for place, (mine, printed) in enumerate(zip(_percent(row), paper, strict=True))
        ]
        median = f"{row.values['median']:.2f}" + ("" if ns2 is None else f" ({ns2.values['median']:.2f})")
        rows.append([f"{model}, {_NAMES[one]}", *cells, median])
    return Table(
        caption="Flows within each factor in %: ours (ns-2.35; the paper), and the median of predicted over sent",
        head=["Formula, topology", *(f"within {factor:g}" for factor in FACTORS), "median"],
        rows=rows,
    )


def _data(ours: Shares, theirs: Shares) -> str:
    rows: list[list[object]] = [
        ["source", "formula", "topology", "flows", *(f"within_{factor:g}" for factor in FACTORS), "median"]
    ]
    for (one, model), row in ours.items():
        cells = [f"{share:.2f}" for share in _percent(row)]
        rows.append(["ackclock", model, one, row.values["flows"], *cells, f"{row.values['median']:.3f}"])
        if (one, model) in theirs:
            ns2 = theirs[one, model]
            rows.append(["ns-2.35", model, one, ns2.values["flows"], *_percent(ns2), ns2.values["median"]])
        rows.append(["paper", model, one, "", *PAPER[one, _model(model)], ""])
    return to_csv(rows)


def _model(name: str) -> Model:
    return "full" if name == "full" else "approximate"
