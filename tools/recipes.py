"""Follow the recipes in a copy of the sources, and compile and test the result: ``make recipes``.

A block of Rust is a new file, whose path stands in the line before it. A block of ``diff`` is a change of a file. The
blocks of all pages are applied to one copy of the committed sources, with one build directory for both: only our own
crates are compiled again. The tests check that the changes still apply, and follow the page about studies, which needs
no compiler.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NAMES = ("congestion_control", "queue", "source", "recovery", "measure", "record")
PAGES = tuple(f"docs/recipes/add_a_{name}.md" for name in _NAMES)

_FILE = re.compile(r"^`(\S+)`:\n\n```rust\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DIFF = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files_of(page: str) -> dict[str, str]:
    """Return the new files of a page, by their paths."""
    return dict(_FILE.findall(page))


def patch_of(page: str) -> str:
    """Return the changes of a page as one patch."""
    return "".join(_DIFF.findall(page))


def refusal(patch: str, root: Path) -> str:
    """Return why a patch does not apply to a tree; empty if it does."""
    return _apply(patch, root, "--check")


def follow(page: str, root: Path) -> None:
    """Make the changes of a page in a tree."""
    for path, text in files_of(page).items():
        (root / path).write_text(text, encoding="utf-8")
    if problem := _apply(patch_of(page), root):
        raise SystemExit(problem)


def _apply(patch: str, root: Path, *options: str) -> str:
    command = ["git", "apply", *options, "-"]
    ran = subprocess.run(command, cwd=root, input=patch, capture_output=True, check=False, text=True)
    return ran.stderr if ran.returncode else ""


def _packages(*names: str) -> list[str]:
    return ["--locked", *(f"--package=ackclock-{name}" for name in names)]


def main() -> None:
    """Follow all recipes, and run the lints, and the tests of the modules that they change."""
    out = Path(sys.argv[1])
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(out, filter="data")
    # a repository of its own: otherwise git would apply the changes to the one that contains the folder
    subprocess.run(["git", "init", "--quiet"], cwd=out, check=True)
    for page in PAGES:
        follow((ROOT / page).read_text(encoding="utf-8"), out)
    for command in (
        ["cargo", "fmt", "--all", "--check"],
        ["cargo", "clippy", *_packages("tcp", "net"), "--all-targets", "--", "--deny", "warnings"],
        ["cargo", "test", *_packages("tcp"), "--lib", "--", "recovery::", "variants::"],
        ["cargo", "test", *_packages("tcp"), "--test", "contract", "every_transfer_keeps_the_contract"],
        ["cargo", "test", *_packages("net"), "--lib", "--", "source::", "observe::", "footprint::"],
    ):
        subprocess.run(command, cwd=out, check=True)


if __name__ == "__main__":
    main()
