"""Figures 6, 8, 10, 15, 17 and 18: a pipe's ACKs, what each connection receives, and its buffer over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import student_interval
from ackclock.papers.manyflows.claims.reading import run_of
from ackclock.papers.manyflows.looks import PIPES
from ackclock.papers.manyflows.panels import to_csv
from ackclock.papers.manyflows.places import WINDOWS, WITH, WITHOUT
from ackclock.report.acks import ack_scatter
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.core.evidence import Row, Side
    from ackclock.papers.core.paper import Both
    from ackclock.papers.core.parts import Taken
    from ackclock.papers.manyflows.looks import Pipe

_NUMBERS = {"large": (6, 15), "small": (8, 17), "medium": (10, 18)}
"""The figure of each size of pipe, without and with processing time."""

_MEASURES = (
    ("correlation of losses", "correlation", 3),
    ("connections that lose in an epoch, %", "share", 1),
    ("buffer's 5th percentile, packets", "low", 0),
    ("its median", "middle", 0),
    ("its 95th percentile", "high", 0),
    ("loss, %", "loss", 2),
    ("Jain's index", "jain_index", 3),
    ("received by the last, packets", "least", 0),
    ("by the first", "most", 0),
    ("connections below a tenth of the fair share", "starved", 1),
)
_PERCENT = ("share", "loss")


def pipe_drawings(evidence: Both, processing: str) -> list[Drawing]:
    """Draw all pipes."""
    return [_drawing(pipe, evidence, processing) for pipe in PIPES.values()]


def _looks(side: Side, pipe: Pipe, processing: str, part: str = "looks") -> list[Row]:
    return [row for row in side.part(part) if row.where == {"processing": processing, "pipe": pipe.name}]


def _drawing(pipe: Pipe, evidence: Both, processing: str) -> Drawing:
    looks, theirs = (_looks(side, pipe, processing) for side in (evidence.ours, evidence.ns2))
    busy = processing == WITH
    plain = _looks(evidence.ours, pipe, WITHOUT) if busy else []
    start, end = WINDOWS[pipe.link.name]
    course = _looks(evidence.ours, pipe, processing, "courses")[0].values
    scatter = ack_scatter(
        course["acks"].astype(np.float32),
        course["flows"].astype(np.uint16),
        count=pipe.flows,
        start=start,
        end=end,
        title="(a)",
    )
    figure = _NUMBERS[pipe.size][busy]
    extent = "processing time up to 10 % of the round trip" if busy else "without processing time"
    return Drawing(
        chart=Chart(panels=[scatter, _received(pipe, looks, theirs, plain), _buffer(pipe, course, theirs)], height=8.6),
        slug=f"figure{figure}-{pipe.link.name.lower()}-{pipe.buffer}",
        title=f"Figure {figure}. A {pipe.size} pipe: {pipe.flows} connections over {pipe.link.name}, buffer "
        f"{pipe.buffer}, {extent}",
        caption=f"(a) ACKs of the first seed from {start} to {end} s, each dot at least one, connections by what they "
        "receive: white stripes are losses from which all recover together. (b) Packets received in that time, "
        f"connections in the order of it: mean of {len(looks)} seeds"
        + (" with the 95 % band" if len(looks) > 1 else "")
        + (", and without processing time" if busy else "")
        + "; dashed, ns-2.35; level, the fair share. (c) Packets in the buffer of the first seed; dotted, the 5th and "
        f"95th percentiles of ns-2.35 from {pipe.setting(processing).warm} to {pipe.setting(processing).duration} s.",
        csv=_csv(looks, theirs, course),
        numbers=_numbers(looks, theirs),
        command=run_of(pipe.setting(processing), record="acks"),
    )


def _received(pipe: Pipe, looks: Sequence[Row], theirs: Sequence[Row], plain: Sequence[Row]) -> Panel:
    ranks = np.arange(1, pipe.flows + 1)
    points = _ranked(looks)
    widths = [point.half_width if math.isfinite(point.half_width) else 0.0 for point in points]
    means = np.array([point.mean for point in points])
    series = [Series(name="Ackclock", x=ranks, y=means, colour="blue")]
    if plain:
        earlier = [point.mean for point in _ranked(plain)]
        series.append(Series(name="without processing time", x=ranks, y=earlier, colour="grey", dash="dotted"))
    other = [point.mean for point in _ranked(theirs)]
    series.append(Series(name="ns-2.35", x=ranks, y=other, colour="ink", dash="dashed", width=1.0))
    return Panel(
        title="(b)",
        x=Axis(label="Connection, by packets received", low=0.5, high=pipe.flows + 0.5),
        y=Axis(label="Packets received", low=0, high=1.2 * max(means.max(), *other)),
        series=series,
        bands=[
            Band(name="Ackclock", x=ranks, low=means - widths, high=means + widths, colour="blue", listed=False),
        ],
        levels=[Level(y=pipe.fair_share, text="fair share")],
    )


def _buffer(pipe: Pipe, course: Taken, theirs: Sequence[Row]) -> Panel:
    ends = [float(np.mean([one.values[name] or 0 for one in theirs])) for name in ("low", "high")]
    return Panel(
        title="(c)",
        x=Axis(label="Time, s", low=0, high=WINDOWS[pipe.link.name][1]),
        y=Axis(label="Packets in the buffer", low=0, high=1.05 * pipe.buffer),
        series=[
            Series(name="Ackclock", x=course["times"], y=course["packets"], colour="blue", width=0.8),
        ],
        levels=[Level(y=end) for end in ends],
    )


def _ranked(looks: Sequence[Row]) -> list[Interval]:
    """Average what the connection of each rank receives."""
    return [student_interval(rank) for rank in np.stack([look.values["received"] for look in looks], axis=1).tolist()]


def _csv(looks: Sequence[Row], theirs: Sequence[Row], course: Taken) -> str:
    rows: list[list[object]] = [["panel", "source", "connection or second", "packets", "ci95"]]
    for rank, point in enumerate(_ranked(looks), start=1):
        rows.append(["b", "ackclock", rank, f"{point.mean:.6g}", f"{point.half_width:.6g}"])
    for look in theirs:
        rows += [["b", "ns-2.35", rank, packets, ""] for rank, packets in enumerate(look.values["received"], start=1)]
    rows += [
        ["c", "ackclock", f"{time:g}", int(packets), ""]
        for time, packets in zip(course["times"], course["packets"], strict=True)
    ]
    return to_csv(rows)


def _numbers(looks: Sequence[Row], theirs: Sequence[Row]) -> Table:
    def cells(some: Sequence[Row], name: str, digits: int) -> str:
        scale = 100 if name in _PERCENT else 1
        found = [scale * value for look in some if (value := look.values[name]) is not None]
        return student_interval(found).shown(digits) if found else "–"  # noqa: RUF001 - a dash for what is not there

    return Table(
        caption="What the runs show: mean ± half-width of the 95 % interval, and the run of ns-2.35",
        head=["", "Ackclock", "ns-2.35"],
        rows=[[title, cells(looks, name, digits), cells(theirs, name, digits)] for title, name, digits in _MEASURES],
    )
