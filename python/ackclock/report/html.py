"""Reports as single HTML files that need no network and support light and dark screens.

Figures are SVG in the page (`ackclock.drawing.screen`). Scripts add only tooltips, buttons that hide series, filters of
claims and downloads. The data for downloads are stored in the page in compressed form.
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

from ackclock.drawing.paper import draw
from ackclock.drawing.pens import marker_shapes
from ackclock.drawing.screen import interactive
from ackclock.drawing.style import COLOURS, to_png, to_svg
from ackclock.report.links import backs, contents, links, section_anchors, tallies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from ackclock.drawing.chart import Chart

__all__ = ["Drawing", "Finding", "Origin", "Report", "Section", "Statement", "Table", "Verdict", "render"]


Origin = Literal["paper", "ours", "again"]
"""The source of a claim: a paper, this study, or a paper whose question this study asks again of other senders."""

_FIRST_PANELS = 4
"""Maximum number of panels of a figure on the first screen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One finding of the report, in a sentence or two.

    Parameters
    ----------
    lead
        The first words, in bold.
    text
        The rest of the statement.

    """

    lead: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table of text; the first cell of each row is its header.

    Parameters
    ----------
    caption
        Description of the table's content, with units.
    head
        Names of the columns.
    rows
        Rows with one cell per column.

    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure with its caption and data.

    Parameters
    ----------
    slug
        Short name for files and links, such as ``figure2``.
    title
        Heading.
    caption
        Description of the figure's content, and of its error bars.
    chart
        The chart.
    csv
        The figure's data as a CSV file.
    numbers
        The figure's data as a table on the page.
    command
        The command that creates the figure.
    lab, lab_shows
        Link to the lab with a scenario of the figure's runs, and the coordinates of this scenario, or empty texts.

    """

    slug: str
    title: str
    caption: str
    chart: Chart
    csv: str
    numbers: Table
    command: str
    lab: str = ""
    lab_shows: str = ""

    @cached_property
    def figure(self) -> Figure:
        """The figure on paper."""
        return draw(self.chart)

    @cached_property
    def svg(self) -> str:
        """The figure on paper as SVG."""
        return to_svg(self.figure)

    @property
    def label(self) -> str:
        """Text for screen readers."""
        return f"{self.title}. The numbers are in the table below."

    @property
    def inline(self) -> Markup:
        """The figure as HTML for the page."""
        return Markup(interactive(self.chart, label=self.label))  # noqa: S704 - our own drawing

    @property
    def files(self) -> Mapping[str, bytes]:
        """The downloadable files by name."""
        return {
            f"{self.slug}.png": to_png(self.figure),
            f"{self.slug}.svg": self.svg.encode(),
            f"{self.slug}.csv": self.csv.encode(),
        }


class Verdict(StrEnum):
    """Verdict of the runs on a claim, from best to worst."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    DEPENDS = "depends on"
    """The outcome depends on a setting that the paper does not state."""
    UNDECIDED = "undecided"
    """The intervals are compatible with both outcomes."""
    NOT = "not reproduced"
    REVERSED = "reversed"
    """The opposite is true."""
    NOT_TESTABLE = "not testable"
    """No simulation can decide the claim."""


_WORDS: Mapping[Origin, Mapping[Verdict, str]] = {
    "paper": {},
    "ours": {
        Verdict.REPRODUCED: "confirmed",
        Verdict.PARTLY: "partly confirmed",
        Verdict.NOT: "not confirmed",
    },
    "again": {
        Verdict.REPRODUCED: "still true",
        Verdict.PARTLY: "true of some",
        Verdict.NOT: "no longer true",
    },
}
"""Words for verdicts by the claim's origin, if they differ from the words for a paper's claims."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A claim with its verdict: a row of the table of claims.

    Parameters
    ----------
    key
        Short name for links, such as ``3.2-1``.
    claim
        Text of the claim.
    where
        Section or figure of the source that makes the claim.
    published, ours, oracle
        The published numbers, this study's measurements and the numbers of the reference simulator.
    verdict
        Verdict on the claim.
    setting
        For the verdict `DEPENDS`: the setting on which the outcome depends.
    why
        Reason for the verdict, in a sentence.
    rule
        The rule that decides the verdict, in words.
    command
        The command that reproduces the result.
    origin
        Source of the claim: ``paper``, ``ours`` or ``again``.
    section
        Section of the claim, for the filter of claims (default: the key up to its last hyphen).
    figure
        Slug of the figure that shows the claim (default: the figures that `where` names by number).
    tables
        Tables with the numbers of the claim, if there are many.

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
        """The word for the verdict, which depends on the claim's origin."""
        return self.worded(self.verdict)

    def worded(self, verdict: Verdict) -> str:
        """Return the word for a verdict on a claim of this origin."""
        return _WORDS[self.origin].get(verdict, verdict.value)

    @property
    def part(self) -> str:
        """The claim's section."""
        return self.section or self.key.rpartition("-")[0] or self.key


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A section of a report.

    Parameters
    ----------
    title
        Heading.
    drawings
        The figures, in order.
    text
        Introductory text.
    table
        A table before the figures.
    code
        Lines of commands before the table.

    """

    title: str
    drawings: Sequence[Drawing]
    text: str = ""
    table: Table | None = None
    code: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The content of a study's page.

    Parameters
    ----------
    title
        Title of the study.
    source
        The reproduced work: authors, title, venue, year.
    summary
        The findings, most important first.
    sections
        The sections with figures.
    overview
        Table of the main numbers, shown after the summary.
    findings
        Every claim with its verdict.
    setup
        Simulation setup: pairs of name and value.
    provenance
        Origin of the page, such as program versions: pairs of name and value.
    warning
        Warning at the top of the page, such as too few runs.
    question
        The question of the study, in a sentence.
    answer
        The answer to the question, in a sentence (default: the lead of the first finding in `summary`).
    shows
        Slug of the figure that shows the answer (default: the first figure that fits on the first screen).

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
        """The answer to the study's question, in a sentence."""
        return self.answer or self.summary[0].lead.rstrip(":")

    @property
    def first(self) -> Drawing | None:
        """The figure on the first screen; None if there are no figures."""
        drawings = self.drawings
        if self.shows:
            return {drawing.slug: drawing for drawing in drawings}[self.shows]
        small = (drawing for drawing in drawings if len(drawing.chart.panels) <= _FIRST_PANELS)
        return next(small, drawings[0] if drawings else None)

    @property
    def drawings(self) -> Sequence[Drawing]:
        """The figures of all sections."""
        return [drawing for section in self.sections for drawing in section.drawings]

    @property
    def verdicts(self) -> Mapping[Verdict, int]:
        """Number of claims per verdict, without verdicts that do not occur."""
        counts = {verdict: sum(finding.verdict == verdict for finding in self.findings) for verdict in Verdict}
        return {verdict: count for verdict, count in counts.items() if count}


def render(report: Report) -> str:
    """Write a report as HTML.

    Parameters
    ----------
    report
        The report.

    Returns
    -------
    str
        A complete, self-contained page. Equal reports give equal texts.

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
        parts=list(dict.fromkeys(finding.part for finding in report.findings)),
        figures=_packed(json.dumps(_data(report), separators=(",", ":"), ensure_ascii=False)),
    )


def _data(report: Report) -> Mapping[str, Mapping[str, str]]:
    """Collect the downloadable data and the colours of downloaded figures for the page's script."""
    return {
        "light": {name: colour.light for name, colour in COLOURS.items()},
        "csv": {drawing.slug: drawing.csv for drawing in report.drawings},
    }


def _packed(text: str) -> str:
    """Compress a text for the page, deterministically."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _unbroken(text: str) -> str:
    """Keep each number and its unit on one line."""
    return re.sub(r"(?<=\d) (?=(?:%|s|ms|µs|Mb/s)(?!\w))", "\N{NO-BREAK SPACE}", text)


def _dashed(text: str) -> str:
    """Convert a verdict to a CSS class."""
    return text.replace(" ", "-")


_SENTENCE = re.compile(r"(?<=[.:]) (?=[A-Z\d])")


def _opening(text: str) -> str:
    """Return the first sentence of a text."""
    return _SENTENCE.split(text, maxsplit=1)[0]


def _rest(text: str) -> str:
    """Return a text without its first sentence."""
    return text[len(_opening(text)) :].strip()


def _short_titles(drawings: Sequence[Drawing]) -> dict[str, str]:
    """Give each figure a short, unique name: its number if it has one."""
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
