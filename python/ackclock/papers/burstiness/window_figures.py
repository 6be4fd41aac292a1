"""Figures 5 to 12: congestion windows in one run of each simulator, and the agreement of twenty runs of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ackclock.drawing.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, DEFINITION, DURATION
from ackclock.papers.burstiness.windows import CLIENTS_SHOWN, NAMES, QUANTILES, SEED, UNIT, effective
from ackclock.papers.comparison import STANDARD_ERRORS, Comparison, Tolerance, compare, named
from ackclock.papers.core.evidence import Evidence, Row, Side
from ackclock.papers.core.words import DASH
from ackclock.report.html import Drawing, Statement, Table
from ackclock.report.rows import rows_csv
from ackclock.values.words import listed

Span = tuple[int, int]

_RANGE = (0.05, 0.95)  # quantiles over the seeds that the tables give next to the mean
_LEAST = 0.01  # allowed difference of two means if the runs do not vary: seconds, packets or counts
_COLOURS = ("blue", "red", "green")
_LINES = tuple(f"quantile_{share:g}" for share in QUANTILES)

_TEXTS = DEFINITION.table("windows")

COURSE_TOLERANCES = [
    Tolerance(title=title, measure=named(measure), relative=0, absolute=_LEAST)
    for measure, title in _TEXTS["titles"].items()
]
"""Comparisons for each figure: all results of `windows.numbers`, within three standard errors or `_LEAST`."""


@dataclass(frozen=True, slots=True)
class WindowFigure:
    """A figure of congestion windows: variant, number of clients, and range of its upper panels in `UNIT`s."""

    number: int
    variant: str
    clients: int
    zoom: Span
    shows: str

    def drawing(self, evidence: Evidence, command: str) -> Drawing:
        """Draw the figure, with its CSV and its table."""
        own, other = (runs_of(side, self.variant, self.clients) for side in (evidence.ours, evidence.ns2))
        drawn = [drawn_of(side, self.variant, self.clients) for side in (evidence.ours, evidence.ns2)]
        shown = listed(list(map(str, CLIENTS_SHOWN)))
        words = DEFINITION.figure("windows", slug=f"figure{self.number}", shown=shown, runs=len(own), **asdict(self))
        return Drawing(
            chart=window_chart(self, *drawn, seeds=len(own)),
            slug=words["slug"],
            title=words["title"],
            caption=words["what"],
            csv=_data(*drawn),
            numbers=courses_table(own, other),
            command=command,
        )


WINDOW_FIGURES = tuple(WindowFigure(**figure) for figure in _TEXTS["figures"])
WINDOWS = tuple((figure.variant, figure.clients) for figure in WINDOW_FIGURES)  # variant and clients of each figure


def runs_of(side: Side, variant: str, clients: int, part: str = "windows") -> list[Row]:
    """Return the runs of one figure, from one simulator."""
    return [row for row in side.part(part) if row.where == {"variant": variant, "clients": clients}]


Drawn = tuple["Row", "Row"]  # the drawn run, and the quantile band of all runs


def drawn_of(side: Side, variant: str, clients: int) -> Drawn:
    """Return the drawn run and the band of one simulator."""
    run = next(row for row in runs_of(side, variant, clients) if row.seed == SEED)
    return run, runs_of(side, variant, clients, "bands")[0]


def window_chart(figure: WindowFigure, ours: Drawn, ns2: Drawn, *, seeds: int) -> Chart:
    """Draw one figure: a section of the run and the whole run, for each simulator."""
    panels = []
    whole = (0, round(DURATION / UNIT))
    for places, span, bold in (("ab", figure.zoom, 1.5), ("cd", whole, 0.9)):
        top = 1.08 * max(_highest(run, span) for run, _ in (ours, ns2))
        for place, source, (run, band) in zip(places, ("Ackclock", "ns-2.35"), (ours, ns2), strict=True):
            label = f"Time (units of {UNIT:g} s)" if place in "bd" else ""
            panels.append(
                Panel(
                    title=f"({place}) {source}",
                    x=Axis(label=label, low=span[0], high=span[1]),
                    y=Axis(low=0, high=top),
                    series=_series(run, span, bold=bold),
                    bands=[_band(band, span, seeds)] if span != whole else [],
                    levels=[Level(y=ADVERTISED_WINDOW)],
                )
            )
    return Chart(panels=panels, height=7.8, y_label="Congestion window (packets)")


def _within(run: Row, span: Span) -> NDArray[np.bool_]:
    units = np.asarray(run.values["units"])
    return (units >= span[0]) & (units <= span[1])


def _band(band: Row, span: Span, seeds: int) -> Band:
    low, _, high = (band.values[name][_within(band, span)] for name in _LINES)
    name = f"{100 * QUANTILES[0]:g} % to {100 * QUANTILES[-1]:g} % of {seeds} seeds"
    return Band(name=name, x=band.values["units"][_within(band, span)], low=low, high=high, colour="grey")


def _highest(run: Row, span: Span) -> float:
    return max(ADVERTISED_WINDOW, *(float(run.values[name][_within(run, span)].max()) for name in NAMES))


def _series(run: Row, span: Span, *, bold: float) -> list[Series]:
    """Draw effective windows as bold lines, and congestion windows that are larger as thin lines."""
    shown = _within(run, span)
    units = run.values["units"][shown]
    drawn = []
    for client, colour in zip(NAMES, _COLOURS, strict=True):
        window = run.values[client][shown]
        # One more sample on either side joins the thin line to the bold one.
        near = np.convolve(window > ADVERTISED_WINDOW, np.ones(3), mode="same") > 0
        name = client.replace("_", " ")
        if near.any():
            beyond = np.where(near, window, np.nan)
            drawn.append(Series(name=name, x=units, y=beyond, colour=colour, width=0.6, listed=False))
        drawn.append(Series(name=name, x=units, y=effective(window), colour=colour, width=bold))
    return drawn


def _data(ours: Drawn, ns2: Drawn) -> str:
    """Format the congestion windows and the bands as CSV: one row per sample, with columns for each simulator."""
    head = ["time_s", *(f"{source}_{name}" for source in ("ackclock", "ns2") for name in (*NAMES, *_LINES))]
    own, other = (
        {
            int(unit): [f"{window:.{digits}f}".rstrip("0").rstrip(".") for window in columns]
            for unit, *columns in zip(
                run.values["units"],
                *(run.values[name] for name in NAMES),
                *(band.values[name] for name in _LINES),
                strict=True,
            )
        }
        for (run, band), digits in ((ours, 2), (ns2, 1))
    )
    blank = [""] * len((*NAMES, *_LINES))
    units = sorted({*own, *other})
    return rows_csv([head, *([f"{unit * UNIT:.1f}", *own.get(unit, blank), *other.get(unit, blank)] for unit in units)])


def courses_table(ours: Sequence[Row], theirs: Sequence[Row]) -> Table:
    """Make the table of one figure's numbers in both simulators, and whether they agree."""
    places = {place.tolerance.title: place for place in compare(ours, theirs, COURSE_TOLERANCES)}
    agreeing = sum(place.agrees for place in places.values())
    return Table(
        caption=_TEXTS["caption"].format(
            seeds=len(ours), zeros=_zeros(ours, theirs), errors=STANDARD_ERRORS, agreeing=agreeing, all=len(places)
        ),
        head=["", "Ackclock", "ns-2.35", "difference", "agrees"],
        rows=[
            [
                tolerance.title,
                *(_spread(tolerance.measure, side) for side in (ours, theirs)),
                *(_verdict(places[tolerance.title]) if tolerance.title in places else ["", ""]),
            ]
            for tolerance in COURSE_TOLERANCES
        ],
    )


def _zeros(ours: Sequence[Row], theirs: Sequence[Row]) -> str:
    """Explain windows of 0, if any run has one."""
    here, there = (sum(run.values["lowest"] == 0 for run in side) for side in (ours, theirs))
    if not here and not there:
        return ""
    # Over all clients, 11 of ns-2's runs with seeds 1 to 20 have a window of 0, for 0.2 to 0.8 s, and 10 of ours.
    return str(_TEXTS["zeros"].format(here=here, ours=len(ours), there=there, theirs=len(theirs)))


def _spread(measure: Callable[[Row], float | None], runs: Sequence[Row]) -> str:
    """Format mean and range over the seeds, and the number of seeds with a value if not all have one."""
    sample = [value for run in runs if (value := measure(run)) is not None]
    if not sample:
        return DASH
    low, high = np.quantile(sample, _RANGE)
    mean = float(np.mean(sample))
    digits = 2 if mean < 10 else 1
    some = f", in {len(sample)} seeds" if len(sample) < len(runs) else ""
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f}{some})"


def _verdict(place: Comparison) -> list[str]:
    verdict = "yes" if place.agrees else "no"
    if not place.standard_error:
        return ["none" if not place.difference else f"{place.difference:+.2f}, the same in all seeds", verdict]
    return [f"{place.difference:+.2f} ({place.standard_errors:+.1f} s.e.)", verdict]


def courses_verdict(ours: Sequence[Row], theirs: Sequence[Row]) -> Statement:
    """Summarize how many numbers of the window figures agree with ns-2; each side needs two seeds or more."""
    places = compare(ours, theirs, COURSE_TOLERANCES)
    agreeing = [place for place in places if place.agrees]
    varied = [place for place in places if place.standard_error]
    largest = max((abs(place.standard_errors) for place in varied), default=0.0)
    words = "agree" if len(agreeing) >= 0.95 * len(places) else "do not all agree"
    return Statement(
        lead=f"The windows {words} with ns-2's.",
        text=_TEXTS["verdict"].format(
            all=len(places),
            seeds=len({run.seed for run in ours}),
            agreeing=len(agreeing),
            errors=STANDARD_ERRORS,
            same=len(places) - len(varied),
            largest=largest,
        ),
    )
