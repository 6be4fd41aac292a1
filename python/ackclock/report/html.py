"""Reports: one HTML file with everything inside, which opens without a network, on light and dark screens."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ackclock.report.style import COLOURS, to_inline_svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Drawing", "Report", "Statement", "Table", "render"]


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


@dataclass(frozen=True, kw_only=True, slots=True)
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
    label
        What a screen reader says in its place.
    png, svg, csv
        The picture, the drawing and its data, as they are written to files.
    numbers
        The data for people.
    command
        What a person types to make it.

    """

    slug: str
    title: str
    caption: str
    label: str
    png: bytes
    svg: str
    csv: str
    numbers: Table
    command: str

    @property
    def inline(self) -> Markup:
        """The drawing as a part of the page."""
        return Markup(to_inline_svg(self.svg, prefix=self.slug, label=self.label))  # noqa: S704 - our own drawing

    @property
    def downloads(self) -> Mapping[str, str]:
        """The files, whole, as links that need no file beside the page."""
        return {
            "png": f"data:image/png;base64,{base64.b64encode(self.png).decode()}",
            "svg": f"data:image/svg+xml;base64,{base64.b64encode(self.svg.encode()).decode()}",
            # Numbers and commas are short as they are.
            "csv": f"data:text/csv;charset=utf-8,{quote(self.csv, safe=',')}",
        }


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
    drawings
        The figures in the order of the paper.
    overview
        The main numbers at a glance, after the summary.
    setup
        What was simulated: name and value.
    provenance
        What made the page: name and value.

    """

    title: str
    source: str
    summary: Sequence[Statement]
    drawings: Sequence[Drawing]
    overview: Table | None = None
    setup: Sequence[tuple[str, str]] = ()
    provenance: Sequence[tuple[str, str]] = ()


def render(report: Report) -> str:
    """Write a report as HTML.

    Parameters
    ----------
    report
        What is written.

    Returns
    -------
    str
        A whole page without scripts, which asks no network for anything. The same report gives the same text.

    """
    environment = Environment(
        loader=PackageLoader("ackclock.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    return environment.get_template("report.html.jinja").render(report=report, colours=COLOURS)


def _unbroken(text: str) -> str:
    """Keep each number and its unit on one line."""
    return re.sub(r"(?<=\d) (?=(?:%|s|ms|µs|Mb/s)(?!\w))", "\N{NO-BREAK SPACE}", text)
