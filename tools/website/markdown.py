"""Parts of generated Markdown pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; none without rows. Columns that are empty in every row are left out."""
    filled = list(rows)
    kept = [place for place in range(len(headings)) if any(row[place] for row in filled)]
    if not filled:
        return
    yield _row([headings[place] for place in kept])
    yield _row(["---"] * len(kept))
    yield from (_row([row[place] for place in kept]) for row in filled)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def line(text: str) -> str:
    """Write a docstring as Markdown on one line."""
    return " ".join(text.replace("``", "`").split())


def summary(doc: str | None) -> str:
    """Return the paragraphs of a docstring before its first section, each on one line."""
    text = re.split(r"\n[ ]*\w+\n[ ]*---", doc or "")[0]
    return "\n\n".join(filter(None, map(line, re.split(r"\n\s*\n", text))))


def sentence(text: str) -> str:
    """Return a text on one line that begins with a capital letter and ends with a period."""
    text = line(text)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""
