"""Reports: one HTML file with everything inside, which opens without a network, on light and dark screens.

Figures are SVG in the page (`ackclock.report.screen`), which scripts only add to: values where a reader points, series
to hide, claims to filter. The data to download are compressed.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ackclock.report.links import backs, contents, links, section_anchors, tallies
from ackclock.report.paper import draw
from ackclock.report.pens import marker_shapes
from ackclock.report.screen import interactive
from ackclock.report.style import COLOURS, to_png, to_svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from ackclock.report.chart import Chart

__all__ = ["Drawing", "Finding", "Origin", "Report", "Section", "Statement", "Table", "Verdict", "render"]


Origin = Literal["paper", "ours"]
"""Who makes a claim: a paper, or this study."""

_FIRST_PANELS = 4
"""A figure of more panels does not fit on the first screen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One thing that the report found, in a sentence or two.

    Parameters
    ----------
    lead
        The first words, set in bold.
    text
        The rest.

    """

    lead: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of text; the first cell of each row names it.

    Parameters
    ----------
    caption
        What the table holds, with units.
    head
        The names of the columns.
    rows
        As many cells each as the head has.

    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure with all that belongs to it.

    Parameters
    ----------
    slug
        Short name for files and links, such as ``figure2``.
    title
        Heading.
    caption
        What is drawn, how, and what the bars mean.
    chart
        What is drawn.
    csv
        Its data, as they are written to a file.
    numbers
        The data for people.
    command
        What a person types to make it.

    """

    slug: str
    title: str
    caption: str
    chart: Chart
    csv: str
    numbers: Table
    command: str

    @cached_property
    def figure(self) -> Figure:
        """The drawing on paper."""
        return draw(self.chart)

    @cached_property
    def svg(self) -> str:
        """The same as text."""
        return to_svg(self.figure)

    @property
    def label(self) -> str:
        """What a screen reader says in place of the drawing."""
        return f"{self.title}. The numbers are in the table below."

    @property
    def inline(self) -> Markup:
        """The drawing as a part of the page."""
        return Markup(interactive(self.chart, label=self.label))  # noqa: S704 - our own drawing

    @property
    def files(self) -> Mapping[str, bytes]:
        """The files by their names."""
        return {
            f"{self.slug}.png": to_png(self.figure),
            f"{self.slug}.svg": self.svg.encode(),
            f"{self.slug}.csv": self.csv.encode(),
        }


class Verdict(StrEnum):
    """What the runs say about a claim, from best to worst."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    DEPENDS = "depends on"
    """It flips with a setting that the paper does not print."""
    UNDECIDED = "undecided"
    """The intervals admit both that it holds and that it does not."""
    NOT = "not reproduced"
    NOT_TESTABLE = "not testable"
    """No run can decide it."""


_OURS = {
    Verdict.REPRODUCED: "confirmed",
    Verdict.PARTLY: "partly confirmed",
    Verdict.NOT: "not confirmed",
}
"""The words of verdicts on our own claims, where they differ."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One claim and what became of it: a row of the table of claims.

    Parameters
    ----------
    key
        Short name for links, such as ``3.2-1``.
    claim
        What is claimed.
    where
        Where it is claimed.
    published, ours, oracle
        The numbers: as published, as measured here, and as the reference simulator has them.
    verdict
        What became of the claim.
    setting
        What the outcome depends on, where that is the verdict.
    why
        What decided, in a sentence.
    rule
        What decides, in words.
    command
        What a person types to see it.
    origin
        Who makes the claim.
    section
        Where it belongs, for the filter of claims; the key up to its last hyphen, if empty.
    figure
        Slug of the figure that shows it; the figures that `where` names by number, if empty.
    tables
        The numbers, where they are many.

    """

    key: str
    claim: str
    where: str
    published: str
    ours: str
    oracle: str
    verdict: Verdict
    why: str
    rule: str
    command: str
    setting: str = ""
    origin: Origin = "paper"
    section: str = ""
    figure: str = ""
    tables: Sequence[Table] = ()

    @property
    def word(self) -> str:
        """The verdict in the words for the claim's origin."""
        return self.worded(self.verdict)

    def worded(self, verdict: Verdict) -> str:
        """Give the word that a claim of this origin has for a verdict."""
        return _OURS.get(verdict, verdict.value) if self.origin == "ours" else verdict.value

    @property
    def part(self) -> str:
        """The section that the claim belongs to."""
        return self.section or self.key.rpartition("-")[0] or self.key

    @property
    def printed(self) -> str:
        """The published numbers; empty if there are only words."""
        return self.published if any(letter.isdigit() for letter in self.published) else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of a report: figures of one kind.

    Parameters
    ----------
    title
        Heading.
    drawings
        Its figures, in order.
    text
        What the part is about.
    table
        Its numbers, before the figures.

    """

    title: str
    drawings: Sequence[Drawing]
    text: str = ""
    table: Table | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A study as a person reads it.

    Parameters
    ----------
    title
        The study.
    source
        What it repeats: authors, title, place, year.
    summary
        What was found, most important first.
    sections
        The figures.
    overview
        The main numbers at a glance, after the summary.
    findings
        Every claim with its verdict.
    setup
        What was simulated: name and value.
    provenance
        What made the page: name and value.
    warning
        What a reader must know before anything else, such as that there are too few runs.
    question
        The question of the study, in a sentence.
    answer
        The answer, in a sentence; the first words of the summary, if empty.
    shows
        Slug of the figure that shows the answer. If empty, the first figure that fits on the first screen.

    """

    title: str
    source: str
    summary: Sequence[Statement]
    sections: Sequence[Section]
    overview: Table | None = None
    findings: Sequence[Finding] = ()
    setup: Sequence[tuple[str, str]] = ()
    provenance: Sequence[tuple[str, str]] = ()
    warning: str = ""
    question: str = ""
    answer: str = ""
    shows: str = ""

    @property
    def said(self) -> str:
        """The answer."""
        return self.answer or self.summary[0].lead.rstrip(":")

    @property
    def first(self) -> Drawing | None:
        """The figure of the first screen; None if there are no figures."""
        drawings = self.drawings
        if self.shows:
            return {drawing.slug: drawing for drawing in drawings}[self.shows]
        small = (drawing for drawing in drawings if len(drawing.chart.panels) <= _FIRST_PANELS)
        return next(small, drawings[0] if drawings else None)

    @property
    def drawings(self) -> Sequence[Drawing]:
        """All figures."""
        return [drawing for section in self.sections for drawing in section.drawings]

    @property
    def verdicts(self) -> Mapping[Verdict, int]:
        """How many claims met each verdict, those that none met left out."""
        counts = {verdict: sum(finding.verdict == verdict for finding in self.findings) for verdict in Verdict}
        return {verdict: count for verdict, count in counts.items() if count}


def render(report: Report) -> str:
    """Write a report as HTML.

    Parameters
    ----------
    report
        What is written.

    Returns
    -------
    str
        A whole page, which asks no network for anything. The same report gives the same text.

    """
    environment = Environment(
        loader=PackageLoader("ackclock.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "unbroken": _unbroken,
        "dashed": _dashed,
        "opening": _opening,
        "rest": _rest,
        "brief": _brief,
    }
    drawings = report.drawings
    return environment.get_template("report.html.jinja").render(
        report=report,
        colours=COLOURS,
        markers=Markup(marker_shapes(drawing.chart for drawing in drawings)),  # noqa: S704 - our own drawing
        contents=contents(report),
        anchors=section_anchors(report),
        links=links(report),
        backs=backs(report),
        titles=_short_titles(drawings),
        tallies=tallies(report),
        numbered=any(
            map(_brief, (text for each in report.findings for text in (each.printed, each.ours, each.oracle)))
        ),
        parts=list(dict.fromkeys(finding.part for finding in report.findings)),
        figures=_packed(json.dumps(_data(report), separators=(",", ":"), ensure_ascii=False)),
    )


def _data(report: Report) -> Mapping[str, Mapping[str, str]]:
    """Give the page's script the data to download, and the colours of drawings to download."""
    return {
        "light": {name: colour.light for name, colour in COLOURS.items()},
        "csv": {drawing.slug: drawing.csv for drawing in report.drawings},
    }


def _packed(text: str) -> str:
    """Compress a text for the page; the same text gives the same characters."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _unbroken(text: str) -> str:
    """Keep each number and its unit on one line."""
    return re.sub(r"(?<=\d) (?=(?:%|s|ms|µs|Mb/s)(?!\w))", "\N{NO-BREAK SPACE}", text)


def _dashed(text: str) -> str:
    """Make a class of a verdict."""
    return text.replace(" ", "-")


_SENTENCE = re.compile(r"(?<=[.:]) (?=[A-Z\d])")
_BRIEF = 80
"""Letters that a narrow column of the table of claims has space for."""


def _opening(text: str) -> str:
    """Give the first sentence of a text."""
    return _SENTENCE.split(text, maxsplit=1)[0]


def _rest(text: str) -> str:
    """Give a text without its first sentence."""
    return text[len(_opening(text)) :].strip()


def _brief(text: str) -> str:
    """Leave a text that is too long for a narrow column to the details."""
    return text if len(text) <= _BRIEF and text != "\N{EN DASH}" else ""


def _short_titles(drawings: Sequence[Drawing]) -> dict[str, str]:
    """Give each figure a short name: its number if it has one, counted where several have the same."""
    short = {drawing.slug: _number(drawing.title) for drawing in drawings}
    seen: Counter[str] = Counter()
    for slug, title in short.items():
        seen[title] += 1
        if seen[title] > 1:
            short[slug] = f"{title} ({seen[title]})"
    return short


def _number(title: str) -> str:
    number = re.match(r"Figure \w+", title)
    return number[0] if number else title
