"""Figures 5 to 7: the window, the round-trip time and what is sent again, over the time of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.papers.reading import shown
from ackclock.papers.selfsimilar.experiment import CONSTANT, DURATION, GREEDY, READINGS, VARIANTS, WINDOW
from ackclock.papers.selfsimilar.figures import PENS, seeds_told
from ackclock.papers.selfsimilar.looks import LOW, SETTLED, SPIKE, STEP
from ackclock.papers.selfsimilar.paired import interval
from ackclock.papers.selfsimilar.tables import csv_text
from ackclock.report.chart import Axis, Band, Chart, Level, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.papers.selfsimilar.evidence import Evidence, Side
    from ackclock.papers.selfsimilar.experiment import Reading, Variant
    from ackclock.papers.selfsimilar.looks import Course

__all__ = ["course_drawings"]

_SHOWN: Final[Mapping[str, Reading]] = {"": CONSTANT, "-greedy": GREEDY, "-window": WINDOW}
"""The readings, the one that comes nearest to the paper's Figure 5 first, by what their files end with."""

_WINDOW: Final = (
    ("cwnd_least", "least", 0),
    ("cwnd_median", "median", 0),
    ("cwnd_most", "most", 0),
    ("cwnd_below", f"part of the time below {LOW}", 2),
    ("cwnd_falls", "falls to 2 or 1", 1),
)
_ROUND_TRIP: Final = (
    ("rtt_most", "largest sample, ms", 0),
    ("spikes", f"tenths of a second above {SPIKE} ms", 1),
    ("spikes_again", "part of these with a retransmission", 2),
)
_AGAIN: Final = (("retransmissions", "sent again", 1), ("drops", "dropped", 1), ("timeouts", "timeouts", 1))


def course_drawings(evidence: Evidence, *, command: str) -> list[Drawing]:
    """Draw Figures 5 and 6, windows and round-trip times, for each reading, and Figure 7, retransmissions, for all.

    Parameters
    ----------
    evidence
        Runs of both simulators; of each setting the first is drawn.
    command
        What a person types to make them.

    """
    return [
        *(_windows(evidence, reading, ending, command) for ending, reading in _SHOWN.items()),
        *(_round_trips(evidence, reading, ending, command) for ending, reading in _SHOWN.items()),
        _retransmissions(evidence, command),
    ]


def _windows(evidence: Evidence, reading: Reading, ending: str, command: str) -> Drawing:
    return Drawing(
        chart=_panels(evidence, reading, "cwnd", Axis(label="cwnd (packets)", low=0), Level(y=LOW), band=True),
        slug=f"figure5{ending}",
        title=f"Figure 5. Congestion window of TCP variants, {reading.name}",
        caption=f"The first run of each, like the others or not, looked at every {STEP} s, over a band with the "
        f"middle 80 % of {seeds_told(evidence.ours)}; dashed: one run of ns-2.35, with other random numbers. Dotted "
        f"line: the {LOW} packets below which the paper's NewReno and SACK never fall. The table has all seeds, from "
        f"{SETTLED} s on.",
        csv=_csv(evidence, reading, "cwnd"),
        numbers=_table(evidence, (reading,), _WINDOW, f"Window from {SETTLED} s on, packets"),
        command=command,
    )


def _round_trips(evidence: Evidence, reading: Reading, ending: str, command: str) -> Drawing:
    return Drawing(
        chart=_panels(evidence, reading, "rtt", Axis(label="RTT (ms)", low=70, high=230), Level(y=SPIKE)),
        slug=f"figure6{ending}",
        title=f"Figure 6. Round-trip time of TCP variants, {reading.name}",
        caption="The largest sample that the sender took in every "
        f"{STEP} s, in ticks of 1 ms, of one run; dashed: one of ns-2.35. A packet sent once takes 75.3 ms, and up to "
        f"1.6 ms more behind ten others: what lies far above {SPIKE} ms (dotted) was timed from its first sending and "
        "sent again meanwhile.",
        csv=_csv(evidence, reading, "rtt"),
        numbers=_table(evidence, (reading,), _ROUND_TRIP, "Samples of the round-trip time"),
        command=command,
    )


def _retransmissions(evidence: Evidence, command: str) -> Drawing:
    panels = []
    for number, reading in enumerate(READINGS.values()):
        drawn = []
        for place, (variant, name) in enumerate(reversed(tuple(VARIANTS.items()))):
            for side, shift, filled in ((evidence.ours, 0.12, True), (evidence.ns2, -0.18, False)):
                times = _first(side, reading, variant).again
                drawn.append(
                    Series(
                        name=name if filled else f"{name}, ns-2.35",
                        x=times,
                        y=np.full(times.size, place + shift),
                        colour=PENS[variant].colour,
                        marker=PENS[variant].marker,
                        dash="none",
                        filled=filled,
                        size=4 if filled else 3.4,
                        listed=False,
                        group=name,
                    )
                )
        panels.append(
            Panel(
                title=reading.name,
                x=Axis(label="Time (s)" if number == len(READINGS) - 1 else "", low=0, high=DURATION),
                y=Axis(low=-0.6, high=3.6, ticks=[*enumerate(reversed(tuple(VARIANTS.values())))]),
                series=drawn,
            )
        )
    return Drawing(
        chart=Chart(panels=panels, height=7.2),
        slug="figure7",
        title="Figure 7. Occurrences of retransmitted packets",
        caption="When one run of each variant sent a packet again; hollow: one run of ns-2.35, below.",
        csv=csv_text(
            ["source", "reading", "variant", "time"],
            (
                [source, reading.name, variant, float(time)]
                for source, side in _sides(evidence)
                for reading in READINGS.values()
                for variant in VARIANTS
                for time in _first(side, reading, variant).again
            ),
        ),
        numbers=_table(evidence, tuple(READINGS.values()), _AGAIN, "Packets in 100 s"),
        command=command,
    )


def _panels(evidence: Evidence, reading: Reading, what: str, y: Axis, level: Level, *, band: bool = False) -> Chart:
    """Draw one panel a variant: ours as a line, and ns-2's behind it; behind both, if asked for, all our seeds."""
    panels = []
    for number, (variant, name) in enumerate(VARIANTS.items()):
        drawn = [
            Series(
                name="ns-2.35" if theirs else name,
                x=_times(len(points)),
                y=points,
                colour="faint" if theirs else PENS[variant].colour,
                dash="dashed" if theirs else "solid",
                width=0.9 if theirs else 1.3,
                listed=number == 0 and theirs,
            )
            for theirs, side in ((True, evidence.ns2), (False, evidence.ours))
            for points in [getattr(_first(side, reading, variant), what)]
        ]
        last = number == len(VARIANTS) - 1
        panels.append(
            Panel(
                title=name,
                x=Axis(label="Time (s)" if last else "", low=0, high=DURATION),
                y=y,
                series=drawn,
                bands=[_middle(evidence.ours, reading, variant, what)] if band else (),
                levels=[level],
            )
        )
    return Chart(panels=panels, height=8.8)


def _middle(side: Side, reading: Reading, variant: Variant, what: str) -> Band:
    """Give the band in which the middle 80 % of all seeds lie at each time."""
    courses = np.array([getattr(each.course, what) for each in side.of(reading, variant)])
    low, high = np.percentile(courses, (10, 90), axis=0)
    return Band(
        name=VARIANTS[variant],
        x=_times(courses.shape[1]),
        low=low,
        high=high,
        colour=PENS[variant].colour,
        listed=False,
    )


def _first(side: Side, reading: Reading, variant: Variant) -> Course:
    """Give the course that is drawn."""
    course = side.of(reading, variant)[0].course
    if course is None:
        raise LookupError(f"the first run of {variant} kept no course")
    return course


def _sides(evidence: Evidence) -> tuple[tuple[str, Side], ...]:
    return ("ackclock", evidence.ours), ("ns-2.35", evidence.ns2)


def _times(points: int) -> np.ndarray:
    return np.arange(1, points + 1) * STEP


def _csv(evidence: Evidence, reading: Reading, what: str) -> str:
    columns = {
        f"{source} {variant}": getattr(_first(side, reading, variant), what)
        for source, side in _sides(evidence)
        for variant in VARIANTS
    }
    along = _times(round(DURATION / STEP))
    return csv_text(
        ["time", *columns], zip(map(float, along), *(map(float, each) for each in columns.values()), strict=True)
    )


def _table(
    evidence: Evidence, readings: Sequence[Reading], columns: Sequence[tuple[str, str, int]], what: str
) -> Table:
    """Lay out means over all seeds of both simulators."""

    def cell(side: Side, reading: Reading, variant: Variant, measure: str, digits: int) -> str:
        try:
            return shown(interval(side, reading, variant, measure), digits)
        except LookupError:
            return "–"  # noqa: RUF001 - a dash for what is not there

    return Table(
        caption=f"{what}: mean ± half-width of the 95 % interval, {seeds_told(evidence.ours)}",
        head=["", *(title for _, title, _ in columns)],
        rows=[
            [
                f"{name}, {reading.name}{ending}",
                *(cell(side, reading, variant, measure, digits) for measure, _, digits in columns),
            ]
            for reading in readings
            for variant, name in VARIANTS.items()
            for ending, side in (("", evidence.ours), (", ns-2.35", evidence.ns2))
        ],
    )
