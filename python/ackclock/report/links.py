"""Computes the table of contents of a page, the links between claims and figures, and the counts of verdicts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.report.html import Drawing, Finding, Origin, Report, Verdict

__all__ = ["Count", "Entry", "Tally", "backs", "contents", "links", "section_anchors", "tallies"]

_FIGURES = re.compile(r"\b(?:Figures?|Figs?\.)\s((?:\d+|[A-Z]\b)(?:(?:, | and | to )(?:\d+|[A-Z]\b))*)")
_TITLE = re.compile(r"^Figure (\w+)\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """An entry of the table of contents, with its subentries."""

    anchor: str
    title: str
    below: Sequence[Entry] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """Number of claims with one verdict, and the word for this verdict."""

    verdict: Verdict
    word: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """The counts of verdicts over all claims of one origin, and the settings on which some depend, in words."""

    origin: Origin
    words: str
    counts: Sequence[Count]
    settings: str


def contents(report: Report) -> list[Entry]:
    """List the entries of the table of contents, in the order of the page."""
    entries = [Entry(anchor="top", title="Answer"), Entry(anchor="summary", title="Findings")]
    if report.findings:
        entries.append(Entry(anchor="claims", title=f"Claims and verdicts ({len(report.findings)})"))
    for section, anchor in zip(report.sections, section_anchors(report), strict=True):
        below = [Entry(anchor=drawing.slug, title=drawing.title) for drawing in section.drawings]
        entries.append(Entry(anchor=anchor, title=section.title, below=below))
    if report.setup:
        entries.append(Entry(anchor="setup", title="Simulation setup"))
    if report.provenance:
        entries.append(Entry(anchor="provenance", title="Provenance"))
    return entries


def section_anchors(report: Report) -> list[str]:
    """Give each section an anchor."""
    return [f"part-{number}" for number in range(1, len(report.sections) + 1)]


def links(report: Report) -> dict[str, list[str]]:
    """Map each claim's key to the slugs of its figures: its `figure`, or the figures that `where` names by number."""
    return {finding.key: _figures(finding, report.drawings) for finding in report.findings}


def backs(report: Report) -> dict[str, list[Finding]]:
    """Map each figure's slug to its claims."""
    of = links(report)
    return {
        drawing.slug: [finding for finding in report.findings if drawing.slug in of[finding.key]]
        for drawing in report.drawings
    }


def _figures(finding: Finding, drawings: Sequence[Drawing]) -> list[str]:
    if finding.figure:
        return [finding.figure]
    named = {number for found in _FIGURES.finditer(finding.where) for number in _numbers(found[1])}
    by_number = {drawing.slug: title[1] for drawing in drawings if (title := _TITLE.match(drawing.title))}
    return [slug for slug, number in by_number.items() if number in named]


def _numbers(words: str) -> list[str]:
    """Read a list of numbers such as "5, 7 to 9 and A"."""
    numbers: list[str] = []
    for each in re.split(r", | and ", words):
        first, _, last = each.partition(" to ")
        if last.isdigit() and first.isdigit():
            numbers += map(str, range(int(first), int(last) + 1))
        else:
            numbers += [one for one in (first, last) if one]
    return numbers


def tallies(report: Report) -> list[Tally]:
    """Count the verdicts, separately for the paper's claims and for this study's own claims."""
    found = []
    origins: Mapping[Origin, str] = {"paper": "of the paper", "ours": "of our own", "again": "asked again"}
    for origin, whose in origins.items():
        some = [finding for finding in report.findings if finding.origin == origin]
        counts = [
            Count(verdict=verdict, word=some[0].worded(verdict), number=number)
            for verdict in report.verdicts
            if (number := sum(finding.verdict is verdict for finding in some))
        ]
        if some:
            plural = "" if len(some) == 1 else "s"
            words = f"{len(some)} claim{plural} {whose}:"
            found.append(Tally(origin=origin, words=words, counts=counts, settings=_settings(some)))
    return found


def _settings(findings: Sequence[Finding]) -> str:
    """List the settings on which claims depend, the most frequent first, with the number of claims."""
    counts = Counter(finding.setting for finding in findings if finding.setting)
    return ", ".join(f"{setting} ({number})" for setting, number in counts.most_common())
