"""Figures 23 and 24, and what the authors left for later: groups of other sizes, unequal ones, and more than two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models import rtt_bias_band
from ackclock.papers import reading
from ackclock.papers.figures import HOLLOW, Pen
from ackclock.papers.manyflows import distances
from ackclock.papers.manyflows.distances import GROUPS, OVERHEADS, SEVERAL, UNEQUAL, pair_spread, split_name, spread
from ackclock.papers.manyflows.flow_measures import GOODPUT_RATIO, POWER, RTT_RATIO
from ackclock.papers.manyflows.panels import table_drawing, to_csv
from ackclock.papers.manyflows.places import WITH, WITHOUT
from ackclock.report.chart import Axis, Band, Level, Panel, Series

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Key
    from ackclock.papers.core.paper import Both
    from ackclock.report.html import Drawing

    Points = Mapping[Key, Interval]

_PENS: Mapping[int, Pen] = {
    60: Pen(colour="blue", marker="square"),
    160: Pen(colour="red", marker="circle"),
    400: Pen(colour="orange", marker="triangle"),
}
"""By the buffer."""

_TITLES = {WITH: "processing times up to one transmission (2.5 ms)", WITHOUT: "no processing times"}


def _powers(label: str, low: float, high: float, ticks: Iterable[float]) -> Axis:
    return Axis(label=label, low=low, high=high, log=True, ticks=[(tick, f"{tick:g}") for tick in ticks])


def figure23(evidence: Both, command: str) -> Drawing:
    """Draw Figure 23: the ratio of goodput against the ratio of round-trip times."""
    seeds = _seeds(evidence, "figure23")
    (rtt, theirs_rtt), (ratio, theirs) = (
        [one.at("figure23").points(side).cells for side in (evidence.ours, evidence.ns2)]
        for one in (RTT_RATIO, GOODPUT_RATIO)
    )
    along = np.geomspace(1, 20, 60)
    band = rtt_bias_band(rtt_1=1.0, rtt_2=along)

    def marks(x: Points, y: Points, processing: str, buffer: int, *, own: bool) -> Series:
        here = [key for key in y if key[:2] == (processing, buffer)]
        pen, name = _PENS[buffer], f"buffer {buffer}"
        return Series(
            name=name if own else f"{name}, ns-2.35",
            x=[x[key].mean for key in here],
            y=[y[key].mean for key in here],
            colour=pen.colour,
            marker=pen.marker,
            dash="none",
            filled=own,
            size=3.8 if own else 7.5,
            listed=own,
            group=name,
        )

    def inside(key: Key) -> bool:
        low, high = (
            rtt_bias_band(rtt_1=1.0, rtt_2=rtt[key].mean).low,
            rtt_bias_band(rtt_1=1.0, rtt_2=rtt[key].mean).high,
        )
        return reading.low(ratio[key]) <= float(high) and reading.high(ratio[key]) >= float(low)

    panels = [
        Panel(
            title=f"({letter}) {_TITLES[processing]}",
            x=_powers("Round-trip time, far over near" if letter == "b" else "", 0.93, 20, (1, 2, 4, 8, 16)),
            y=_powers("Goodput, near over far", 0.08, 400, (0.125, 0.5, 1, 2, 8, 32, 128)),
            series=[
                *(
                    marks(x, y, processing, buffer, own=own)
                    for x, y, own in ((theirs_rtt, theirs, False), (rtt, ratio, True))
                    for buffer in _PENS
                    if any(key[:2] == (processing, buffer) for key in y)
                ),
                HOLLOW,
            ],
            bands=[Band(name="the paper's band", x=along, low=band.low, high=band.high, colour="grey")],
        )
        for letter, processing in zip("ab", OVERHEADS, strict=True)
    ]
    names = {(*where.values(),): case.name for where, case in distances.figure23()}
    rows = [
        [
            names[key],
            f"{rtt[key].mean:.2f}",
            ratio[key].shown(2),
            f"{theirs[key].mean:.2f}",
            f"{ratio[key].mean / rtt[key].mean ** 2:.2f}",
            "inside" if inside(key) else "outside",
        ]
        for key in ratio
    ]
    head = ["Connections at a distance", "round trips", "goodput", "ns-2.35", "goodput / round trips²", "band"]
    return table_drawing(
        height=9.0,
        panels=panels,
        slug="figure23",
        title="Figure 23. Two groups of connections at unequal distances",
        caption="Goodput of a group over that of another whose way is longer, against the ratio of their mean round "
        "trips: 5, 10, 25 or 50 connections each over a T1 link, from 100 or 150 s on. Grey: from the square of "
        f"that ratio to twice that square, where the paper says it lies. Full markers are means of {seeds} seeds, "
        "hollow ones single runs of ns-2.35.",
        caption_of_numbers="Far over near for round trips, near over far for goodput",
        head=head,
        rows=rows,
        command=command,
    )


def figure24(evidence: Both, command: str) -> Drawing:
    """Draw Figure 24: the windows of two connections."""
    (run,) = evidence.ours.part("figure24")
    courses = [(run.values[f"{name} time"], run.values[f"{name} cwnd"]) for name in ("near", "far")]
    drawn = []
    for name, (time, cwnd), pen in zip(
        ("near: 102 ms away", "far: 204 ms"), courses, (_PENS[60], _PENS[160]), strict=True
    ):
        # a window holds until it changes
        steps = Series(name=name, x=np.repeat(time, 2)[1:], y=np.repeat(cwnd, 2)[:-1], colour=pen.colour, width=1.0)
        drawn.append(steps)
    head = ["Connection", "least", "mean", "most", "halvings"]
    rows = [
        [
            name.name,
            f"{cwnd.min():.1f}",
            f"{np.average(cwnd[:-1], weights=np.diff(time)):.1f}",
            f"{cwnd.max():.1f}",
            str(int((np.diff(cwnd) < -0.3 * cwnd[:-1]).sum())),
        ]
        for name, (time, cwnd) in zip(drawn, courses, strict=True)
    ]
    return table_drawing(
        slug="figure24",
        title="Figure 24. Windows of two connections at unequal distances",
        caption="Where the paper has a sketch, a run: two connections over a T1 link with a buffer of 60 packets, "
        "processing times up to one transmission. Each window grows by a packet in a round trip of its own.",
        panels=[Panel(x=Axis(label="Time (s)"), y=Axis(label="cwnd (packets)", low=0), series=drawn)],
        caption_of_numbers="Windows in packets over the time shown",
        head=head,
        rows=rows,
        height=3.8,
        command=command,
        data=to_csv(
            [
                ["connection", "time", "cwnd"],
                *(
                    [name, f"{at:.4f}", f"{window:.3f}"]
                    for name, (time, cwnd) in zip(("near", "far"), courses, strict=True)
                    for at, window in zip(time, cwnd, strict=True)
                ),
            ]
        ),
    )


def sizes(evidence: Both, command: str) -> Drawing:
    """Draw the ratio of goodput by the size of the groups."""
    seeds = _seeds(evidence, "groups")
    panels, rows = [], []
    for letter, processing in zip("ab", OVERHEADS, strict=True):
        drawn = []
        for group in GROUPS:
            here = [
                row
                for row in evidence.ours.part("groups")
                if (row.where["processing"], row.where["connections"]) == (processing, group)
            ]
            ratios = [row.values["goodput_ratio"] for row in here]
            drawn += [
                (group * by, ratio) for by, ratio in zip(np.geomspace(0.9, 1.11, len(ratios)), ratios, strict=True)
            ]
            rows.append(
                [
                    f"{group}, {_TITLES[processing]}",
                    f"{2 ** np.mean(np.log2(ratios)):.2f}",
                    f"{2 ** spread(here):.2f}",
                    f"{2 ** pair_spread(here):.2f}",
                ]
            )
        x, y = zip(*drawn, strict=True)
        panels.append(
            Panel(
                title=f"({letter}) {_TITLES[processing]}",
                x=_powers("Connections in each group" if letter == "b" else "", 0.8, 32, GROUPS),
                y=_powers("Goodput, near over far", 0.125, 64, (0.25, 1, 4, 16, 64)),
                series=[Series(name="one run", x=x, y=y, colour="blue", marker="circle", dash="none", size=3.2)],
                levels=[Level(y=1, dotted=False)],
            )
        )
    head = ["Connections in each group", "goodput ratio", "spread by", "of single pairs by"]
    return table_drawing(
        height=7.4,
        panels=panels,
        slug="group-sizes",
        title="Figure E. From which size on shares can be predicted",
        caption="Two groups, one four times as far away as the other, within 4 %: nine distances that differ by "
        f"1 %, {seeds} seeds each, side by side at each size, from the shortest. Buffer of 160 "
        "packets. What can be predicted does not change with so little.",
        caption_of_numbers="Geometric mean of the ratio, and the factor that is one standard deviation of its "
        "logarithm, of groups and of single connections of them",
        head=head,
        rows=rows,
        command=command,
    )


def otherwise(evidence: Both, command: str) -> Drawing:
    """Draw groups of unequal size, and five groups."""
    seeds = _seeds(evidence, "unequal")
    powers = POWER.at("unequal").points(evidence.ours).cells
    pens = {WITH: Pen(colour="blue", marker="square"), WITHOUT: Pen(colour="red", marker="circle", dash="dashed")}
    words = {WITH: "processing times to 2.5 ms", WITHOUT: "none"}
    near = [100 * counts[0] / sum(counts) for counts in UNEQUAL]
    unequal = [
        Series(
            name=words[processing],
            x=near,
            y=[powers[processing, split_name(counts)].mean for counts in UNEQUAL],
            error=[powers[processing, split_name(counts)].half_width for counts in UNEQUAL],
            colour=pen.colour,
            marker=pen.marker,
            dash=pen.dash,
        )
        for processing, pen in pens.items()
    ]
    several = []
    for processing, pen in pens.items():
        here = [row for row in evidence.ours.part("several") if row.where["processing"] == processing]
        several.append(
            Series(
                name=words[processing],
                x=np.mean([row.values["rtt"] for row in here], axis=0),
                y=np.mean([row.values["goodput"] for row in here], axis=0),
                colour=pen.colour,
                marker=pen.marker,
                dash=pen.dash,
            )
        )
    head = ["Connections, near and far", *(f"exponent, {word}" for word in words.values())]
    rows = [
        [f"{counts[0]} and {counts[1]}", *(powers[processing, split_name(counts)].shown(2) for processing in OVERHEADS)]
        for counts in UNEQUAL
    ]
    five = POWER.at("several").points(evidence.ours).cells
    rows.append([f"10 at each of {len(SEVERAL)} distances", *(interval.shown(2) for interval in five.values())])
    return table_drawing(
        height=7.8,
        panels=[
            Panel(
                title="(a) 50 connections in two groups of unequal size",
                x=Axis(label="Connections in the near group (%)", low=0, high=100),
                y=Axis(label="Power of the round trip", low=0),
                series=unequal,
                levels=[Level(y=2, text="equally long epochs"), Level(y=1, text="equal loss")],
            ),
            Panel(
                title="(b) five groups of 10",
                x=_powers("Round-trip time (s)", 0.38, 2.4, (0.4, 0.6, 0.8, 1.2, 1.6, 2.4)),
                y=_powers("Goodput of one (packets/s)", 1, 40, (1, 2, 4, 8, 16, 32)),
                series=several,
            ),
        ],
        slug="unequal-groups",
        title="Figure F. Unequal groups, and more than two",
        caption="What the authors left for later; buffer of 160 packets. (a) The power k of goodput ~ 1 / RTT^k of "
        "a connection, from two groups, one four times as far away; 1 is what equal loss gives, 2 what epochs of "
        f"equal length give. Bars are 95 % intervals of {seeds} seeds. (b) Goodput of a connection "
        "against its round trip, where five groups share the link.",
        caption_of_numbers="The power k by which goodput falls with the round-trip time",
        head=head,
        rows=rows,
        command=command,
    )


def _seeds(evidence: Both, part: str) -> int:
    return len({row.seed for row in evidence.ours.part(part)})
