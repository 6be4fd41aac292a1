"""The study as one value, `PAPER`, and its figures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.coexistence.claims import CLAIMS, modelled
from ackclock.papers.coexistence.experiment import DEFINITION, LAWS, MODELLED, QUEUES, both_ways, parts
from ackclock.papers.coexistence.measures import HARM, LOSS, MEDIAN, SHARE, TOTAL
from ackclock.papers.core.figure import Figure, Lines, Numbers, Pen, Plot
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.report.chart import Axis, Heat, Level, Panel, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.papers.core.evidence import Scalar
    from ackclock.papers.core.paper import Both
    from ackclock.papers.core.quantities import Quantity

__all__ = ["PAPER"]

_PENS = {
    "Reno": Pen(colour="grey", marker="circle"),
    "CUBIC": Pen(colour="blue", marker="square"),
    "BBR": Pen(colour="orange", marker="diamond"),
    "BBRv3": Pen(colour="red", marker="triangle"),
    "Copa": Pen(colour="sky", marker="down"),
    "Vegas": Pen(colour="green", marker="hexagon"),
    "Prague": Pen(colour="mint", marker="pentagon", dash="dashed"),
}
_ONE = {"BBR": _PENS["BBR"]}
_BUFFER = Axis(label="Buffer (bandwidth-delay products)", low=0.2, high=80, log=True)


def _matrix(evidence: Both, *, of: Quantity, title: str, labels: tuple[str, str], last: bool) -> Panel:
    """Draw a quantity of pairs of laws as a heat map, with the first law in rows."""
    points = of.points(evidence.ours).ordered(("first", "second"))
    lows, across = ([law for law in LAWS if any(key[place] == law for key in points.cells)] for place in (0, 1))
    lows.reverse()
    means = [
        [points.cells[row, column].mean if (row, column) in points.cells else np.nan for column in across]
        for row in lows
    ]
    return Panel(
        title=title,
        x=Axis(label=labels[1] if last else "", ticks=_ticks(across)),
        y=Axis(label=labels[0], ticks=_ticks(lows)),
        series=(),
        heat=Heat(
            values=means,
            words=[["" if np.isnan(mean) else f"{mean:.0f}" for mean in row] for row in means],
            label="%",
            low=0,
            high=100,
            parted=True,
        ),
    )


def _ticks(values: Sequence[Scalar]) -> list[tuple[float, str]]:
    return [(place, str(value)) for place, value in enumerate(values)]


def _by_buffer(of: str, measure: Quantity, title: str, buffers: Sequence[float]) -> list[partial[Panel]]:
    return [
        partial(
            _matrix,
            of=measure.pick(BDP=buffer),
            title=f"{buffer:g} BDP",
            labels=(f"{of} of", title),
            last=buffer == buffers[-1],
        )
        for buffer in buffers
    ]


_SHOWN = (0.5, 2, 16)
_shares, _harm = SHARE.at("shares"), HARM.at("harm")
_queues = SHARE.at("shares by queue")

MATRIX = Figure(
    slug="matrix",
    title="Figure 1. Who gets what",
    what="Share of a flow of one law beside a flow of another, with tail drop, in three buffers.",
    plots=_by_buffer("Share", _shares, "beside", _SHOWN),
    height=9,
    data={"share_percent": _shares},
    axes={"first": "law", "second": "beside"},
    numbers=Numbers(of=_shares, rows="BDP", columns=("first", "second"), head="BDP", caption="Share, %"),
)

BESIDE_CUBIC = Figure(
    slug="beside-cubic",
    title="Figure 2. Beside CUBIC",
    what="Share of a flow beside a CUBIC flow, against the buffer.",
    plots=[
        Plot(
            x=_BUFFER,
            y=Axis(label="Share (%)", low=0, high=100),
            marks=[Lines(of=SHARE.at("shares", second="CUBIC"), x="BDP", by="first", pens=_PENS)],
            levels=[Level(y=50)],
        )
    ],
    data={"share_percent": SHARE.at("shares", second="CUBIC")},
    numbers=Numbers(of=SHARE.at("shares", second="CUBIC"), rows="BDP", columns="first", head="BDP", caption="Share, %"),
)

DAMAGE = Figure(
    slug="harm",
    title="Figure 3. Harm",
    what="Harm of one law (rows) to another (columns), with tail drop. A law meets the bar of Ware et al. where it "
    "does no more harm than the other law does to itself.",
    plots=_by_buffer("Harm", _harm, "to", _SHOWN),
    height=9,
    data={"harm_percent": _harm},
    axes={"first": "law", "second": "to"},
    numbers=Numbers(of=_harm, rows="BDP", columns=("first", "second"), head="BDP", caption="Harm, %"),
)

ACTIVE = Figure(
    slug="queues",
    title="Figure 4. Active queues",
    what="Share of a flow beside another, with four disciplines.",
    plots=[
        partial(
            _matrix,
            of=_queues.pick(queue=queue),
            title=queue,
            labels=("Share of", "beside"),
            last=queue == list(QUEUES)[-1],
        )
        for queue in QUEUES
    ],
    height=12,
    data={"share_percent": _queues},
    axes={"first": "law", "second": "beside"},
    numbers=Numbers(of=_queues, rows="queue", columns=("first", "second"), head="Queue", caption="Share, %"),
)

MODEL = Figure(
    slug="model",
    title="Figure 5. The model of Ware et al.",
    what="Share of one BBR flow beside one CUBIC flow over 120 s, and the model's share.",
    plots=[
        Plot(
            x=_BUFFER,
            y=Axis(label="Share of BBR (%)", low=0, high=100),
            marks=[
                Lines(of=TOTAL.at("model"), x="BDP", pens=_ONE, name="BBR"),
                Series(
                    name="model", x=MODELLED, y=[modelled(buffer) for buffer in MODELLED], colour="ink", dash="dashed"
                ),
            ],
        )
    ],
    data={"share_percent": TOTAL.at("model"), "loss_percent": LOSS.at("model"), "wait_ms": MEDIAN.at("model")},
    numbers=Numbers(of=TOTAL.at("model"), rows="BDP", head="BDP", caption="Share of BBR, %"),
)


def _counted(slug: str, number: int, title: str, part: str, what: str) -> Figure:
    of = SHARE.at(part)
    buffers = (1, 8)
    return Figure(
        slug=slug,
        title=f"Figure {number}. {title}",
        what=what,
        plots=_by_buffer("Share", of, "beside", buffers),
        height=7,
        data={"share_percent": of},
        axes={"first": "law", "second": "beside"},
        numbers=Numbers(of=of, rows="BDP", columns=("first", "second"), head="BDP", caption="Share, %"),
    )


CHAPTERS = [
    Chapter(title="One against one", figures=[MATRIX, BESIDE_CUBIC, DAMAGE, ACTIVE]),
    Chapter(title="BBR beside CUBIC: model and measurement", figures=[MODEL]),
    Chapter(
        title="Numbers and distances",
        figures=[
            _counted("one-five", 6, "One against five", "one to five", "Share of one flow beside one of five others."),
            _counted(
                "five-five", 7, "Five against five", "five to five", "Share of a flow beside one of the other law."
            ),
            _counted(
                "distance",
                8,
                "Distances",
                "distance",
                "Share of a flow with a round-trip time of 40 ms beside one with 120 ms.",
            ),
        ],
    ),
]

PAPER = Paper(
    definition=DEFINITION,
    claims=CLAIMS,
    parts=parts,
    derived=both_ways,
    chapters=CHAPTERS,
    profile="linux",
)
