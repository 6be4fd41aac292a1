"""A progress bar on the standard error stream, where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(label: str, total: float) -> Iterator[Callable[[float], None]]:
    """Show how much is done, as long as the body runs; nothing at all where nobody watches.

    Parameters
    ----------
    label
        What is being done.
    total
        The amount at which it is done.

    Yields
    ------
    Callable
        To be called with the amount done so far.
    """
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console  # noqa: PLC0415  # slow to load
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)
