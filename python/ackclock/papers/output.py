"""Writes the content of a study's folder: runs as tables, figures, claims and the page."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ackclock.papers import few_seeds
from ackclock.papers.core.figure import rows_csv
from ackclock.report.html import render
from ackclock.running.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ackclock.papers.core.claim import Judged
    from ackclock.report.html import Report

__all__ = ["command", "record", "write_report"]


def record(study: str, *, profile: str, seeds: int) -> dict[str, Any]:
    """Return the provenance of a study's folder, sufficient to create it again."""
    return {
        **Origin.here().to_dict(),
        "command": command(study, seeds=seeds),
        "profile": profile,
        "seeds": list(range(1, seeds + 1)),
    }


def command(study: str, *, seeds: int, capture: Path | None = None) -> str:
    """Return the command that creates a study's report."""
    given = [] if capture is None else ["--capture", str(capture)]
    return shlex.join(["ackclock", "reproduce", study, "--seeds", str(seeds), *given])


def write_report(folder: Path, report: Report, judged: Sequence[Judged], *, seeds: int) -> None:
    """Write the page, each figure with its data, and the table of claims.

    Parameters
    ----------
    folder
        The folder.
    report
        The content of the page.
    judged
        The claims with their judgements.
    seeds
        Number of runs per point; the page warns if there are too few.

    """
    # The summary begins with the tally; the most important finding follows it.
    answer = report.answer or report.summary[:2][-1].lead
    report = replace(report, warning=few_seeds(seeds), answer=answer)
    for drawing in report.drawings:
        for name, content in drawing.files.items():
            (folder / name).write_bytes(content)
    (folder / "claims.csv").write_text(to_csv(judged), encoding="utf-8")
    (folder / "report.html").write_text(render(report), encoding="utf-8")


def to_csv(judged: Sequence[Judged]) -> str:
    """Format the table of claims as CSV, one row per claim."""
    return rows_csv([judged[0].cells, *(one.cells.values() for one in judged)])
