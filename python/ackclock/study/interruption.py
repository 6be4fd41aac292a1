"""Handles Ctrl-C: the first Ctrl-C lets running simulations finish, and the second one stops them."""

from __future__ import annotations

import signal
import sys
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Interruption"]


class Interruption:
    """Context manager in which the first Ctrl-C is only recorded, and the next one raises `KeyboardInterrupt`.

    Outside the main thread it has no effect, since interrupts arrive only in the main thread.
    """

    def __init__(self) -> None:
        self.asked = False
        """Whether an interrupt has been requested."""
        self._told = False
        self._ours = threading.current_thread() is threading.main_thread()
        self._before = signal.getsignal(signal.SIGINT)

    def __enter__(self) -> Self:
        if self._ours:
            signal.signal(signal.SIGINT, self._first)
        return self

    def __exit__(self, *why: object) -> None:
        """Restore the previous handling of interrupts."""
        if self._ours:
            signal.signal(signal.SIGINT, self._before)

    def goes_on(self) -> bool:
        """Return whether to continue; the first time that it returns false, print a message on standard error."""
        if self.asked and not self._told:
            sys.stderr.write("Finishing the running simulations; press Ctrl-C again to stop at once.\n")
            self._told = True
        return not self.asked

    def _first(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
