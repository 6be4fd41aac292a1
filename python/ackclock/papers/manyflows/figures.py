"""Figures 7, 9, 11 to 14, 16 and 19 to 22: loss, throughput and goodput against the number of connections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.manyflows.claims.reading import command, run_of
from ackclock.papers.manyflows.experiment import ISDN, LINKS, PACKET_SIZE, T1, grid_setting
from ackclock.papers.manyflows.hyperbolas import TABLES, printed, table
from ackclock.papers.manyflows.panels import Line, Strip, lines, panelled
from ackclock.papers.manyflows.places import (
    CAPPED,
    FEW,
    PACKETS_EACH,
    STEADY,
    TOGETHER,
    UNCAPPED,
    WINDOWS,
    curve,
    far_setting,
    tabled,
)
from ackclock.report.chart import Axis

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.papers.manyflows.evidence import Side
    from ackclock.papers.manyflows.experiment import Bottleneck
    from ackclock.papers.observation import Observation
    from ackclock.report.html import Drawing

    Measure = Callable[[Observation], float | None]

__all__ = ["amount", "few", "goodput", "hyperbolas", "prediction", "throughput", "totals"]

_WITH = " with a random processing time of up to 10 % of the round-trip time with a full buffer"

_TIES = (
    " In ns-2 rounding decides who wins ties of ACKs and timers, not as in Ackclock during the first 32 s of these "
    "runs: from 0 s it loses some 5 % more (docs/agreement_manyflows.md)."
)

_READ = {"T1": (CAPPED, STEADY, TOGETHER), "ISDN": (UNCAPPED, CAPPED, STEADY)}
"""Ways of counting that are drawn, that which is nearest to the paper first."""


def named(name: str) -> Measure:
    """Make a measure of a number of the run."""
    return lambda run: run.values[name]


def percent(name: str) -> Measure:
    """Make one of a part, in per cent."""
    return lambda run: 100 * (run.values[name] or 0.0)


def prediction(ours: Side, ns2: Side) -> Drawing:
    """Draw Figure 7: loss of a large pipe beside its three laws."""
    strips = []
    for place, each in zip("ab", PACKETS_EACH, strict=True):
        (line,) = lines(ours.predicted, ns2.predicted, percent("loss"), start=f"B = {each} n")
        x = np.array([*range(10, 60, 5), *range(60, 310, 20), 300])
        laws = large_pipe_loss(window=each + T1.pipe / x, smooth=True)
        paper = {
            law: dict(zip(x.tolist(), (100 * getattr(laws, law)).tolist(), strict=True))
            for law in ("printed", "corrected", "counted")
        }
        measured = Line(name="measured", ours=line.ours, ns2=line.ns2, paper=paper)
        strips.append(Strip(title=f"({place}) B = {each} n", label="Loss (% of arrivals)", lines=[measured]))
    return panelled(
        strips,
        slug="figure7",
        title="Figure 7. Loss of a large pipe, and its prediction",
        what="Connections over T1 with 50 ms and a buffer of 4 or 6 packets for each, from 50 to 200 s.",
        rest="The paper prints 8 / (3 W² + 21 W + 8); corrected it is 8 / (3 W² + 25 W + 4), and counted ACK by ACK "
        "8 / (3 W² + 23 W + 13.5).",
        command=command(T1, 440, 100),
        digits=2,
    )


def totals(ours: Side, ns2: Side) -> Drawing:
    """Draw Figure 9: packets sent and lost in all."""
    end = WINDOWS["T1"][1]
    whole = end * T1.bps / 8 / PACKET_SIZE / 1e3

    def sent(run: Observation) -> float | None:
        return whole * (run.values["throughput"] or 0.0) / (1 - (run.values["loss"] or 0.0))

    def lost(run: Observation) -> float | None:
        return (sent(run) or 0.0) * (run.values["loss"] or 0.0)

    strips = [
        Strip(
            title=f"({place}) {word}",
            label="Thousand packets",
            lines=lines(ours.counted(CAPPED), ns2.counted(CAPPED), measure, start="T1, "),
            low=None,
        )
        for place, word, measure in (("a", "sent", sent), ("b", "lost", lost))
    ]
    return panelled(
        strips,
        slug="figure9",
        title="Figure 9. Packets sent and lost in all",
        what=f"All connections over T1 with 50 ms, counted from 0 to {end} s.",
        rest="Sent is what leaves the bottleneck and what is lost there." + _TIES,
        command=run_of(grid_setting(T1, 100, 600, span=(0, end))),
        digits=2,
    )


def throughput(ours: Side, ns2: Side, *, fraction: float) -> Drawing:
    """Draw Figure 11, or Figure 19 with processing time."""
    near = (ours.counted(STEADY, fraction), ns2.counted(STEADY, fraction))
    figure = 19 if fraction else 11
    return panelled(
        [
            Strip(
                title="(a) 200 ms, W_opt = 160",
                label="Throughput",
                lines=lines(ours.far[fraction], ns2.far[fraction], named("throughput")),
                low=0.5 if fraction else 0.8,
                high=1.01,
            ),
            Strip(
                title="(b) 50 ms, W_opt = 40",
                label="Throughput",
                lines=lines(near[0], near[1], named("throughput"), start="T1, "),
                low=0.5 if fraction else 0.8,
                high=1.01,
            ),
        ],
        slug=f"figure{figure}",
        title=f"Figure {figure}. Throughput over T1{', with processing time' if fraction else ''}",
        what=f"What leaves the bottleneck, as a part of its rate,{_WITH if fraction else ''} over (a) 200 and (b) 50 "
        "ms, after a warm-up.",
        rest="The axis of connections is logarithmic: what happens, happens with few.",
        command=run_of(far_setting(20, 10, fraction=fraction)),
        along=Axis(
            label="Connections", log=True, low=0.9, high=700, ticks=[(flows, str(flows)) for flows in (1, 10, 100, 600)]
        ),
    )


def goodput(ours: Side, ns2: Side, *, fraction: float) -> Drawing:
    """Draw Figure 12, or Figure 20 with processing time."""
    figure = 20 if fraction else 12
    strips = [
        Strip(
            title=f"({place}) {link.name}",
            label="Goodput",
            lines=lines(
                ours.counted(STEADY, fraction),
                ns2.counted(STEADY, fraction),
                named("goodput"),
                start=f"{link.name}, ",
            ),
            low=0.6 if fraction else 0.85,
            high=1.02,
        )
        for place, link in zip("ab", (T1, ISDN), strict=True)
    ]
    if not fraction:
        strips += [
            Strip(
                title=f"({place}) {link.name}, timers of ns-2.35",
                label="Goodput",
                lines=lines(ours.modern, ns2.modern, named("goodput"), start=f"{link.name}, "),
                low=0.85,
                high=1.02,
            )
            for place, link in zip("cd", (T1, ISDN), strict=True)
        ]
    return panelled(
        strips,
        slug=f"figure{figure}",
        title=f"Figure {figure}. Goodput{', with processing time' if fraction else ''}",
        what=f"What receivers had not before, as a part of the bottleneck's rate,{_WITH if fraction else ''} after a "
        "warm-up.",
        rest=""
        if fraction
        else "The paper finds that it falls with the connections. With a TCP of 1999 it does not; with the timers of "
        "ns-2.35 (c, d), which send again what is not lost, it does.",
        command=command(ISDN, 500, 300, fraction=fraction),
        height=1.4 + 2.2 * len(strips),
    )


def few(ours: Side, ns2: Side, *, fraction: float) -> Drawing:
    """Draw Figure 13, or Figure 21 with and without processing time."""
    figure = 21 if fraction else 13
    strips = []
    for place, capacity in zip("ab", FEW, strict=True):
        drawn = []
        for part, word in (
            (0.0, "without processing time"),
            *([(0.1, "with processing time")] if fraction else []),
        ):
            (line,) = lines(ours.few[part], ns2.few[part], percent("loss"), start=curve(T1, capacity))
            power = 1 if part else 2
            middle = sorted(line.ours)[len(line.ours) // 2]
            claimed = {flows: line.ours[middle].mean * (flows / middle) ** power for flows in line.ours}
            drawn.append(Line(name=word, ours=line.ours, ns2=line.ns2, paper={"the paper": claimed}))
        strips.append(Strip(title=f"({place}) W_c = {capacity}", label="Loss (% of arrivals)", lines=drawn))
    panels = panelled(
        strips,
        slug=f"figure{figure}",
        title=f"Figure {figure}. Loss of few connections{', with processing time' if fraction else ''}",
        what=f"Few connections over T1 with 50 ms, without{' and' + _WITH if fraction else ' processing time'}, from "
        "50 to 200 s.",
        rest="Dashed, through the point in the middle: growth with the square of the connections, as the paper has it "
        "without processing time, and in proportion to them, as with it.",
        command=command(T1, 100, 20, fraction=fraction),
        digits=3,
    )
    # The two panels do not count the same connections.
    return _own_axes(panels)


def _own_axes(drawing: Drawing) -> Drawing:
    """Give each panel of a drawing the axis of its own connections."""
    panels = [replace(panel, x=Axis(label="Connections", low=0)) for panel in drawing.chart.panels]
    return replace(drawing, chart=replace(drawing.chart, panels=panels))


def amount(ours: Side, ns2: Side) -> Drawing:
    """Draw Figure 16: loss by the amount of processing time."""
    return panelled(
        [Strip(title="", label="Loss (% of arrivals)", lines=lines(ours.amounts, ns2.amounts, percent("loss")))],
        slug="figure16",
        title="Figure 16. Loss by the longest processing time",
        what="Connections over T1 with 50 ms and four packets of buffer for each, from 50 to 200 s; the processing "
        "time is uniform up to that part of the round-trip time with a full buffer.",
        rest="",
        command=command(T1, 440, 100, fraction=0.1),
        digits=2,
    )


def _hyperbolas(ours: Side, ns2: Side, link: Bottleneck, fraction: float) -> Drawing:
    """Draw Figure 14, or Figure 22 with processing time, of one link: loss beside the paper's curves, and the table."""
    figure = 22 if fraction else 14
    start = f"{link.name}, "

    def paper(name: str) -> Mapping[str, Mapping[int, float]]:
        capacity = int(name.rpartition(" ")[2])
        x = [flows for flows in (35, 60, 80, *range(100, 601, 25)) if flows >= capacity / 3]
        return {"the paper": dict(zip(x, (100 * printed(fraction, name, x)).tolist(), strict=True))}

    def chosen(runs: Sequence[Observation]) -> list[Observation]:
        return [run for run in runs if run.clients in tabled(int(run.variant.rpartition(" ")[2]))]

    strips = [
        Strip(
            title=f"({place}) {reading.title}",
            label="Loss (%)",
            lines=lines(
                chosen(ours.counted(reading, fraction)),
                chosen(ns2.counted(reading, fraction)),
                percent("loss"),
                start=start,
                paper=paper,
            ),
        )
        for place, reading in zip("abc", _READ[link.name], strict=True)
    ]
    whole = table(ours, ns2, fraction, start=start)
    return panelled(
        strips,
        slug=f"figure{figure}-{link.name.lower()}",
        title=f"Figure {figure} and {TABLES[fraction]}. Loss of many connections over {link.name}"
        + (", with processing time" if fraction else ""),
        what=f"Loss at the bottleneck over {link.name} with 50 ms{_WITH if fraction else ''}, counted in three ways "
        "that the paper leaves open.",
        rest=f"Dashed: the paper's hyperbolas, by {TABLES[fraction]}." + (_TIES if link is T1 and not fraction else ""),
        command=command(link, 100, 600, fraction=fraction),
        numbers=whole,
        height=9.6,
    )


def hyperbolas(ours: Side, ns2: Side, *, fraction: float) -> list[Drawing]:
    """Draw the hyperbolas of both links."""
    return [_hyperbolas(ours, ns2, link, fraction) for link in LINKS.values()]
