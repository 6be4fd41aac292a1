"""Reject words that make prose hard to read: ``python tools/prose.py``, as part of ``make check``.

``tools/words.txt`` lists the patterns with better words, and the exceptions with their reasons. Comments, docstrings,
texts of several words and the documentation (except its code) are checked.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
WORDS = ROOT / "tools" / "words.txt"

_RUST = re.compile(r"//[/!]?(?P<comment>.*)|\"(?P<text>(?:[^\"\\]|\\.)*)\"")
_FIELD = re.compile(r"\{[^{}]*\}")
_CODE = re.compile(r"```.*?```|^ {4}.*$|`[^`]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)


def prose(path: str, source: str) -> Iterator[tuple[int, str]]:
    """Yield the prose of a file: the number of each line, and its text."""
    if path.endswith(".py"):
        yield from _python(source)
    elif path.endswith((".rs", ".ts", ".mjs")):
        for number, line in enumerate(source.splitlines(), 1):
            for found in _RUST.finditer(line):
                yield number, _CODE.sub("", found["comment"] or found["text"] or "")
    elif path.endswith(".md"):
        text = _CODE.sub(lambda found: "\n" * found[0].count("\n"), source)
        yield from enumerate(text.splitlines(), 1)
    elif path.endswith((".toml", ".tcl", ".sh", "Makefile")):
        yield from ((number, line.partition("#")[2]) for number, line in enumerate(source.splitlines(), 1))


def _python(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
        elif token.type == tokenize.STRING and len(token.string.split()) > 2:
            lines = [line for line in token.string.splitlines() if not line.lstrip().startswith((">>>", "..."))]
            text = _CODE.sub("", "\n".join(line.lstrip() for line in lines))
            while text != (text := _FIELD.sub("", text)):
                pass
            yield token.start[0], text


def rules() -> tuple[list[tuple[re.Pattern[str], str]], set[tuple[str, str]]]:
    """Read the patterns with their replacements, and the exceptions: path and pattern."""
    patterns, exceptions = [], set()
    for line in WORDS.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split(" = ")]
        if line.startswith("#"):
            continue
        if len(fields) == 2:
            patterns.append((re.compile(rf"\b(?:{fields[0]})\b", re.IGNORECASE), fields[1]))
        else:
            path, words, _ = fields  # the third field is the reason
            exceptions.add((path, words))
    return patterns, exceptions


def main() -> None:
    """Print each hit as ``path:line``, and fail if there is one."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    patterns, exceptions = rules()
    hits = 0
    for path in listed.splitlines():
        if not (ROOT / path).is_file():
            continue
        if not path.endswith((".py", ".rs", ".ts", ".mjs", ".md", ".toml", ".tcl", ".sh", "Makefile")):
            continue
        for number, text in prose(path, (ROOT / path).read_text(encoding="utf-8")):
            for pattern, instead in patterns:
                for found in pattern.finditer(text):
                    if (path, found[0].lower()) not in exceptions:
                        hits += 1
                        print(f"{path}:{number}: {found[0]!r}: write {instead}")
    sys.exit(1 if hits else 0)


if __name__ == "__main__":
    main()
