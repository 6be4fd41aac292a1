"""Implements ``ackclock init``: writes a commented scenario, or a question, to begin with."""

import sys
from importlib import resources
from pathlib import Path
from typing import Final

from ackclock.files.making import new_file
from ackclock.values.errors import one_of, refuse

KINDS: Final = {
    "dumbbell": "flows that share one bottleneck",
    "parking-lot": "several bottlenecks in a row, with a flow over all and a flow over each",
    "leaf-spine": "a fabric of switches with several paths, of which each flow takes one by its hash",
    "buffer-sizing": "long flows with different round trips, and a buffer below the bandwidth-delay product",
    "last-hop": "a wireless last hop that loses and delays packets at random",
    "uplink": "a question for `ackclock advise`: a link and its users",
}
"""The kinds of files, and what each is about."""

QUESTIONS: Final = ("uplink",)
"""Those that are questions for ``ackclock advise``; the others are scenarios."""


def start(kind: str, file: Path | None) -> None:
    """Write a scenario or a question to a new file."""
    if kind not in KINDS:
        raise refuse("KIND", kind, one_of(kind, KINDS), noun="kind of file")
    name = f"{kind.replace('-', '_')}.toml"
    file = Path(name) if file is None else file
    text = (resources.files("ackclock.cli") / "scenarios" / name).read_text(encoding="utf-8")
    _write_new(file, text.replace(name, file.name))
    what, command = ("question", "advise") if kind in QUESTIONS else ("scenario", "run")
    sys.stdout.write(f"The {what} is {file}\nRun it with: ackclock {command} {file}\n")


def _write_new(file: Path, text: str) -> None:
    """Write a new file atomically."""
    _refuse_existing(file)
    with new_file(file, allowed="a new file that can be written", check=lambda: _refuse_existing(file)) as made:
        made.write_text(text, encoding="utf-8")


def _refuse_existing(file: Path) -> None:
    if file.exists() or file.is_symlink():
        raise refuse("FILE", str(file), "must not exist yet: files are never overwritten; give another name")
