"""Run every code block of the guides and write its output below it: ``python tools/guides.py [PAGE ...]``.

The blocks of a page run as a reader would run them: in one folder with the checkout's ``examples`` and in one Python
session.

- ``toml``: saved under the last file name in the text before it
- ``sh``: each line is a command, which must succeed and print no error
- ``python``: runs in the page's session
- ``sql``: queries of the store ``results``, separated by empty lines
- ``text``: the output of the block before it, without trailing spaces
- ``math``: formulas
- ``rust``, ``diff``: changes of the sources, which are not made; ``make recipes`` tries them

The comparison is exact. Seeds fix all random numbers, and outputs have two to five digits. No block prints a run time
or a path of the machine. The tests and ``make guides`` use the same code.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import linecache
import os
import re
import shlex
import subprocess
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent

PAGES = (
    *(f"docs/guide/{name}.md" for name in ("first_study", "sweeps", "store", "wide_area", "burstiness", "transfers")),
    "docs/guide/applications.md",
    *(
        f"docs/guide/{name}.md"
        for name in (
            "captures",
            "captures_writing",
            "cubic_beside_reno",
            "bufferbloat",
            "below_capacity",
            "changing_networks",
            "wifi",
            "fabrics",
            "queue_state",
            "idea_in_ten_lines",
            "evaluate",
            "which_queue",
            "bbr_phases",
            "conformance",
            "train_a_controller",
            "interactive",
        )
    ),
    *(f"docs/models/{name}.md" for name in ("pftk", "loss_law", "rounds", "stochastic_reno")),
    "docs/recipes/add_a_source.md",
    "docs/recipes/add_a_measure.md",
)

SETTINGS = {"MPLBACKEND": "Agg", "COLUMNS": "100", "NO_COLOR": "1"}
"""No display, and a fixed width without colours on any terminal."""

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)\n(?P<block>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


@dataclass
class Reader:
    """Runs the blocks of a page, in one folder and one Python session."""

    folder: Path
    session: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str = ""
    blocks: list[str] = field(default_factory=list)

    def follow(self, page: str) -> str:
        """Run every block of a page, and return the page with the outputs.

        Raises
        ------
        RuntimeError
            A command fails or prints an error. Exceptions of Python blocks propagate.
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
            return "".join(map(_line, block.splitlines()))
        if language == "sql":
            return "".join(_ackclock(["query", "results", query]) for query in block.split("\n\n"))
        if language == "python":
            return self.run(block)
        if language in {"math", "rust", "diff"}:
            return ""
        raise RuntimeError(f"a block of {language}: unknown language")

    def run(self, block: str) -> str:
        """Run a block of Python, and return what it prints."""
        name = f"<block {len(self.blocks)}>"
        self.blocks.append(block)
        # as in a notebook: tracebacks and the text of classes are found by the name of their block
        linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, name, "exec"), self.session)  # noqa: S102 - our own text
        return out.getvalue()


def difference(page: str, now: str) -> str:
    """Return a diff between a page and its new version; empty if they are equal."""
    return "\n".join(difflib.unified_diff(page.splitlines(), now.splitlines(), "shown", "printed", n=1, lineterm=""))


def _line(line: str) -> str:
    """Run a line of a shell. Its first command runs in this process if it is `ackclock`, which then starts once."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.commenters, lexer.whitespace_split = "", True
    words = list(lexer)
    end = next((place for place, word in enumerate(words) if word in {"|", ">"}), len(words))
    if words[0] != "ackclock":
        return _output(["sh", "-c", line])
    printed = _ackclock(words[1:end])
    rest = " ".join(word if word in {"|", ">"} else shlex.quote(word) for word in words[end:])
    return _output(["sh", "-c", f"cat {rest}"], printed) if rest else printed


def _ackclock(arguments: Sequence[str]) -> str:
    from ackclock.cli import main as ackclock  # noqa: PLC0415  # it loads the package

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            ackclock(arguments)
    except SystemExit as ended:
        printed, said = (each.buffer.getvalue().decode() for each in (out, err))
        if ended.code or said:
            raise RuntimeError(f"ackclock {shlex.join(arguments)}: exit code {ended.code}\n{said}") from None
        return printed
    raise AssertionError("the command line always exits")


def _output(command: Sequence[str], given: str = "") -> str:
    ended = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if ended.returncode or ended.stderr:
        raise RuntimeError(f"{command[-1]}: exit code {ended.returncode}\n{ended.stderr}")
    return ended.stdout


def main() -> None:
    """Write the outputs of the blocks into the pages named on the command line, or into all pages."""
    parser = argparse.ArgumentParser(description="run the blocks of the guides and write their outputs into the pages")
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
