"""Figures on newcomers and on transfers."""

from __future__ import annotations

from functools import partial

from ackclock.drawing.chart import Level
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, powers
from ackclock.papers.today.figures.drawing import PENS, SHOWN, dots
from ackclock.papers.today.measures import LOSS, PLAIN_COV, SHARE, SLOWEST, UTILIZATION
from ackclock.papers.today.parts.sharing import LINKS
from ackclock.papers.today.senders import DEFINITION

_OTHERS = tuple(sender for sender in SHOWN if sender != "Reno of 2000")


def _shares(slug: str, part: str) -> Figure:
    of = SHARE.at(part)
    return Figure(
        **DEFINITION.figure(slug),
        plots=[
            Plot(
                x=powers("Buffer (packets)", 40, 1900, (50, 417, 1500)),
                y=powers("Newcomer / Reno (%)", None, None, (10, 20, 50, 100, 200, 500, 1000, 2000)),
                marks=[Lines(of=SHARE.at(part, sender=_OTHERS), x="packets", by="sender", pens=PENS)],
                levels=[Level(y=100)],
            )
        ],
        data={"share_percent": of, "loss_percent": LOSS.at(part), "utilization_percent": UTILIZATION.at(part)},
        numbers=Numbers(of=of, rows="sender", columns="packets", head="Buffer", caption="Newcomer / Reno, %"),
    )


TRANSFERS = Figure(
    **DEFINITION.figure("transfers"),
    plots=[
        partial(
            dots,
            of={f"{name} link": PLAIN_COV.at("transfers", link=name) for name in LINKS},
            label="C.o.v.",
        )
    ],
    data={"cov": PLAIN_COV.at("transfers"), "p99_completion_s": SLOWEST.at("transfers")},
    numbers=Numbers(
        of={"c.o.v.": PLAIN_COV.at("transfers"), "p99 of the completion time, s": SLOWEST.at("transfers")},
        rows="sender",
        columns="link",
        head="Sender",
        caption="Transfers",
    ),
)
FIGURES = (_shares("beside", "beside"), _shares("greedy", "greedy beside"), TRANSFERS)
