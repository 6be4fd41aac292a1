"""Figures 5 to 12 of the paper, and what becomes of the background, of all together, and of Vegas against Reno."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.burstiness.experiment import CAPACITY, DURATION, PACKET_SIZE
from ackclock.papers.burstiness.grid_figures import PENS as HOMOGENEOUS
from ackclock.papers.figures import GridFigure, Pen, drawing, series
from ackclock.papers.heterogeneous.experiment import RATE, SCENES, START, Scene
from ackclock.papers.heterogeneous.measures import goodput, loss_percent, per_client, throughput
from ackclock.papers.heterogeneous.sharing import PAIRED, advantages, gateway_name
from ackclock.report.chart import Axis, Chart, Level, Panel, Scale, Series

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.observation import Observation
    from ackclock.report.html import Drawing

    Measure = Callable[[Observation], float | None]
    Scenes = Mapping[Scene, Sequence[Observation]]

__all__ = ["PENS", "advantage_drawings", "newcomer_drawings", "other_drawings"]

PENS: Mapping[str, Pen] = {
    **HOMOGENEOUS,
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

_RATE_OF_THOUSAND = 1e3 * 8 * PACKET_SIZE / DURATION / 1e6
"""Mb/s that a thousand packets in one run come to."""

_COUNTED = "Added clients"

_LETTERS = "ABCDEF"
"""Of the figures that the paper does not have."""


def _along(scene: Scene, *, last: bool = True) -> Axis:
    step = scene.counts[1] - scene.counts[0]
    return Axis(
        label="Number of added clients" if last else "",
        low=scene.counts[0] - step / 2,
        high=scene.most + step / 2,
        ticks=[(added, str(added)) for added in scene.counts],
    )


def _top(drawn: Sequence[Series], *, least: float) -> float:
    """Give where an axis from 0 ends, so that all of some curves fits."""
    return 1.08 * max(least, float(np.nanmax(np.concatenate([np.asarray(one.y, float) for one in drawn]))))


def _throughput_chart(scene: Scene, ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    whole, each = (series(ours, ns2, measure, PENS) for measure in (throughput("added"), per_client()))
    return Chart(
        height=7.4,
        panels=[
            Panel(
                title="(a)",
                x=_along(scene, last=False),
                y=Axis(label=f"Throughput (thousand packets in {DURATION} s)", low=0, high=_top(whole, least=0)),
                series=whole,
                right=Scale(label="Throughput (Mb/s)", factor=_RATE_OF_THOUSAND, step=5 if scene.most > 20 else 2),
            ),
            Panel(
                title="(b)",
                x=_along(scene),
                y=Axis(label="Goodput of one client (packets/s)", low=0, high=112),
                series=each,
                levels=[Level(y=RATE)],
            ),
        ],
    )


def _loss_chart(scene: Scene, ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    drawn = series(ours, ns2, loss_percent("added"), PENS)
    y = Axis(label="Packet loss (% of arrivals)", low=-0.01 * _top(drawn, least=0.1), high=_top(drawn, least=0.1))
    return Chart(height=4.8, panels=[Panel(x=_along(scene), y=y, series=drawn)])


def _others_chart(scene: Scene, ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    rows: Sequence[tuple[str, Measure]] = (
        ("Background client (packets/s)", per_client(scene.background)),
        ("Background loss (%)", loss_percent("background")),
        ("All (thousand packets)", throughput()),
        ("Loss of all (%)", loss_percent()),
    )
    panels = []
    for place, (label, measure) in zip("abcd", rows, strict=True):
        drawn = series(ours, ns2, measure, PENS)
        whole = place == "c"
        panels.append(
            Panel(
                title=f"({place})",
                x=_along(scene, last=place == "d"),
                y=Axis(
                    label=label,
                    low=None if whole else 0,
                    high=1.02 * CAPACITY / 1e3 if whole else _top(drawn, least=0.1),
                ),
                series=drawn,
                levels=[Level(y=CAPACITY / 1e3)] if whole else [],
            )
        )
    return Chart(height=11.5, panels=panels)


def _gateway_words(scene: Scene) -> str:
    return (
        "FIFO, or RED with thresholds 10 and 40"
        if scene.buffer == 50
        else "FIFO; RED1 with thresholds 300 and 1200; RED2 with thresholds 75 and 300"
    )


def _newcomers(scene: Scene, first: int) -> list[GridFigure]:
    """Describe the two figures of a scene; the first has the number that is given."""
    where = f"(Background = {scene.background} Reno clients, Buffer = {scene.buffer} packets)"
    met = (
        f"{scene.background} Reno clients are there from the start; those that are counted here join them at {START} "
        f"and run Reno or Vegas, behind a gateway of {scene.buffer:,} packets ({_gateway_words(scene)})."
    )
    return [
        GridFigure(
            slug=f"figure{first}",
            title=f"Figure {first}. Throughput of additional clients {where}",
            what=f"{met} (a) Packets of the added clients that the bottleneck transmitted in {DURATION} s, as the "
            "paper draws it; (b) the same for one client and second, counting what arrived for the first time and in "
            "order.",
            rest=f"Dotted line: the {RATE} packets/s that the application of a client makes.",
            unit=f"Thousand packets of added clients transmitted in {DURATION} s",
            digits=1,
            draw=partial(_throughput_chart, scene),
            measures={
                "thousand_departures": throughput("added"),
                "thousand_goodput": goodput("added"),
                "goodput_per_client": per_client(),
            },
            counted=_COUNTED,
        ),
        GridFigure(
            slug=f"figure{first + 1}",
            title=f"Figure {first + 1}. Packet-loss percentage of additional clients {where}",
            what=f"{met} Packets of the added clients that the gateway dropped, as a part of those of them that "
            "arrived, retransmissions included.",
            rest="FIFO's curves lie on zero where every window fits into the pipe and the buffer."
            if scene.buffer > 50
            else "",
            unit="Packet loss of added clients, % of arrivals",
            digits=3,
            draw=partial(_loss_chart, scene),
            measures={"loss_percent": loss_percent("added")},
            counted=_COUNTED,
        ),
    ]


def newcomer_drawings(ours: Scenes, ns2: Scenes, *, command: str, scenes: Sequence[Scene] = SCENES) -> list[Drawing]:
    """Draw the figures of the added clients, from Figure 5 on: two a scene.

    Parameters
    ----------
    ours, ns2
        Runs of both sides.
    command
        What a person types to make them.
    scenes
        Which, in the order of the paper.

    """
    return [
        drawing(figure, ours[scene], ns2[scene], command=command)
        for place, scene in enumerate(scenes)
        for figure in _newcomers(scene, 5 + 2 * place)
    ]


def other_drawings(ours: Scenes, ns2: Scenes, *, command: str, scenes: Sequence[Scene] = SCENES) -> list[Drawing]:
    """Draw what the paper does not: the background, and all clients together."""
    drawn = []
    for letter, scene in zip(_LETTERS, scenes, strict=False):
        figure = GridFigure(
            slug=f"others-{scene.slug}",
            title=f"Figure {letter}. The background and all together ({scene.name})",
            what="What the newcomers, whose protocol and gateway the legend names, leave to those who were there, and "
            "what comes of all: (a) goodput of one client of the background, (b) loss of the background, "
            f"(c) packets of all clients that the bottleneck transmitted in {DURATION} s, (d) their loss.",
            rest=f"Dotted line: the capacity of the bottleneck, {CAPACITY:,.0f} packets.",
            unit="Goodput of one client of the background, packets/s",
            digits=2,
            draw=partial(_others_chart, scene),
            measures={
                "background_goodput_per_client": per_client(scene.background),
                "background_loss_percent": loss_percent("background"),
                "all_thousand_departures": throughput(),
                "all_loss_percent": loss_percent(),
            },
            counted=_COUNTED,
        )
        drawn.append(drawing(figure, ours[scene], ns2[scene], command=command))
    return drawn


def advantage_drawings(ours: Scenes, ns2: Scenes, *, command: str, scenes: Sequence[Scene] = SCENES) -> list[Drawing]:
    """Draw the goodput of added Vegas clients relative to that of as many Reno clients: a figure a background.

    Parameters
    ----------
    ours, ns2, command, scenes
        As for `newcomer_drawings`; the letters are those after `other_drawings`.

    """
    drawn = []
    for letter, background in zip(
        _LETTERS[len(scenes) :], dict.fromkeys(scene.background for scene in scenes), strict=False
    ):
        here = [scene for scene in scenes if scene.background == background]
        figure = GridFigure(
            slug=f"advantage-{background}",
            title=f"Figure {letter}. Vegas against Reno (background of {background} Reno clients)",
            what="Goodput of the added clients where they run Vegas, over what as many get that run Reno: behind the "
            "same gateway, with the same seed.",
            rest="Above the line Vegas gets more, below it Reno.",
            unit="Goodput of added Vegas clients over that of added Reno clients",
            digits=3,
            draw=partial(_advantage_chart, here[0]),
            measures={"goodput_ratio": PAIRED},
            counted=_COUNTED,
        )
        sides = (advantages({scene: runs[scene] for scene in here}) for runs in (ours, ns2))
        drawn.append(drawing(figure, *sides, command=command))
    return drawn


def _advantage_chart(scene: Scene, ours: Sequence[Observation], ns2: Sequence[Observation]) -> Chart:
    panel = Panel(
        x=_along(scene),
        y=Axis(label="Goodput, Vegas over Reno", low=0),
        series=series(ours, ns2, PAIRED, _GATEWAYS),
        levels=[Level(y=1, dotted=False)],
    )
    return Chart(height=5.2, panels=[panel])
