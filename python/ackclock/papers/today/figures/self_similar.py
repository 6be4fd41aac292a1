"""Figures on one connection over self-similar traffic."""

from __future__ import annotations

from functools import partial

from ackclock.drawing.chart import Level
from ackclock.papers.core.figure import Figure, Numbers
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY
from ackclock.papers.today.figures.drawing import dots
from ackclock.papers.today.many_measures import COV, EFFICIENCY, HURST, THROUGHPUT, WAVELETS, WHITTLE
from ackclock.papers.today.parts.greedy import NONE
from ackclock.papers.today.senders import DEFINITION

_BUFFERS = {NONE: "10 packets", "buffer": "469 packets"}

SELF_SIMILAR = Figure(
    **DEFINITION.figure("self-similar"),
    plots=[
        partial(
            dots,
            of={name: of.at("self-similar", change=change) for change, name in _BUFFERS.items()},
            label=label,
            title=title,
        )
        for title, label, of in (("(a)", "Throughput (Mb/s)", THROUGHPUT), ("(b)", "Efficiency (%)", EFFICIENCY))
    ],
    height=7,
    data={"throughput_mbps": THROUGHPUT.at("self-similar"), "efficiency_percent": EFFICIENCY.at("self-similar")},
    numbers=Numbers(
        of={"throughput, Mb/s": THROUGHPUT.at("self-similar"), "efficiency, %": EFFICIENCY.at("self-similar")},
        rows="sender",
        columns="change",
        head="Sender",
        caption="By the changed setting",
    ),
)
MEMORY = Figure(
    **DEFINITION.figure("memory"),
    plots=[
        partial(
            dots,
            of={
                "wavelets": WAVELETS.at("memory", application=source),
                "local Whittle": WHITTLE.at("memory", application=source),
            },
            label="Hurst parameter",
            title=title,
            levels=(Level(y=0.55), Level(y=1)),
        )
        for title, source in (("(a)", CONSTANT.name), ("(b)", GREEDY.name))
    ],
    height=7,
    data={"wavelets": WAVELETS.at("memory"), "local_whittle": WHITTLE.at("memory")},
    numbers=Numbers(
        of={
            "wavelets": WAVELETS.at("memory"),
            "local Whittle": WHITTLE.at("memory"),
            "verdict": HURST.at("memory"),
            "c.o.v.": COV.at("memory"),
        },
        rows="sender",
        columns="application",
        head="Sender",
        caption="Hurst parameter",
    ),
)

FIGURES = [SELF_SIMILAR, MEMORY]
