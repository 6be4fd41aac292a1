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
    "One or two packets are lost per cycle. The number depends on the pairs of segments that ACKs cover at the peak of "
    "the cycle. The kernel had only one cycle after the first 10 s."
)
_LATER = (
    "At this rate and round-trip time, the loss depends on the lateness of packets. More of the kernel's runs shared "
    "the machine in these cells than in the traces. The kernel's two repetitions with CUBIC differ by half in their "
    "loss. If we multiply all lateness by 2.5, our loss is 0.00072 with Reno and 0.00035 with CUBIC. With a factor of "
    "4 it is 0.00074 and 0.00055. We also scaled the lateness to the cell's own 99th percentile, by a rule that was "
    "fixed before. The loss is then 0.00063 with Reno and 0.00031 with CUBIC, and again 29 of 32 losses agree. "
    "Additional stalls of 6 to 10 ms change nothing."
)
_WINDOW = (
    "The receive window stopped growing during a gap, and the kernel's receiver sent one more quick ACK. In Ackclock, "
    "the receive window does not change, and the number of quick ACKs is fixed."
)
_TIMER = (
    "The timer for late segments and an ACK that shows the loss coincide. In the kernel, the timer is first by a "
    "microsecond. In Ackclock, the ACK is first."
)
_PACING = (
    "The kernel's pacing timer woke up 0.3 to 1.1 ms late. No record shows this lateness, so a replay cannot reproduce "
    "it. In some traces, an ACK that shows a loss and the end of a pacing interval nearly coincide, and Ackclock "
    "processes them in the other order. In the other traces the queue is full, and Ackclock loses a different one of "
    "two segments."
)
_CONVERGENCE = (
    "The kernel's periods scatter widely (standard deviation 1.5 and 2.0 s). CUBIC has short cycles of about 3 s and "
    "long cycles of about 7 s. Fast convergence makes a cycle long if its peak is lower than the peak before. A single "
    "segment is enough."
)
_MARGIN = (
    "Late ACKs raise the largest delivery rate that BBR measures, and this makes the queue longer. Without lateness "
    "the mean queueing delay is 4.1 ms. A few stalls determine the result of a run, so the three runs differ."
)
_SCATTER = (
    "The kernel's repetitions scatter, with a standard deviation of 0.06. The mean share is 0.735 with the frozen "
    "clock, and 0.802 with the ordinary clock. The stalls of Ackclock's path are those of the ordinary clock."
)
_ONE_CLOCK = (
    "All senders of the kernel's run are on one host, so their timers fire at the same ticks of its clock. Consider "
    "the packets that follow a silence of their flow of more than 1 s. 91 % of them arrived in the same quarter of a "
    "millisecond of a tick of 4 ms. Timeouts of 16 s and more even come in steps of 2 s. Such packets therefore arrive "
    "in groups. The queue is full, and at most one or two packets of a group find space: 71 % of these packets are "
    "lost, but only 42 % of all packets. In Ackclock each host has its own clock, and 54 % of these packets are lost, "
    "and 50 % of all packets. If all senders have the `tick_phase` 701 ms, Ackclock is near the kernel: 193 flows are "
    "silent (kernel: 179), a flow times out 5.1 times (kernel: 5.5), and 39 % of the packets of the second minute are "
    "lost (kernel: 37 %)."
)
_SLOW_START = (
    "In the kernel's first repetition, slow start of the first burst ends at a threshold of 28 segments instead of 75, "
    "because the machine stalled for 50 ms. Later bursts keep this threshold. The other two repetitions agree: a burst "
    "takes 160 to 161 ms, and the windows are 76 and 77 segments."
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
