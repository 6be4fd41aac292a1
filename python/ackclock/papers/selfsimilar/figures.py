"""Table 2, the order of the variants that the runs support, Figure 4, and functions shared by the study's figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np

from ackclock.analysis import Interval, compare_paired
from ackclock.drawing.chart import Axis, Level, Panel, Series
from ackclock.papers.core.evidence import Evidence, Row, Side
from ackclock.papers.core.figure import Figure, Lines, Pen, Plot, csv_text, dots, sources
from ackclock.papers.core.marks import theirs
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.paired import lead
from ackclock.papers.core.paper import Both
from ackclock.papers.core.words import DASH
from ackclock.papers.selfsimilar import measures
from ackclock.papers.selfsimilar.experiment import DEFINITION, DURATION, READINGS, TABLE_2, VARIANTS
from ackclock.papers.selfsimilar.flow_measures import MARKS
from ackclock.papers.truth import YES
from ackclock.report.html import Statement, Table
from ackclock.values.words import capital, listed

PENS: Final = DEFINITION.pens("variants")
"""Colour and marker of each variant."""

_PAIRS: Final = tuple(combinations(("NewReno", "SACK", "Vegas", "Tahoe"), 2))
"""The pairs of variants whose differences are shown: the first minus the second."""

LAST = list(READINGS)[-1]
CAPTIONS: Final = DEFINITION.table("captions")
KEYS = {name: key for key, name in VARIANTS.items()}
"""Names of the variants in CSV files, by their displayed names."""


def endings(both: Both) -> tuple[tuple[str, Side], ...]:
    """Return suffixes of the names of rows, with the runs that these rows show."""
    return ("", both.ours), (", ns-2.35", both.ns2)


def settings() -> Iterator[tuple[str, str]]:
    return ((reading, variant) for reading in READINGS for variant in KEYS)


def runs_of(side: Side, reading: str, variant: str) -> list[Row]:
    """Return the runs of a setting, in the order of their seeds."""
    where = {"reading": reading, "variant": variant}
    return [row for row in side.part("flows") if row.where == where]


def points_of(side: Side, measure: Measure, part: str = "flows") -> Mapping[tuple[str, str], Interval]:
    """Return the means of a measure by reading and variant, without settings at which no run has it."""
    with suppress(LookupError):
        grid = measure.at(part).points(side)
        return {(str(reading), str(variant)): point for (reading, variant), point in grid.cells.items()}
    return {}


def _shown(side: Side, measure: Measure) -> Mapping[tuple[str, str], str]:
    """Format the means of a measure by reading and variant, with a dash if no run has it."""
    found = {key: point.shown(measure.digits) for key, point in points_of(side, measure).items()}
    return defaultdict(lambda: DASH, found)


def _seeds(side: Side) -> str:
    count = len({row.seed for row in side.part("flows")})
    return f"{count} seeds" if count > 1 else "one seed"


def _by_reading(both: Both, caption: str, head: Sequence[str], cells: Callable[[Side, str], Sequence[str]]) -> Table:
    """Lay out a row for each reading and simulator."""
    rows = [[f"{reading}{ending}", *cells(side, reading)] for reading in READINGS for ending, side in endings(both)]
    return Table(caption=caption, head=["", *head], rows=rows)


def time_axis(reading: str) -> Axis:
    return Axis(label="Time (s)" if reading == LAST else "", low=0, high=DURATION)


def table_2(both: Both) -> Table:
    """Lay out Table 2: the paper's numbers, and means of our runs and of ns-2's under each reading."""
    counted = (measures.ARRIVALS, measures.DROPS, measures.RETRANSMISSIONS, measures.ACKS)
    rates = (measures.EFFICIENCY, measures.PLAIN, measures.HURST, measures.HURST_1)
    found = {measure: [_shown(side, measure) for _, side in sources(both)] for measure in (*counted, *rates)}
    rows = []
    for variant in KEYS:
        for measure, columns in found.items():
            printed = TABLE_2[variant].get(measure.name)
            cells = (shown[reading, variant] for shown in columns for reading in READINGS)
            paper = "" if printed is None else f"{printed:,.{measure.digits}f}"
            rows.append([f"{variant}, {measure.label}", paper, *cells])
    return Table(
        caption=CAPTIONS["table2"].format(seeds=_seeds(both.ours)),
        head=["", "Paper", *map(capital, READINGS), *(f"ns-2.35, {name}" for name in READINGS)],
        rows=rows,
    )


def _order(side: Side, reading: str) -> str:
    """Describe the order that the runs support; only clear leads are included."""
    arrivals, said = measures.ARRIVALS.at("flows", reading=reading), []
    for variant in KEYS:
        ahead = lead(arrivals, "variant", variant, relative=True).above(measures.TIE)
        below = [str(other) for (other,), answer in ahead.on(side).cells.items() if answer is YES]
        said += [f"{variant} above {listed(below)}"] if below else []
    return "; ".join(said) or "none"


def supported(both: Both) -> Statement:
    """Describe the order of the variants that the runs support, for each reading."""
    orders = "; ".join(f"{reading}: {_order(both.ours, reading)}" for reading in READINGS)
    return Statement(
        lead="Order of the variants that the runs support, by arrivals over the same backgrounds.",
        text=f"{capital(orders)}.",
    )


def _firsts(side: Side, reading: str) -> list[str]:
    """Count the seeds in which each variant delivers most; ties count for each variant."""
    rows = np.array([[row.values["arrivals"] for row in runs_of(side, reading, variant)] for variant in KEYS])
    return [f"{count}" for count in (rows == rows.max(axis=0)).sum(axis=1)]


def _ranked(reading: str, both: Both) -> Panel:
    """Draw the arrivals of each variant seed by seed, with the paper's numbers at the left."""
    seeds = sorted({row.seed for row in both.ours.part("flows")})
    drawn = []
    for (variant, pen), shift in zip(PENS.items(), (-0.24, -0.08, 0.08, 0.24), strict=True):
        runs = runs_of(both.ours, reading, variant)
        arrivals = [TABLE_2[variant]["arrivals"], *(row.values["arrivals"] for row in runs)]
        x = [shift + place for place in (0, *(row.seed for row in runs))]
        drawn.append(dots(variant, x, [number / 1000 for number in arrivals], pen, size=5))
    label = "Seed: the same background for all variants" if reading == LAST else ""
    ticks = [(0, "paper"), *((seed, f"{seed}") for seed in seeds)]
    across = Axis(label=label, low=-0.7, high=max(seeds) + 0.7, ticks=ticks)
    return Panel(title=reading, x=across, y=Axis(label="Arrivals (thousands)"), series=drawn)


RANKING = Figure(
    **DEFINITION.figure("ranking"),
    plots=[partial(_ranked, reading) for reading in READINGS],
    height=7.6,
    csv=lambda both: csv_text(
        ["source", "reading", "variant", "seed", "arrivals"],
        (
            [source, reading, KEYS[variant], row.seed, row.values["arrivals"]]
            for source, side in sources(both)
            for reading, variant in settings()
            for row in runs_of(side, reading, variant)
        ),
    ),
    numbers=lambda both: _by_reading(
        both,
        CAPTIONS["ranking"],
        [*KEYS, "Supported order"],
        lambda side, reading: [*_firsts(side, reading), _order(side, reading)],
    ),
)


def beside(
    title: str, names: Sequence[str], y: Axis, both: Both, points: Callable[[Side], Sequence[Interval]], *, last: bool
) -> Panel:
    """Draw categories: our means with intervals, and ns-2's next to them."""
    drawn = []
    for name, side, shift, colour in (("Ackclock", both.ours, -0.1, "blue"), ("ns-2.35", both.ns2, 0.1, "ink")):
        found, pen = points(side), Pen(colour=colour, marker="circle")
        places, means = [place + shift for place in range(len(found))], [point.mean for point in found]
        error = [point.half_width for point in found]
        drawn.append(dots(name, places, means, pen, error=error, filled=colour == "blue", size=6))
    x = Axis(low=-0.6, high=len(names) - 0.4, ticks=[*enumerate(names)], label=" " if last else "")
    levels = [] if y.log or y.low == 0 else [Level(y=0, dotted=False)]
    return Panel(title=title, x=x, y=y, series=drawn, levels=levels)


def _leads(side: Side, reading: str, *, relative: bool) -> list[Interval]:
    arrivals = measures.ARRIVALS.at("flows", reading=reading)
    pairs = (lead(arrivals, "variant", first, others=[second], relative=relative) for first, second in _PAIRS)
    return [point for pair in pairs for point in pair.points(side).cells.values()]


def _differences(reading: str, both: Both) -> Panel:
    initials = [f"{first[0]} - {second[0]}" for first, second in _PAIRS]
    points = partial(_leads, reading=reading, relative=True)
    y = Axis(label="Arrivals (% of their mean)")
    return beside(reading, initials, y, both, points, last=reading == LAST)


def _compared(both: Both) -> Iterator[list[object]]:
    for source, side in sources(both):
        for reading in READINGS:
            for name in ("arrivals", "drops", "retransmissions", "acks", "efficiency", "hurst_k50"):
                for pair in _PAIRS:
                    one, other = ([row.values[name] for row in runs_of(side, reading, variant)] for variant in pair)
                    found = compare_paired(other, one)
                    three = (found.difference.mean, found.difference.half_width, found.unpaired_half_width)
                    yield [source, reading, name, *map(KEYS.get, pair), found.difference.count, *three]


DIFFERENCES = Figure(
    **DEFINITION.figure("differences"),
    plots=[partial(_differences, reading) for reading in READINGS],
    height=7.6,
    csv=lambda both: csv_text(
        ["source", "reading", "measure", "first", "second", "seeds", "difference", "ci95", "unpaired_ci95"],
        _compared(both),
    ),
    numbers=lambda both: _by_reading(
        both,
        "Arrivals of the first variant minus the second: mean ± half-width of the paired 95 % interval",
        [f"{first} - {second}" for first, second in _PAIRS],
        lambda side, reading: [point.shown(0) for point in _leads(side, reading, relative=False)],
    ),
)


def _rates(both: Both) -> Iterator[list[object]]:
    for source, side in sources(both):
        found = {mark: points_of(side, measure) for mark, measure in measures.RATES.items()}
        for setting in settings():
            for mark in MARKS:
                point = found[mark][setting]
                yield [source, setting[0], KEYS[setting[1]], mark, point.count, point.mean, point.half_width]


@dataclass(frozen=True)
class _Theirs:
    """Means of ns-2 at some times, as hollow markers."""

    reading: str

    def series(self, evidence: Evidence) -> list[Series]:
        found = {mark: points_of(evidence.ns2, measures.RATES[mark]) for mark in MARKS[1:]}
        return [
            theirs(variant, {mark: points[self.reading, variant] for mark, points in found.items()}, pen)
            for variant, pen in PENS.items()
        ]


_so_far = measures.RATE.at("flows")

FIGURE_4 = Figure(
    **DEFINITION.figure("figure4"),
    plots=[
        Plot(
            title=reading,
            x=time_axis(reading),
            y=Axis(label="Throughput so far (Mb/s)", low=0),
            marks=[
                Lines(of=_so_far.pick(reading=reading), x="time", by="variant", pens=PENS, plain=True, band=True),
                _Theirs(reading),
            ],
        )
        for reading in READINGS
    ],
    height=8.6,
    csv=lambda both: csv_text(["source", "reading", "variant", "time", "seeds", "rate", "ci95"], _rates(both)),
    numbers=lambda both: numbers(
        both,
        READINGS,
        [measures.RATES[mark] for mark in (5, 20, 50, 100)],
        "Throughput from 0 s up to the given time (Mb/s)",
    ),
)


def numbers(both: Both, readings: Collection[str], columns: Sequence[Measure], what: str) -> Table:
    """Lay out means over all seeds of both simulators."""
    found = {ending: [_shown(side, measure) for measure in columns] for ending, side in endings(both)}
    return Table(
        caption=f"{what}: mean ± half-width of the 95 % interval, {_seeds(both.ours)}",
        head=["", *(capital(one.label) for one in columns)],
        rows=[
            [f"{variant}, {reading}{ending}", *(column[reading, variant] for column in shown)]
            for reading, variant in settings()
            if reading in readings
            for ending, shown in found.items()
        ],
    )
