"""What the authors left for later, drawn: goodput, loss and timeouts by load, and the variants over a last hop."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.analysis.models import mathis
from ackclock.papers.curves import curves
from ackclock.papers.figures import HOLLOW, Pen, own, theirs
from ackclock.papers.observation import seeds_of
from ackclock.papers.selfsimilar.experiment import CONSTANT, GREEDY, VARIANTS, Setting
from ackclock.papers.selfsimilar.future import (
    BUFFER,
    BURST,
    BURSTS,
    DWELLS,
    LOADS,
    LOSSES,
    MEAN_RATE,
    MILLION,
    RANDOM,
    RATES,
    RTT,
    Hop,
    course,
    ns2_runs,
)
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.curves import Curve
    from ackclock.papers.observation import Observation
    from ackclock.papers.selfsimilar.experiment import Variant
    from ackclock.papers.selfsimilar.future import Future

__all__ = ["future_drawings"]

_PENS: Final[Mapping[Variant, Pen]] = {
    "tahoe": Pen(colour="grey", marker="down"),
    "newreno": Pen(colour="blue", marker="square"),
    "vegas": Pen(colour="green", marker="triangle"),
    "sack": Pen(colour="red", marker="circle", dash="dashed"),
}

_MEASURES: Final = ("goodput", "loss", "retransmissions", "timeouts", "efficiency")
"""What the CSV files have of each place."""


def future_drawings(future: Future, *, command: str) -> list[Drawing]:
    """Draw all of it: four measures by load, goodput by the loss of the last hop, and by how its rate changes.

    Parameters
    ----------
    future
        Our runs.
    command
        What a person types to make them.

    """
    return [
        _load(future.runs["load"], command=command),
        _losses(future.runs["losses"], command=command),
        _rates(future.runs["rates"], command=command),
    ]


def _curves(runs: Sequence[Observation], names: Mapping[Variant, str], measure: str) -> dict[Variant, Curve]:
    found = {curve.variant: curve for curve in curves(runs, lambda run: run.values.get(measure))}
    return {variant: found[name] for variant, name in names.items() if name in found}


def _lines(
    runs: Sequence[Observation],
    names: Mapping[Variant, str],
    measure: str,
    along: Callable[[int], float],
    *,
    look: Callable[[str, Mapping[float, Interval], Pen], Series] = own,
) -> list[Series]:
    """Draw a measure of each variant, under the variant's plain name."""
    return [
        look(VARIANTS[variant], {along(place): point for place, point in curve.points.items()}, _PENS[variant])
        for variant, curve in _curves(runs, names, measure).items()
    ]


def _load(runs: Sequence[Observation], *, command: str) -> Drawing:
    loads = {count: _mean(runs, count, "load") for count in LOADS}
    names = {
        reading.name: {variant: Setting(reading=reading, variant=variant).name for variant in VARIANTS}
        for reading in (GREEDY, CONSTANT)
    }

    def panel(title: str, reading: str, measure: str, y: Axis, *, last: bool = False) -> Panel:
        x = Axis(label="Background, part of the bottleneck's rate" if last else "", low=0, high=1.03)
        drawn = _lines(runs, names[reading], measure, loads.__getitem__)
        if measure == "loss":
            # a logarithm shows no bar that reaches below 0
            drawn = [_without_bars(one) for one in drawn]
        return Panel(title=title, x=x, y=y, series=drawn)

    powers = [(0.3, "0.3"), (1, "1"), (3, "3"), (10, "10"), (30, "30")]
    parts = [(1e-4, "0.01%"), (1e-3, "0.1%"), (1e-2, "1%"), (1e-1, "10%")]
    return Drawing(
        chart=Chart(
            height=13.0,
            panels=[
                panel(
                    "(a) data without end",
                    GREEDY.name,
                    "goodput",
                    Axis(label="Goodput (Mb/s)", low=0.2, high=40, log=True, ticks=powers),
                ),
                panel(
                    "(b) a source of 6.2 Mb/s",
                    CONSTANT.name,
                    "goodput",
                    Axis(label="Goodput (Mb/s)", low=0.2, high=40, log=True, ticks=powers),
                ),
                panel(
                    "(c) data without end",
                    GREEDY.name,
                    "loss",
                    Axis(label="Part lost", low=5e-5, high=0.15, log=True, ticks=parts),
                ),
                panel("(d) data without end", GREEDY.name, "timeouts", Axis(label="Timeouts in 100 s", low=0)),
                panel(
                    "(e) data without end",
                    GREEDY.name,
                    "efficiency",
                    Axis(label="Efficiency", low=0.78, high=1.01),
                    last=True,
                ),
            ],
        ),
        slug="load",
        title="Figure L. From low to high load",
        caption=f"One connection over {LOADS[0]} to {LOADS[-1]} on/off sources, by the part of the bottleneck's rate "
        f"that they offer on average. Points are means of {seeds_of(runs)} runs, the same backgrounds for all "
        "variants, with bars for the 95 % confidence interval (Student's t; none in (c)). Efficiency is the paper's: "
        "arrivals over arrivals, drops and retransmissions.",
        csv=_csv(runs, "sources"),
        numbers=_table(
            "Goodput, Mb/s: mean ± half-width of the 95 % interval",
            "Sources, load",
            {f"{count}, {load:.2f}": count for count, load in loads.items()},
            [_curves(runs, some, "goodput") for some in names.values()],
            [f"{VARIANTS[variant]}, {reading}" for reading in names for variant in VARIANTS],
        ),
        command=command,
    )


def _losses(runs: Sequence[Observation], *, command: str) -> Drawing:
    names = {
        kind: {variant: Hop(variant=variant, kind=kind, amount=0).name for variant in VARIANTS}
        for kind in (RANDOM, BURSTS)
    }

    def part(amount: int) -> float:
        return amount / MILLION

    along = np.geomspace(4e-4, 3e-2, 40)
    bound = Series(
        name="Mathis et al.",
        x=along,
        y=mathis(p=along, rtt=RTT).rate * 8000 / MILLION,
        colour="ink",
        dash="dotted",
        width=1.0,
    )
    ns2 = [
        run.__class__(
            variant=run.variant,
            clients=run.clients,
            seed=run.seed,
            values={"goodput": (run.values["arrivals"] or 0) * 8000 / 100 / MILLION},
        )
        for run in ns2_runs()
        if run.variant in names[RANDOM].values()
    ]

    def axes(*, last: bool) -> tuple[Axis, Axis]:
        ticks = [(part(amount), f"{100 * part(amount):g}") for amount in LOSSES]
        return (
            Axis(
                label="Packets lost by the last hop (%)" if last else "", low=7e-6, high=4.5e-2, log=True, ticks=ticks
            ),
            Axis(
                label="Goodput (Mb/s)",
                low=0.15,
                high=14,
                log=True,
                ticks=[(0.3, "0.3"), (1, "1"), (3, "3"), (10, "10")],
            ),
        )

    panels = []
    for kind, title in ((RANDOM, "(a) at random"), (BURSTS, f"(b) in bursts of {BURST} on average")):
        x, y = axes(last=kind == BURSTS)
        drawn = [_above_zero(one) for one in _lines(runs, names[kind], "goodput", part)]
        marks = [*_lines(ns2, names[kind], "goodput", part, look=theirs), HOLLOW] if kind == RANDOM else []
        panels.append(Panel(title=title, x=x, y=y, series=[*drawn, bound, *marks]))
    return Drawing(
        chart=Chart(height=9.0, panels=panels),
        slug="last-hop-losses",
        title="Figure W. A last hop that loses packets",
        caption="Goodput over the paper's background where the link to the receiver loses packets, means of "
        f"{seeds_of(runs)} runs with bars for the 95 % confidence interval (Student's t). Dotted: Mathis et al. for "
        f"that loss alone and {1000 * RTT:g} ms; to the left the background's drops count for more. Hollow: ns-2.35, "
        f"packets delivered, means of {seeds_of(ns2)} runs.",
        csv=_csv(runs, "lost_of_a_million"),
        numbers=_table(
            "Goodput, Mb/s: mean ± half-width of the 95 % interval",
            "Lost (%)",
            {f"{100 * part(amount):g}": amount for amount in LOSSES},
            [_curves(runs, some, "goodput") for some in names.values()],
            [f"{VARIANTS[variant]}, {kind}" for kind in names for variant in VARIANTS],
        ),
        command=command,
    )


def _rates(runs: Sequence[Observation], *, command: str) -> Drawing:
    names = {variant: Hop(variant=variant, kind=RATES, amount=0).name for variant in VARIANTS}
    places = {dwell: place for place, dwell in enumerate(DWELLS)}
    words = [f"{dwell / 1000:g} s" if dwell else "constant" for dwell in DWELLS]
    x = Axis(
        label="Mean stay at a rate",
        low=-0.3,
        high=len(DWELLS) - 0.7,
        ticks=list(enumerate(words)),
    )
    shown = course(DWELLS[2], 1).course()
    time, rate = shown.times / 1e12, shown.rates / MILLION
    some = time < 30
    steps = Series(
        name="rate",
        x=[*np.repeat(time[some], 2)[1:], 30],
        y=np.repeat(rate[some], 2),
        colour="ink",
        width=1.1,
        listed=False,
    )
    goodput = [_dodged(one, place) for place, one in enumerate(_lines(runs, names, "goodput", places.__getitem__))]
    timeouts = [_dodged(one, place) for place, one in enumerate(_lines(runs, names, "timeouts", places.__getitem__))]
    return Drawing(
        chart=Chart(
            height=10.0,
            panels=[
                Panel(
                    title=f"(a) a made rate, {words[2]} at each on average",
                    x=Axis(label="Time (s)", low=0, high=30),
                    y=Axis(label="Rate (Mb/s)", low=0),
                    series=[steps],
                ),
                Panel(
                    title=f"(b) goodput, of {MEAN_RATE / MILLION:g} Mb/s",
                    x=Axis(low=x.low, high=x.high, ticks=x.ticks),
                    y=Axis(label="Goodput (Mb/s)", low=0, high=4.2),
                    series=goodput,
                ),
                Panel(title="(c) timeouts", x=x, y=Axis(label="Timeouts in 100 s", low=-0.7), series=timeouts),
            ],
        ),
        slug="last-hop-rates",
        title="Figure X. A last hop whose rate changes",
        caption=f"The link to the receiver has room for {BUFFER} packets; its rate is one of four and then another, "
        f"for exponential times, {MEAN_RATE / MILLION:g} Mb/s on average. The rates are made, not measured: a trace of "
        f"its own for each seed, the same for all variants. Points are means of {seeds_of(runs)} runs with bars for "
        "the 95 % confidence interval (Student's t), side by side at each place.",
        csv=_csv(runs, "stay_ms"),
        numbers=_table(
            "Goodput, Mb/s: mean ± half-width of the 95 % interval",
            "Mean stay",
            dict(zip(words, DWELLS, strict=True)),
            [_curves(runs, names, "goodput")],
            list(VARIANTS.values()),
        ),
        command=command,
    )


def _mean(runs: Sequence[Observation], count: int, measure: str) -> float:
    return float(np.mean([run.values[measure] for run in runs if run.clients == count]))


def _without_bars(one: Series) -> Series:
    return Series(name=one.name, x=one.x, y=one.y, colour=one.colour, marker=one.marker, dash=one.dash)


def _above_zero(one: Series) -> Series:
    """Leave out bars that would reach to 0, which is nowhere on a logarithm."""
    y, error = np.asarray(one.y), np.asarray(one.error)
    kept = np.where(error < y, error, np.nan)
    return Series(name=one.name, x=one.x, y=y, colour=one.colour, marker=one.marker, dash=one.dash, error=kept)


def _dodged(one: Series, place: int) -> Series:
    """Put points of several variants side by side, not joined: there is nothing between two places."""
    x = np.asarray(one.x, dtype=np.float64) + 0.08 * (place - (len(VARIANTS) - 1) / 2)
    return Series(
        name=one.name, x=x, y=one.y, colour=one.colour, marker=one.marker, dash="none", error=one.error, size=5.0
    )


def _table(
    caption: str, first: str, rows: Mapping[str, int], groups: Sequence[Mapping[Variant, Curve]], head: Sequence[str]
) -> Table:
    columns = [curve for group in groups for curve in group.values()]
    return Table(
        caption=caption,
        head=[first, *head],
        rows=[[words, *(column.points[place].shown(2) for column in columns)] for words, place in rows.items()],
    )


def _csv(runs: Sequence[Observation], along: str) -> str:
    """Write means and half-widths of each variant and place, a row each."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["variant", along, "runs", *(f"{name}{end}" for name in _MEASURES for end in ("", "_ci95"))])
    drawn = [curves(runs, lambda run, name=name: run.values.get(name)) for name in _MEASURES]  # type: ignore[misc]
    for same in zip(*drawn, strict=True):
        for place, first in same[0].points.items():
            cells = [curve.points[place] for curve in same]
            numbers = [f"{number:.6g}" for cell in cells for number in (cell.mean, cell.half_width)]
            rows.writerow([same[0].variant, place, first.count, *numbers])
    return text.getvalue()
