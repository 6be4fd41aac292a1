"""Where readable output goes."""

import sys

from rich.console import Console

_WIDTH_OF_A_FILE = 120


def console() -> Console:
    """Open the standard output: as wide as the terminal, or of one fixed width where it goes into a file or a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)
