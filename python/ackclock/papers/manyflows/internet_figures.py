"""What the abstraction of section 2 takes for granted, as figures: the paper has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.papers.figures import Pen, own
from ackclock.papers.manyflows.flow_measures import (
    AT_BACKBONE,
    AT_ENTRY,
    COMPONENTS,
    GOODPUT,
    LARGEST,
    STEADY,
    TOGETHER,
)
from ackclock.papers.manyflows.internet import (
    ANYONE,
    BACKBONES,
    CLUSTERS,
    DEGREES,
    DRAWN,
    EXTRA,
    giant_component,
)
from ackclock.papers.manyflows.panels import table_drawing
from ackclock.report.chart import Axis, Level, Panel, Series

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.analysis import Interval
    from ackclock.papers.core.paper import Both
    from ackclock.papers.core.quantities import Quantity
    from ackclock.report.html import Drawing

_FIRST, _SECOND = Pen(colour="blue", marker="square"), Pen(colour="red", marker="circle", dash="dashed")


def _along(evidence: Both, of: Quantity) -> dict[Any, Interval]:
    """Give the points of a quantity along its only axis."""
    return {at: point for (at,), point in of.points(evidence.ours).cells.items()}


def _seeds(evidence: Both, part: str) -> int:
    return len({row.seed for row in evidence.ours.part(part)})


def backbone(evidence: Both, command: str) -> Drawing:
    """Draw what a backbone loses and costs, by its rate."""
    seeds = _seeds(evidence, "backbone")
    drops, goodput = (_along(evidence, one.at("backbone", rate=BACKBONES)) for one in (AT_BACKBONE, GOODPUT))
    without = GOODPUT.at("backbone", rate=0).points(evidence.ours).only
    rows = [[f"{rate} %", drops[rate].shown(1), goodput[rate].shown(1)] for rate in BACKBONES]
    return table_drawing(
        height=7.4,
        slug="backbone",
        title="Figure A. From which rate on a backbone does not matter",
        caption="Eight domains behind T1 links, 80 connections between them and a backbone that all cross, with a "
        "buffer of 60 packets like the access links. Its rate is given as a share of all access links "
        "together: (a) the share of all drops that happen at the backbone; (b) goodput of all connections, dotted "
        f"without a backbone. Means of {seeds} seeds, with other traffic for each; bars are 95 % intervals.",
        panels=[
            Panel(
                title="(a)",
                x=_rates(""),
                y=Axis(label="Drops at the backbone (%)", low=-3, high=103),
                series=[own("with a backbone", drops, _FIRST)],
            ),
            Panel(
                title="(b)",
                x=_rates("Rate of the backbone (% of all access links)"),
                y=Axis(label="Goodput (% of all access links)", low=0, high=100),
                series=[own("with a backbone", goodput, _FIRST)],
                levels=[Level(y=without.mean, text="without")],
            ),
        ],
        caption_of_numbers="Per cent: mean ± half-width of the 95 % interval",
        head=["Backbone", "drops at it", "goodput"],
        rows=[*rows, ["none", "0", without.shown(1)]],
        command=command,
    )


def _rates(label: str) -> Axis:
    ticks = (20, 40, 60, 80, 100, 150, 200, 400)
    return Axis(label=label, low=18, high=440, log=True, ticks=[(tick, str(tick)) for tick in ticks])


def bottlenecks(evidence: Both, command: str) -> Drawing:
    """Draw whether bottlenecks stay, and are the same for all."""
    seeds = _seeds(evidence, "extra")
    extra = {one.name: _along(evidence, one.at("extra")) for one in (AT_ENTRY, STEADY, GOODPUT)}
    drawn = {one.name: _along(evidence, one.at("drawn")) for one in (STEADY, TOGETHER)}
    shifted = {count: place for place, count in enumerate(EXTRA)}

    def moved(points: Mapping[int, Interval]) -> dict[int, Interval]:
        return {shifted[count]: interval for count, interval in points.items()}

    third = Pen(colour="orange", marker="triangle", dash="dotted")
    rows = [
        [f"20 and {count} others", *(extra[name][count].shown(0) for name in ("at_entry", "steady", "goodput")), ""]
        for count in EXTRA
    ]
    rows += [
        [f"network {draw}", "", drawn["steady"][draw].shown(0), "", drawn["together"][draw].shown(0)] for draw in DRAWN
    ]
    return table_drawing(
        height=7.4,
        slug="bottlenecks",
        title="Figure B. Whether the place of congestion stays, and is the same for all",
        caption="(a) Twenty connections from one T1 domain to another, whose link others reach over T3: the share "
        "of the twenty's drops where they enter the backbone, the share of them that lose most at the same link in "
        "each of six parts of 50 s, and their goodput as a part of the T1 rate. (b) Eight networks of the twelve "
        "parameters, 1 to 20 connections drawn for each pair of access links: the share of connections that keep "
        "their bottleneck, and of those that congest where most do that cross the same access link. Means of "
        f"{seeds} seeds; bars are 95 % intervals.",
        panels=[
            Panel(
                title="(a)",
                x=Axis(
                    label="Other connections to the same domain",
                    low=-0.5,
                    high=len(EXTRA) - 0.5,
                    ticks=[(place, str(count)) for count, place in shifted.items()],
                ),
                y=Axis(label="%", low=0, high=108),
                series=[
                    own("keep their bottleneck", moved(extra["steady"]), _FIRST),
                    own("drops where they enter", moved(extra["at_entry"]), _SECOND),
                    own("goodput of the twenty", moved(extra["goodput"]), third),
                ],
            ),
            Panel(
                title="(b)",
                x=Axis(label="Network", low=0.5, high=len(DRAWN) + 0.5),
                y=Axis(label="Connections (%)", low=0, high=108),
                series=[
                    own("keep their bottleneck", drawn["steady"], Pen(colour="blue", marker="square", dash="none")),
                    own("congest together", drawn["together"], Pen(colour="green", marker="diamond", dash="none")),
                ],
            ),
        ],
        caption_of_numbers="Per cent: mean ± half-width of the 95 % interval",
        head=["Connections", "drops at entry", "keep their bottleneck", "goodput", "congest together"],
        rows=rows,
        command=command,
    )


def components(evidence: Both, command: str) -> Drawing:
    """Draw the components of networks of many domains."""
    seeds = _seeds(evidence, "components")
    curves = {
        (who, one.name): _along(evidence, one.at("components", traffic=who))
        for who in (ANYONE, CLUSTERS)
        for one in (LARGEST, COMPONENTS)
    }
    fine = np.linspace(0.25, 4, 151)
    law = Series(
        name="S = 1 - exp(-cS)", x=fine, y=[giant_component(degree) for degree in fine], colour="ink", width=1.0
    )
    pens = {ANYONE: Pen(colour="blue", marker="square", dash="none"), CLUSTERS: _SECOND}
    panels = [
        Panel(
            title=f"({letter})",
            x=Axis(label="Domains that one talks to, mean" if letter == "b" else "", low=0, high=4.2),
            y=Axis(label=label, low=0),
            series=[
                *([law] if letter == "a" else []),
                *(own(who, curves[who, name], pen) for who, pen in pens.items()),
            ],
        )
        for letter, name, label in (
            ("a", "largest", "Domains in the largest"),
            ("b", "components", "Components, per 100 domains"),
        )
    ]
    rows = [
        [
            f"{degree:g}",
            *(
                curves[who, name][degree].shown(digits)
                for who in (ANYONE, CLUSTERS)
                for name, digits in (("largest", 3), ("components", 1))
            ),
            f"{giant_component(degree):.3f}",
        ]
        for degree in DEGREES
    ]
    return table_drawing(
        height=7.4,
        slug="components",
        title="Figure C. What taking the Internet apart leaves",
        caption="400 domains, each behind a T1 link; connections join two domains at random, of all or of one "
        "cluster of ten. (a) Share of the domains in the largest component, with the law of the giant component of "
        f"a random graph, where c is the mean degree; (b) components with traffic. Means of {seeds} draws; "
        "bars are 95 % intervals.",
        panels=panels,
        caption_of_numbers="Share of the domains in the largest component, and components per 100 domains",
        head=["Mean degree", f"{ANYONE}: largest", "components", f"{CLUSTERS}: largest", "components", "law"],
        rows=rows,
        command=command,
    )
