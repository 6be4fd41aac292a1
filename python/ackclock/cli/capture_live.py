"""Follows a capture from the standard input: a table while it is read, and an orderly end by Ctrl-C or SIGTERM."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Group

    from ackclock.engine import core

_BETWEEN_LINES: Final = 10.0
"""Seconds between lines, where standard error is not a terminal."""
_BETWEEN_TABLES: Final = 0.5
_MOST_AFTER_THE_END: Final = 1.0
"""Seconds for which reading goes on after an interrupt, since the program at the other end may still write its last
packets."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class _Watch:
    """Shows what is read, and ends reading after the first interrupt. A second one interrupts as usual."""

    def __init__(self) -> None:
        self.show: Callable[[core.Capture], None] | None = None
        self._since: float | None = None
        self._before: dict[int, Any] = {}

    def begin(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._asked) for number in _SIGNALS}

    def restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _asked(self, _number: int, _frame: object) -> None:
        self._since = time.monotonic()
        self.restore()

    def __call__(self, reader: core.Capture) -> None:
        if self._since is not None:
            reader.finish(time.monotonic() - self._since > _MOST_AFTER_THE_END)
        if self.show is not None:
            self.show(reader)


class _Rates:
    """Says at intervals what has been read so far."""

    def __init__(self, between: float) -> None:
        self._between = between
        self._begun = self._last = time.monotonic()
        self._bytes = 0

    def due(self, reader: core.Capture) -> tuple[dict[str, Any], str] | None:
        """Return the facts so far, with a sentence about them, if it is time to show them."""
        now = time.monotonic()
        if now - self._last < self._between:
            return None
        facts: dict[str, Any] = json.loads(reader.facts())
        rate = 8e-6 * (facts["bytes"] - self._bytes) / (now - self._last)
        self._last, self._bytes = now, facts["bytes"]
        packets = counted(facts["packets"], "packet")
        return facts, f"{packets}, {facts['bytes']:,} bytes in {now - self._begun:.0f} s; now {rate:.3g} Mb/s"


@contextmanager
def watched(*, is_quiet: bool) -> Iterator[Callable[[core.Capture], None]]:
    """Yield the function to call with the reader regularly. Nothing is shown if it is quiet."""
    watch = _Watch()
    watch.begin()
    try:
        if is_quiet:
            yield watch
        elif sys.stderr.isatty():
            with _table() as watch.show:
                yield watch
        else:
            watch.show = _lines()
            yield watch
    finally:
        watch.restore()


def _lines() -> Callable[[core.Capture], None]:
    rates = _Rates(_BETWEEN_LINES)

    def show(reader: core.Capture) -> None:
        if (found := rates.due(reader)) is not None:
            sys.stderr.write(f"{found[1]}\n")
            sys.stderr.flush()

    return show


@contextmanager
def _table() -> Iterator[Callable[[core.Capture], None]]:
    from rich.console import Console  # noqa: PLC0415  # slow to load
    from rich.live import Live  # noqa: PLC0415

    rates = _Rates(_BETWEEN_TABLES)
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:

        def show(reader: core.Capture) -> None:
            if (found := rates.due(reader)) is not None:
                live.update(_rows(*found), refresh=True)

        yield show


def _rows(facts: dict[str, Any], sentence: str) -> Group:
    """Make the sentence and the table of protocols so far."""
    from rich.console import Group  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    table.add_column("layer")
    table.add_column("protocol")
    for name in ("packets", "bytes"):
        table.add_column(name, justify="right")
    for each in facts["protocols"]:
        table.add_row(each["layer"], each["name"], f"{each['packets']:,}", f"{each['bytes']:,}")
    return Group(Text(f"{sentence}; Ctrl-C ends\n"), table)
