"""Tables 2 and 3, and why the formulas of Padhye et al. are off."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.core.figure import Figure, Lines, Plot
from ackclock.papers.core.quantities import Measure
from ackclock.papers.figures import Pen
from ackclock.papers.manyflows.measures import WITHIN
from ackclock.papers.manyflows.padhye import FACTORS, MODELS, PAPER, TOPOLOGIES
from ackclock.papers.manyflows.places import DEFINITION, PROCESSING, WITH, WITHOUT
from ackclock.papers.manyflows.reasons import ACKS_LOST, WAYS
from ackclock.report.chart import Axis, Panel, Series
from ackclock.report.html import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackclock.papers.core.evidence import Evidence
    from ackclock.papers.core.quantities import Quantity
    from ackclock.papers.manyflows.padhye import Model

_NAMES = {
    1: "1: ISDN to 100",
    2: "2: ISDN from 150",
    3: "3: T1 to 100",
    4: "4: T1 from 150",
    5: "5: as we take it",
}  # of topologies, with the numbers of connections at which we and ns-2 ran them
_PENS = {
    _NAMES[1]: Pen(colour="blue", marker="square"),
    _NAMES[2]: Pen(colour="sky", marker="diamond", dash="dashed"),
    _NAMES[3]: Pen(colour="red", marker="circle"),
    _NAMES[4]: Pen(colour="orange", marker="triangle", dash="dashed"),
    _NAMES[5]: Pen(colour="grey", marker="hexagon", dash="dotted"),
}


def powers(label: str, low: float, high: float, ticks: Iterable[float]) -> Axis:
    return Axis(label=label, low=low, high=high, log=True, ticks=[(tick, f"{tick:g}") for tick in ticks])


def tables2and3(processing: str) -> Figure:
    """Describe Tables 2 and 3; topology 5 as we take it has no processing times and no runs of ns-2."""
    busy = processing == WITH
    return Figure(
        **DEFINITION.figure("tables2and3-busy" if busy else "tables2and3"),
        plots=[_within(model, processing) for model in MODELS],
        height=8.2,
        numbers=partial(_shares, processing),
    )


def _within(model: Model, processing: str) -> Plot:
    shares = WITHIN.at("padhye", processing=processing, formula=model)
    paper = [
        Series(
            name=f"{name}, paper",
            x=FACTORS,
            y=PAPER[one, model],
            colour=_PENS[name].colour,
            marker=_PENS[name].marker,
            dash="none",
            listed=False,
            group=name,
        )
        for one, name in _NAMES.items()
        if one in TOPOLOGIES or processing == WITHOUT
    ]
    named = shares.relabel("topology", {str(one): name for one, name in _NAMES.items()})
    return Plot(
        title="Table 3: full" if model == "full" else "Table 2: approximate",
        x=powers("Factor, either way", 1.4, 4.3, FACTORS),
        y=Axis(label="Flows within it (%)", low=0, high=103),
        marks=[
            Lines(of=named, x="factor", by="topology", pens=_PENS, plain=True),
            *paper,
            Series(name="full: paper", x=[np.nan], y=[np.nan], colour="ink", marker="circle", dash="none"),
        ],
    )


def _shares(processing: str, evidence: Evidence) -> Table:
    names, rows = [f"within_{factor:g}" for factor in FACTORS], []
    ours, theirs = (
        {
            (str(row.where["formula"]), int(row.where["topology"])): row.values
            for row in side.part("padhye")
            if row.where["processing"] == processing
        }
        for side in (evidence.ours, evidence.ns2)
    )
    for (model, one), values in sorted(ours.items()):
        shares = [f"{values[name]:.2f}" for name in names]
        rows.append(["ackclock", model, one, values["flows"], *shares, f"{values['median']:.3f}"])
        if ns2 := theirs.get((model, one)):
            rows.append(["ns-2.35", model, one, int(ns2["flows"]), *(ns2[name] for name in (*names, "median"))])
        rows.append(["paper", model, one, "", *PAPER[one, "full" if model == "full" else "approximate"], ""])
    return Table(
        caption="Flows within each factor in %, and the median of predicted over sent",
        head=["source", "formula", "topology", "flows", *names, "median"],
        rows=[[str(cell) for cell in row] for row in rows],
    )


def _ratio(model: str, way: str) -> Quantity:
    return Measure(name=f"{model}, {way}", label=way).at("narrow" if way == ACKS_LOST else "reasons")


def _reasons(letter: str, processing: str, evidence: Evidence) -> Panel:
    found = {way: _ratio("full", way).points(evidence.ours).cells for way in WAYS}
    return Panel(
        title=f"({letter}) {processing}",
        x=powers(
            "Predicted by the full formula over sent, median" if letter == "b" else "",
            0.7,
            2.1,
            (0.7, 0.8, 0.9, 1, 1.2, 1.5, 2),
        ),
        y=Axis(low=-len(WAYS) + 0.4, high=0.6, ticks=[(-place, way) for place, way in enumerate(WAYS)]),
        series=[
            Series(
                name=f"topology {one}",
                x=[found[way][processing, one].mean for way in WAYS],
                y=[-place + 0.12 * (2.5 - one) for place in range(len(WAYS))],
                colour=_PENS[_NAMES[one]].colour,
                marker=_PENS[_NAMES[one]].marker,
                dash="none",
                size=5,
            )
            for one in TOPOLOGIES
        ],
    )


def _reasons_table(evidence: Evidence) -> Table:
    found = {(model, way): _ratio(model, way).points(evidence.ours).cells for model in MODELS for way in WAYS}
    return Table(
        caption="Predicted over sent, median: mean ± half-width of the 95 % interval",
        head=["Formula, topology", *WAYS],
        rows=[
            [f"{model}, {one}, {processing}", *(found[model, way][processing, one].shown(2) for way in WAYS)]
            for model in MODELS
            for processing in PROCESSING
            for one in TOPOLOGIES
        ],
    )


REASONS = Figure(
    **DEFINITION.figure("reasons"),
    plots=[partial(_reasons, letter, processing) for letter, processing in zip("ab", PROCESSING, strict=True)],
    height=7.6,
    numbers=_reasons_table,
)
