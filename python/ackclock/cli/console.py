"""Opens the console for readable output."""

import sys

from rich.console import Console

_WIDTH_OF_A_FILE = 120


def console() -> Console:
    """Open the standard output: as wide as the terminal, or of a fixed width if it is a file or a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)
