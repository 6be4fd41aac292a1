"""Formats Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a Markdown table; columns whose cells are all numbers are aligned to the right."""
    listed = [list(row) for row in rows]
    marks = ["---:" if listed and all(_is_number(row[i]) for row in listed) else "---" for i in range(len(columns))]
    return "".join(f"| {' | '.join(line)} |\n" for line in [list(columns), marks, *listed])


def _is_number(cell: str) -> bool:
    return cell == "-" or cell[:1].isdigit() or (cell[:1] in "+-" and cell[1:2].isdigit())
