"""Jitter of the fixed-rate source: in the network, and as an application sees it, over each TCP and over UDP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.analysis import student_interval
from ackclock.papers.reading import shown
from ackclock.papers.selfsimilar.experiment import CONSTANT, RATE, READINGS, VARIANTS
from ackclock.papers.selfsimilar.figures import seeds_told
from ackclock.papers.selfsimilar.tables import csv_text
from ackclock.report.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ackclock.analysis import Interval
    from ackclock.papers.selfsimilar.evidence import Evidence, Side
    from ackclock.papers.selfsimilar.experiment import Reading, Variant

__all__ = ["jitter_drawing"]

_MEASURES: Final[Mapping[str, tuple[str, int]]] = {
    "jitter": ("Network: jitter (ms)", 3),
    "variation_99": ("Network: delay variation, 99 % (ms)", 2),
    "late_jitter": ("Application: jitter (ms)", 2),
    "late_99": ("Application: delay variation, 99 % (ms)", 1),
}


def jitter_drawing(evidence: Evidence, *, command: str) -> Drawing:
    """Draw what is made of packets that leave a source at a fixed rate."""
    names = [*VARIANTS.values(), "UDP"]
    panels = []
    for number, (measure, (title, _)) in enumerate(_MEASURES.items()):
        drawn = []
        for side, shift, filled in ((evidence.ours, -0.1, True), (evidence.ns2, 0.1, False)):
            points = _points(side, measure)
            drawn.append(
                Series(
                    name="Ackclock" if filled else "ns-2.35",
                    x=[names.index(name) + shift for name in points],
                    y=[point.mean for point in points.values()],
                    error=[point.half_width for point in points.values()],
                    colour="blue" if filled else "ink",
                    marker="circle",
                    dash="none",
                    filled=filled,
                    size=6,
                    listed=number == 0,
                )
            )
        late = measure.startswith("late")
        panels.append(
            Panel(
                title=title,
                x=Axis(
                    low=-0.6,
                    high=len(names) - 0.4,
                    ticks=[*enumerate(names)],
                    label=" " if number == len(_MEASURES) - 1 else "",
                ),
                y=Axis(label="ms", log=late, low=None if late else 0),
                series=drawn,
            )
        )
    sides = (("ackclock", "", evidence.ours), ("ns-2.35", ", ns-2.35", evidence.ns2))
    return Drawing(
        chart=Chart(panels=panels, height=8.6),
        slug="jitter",
        title="Jitter of the fixed-rate source",
        caption=f"Of {RATE} packets a second over the same backgrounds; points are means of "
        f"{seeds_told(evidence.ours)} with 95 % intervals (Student's t). Jitter is the mean of RFC 3550's interarrival "
        "jitter over all arrivals; delay variation is by how much 99 % of them are later, at most, than the fastest "
        "(RFC 5481). In the network delays run from the sending of a packet to its arrival; for the application, from "
        "when the source made it to when it is there in order. TCP adds no jitter on the way, but holds back what its "
        "window does not let out, above all in the first seconds, and what waits for a retransmission. The paper says "
        "that jitter was measured, and prints none.",
        csv=csv_text(
            ["source", "transport", "seeds", *(f"{name}{end}" for name in _MEASURES for end in ("", "_ci95"))],
            (
                [
                    source,
                    name,
                    found["jitter"].count,
                    *(
                        number
                        for measure in _MEASURES
                        for point in [found.get(measure)]
                        for number in ((point.mean, point.half_width) if point else ("", ""))
                    ),
                ]
                for source, _, side in sides
                for name, found in _rows(side)
            ),
        ),
        numbers=Table(
            caption="Mean ± half-width of the 95 % interval; of other sources than that of constant rate in the "
            "network only, as they make nothing at a fixed rate",
            head=["", *(title for title, _ in _MEASURES.values())],
            rows=[
                [
                    f"{name}{ending}",
                    *(
                        shown(found[measure], digits) if measure in found else "–"  # noqa: RUF001 - for what is not there
                        for measure, (_, digits) in _MEASURES.items()
                    ),
                ]
                for _, ending, side in sides
                for name, found in _rows(side)
            ],
        ),
        command=command,
    )


def _points(side: Side, measure: str) -> dict[str, Interval]:
    """Give a measure of each transport."""
    found = {name: student_interval(side.values(CONSTANT, variant, measure)) for variant, name in VARIANTS.items()}
    return {
        **found,
        "UDP": student_interval([value for run in side.unresponsive if (value := run[measure]) is not None]),
    }


def _rows(side: Side) -> Iterator[tuple[str, dict[str, Interval]]]:
    """Give what is known of each transport, and of each variant under the other readings."""
    points = {measure: _points(side, measure) for measure in _MEASURES}
    for name in points["jitter"]:
        yield name, {measure: found[name] for measure, found in points.items()}
    for reading in READINGS.values():
        for variant, name in VARIANTS.items():
            made = {
                measure: student_interval(values)
                for measure in _MEASURES
                if (values := _known(side, reading, variant, measure))
            }
            if made and reading is not CONSTANT:
                yield f"{name}, {reading.name}", made


def _known(side: Side, reading: Reading, variant: Variant, measure: str) -> list[float]:
    found = (each.values.get(measure) for each in side.of(reading, variant))
    return [value for value in found if value is not None]
