"""Figures on RED, on queues that mark, and on streams that lose together."""

from __future__ import annotations

from functools import partial

from ackclock.papers.core.figure import Figure, Numbers
from ackclock.papers.today.figures.drawing import POISSON, dots, heat
from ackclock.papers.today.measures import COV, JOINT, UTILIZATION
from ackclock.papers.today.parts.marking import QUEUES
from ackclock.papers.today.parts.reasons import SHORT_FIFO
from ackclock.papers.today.senders import DEFINITION, TODAY

_RATIO = "C.o.v. / Poisson's"
_SIGNALS = {"FIFO": "FIFO", "drops": "RED drops", "marks": "RED marks", SHORT_FIFO: SHORT_FIFO}
_SHORT = ("FIFO", *(queue.replace(" with ", "\n") for queue in QUEUES))

RED = Figure(
    **DEFINITION.figure("red"),
    plots=[
        partial(
            dots,
            of={name: COV.at("FIFO and RED", signal=signal) for signal, name in _SIGNALS.items()},
            label=_RATIO,
            title="(a)",
            levels=POISSON,
        ),
        partial(
            dots,
            of={name: UTILIZATION.at("FIFO and RED", signal=signal) for signal, name in _SIGNALS.items()},
            label="Utilization (%)",
            title="(b)",
        ),
        partial(
            dots,
            of={name: JOINT.at("FIFO and RED", signal=signal) for signal, name in _SIGNALS.items()},
            label="Variance / independent",
            title="(c)",
            levels=POISSON,
        ),
    ],
    height=9,
    data={
        "cov_over_poisson": COV.at("FIFO and RED"),
        "utilization_percent": UTILIZATION.at("FIFO and RED"),
        "joint": JOINT.at("FIFO and RED"),
    },
    numbers=Numbers(of=COV.at("FIFO and RED"), rows="sender", columns="signal", head="Sender", caption=_RATIO),
)
MARKING = Figure(
    **DEFINITION.figure("marking"),
    plots=[
        partial(
            heat,
            of=COV.at("FIFO and marking", sender=TODAY),
            across=dict(zip(("FIFO", *QUEUES), _SHORT, strict=True)),
            axis="queue",
        )
    ],
    data={
        "cov_over_poisson": COV.at("FIFO and marking"),
        "utilization_percent": UTILIZATION.at("FIFO and marking"),
        "joint": JOINT.at("FIFO and marking"),
    },
    numbers=Numbers(
        of={"c.o.v.": COV.at("FIFO and marking"), "utilization, %": UTILIZATION.at("FIFO and marking")},
        rows="sender",
        columns="queue",
        head="Sender",
        caption="C.o.v. relative to Poisson's, and utilization",
    ),
)
APART = Figure(
    **DEFINITION.figure("apart"),
    plots=[
        partial(
            dots,
            of={queue: JOINT.at("queues", queue=queue) for queue in ("FIFO", "PIE", "FQ-CoDel")},
            label="Variance / independent",
            levels=POISSON,
        )
    ],
    data={"joint": JOINT.at("queues")},
    numbers=Numbers(
        of=JOINT.at("queues"), rows="sender", columns="queue", head="Sender", caption="Variance / independent"
    ),
)
FIGURES = (RED, MARKING, APART)
