"""The page of a comparison: verdicts, and figures with the kernel and the simulator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ackclock.analysis import mean_interval
from ackclock.drawing.chart import Axis, Chart, Marker, Panel, Series
from ackclock.live.judging import EQUAL, MARGINS, TOO_LATE
from ackclock.report.html import Drawing, Report, Section, Statement, Table, render
from ackclock.report.rows import rows_csv
from ackclock.running.figures.together import together
from ackclock.running.origin import Origin
from ackclock.running.summary import UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ackclock.live.comparing import Comparison
    from ackclock.running.run import Run

_QUANTILES: Final = (("50 %", "sojourn_p50"), ("95 %", "sojourn_p95"), ("99 %", "sojourn_p99"), ("all", "sojourn_max"))
_PENS: Final[tuple[tuple[str, str, Marker, float], ...]] = (
    ("kernel", "blue", "circle", -0.08),
    ("simulator", "red", "square", 0.08),
)


def page(found: Comparison, command: str) -> str:
    """Write the page."""
    kernel = found.live[0].kernel
    over_time = [
        _over_time(found, "cwnd", "Congestion windows", "windows", command),
        _over_time(found, "rtt", "Smoothed round-trip times", "srtt", command),
        _over_time(found, "throughput", "Goodput", "goodput", command),
    ]
    late = any(not run.lateness.trusted for run in found.live)
    report = Report(
        title=f"Kernel {kernel} and the simulator",
        source=f"{len(found.live)} repetitions of one scenario, by the kernel of this machine through the simulator's "
        "links in real time, and by the simulator.",
        question="Does the simulator do what the kernel does?",
        answer=answer(found),
        warning="The emulator was too late: repeat the comparison on an idle machine." if late else "",
        summary=[Statement(lead=f"{row.name}:", text=f"{row.verdict}.") for row in found.rows],
        sections=[
            Section(title="Measures", table=table(found), drawings=[]),
            Section(title="Time in the queue", drawings=[_delays(found, command)]),
            Section(
                title="Over time",
                text="Means over the repetitions; the areas are 95 % confidence intervals of the mean.",
                drawings=over_time,
            ),
            Section(title="The emulator", table=_lateness(found), drawings=[]),
        ],
        setup=list(_setup(found)),
        provenance=[*([("Command", command)] if command else []), ("Kernel", kernel), ("Program", str(Origin.here()))],
        shows="windows",
    )
    return render(report)


def answer(found: Comparison) -> str:
    """Count the verdicts in a sentence."""
    kinds = ["within", EQUAL, "differs", TOO_LATE]
    words = ["within their margins", EQUAL, "different", TOO_LATE]
    counts = [sum(row.verdict.startswith(kind) for row in found.rows) for kind in kinds]
    said = ", ".join(f"{count} {word}" for count, word in zip(counts, words, strict=True) if count)
    return f"Of {len(found.rows)} measures: {said}."


def table(found: Comparison) -> Table:
    """Return the table of measures."""
    return Table(
        caption="Means over the repetitions, and the mean difference, repetition by repetition, with its 95 % "
        "confidence interval.",
        head=["Measure", "Kernel", "Simulator", "Difference", "Verdict"],
        rows=[
            [
                row.name,
                f"{row.kernel:.4g} {row.unit}".rstrip(),
                f"{row.simulator:.4g} {row.unit}".rstrip(),
                f"{row.difference:+.3g} ± {row.half_width:.2g}",
                row.verdict,
            ]
            for row in found.rows
        ],
    )


def _both(found: Comparison) -> Mapping[str, Sequence[Run]]:
    return {"kernel": [run.run for run in found.live], "simulator": found.simulated}


def _over_time(found: Comparison, figure: str, title: str, slug: str, command: str) -> Drawing:
    chart = together(_both(found), [figure])
    lines: list[Sequence[object]] = [["series", "x", "y"]]
    for panel in chart.panels:
        for series in panel.series:
            lines += [[series.name, float(x), float(y)] for x, y in zip(series.x, series.y, strict=True)]  # type: ignore[arg-type]
    return Drawing(
        slug=slug,
        title=title,
        caption=f"{title} of the kernel and of the simulator, the mean over all flows.",
        chart=chart,
        csv=rows_csv(lines),
        numbers=table(found),
        command=command,
    )


def _delays(found: Comparison, command: str) -> Drawing:
    factor = UNITS["sojourn_p50"][1]
    series, lines = [], [["runs", "share of packets", "repetition", "ms"]]
    intervals: dict[str, list[str]] = {name: [name] for name, _ in _QUANTILES}
    for name, colour, marker, shift in _PENS:
        runs, means, halves, places = _both(found)[name], [], [], []
        for place, (share, measure) in enumerate(_QUANTILES, 1):
            values = [value for run in runs if (value := getattr(run, measure)) is not None]
            lines += [[name, share, str(number), f"{factor * value:.6g}"] for number, value in enumerate(values, 1)]
            if not values:
                intervals[share].append("")
                continue
            interval = mean_interval([factor * value for value in values])
            intervals[share].append(f"{interval.mean:.4g} ± {interval.half_width:.2g}")
            means.append(interval.mean)
            halves.append(interval.half_width if math.isfinite(interval.half_width) else 0.0)
            places.append(place + shift)
        series.append(
            Series(name=name, x=places, y=means, error=halves, colour=colour, marker=marker, dash="none", size=5)
        )
    ticks = [(float(place), name) for place, (name, _) in enumerate(_QUANTILES, 1)]
    return Drawing(
        slug="delays",
        title="Quantiles of the time in the queue",
        caption="Time within which a share of the packets left the queue. Means over the repetitions with 95 % "
        "confidence intervals.",
        chart=Chart(
            panels=[
                Panel(
                    x=Axis(label="Share of the packets", low=0.5, high=len(_QUANTILES) + 0.5, ticks=ticks),
                    y=Axis(label="Time in the queue, ms", low=0),
                    series=series,
                )
            ]
        ),
        csv=rows_csv(lines),
        numbers=Table(
            caption="Milliseconds: means with half-widths of 95 % confidence intervals.",
            head=["Share of the packets", "Kernel", "Simulator"],
            rows=list(intervals.values()),
        ),
        command=command,
    )


def _lateness(found: Comparison) -> Table:
    return Table(
        caption="How late packets left in each live run, compared with the time that the links computed.",
        head=["Seed", "Packets", "Median, µs", "99 %, µs", "Longest, ms", "Judgement"],
        rows=[
            [
                str(run.run.seed),
                f"{run.lateness.packets:,}",
                f"{run.lateness.p50 * 1e6:.0f}",
                f"{run.lateness.p99 * 1e6:.0f}",
                f"{run.lateness.longest * 1e3:.2f}",
                "; ".join(run.lateness.reasons) or "on time",
            ]
            for run in found.live
        ],
    )


def _setup(found: Comparison) -> Iterator[tuple[str, str]]:
    scenario, live = found.simulated[0].scenario, found.live[0].run.live or {}
    bottleneck = scenario.dumbbell.bottleneck if scenario.dumbbell is not None else None
    if bottleneck is not None:
        yield "Bottleneck", f"{bottleneck.rate}, {bottleneck.delay}, {getattr(bottleneck.queue, 'kind', 'queue')}"
    yield "Clients", ", ".join(f"{group.count} x {group.name}" for group in scenario.groups)
    yield "Duration", f"{scenario.duration}, measured from {scenario.measure.from_}"
    yield "Congestion control", ", ".join(live.get("congestion_controls", ())) or "none"
    yield "Kernel's settings", ", ".join(f"{name} = {value}" for name, value in live.get("settings", {}).items())
    margins = ", ".join(f"{100 * value:.3g} % for {name}" for name, value in MARGINS.items())
    yield (
        "Rule",
        (
            "if the emulator was too late in any run, there is no verdict. A measure is within its margin if the whole "
            f"interval of the mean difference is. Otherwise, it is {EQUAL} if the interval contains 0, and differs if "
            f"not. Margins, as parts of the simulator's mean: {margins}"
        ),
    )
