"""A progress bar on standard error, if that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(label: str, total: float) -> Iterator[Callable[..., None]]:
    """Show progress while the body runs; do nothing if standard error is not a terminal.

    Parameters
    ----------
    label
        Description of the work.
    total
        The amount of work.

    Yields
    ------
    Callable
        Function to call with the amount of work done so far, its description, and the total if that has changed.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _words, _total=None: None
        return
    from rich.console import Console  # noqa: PLC0415  # slow to load
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),  # so that the words fit into 80 columns
        TextColumn("{task.fields[words]}"),
        TimeElapsedColumn(),
        TextColumn("elapsed,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, words="")
        yield lambda done, words, total=None: bar.update(task, completed=done, words=words, total=total)
