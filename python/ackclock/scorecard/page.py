"""The page of an evaluation: verdicts first, then each experiment with bars beside the yardstick's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ackclock.analysis import student_interval
from ackclock.drawing.chart import Axis, Chart, Level, Marker, Panel, Series
from ackclock.drawing.inline import block, table
from ackclock.report.html import Drawing, Report, Section, Statement, Table, render
from ackclock.report.rows import rows_csv
from ackclock.running.origin import Origin
from ackclock.scorecard.rules import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ackclock.analysis.interval import Interval
    from ackclock.scorecard.card import Examined, Result, Scorecard, Seen

__all__ = ["brief_html", "page"]

_COLOURS: Final[dict[Verdict, str]] = {Verdict.PASS: "green", Verdict.UNDECIDED: "amber", Verdict.FAIL: "red"}
_MARKERS: Final[dict[Verdict, Marker]] = {Verdict.PASS: "circle", Verdict.UNDECIDED: "diamond", Verdict.FAIL: "square"}
_APART: Final = 0.12
"""Distance of a contender from the place of its network."""
_WIDTH: Final = 0.7
"""Part of an experiment's column over which its cells are spread."""


def page(card: Scorecard, command: str) -> str:
    """Write the page."""
    return render(report_of(card, command))


def report_of(card: Scorecard, command: str) -> Report:
    """Return the content of the page."""
    networks = sum(len(result.cells) for result in card.results.values())
    return Report(
        title=f"Scorecard: {card.name} beside {card.against}",
        source=f"{len(card.results)} experiments, {networks} networks, {len(card.seeds)} seeds each, after "
        f"{card.documents}. The documents ask the questions and leave the numbers open: the rules below state them.",
        question=f"What do the documents ask, and what does {card.name} do?",
        answer=card.answer(),
        summary=list(_statements(card)),
        overview=_overview(card),
        sections=[
            Section(title="Overview", drawings=[_overview_drawing(card, command)]),
            *(_section(number, result, card, command) for number, result in enumerate(card.results.values(), 1)),
        ],
        provenance=[*([("Command", command)] if command else []), ("Program", str(Origin.here()))],
        shows="overview",
    )


def brief_html(card: Scorecard) -> str:
    """Return the table of verdicts as HTML."""
    verdicts = _overview(card)
    return block(card.answer(), table(verdicts.rows, head=verdicts.head))


def _statements(card: Scorecard) -> Iterator[Statement]:
    for verdict, words in ((Verdict.FAIL, "fails"), (Verdict.UNDECIDED, "is undecided")):
        for result in card.results.values():
            if result.verdict is verdict:
                advice = f" {result.experiment.advice}" if verdict is Verdict.FAIL else ""
                yield Statement(
                    lead=f"{result.experiment.title}: {words}.", text=f"{result.deciding(card.against)}{advice}"
                )


def _overview(card: Scorecard) -> Table:
    rows = [
        [
            f"{number}. {result.experiment.title}",
            str(result.verdict),
            str(result.yardstick or "\N{EN DASH}"),
            " / ".join(str([cell.verdict for cell in result.cells].count(verdict)) for verdict in Verdict),
        ]
        for number, result in enumerate(card.results.values(), 1)
    ]
    return Table(
        caption="A network passes if the 95 % confidence interval of each rule's measure is within its limit, and "
        "fails if one is beyond it. An experiment fails if any of its networks fails, and passes if all pass.",
        head=["Experiment", card.name, f"{card.against} itself", "Networks: pass / fail / undecided"],
        rows=rows,
    )


def _overview_drawing(card: Scorecard, command: str) -> Drawing:
    results = list(card.results.values())
    points: dict[Verdict, list[tuple[float, float, float]]] = {verdict: [] for verdict in Verdict}
    lines: list[list[object]] = [["experiment", "key", "network", "verdict", "ratio", "half_width"]]
    for number, result in enumerate(results, 1):
        count = len(result.cells)
        for place, cell in enumerate(result.cells):
            seen = cell.seen[result.experiment.headline]
            ratio = _ratio(seen)
            x = number + _WIDTH * ((place + 0.5) / count - 0.5)
            lines.append([number, result.experiment.key, cell.cell.place, str(cell.verdict), *(ratio or ("", ""))])
            if ratio:
                points[cell.verdict].append((x, *ratio))
    series = [
        Series(
            name=str(verdict),
            x=[x for x, _, _ in those],
            y=[y for _, y, _ in those],
            error=[bar for _, _, bar in those],
            colour=_COLOURS[verdict],
            marker=_MARKERS[verdict],
            dash="none",
        )
        for verdict, those in points.items()
        if those
    ]
    numbers = [(float(number), str(number)) for number in range(1, len(results) + 1)]
    headlines = [
        [f"{number}", each.experiment.title, each.experiment.headline] for number, each in enumerate(results, 1)
    ]
    panel = Panel(
        x=Axis(label="Experiment", low=0.5, high=len(results) + 0.5, ticks=numbers),
        y=Axis(label=f"{card.name} / {card.against}", log=True),
        series=series,
        levels=[Level(y=1.0)],
    )
    return Drawing(
        slug="overview",
        title="The first measure of each experiment, relative to the yardstick's",
        caption=f"A point is a network: the measure of {card.name} divided by that of {card.against} in its place, "
        "with the 95 % confidence interval. Its colour is the verdict of all rules in that network. Networks where one "
        "of them is 0 or has no value are left out. The table names the measures.",
        chart=Chart(panels=[panel]),
        csv=rows_csv(lines),
        numbers=Table(caption="Measures of the figure.", head=["", "Experiment", "Measure"], rows=headlines),
        command=command,
    )


def _ratio(seen: Seen) -> tuple[float, float] | None:
    """Return the ratio of the law to the yardstick, and the half-width of its interval; None if it has no logarithm."""
    pairs = [(law, other) for law, other in zip(seen.own, seen.yardstick, strict=True) if law and other]
    if len(pairs) < len(seen.own) or any(law < 0 or other < 0 for law, other in pairs):
        return None
    interval = student_interval([law / other for law, other in pairs])
    # A bar that reaches 0 has no lower end on the logarithmic axis.
    return interval.mean, min(interval.half_width, 0.9 * interval.mean) if math.isfinite(interval.half_width) else 0.0


def _section(number: int, result: Result, card: Scorecard, command: str) -> Section:
    experiment = result.experiment
    advice = "" if result.verdict is Verdict.PASS else f" {experiment.advice}"
    return Section(
        title=f"{number}. {experiment.title}: {result.verdict}",
        text=f"{experiment.question} {result.deciding(card.against)}{advice} Source: {experiment.source}.",
        drawings=[_drawing(number, result, card, command)],
    )


def _drawing(number: int, result: Result, card: Scorecard, command: str) -> Drawing:
    name = result.experiment.headline
    seen = [cell.seen[name] for cell in result.cells]
    places = [float(place) for place in range(1, len(seen) + 1)]
    beside = card.against if card.against != card.name else f"{card.against} (yardstick)"
    series = [
        _side(card.name, [each.interval(each.own) for each in seen], "blue", "circle", -_APART),
        _side(beside, [each.interval(each.yardstick) for each in seen], "grey", "square", _APART),
    ]
    chart = Chart(
        panels=[
            Panel(
                x=Axis(
                    label="Network (numbers in the table)",
                    low=0.5,
                    high=len(seen) + 0.5,
                    ticks=[(place, f"{place:g}") for place in places],
                ),
                y=Axis(label=seen[0].measure.words, low=0.0),
                series=series,
            )
        ]
    )
    return Drawing(
        slug=result.experiment.key,
        title=f"{number}. {seen[0].measure.words}",
        caption=f"Means of {len(card.seeds)} seeds; bars are 95 % confidence intervals.",
        chart=chart,
        csv=rows_csv(_values(result, card)),
        numbers=_numbers(result, card),
        command=command,
    )


def _side(name: str, intervals: Sequence[Interval | None], colour: str, marker: Marker, shift: float) -> Series:
    """Return the means of a contender in each network, with their bars, beside the places of the networks."""
    return Series(
        name=name,
        x=[place + shift for place in range(1, len(intervals) + 1)],
        y=[interval.mean if interval else math.nan for interval in intervals],
        error=[interval.half_width if interval else 0.0 for interval in intervals],
        colour=colour,
        marker=marker,
        dash="none",
    )


def _numbers(result: Result, card: Scorecard) -> Table:
    rows = [
        [
            f"{place}. {cell.cell.place}",
            seen.measure.name,
            seen.shown(seen.own),
            seen.shown(seen.yardstick),
            _rules(cell, name, card.against),
        ]
        for place, cell in enumerate(result.cells, 1)
        for name, seen in cell.seen.items()
    ]
    caption = "Means with half-widths of 95 % confidence intervals, and what the rules say."
    return Table(caption=caption, head=["Network", "Measure", card.name, card.against, "Rule"], rows=rows)


def _rules(cell: Examined, name: str, against: str) -> str:
    found = [answer for answer in cell.answers if answer.rule.measure.name == name]
    return "; ".join(f"{answer.rule.words(against)}: {answer.verdict}" for answer in found) or "\N{EN DASH}"


def _values(result: Result, card: Scorecard) -> Iterator[Sequence[object]]:
    yield "network", "measure", "unit", "seed", "law", "against"
    for cell in result.cells:
        for name, seen in cell.seen.items():
            for seed, own, other in zip(card.seeds, seen.own, seen.yardstick, strict=True):
                yield cell.cell.place, name, seen.measure.unit, seed, own, other
