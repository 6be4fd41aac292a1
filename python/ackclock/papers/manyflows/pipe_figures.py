"""Figures 6, 8, 10, 15, 17 and 18: a pipe's ACKs, what each connection receives, and its buffer over time."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import student_interval
from ackclock.papers.manyflows.claims.reading import run_of
from ackclock.papers.manyflows.looks import PIPES, fair_share
from ackclock.papers.manyflows.places import WINDOWS
from ackclock.report.acks import ack_scatter
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.manyflows.evidence import Side
    from ackclock.papers.manyflows.looks import Look, Pipe

__all__ = ["pipe_drawings"]

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


def pipe_drawings(ours: Side, ns2: Side, *, fraction: float) -> list[Drawing]:
    """Draw all pipes.

    Parameters
    ----------
    ours, ns2
        Both sides.
    fraction
        Processing time, as for `grid_setting`.

    """
    return [_drawing(pipe, ours, ns2, fraction) for pipe in PIPES.values()]


def _drawing(pipe: Pipe, ours: Side, ns2: Side, fraction: float) -> Drawing:
    looks = [look for look in ours.looks[fraction] if look.pipe == pipe.name]
    theirs = [look for look in ns2.looks[fraction] if look.pipe == pipe.name]
    plain = [look for look in ours.looks[0.0] if look.pipe == pipe.name] if fraction else []
    start, end = WINDOWS[pipe.link.name]
    course = looks[0].course
    if course is None:
        raise ValueError("looks: must be of our runs, which have courses")
    scatter = ack_scatter(course.acks, course.flows, count=pipe.flows, start=start, end=end, title="(a)")
    figure = _NUMBERS[pipe.size][fraction > 0]
    extent = "processing time up to 10 % of the round trip" if fraction else "without processing time"
    return Drawing(
        chart=Chart(
            panels=[scatter, _received(pipe, looks, theirs, plain), _buffer(pipe, looks[0], theirs)], height=8.6
        ),
        slug=f"figure{figure}-{pipe.link.name.lower()}-{pipe.buffer}",
        title=f"Figure {figure}. A {pipe.size} pipe: {pipe.flows} connections over {pipe.link.name}, buffer "
        f"{pipe.buffer}, {extent}",
        caption=f"(a) ACKs of the first seed from {start} to {end} s, each dot at least one, connections by what they "
        "receive: white stripes are losses that all recover from together. (b) Packets received in that time, "
        f"connections in the order of it: mean of {len(looks)} seeds"
        + (" with the 95 % band" if len(looks) > 1 else "")
        + (", and without processing time" if fraction else "")
        + "; dashed, ns-2.35; level, the fair share. (c) Packets in the buffer of the first seed; dotted, the 5th and "
        f"95th percentiles of ns-2.35 from {pipe.setting(fraction).warm} to {pipe.setting(fraction).duration} s.",
        csv=_csv(looks, theirs),
        numbers=_numbers(looks, theirs),
        command=run_of(pipe.setting(fraction), record="acks"),
    )


def _received(pipe: Pipe, looks: Sequence[Look], theirs: Sequence[Look], plain: Sequence[Look]) -> Panel:
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
        levels=[Level(y=fair_share(pipe), text="fair share")],
    )


def _buffer(pipe: Pipe, look: Look, theirs: Sequence[Look]) -> Panel:
    course = look.course
    if course is None:
        raise ValueError("look: must be of our run, which has a course")
    ends = [float(np.mean([one.values[name] or 0 for one in theirs])) for name in ("low", "high")]
    return Panel(
        title="(c)",
        x=Axis(label="Time, s", low=0, high=WINDOWS[pipe.link.name][1]),
        y=Axis(label="Packets in the buffer", low=0, high=1.05 * pipe.buffer),
        series=[Series(name="Ackclock", x=course.times, y=course.packets, colour="blue", width=0.8)],
        levels=[Level(y=end) for end in ends],
    )


def _ranked(looks: Sequence[Look]) -> list[Interval]:
    """Average what the connection of each rank receives."""
    return [student_interval(rank) for rank in np.stack([look.received for look in looks], axis=1).tolist()]


def _csv(looks: Sequence[Look], theirs: Sequence[Look]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["panel", "source", "connection or second", "packets", "ci95"])
    for rank, point in enumerate(_ranked(looks), start=1):
        rows.writerow(["b", "ackclock", rank, f"{point.mean:.6g}", f"{point.half_width:.6g}"])
    for look in theirs:
        for rank, packets in enumerate(look.received.tolist(), start=1):
            rows.writerow(["b", "ns-2.35", rank, packets, ""])
    course = looks[0].course
    if course is not None:
        for time, packets in zip(course.times.tolist(), course.packets.tolist(), strict=True):
            rows.writerow(["c", "ackclock", f"{time:g}", packets, ""])
    return text.getvalue()


def _numbers(looks: Sequence[Look], theirs: Sequence[Look]) -> Table:
    def cells(some: Sequence[Look], name: str, digits: int) -> str:
        scale = 100 if name in _PERCENT else 1
        found = [scale * value for look in some if (value := look.values[name]) is not None]
        return student_interval(found).shown(digits) if found else "–"  # noqa: RUF001 - a dash for what is not there

    return Table(
        caption="What the runs show: mean ± half-width of the 95 % interval, and the run of ns-2.35",
        head=["", "Ackclock", "ns-2.35"],
        rows=[[title, cells(looks, name, digits), cells(theirs, name, digits)] for title, name, digits in _MEASURES],
    )
