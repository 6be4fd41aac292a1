"""Table 1 drawn: traffic bin by bin at four time scales, what it varies by over scales, and over numbers of sources."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis import poisson_cov
from ackclock.papers.figures import Pen, own
from ackclock.papers.observation import seeds_of
from ackclock.papers.reading import along, at
from ackclock.papers.selfsimilar.load_figures import load_drawings
from ackclock.papers.selfsimilar.scales import TOTAL, variance
from ackclock.papers.selfsimilar.tables import csv_text, numbers
from ackclock.papers.selfsimilar.traffic import COUNTS, KINDS, LADDER, NOISE, ON_OFF, PANELS, POISSON
from ackclock.report.chart import Axis, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation
    from ackclock.papers.selfsimilar.scales import Scales

__all__ = ["scales_drawings"]

_PENS: Final[Mapping[str, Pen]] = {
    POISSON: Pen(colour="blue", marker="square"),
    ON_OFF: Pen(colour="red", marker="circle"),
    NOISE: Pen(colour="green", marker="triangle"),
}

_LABELS: Final = {"cov": "C.o.v.", "dispersion": "Index of dispersion", "peak": "Peak / mean"}

_APART: Final = 112
"""Bins from the first of one kind of traffic to the first of the next, where they stand side by side."""

_MULTIPLEXED: Final = (0.1, 10.0)
"""Seconds: the time scales at which numbers of sources are compared."""

_POWERS: Final = ((0.01, "0.01"), (0.1, "0.1"), (1.0, "1"), (10.0, "10"))


def scales_drawings(scales: Scales, *, command: str) -> list[Drawing]:
    """Draw Table 1 and the Hurst parameter with respect to load.

    Parameters
    ----------
    scales
        Our runs.
    command
        What a person types to make them.

    """
    return [
        _bins(scales, command=command),
        _ladder(scales, command=command),
        _multiplexing(scales, command=command),
        *load_drawings(scales.loads, scales.times, command=command),
    ]


def _bins(scales: Scales, *, command: str) -> Drawing:
    panels = [
        Panel(
            title=f"({letter}) bins of {scale:g} s",
            x=Axis(
                label="100 bins of each" if scale == PANELS[-1] else "",
                low=-4,
                high=_APART * len(KINDS),
                ticks=[(_APART * place + 50, kind) for place, kind in enumerate(KINDS)],
            ),
            y=Axis(label="Packets / mean", low=0.2, high=1.8),
            series=[
                Series(
                    name=kind,
                    x=_APART * place + np.arange(100),
                    y=scales.panels[kind][scale] / (TOTAL * scale),
                    colour=_PENS[kind].colour,
                    width=0.9,
                    listed=False,
                )
                for place, kind in enumerate(KINDS)
            ],
        )
        for letter, scale in zip("abcd", PANELS, strict=True)
    ]
    rows = [[f"{scale:g}", *(_spread(scales.panels[kind][scale]) for kind in KINDS)] for scale in PANELS]
    head = ["bin_s", "number", *KINDS]
    data = [
        [f"{scale:g}", place, *packets]
        for scale in PANELS
        for place, packets in enumerate(zip(*(scales.panels[kind][scale] for kind in KINDS), strict=True))
    ]
    return Drawing(
        chart=Chart(height=7.6, panels=panels),
        slug="time-scales",
        title="Table 1, peaks. The same traffic at four time scales",
        caption=f"Packets in bins of 0.01 to 10 s over their mean, of one run each of traffic with {TOTAL:,} packets "
        "a second: 40 Poisson sources, 40 on/off sources with the paper's Pareto periods, and a source whose rate is "
        "fractional Gaussian noise with H = 0.9. With longer bins Poisson traffic becomes flat; the others do not.",
        csv=csv_text(head, data),
        numbers=Table(
            caption="Least and most packets in a bin over the mean, of the bins that are drawn",
            head=["Bin (s)", *KINDS],
            rows=rows,
        ),
        command=command,
    )


def _spread(packets: np.ndarray) -> str:
    mean = packets.mean()
    return f"{packets.min() / mean:.2f} to {packets.max() / mean:.2f}"


def _ladder(scales: Scales, *, command: str) -> Drawing:
    found = {
        (name, kind): {scale: at(scales.times, kind, 40, f"{name}_{scale:g}") for scale in LADDER}
        for name in _LABELS
        for kind in KINDS
    }
    exact = Series(
        name="Poisson, exact",
        x=LADDER,
        y=poisson_cov(TOTAL * np.array(LADDER)),
        colour="ink",
        dash="dotted",
    )
    panels = [
        Panel(
            title=f"({letter}) {title}",
            x=Axis(label="Bin (s)" if name == "peak" else "", log=True, ticks=_POWERS),
            y=Axis(label=label, log=name != "peak"),
            series=[
                *(own(kind, found[name, kind], _PENS[kind]) for kind in KINDS),
                *([exact] if name == "cov" else []),
            ],
            levels=[Level(y=1)] if name == "dispersion" else [],
        )
        for letter, (name, label), title in zip(
            "abc",
            _LABELS.items(),
            ("standard deviation over mean", "variance over mean", "the largest over the mean"),
            strict=True,
        )
    ]
    rows = [
        [f"{scale:g}", *(found[name, kind][scale].shown(digits) for name, digits in _DIGITS.items() for kind in KINDS)]
        for scale in LADDER
    ]
    return Drawing(
        chart=Chart(height=8.6, panels=panels),
        slug="scales-of-burstiness",
        title="Table 1, peaks. What traffic varies by over time scales",
        caption=f"The traffic of the figure above over 1000 s, means of {seeds_of(scales.times)} seeds with 95 % "
        "intervals (Student's t). Dotted: 1 / √mean, the c.o.v. of Poisson traffic. The variance is taken about the "
        "run's own mean, which of n bins of self-similar traffic lacks about n^(2H - 2) of it: 40 % of a hundred bins "
        "with H = 0.9. Periods of on/off sources have no variance, so that what is measured settles slowly.",
        csv=csv_text(
            ["measure", "kind", "bin_s", "mean", "ci95"],
            [
                [name, kind, f"{scale:g}", *numbers(interval)]
                for (name, kind), points in found.items()
                for scale, interval in points.items()
            ],
        ),
        numbers=Table(
            caption="Mean ± half-width of the 95 % interval",
            head=["Bin (s)", *(f"{_LABELS[name]}, {kind}" for name in _DIGITS for kind in KINDS)],
            rows=rows,
        ),
        command=command,
    )


_DIGITS: Final = {"cov": 4, "dispersion": 2, "peak": 2}


def _multiplexing(scales: Scales, *, command: str) -> Drawing:
    measures: dict[str, tuple[Sequence[Observation], Callable[[float], str | Callable[[Observation], float]], str]] = {
        "sources of one rate each: c.o.v.": (scales.alike, lambda scale: f"cov_{scale:g}", "C.o.v."),
        "sources that share a rate: c.o.v.": (scales.shared, lambda scale: f"cov_{scale:g}", "C.o.v."),
        "sources of one rate each: variance": (
            scales.alike,
            lambda scale: lambda run: variance(run, scale),
            "Packets²",
        ),
    }
    found: dict[tuple[str, str, float], dict[int, Interval]] = {
        (title, kind, scale): along(runs, kind, COUNTS, measure(scale))
        for title, (runs, measure, _) in measures.items()
        for kind in (POISSON, ON_OFF)
        for scale in _MULTIPLEXED
    }
    ticks = [(count, str(count)) for count in COUNTS]
    panels = [
        Panel(
            title=f"({letter}) {title}",
            x=Axis(log=True, ticks=ticks),
            y=Axis(label=label, log=True),
            series=[
                own(f"{kind}, {scale:g} s", found[title, kind, scale], _pen(kind, scale))
                for kind in (POISSON, ON_OFF)
                for scale in _MULTIPLEXED
            ],
        )
        for letter, (title, (_, _, label)) in zip("abc", measures.items(), strict=True)
    ]
    memory = {kind: along(scales.alike, kind, COUNTS, "local Whittle 0.1") for kind in (POISSON, ON_OFF)}
    panels.append(
        Panel(
            title="(d) sources of one rate each: Hurst parameter in bins of 0.1 s",
            x=Axis(label="Sources", log=True, ticks=ticks),
            y=Axis(label="H, local Whittle", low=0.4, high=1.1),
            series=[own(f"{kind}, 0.1 s", points, _PENS[kind]) for kind, points in memory.items()],
        )
    )
    cells = [(f"{title}, {kind}, {scale:g} s", points) for (title, kind, scale), points in found.items()]
    cells += [(f"Hurst parameter, {kind}", points) for kind, points in memory.items()]
    return Drawing(
        chart=Chart(height=10.4, panels=panels),
        slug="multiplexing",
        title="Table 1, multiplexing. What more sources do",
        caption="In bins of 0.1 s and of 10 s over 400 s; means of "
        f"{seeds_of(scales.alike)} seeds with 95 % intervals. (a) Each source has the paper's rate: relative peaks "
        "fall as 1 / √sources, with memory as without. (b) All sources together "
        f"have {TOTAL:,} packets a second: Poisson traffic is the same however it is divided, on/off traffic becomes "
        "smoother, in short bins up to where packets at equal intervals show. (c) In packets the peaks grow. (d) The "
        "memory stays, so time smooths no more than before.",
        csv=csv_text(
            ["measure", "sources", "mean", "ci95"],
            [[name, count, *numbers(interval)] for name, points in cells for count, interval in points.items()],
        ),
        numbers=Table(
            caption="Mean ± half-width of the 95 % interval",
            head=["Measure", *(f"{count} sources" for count in COUNTS)],
            rows=[[name, *(_short(points[count]) for count in COUNTS)] for name, points in cells],
        ),
        command=command,
    )


def _pen(kind: str, scale: float) -> Pen:
    pen = _PENS[kind]
    paler = {"blue": "sky", "red": "orange"}
    return pen if scale == _MULTIPLEXED[0] else Pen(colour=paler[pen.colour], marker=pen.marker, dash="dashed")


def _short(interval: Interval) -> str:
    """Write a mean with three digits, and the half-width if there is one: from cell to cell sizes differ much."""
    known = math.isfinite(interval.half_width)
    return f"{interval.mean:.3g} ± {interval.half_width:.2g}" if known else f"{interval.mean:.3g}"
