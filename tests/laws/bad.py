"""Laws with one fault each."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import ackclock as ac
from ackclock.engine.core import Ack, Congestion, Window

CACHE: dict[str, float] = {}


class NotANumber(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd = math.nan if ack.now > 1 else window.cwnd + 1


class Infinite(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += math.inf


class Negative(ac.Law):
    def on_congestion(self, window: Window, event: Congestion) -> None:
        window.cwnd -= 1000


class Huge(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd *= 1e30


class HugeThreshold(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.ssthresh = 2.0**40


class NegativeRate(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.pacing_rate = -1.0


class Text(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd = "5"  # type: ignore[assignment]


class Nothing(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd = None  # type: ignore[assignment]


class Returns(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> float:  # type: ignore[override]
        return window.cwnd + 1


class Misspelt(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwmd = 5  # type: ignore[attr-defined]


class MisspeltSample(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += ack.acked  # type: ignore[attr-defined]


class Raises(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        self.divide(window)

    def divide(self, window: Window) -> None:
        window.cwnd += 1 / int(window.cwnd - window.cwnd)


class RaisesInSetup(ac.Law):
    def setup(self) -> None:
        raise RuntimeError("no state")

    def on_ack(self, window: Window, ack: Ack) -> None:
        pass


class Exits(ac.Law):
    def observe(self, ack: Ack) -> None:
        raise StopIteration

    def on_ack(self, window: Window, ack: Ack) -> None:
        pass


class KeepsSample(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        self.last = ack


class KeepsWindow(ac.Law):
    def setup(self) -> None:
        self.history: list[Window] = []

    def on_congestion(self, window: Window, event: Congestion) -> None:
        self.history.append(window)


class KeepsEvent(ac.Law):
    def on_congestion(self, window: Window, event: Congestion) -> None:
        self.last = event


class AssignsClass(ac.Law):
    seen: ClassVar[int] = 0

    def on_ack(self, window: Window, ack: Ack) -> None:
        type(self).seen += 1


class WrongArguments(ac.Law):
    def on_ack(self, window: Window) -> None:  # type: ignore[override]
        window.cwnd += 1


class NeverReturns(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        while True:
            pass


class SharesCache(ac.Law):
    def on_ack(self, window: Window, ack: Ack) -> None:
        CACHE["cwnd"] = window.cwnd


class NoDefault(ac.Law):
    gain: float

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += self.gain


class WrongDefault(ac.Law):
    gain: float = "much"  # type: ignore[assignment]

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += self.gain


class WrongType(ac.Law):
    weights: list[float] = [1.0]  # noqa: RUF012  # a fault

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += self.weights[0]


class TakenName(ac.Law):
    max_window: int = 5

    def on_ack(self, window: Window, ack: Ack) -> None:
        window.cwnd += self.max_window


def unpicklable() -> type[ac.Law]:
    """Return a law that uses a lock of the function around it."""
    import threading  # noqa: PLC0415

    lock = threading.Lock()

    class Locks(ac.Law):
        def on_ack(self, window: Window, ack: Ack) -> None:
            with lock:
                window.cwnd += 1

    return Locks


AT_RUN: dict[type[ac.Law], tuple[str, str]] = {
    NotANumber: ("on_ack", "window.cwnd is NaN; must be a number from 0 to 1000000000 packets"),
    Infinite: ("on_ack", "window.cwnd is inf; must be"),
    Negative: ("on_congestion", "window.cwnd is -9"),
    Huge: ("on_ack", "must be a number from 0 to 1000000000 packets"),
    HugeThreshold: ("on_ack", "window.ssthresh is 1099511627776; must be"),
    NegativeRate: ("on_ack", "window.pacing_rate is -1; must be a number from 0 to 1000000000 packets/s"),
    Text: ("on_ack", "TypeError: must be real number, not str (bad.py, line "),
    Nothing: ("on_ack", "TypeError: must be real number, not NoneType (bad.py, line "),
    Returns: ("on_ack", "but must return nothing: set window.cwnd instead"),
    Misspelt: ("on_ack", "has no attribute 'cwmd' (bad.py, line "),
    MisspeltSample: ("on_ack", "has no attribute 'acked' (bad.py, line "),
    Raises: ("on_ack", "ZeroDivisionError: division by zero (bad.py, line "),
    RaisesInSetup: ("setup", "RuntimeError: no state (bad.py, line "),
    Exits: ("observe", "StopIteration (bad.py, line "),
    KeepsSample: ("on_ack", "keeps a reference to its argument ack: the next call changes it; keep its numbers"),
    KeepsWindow: ("on_congestion", "keeps a reference to its argument window"),
    KeepsEvent: ("on_congestion", "keeps a reference to its argument event"),
    AssignsClass: ("on_ack", "AssignsClass.seen cannot be assigned: all flows share the class"),
    WrongArguments: ("on_ack", "takes 2 positional arguments but 3 were given"),
    NeverReturns: ("on_ack", "has not returned for"),
}
"""Laws that fail in a run: the call, and a part of the message."""

AT_USE: dict[Any, str] = {
    SharesCache: "SharesCache: 'CACHE' is not allowed; must not be used, as it is a dict: flows would share it",
    NoDefault: "NoDefault.gain: 'no default' is not allowed; must have a default; state without",
    WrongDefault: "WrongDefault.gain: 'much' is not allowed; must be a number",
    WrongType: "WrongType.weights: .* must be float, int, bool or a Literal of words",
    TakenName: "TakenName.max_window: .* must be another name: the scenario has a field",
    unpicklable(): "Locks: 'lock' is not allowed; must not be used, as it is a lock",
}
"""Laws that are refused before a run: a pattern of the message."""
