"""A progress bar on standard error; elsewhere than on a terminal, lines on request."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_STEPS: Final = 20
"""Number of lines of progress, after the first one."""


class _Lines:
    """Writes a line when the work begins, and for each further twentieth of it."""

    def __init__(self, label: str, total: float) -> None:
        self._label, self._total, self._step = label, total, -1

    def __call__(self, done: float, words: str, total: float | None = None) -> None:
        self._total = self._total if total is None else total
        step = int(_STEPS * done / self._total) if self._total else 0
        if step > self._step:
            self._step = step
            sys.stderr.write(f"{self._label}: {step / _STEPS:.0%}, {words}\n")
            sys.stderr.flush()


@contextmanager
def progress_bar(label: str, total: float, *, lines: bool = False) -> Iterator[Callable[..., None]]:
    """Show progress while the body runs.

    Parameters
    ----------
    label
        Description of the work.
    total
        The amount of work.
    lines
        Whether to write a line for each twentieth of the work if standard error is not a terminal (default: nothing).

    Yields
    ------
    Callable
        Function to call with the amount of work done so far, its description, and the total if that has changed.
    """
    if not sys.stderr.isatty():
        yield _Lines(label, total) if lines else lambda _done, _words, _total=None: None
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
