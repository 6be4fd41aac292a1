"""Figures 5 to 13 of the paper, and what it does not show: the background, all clients together, Vegas against Reno."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import poisson_cov
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, CAPACITY, CLIENTS, DURATION, PACKET_SIZE, RATE
from ackclock.papers.burstiness.measures import COV, COV_OVER_POISSON
from ackclock.papers.core.figure import Figure, Lines, Numbers, Pen, Plot, from_zero
from ackclock.papers.heterogeneous import measures as m
from ackclock.papers.heterogeneous.experiment import SCENES, START, Scene, gateway_name
from ackclock.papers.heterogeneous.stochastic import OPEN, SMALL
from ackclock.report.chart import Axis, Level, Scale, Series
from ackclock.report.html import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.core.evidence import Evidence
    from ackclock.papers.core.measures import Measure
    from ackclock.papers.core.quantities import Quantity

PENS: Mapping[str, Pen] = {
    "Reno": Pen(colour="blue", marker="square"),
    "Vegas": Pen(colour="red", marker="diamond"),
    "Reno/RED": Pen(colour="sky", marker="pentagon", dash="dashed"),
    "Vegas/RED": Pen(colour="orange", marker="hexagon", dash="dashed"),
    "Reno/RED1": Pen(colour="sky", marker="pentagon", dash="dashed"),
    "Vegas/RED1": Pen(colour="orange", marker="hexagon", dash="dashed"),
    "Reno/RED2": Pen(colour="mint", marker="down", dash="dotted"),
    "Vegas/RED2": Pen(colour="amber", marker="triangle", dash="dotted"),
}
"""By the names of the variants: newcomers of one protocol share a family of colours."""

_GATEWAYS: Mapping[str, Pen] = {
    gateway_name(50, ""): Pen(colour="blue", marker="square"),
    gateway_name(50, "/RED"): Pen(colour="sky", marker="pentagon", dash="dashed"),
    gateway_name(1500, ""): Pen(colour="red", marker="diamond"),
    gateway_name(1500, "/RED1"): Pen(colour="orange", marker="hexagon", dash="dashed"),
    gateway_name(1500, "/RED2"): Pen(colour="amber", marker="triangle", dash="dotted"),
}
_MODELS: Mapping[str, Pen] = {
    "Reno": Pen(colour="blue", marker="square"),
    SMALL: Pen(colour="red", marker="diamond", dash="dashed"),
    OPEN: Pen(colour="orange", marker="hexagon", dash="dotted"),
}

_MBPS_OF_THOUSAND = 1e3 * 8 * PACKET_SIZE / DURATION / 1e6  # rate of a thousand packets in one run, Mb/s

_LETTERS = "ABCDEF"  # letters of the figures that the paper does not have


def _along(scene: Scene, *, last: bool = True) -> Axis:
    step = scene.counts[1] - scene.counts[0]
    return Axis(
        label="Number of added clients" if last else "",
        low=scene.counts[0] - step / 2,
        high=scene.most + step / 2,
        ticks=[(added, str(added)) for added in scene.counts],
    )


def _of(measure: Measure, scene: Scene) -> Quantity:
    return measure.at("curves", background=scene.background, buffer=scene.buffer)


def _lines(of: Quantity) -> Lines:
    return Lines(of=of, x="clients", by="variant", pens=PENS)


def _table(of: Quantity, caption: str) -> Numbers:
    return Numbers(of=of, rows="clients", columns="variant", head="Added clients", caption=caption)


def _newcomers(scene: Scene, first: int) -> list[Figure]:
    """Describe the two figures of a scene; the first has the number that is given."""
    where = f"(Background = {scene.background} Reno clients, Buffer = {scene.buffer} packets)"
    gateways = (
        "FIFO, or RED with thresholds 10 and 40"
        if scene.buffer == 50
        else "FIFO; RED1 with thresholds 300 and 1200; RED2 with thresholds 75 and 300"
    )
    met = (
        f"{scene.background} Reno clients are there from the start; the clients that are counted here join them at "
        f"{START} and run Reno or Vegas, behind a gateway of {scene.buffer:,} packets ({gateways})."
    )
    carried, each, lost = _of(m.CARRIED, scene), _of(m.EACH, scene), _of(replace(m.LOSS, digits=3), scene)
    return [
        Figure(
            slug=f"figure{first}",
            title=f"Figure {first}. Throughput of additional clients {where}",
            what=f"{met} (a) Packets of the added clients that the bottleneck transmitted in {DURATION} s, as in "
            "the paper; (b) goodput of one client per second, which counts only packets that arrived for the "
            "first time and in order.",
            rest=f"Dotted line: the {RATE} packets/s that the application of a client makes.",
            plots=[
                Plot(
                    title="(a)",
                    x=_along(scene, last=False),
                    y=from_zero(f"Throughput (thousand packets in {DURATION} s)", carried),
                    marks=[_lines(carried)],
                    right=Scale(label="Throughput (Mb/s)", factor=_MBPS_OF_THOUSAND, step=5 if scene.most > 20 else 2),
                ),
                Plot(
                    title="(b)",
                    x=_along(scene),
                    y=Axis(label="Goodput of one client (packets/s)", low=0, high=112),
                    marks=[_lines(each)],
                    levels=[Level(y=RATE)],
                ),
            ],
            height=7.4,
            data={measure.name: _of(measure, scene) for measure in (m.CARRIED, m.GOODPUT, m.EACH)},
            numbers=_table(carried, f"Thousand packets of added clients transmitted in {DURATION} s"),
        ),
        Figure(
            slug=f"figure{first + 1}",
            title=f"Figure {first + 1}. Packet-loss percentage of additional clients {where}",
            what=f"{met} Packets of the added clients that the gateway dropped, as a share of their packets that "
            "arrived, retransmissions included.",
            rest="FIFO's curves are zero if all windows fit into the pipe and the buffer." if scene.buffer > 50 else "",
            plots=[
                Plot(
                    x=_along(scene),
                    y=from_zero("Packet loss (% of arrivals)", lost, least=0.1, margin=0.01),
                    marks=[_lines(lost)],
                )
            ],
            data={m.LOSS.name: lost},
            numbers=_table(lost, "Packet loss of added clients, % of arrivals"),
        ),
    ]


def newcomer_figures(scenes: Sequence[Scene] = SCENES) -> list[Figure]:
    """Give the figures of the added clients, from Figure 5 on: two for each scene."""
    return [figure for place, scene in enumerate(scenes) for figure in _newcomers(scene, 5 + 2 * place)]


def _others(scene: Scene, letter: str) -> Figure:
    """Describe what newcomers leave to the background, and the result for all clients together."""
    rows = {
        "a": ("Background client (packets/s)", _of(m.BACKGROUND_EACH, scene)),
        "b": ("Background loss (%)", _of(m.BACKGROUND_LOSS, scene)),
        "c": ("All (thousand packets)", _of(m.ALL_CARRIED, scene)),
        "d": ("Loss of all (%)", _of(m.ALL_LOSS, scene)),
    }
    capacity = CAPACITY / 1e3
    measures = (m.BACKGROUND_EACH, m.BACKGROUND_LOSS, m.ALL_CARRIED, m.ALL_LOSS)
    return Figure(
        slug=f"others-{scene.slug}",
        title=f"Figure {letter}. The background and all together ({scene.name})",
        what="Effect of the newcomers on the background clients, and the result for all clients. The legend names the "
        "protocol of the newcomers and the gateway: (a) goodput of one client of the background, (b) loss of the "
        f"background, (c) packets of all clients that the bottleneck transmitted in {DURATION} s, (d) their loss.",
        rest=f"Dotted line: the capacity of the bottleneck, {CAPACITY:,.0f} packets.",
        plots=[
            Plot(
                title=f"({place})",
                x=_along(scene, last=place == "d"),
                y=Axis(label=label, high=1.02 * capacity) if place == "c" else from_zero(label, of, least=0.1),
                marks=[_lines(of)],
                levels=[Level(y=capacity)] if place == "c" else [],
            )
            for place, (label, of) in rows.items()
        ],
        height=11.5,
        data={measure.name: _of(measure, scene) for measure in measures},
        numbers=_table(_of(m.BACKGROUND_EACH, scene), "Goodput of one client of the background, packets/s"),
    )


def _advantage(background: int, letter: str) -> Figure:
    """Describe the goodput of added Vegas clients relative to the goodput of as many Reno clients."""
    ratio = replace(m.RATIO, digits=3).at("pairs", background=background)
    scene = next(scene for scene in SCENES if scene.background == background)
    return Figure(
        slug=f"advantage-{background}",
        title=f"Figure {letter}. Vegas against Reno (background of {background} Reno clients)",
        what="Ratio of the goodput of added Vegas clients to the goodput of as many added Reno clients, behind the "
        "same gateway and with the same seed.",
        rest="Above the line Vegas gets more; below it Reno gets more.",
        plots=[
            Plot(
                x=_along(scene),
                y=Axis(label="Goodput, Vegas over Reno", low=0),
                marks=[Lines(of=ratio, x="added", by="gateway", pens=_GATEWAYS)],
                levels=[Level(y=1, dotted=False)],
            )
        ],
        height=5.2,
        data={m.RATIO.name: ratio},
        axes={"gateway": "variant", "added": "clients"},
        numbers=Numbers(
            of=ratio,
            rows="added",
            columns="gateway",
            head="Added clients",
            caption="Goodput of added Vegas clients over the goodput of added Reno clients",
        ),
    )


def more_figures(scenes: Sequence[Scene] = SCENES) -> list[Figure]:
    """Give the figures that the paper does not have."""
    backgrounds = list(dict.fromkeys(scene.background for scene in scenes))
    others = [_others(scene, letter) for letter, scene in zip(_LETTERS, scenes, strict=False)]
    return [*others, *map(_advantage, backgrounds, _LETTERS[len(scenes) :])]


_clients = np.arange(1, max(CLIENTS) + 1)
_model, _over = (measure.at("models") for measure in (COV, COV_OVER_POISSON))

MODEL = Figure(
    slug="figure13",
    title="Figure 13. Coefficient of variation of simulated Reno and of the stochastic model",
    what="Simulated Reno behind FIFO, as in Figure 2, and the paper's model, equations (1) to (4), with gamma = "
    "μτ/8P + B: the printed gamma adds packets per second to packets. (a) The c.o.v. in bins of 0.1 s; (b) the same "
    "relative to the Poisson value.",
    rest="The first 20 s of the model are omitted. Its initial window determines when it first becomes "
    "congested; then it stays congested.",
    plots=[
        Plot(
            title="(a)",
            x=Axis(low=0, high=max(CLIENTS) + 2),
            y=Axis(label="Coefficient of variation (c.o.v.)", low=0, high=0.355),
            marks=[
                Lines(of=_model, x="clients", by="variant", pens=_MODELS),
                Series(name="Poisson", x=_clients, y=poisson_cov(ARRIVALS_PER_RTT * _clients), colour="ink", width=1.0),
            ],
        ),
        Plot(
            title="(b)",
            x=Axis(label="Number of clients", low=0, high=max(CLIENTS) + 2),
            y=Axis(label="c.o.v. relative to Poisson", low=0),
            marks=[Lines(of=_over, x="clients", by="variant", pens=_MODELS)],
            levels=[Level(y=1, dotted=False)],
        ),
    ],
    height=7.4,
    data={COV.name: _model, COV_OVER_POISSON.name: _over},
    numbers=Numbers(of=_model, rows="clients", columns="variant", head="Clients", caption="Coefficient of variation"),
)


def overview(evidence: Evidence, scenes: Sequence[Scene] = SCENES) -> Table:
    """Lay out goodput and loss of the last newcomers of each curve."""
    measures = (m.RENO_GOODPUT, m.VEGAS_GOODPUT, m.RATIO, m.RENO_LOSS, m.VEGAS_LOSS)
    rows = []
    for scene in scenes:
        for gateway in scene.gateways:
            named = gateway_name(scene.buffer, gateway)
            ends = [
                measure.at("pairs", background=scene.background, gateway=named, added=scene.most).points(evidence.ours)
                for measure in measures
            ]
            rows.append(
                [
                    f"{scene.most} added to {scene.background}, {named.removesuffix(' packets')}",
                    *(end.only.shown(measure.digits) for end, measure in zip(ends, measures, strict=True)),
                ]
            )
    return Table(
        caption="Added clients at the end of each curve, goodput in thousand packets, loss in %: mean ± half-width of "
        "the 95 % confidence interval",
        head=["", "goodput: Reno", "Vegas", "ratio", "loss: Reno", "Vegas"],
        rows=rows,
    )
