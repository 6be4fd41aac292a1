"""Run every block of the guides and write what each one prints below it: ``python bench/guides.py [PAGE ...]``.

A page is followed as its reader would: in one folder that has the checkout's ``examples``, and in one Python session.

- ``toml``: saved under the name that the text before it mentions last
- ``sh``: each line is a command, which must succeed and print no error
- ``python``: runs in the page's session
- ``sql``: each query (an empty line ends one) is put to the store ``results``
- ``text``: what the block before it prints, character by character, without spaces at the ends of lines

There is no tolerance. Seeds fix every draw, and what is printed has two to five digits; no block prints a time that a
run took or a path of the machine. The tests follow the pages with the same code, and so does ``make guides``.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

PAGES = (
    *(f"docs/guide/{name}.md" for name in ("first_study", "sweeps", "store", "wide_area", "burstiness", "transfers")),
    *(f"docs/guide/{name}.md" for name in ("captures", "captures_writing")),
    *(f"docs/models/{name}.md" for name in ("pftk", "loss_law", "stochastic_reno")),
    "docs/recipes/add_a_source.md",
)

SETTINGS = {"MPLBACKEND": "Agg", "COLUMNS": "100", "NO_COLOR": "1"}
"""No display, and one width and no colours whatever the terminal."""

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)\n(?P<block>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


@dataclass
class Reader:
    """Does what a page says, in one folder and one Python session."""

    folder: Path
    session: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str = ""

    def follow(self, page: str) -> str:
        """Do every block of a page, and give the page with what they print.

        Raises
        ------
        RuntimeError
            If a command fails or prints an error. What Python raises in a block is raised as it is.
        """
        (self.folder / "examples").symlink_to(ROOT / "examples")
        with contextlib.chdir(self.folder):
            return _FENCE.sub(self._fence, page)

    def _fence(self, found: re.Match[str]) -> str:
        language, indent = found["language"], found["indent"]
        if language == "text":
            shown = "\n".join(line.rstrip() for line in self.printed.splitlines())
            return f"{indent}```text\n{textwrap.indent(shown, indent)}\n{indent}```"
        self.printed = self._do(language, textwrap.dedent(found["block"]), before=found.string[: found.start()])
        return found[0]

    def _do(self, language: str, block: str, *, before: str) -> str:
        if language == "toml":
            name = re.findall(r"`(\w+\.toml)`", before)[-1]
            return str(Path(name).write_text(block, encoding="utf-8"))
        if language == "sh":
            return "".join(_output(["sh", "-c", line]) for line in block.splitlines())
        if language == "sql":
            return "".join(_output(["ackclock", "query", "results", query]) for query in block.split("\n\n"))
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(block, "page", "exec"), self.session)  # noqa: S102 - our own text
            return out.getvalue()
        raise RuntimeError(f"a block of {language}: nobody runs it")


def difference(page: str, now: str) -> str:
    """Give the lines that differ between a page and what it would be now; empty if none."""
    return "\n".join(difflib.unified_diff(page.splitlines(), now.splitlines(), "shown", "printed", n=1, lineterm=""))


def _output(command: list[str]) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
    if ended.returncode or ended.stderr:
        raise RuntimeError(f"{command[-1]}: exit code {ended.returncode}\n{ended.stderr}")
    return ended.stdout


def main() -> None:
    """Write what the blocks print into the pages named on the command line, or into all."""
    parser = argparse.ArgumentParser(description="write what the blocks of the guides print into them")
    parser.add_argument("pages", nargs="*", default=PAGES, metavar="PAGE", help="path from the root; default: all")
    os.environ.update(SETTINGS)
    for name in parser.parse_args().pages:
        file = ROOT / name
        page = file.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            now = Reader(Path(folder)).follow(page)
        file.write_text(now, encoding="utf-8")
        print(f"{name}: {'written' if now != page else 'as it was'}")


if __name__ == "__main__":
    main()
