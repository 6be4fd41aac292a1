"""Compares pages and runs with stored checksums: each claim, table, caption, number, line and scenario.

A page is cut into pieces, and `tests/data/kept` has a checksum of each piece. A test reports the names of changed
pieces. After a person has reviewed the changes, ``make kept`` stores the new checksums.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import numpy as np
from tests.support.described import values

from ackclock.drawing.screen import interactive
from ackclock.report.html import render

if TYPE_CHECKING:
    from ackclock.papers.core.claim import Judged
    from ackclock.papers.core.paper import Paper
    from ackclock.papers.core.parts import Part, Spot
    from ackclock.report.html import Report

__all__ = ["hold", "hold_judged", "hold_numbers", "hold_runs", "hold_values"]

_ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDER: Final = _ROOT / "tests" / "data" / "kept"
_KEEP: Final = bool(os.environ.get("ACKCLOCK_KEEP"))


def hold(name: str, report: Report) -> None:
    """Compare the pieces of a page with the stored ones."""
    _compare(name, _pieces(report))


def hold_runs(name: str, parts: Sequence[Part]) -> None:
    """Compare the runs of a study, part by part, with the stored ones."""

    def scenario(spot: Spot) -> str:
        return (spot.drawn(1) if spot.drawn else spot.scenario).to_json().replace(str(_ROOT), "")

    runs = {part.name: [[spot.where, scenario(spot), part.record, part.seeds] for spot in part.spots] for part in parts}
    _compare(f"{name}-runs", {part: _plain(given) for part, given in runs.items()})


def hold_judged(name: str, judged: Sequence[Judged]) -> None:
    """Compare the judgement of each claim with the stored one."""
    _compare(name, {f"claim {one.claim.key}": _plain(_judgement(one)) for one in judged})


def _judgement(one: Judged) -> Sequence[Any]:
    return [one.verdict, one.ours, one.ns2, one.why, one.setting, one.command, one.brief]


def hold_values(name: str, paper: Paper) -> None:
    """Compare the claims and figures of a study, described as text by `described.values`, with the stored ones."""
    _compare(f"{name}-values", values(paper))


def hold_numbers(name: str, found: Mapping[str, Mapping[str, float | None]]) -> None:
    """Compare named numbers with the stored ones, with a tolerance of a millionth."""
    path = _FOLDER / f"{name}.json"
    if _KEEP:
        rounded = {one: {key: _rounded(number) for key, number in there.items()} for one, there in found.items()}
        path.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    kept = json.loads(path.read_text(encoding="utf-8"))
    was, now = ({f"{one}, {key}": there[one][key] for one in there for key in there[one]} for there in (kept, found))
    changed = [
        f"{each}: {now.get(each)} instead of {was.get(each)}"
        for each in {**was, **now}
        if each not in was or each not in now or not _alike(was[each], now[each])
    ]
    assert not changed, f"look at what has changed in {name}, then `make kept`: {'; '.join(changed)}"


def _alike(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.9g}")


def _compare(name: str, pieces: Mapping[str, Any]) -> None:
    path = _FOLDER / f"{name}.json"
    found = {piece: f"{crc32(repr(value).encode()):08x}" for piece, value in pieces.items()}
    if _KEEP:
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    kept = json.loads(path.read_text(encoding="utf-8"))
    changed = [piece for piece in {**kept, **found} if kept.get(piece) != found.get(piece)]
    assert not changed, f"look at what has changed in {name}, then `make kept`: {', '.join(changed)}"


def _pieces(report: Report) -> dict[str, Any]:
    """Cut a page into named pieces, without its provenance."""
    page: dict[str, Any] = {
        "head": [report.title, report.source, report.question, report.said, report.shows, report.warning],
        "summary": report.summary,
        "overview": report.overview,
        "set-up": report.setup,
    }
    for finding in report.findings:
        page[f"claim {finding.key}"] = finding
    for section in report.sections:
        page[f"section {section.title}"] = [section.text, section.table]
        for drawing in section.drawings:
            figure = f"figure {drawing.slug}"
            page[f"{figure}, caption"] = [drawing.title, drawing.caption, drawing.command]
            page[f"{figure}, data"] = drawing.csv
            page[f"{figure}, numbers"] = drawing.numbers
            page[f"{figure}, chart"] = drawing.chart
            page[f"{figure}, on screen"] = interactive(drawing.chart, label=drawing.title)
    page["page"] = render(replace(report, provenance=()))
    return {piece: _plain(value) for piece, value in page.items()}


def _plain(value: Any) -> Any:
    """Convert a value to texts, numbers of six digits, and lists of these."""
    match value:
        case Enum():
            return value.name
        case float() | np.floating():
            return f"{value:.6g}"
        case Mapping():
            return [[_plain(key), _plain(each)] for key, each in value.items()]
        case np.ndarray() | list() | tuple():
            return [_plain(each) for each in value]
        case _ if is_dataclass(value):
            return [_plain(getattr(value, field.name)) for field in fields(value)]
    return value
