"""Ctrl-C, once to finish what is under way, twice to stop at once."""

from __future__ import annotations

import signal
import sys
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Interruption"]


class Interruption:
    """While the body runs, the first Ctrl-C is only taken down; the next one raises `KeyboardInterrupt`.

    Elsewhere than in the main thread it does nothing: interrupts do not arrive there.
    """

    def __init__(self) -> None:
        self.asked = False
        """Whether somebody has asked for an end."""
        self._told = False
        self._ours = threading.current_thread() is threading.main_thread()
        self._before = signal.getsignal(signal.SIGINT)

    def __enter__(self) -> Self:
        if self._ours:
            signal.signal(signal.SIGINT, self._first)
        return self

    def __exit__(self, *why: object) -> None:
        """Put back what an interrupt did before."""
        if self._ours:
            signal.signal(signal.SIGINT, self._before)

    def goes_on(self) -> bool:
        """Tell whether work goes on; the first time that it does not, say so on the standard error stream."""
        if self.asked and not self._told:
            sys.stderr.write("Finishing what is under way; Ctrl-C again stops at once.\n")
            self._told = True
        return not self.asked

    def _first(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
