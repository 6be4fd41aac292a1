"""Tables 2 and 3 as figures: how large a part of the flows is within any factor of what the formulas say."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.figures import Pen
from ackclock.papers.manyflows.padhye import (
    FACTORS,
    MODELS,
    PAPER,
    TOPOLOGIES,
    ns2_shares,
    points_off,
    predicted,
    shares,
)
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Statement, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.manyflows.padhye import Flows, Model, Padhye

__all__ = ["padhye_drawings", "padhye_statement"]

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
}
"""Topologies with the numbers of connections at which we and ns-2 ran them."""

_FIFTH = "5: as we take it"

_ABOUT_THE_FIFTH = (
    " Of topology 5 the paper's figure is lost: we take its links of 28.8 kb/s for modems of the sources before a "
    "T1 link, with buffers of 100 to 500 packets and 10 to 600 connections, and their mean smoothed round trips."
)

_TITLES: Mapping[Model, str] = {"approximate": "Table 2: approximate", "full": "Table 3: full"}
_STEPS = np.geomspace(1, 8, 85)
"""Factors at which the curves are drawn."""


def padhye_drawings(found: Padhye, fifth: Flows, *, command: str) -> list[Drawing]:
    """Draw Tables 2 and 3, without processing times and with them.

    Parameters
    ----------
    found
        Our flows of topologies 1 to 4.
    fifth
        Those of topology 5 as we take it, without processing times; shown beside the paper alone.
    command
        What a person types to make them.

    """
    return [_drawing(found, busy=busy, fifth=None if busy else fifth, command=command) for busy in (False, True)]


def _drawing(found: Padhye, *, busy: bool, fifth: Flows | None, command: str) -> Drawing:
    times = "with processing times of up to 10 % of the round trip" if busy else "without processing times"
    return Drawing(
        chart=Chart(height=8.2, panels=[_panel(found, model, busy=busy, fifth=fifth) for model in MODELS]),
        slug="tables2and3-busy" if busy else "tables2and3",
        title=f"Tables 2 and 3. Flows within a factor of the formulas of Padhye et al., {times}",
        caption="The part of the flows whose rate, in packets sent, is within a factor of what a formula says of the "
        "flow's own drops, its mean timeout without back-off and the mean round trip of its run; W_c is 100 to 500. "
        f"Lines are our flows of {found.seeds} seeds, hollow markers those of one run of ns-2.35 a place, small full "
        "markers what the paper prints, both at the factors of its tables. Flows that lost nothing or everything are "
        "left out: the formulas have no answer for them." + ("" if fifth is None else _ABOUT_THE_FIFTH),
        csv=_data(found, busy=busy, fifth=fifth),
        numbers=_numbers(found, busy=busy, fifth=fifth),
        command=command,
    )


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


def _curve(flows: Flows, model: Model, name: str, pen: Pen) -> Series:
    usable = flows.chosen(flows.usable)
    off = np.exp(np.abs(np.log(predicted(usable, model) / usable.sent)))
    within = np.searchsorted(np.sort(off), _STEPS, side="right") / off.size
    return Series(name=name, x=_STEPS, y=100 * within, colour=pen.colour, dash=pen.dash)


def _panel(found: Padhye, model: Model, *, busy: bool, fifth: Flows | None) -> Panel:
    theirs, drawn = ns2_shares(), []
    for one in TOPOLOGIES:
        pen, name = _PENS[one], _NAMES[one]
        drawn += [
            _curve(found.flows[busy, one], model, name, pen),
            _marks(f"{name}, ns-2.35", theirs[busy, one, model].percent, pen, name, printed=False),
            _marks(f"{name}, paper", PAPER[one, model], pen, name, printed=True),
        ]
    if fifth is not None:
        drawn += [
            _curve(fifth, model, _FIFTH, _PENS[5]),
            _marks(f"{_FIFTH}, paper", PAPER[5, model], _PENS[5], _FIFTH, printed=True),
        ]
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


def _numbers(found: Padhye, *, busy: bool, fifth: Flows | None) -> Table:
    theirs, rows = ns2_shares(), []
    for model in MODELS:
        for one in TOPOLOGIES:
            ours, ns2 = shares(found.flows[busy, one], model), theirs[busy, one, model]
            cells = [
                f"{100 * mine:.1f} ({other:.1f}; {paper:.1f})"
                for mine, other, paper in zip(ours.shares, ns2.percent, PAPER[one, model], strict=True)
            ]
            rows.append([f"{model}, {_NAMES[one]}", *cells, f"{ours.median_ratio:.2f} ({ns2.median:.2f})"])
        if fifth is not None:
            ours = shares(fifth, model)
            cells = [
                f"{100 * mine:.1f} ({paper:.1f})" for mine, paper in zip(ours.shares, PAPER[5, model], strict=True)
            ]
            rows.append([f"{model}, {_FIFTH}", *cells, f"{ours.median_ratio:.2f}"])
    return Table(
        caption="Flows within each factor in %: ours (ns-2.35; the paper), and the median of predicted over sent",
        head=["Formula, topology", *(f"within {factor:g}" for factor in FACTORS), "median"],
        rows=rows,
    )


def _data(found: Padhye, *, busy: bool, fifth: Flows | None) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["source", "formula", "topology", "flows", *(f"within_{factor:g}" for factor in FACTORS), "median"])
    theirs = ns2_shares()
    for model in MODELS:
        for one in TOPOLOGIES:
            ours, ns2 = shares(found.flows[busy, one], model), theirs[busy, one, model]
            mine = [f"{100 * share:.2f}" for share in ours.shares]
            rows.writerow(["ackclock", model, one, ours.count, *mine, f"{ours.median_ratio:.3f}"])
            rows.writerow(["ns-2.35", model, one, ns2.flows, *ns2.percent, ns2.median])
            rows.writerow(["paper", model, one, "", *PAPER[one, model], ""])
        if fifth is not None:
            ours = shares(fifth, model)
            mine = [f"{100 * share:.2f}" for share in ours.shares]
            rows.writerow(["ackclock", model, 5, ours.count, *mine, f"{ours.median_ratio:.3f}"])
            rows.writerow(["paper", model, 5, "", *PAPER[5, model], ""])
    return text.getvalue()


def padhye_statement(found: Padhye) -> Statement:
    """Say in a sentence how well our shares agree with ns-2's."""
    off = np.abs(np.concatenate(list(points_off(found).values())))
    return Statement(
        lead="Flow by flow the formulas are as far off as with ns-2:",
        text=f"the {off.size} shares of flows within a factor (Tables 2 and 3, without and with processing times) "
        f"differ by {np.median(off):.1f} points at the median and by {off.max():.1f} at most.",
    )
