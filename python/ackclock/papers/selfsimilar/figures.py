"""Table 2, the order that it supports, and Figure 4: what is received, by what the connection is given to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import student_interval
from ackclock.papers.figures import HOLLOW, Pen, theirs
from ackclock.papers.reading import DASH, shown
from ackclock.papers.selfsimilar.experiment import DURATION, READINGS, VARIANTS
from ackclock.papers.selfsimilar.looks import MARKS
from ackclock.papers.selfsimilar.paired import PAIRS, TIE, difference, firsts, interval, order
from ackclock.papers.selfsimilar.paper import COUNTS, ROWS, TABLE_2
from ackclock.papers.selfsimilar.tables import csv_text
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.papers.selfsimilar.evidence import Evidence, Side
    from ackclock.papers.selfsimilar.experiment import Reading, Variant

__all__ = ["PENS", "differences", "figure_4", "ranking", "seeds_told", "sentence", "table_2"]

PENS: Final[Mapping[Variant, Pen]] = {
    "tahoe": Pen(colour="grey", marker="down"),
    "newreno": Pen(colour="blue", marker="circle"),
    "vegas": Pen(colour="green", marker="triangle"),
    "sack": Pen(colour="red", marker="square"),
}
"""What each variant looks like."""


def sentence(text: str) -> str:
    """Begin a text with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


def seeds_told(side: Side) -> str:
    """Say how many seeds there are."""
    count = max(len(runs) for runs in side.looks.values())
    return f"{count} seeds" if count > 1 else "one seed"


def table_2(evidence: Evidence) -> Table:
    """Lay Table 2 out: the paper's numbers, and ours and ns-2's under each reading."""
    columns = [(side, reading) for side in (evidence.ours, evidence.ns2) for reading in READINGS.values()]
    measures = {
        **{name: ROWS[name] for name in (*COUNTS, "efficiency")},
        "efficiency_plain": ("efficiency, plain", 4),
        "hurst_k50": ROWS["hurst_k50"],
        "hurst_k1": ("H, K = 1", 2),
    }

    def cell(side: Side, reading: Reading, variant: Variant, measure: str, digits: int) -> str:
        try:
            return shown(interval(side, reading, variant, measure), digits)
        except LookupError:
            return DASH

    return Table(
        caption=f"Table 2: mean ± half-width of the 95 % interval, {seeds_told(evidence.ours)}, by what the fixed-rate "
        "source is. Efficiency is the paper's, arrivals over arrivals, drops and retransmissions; plain: over arrivals "
        "and drops. H is of packets received in 0.1 s, by the paper's method with K lags",
        head=["", "Paper", *map(sentence, READINGS), *(f"ns-2.35, {name}" for name in READINGS)],
        rows=[
            [
                f"{name}, {title}",
                f"{TABLE_2[variant][measure]:,.{digits}f}" if measure in ROWS else "",
                *(cell(side, reading, variant, measure, digits) for side, reading in columns),
            ]
            for variant, name in VARIANTS.items()
            for measure, (title, digits) in measures.items()
        ],
    )


def ranking(evidence: Evidence, *, command: str) -> Drawing:
    """Draw the arrivals of each variant seed by seed, and tell who is first how often."""
    ours, found = evidence.ours, evidence.ns2
    seeds = sorted({each.seed for runs in ours.looks.values() for each in runs})
    panels = []
    for number, reading in enumerate(READINGS.values()):
        last = number == len(READINGS) - 1
        drawn = [
            Series(
                name=name,
                x=[shift + place for place in (0, *(each.seed for each in ours.of(reading, variant)))],
                y=[
                    TABLE_2[variant]["arrivals"] / 1000,
                    *(value / 1000 for value in ours.values(reading, variant, "arrivals")),
                ],
                colour=PENS[variant].colour,
                marker=PENS[variant].marker,
                dash="none",
                size=5,
            )
            for (variant, name), shift in zip(VARIANTS.items(), (-0.24, -0.08, 0.08, 0.24), strict=True)
        ]
        panels.append(
            Panel(
                title=reading.name,
                x=Axis(
                    label="Seed: the same background for all variants" if last else "",
                    low=-0.7,
                    high=max(seeds) + 0.7,
                    ticks=[(0, "paper"), *((seed, f"{seed}") for seed in seeds)],
                ),
                y=Axis(label="Arrivals (thousands)"),
                series=drawn,
            )
        )
    return Drawing(
        chart=Chart(panels=panels, height=7.6),
        slug="ranking",
        title="Who is first? Arrivals seed by seed",
        caption="Packets that reached the receiver in 100 s. Above one seed all variants met the same background; at "
        "the left, what Table 2 prints. Markers of one seed stand side by side, so that equal ones are seen.",
        csv=csv_text(
            ["source", "reading", "variant", "seed", "arrivals"],
            (
                [source, reading.name, variant, each.seed, each.values["arrivals"]]
                for source, side in (("ackclock", ours), ("ns-2.35", found))
                for reading in READINGS.values()
                for variant in VARIANTS
                for each in side.of(reading, variant)
            ),
        ),
        numbers=Table(
            caption="Seeds in which each variant delivers most (where several do, each), and what the runs support: "
            f"differences of more than {100 * TIE:g} % whose paired 95 % interval leaves out zero",
            head=["", *VARIANTS.values(), "Supported"],
            rows=[
                [f"{reading.name}{ending}", *map(str, firsts(side, reading).values()), order(side, reading)]
                for reading in READINGS.values()
                for ending, side in (("", ours), (", ns-2.35", found))
            ],
        ),
        command=command,
    )


def differences(evidence: Evidence, *, command: str) -> Drawing:
    """Draw the differences between variants over the same background, with paired intervals."""
    names = [f"{VARIANTS[first]} - {VARIANTS[second]}" for first, second in PAIRS]
    initials = [f"{VARIANTS[first][0]} - {VARIANTS[second][0]}" for first, second in PAIRS]
    panels = []
    for number, reading in enumerate(READINGS.values()):
        last = number == len(READINGS) - 1
        drawn = []
        for side, shift, filled in ((evidence.ours, -0.1, True), (evidence.ns2, 0.1, False)):
            found = [difference(side, reading, pair).relative for pair in PAIRS]
            drawn.append(
                Series(
                    name="Ackclock" if filled else "ns-2.35",
                    x=[place + shift for place in range(len(PAIRS))],
                    y=[100 * each.mean for each in found],
                    error=[100 * each.half_width for each in found],
                    colour="blue" if filled else "ink",
                    marker="circle",
                    dash="none",
                    filled=filled,
                    size=6,
                )
            )
        panels.append(
            Panel(
                title=reading.name,
                x=Axis(low=-0.6, high=len(PAIRS) - 0.4, ticks=[*enumerate(initials)], label=" " if last else ""),
                y=Axis(label="Arrivals (% of their mean)"),
                series=drawn,
                levels=[Level(y=0, dotted=False)],
            )
        )
    return Drawing(
        chart=Chart(panels=panels, height=7.6),
        slug="differences",
        title="Differences between variants over the same background",
        caption="The first variant's arrivals less the second's, seed by seed: mean and paired 95 % interval "
        "(Student's t), as a part of the mean of both; N, S, V and T are NewReno, SACK, Vegas and Tahoe. "
        "The paper has, in this order, "
        + ", ".join(f"{100 * _printed(pair):+.1f}" for pair in PAIRS)
        + " %, of one run each.",
        csv=csv_text(
            ["source", "reading", "measure", "first", "second", "seeds", "difference", "ci95", "unpaired_ci95"],
            (
                [
                    source,
                    reading.name,
                    measure,
                    *pair,
                    found.difference.count,
                    found.difference.mean,
                    found.difference.half_width,
                    found.unpaired_half_width,
                ]
                for source, side in (("ackclock", evidence.ours), ("ns-2.35", evidence.ns2))
                for reading in READINGS.values()
                for measure in ("arrivals", "drops", "retransmissions", "acks", "efficiency", "hurst_k50")
                for pair in PAIRS
                for found in [difference(side, reading, pair, measure).comparison]
            ),
        ),
        numbers=Table(
            caption="Arrivals, first less second: mean ± half-width of the paired 95 % interval",
            head=["", *names],
            rows=[
                [
                    f"{reading.name}{ending}",
                    *(shown(difference(side, reading, pair).comparison.difference, 0) for pair in PAIRS),
                ]
                for reading in READINGS.values()
                for ending, side in (("", evidence.ours), (", ns-2.35", evidence.ns2))
            ],
        ),
        command=command,
    )


def _printed(pair: tuple[Variant, Variant]) -> float:
    """Give a difference of the paper's arrivals, as a part of the mean of both."""
    first, second = (TABLE_2[variant]["arrivals"] for variant in pair)
    return 2 * (first - second) / (first + second)


def figure_4(evidence: Evidence, *, command: str) -> Drawing:
    """Draw the throughput up to each second: the mean of all seeds, with its interval."""
    ours, found = evidence.ours, evidence.ns2
    marks = [mark for mark in MARKS if mark >= 10]
    seconds = np.arange(1, DURATION + 1)
    panels = []
    for number, reading in enumerate(READINGS.values()):
        lines, bands = [], []
        for variant, name in VARIANTS.items():
            curves = np.array([each.rates for each in ours.of(reading, variant)])
            points = [student_interval(column) for column in curves.T]
            means = np.array([point.mean for point in points])
            half = np.array([point.half_width for point in points])
            half = np.where(np.isfinite(half), half, 0)
            colour = PENS[variant].colour
            lines.append(Series(name=name, x=seconds, y=means, colour=colour))
            bands.append(Band(name=name, x=seconds, low=means - half, high=means + half, colour=colour, listed=False))
            theirs_at = {mark: interval(found, reading, variant, f"rate_{mark}") for mark in marks}
            lines.append(theirs(name, theirs_at, PENS[variant]))
        panels.append(
            Panel(
                title=reading.name,
                x=Axis(label="Time (s)" if number == len(READINGS) - 1 else "", low=0, high=DURATION),
                y=Axis(label="Throughput so far (Mb/s)", low=0),
                series=[*lines, HOLLOW],
                bands=bands,
            )
        )
    return Drawing(
        chart=Chart(panels=panels, height=8.6),
        slug="figure4",
        title="Figure 4. Throughput of TCP variants",
        caption="Data received from 0 s up to each time over that time, 1000 bytes a packet. Lines are means of "
        f"{seeds_told(ours)} with bands for the 95 % interval (Student's t); hollow markers are means of "
        f"{seeds_told(found)} of ns-2.35. The paper shows one run.",
        csv=csv_text(
            ["source", "reading", "variant", "time", "seeds", "rate", "ci95"],
            (
                [source, reading.name, variant, mark, point.count, point.mean, point.half_width]
                for source, side in (("ackclock", ours), ("ns-2.35", found))
                for reading in READINGS.values()
                for variant in VARIANTS
                for mark in MARKS
                for point in [interval(side, reading, variant, f"rate_{mark}")]
            ),
        ),
        numbers=Table(
            caption="Throughput up to so many seconds (Mb/s): mean ± half-width of the 95 % interval",
            head=["", *(f"{mark} s" for mark in (5, 20, 50, 100))],
            rows=[
                [
                    f"{VARIANTS[variant]}, {reading.name}",
                    *(shown(interval(ours, reading, variant, f"rate_{mark}"), 2) for mark in (5, 20, 50, 100)),
                ]
                for reading in READINGS.values()
                for variant in VARIANTS
            ],
        ),
        command=command,
    )
