"""Lets a second Ctrl-C end the process while a law is in a call that never comes back to Python.

Python runs its handlers of signals between two of its instructions, so a single long call, such as
``sum(range(10**12))``, keeps all of them waiting. The operating system's handler is therefore installed for one signal
only: the first Ctrl-C reaches Python as ever, and the next one ends the process if Python has not handled the first.
"""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["arm", "stoppable"]


def arm() -> None:
    """Let the next Ctrl-C reach Python, and the one after it end the process; needs glibc, and else does nothing."""
    install = getattr(ctypes.CDLL(None), "sysv_signal", None) if hasattr(signal, "SIGALRM") else None
    if install is None:
        return
    install.restype, install.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
    handler = install(signal.SIGINT, None)
    install(signal.SIGINT, handler)


@contextmanager
def stoppable() -> Iterator[None]:
    """Arm Ctrl-C while the body calls laws in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    arm()
    try:
        yield
    finally:
        if before is not None:  # otherwise another program's handler
            signal.signal(signal.SIGINT, before)
