"""The study as one value, `PAPER`, and its figures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock.drawing.chart import Axis, Heat, Level, Panel, Series
from ackclock.papers.aqm.measures import MEDIAN
from ackclock.papers.coexistence.claims import CLAIMS, modelled
from ackclock.papers.coexistence.experiment import DEFINITION, FOUR, LAWS, MODELLED, QUEUES, both_ways, parts
from ackclock.papers.coexistence.measures import HARM, LOSS, SHARE, TOTAL
from ackclock.papers.core.figure import Figure, Lines, Numbers, Pen, Plot
from ackclock.papers.core.paper import Chapter, Paper

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
_SHOWN = (0.5, 2, 16)
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


def _matrices(
    slug: str,
    title: str,
    what: str,
    *,
    of: Quantity,
    over: Mapping[Scalar, str],
    labels: tuple[str, str] = ("Share", "beside"),
    axis: str = "BDP",
    head: str = "BDP",
    height: float = 9,
) -> Figure:
    """Describe a figure with a matrix of pairs of laws for some values of an axis, with the titles of the panels."""
    name, other = labels
    return Figure(
        slug=slug,
        title=title,
        what=what,
        plots=[
            partial(
                _matrix, of=of.pick(**{axis: at}), title=words, labels=(f"{name} of", other), last=at == list(over)[-1]
            )
            for at, words in over.items()
        ],
        height=height,
        data={f"{name.lower()}_percent": of},
        axes={"first": "law", "second": other},
        numbers=Numbers(of=of, rows=axis, columns=("first", "second"), head=head, caption=f"{name}, %"),
    )


def _in_buffers(buffers: Sequence[float]) -> dict[Scalar, str]:
    return {buffer: f"{buffer:g} BDP" for buffer in buffers}


MATRIX = _matrices(
    "matrix",
    "Figure 1. Who gets what",
    "Share of a flow of one law beside a flow of another, with tail drop, in three buffers.",
    of=SHARE.at("shares"),
    over=_in_buffers(_SHOWN),
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

DAMAGE = _matrices(
    "harm",
    "Figure 3. Harm",
    "Harm of one law (rows) to another (columns), with tail drop. A law meets the bar of Ware et al. where it does no "
    "more harm than the other law does to itself.",
    of=HARM.at("harm"),
    over=_in_buffers(_SHOWN),
    labels=("Harm", "to"),
)

ACTIVE = _matrices(
    "queues",
    "Figure 4. Active queues",
    "Share of a flow beside another, with four disciplines.",
    of=SHARE.at("shares by queue"),
    over={queue: queue for queue in QUEUES},
    axis="queue",
    head="Queue",
    height=12,
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


ONE_FIVE = _matrices(
    "one-five",
    "Figure 6. One against five",
    "Share of one flow beside one of five others.",
    of=SHARE.at("one to five"),
    over=_in_buffers(FOUR),
    height=12,
)

FIVE_FIVE = _matrices(
    "five-five",
    "Figure 7. Five against five",
    "Share of a flow beside one of the other law.",
    of=SHARE.at("five to five"),
    over=_in_buffers(FOUR),
    height=12,
)

DISTANCE = _matrices(
    "distance",
    "Figure 8. Distances",
    "Share of a flow with a round-trip time of 40 ms beside one with 120 ms.",
    of=SHARE.at("distance"),
    over=_in_buffers(FOUR),
    height=12,
)

CROWDED = _matrices(
    "distance-five-five",
    "Figure 9. Five against five distant flows",
    "Share of one of five flows with a round-trip time of 40 ms beside one of five with 120 ms.",
    of=SHARE.at("distance, five to five"),
    over=_in_buffers((1,)),
    height=7,
)

ACTIVE_SMALL, ACTIVE_ONE_FIVE, ACTIVE_FIVE_FIVE, ACTIVE_DISTANCE = (
    _matrices(
        slug,
        f"Figure {number}. Active queues, {title}",
        what,
        of=SHARE.at(part),
        over={queue: queue for queue in QUEUES},
        axis="queue",
        head="Queue",
        height=12,
    )
    for number, slug, title, part, what in (
        (10, "queues-small", "small buffers", "queues, 1 BDP", "Share of a flow beside another, in a buffer of 1 BDP."),
        (
            11,
            "queues-one-five",
            "one against five",
            "queues, one to five",
            "Share of one flow beside one of five others, with four disciplines.",
        ),
        (
            12,
            "queues-five-five",
            "five against five",
            "queues, five to five",
            "Share of a flow beside one of the other law, with four disciplines.",
        ),
        (
            13,
            "queues-distance",
            "distances",
            "queues, distance",
            "Share of a flow with a round-trip time of 40 ms beside one with 120 ms, with four disciplines.",
        ),
    )
)

CHAPTERS = [
    Chapter(title="One against one", figures=[MATRIX, BESIDE_CUBIC, DAMAGE, ACTIVE]),
    Chapter(title="BBR beside CUBIC: model and measurement", figures=[MODEL]),
    Chapter(title="Numbers and distances", figures=[ONE_FIVE, FIVE_FIVE, DISTANCE, CROWDED]),
    Chapter(
        title="Active queues",
        figures=[ACTIVE_SMALL, ACTIVE_ONE_FIVE, ACTIVE_FIVE_FIVE, ACTIVE_DISTANCE],
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
