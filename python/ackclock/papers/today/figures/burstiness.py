"""Figures on burstiness."""

from __future__ import annotations

from functools import partial

from ackclock.drawing.chart import Axis, Level
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, powers
from ackclock.papers.core.marks import Pen
from ackclock.papers.today.figures.drawing import PENS, POISSON, SHOWN, dots, heat
from ackclock.papers.today.measures import COV, JAIN, JOINT, LONG_LADDER, LOSS, TIMEOUTS, UTILIZATION, WINDOW_COV
from ackclock.papers.today.parts.burstiness import OVERLOAD, QUEUES, SETTINGS
from ackclock.papers.today.senders import DEFINITION

_RATIO = "C.o.v. / Poisson's"
_SHORT = ("as\nit is", "ACK for\neach", "no\nHyStart", "IW 3", "starts\nin 10 s", "RTTs\n60-140", "delays\nto 1 ms")
_HEAVY = {"clients": OVERLOAD}

LOAD = Figure(
    **DEFINITION.figure("load"),
    plots=[
        Plot(
            x=Axis(label="Clients"),
            y=Axis(label=_RATIO, low=0),
            marks=[Lines(of=COV.at("load", sender=SHOWN), x="clients", by="sender", pens=PENS)],
            levels=POISSON,
        )
    ],
    data={"cov_over_poisson": COV.at("load")},
    numbers=Numbers(of=COV.at("load"), rows="sender", columns="clients", head="Clients", caption=_RATIO),
)
SCALES = Figure(
    **DEFINITION.figure("scales"),
    plots=[
        Plot(
            x=powers("Bins (s)", 0.009, 110, (0.01, 0.1, 1, 10, 100)),
            y=powers(_RATIO, None, None, (0.1, 0.2, 0.5, 1, 2, 5)),
            marks=[Lines(of=LONG_LADDER.at("long", sender=SHOWN), x="seconds", by="sender", pens=PENS)],
            levels=POISSON,
        )
    ],
    data={"cov_over_poisson": LONG_LADDER.at("long")},
    numbers=Numbers(of=LONG_LADDER.at("long"), rows="sender", columns="seconds", head="Bins (s)", caption=_RATIO),
)
QUEUE = Figure(
    **DEFINITION.figure("queues"),
    plots=[partial(heat, of=COV.at("queues"), across={queue: queue for queue in QUEUES}, axis="queue")],
    data={"cov_over_poisson": COV.at("queues"), "utilization_percent": UTILIZATION.at("queues")},
    numbers=Numbers(
        of={"c.o.v.": COV.at("queues"), "utilization, %": UTILIZATION.at("queues")},
        rows="sender",
        columns="queue",
        head="Sender",
        caption="C.o.v. relative to Poisson's, and utilization",
    ),
)
USE = Figure(
    **DEFINITION.figure("use"),
    plots=[
        partial(dots, of={"60 clients": of.at("load", **_HEAVY)}, label=label, title=title)
        for title, label, of in (
            ("(a)", "Utilization (%)", UTILIZATION),
            ("(b)", "Loss (%)", LOSS),
            ("(c)", "Jain's index", JAIN),
            ("(d)", "Timeouts per duplicate ACK (%)", TIMEOUTS),
        )
    ],
    height=11,
    data={
        "utilization_percent": UTILIZATION.at("load", **_HEAVY),
        "loss_percent": LOSS.at("load", **_HEAVY),
        "jain_index": JAIN.at("load", **_HEAVY),
        "timeouts_per_dup_ack_percent": TIMEOUTS.at("load", **_HEAVY),
    },
    numbers=Numbers(
        of={
            "utilization, %": UTILIZATION.at("load", **_HEAVY),
            "loss, %": LOSS.at("load", **_HEAVY),
            "Jain's index": JAIN.at("load", **_HEAVY),
            "timeouts per duplicate ACK, %": TIMEOUTS.at("load", **_HEAVY),
        },
        rows="sender",
        head="Sender",
        caption="With 60 clients",
    ),
)
TOGETHER = Figure(
    **DEFINITION.figure("together"),
    plots=[
        partial(
            dots,
            of={"60 clients": WINDOW_COV.at("load", **_HEAVY)},
            label="C.o.v. of a window",
            title="(a)",
            x="Sender",
            levels=(Level(y=0.192),),
        ),
        Plot(
            title="(b)",
            x=Axis(label="Clients"),
            y=Axis(label="Variance / independent", low=0),
            marks=[
                Lines(
                    of=JOINT.at("load", sender=SHOWN, clients=(44, OVERLOAD, 100)), x="clients", by="sender", pens=PENS
                )
            ],
            levels=POISSON,
        ),
    ],
    height=7,
    data={"joint": JOINT.at("load", clients=(44, OVERLOAD, 100))},
    numbers=Numbers(
        of={"c.o.v. of a window, 60 clients": WINDOW_COV.at("load", **_HEAVY)},
        rows="sender",
        head="Sender",
        caption="Windows",
    ),
)
BACK_OFF = Figure(
    **DEFINITION.figure("back-off"),
    plots=[
        Plot(
            x=Axis(label="Share of the window that is kept", low=0.2, high=0.9),
            y=Axis(label=_RATIO, low=0),
            marks=[
                Lines(
                    of=COV.at("back-off"),
                    x="kept",
                    pens={"additive increase": Pen(colour="blue", marker="circle")},
                    name="additive increase",
                )
            ],
            levels=POISSON,
        )
    ],
    data={"cov_over_poisson": COV.at("back-off")},
    numbers=Numbers(of=COV.at("back-off"), rows="kept", head="Kept", caption=_RATIO),
)
SETTING = Figure(
    **DEFINITION.figure("settings"),
    plots=[
        partial(
            heat,
            of=COV.at("as it is and settings"),
            across=dict(zip(("as it is", *SETTINGS), _SHORT, strict=True)),
            axis="setting",
        )
    ],
    data={"cov_over_poisson": COV.at("as it is and settings")},
    numbers=Numbers(
        of=COV.at("as it is and settings"), rows="sender", columns="setting", head="Sender", caption=_RATIO
    ),
)
STREAMS = Figure(
    **DEFINITION.figure("streams"),
    plots=[
        Plot(
            x=powers("Clients", 80, 1250, (100, 1000)),
            y=Axis(label=_RATIO, low=0),
            marks=[Lines(of=COV.at("1 Gb/s"), x="clients", by="sender", pens=PENS)],
            levels=POISSON,
        )
    ],
    data={
        "cov_over_poisson": COV.at("1 Gb/s"),
        "utilization_percent": UTILIZATION.at("1 Gb/s"),
        "loss_percent": LOSS.at("1 Gb/s"),
    },
    numbers=Numbers(of=COV.at("1 Gb/s"), rows="sender", columns="clients", head="Clients", caption=_RATIO),
)

FIRST = (LOAD, SCALES, QUEUE)
"""The figures of the first chapter."""

FIGURES = (USE, TOGETHER, BACK_OFF, SETTING, STREAMS)
