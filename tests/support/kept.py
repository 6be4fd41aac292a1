"""Compares pages and runs with stored checksums: each claim, table, caption, number, line and scenario.

A page is cut into pieces, and `tests/data/kept` has a checksum of each piece and short marks of its rows. A test
reports the changed pieces, each with its first row that has changed. After a person has reviewed the changes, ``make
kept`` stores the new checksums.
"""

from __future__ import annotations

import itertools
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
    from collections.abc import Iterator

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


_MARKS: Final = 64
"""Most marks of a piece: the rows of a longer one are marked in blocks."""
_SHOWN: Final = 160
_ROWS: Final = 8
"""Characters of a row, and rows, in a message."""


def _compare(name: str, pieces: Mapping[str, Any]) -> None:
    path = _FOLDER / f"{name}.json"
    if _KEEP:
        stored = {piece: _kept(value) for piece, value in pieces.items()}
        path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    kept: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    changed = [f"{piece}: no longer there" for piece in kept if piece not in pieces]
    changed += [
        f"{piece}: {_difference(kept[piece], value) if piece in kept else 'new'}"
        for piece, value in pieces.items()
        if kept.get(piece, "").partition(" ")[0] != _digest(value)
    ]
    assert not changed, "\n  ".join([f"look at what has changed in {name}, then `make kept`:", *changed])


def _digest(value: Any) -> str:
    return f"{crc32(repr(value).encode()):08x}"


def _kept(value: Any) -> str:
    """Return what is stored of a piece: its checksum, the number of rows in a block, and the mark of each block."""
    rows = list(_rows(value))
    size = -(-len(rows) // _MARKS) or 1
    return f"{_digest(value)} {size} {''.join(_marks(rows, size))}"


def _marks(rows: Sequence[str], size: int) -> list[str]:
    """Return two digits for each block of rows: one change in 256 keeps them, and the next changed block is found."""
    blocks = ("\n".join(rows[first : first + size]) for first in range(0, len(rows), size))
    return [f"{crc32(block.encode()) & 0xFF:02x}" for block in blocks]


def _difference(kept: str, value: Any) -> str:
    """Show the first block of rows that has changed."""
    _, size, was = kept.split(" ")
    rows, each = list(_rows(value)), int(size)
    before = [was[place : place + 2] for place in range(0, len(was), 2)]
    marks = itertools.zip_longest(before, _marks(rows, each))
    first = next((place * each for place, (old, new) in enumerate(marks) if old != new), None)
    if first is None:
        return "other structure or order, the same marks of rows"
    if first >= len(rows):
        return f"ends after row {len(rows)}"
    shown = "".join(f"\n    {row[:_SHOWN]}" for row in rows[first : first + each][:_ROWS])
    where = f"row {first + 1}" if each == 1 else f"a row from {first + 1} to {first + each}"
    return f"{where} of {len(rows)} has changed; now{shown}"


def _rows(value: Any) -> Iterator[str]:
    """Cut a piece into the lines of its texts, and its lists into those that contain no lists or long texts."""
    if isinstance(value, str):
        yield from value.splitlines()
    elif isinstance(value, list) and any(isinstance(each, list) or len(str(each)) > _SHOWN for each in value):
        for each in value:
            yield from _rows(each)
    else:
        yield str(value)


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
