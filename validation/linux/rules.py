"""Rules of agreement: when a number of ours agrees with the kernel's, and the required shares (bars).

The rules were fixed before the first comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True, slots=True)
class Tolerance:
    """A measure, and the difference that is allowed from the mean of the kernel's repetitions.

    Parameters
    ----------
    title, unit, digits
        Name and unit of the measure, and the number of decimal places in tables.
    relative, absolute
        Allowed difference, as a share of the kernel's mean and in units of the measure; the larger one counts.
    factor
        Largest ratio in either direction; 0 if the rule has none. If the kernel has 0, only 0 agrees.
    spread
        Whether values between the kernel's smallest and largest repetition agree as well.
    bar
        Required share of cells that agree.
    """

    title: str
    unit: str
    digits: int = 3
    relative: float = 0.0
    absolute: float = 0.0
    factor: float = 0.0
    spread: bool = True
    bar: float

    def agrees(self, ours: float, kernel: Sequence[float]) -> bool:
        """Check whether a number agrees with the kernel's repetitions."""
        mean = fmean(kernel)
        if self.spread and min(kernel) <= ours <= max(kernel):
            return True
        if self.factor:
            return mean > 0 and mean / self.factor <= ours <= mean * self.factor
        return abs(ours - mean) <= max(self.relative * abs(mean), self.absolute)

    @property
    def allowed(self) -> str:
        """The rule in words."""
        parts = [f"{100 * self.relative:g} %"] if self.relative else []
        parts += [f"a factor of {self.factor:g}"] if self.factor else []
        parts += [f"{100 * self.absolute:g} points"] if self.absolute else []
        return " or ".join([*parts, *(["between two repetitions of the kernel"] if self.spread else [])])


GOODPUT: Final = Tolerance(title="goodput", unit="share of rate", relative=0.02, bar=0.9)
WAITING: Final = Tolerance(title="mean queueing delay", unit="ms", digits=1, relative=0.1, bar=0.9)
LOSS: Final = Tolerance(title="loss", unit="share of packets", digits=5, factor=1.3, bar=0.9)
PERIOD: Final = Tolerance(title="sawtooth period", unit="s", digits=2, relative=0.1, bar=0.9)
RANDOM_LOSS: Final = Tolerance(title="goodput with random loss", unit="Mb/s", digits=2, relative=0.1, bar=1.0)
SHARE: Final = Tolerance(title="share of the first", unit="share", absolute=0.05, spread=False, bar=0.8)

BBR_GOODPUT: Final = Tolerance(title="goodput of BBR", unit="share of rate", relative=0.03, spread=False, bar=0.85)
ROUND_TRIP: Final = Tolerance(
    title="mean round-trip time of BBR", unit="ms", digits=1, relative=0.1, spread=False, bar=0.85
)
BBR_SHARE: Final = Tolerance(title="share with BBR", unit="share", absolute=0.07, spread=False, bar=0.75)

CYCLES: Final = 3
"""Fewest complete cycles of the kernel's window for a comparison of periods."""
SMALL_BUFFER: Final = 0.5
"""Buffers below this share of the bandwidth-delay product are compared, but not judged, except with BBR."""
FROZEN: Final = 2
"""The repetition of single flows with the frozen clock, in which BBR measures too low a rate and has a longer queue."""
COMPARABLE_MS: Final = 500.0
"""Time from the first segment up to which traces of BBR are compared if the application always has data.

Startup and drain are over about then, and the cycles after them begin in a random phase.
"""
SEEDS: Final = (1, 2, 3, 4, 5)
"""Seeds of random loss."""
SHARE_SEEDS: Final = tuple(range(1, 31))
"""Seeds of competing flows: their starts, and lateness of the path. Shares of 15 runs vary by 1 to 2 points."""
SINGLE_SEEDS: Final = (1, 2, 3)
"""Seeds of single flows: lateness of the path."""

ORDER_BAR: Final = 0.9
"""Required share of traces whose segments are sent in the same order."""
TIMES_BAR: Final = 0.8
"""Required share of traces whose order and times both agree."""
PUNCTUAL: Final = 0.99
"""Required share of a trace's segments whose times agree."""
LATENESS_MS: Final = 1.0
"""Smallest allowed difference of two times, in ms; the trace's own 99th percentile of lateness if that is larger."""
WAKE_UPS: Final = 4
"""Processes that wake up once per round trip, each late by the median lateness: path, receiver, path, sender."""
JIFFY_MS: Final = 4.0
"""Granularity of the kernel's timers (CONFIG_HZ = 250)."""
WHEEL_MS: Final = 252.0
"""Timers above this time are rounded up to 8 jiffies."""
"""The kernel's timers fire up to two units late."""
QUIET_MS: Final = 3.0
"""A segment with no ACK and no other segment this long before it was sent by a timer or by the application."""
