"""What the commands of the comparisons share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
"""The folder of the pages."""


def parser(text: str | None) -> argparse.ArgumentParser:
    """Return a parser of arguments with a description and the option `--jobs`."""
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--jobs", type=int, help="number of parallel runs (default: one per CPU)")
    return made
