"""Opens the console, to which commands print tables and text."""

import sys

from rich.console import Console

_WIDTH_OF_A_FILE = 120


def console() -> Console:
    """Open the standard output. Its width is the terminal's, or fixed if the output is a file or a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE)
