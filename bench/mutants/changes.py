"""Finds the lines that a branch changes, so that only these are mutated: ``make mutants DIFF=main``."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILE = re.compile(r"^\+\+\+ b/(.*?)\t?$")
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def patch_since(root: Path, revision: str) -> str:
    """Return the committed changes since the branch left a revision, as a patch without context."""
    command = ["git", "diff", "--unified=0", "--no-color", "--no-ext-diff", f"{revision}...HEAD"]
    ran = subprocess.run(command, cwd=root, capture_output=True, check=False, text=True)
    if ran.returncode:
        raise SystemExit(f"DIFF={revision}: {ran.stderr.strip()}")
    return ran.stdout


def changed_lines(patch: str) -> Mapping[str, set[int]]:
    """Return the numbers of the added or changed lines of each file, as they are after the patch."""
    found: dict[str, set[int]] = {}
    lines: set[int] = set()
    for line in patch.splitlines():
        if file := _FILE.match(line):
            lines = found.setdefault(file[1], set())
        elif hunk := _HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update(range(first, first + count))
    return {file: lines for file, lines in found.items() if lines}
