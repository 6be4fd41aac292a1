"""Recognises scenarios, results, stores and captures, for errors about an input of another kind."""

from pathlib import Path
from typing import Final

RECORD: Final = "record.json"
"""The file of a result that names its run."""
STORE: Final = "store.json"
"""The file that marks a folder as a store."""
CAPTURE: Final = "capture.json"
"""The file that marks a folder as the analysis of a capture, which also has a record."""


def recognised(path: Path) -> str | None:
    """Return what a path is, judged by names alone, and what reads it.

    Examples
    --------
    >>> recognised(Path("network.toml"))
    'it is a scenario or a study, which `ackclock run` or `ackclock sweep` runs'
    """
    if (path / STORE).is_file():
        return "it is a store, which `ackclock query` and ackclock.open read"
    if (path / CAPTURE).is_file():
        return "it is the analysis of a capture, which `ackclock query` reads"
    if (path / RECORD).is_file():
        return "it is a result, which `ackclock plot` and ackclock.load read"
    if path.suffix == ".toml":
        return "it is a scenario or a study, which `ackclock run` or `ackclock sweep` runs"
    return None
