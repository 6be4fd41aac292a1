"""The study of router buffers as one value, `PAPER`, and its figure."""

from __future__ import annotations

from ackclock.drawing.chart import Axis, Level
from ackclock.papers.buffers.claims import BUSY, CLAIMS, DEFINITION, PRODUCT
from ackclock.papers.buffers.measures import LOSS, UTILIZATION
from ackclock.papers.core.figure import Figure, Lines, Numbers, Pen, Plot
from ackclock.papers.core.paper import Chapter, Paper

_PENS = {
    "1 flow": Pen(colour="grey", marker="circle"),
    "4 flows": Pen(colour="blue", marker="square"),
    "16 flows": Pen(colour="green", marker="triangle"),
    "64 flows": Pen(colour="red", marker="diamond"),
    "64 flows, equal delays": Pen(colour="orange", marker="hexagon", dash="dashed"),
}

_utilization, _loss = UTILIZATION.at("grid"), LOSS.at("grid")
_lines = Lines(of=_utilization, x="packets", by="variant", pens=_PENS)
_alike = Lines(of=UTILIZATION.at("alike"), x="packets", by="variant", pens=_PENS)

FIGURE = Figure(
    slug="utilization",
    title="Figure 1. Utilization of the bottleneck by buffer size",
    what="Traffic over the bottleneck as a share of its rate, against the size of its buffer.",
    rest=f"The bandwidth-delay product is {PRODUCT} packets; the dotted line is {BUSY} %.",
    plots=[
        Plot(
            x=Axis(label="Buffer (packets)", low=10, high=1000, log=True),
            y=Axis(label="Utilization (%)", high=100.5),
            marks=[_lines, _alike],
            levels=[Level(y=BUSY)],
        )
    ],
    data={"utilization_percent": _utilization, "loss_percent": _loss},
    numbers=Numbers(caption="Utilization, %"),
)

PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    chapters=[Chapter(title="Figures", figures=[FIGURE])],
    profile="rfc",
)
