"""The Hurst parameter of the background drawn: along the load, along the bin, and behind the bottleneck."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ackclock.papers.figures import HOLLOW, Pen, own, theirs
from ackclock.papers.observation import seeds_of
from ackclock.papers.reading import DASH, along
from ackclock.papers.selfsimilar.experiment import SOURCES
from ackclock.papers.selfsimilar.loads import LOADS, OTHERS, USUAL, ns2_loads
from ackclock.papers.selfsimilar.tables import csv_text, numbers
from ackclock.papers.selfsimilar.traffic import BINS, ESTIMATORS, LENGTH, ON_OFF, SHAPE
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.observation import Observation

__all__ = ["ASYMPTOTIC", "load_drawings"]

ASYMPTOTIC: Final = (3 - SHAPE) / 2
"""The Hurst parameter of on/off sources with Pareto periods over long times (Taqqu, Willinger and Sherman 1997)."""

_PENS: Final[Mapping[str, Pen]] = {
    "K = 1": Pen(colour="blue", marker="square"),
    "K = 50": Pen(colour="sky", marker="triangle", dash="dashed"),
    "local Whittle": Pen(colour="red", marker="circle"),
    "Abry-Veitch": Pen(colour="orange", marker="diamond", dash="dashed"),
}


def _lines(first: float, last: float) -> list[Series]:
    """Draw what theory and the paper say, from one end to the other."""
    return [
        Series(name=name, x=[first, last], y=[h, h], colour=colour, dash="dotted", width=1.0)
        for name, h, colour in (("(3 - shape) / 2", ASYMPTOTIC, "ink"), ("the paper's 0.8", 0.8, "grey"))
    ]


Points = dict[int, "Interval"]


def load_drawings(runs: Sequence[Observation], longer: Sequence[Observation], *, command: str) -> list[Drawing]:
    """Draw what the background's Hurst parameter depends on.

    Parameters
    ----------
    runs
        Ours, as `gather_loads` gives them.
    longer
        On/off sources for `LENGTH` seconds.
    command
        What a person types to make them.

    """
    return [_by_load(runs, command=command), _by_bin(runs, longer, command=command), _behind(runs, command=command)]


def _along(runs: Iterable[Observation], variant: str, counts: Sequence[int], measure: str) -> Points:
    """Give the intervals at the places that have the measure, if any."""
    try:
        return along(runs, variant, counts, measure)
    except LookupError:
        return {}


def _by_load(runs: Sequence[Observation], *, command: str) -> Drawing:
    reference = ns2_loads()
    panels, cells = [], []
    for letter, scale in zip("abcd", BINS, strict=True):
        ours: dict[str, Points] = {}
        hollow: dict[str, Points] = {}
        for name in ESTIMATORS:
            points = _along(runs, USUAL, LOADS, f"{name} {scale:g}")
            if points:
                ours[name] = points
                hollow[name] = along(reference, USUAL, LOADS, f"{name} {scale:g}")
        cells += [(f"{name}, {scale:g} s", points, hollow[name]) for name, points in ours.items()]
        panels.append(
            Panel(
                title=f"({letter}) bins of {scale:g} s",
                x=Axis(label="On/off sources, each 1 % of the link" if scale == BINS[-1] else "", low=0, high=100),
                y=Axis(label="H", low=0.62, high=1.12),
                series=[
                    *(theirs(name, points, _PENS[name]) for name, points in hollow.items()),
                    *(own(name, points, _PENS[name]) for name, points in ours.items()),
                    HOLLOW,
                    *_lines(0, 100),
                ],
            )
        )
    return Drawing(
        chart=Chart(height=11.0, panels=panels),
        slug="hurst-by-load",
        title="The background's Hurst parameter with respect to load",
        caption="Arrivals at the bottleneck from 5 to 95 on/off sources over 100 s, by the paper's method with one lag "
        f"and with 50, and by two that look at long scales only; means of {seeds_of(runs)} seeds with 95 % intervals. "
        "A method is missing where it asks for more bins than 100 s have. Sources are independent, so more of them "
        "have the same correlations: H tells of the bin and the method, not of the load.",
        csv=csv_text(
            ["source", "series", "sources", "mean", "ci95"],
            [
                [source, name, count, *numbers(interval)]
                for name, mine, others in cells
                for source, points in (("ackclock", mine), ("ns-2.35", others))
                for count, interval in points.items()
            ],
        ),
        numbers=Table(
            caption="Hurst parameter: mean ± half-width of the 95 % interval",
            head=["Method and bin", *(f"{count} sources" for count in LOADS)],
            rows=[[name, *(points[count].shown(2) for count in LOADS)] for name, points, _ in cells],
        ),
        command=command,
    )


_LONGER: Final = f"UDP, {LENGTH} s"
_READINGS: Final[Mapping[str, int]] = {USUAL: SOURCES, **OTHERS, _LONGER: SOURCES}

_READING_PENS: Final = dict(
    zip(
        _READINGS,
        (
            Pen(colour="blue", marker="square"),
            Pen(colour="orange", marker="diamond", dash="dotted"),
            Pen(colour="green", marker="triangle", dash="dashed"),
            Pen(colour="red", marker="circle"),
        ),
        strict=True,
    )
)


def _by_bin(runs: Sequence[Observation], longer: Sequence[Observation], *, command: str) -> Drawing:
    reference = ns2_loads()
    mine = [*runs, *(replace(run, variant=_LONGER) for run in longer if run.variant == ON_OFF)]

    def over_bins(some: Sequence[Observation], variant: str, method: str) -> dict[float, Interval]:
        count = _READINGS[variant]
        found = {scale: _along(some, variant, (count,), f"{method} {scale:g}") for scale in BINS}
        return {scale: points[count] for scale, points in found.items() if points}

    panels, rows = [], []
    for letter, method in zip("abcd", ESTIMATORS, strict=True):
        ours = {variant: over_bins(mine, variant, method) for variant in _READINGS}
        hollow = {variant: over_bins(reference, variant, method) for variant in _READINGS if variant != _LONGER}
        rows += [
            [method, f"{variant}, {count} sources", source, *(_cell(points[variant].get(scale)) for scale in BINS)]
            for variant, count in _READINGS.items()
            for source, points in (("ackclock", ours), ("ns-2.35", hollow))
            if variant in points
        ]
        panels.append(
            Panel(
                title=f"({letter}) {method}",
                x=Axis(
                    label="Bin (s)" if letter == "d" else "",
                    low=0.008,
                    high=1.25,
                    log=True,
                    ticks=[(scale, f"{scale:g}") for scale in BINS],
                ),
                y=Axis(label="H", low=0.55, high=1.15),
                series=[
                    *(theirs(name, points, _READING_PENS[name]) for name, points in hollow.items()),
                    *(own(name, points, _READING_PENS[name]) for name, points in ours.items()),
                    HOLLOW,
                    *_lines(BINS[0], BINS[-1]),
                ],
            )
        )
    head = ["Method", "Background", "Source", *(f"{scale:g} s" for scale in BINS)]
    return Drawing(
        chart=Chart(height=11.0, panels=panels),
        slug="hurst-by-bin",
        title="The background's Hurst parameter with respect to the bin",
        caption="40 sources of 1000-byte packets over UDP, 25 of 210-byte packets, and 40 that Tahoe with a window of "
        f"20 carries, over 100 s, and the first over {LENGTH} s; means of {seeds_of(runs)} seeds with 95 % intervals. "
        "Packets at equal intervals, and windows that go out as bursts, are what short bins see; in bins of 0.1 s and "
        "more all are alike. Long bins of a long run come to what theory gives. With 50 lags H is too low, the more "
        "so the fewer bins there are: the run's mean is taken out of them.",
        csv=csv_text(head, rows),
        numbers=Table(caption="Hurst parameter: mean ± half-width of the 95 % interval", head=head, rows=rows),
        command=command,
    )


def _behind(runs: Sequence[Observation], *, command: str) -> Drawing:
    sides = {"arrivals": "", "what leaves": "out "}
    pens = dict(zip(sides, (_PENS["K = 1"], Pen(colour="orange", marker="diamond", dash="dashed")), strict=True))
    measures = {"K = 1 0.01": "H, K = 1", "K = 50 0.1": "H, K = 50", "cov 0.01": "C.o.v."}
    titles = (
        "Hurst parameter in bins of 0.01 s, one lag",
        "Hurst parameter in bins of 0.1 s, 50 lags",
        "coefficient of variation in bins of 0.01 s",
    )
    found = {
        (measure, side): along(runs, USUAL, LOADS, f"{prefix}{measure}")
        for measure in measures
        for side, prefix in sides.items()
    }
    loss = along(runs, USUAL, LOADS, "loss")
    panels = [
        Panel(
            title=f"({letter}) {title}",
            x=Axis(label="On/off sources, each 1 % of the link" if letter == "c" else "", low=0, high=100),
            y=Axis(label=label),
            series=[own(side, found[measure, side], pens[side]) for side in sides],
        )
        for letter, title, (measure, label) in zip("abc", titles, measures.items(), strict=True)
    ]
    head = ["Sources", "loss (%)", *(f"{title}, {side}" for title in titles for side in sides)]
    rows = [
        [str(count), f"{100 * loss[count].mean:.3f}", *(points[count].shown(3) for points in found.values())]
        for count in LOADS
    ]
    return Drawing(
        chart=Chart(height=8.0, panels=panels),
        slug="hurst-behind",
        title="The background before and behind ten packets of buffer",
        caption="What comes to the bottleneck, and what leaves it for y: the link cuts what it cannot carry within "
        "1.6 ms. Only in the shortest bins, and only near full load, is what leaves another kind of traffic. Means "
        f"of {seeds_of(runs)} seeds with 95 % intervals.",
        csv=csv_text(head, rows),
        numbers=Table(caption="Mean ± half-width of the 95 % interval", head=head, rows=rows),
        command=command,
    )


def _cell(interval: Interval | None) -> str:
    return DASH if interval is None else interval.shown(2)
