"""The page `docs/performance.md`: the text is written by hand, the tables between marks are generated."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format a Markdown table: names to the left, figures to the right; `None` is shown as a dash.

    Examples
    --------
    >>> print(table(["", "CPU s"], [["ours", 0.1], ["theirs", None]]), end="")
    |  | CPU s |
    | --- | ---: |
    | ours | 0.1 |
    | theirs | - |
    """
    lines = [list(columns), ["---"] + ["---:"] * (len(columns) - 1)]
    lines += [["-" if cell is None else str(cell) for cell in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def put(page: str, part: str, text: str) -> str:
    """Replace the text between the marks of a part.

    Raises
    ------
    ValueError
        The page has no such marks.
    """
    head, tail = f"<!-- {part}: made by make bench -->\n", f"<!-- end of {part} -->"
    between = re.compile(f"{re.escape(head)}.*?{re.escape(tail)}", re.DOTALL)
    if between.search(page) is None:
        raise ValueError(f"the page has no marks for {part}")
    return between.sub(lambda _: f"{head}\n{text}\n{tail}", page)


def machine() -> str:
    """Describe the relevant properties of the machine: cores, processor, compiler."""
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    system = f"{platform.system()} on {platform.machine()}"
    return f"{os.cpu_count()} cores, {_processor()}, {system}, rustc {rustc}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        facts = ""
    model = re.search(r"^model name\s*: (.+)$", facts, re.MULTILINE)
    return model[1] if model else platform.processor() or "processor unknown"
