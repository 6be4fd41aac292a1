"""Figure D: what each reason explains why the formulas of Padhye et al. are off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.core.quantities import Measure
from ackclock.papers.figures import Pen
from ackclock.papers.manyflows.padhye import MODELS, TOPOLOGIES
from ackclock.papers.manyflows.panels import table_drawing
from ackclock.papers.manyflows.places import PROCESSING
from ackclock.papers.manyflows.reasons import ACKS_LOST, WAYS
from ackclock.report.chart import Axis, Panel, Series

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Key
    from ackclock.papers.core.paper import Both
    from ackclock.report.html import Drawing

_PENS: Mapping[int, Pen] = {
    1: Pen(colour="blue", marker="square"),
    2: Pen(colour="sky", marker="diamond"),
    3: Pen(colour="red", marker="circle"),
    4: Pen(colour="orange", marker="triangle"),
}


def reasons(evidence: Both, command: str) -> Drawing:
    """Draw the median of predicted over sent, with each reason switched off in turn."""

    def points(model: str, way: str) -> Mapping[Key, Interval]:
        part = "narrow" if way == ACKS_LOST else "reasons"
        return Measure(name=f"{model}, {way}", label=way).at(part).points(evidence.ours).cells

    found = {(model, way): points(model, way) for model in MODELS for way in WAYS}
    ticks = [(-place, way) for place, way in enumerate(WAYS)]
    return table_drawing(
        height=7.6,
        panels=[
            Panel(
                title=f"({letter}) {processing}",
                x=Axis(
                    label="Predicted by the full formula over sent, median" if letter == "b" else "",
                    low=0.7,
                    high=2.1,
                    log=True,
                    ticks=[(ratio, f"{ratio:g}") for ratio in (0.7, 0.8, 0.9, 1, 1.2, 1.5, 2)],
                ),
                y=Axis(low=-len(WAYS) + 0.4, high=0.6, ticks=ticks),
                series=[
                    Series(
                        name=f"topology {one}",
                        x=[found["full", way][processing, one].mean for way in WAYS],
                        y=[place + 0.12 * (2.5 - one) for place, _ in ticks],
                        colour=pen.colour,
                        marker=pen.marker,
                        dash="none",
                        size=5,
                    )
                    for one, pen in _PENS.items()
                ],
            )
            for letter, processing in zip("ab", PROCESSING, strict=True)
        ],
        slug="reasons",
        title="Figure D. Why the formulas of Padhye et al. are off",
        caption="Median over the flows of predicted over sent, at W_c = 300 with 60 connections (topologies 1 and "
        f"3) and 300 (2 and 4), of {len({row.seed for row in evidence.ours.part('reasons')})} seeds: as it is; with p "
        "counted as the model has it, first losses of a round trip; flows run again alone, with the same losses and a "
        "constant round trip; the same with as many losses at random places; without the packets of slow start and the "
        "time for it; with the model's own process simulated in place of its means; all three together; and with a way "
        "back that carries nine tenths of the ACKs.",
        caption_of_numbers="Predicted over sent, median: mean ± half-width of the 95 % interval",
        head=["Formula, topology", *WAYS],
        rows=[
            [f"{model}, {one}, {processing}", *(found[model, way][processing, one].shown(2) for way in WAYS)]
            for model in MODELS
            for processing in PROCESSING
            for one in TOPOLOGIES
        ],
        command=command,
    )
