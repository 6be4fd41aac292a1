"""Figures 6, 8, 10, 15, 17 and 18: a pipe's ACKs, packets received by each connection, and buffer over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ackclock.analysis import Interval, student_interval
from ackclock.drawing.acks import ack_scatter
from ackclock.drawing.chart import Axis, Band, Level, Panel, Series
from ackclock.papers.core.evidence import Evidence, Row, Scalar, Side
from ackclock.papers.core.figure import Course, Figure, Pen, Plot, csv_text
from ackclock.papers.core.marks import widths_of
from ackclock.papers.manyflows.measures import CORRELATION, HIGH, JAIN, LEAST, LOSS, LOW, MIDDLE, MOST, SHARE, STARVED
from ackclock.papers.manyflows.pipes import PIPES, Pipe
from ackclock.papers.manyflows.places import DEFINITION, WINDOWS, WITH, WITHOUT
from ackclock.report.html import Table

_NUMBERS = {"large": (6, 15), "small": (8, 17), "medium": (10, 18)}  # without and with processing time
_SHOWN = (CORRELATION, SHARE, LOW, MIDDLE, HIGH, LOSS, JAIN, LEAST, MOST, STARVED)


def pipe_figures(processing: str) -> list[Figure]:
    return [_figure(pipe, {"processing": processing, "pipe": pipe.name}) for pipe in PIPES.values()]


def _words(pipe: Pipe, processing: str) -> dict[str, Any]:
    busy, (start, end) = processing == WITH, WINDOWS[pipe.link.name]
    figure = _NUMBERS[pipe.size][busy]
    slug = f"figure{figure}-{pipe.link.name.lower()}-{pipe.buffer}"
    return DEFINITION.figure(
        "pipe",
        slug=slug,
        figure=figure,
        pipe=pipe,
        processing="processing time up to 10 % of the round trip" if busy else "without processing time",
        beside="Dotted grey: our runs without processing time. " if busy else "",
        start=start,
        end=end,
        setting=pipe.setting(processing),
        fields=DEFINITION.table("pipe_fields")[slug],
    )


def _figure(pipe: Pipe, where: Mapping[str, str]) -> Figure:
    course = Course(
        part="courses", where=where, x="times", y="packets", name="Ackclock", pen=Pen(colour="blue", marker="circle")
    )

    def ends(evidence: Evidence) -> list[Level]:
        theirs = (one.at("looks", **where).points(evidence.ns2).only.mean for one in (LOW, HIGH))
        return [Level(y=percent / 100 * pipe.buffer) for percent in theirs]

    return Figure(
        **_words(pipe, where["processing"]),
        height=8.6,
        plots=[
            partial(_acks, pipe, where),
            partial(_received, pipe, where),
            Plot(
                title="(c)",
                x=Axis(label="Time, s", low=0, high=WINDOWS[pipe.link.name][1]),
                y=Axis(label="Packets in the buffer", low=0, high=1.05 * pipe.buffer),
                marks=[course],
                levels=ends,
            ),
        ],
        counted=CORRELATION.at("looks", **where),
        numbers=partial(_numbers, where),
        csv=partial(_csv, where, course),
    )


def _rows_of(side: Side, where: Mapping[str, Scalar], part: str = "looks") -> list[Row]:
    return [row for row in side.part(part) if row.where == where]


def _ranked(looks: Sequence[Row]) -> list[Interval]:
    return [student_interval(rank) for rank in np.stack([row.values["received"] for row in looks], axis=1).tolist()]


def _acks(pipe: Pipe, where: Mapping[str, Scalar], evidence: Evidence) -> Panel:
    course = _rows_of(evidence.ours, where, "courses")[0].values
    start, end = WINDOWS[pipe.link.name]
    acks, flows = course["acks"].astype(np.float32), course["flows"].astype(np.uint16)
    return ack_scatter(acks, flows, count=pipe.flows, start=start, end=end, title="(a)")


def _received(pipe: Pipe, where: Mapping[str, Scalar], evidence: Evidence) -> Panel:
    ranks, points = np.arange(1, pipe.flows + 1), _ranked(_rows_of(evidence.ours, where))
    means, widths = np.array([point.mean for point in points]), widths_of(points)
    other = [point.mean for point in _ranked(_rows_of(evidence.ns2, where))]
    series = [Series(name="Ackclock", x=ranks, y=means, colour="blue")]
    if where["processing"] == WITH:
        plain = [point.mean for point in _ranked(_rows_of(evidence.ours, {**where, "processing": WITHOUT}))]
        series.append(Series(name="without processing time", x=ranks, y=plain, colour="grey", dash="dotted"))
    series.append(Series(name="ns-2.35", x=ranks, y=other, colour="ink", dash="dashed", width=1.0))
    return Panel(
        title="(b)",
        x=Axis(label="Connection, by packets received", low=0.5, high=pipe.flows + 0.5),
        y=Axis(label="Packets received", low=0, high=1.2 * max(means.max(), *other)),
        series=series,
        bands=[Band(name="Ackclock", x=ranks, low=means - widths, high=means + widths, colour="blue", listed=False)],
        levels=[Level(y=pipe.fair_share, text="fair share")],
    )


def _csv(where: Mapping[str, Scalar], course: Course, evidence: Evidence) -> str:
    rows: list[list[object]] = [
        ["b", "ackclock", rank, point.mean, point.half_width]
        for rank, point in enumerate(_ranked(_rows_of(evidence.ours, where)), start=1)
    ]
    for row in _rows_of(evidence.ns2, where):
        rows += [["b", "ns-2.35", rank, int(got), ""] for rank, got in enumerate(row.values["received"], start=1)]
    rows += [["c", "ackclock", time, int(packets), ""] for time, packets in zip(*course.arrays(evidence), strict=True)]
    return csv_text(["panel", "source", "connection or second", "packets", "ci95"], rows)


def _numbers(where: Mapping[str, str], evidence: Evidence) -> Table:
    rows = []
    for one in _SHOWN:
        cells = [one.at("looks", **where).points(side) for side in (evidence.ours, evidence.ns2)]
        unit = f", {one.unit}" if one.unit else ""
        rows.append([f"{one.label}{unit}", *(cell.only.shown(one.digits) for cell in cells)])
    return DEFINITION.laid_out("pipes", rows)
