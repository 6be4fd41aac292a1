"""Figures 23 and 24, and what the authors left for later: groups of other sizes, unequal ones, and more than two."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models import rtt_bias_band
from ackclock.papers.figures import HOLLOW, Pen
from ackclock.papers.manyflows.distances import (
    GROUPS,
    OVERHEADS,
    SEVERAL,
    UNEQUAL,
    exponents_of,
    ns2_shares,
    pair_spread,
    spots,
    spread,
)
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.papers.manyflows.distances import Distances, Share, Spot

__all__ = ["distance_drawings"]

_PENS: Mapping[int, Pen] = {
    60: Pen(colour="blue", marker="square"),
    160: Pen(colour="red", marker="circle"),
    400: Pen(colour="orange", marker="triangle"),
}
"""By the buffer."""

_WITH, _WITHOUT = OVERHEADS
_TITLES = {_WITH: "processing times up to one transmission (2.5 ms)", _WITHOUT: "no processing times"}


def distance_drawings(found: Distances, *, command: str) -> list[Drawing]:
    """Draw section 5.3.

    Parameters
    ----------
    found
        Our runs.
    command
        What a person types to make them.

    """
    return [
        _figure23(found.figure23, command=command),
        _figure24(found, command=command),
        _sizes(found.groups, command=command),
        _otherwise(found, command=command),
    ]


def _powers(label: str, low: float, high: float, ticks: Iterable[float]) -> Axis:
    return Axis(label=label, low=low, high=high, log=True, ticks=[(tick, f"{tick:g}") for tick in ticks])


def _figure23(shares: Sequence[Share], *, command: str) -> Drawing:
    ours, theirs = spots(shares), spots(ns2_shares())
    along = np.geomspace(1, 20, 60)
    band = rtt_bias_band(rtt_1=1.0, rtt_2=along)

    def marks(some: Sequence[Spot], buffer: int, overhead: float, *, own: bool) -> Series:
        here = [spot for spot in some if (spot.case.buffer, spot.case.overhead) == (buffer, overhead)]
        pen, name = _PENS[buffer], f"buffer {buffer}"
        return Series(
            name=name if own else f"{name}, ns-2.35",
            x=[spot.rtt_ratio for spot in here],
            y=[spot.ratio.mean for spot in here],
            colour=pen.colour,
            marker=pen.marker,
            dash="none",
            filled=own,
            size=3.8 if own else 7.5,
            listed=own,
            group=name,
        )

    panels = [
        Panel(
            title=f"({letter}) {_TITLES[overhead]}",
            x=_powers("Round-trip time, far over near" if letter == "b" else "", 0.93, 20, (1, 2, 4, 8, 16)),
            y=_powers("Goodput, near over far", 0.08, 400, (0.125, 0.5, 1, 2, 8, 32, 128)),
            series=[
                *(
                    marks(some, buffer, overhead, own=own)
                    for some, own in ((theirs, False), (ours, True))
                    for buffer in _PENS
                    if any((spot.case.buffer, spot.case.overhead) == (buffer, overhead) for spot in some)
                ),
                HOLLOW,
            ],
            bands=[Band(name="the paper's band", x=along, low=band.low, high=band.high, colour="grey")],
        )
        for letter, overhead in zip("ab", OVERHEADS, strict=True)
    ]
    theirs_at = {spot.case: spot for spot in theirs}
    rows = [
        [
            spot.case.name,
            f"{spot.rtt_ratio:.2f}",
            spot.ratio.shown(2),
            f"{theirs_at[spot.case].ratio.mean:.2f}",
            f"{spot.ratio.mean / spot.rtt_ratio**2:.2f}",
            "inside" if spot.inside else "outside",
        ]
        for spot in ours
    ]
    head = ["Connections at a distance", "round trips", "goodput", "ns-2.35", "goodput / round trips²", "band"]
    return Drawing(
        chart=Chart(height=9.0, panels=panels),
        slug="figure23",
        title="Figure 23. Two groups of connections at unequal distances",
        caption="Goodput of a group over that of another whose way is longer, against the ratio of their mean round "
        "trips: 5, 10, 25 or 50 connections each over a T1 link, from 100 or 150 s on. Grey: from the square of "
        f"that ratio to twice that, where the paper says it lies. Full markers are means of {_seeds(shares)} seeds, "
        "hollow ones single runs of ns-2.35.",
        csv=_csv(head, rows),
        numbers=Table(caption="Far over near for round trips, near over far for goodput", head=head, rows=rows),
        command=command,
    )


def _figure24(found: Distances, *, command: str) -> Drawing:
    drawn = []
    for name, time, cwnd, pen in zip(
        ("near: 102 ms away", "far: 204 ms"), found.course.time, found.course.cwnd, (_PENS[60], _PENS[160]), strict=True
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
        for name, time, cwnd in zip(drawn, found.course.time, found.course.cwnd, strict=True)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["connection", "time", "cwnd"])
    for name, time, cwnd in zip(("near", "far"), found.course.time, found.course.cwnd, strict=True):
        writer.writerows((name, f"{at:.4f}", f"{window:.3f}") for at, window in zip(time, cwnd, strict=True))
    return Drawing(
        chart=Chart(
            height=3.8,
            panels=[Panel(x=Axis(label="Time (s)"), y=Axis(label="cwnd (packets)", low=0), series=drawn)],
        ),
        slug="figure24",
        title="Figure 24. Windows of two connections at unequal distances",
        caption="Where the paper has a sketch, a run: two connections over a T1 link with a buffer of 60 packets, "
        "processing times up to one transmission. Each window grows by a packet in a round trip of its own.",
        csv=text.getvalue(),
        numbers=Table(caption="Windows in packets over the time shown", head=head, rows=rows),
        command=command,
    )


def _sizes(shares: Sequence[Share], *, command: str) -> Drawing:
    panels, rows = [], []
    for letter, overhead in zip("ab", OVERHEADS, strict=True):
        drawn = []
        for group in GROUPS:
            here = [share for share in shares if share.case.overhead == overhead and share.case.counts[0] == group]
            ratios = [share.ratio for share in here]
            drawn += [
                (group * by, ratio) for by, ratio in zip(np.geomspace(0.9, 1.11, len(ratios)), ratios, strict=True)
            ]
            rows.append(
                [
                    f"{group}, {_TITLES[overhead]}",
                    f"{2 ** np.mean(np.log2(ratios)):.2f}",
                    f"{2 ** spread(here):.2f}",
                    f"{2 ** pair_spread(here):.2f}",
                ]
            )
        x, y = zip(*drawn, strict=True)
        panels.append(
            Panel(
                title=f"({letter}) {_TITLES[overhead]}",
                x=_powers("Connections in each group" if letter == "b" else "", 0.8, 32, GROUPS),
                y=_powers("Goodput, near over far", 0.125, 64, (0.25, 1, 4, 16, 64)),
                series=[Series(name="one run", x=x, y=y, colour="blue", marker="circle", dash="none", size=3.2)],
                levels=[Level(y=1, dotted=False)],
            )
        )
    head = ["Connections in each group", "goodput ratio", "spread by", "of single pairs by"]
    return Drawing(
        chart=Chart(height=7.4, panels=panels),
        slug="group-sizes",
        title="Figure E. From which size on groups can be told",
        caption="Two groups, one four times as far away as the other, give or take 4 %: nine distances that nobody "
        f"would tell apart, {_seeds(shares)} seeds each, side by side at each size, from the shortest. Buffer of 160 "
        "packets. What can be predicted does not change with so little.",
        csv=_csv(head, rows),
        numbers=Table(
            caption="Geometric mean of the ratio, and the factor that is one standard deviation of its logarithm, of "
            "groups and of single connections of them",
            head=head,
            rows=rows,
        ),
        command=command,
    )


def _otherwise(found: Distances, *, command: str) -> Drawing:
    powers = exponents_of(found.unequal)
    pens = {_WITH: Pen(colour="blue", marker="square"), _WITHOUT: Pen(colour="red", marker="circle", dash="dashed")}
    words = {_WITH: "processing times to 2.5 ms", _WITHOUT: "none"}
    near = [100 * counts[0] / sum(counts) for counts in UNEQUAL]
    unequal = [
        Series(
            name=words[overhead],
            x=near,
            y=[powers[overhead, counts].mean for counts in UNEQUAL],
            error=[powers[overhead, counts].half_width for counts in UNEQUAL],
            colour=pen.colour,
            marker=pen.marker,
            dash=pen.dash,
        )
        for overhead, pen in pens.items()
    ]
    several = []
    for overhead, pen in pens.items():
        here = [share for share in found.several if share.case.overhead == overhead]
        several.append(
            Series(
                name=words[overhead],
                x=np.mean([share.rtt for share in here], axis=0),
                y=np.mean([share.goodput for share in here], axis=0),
                colour=pen.colour,
                marker=pen.marker,
                dash=pen.dash,
            )
        )
    head = ["Connections, near and far", *(f"exponent, {word}" for word in words.values())]
    rows = [
        [f"{counts[0]} and {counts[1]}", *(powers[overhead, counts].shown(2) for overhead in OVERHEADS)]
        for counts in UNEQUAL
    ]
    five = exponents_of(found.several)
    rows.append([f"10 at each of {len(SEVERAL)} distances", *(interval.shown(2) for interval in five.values())])
    return Drawing(
        chart=Chart(
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
        ),
        slug="unequal-groups",
        title="Figure F. Unequal groups, and more than two",
        caption="What the authors left for later; buffer of 160 packets. (a) The power k of goodput ~ 1 / RTT^k of "
        "a connection, from two groups, one four times as far away; 1 is what equal loss gives, 2 what epochs of "
        f"equal length give. Bars are 95 % intervals of {_seeds(found.unequal)} seeds. (b) Goodput of a connection "
        "against its round trip, where five groups share the link.",
        csv=_csv(head, rows),
        numbers=Table(caption="The power k by which goodput falls with the round-trip time", head=head, rows=rows),
        command=command,
    )


def _seeds(shares: Iterable[Share]) -> int:
    return len({share.seed for share in shares})


def _csv(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()
