"""Figures 5 to 13 of the paper, and figures of the background, of all clients, and of Vegas relative to Reno."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ackclock.drawing.chart import Axis, Level, Scale
from ackclock.papers.burstiness.experiment import ARRIVALS_PER_RTT, CAPACITY, CLIENTS, DURATION, PACKET_SIZE, RATE
from ackclock.papers.burstiness.grid_figures import cov_plots, poissons
from ackclock.papers.burstiness.measures import COV, COV_OVER_POISSON
from ackclock.papers.core.evidence import Evidence
from ackclock.papers.core.figure import Figure, Lines, Numbers, Plot, from_zero, stacked
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.heterogeneous import measures as m
from ackclock.papers.heterogeneous.experiment import DEFINITION, SCENES, Scene, gateway_name
from ackclock.report.html import Table

PENS = DEFINITION.pens("variants")
"""Styles of lines by variant; added clients with the same protocol have similar colours."""

_GATEWAYS = DEFINITION.pens("gateways")
_MODELS = DEFINITION.pens("models")

_MBPS_OF_THOUSAND = 1e3 * 8 * PACKET_SIZE / DURATION / 1e6  # rate of a thousand packets in one run, Mb/s

_LETTERS = "ABCDEF"  # letters of the figures that the paper does not have


def _along(scene: Scene) -> Axis:
    step = scene.counts[1] - scene.counts[0]
    return Axis(
        label="Number of added clients",
        low=scene.counts[0] - step / 2,
        high=scene.most + step / 2,
        ticks=[(added, str(added)) for added in scene.counts],
    )


def _of(measure: Measure, scene: Scene) -> Quantity:
    return measure.at("curves", background=scene.background, buffer=scene.buffer)


def _lines(of: Quantity) -> Lines:
    return Lines(of=of, x="clients", by="variant", pens=PENS)


def _newcomers(scene: Scene, first: int) -> list[Figure]:
    """Describe the two figures of a scene; `first` is the number of the first."""
    carried, each, lost = _of(m.CARRIED, scene), _of(m.EACH, scene), _of(replace(m.LOSS, digits=3), scene)
    return [
        Figure(
            **_words("throughput", scene, first),
            plots=stacked(
                [
                    Plot(
                        x=_along(scene),
                        y=from_zero(f"Throughput (thousand packets in {DURATION} s)", carried),
                        marks=[_lines(carried)],
                        right=Scale(
                            label="Throughput (Mb/s)", factor=_MBPS_OF_THOUSAND, step=5 if scene.most > 20 else 2
                        ),
                    ),
                    Plot(
                        x=_along(scene),
                        y=Axis(label="Goodput of one client (packets/s)", low=0, high=112),
                        marks=[_lines(each)],
                        levels=[Level(y=RATE)],
                    ),
                ]
            ),
            height=7.4,
            data={measure.name: _of(measure, scene) for measure in (m.CARRIED, m.GOODPUT, m.EACH)},
            numbers=Numbers(
                head="Added clients", caption=f"Thousand packets of added clients transmitted in {DURATION} s"
            ),
        ),
        Figure(
            **_words("loss", scene, first + 1),
            rest="FIFO drops no packet if all windows fit into the path and the buffer." if scene.buffer > 50 else "",
            plots=[
                Plot(
                    x=_along(scene),
                    y=from_zero("Packet loss (% of arrivals)", lost, least=0.1, margin=0.01),
                    marks=[_lines(lost)],
                )
            ],
            numbers=Numbers(head="Added clients", caption="Packet loss of added clients, % of arrivals"),
        ),
    ]


def _words(name: str, scene: Scene, number: int) -> dict[str, Any]:
    gateway = DEFINITION.table("scene")[str(scene.buffer)]
    return DEFINITION.figure(name, slug=f"figure{number}", number=number, gateway=gateway, **scene.where)


def newcomer_figures(scenes: Sequence[Scene] = SCENES) -> list[Figure]:
    """Give the figures of the added clients, from Figure 5 on: two for each scene."""
    return [figure for place, scene in enumerate(scenes) for figure in _newcomers(scene, 5 + 2 * place)]


def _others(scene: Scene, letter: str) -> Figure:
    """Describe the figure of the background clients and of all clients together."""
    of = {measure: _of(measure, scene) for measure in (m.BACKGROUND_EACH, m.BACKGROUND_LOSS, m.ALL_CARRIED, m.ALL_LOSS)}
    labels = ("Background client (packets/s)", "Background loss (%)", "All (thousand packets)", "Loss of all (%)")
    capacity = CAPACITY / 1e3
    return Figure(
        **DEFINITION.figure("others", slug=f"others-{scene.slug}", letter=letter, **scene.where),
        plots=stacked(
            Plot(
                x=_along(scene),
                y=Axis(label=label, high=1.02 * capacity)
                if measure is m.ALL_CARRIED
                else from_zero(label, each, least=0.1),
                marks=[_lines(each)],
                levels=[Level(y=capacity)] if measure is m.ALL_CARRIED else [],
            )
            for label, (measure, each) in zip(labels, of.items(), strict=True)
        ),
        height=11.5,
        numbers=Numbers(head="Added clients", caption="Goodput of one client of the background, packets/s"),
    )


def _advantage(background: int, letter: str) -> Figure:
    """Describe the goodput of added Vegas clients relative to the goodput of as many Reno clients."""
    ratio = replace(m.RATIO, digits=3).at("pairs", background=background)
    scene = next(scene for scene in SCENES if scene.background == background)
    return Figure(
        **DEFINITION.figure("advantage", slug=f"advantage-{background}", letter=letter, background=background),
        plots=[
            Plot(
                x=_along(scene),
                y=Axis(label="Goodput, Vegas / Reno", low=0),
                marks=[Lines(of=ratio, x="added", by="gateway", pens=_GATEWAYS)],
                levels=[Level(y=1, dotted=False)],
            )
        ],
        height=5.2,
        axes={"gateway": "variant", "added": "clients"},
        numbers=Numbers(
            head="Added clients",
            caption="Goodput of added Vegas clients divided by the goodput of added Reno clients",
        ),
    )


def more_figures(scenes: Sequence[Scene] = SCENES) -> list[Figure]:
    """Give the figures that the paper does not have."""
    backgrounds = list(dict.fromkeys(scene.background for scene in scenes))
    others = [_others(scene, letter) for letter, scene in zip(_LETTERS, scenes, strict=False)]
    return [*others, *map(_advantage, backgrounds, _LETTERS[len(scenes) :])]


_model, _over = (measure.at("models") for measure in (COV, COV_OVER_POISSON))

MODEL = Figure(
    **DEFINITION.figure("figure13"),
    plots=cov_plots(
        _model,
        _over,
        _MODELS,
        formula=poissons("Poisson", max(CLIENTS), ARRIVALS_PER_RTT),
        y=Axis(label="c.o.v. relative to Poisson", low=0),
    ),
    height=7.4,
    numbers=Numbers(caption="Coefficient of variation"),
)


def overview(evidence: Evidence, scenes: Sequence[Scene] = SCENES) -> Table:
    """Lay out goodput and loss at the end of each curve, where most clients are added."""
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
        caption="Goodput (thousand packets) and loss (%) of the added clients at the end of each curve: mean ± "
        "half-width of the 95 % confidence interval",
        head=["", "goodput: Reno", "Vegas", "ratio", "loss: Reno", "Vegas"],
        rows=rows,
    )
