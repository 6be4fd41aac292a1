"""The figure on all-to-one exchanges in a cluster."""

from __future__ import annotations

from ackclock.drawing.chart import Level
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, powers
from ackclock.papers.today.claims.cluster import COUNT
from ackclock.papers.today.figures.drawing import PENS, SHOWN
from ackclock.papers.today.many_measures import SLOWEST
from ackclock.papers.today.parts.incast import ANSWER, FINE, USUAL
from ackclock.papers.today.senders import DEFINITION

_IDEAL = 1e3 * COUNT * 8 * ANSWER / 10e9

INCAST = Figure(
    **DEFINITION.figure("incast"),
    plots=[
        Plot(
            title=title,
            x=powers("Nodes that answer", 15, 650, (20, 50, 100, 200, 500)),
            y=powers("Slowest answer (ms)", 0.5, 10_000, (1, 10, 100, 1000, 10_000)),
            marks=[
                Lines(of=SLOWEST.at("incast", sender=SHOWN, floor=floor), x="nodes", by="sender", pens=PENS),
            ],
            levels=[Level(y=_IDEAL)],
        )
        for title, floor in (("(a)", USUAL), ("(b)", FINE))
    ],
    height=8,
    data={"slowest_ms": SLOWEST.at("incast")},
    numbers=Numbers(
        of=SLOWEST.at("incast"),
        rows="sender",
        columns=("floor", "nodes"),
        head="Sender",
        caption="Slowest answer, ms, by the smallest timeout and the number of nodes",
    ),
)

FIGURES = [INCAST]
