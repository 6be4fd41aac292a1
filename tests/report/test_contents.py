"""The contents of a page, and the figures that claims name."""

from __future__ import annotations

from typing import Any

import pytest

from ackclock.drawing.chart import Axis, Chart, Panel
from ackclock.report.html import Drawing, Report, Section, Statement, Table
from ackclock.report.links import Entry, _numbers, contents


def report(**more: Any) -> Report:
    chart = Chart(panels=[Panel(x=Axis(), y=Axis(), series=())])
    drawings = [
        Drawing(
            slug=slug,
            title=slug.title(),
            caption="",
            chart=chart,
            csv="",
            numbers=Table(caption="", head=[], rows=[]),
            command="",
        )
        for slug in ("one", "two")
    ]
    sections = [Section(title="First", drawings=drawings), Section(title="Second", drawings=[])]
    return Report(title="A page", source="", summary=[Statement(lead="", text="It is.")], sections=sections, **more)


BELOW = (Entry(anchor="one", title="One"), Entry(anchor="two", title="Two"))
ALWAYS = [
    Entry(anchor="top", title="Answer"),
    Entry(anchor="summary", title="Findings"),
    Entry(anchor="part-1", title="First", below=[*BELOW]),
    Entry(anchor="part-2", title="Second", below=[]),
]


@pytest.mark.parametrize(
    ("more", "last"),
    [
        ({}, []),
        ({"setup": [("rate", "1 Mbps")]}, [Entry(anchor="setup", title="Simulation setup")]),
        ({"provenance": [("Command", "ackclock")]}, [Entry(anchor="provenance", title="Provenance")]),
    ],
)
def test_contents(more: dict[str, Any], last: list[Entry]) -> None:
    assert contents(report(**more)) == [*ALWAYS, *last]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [("5", ["5"]), ("5, 7 to 9 and A", ["5", "7", "8", "9", "A"]), ("A to C", ["A", "C"]), ("2 to 2", ["2"])],
)
def test_lists_of_numbers(words: str, numbers: list[str]) -> None:
    assert _numbers(words) == numbers
