"""Reports: one HTML file with everything inside, which opens without a network, on light and dark screens.

Each figure is in the page twice: as Matplotlib's drawing, which print and a browser without scripts show, and as
what Plotly makes a drawing from that can be zoomed and pointed at. Plotly itself, the files to download and those
figures are compressed, and the page's script (`templates/report.js`) unpacks them.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ackclock.report.paper import draw
from ackclock.report.screen import interactive
from ackclock.report.style import COLOURS, to_inline_svg, to_png, to_svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from ackclock.report.chart import Chart

__all__ = ["Drawing", "Finding", "Report", "Section", "Statement", "Table", "Verdict", "render"]


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
        return Markup(to_inline_svg(self.svg, prefix=self.slug, label=self.label))  # noqa: S704 - our own drawing

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
    environment.filters["unbroken"] = _unbroken
    return environment.get_template("report.html.jinja").render(
        report=report,
        colours=COLOURS,
        plotly=_packed(_plotly()) if report.drawings else "",
        figures=_packed(json.dumps(_figures(report), separators=(",", ":"), ensure_ascii=False)),
    )


def _figures(report: Report) -> Mapping[str, Any]:
    """Give the page's script what it draws and what it lets people download."""
    return {
        "light": {name: colour.light for name, colour in COLOURS.items()},
        "drawings": {
            drawing.slug: {"csv": drawing.csv, "plot": interactive(drawing.chart)} for drawing in report.drawings
        },
    }


def _plotly() -> str:
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - slow to load

    return str(get_plotlyjs())


def _packed(text: str) -> str:
    """Compress a text for the page; the same text gives the same characters."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _unbroken(text: str) -> str:
    """Keep each number and its unit on one line."""
    return re.sub(r"(?<=\d) (?=(?:%|s|ms|µs|Mb/s)(?!\w))", "\N{NO-BREAK SPACE}", text)
