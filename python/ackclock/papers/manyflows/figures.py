"""Figures 7, 9, 11 to 14, 16 and 19 to 22: loss, throughput and goodput against the number of connections."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ackclock.analysis import Interval
from ackclock.analysis.models import Hyperbola, hyperbola, large_pipe_loss
from ackclock.drawing.chart import Axis, Band, Dash, Series
from ackclock.papers.core.evidence import Evidence, Scalar, Side
from ackclock.papers.core.figure import Figure, Lines, Plot, csv_text, powers
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.words import DASH
from ackclock.papers.manyflows import measures as m
from ackclock.papers.manyflows import places as p
from ackclock.papers.manyflows.experiment import CAPACITIES, ISDN, LINKS, T1
from ackclock.papers.manyflows.measures import LOST_PART, OVER_PAPER
from ackclock.report.html import Table

Points = Mapping[float, Interval]
Curve = Mapping[float, float]


def _lines(of: Measure, side: Side, reading: p.Reading, processing: str, link: str) -> dict[str, dict[Scalar, float]]:
    with suppress(LookupError):
        found = of.at("grid", counting=reading.title, processing=processing, curve=p.CURVES[link]).points(side)
        lines = found.map(lambda point: point.mean).along("connections").cells
        return {str(name): line for (name,), line in lines.items()}
    return {}


def fits(side: Side, reading: p.Reading, processing: str, link: str) -> dict[str, Hyperbola]:
    """Fit a hyperbola to the mean losses of each curve with three points or more."""
    return {
        name: hyperbola(connections=list(line), loss=list(line.values()))
        for name, line in _lines(LOST_PART, side, reading, processing, link).items()
        if len(line) > 2
    }


def away(side: Side, reading: p.Reading, processing: str, link: str) -> dict[str, list[float]]:
    """Return the ratio of the mean loss to the paper's curve at each point, by the name of the curve."""
    return {name: list(line.values()) for name, line in _lines(OVER_PAPER, side, reading, processing, link).items()}


def table(evidence: Evidence, *, processing: str, link: str) -> Table:
    rows = []
    for reading in p.READINGS:
        mine, theirs = (fits(side, reading, processing, link) for side in (evidence.ours, evidence.ns2))
        ratios = away(evidence.ours, reading, processing, link)
        for name, fit in mine.items():
            a, b = p.PAPER[processing][name]
            rms = np.sqrt(np.mean([(1 / ratio - 1) ** 2 for ratio in ratios[name]]))
            other = f"{_number(theirs[name].a, 1)}, {_number(theirs[name].b, 3)}" if name in theirs else DASH
            bounds = (_bounded(fit.a, fit.a_bounds, 1), _bounded(fit.b, fit.b_bounds, 3))
            words = f"{name.removeprefix(f'{link}, ')}, {reading.title}"
            rows.append([words, f"{a:.1f}", f"{b:.4f}", *bounds, f"{fit.rms:.3f}", f"{rms:.3f}", other])
    return p.DEFINITION.laid_out("hyperbolas", rows, table=p.TABLES[processing])


def overview(evidence: Evidence) -> Table:
    """Make the table that compares each way of counting with the paper's tables, for both simulators."""
    columns = [(processing, link) for processing in p.TABLES for link in LINKS]
    rows = [
        [f"{name}, {reading.title}", *(_near(side, reading, *column) for column in columns)]
        for reading in p.READINGS
        for name, side in (("Ackclock", evidence.ours), ("ns-2.35", evidence.ns2))
    ]
    return p.DEFINITION.laid_out("overview", [row for row in rows if set(row[1:]) != {DASH}])


def _near(side: Side, reading: p.Reading, processing: str, link: str) -> str:
    found = [ratio for line in away(side, reading, processing, link).values() for ratio in line]
    return (
        f"{sum(abs(ratio - 1) <= p.NEAR for ratio in found)} of {len(found)}; {np.median(found):.2f}" if found else DASH
    )


def _bounded(value: float, bounds: tuple[float, float], digits: int) -> str:
    low, high = (_number(bound, digits) for bound in bounds)
    return f"{_number(value, digits)} ({low} to {high})"


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if np.isfinite(value) else "∞"


_COLOURS = tuple(p.DEFINITION.pens("curves").values())
_LINES = (
    {f"B = {each} n": "measured" for each in p.PACKETS_EACH},
    {p.curve(T1, capacity): f"W_c {capacity}" for capacity in CAPACITIES},
    {p.curve(ISDN, capacity): f"W_c {capacity}" for capacity in CAPACITIES},
    {str(buffer): f"B = {buffer}" for buffer in p.BUFFERS},
    {words: words.removesuffix("s") for words in p.PROCESSING},
    {f"{100 * amount:g} %": f"{100 * amount:g} %" for amount in p.AMOUNTS},
)  # names of curves in legends, by the coordinate
_NAMES = {at: name for line in _LINES for at, name in line.items()}
_PENS = {name: pen for line in _LINES for name, pen in zip(dict.fromkeys(line.values()), _COLOURS, strict=False)}

_DASHES: tuple[Dash, ...] = ("dashed", "dotted", "solid")
_BANDS = (
    "Points are means of {runs}, bands their 95 % confidence intervals (Student's t); hollow markers are single runs "
    "of ns-2.35."
)
_READ = {
    "T1": (p.CAPPED, p.STEADY, p.TOGETHER),
    "ISDN": (p.UNCAPPED, p.CAPPED, p.STEADY),
}  # panels, the closest to the paper first


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """A panel of curves over the number of connections, from both simulators and from the paper.

    `exact` returns the paper's curves by name for one of our curves. Without `low` or `high`, the data determine this
    end of the vertical axis.
    """

    title: str
    of: Quantity
    label: str = "Loss (% of arrivals)"
    by: str = "curve"
    exact: Callable[[str, Points], Mapping[str, Curve]] = lambda *_: {}
    low: float | None = 0.0
    high: float | None = None

    @property
    def lines(self) -> Lines:
        named = self.of.relabel(self.by, _NAMES)
        return Lines(of=named, x="connections", by=self.by, pens=_PENS, band=True)

    def series(self, evidence: Evidence) -> list[Series | Band]:
        drawn: list[Series | Band] = []
        for name, points in self.lines.lines(evidence.ours).items():
            curves = self.exact(name, points)
            several = len(curves) > 1
            for words, dash in zip(curves, _DASHES, strict=False):
                drawn.append(
                    Series(
                        name=words,
                        x=list(curves[words]),
                        y=list(curves[words].values()),
                        colour="faint" if several else _PENS[name].colour,
                        dash=dash,
                        width=1.0,
                        listed=several,
                        group=words if several else name,
                    )
                )
        if any(isinstance(one, Series) and not one.listed for one in drawn):
            drawn.append(
                Series(name="dashed: the paper", x=[math.nan], y=[math.nan], colour="ink", dash="dashed", width=1.0)
            )
        return [*drawn, *self.lines.series(evidence)]

    def plot(self, x: Axis) -> Plot:
        def y(evidence: Evidence) -> Axis:
            every = [one.y for one in self.series(evidence) if isinstance(one, Series)]
            return Axis(
                label=self.label, low=self.low, high=self.high or 1.12 * float(np.nanmax(np.concatenate(every)))
            )

        return Plot(title=self.title, x=x, y=y, marks=[self])

    def rows(self, evidence: Evidence) -> list[list[object]]:
        ours, theirs = (self.lines.lines(side) for side in (evidence.ours, evidence.ns2))
        rows: list[list[object]] = []
        for name, points in ours.items():
            at = [self.title, name]
            for source, found in (("ackclock", points), ("ns-2.35", theirs.get(name, {}))):
                rows += [
                    [*at, source, flows, point.count, point.mean, point.half_width] for flows, point in found.items()
                ]
            for words, exact in self.exact(name, points).items():
                rows += [[*at, words, flows, "", value, ""] for flows, value in exact.items()]
        return rows


def _csv(strips: Sequence[Strip], evidence: Evidence) -> str:
    head = ["panel", "curve", "source", "connections", "runs", "value", "ci95"]
    return csv_text(head, (row for strip in strips for row in strip.rows(evidence)))


def _numbers(strips: Sequence[Strip], digits: int, evidence: Evidence) -> Table:
    lines = {strip.title: strip.lines.lines(evidence.ours) for strip in strips}
    names = list(dict.fromkeys(name for here in lines.values() for name in here))
    rows = [
        [
            f"{title}: {flows:g}",
            *(here[name][flows].shown(digits) if flows in here.get(name, {}) else DASH for name in names),
        ]
        for title, here in lines.items()
        for flows in sorted({flows for points in here.values() for flows in points})
    ]
    caption = "Mean ± half-width of the 95 % interval, by panel and number of connections"
    return Table(caption=caption, head=["", *names], rows=rows)


def _stack(strips: Sequence[Strip], *, slug: str, digits: int = 3, along: Axis | None = None) -> Figure:
    """Make a figure of stacked panels; `along` replaces the horizontal axis, which starts at 0 connections."""
    axis = along or Axis(label="Connections", low=0)
    return Figure(
        **p.DEFINITION.figure(slug),
        points=_BANDS,
        plots=[*(strip.plot(replace(axis, label="", ticks=None)) for strip in strips[:-1]), strips[-1].plot(axis)],
        counted=strips[0].of,
        numbers=partial(_numbers, strips, digits),
        csv=partial(_csv, strips),
    )


def _predicted(each: int, *_: object) -> dict[str, Curve]:
    x = np.array([*range(10, 60, 5), *range(60, 310, 20), 300])
    laws = large_pipe_loss(window=each + T1.pipe / x, smooth=True)
    return {
        law: dict(zip(x.tolist(), (100 * getattr(laws, law)).tolist(), strict=True))
        for law in ("printed", "corrected", "counted")
    }


PREDICTION = _stack(
    [
        Strip(
            title=f"({place}) B = {each} n",
            of=m.LOSS.at("predicted", curve=[f"B = {each} n"]),
            exact=partial(_predicted, each),
        )
        for place, each in zip("ab", p.PACKETS_EACH, strict=True)
    ],
    slug="figure7",
    digits=2,
)

TOTALS = _stack(
    [
        Strip(
            title=f"({place}) {measure.name}",
            label="Thousand packets",
            of=measure.at("grid", counting=p.CAPPED.title, processing=p.WITHOUT, curve=p.CURVES["T1"]),
            low=None,
        )
        for place, measure in (("a", m.SENT), ("b", m.LOST))
    ],
    slug="figure9",
    digits=2,
)

AMOUNT = _stack([Strip(title="", of=m.LOSS.at("amounts"), by="amount")], slug="figure16", digits=2)


def of_many(processing: str) -> list[Figure]:
    return [
        _throughput(processing),
        _goodput(processing),
        _few(processing),
        *(_hyperbolas(processing, link) for link in LINKS),
    ]


def _throughput(processing: str) -> Figure:
    """Make Figure 11, or Figure 19 with processing time."""
    busy = processing == p.WITH
    figure, low = (19, 0.5) if busy else (11, 0.8)
    drawn = {
        ("(a) 200 ms, W_opt = 160", "buffer"): m.THROUGHPUT.at("far", processing=processing),
        ("(b) 50 ms, W_opt = 40", "curve"): m.THROUGHPUT.at(
            "grid", counting=p.STEADY.title, processing=processing, curve=p.CURVES["T1"]
        ),
    }
    return _stack(
        [Strip(title=title, label="Throughput", of=of, by=by, low=low, high=1.01) for (title, by), of in drawn.items()],
        slug=f"figure{figure}",
        along=powers("Connections", 0.9, 700, (1, 10, 100, 600)),
    )


def _goodput(processing: str) -> Figure:
    """Make Figure 12, or Figure 20 with processing time."""
    busy = processing == p.WITH
    figure, low = (20, 0.6) if busy else (12, 0.85)
    drawn = {
        f"{link}{words}": m.GOODPUT.at(part, **where, curve=p.CURVES[link])
        for part, words, where in (
            ("grid", "", {"counting": p.STEADY.title, "processing": processing}),
            *(() if busy else (("modern", ", timers of ns-2.35", {}),)),
        )
        for link in ("T1", "ISDN")
    }
    return _stack(
        [
            Strip(title=f"({place}) {title}", label="Goodput", of=of, low=low, high=1.02)
            for place, (title, of) in zip("abcd", drawn.items(), strict=False)
        ],
        slug=f"figure{figure}",
    )


def _growth(name: str, points: Points) -> dict[str, Curve]:
    """Return the paper's power law of the number of connections, through the middle point."""
    power = 1 if name == _NAMES[p.WITH] else 2
    middle = sorted(points)[len(points) // 2]
    return {"the paper": {int(flows): points[middle].mean * (flows / middle) ** power for flows in points}}


def _few(processing: str) -> Figure:
    """Make Figure 13, or Figure 21, which has runs with and without processing time."""
    figure = 21 if processing == p.WITH else 13
    strips = [
        Strip(
            title=f"({place}) W_c = {capacity}",
            of=m.LOSS.at("few", processing=list(dict.fromkeys((p.WITHOUT, processing))), curve=p.curve(T1, capacity)),
            by="processing",
            exact=_growth,
        )
        for place, capacity in zip("ab", p.FEW, strict=True)
    ]
    stacked = _stack(strips, slug=f"figure{figure}")
    # the two panels have different horizontal axes
    return replace(stacked, plots=[strip.plot(Axis(label="Connections", low=0)) for strip in strips])


def _hyperbolas(processing: str, link: str) -> Figure:
    """Make Figure 14, or Figure 22 with processing time, for one link: loss, the paper's curves, and the table."""
    figure = 22 if processing == p.WITH else 14

    def paper(name: str, _: Points) -> dict[str, Curve]:
        whole = f"{link}, {name}"
        x = [flows for flows in (35, 60, 80, *range(100, 601, 25)) if flows >= p.capacity_of(whole) / 3]
        return {"the paper": dict(zip(x, (100 * p.printed(processing, whole, x)).tolist(), strict=True))}

    stacked = _stack(
        [
            Strip(
                title=f"({place}) {reading.title}",
                label="Loss (%)",
                of=m.TABLED_LOSS.at("grid", counting=reading.title, processing=processing, curve=p.CURVES[link]),
                exact=paper,
            )
            for place, reading in zip("abc", _READ[link], strict=True)
        ],
        slug=f"figure{figure}-{link.lower()}",
    )
    return replace(stacked, numbers=partial(table, processing=processing, link=link))
