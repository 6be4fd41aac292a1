"""The check of prose finds rejected words in comments, texts and documentation, but not in code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import prose

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize(
    ("path", "source", "lines"),
    [
        ("a.py", 'told = 1\n"""A text that was told."""\nx = f"{told} of these texts"  # as told\n', [2, 3]),
        ("a.rs", 'let told = 1; // as told\nassert!(told, "{} was told twice", told(1));\n', [1, 2]),
        ("a.md", "It was told.\n\n```sh\ntold\n```\n\n`told`\n", [1]),
        ("a.toml", "told = 1  # as told\n", [1]),
    ],
)
def test_rejected_words_are_found_in_prose_only(path: str, source: str, lines: list[int]) -> None:
    patterns, _ = prose.rules()
    found = [number for number, text in prose.prose(path, source) if any(each.search(text) for each, _ in patterns)]
    assert sorted(set(found)) == lines


def test_exceptions_are_needed() -> None:
    _, exceptions = prose.rules()
    for path, words in exceptions:
        assert words in (prose.ROOT / path).read_text(encoding="utf-8").lower(), path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rows_of_tables_are_whole(page: Path) -> None:
    """Each row of a table is a line with as many cells as the head of the table."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "", text).replace("\\|", "")
    for table in re.findall(r"(?:^\|.*\n?)(?:^.*\S.*\n?)*", text, flags=re.MULTILINE):
        head, *rows = table.splitlines()
        assert [row for row in rows if (row.count("|"), row[:1], row[-1]) != (head.count("|"), "|", "|")] == []
