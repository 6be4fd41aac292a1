"""The map: goodput ratio over buffer and share of Vegas, a figure for each application."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.vegas.evidence import PLANES, by_place, interval, plane
from ackclock.papers.vegas.experiment import APPLICATIONS, BUFFERS, CLIENTS, OPEN, SHARES
from ackclock.papers.vegas.figures import RATIO, cell, data, start_words
from ackclock.papers.vegas.measures import HELD
from ackclock.report.chart import Axis, Chart, Heat, Panel
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from ackclock.papers.core.paper import Both
    from ackclock.papers.vegas.evidence import ByPlace

_ENDS = 2.0  # powers of two to either side of one at which the colours end


def map_drawings(evidence: Both, command: str) -> list[Drawing]:
    runs = by_place(evidence.ours)
    return [_map(runs, application, letter, command) for letter, application in zip("ABCDE", APPLICATIONS, strict=True)]


def _map(runs: ByPlace, application: str, letter: str, command: str) -> Drawing:
    panels = []
    for number, (start, gateway) in enumerate(PLANES):
        where = plane(application, start, gateway)
        ratios = [interval(runs, place) for place in where]
        shape = len(SHARES), len(BUFFERS)
        logs = np.array([math.log2(max(ratio.mean, 1e-3)) for ratio in ratios]).reshape(shape)
        words = [
            [cell(ratio) for ratio in ratios[first : first + len(BUFFERS)]]
            for first in range(0, len(ratios), len(BUFFERS))
        ]
        last = number == len(PLANES) - 1
        panels.append(
            Panel(
                title=f"{gateway}, {start_words(start)}",
                x=Axis(
                    label="Buffer (packets)" if last else "",
                    ticks=[(place, f"{buffer:,}") for place, buffer in enumerate(BUFFERS)],
                ),
                y=Axis(
                    label="Clients that run Vegas (%)",
                    ticks=[(place, f"{100 * vegas // CLIENTS}") for place, vegas in enumerate(SHARES)],
                ),
                series=(),
                heat=Heat(
                    values=logs,
                    words=words,
                    label="Vegas / Reno, per client",
                    low=-_ENDS,
                    high=_ENDS,
                    parted=True,
                    ticks=[(-2, "≤ ¼"), (-1, "½"), (0, "1"), (1, "2"), (2, "≥ 4")],
                ),
            )
        )
    where = [place for one in PLANES for place in plane(application, *one)]
    return Drawing(
        chart=Chart(panels=panels, height=8.6),
        slug=f"map-{application.rsplit(maxsplit=1)[-1] if application != OPEN else 'open'}".lower(),
        title=f"Figure {letter}. The map: {application}",
        caption=f"{RATIO}, {CLIENTS} clients of both kinds, at each buffer and each share of clients that run Vegas: "
        "blue where Vegas gets more, orange where Reno does. A question mark: the 95 % interval (Student's t) reaches "
        f"to both sides of {HELD}, from which on Vegas gets its share. Vegas starts together with Reno, or 10 s later.",
        csv=data(runs, where),
        numbers=Table(
            caption=f"{RATIO}: mean ± half-width of the 95 % interval; in brackets Vegas' share of all goodput",
            head=["", *(f"{buffer:,}" for buffer in BUFFERS)],
            rows=[
                [
                    f"{gateway}, {start_words(start)}, {100 * vegas // CLIENTS} %",
                    *(
                        f"{interval(runs, place).shown(2)} ({100 * interval(runs, place, 'share').mean:.0f} %)"
                        for place in plane(application, start, gateway)
                        if place.vegas == vegas
                    ),
                ]
                for start, gateway in PLANES
                for vegas in SHARES
            ],
        ),
        command=command,
    )
