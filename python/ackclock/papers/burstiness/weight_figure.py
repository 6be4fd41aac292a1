"""What RED's averaging weight decides: the setting that the paper does not print."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from ackclock.analysis import student_interval
from ackclock.papers.burstiness.evidence import WEIGHT_CLIENTS
from ackclock.papers.burstiness.experiment import RED_WEIGHT
from ackclock.papers.burstiness.figures import PENS
from ackclock.papers.burstiness.measures import cov_over_poisson, loss_percent, thousand_departures
from ackclock.papers.figures import HOLLOW, own, theirs
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Side
    from ackclock.papers.observation import Observation

__all__ = ["weight_drawing"]

_PAIRS = (("Reno", "Reno/RED"), ("Vegas", "Vegas/RED"))

_MEASURES: Sequence[tuple[str, str, Callable[[Observation], float | None]]] = (
    ("cov_over_poisson", "c.o.v. relative to Poisson", cov_over_poisson),
    ("thousand_departures", "Throughput (thousand packets)", thousand_departures),
    ("loss_percent", "Packet loss (% of arrivals)", loss_percent),
)


def weight_drawing(ours: Side, ns2: Side, *, command: str) -> Drawing:
    """Draw c.o.v., throughput and loss against RED's weight, with what the FIFO gateway gives.

    Parameters
    ----------
    ours, ns2
        The runs of both sides.
    command
        What a person types to make it.

    """
    seeds = len({run.seed for run in ours.weights[RED_WEIGHT]})
    panels = [
        Panel(
            title=f"({place})",
            x=Axis(label="RED's averaging weight" if place == "c" else "", low=5e-5, high=3e-2, log=True),
            y=Axis(label=label, low=None if name == "thousand_departures" else 0),
            series=_series(ours, ns2, measure),
        )
        for place, (name, label, measure) in zip("abc", _MEASURES, strict=True)
    ]
    return Drawing(
        slug="weight",
        title="Figure D. RED's averaging weight",
        caption=f"{WEIGHT_CLIENTS} clients: (a) c.o.v. relative to Poisson, (b) throughput and (c) loss, by the weight "
        "of the present queue in RED's average. Horizontal lines: the FIFO gateway. Points are means of "
        f"{seeds} runs with 95 % confidence intervals; hollow markers are single runs of ns-2.35 "
        "without processing time, in which exact ties decide too. The paper prints no weight.",
        chart=Chart(panels=panels, height=8.2),
        csv=_data(ours, ns2),
        numbers=_numbers(ours),
        command=command,
    )


def _series(ours: Side, ns2: Side, measure: Callable[[Observation], float | None]) -> list[Series]:
    drawn = []
    for plain, red in _PAIRS:
        level = _mean(_fifo(ours, plain), plain, measure)
        drawn += [
            Series(name=plain, x=[5e-5, 3e-2], y=[level.mean] * 2, colour=PENS[plain].colour, width=1.1),
            theirs(red, {weight: _mean(runs, red, measure) for weight, runs in ns2.weights.items()}, PENS[red]),
            own(red, {weight: _mean(runs, red, measure) for weight, runs in ours.weights.items()}, PENS[red]),
        ]
    return [*drawn, HOLLOW]


def _fifo(side: Side, variant: str) -> Sequence[Observation]:
    return [run for run in side.grid if run.variant == variant and run.clients == WEIGHT_CLIENTS]


def _mean(runs: Sequence[Observation], variant: str, measure: Callable[[Observation], float | None]) -> Interval:
    values = [value for run in runs if run.variant == variant and (value := measure(run)) is not None]
    return student_interval(values)


def _rows(side: Side) -> list[tuple[str, float | None, list[Interval]]]:
    rows: list[tuple[str, float | None, list[Interval]]] = []
    for plain, red in _PAIRS:
        rows.append((plain, None, [_mean(_fifo(side, plain), plain, measure) for *_, measure in _MEASURES]))
        for weight, runs in side.weights.items():
            rows.append((red, weight, [_mean(runs, red, measure) for *_, measure in _MEASURES]))
    return rows


def _data(ours: Side, ns2: Side) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["source", "variant", "weight", *(f"{name}{end}" for name, *_ in _MEASURES for end in ("", "_ci95"))])
    for source, side in (("ackclock", ours), ("ns-2.35", ns2)):
        for variant, weight, points in _rows(side):
            cells = [f"{number:.6g}" for point in points for number in (point.mean, point.half_width)]
            rows.writerow([source, variant, weight, *cells])
    return text.getvalue()


def _numbers(ours: Side) -> Table:
    return Table(
        caption=f"{WEIGHT_CLIENTS} clients: mean ± half-width of the 95 % interval",
        head=["", "weight", *(label for _, label, _ in _MEASURES)],
        rows=[
            [
                variant,
                "FIFO" if weight is None else f"{weight:g}",
                *(point.shown(2) for point in points),
            ]
            for variant, weight, points in _rows(ours)
        ],
    )
