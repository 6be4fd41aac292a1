"""The study as one value, `PAPER`, and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ackclock.drawing.chart import Axis, Heat, Level, Panel, Series
from ackclock.papers.aqm.measures import MEDIAN
from ackclock.papers.coexistence.claims import CLAIMS, modelled
from ackclock.papers.coexistence.experiment import DEFINITION, FOUR, LAWS, MODELLED, QUEUES, both_ways, parts
from ackclock.papers.coexistence.measures import HARM, LOSS, SHARE, TOTAL
from ackclock.papers.core.evidence import Scalar
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot
from ackclock.papers.core.paper import Both, Chapter, Paper
from ackclock.papers.core.quantities import Quantity
from ackclock.values.words import capital

_PENS = DEFINITION.pens("laws")
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
    of: Quantity,
    over: Mapping[Scalar, str],
    *,
    labels: tuple[str, str] = ("Share", "beside"),
    axis: str = "BDP",
    height: float = 12,
) -> Figure:
    """Describe a figure with a matrix of pairs of laws for some values of an axis, with the titles of the panels."""
    name, other = labels
    return Figure(
        **DEFINITION.figure(slug),
        plots=[
            partial(
                _matrix, of=of.pick(**{axis: at}), title=words, labels=(f"{name} of", other), last=at == list(over)[-1]
            )
            for at, words in over.items()
        ],
        height=height,
        data={f"{name.lower()}_percent": of},
        axes={"first": "law", "second": other},
        numbers=Numbers(of=of, rows=axis, columns=("first", "second"), head=capital(axis), caption=f"{name}, %"),
    )


def _in_buffers(buffers: Sequence[float]) -> dict[Scalar, str]:
    return {buffer: f"{buffer:g} BDP" for buffer in buffers}


def _by_queue(slug: str, part: str) -> Figure:
    return _matrices(slug, SHARE.at(part), {queue: queue for queue in QUEUES}, axis="queue")


_beside = SHARE.at("shares", second="CUBIC")
BESIDE_CUBIC = Figure(
    **DEFINITION.figure("beside-cubic"),
    plots=[
        Plot(
            x=_BUFFER,
            y=Axis(label="Share (%)", low=0, high=100),
            marks=[Lines(of=_beside, x="BDP", by="first", pens=_PENS)],
            levels=[Level(y=50)],
        )
    ],
    data={"share_percent": _beside},
    numbers=Numbers(caption="Share, %"),
)

_bbr = TOTAL.at("model")
_model = Series(name="model", x=MODELLED, y=[modelled(buffer) for buffer in MODELLED], colour="ink", dash="dashed")
MODEL = Figure(
    **DEFINITION.figure("model"),
    plots=[
        Plot(
            x=_BUFFER,
            y=Axis(label="Share of BBR (%)", low=0, high=100),
            marks=[Lines(of=_bbr, x="BDP", pens=_PENS, name="BBR"), _model],
        )
    ],
    data={"share_percent": _bbr, "loss_percent": LOSS.at("model"), "wait_ms": MEDIAN.at("model")},
    numbers=Numbers(caption="Share of BBR, %"),
)

_shown, _four = _in_buffers(_SHOWN), _in_buffers(FOUR)
CHAPTERS = [
    Chapter(
        title="One against one",
        figures=[
            _matrices("matrix", SHARE.at("shares"), _shown, height=9),
            BESIDE_CUBIC,
            _matrices("harm", HARM.at("harm"), _shown, labels=("Harm", "to"), height=9),
            _by_queue("queues", "shares by queue"),
        ],
    ),
    Chapter(title="BBR beside CUBIC: model and measurement", figures=[MODEL]),
    Chapter(
        title="Numbers and distances",
        figures=[
            _matrices("one-five", SHARE.at("one to five"), _four),
            _matrices("five-five", SHARE.at("five to five"), _four),
            _matrices("distance", SHARE.at("distance"), _four),
            _matrices("distance-five-five", SHARE.at("distance, five to five"), _in_buffers((1,)), height=7),
        ],
    ),
    Chapter(
        title="Active queues",
        figures=[
            _by_queue("queues-small", "queues, 1 BDP"),
            _by_queue("queues-one-five", "queues, one to five"),
            _by_queue("queues-five-five", "queues, five to five"),
            _by_queue("queues-distance", "queues, distance"),
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
