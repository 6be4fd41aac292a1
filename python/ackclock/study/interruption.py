"""Handles Ctrl-C and SIGTERM: the first one lets running simulations finish, and the second one stops them."""

from __future__ import annotations

import signal
import sys
import threading
from typing import TYPE_CHECKING, Final, Self

from ackclock.engine.stopping import arm

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Interruption"]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Context manager in which the first Ctrl-C is only recorded, and the next one raises `KeyboardInterrupt`.

    Outside the main thread it has no effect, since interrupts arrive only in the main thread.
    """

    def __init__(self) -> None:
        self.asked = False
        """Whether an interrupt has been requested."""
        self._announced = False
        self._ours = threading.current_thread() is threading.main_thread()
        self._before = {each: signal.getsignal(each) for each in _SIGNALS}

    def __enter__(self) -> Self:
        if self._ours:
            for each in _SIGNALS:
                signal.signal(each, self._first)
            arm()  # a law in a worker may keep Python from handling it
        return self

    def __exit__(self, *why: object) -> None:
        """Restore the previous handling of interrupts."""
        if self._ours:
            for each, before in self._before.items():
                signal.signal(each, before)

    def goes_on(self) -> bool:
        """Return whether to continue; the first time that it returns false, print a message on standard error."""
        if self.asked and not self._announced:
            sys.stderr.write("Finishing the running simulations; press Ctrl-C again to stop at once.\n")
            self._announced = True
        return not self.asked

    def _first(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.asked = True
        for each in _SIGNALS:
            signal.signal(each, signal.default_int_handler)
