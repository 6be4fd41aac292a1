"""Explanations of the comparisons that do not agree.

A key is a pattern of names, as `fnmatch` understands it: ``PART: CELL: MEASURE`` for a cell of either set, and
``Scripted losses: NAME`` or ``Scripted losses with BBR: NAME`` for a trace. The first pattern that matches a name
explains it, so special patterns precede general ones.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNEXPLAINED: Final = "Not explained yet."

_WRITES = (
    "One or two packets are lost per cycle, depending on which pairs of segments the ACKs cover at its peak. The "
    "kernel had one cycle after the first 10 s."
)
_LATER = (
    "At this rate and round-trip time, the losses depend on how late packets are. The kernel had more runs at a time "
    "than in the traces, and its two losses with CUBIC differ by half. With all lateness multiplied by 2.5, our losses "
    "are 0.00072 with Reno and 0.00035 with CUBIC, and by 4, 0.00074 and 0.00055. With the lateness scaled to the "
    "cell's own 99th percentile, a rule that was fixed before, they are 0.00063 and 0.00031, and 29 of 32 losses agree "
    "as well. Added stalls of 6 to 10 ms change nothing."
)
_WINDOW = (
    "The receive window stopped to grow during a gap, and the kernel's receiver sent one quick ACK more. Ackclock's "
    "number of quick ACKs is fixed for a window that does not change."
)
_TIMER = (
    "The timer for late segments and an ACK that shows the loss coincide. In the kernel the timer comes first, by a "
    "microsecond, in Ackclock the ACK."
)
_PACING = (
    "The timer of pacing woke up 0.3 to 1.1 ms late, which no record shows. An ACK that shows a loss and the end of a "
    "pacing interval nearly coincide, so that in the kernel one of them comes first, in Ackclock the other; or the "
    "queue is full, and another one of two segments is lost."
)
_CONVERGENCE = (
    "The kernel's periods scatter widely (standard deviation 1.5 and 2.0 s). CUBIC has two kinds of cycle, of about 3 "
    "and 7 s. Fast convergence makes a cycle long if its peak is lower than the last one by a single segment."
)
_MARGIN = (
    "Late ACKs raise the largest delivery rate that BBR measures, and with it the queue, which is 4.1 ms without "
    "lateness. A few stalls decide, so that the three runs differ."
)
_SCATTER = (
    "The kernel's repetitions scatter: the share is 0.735 with the frozen clock, 0.802 with the ordinary one, and the "
    "standard deviation 0.06. Ackclock's path has stalls as with the ordinary clock."
)
_ONE_CLOCK = (
    "All senders of the kernel's run are on one host, so that their timers fire with the same ticks: of the packets "
    "that follow more than 1 s of silence of their flow, 91 % arrived in the same quarter of a millisecond of a tick "
    "of 4 ms, and timeouts of 16 s and more come in steps of 2 s. The queue is full, and at most one or two packets "
    "of such a group find room: 71 % of them are lost, against 42 % of all. In Ackclock each host has a clock of its "
    "own, and 54 % are lost, against 50 %. With `tick_phase` 701 ms for all senders, 193 flows are silent (179 in the "
    "kernel), a flow times out 5.1 times (5.5), and 39 % of the packets of the second minute are lost (37 %)."
)
_SLOW_START = (
    "In the kernel's first repetition, slow start of the first burst ends at a threshold of 28 segments instead of 75. "
    "That machine stalled for 50 ms, and later bursts have the same threshold. The other two repetitions agree: 160 to "
    "161 ms a burst, and windows of 76 and 77 segments."
)
_LATE_BURST = "One burst of the kernel's third repetition took 122 ms. Without it, the kernel's mean is 41.0 ms."

EXPLAINED: Final[Mapping[str, str]] = {
    "Scripted losses: cubic_dev30": _WINDOW,
    "Scripted losses: reno_d100_101_of_each_100": _TIMER,
    "Scripted losses: *_paced": _PACING,
    "Scripted losses with BBR: bbr_tail3of60": _PACING,
    "Single flows: *, 50 Mb/s, 10 ms, 42 packets: loss": _LATER,
    "Single flows: reno, 20 Mb/s, 40 ms, 267 packets: loss": _WRITES,
    "Single flows: cubic, 5 Mb/s, *: sawtooth period": _CONVERGENCE,
    "Single flows: bbr, 20 Mb/s, 40 ms, 67 packets: mean round-trip time of BBR": _MARGIN,
    "Competition: 1xreno@20ms and 1xreno@100ms, 100 packets: *": _SCATTER,
    "Many flows: bbr, 300 flows, *": _ONE_CLOCK,
    "Bursts: bbr, 20 segments each 1 s: *": _LATE_BURST,
    "Bursts: cubic, 100 segments each 3 s: *": _SLOW_START,
}
"""Text by pattern."""


def explanation(name: str, texts: Mapping[str, str] = EXPLAINED) -> str:
    """Return the explanation of a comparison that does not agree."""
    return next((text for pattern, text in texts.items() if fnmatchcase(name, pattern)), UNEXPLAINED)


def grouped(names: Iterable[str], texts: Mapping[str, str] = EXPLAINED) -> dict[str, list[str]]:
    """Group names by their explanation; names without one come last."""
    found: dict[str, list[str]] = {text: [] for text in texts.values() if text != UNEXPLAINED}
    found[UNEXPLAINED] = []
    for name in names:
        found[explanation(name, texts)].append(name)
    return {text: group for text, group in found.items() if group}
