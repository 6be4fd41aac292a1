"""Figures 7, 9, 11 to 14, 16 and 19 to 22: loss, throughput and goodput against the number of connections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.manyflows.claims.reading import command, run_of
from ackclock.papers.manyflows.experiment import ISDN, LINKS, T1, grid_setting
from ackclock.papers.manyflows.hyperbolas import TABLES, printed
from ackclock.papers.manyflows.measures import GOODPUT, LOSS, LOST, SENT, TABLED_LOSS, THROUGHPUT
from ackclock.papers.manyflows.panels import Strip, lines, panelled
from ackclock.papers.manyflows.places import (
    CAPPED,
    CURVES,
    FEW,
    PACKETS_EACH,
    PROCESSING,
    STEADY,
    TOGETHER,
    UNCAPPED,
    WINDOWS,
    WITH,
    WITHOUT,
    capacity_of,
    curve,
    far_setting,
)
from ackclock.papers.manyflows.tables import table
from ackclock.report.chart import Axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.core.paper import Both
    from ackclock.papers.manyflows.places import Reading
    from ackclock.report.html import Drawing

_WITH = " with a random processing time of up to 10 % of the round-trip time with a full buffer"

_TIES = (
    " In ns-2 rounding decides who wins ties of ACKs and timers, not as in Ackclock during the first 32 s of these "
    "runs: from 0 s it loses some 5 % more (docs/agreement_manyflows.md)."
)

_TITLE = {WITHOUT: "", WITH: ", with processing time"}

_LOSS = "Loss (% of arrivals)"

_READ = {"T1": (CAPPED, STEADY, TOGETHER), "ISDN": (UNCAPPED, CAPPED, STEADY)}
"""Ways of counting that are drawn, that which is nearest to the paper first."""


def prediction(evidence: Both, _: str) -> Drawing:
    """Draw Figure 7: loss of a large pipe and its three formulas."""
    strips = []
    for place, each in zip("ab", PACKETS_EACH, strict=True):
        (line,) = lines(evidence, LOSS.at("predicted", curve=[f"B = {each} n"]))
        x = np.array([*range(10, 60, 5), *range(60, 310, 20), 300])
        laws = large_pipe_loss(window=each + T1.pipe / x, smooth=True)
        paper = {
            law: dict(zip(x.tolist(), (100 * getattr(laws, law)).tolist(), strict=True))
            for law in ("printed", "corrected", "counted")
        }
        strips.append(
            Strip(title=f"({place}) B = {each} n", label=_LOSS, lines=[replace(line, name="measured", paper=paper)])
        )
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


def totals(evidence: Both, _: str) -> Drawing:
    """Draw Figure 9: packets sent and lost in all."""
    end = WINDOWS["T1"][1]
    where = {"counting": CAPPED.title, "processing": WITHOUT, "curve": CURVES["T1"]}
    return panelled(
        [
            Strip(
                title=f"({place}) {measure.name}",
                label="Thousand packets",
                lines=lines(evidence, measure.at("grid", **where), start="T1, "),
                low=None,
            )
            for place, measure in (("a", SENT), ("b", LOST))
        ],
        slug="figure9",
        title="Figure 9. Packets sent and lost in all",
        what=f"All connections over T1 with 50 ms, counted from 0 to {end} s.",
        rest="Sent is what leaves the bottleneck and what is lost there." + _TIES,
        command=run_of(grid_setting(T1, 100, 600, span=(0, end))),
        digits=2,
    )


def throughput(evidence: Both, processing: str) -> Drawing:
    """Draw Figure 11, or Figure 19 with processing time."""
    busy = processing == WITH
    steady = THROUGHPUT.at("grid", counting=STEADY.title, processing=processing, curve=CURVES["T1"])
    far = THROUGHPUT.at("far", processing=processing)
    figure, low = (19, 0.5) if busy else (11, 0.8)
    return panelled(
        [
            Strip(
                title="(a) 200 ms, W_opt = 160",
                label="Throughput",
                lines=[replace(line, name=f"B = {line.name}") for line in lines(evidence, far, by="buffer")],
                low=low,
                high=1.01,
            ),
            Strip(
                title="(b) 50 ms, W_opt = 40",
                label="Throughput",
                lines=lines(evidence, steady, start="T1, "),
                low=low,
                high=1.01,
            ),
        ],
        slug=f"figure{figure}",
        title=f"Figure {figure}. Throughput over T1{_TITLE[processing]}",
        what=f"What leaves the bottleneck, as a share of its rate,{_WITH if busy else ''} over (a) 200 and (b) 50 ms, "
        "after a warm-up.",
        rest="The axis of connections is logarithmic: throughput changes with few of them.",
        command=run_of(far_setting(20, 10, fraction=PROCESSING[processing])),
        along=Axis(
            label="Connections", log=True, low=0.9, high=700, ticks=[(flows, str(flows)) for flows in (1, 10, 100, 600)]
        ),
    )


def goodput(evidence: Both, processing: str) -> Drawing:
    """Draw Figure 12, or Figure 20 with processing time."""
    busy = processing == WITH
    figure, low = (20, 0.6) if busy else (12, 0.85)
    steady, modern = GOODPUT.at("grid", counting=STEADY.title, processing=processing), GOODPUT.at("modern")
    drawn = [(link, "", steady) for link in ("T1", "ISDN")]
    drawn += [] if busy else [(link, ", timers of ns-2.35", modern) for link in ("T1", "ISDN")]
    return panelled(
        [
            Strip(
                title=f"({place}) {link}{words}",
                label="Goodput",
                lines=[line for line in lines(evidence, of, start=f"{link}, ") if line.name.startswith("W_c")],
                low=low,
                high=1.02,
            )
            for place, (link, words, of) in zip("abcd", drawn, strict=False)
        ],
        slug=f"figure{figure}",
        title=f"Figure {figure}. Goodput{_TITLE[processing]}",
        what=f"What receivers had not before, as a share of the bottleneck's rate,{_WITH if busy else ''} after a "
        "warm-up.",
        rest=""
        if busy
        else "The paper finds that it falls with the connections. With a TCP of 1999 it does not; with the timers of "
        "ns-2.35 (c, d), which send again what is not lost, it does.",
        command=command(ISDN, 500, 300, fraction=PROCESSING[processing]),
        height=1.4 + 2.2 * len(drawn),
    )


def few(evidence: Both, processing: str) -> Drawing:
    """Draw Figure 13, or Figure 21 with and without processing time."""
    busy = processing == WITH
    figure, strips = 21 if busy else 13, []
    for place, capacity in zip("ab", FEW, strict=True):
        drawn = []
        for words in dict.fromkeys((WITHOUT, processing)):
            (line,) = lines(evidence, LOSS.at("few", processing=words, curve=[curve(T1, capacity)]))
            power = 1 if words == WITH else 2
            middle = sorted(line.ours)[len(line.ours) // 2]
            claimed = {flows: line.ours[middle].mean * (flows / middle) ** power for flows in line.ours}
            drawn.append(replace(line, name=words.removesuffix("s"), paper={"the paper": claimed}))
        strips.append(Strip(title=f"({place}) W_c = {capacity}", label=_LOSS, lines=drawn))
    drawing = panelled(
        strips,
        slug=f"figure{figure}",
        title=f"Figure {figure}. Loss of few connections{_TITLE[processing]}",
        what=f"Few connections over T1 with 50 ms, without{' and' + _WITH if busy else ' processing time'}, from "
        "50 to 200 s.",
        rest="Dashed, through the point in the middle: growth with the square of the connections, as the paper has it "
        "without processing time, and in proportion to them, as with it.",
        command=command(T1, 100, 20, fraction=PROCESSING[processing]),
        digits=3,
    )
    # The two panels do not count the same connections.
    panels = [replace(panel, x=Axis(label="Connections", low=0)) for panel in drawing.chart.panels]
    return replace(drawing, chart=replace(drawing.chart, panels=panels))


def amount(evidence: Both, _: str) -> Drawing:
    """Draw Figure 16: loss by the longest processing time."""
    return panelled(
        [Strip(title="", label=_LOSS, lines=lines(evidence, LOSS.at("amounts"), by="amount"))],
        slug="figure16",
        title="Figure 16. Loss by the longest processing time",
        what="Connections over T1 with 50 ms and four packets of buffer for each, from 50 to 200 s; the processing "
        "time is uniform up to that share of the round-trip time with a full buffer.",
        rest="",
        command=command(T1, 440, 100, fraction=0.1),
        digits=2,
    )


def hyperbolas(evidence: Both, processing: str, link: str) -> Drawing:
    """Draw Figure 14, or Figure 22 with processing time, of one link: loss, the paper's curves, and the table."""
    busy, fraction, start = processing == WITH, PROCESSING[processing], f"{link}, "
    figure = 22 if busy else 14

    def paper(name: str) -> Mapping[str, Mapping[int, float]]:
        x = [flows for flows in (35, 60, 80, *range(100, 601, 25)) if flows >= capacity_of(name) / 3]
        return {"the paper": dict(zip(x, (100 * printed(fraction, name, x)).tolist(), strict=True))}

    def strip(place: str, reading: Reading) -> Strip:
        of = TABLED_LOSS.at("grid", counting=reading.title, processing=processing, curve=CURVES[link])
        drawn = lines(evidence, of, start=start, paper=paper)
        return Strip(title=f"({place}) {reading.title}", label="Loss (%)", lines=drawn)

    return panelled(
        [strip(place, reading) for place, reading in zip("abc", _READ[link], strict=True)],
        slug=f"figure{figure}-{link.lower()}",
        title=f"Figure {figure} and {TABLES[processing]}. Loss of many connections over {link}{_TITLE[processing]}",
        what=f"Loss at the bottleneck over {link} with 50 ms{_WITH if busy else ''}, counted in three ways "
        "that the paper leaves open.",
        rest=f"Dashed: the paper's hyperbolas, by {TABLES[processing]}." + (_TIES if link == "T1" and not busy else ""),
        command=command(LINKS[link], 100, 600, fraction=fraction),
        numbers=table(evidence, processing, link),
        height=9.6,
    )
