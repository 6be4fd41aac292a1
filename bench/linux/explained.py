"""Explanations of the comparisons that do not agree.

A key is a pattern of names, as `fnmatch` understands it: ``PART: CELL: MEASURE`` for a cell, and ``Scripted losses:
NAME`` for a trace. The first pattern that matches a name explains it, so special patterns precede general ones.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNEXPLAINED: Final = "Not explained yet."

_WRITES = (
    "The application of the measurement wrote 64 KB at a time. The kernel sets the flag PSH on the last segment of "
    "each write, and its receiver acknowledges this segment at once, without waiting for a second one. From then "
    "on, ACKs cover other pairs of segments. Ackclock has no such writes. Times therefore differ by a transmission "
    "time, and the segment that an ACK releases at the peak of a cycle, which is then lost, is another one. In "
    "small models of a Reno flow with such ACKs, 1.5 to 2 packets are lost per cycle, as in the kernel, and without "
    "them often only one. The lateness of the machine also adds up to about 0.1 ms per round trip, a little more than "
    "the rule allows."
)
_STALLS = (
    "The machine of the measurement stalled: single ACKs were late by about 2 ms or less. In a trace of about 60 "
    "segments, two late segments are too many."
)
_TIE = (
    "In slow start, ACKs arrive exactly when the bottleneck begins a transmission. Microseconds decide whether an "
    "arrival still finds that packet waiting. In the kernel's run, a packet was marked for this reason one round-trip "
    " time before the others, and the sender reacted earlier."
)
_HYSTART = (
    "The kernel's HyStart ends slow start one ACK later, because an ACK was late by 0.6 ms and the train of ACKs "
    "was interrupted."
)
_PROBE = "The kernel waits for two clock ticks (8 ms) more before it probes the tail of a flight."
_REORDER = (
    "The kernel waits for two clock ticks (8 ms) more before its reordering timer marks a segment as lost. Here, "
    "the next duplicate ACK comes first."
)
_PACING = (
    "An ACK that shows a loss and the end of a pacing interval nearly coincide. In the kernel one of them comes first, "
    "in Ackclock the other: the schedules differ by 0.4 to 0.7 ms."
)
_LIMITED = (
    "The kernel's window grows in slow start until it is twice the largest flight, in Ackclock only while the "
    "flight fills it. After the idle time, both halve their windows."
)
_PACE = (
    "The kernel keeps the pace of CUBIC's growth for seven ticks of its clock of 4 ms while the window stays the same, "
    "Ackclock for 1/32 s. At small windows, where 30 ms are most of a round trip, a segment of growth therefore comes "
    "some ACKs earlier or later. The lateness of the machine also adds up to about 0.1 ms per round trip."
)
_SCATTER = (
    "The kernel's repetitions scatter: the standard deviation of the share is 0.03 with 33 packets, 0.09 with 100 and "
    "0.10 with 400. In 50 s there are only a few loss cycles. 33 packets are less than one BDP, where stalls of the "
    "machine also change the shares."
)
_CONVERGENCE = (
    "The kernel's periods scatter widely (standard deviation 1.5 s). CUBIC has two kinds of cycle, of about 3 and 7 "
    "s. Fast convergence makes a cycle long if its peak is lower than the last one by a single segment."
)

EXPLAINED: Final[Mapping[str, str]] = {
    "Scripted losses: reno_ecnstep20": _TIE,
    "Scripted losses: cubic_dev30": _HYSTART,
    "Scripted losses: reno_dev30": _REORDER,
    "Scripted losses: *_d100_101_of_each_100": _REORDER,
    "Scripted losses: reno_tail3of60": _PROBE,
    "Scripted losses: cubic_tail1x3of60": _STALLS,
    "Scripted losses: *_burst20per500ms": _LIMITED,
    "Scripted losses: *_d20_50_51_52_80_paced": _PACING,
    "Scripted losses: *_paced": UNEXPLAINED,
    "Scripted losses: cubic_ecnstep20": UNEXPLAINED,
    "Scripted losses: cubic_*": _PACE,
    "Scripted losses: reno_*": _WRITES,
    "Single flows: reno*: loss": _WRITES,
    "Competition: 1xcubic@20ms and 1xcubic@100ms, 400 packets: *": _SCATTER,
    "Competition: 1xcubic@40ms and 1xreno@40ms, 33 packets: *": _SCATTER,
    "Competition: 1xreno@20ms and 1xcubic@100ms, 100 packets: *": _SCATTER,
    "Single flows: cubic, 5 Mb/s, 40 ms, 67 packets: sawtooth period": _CONVERGENCE,
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
