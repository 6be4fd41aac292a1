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
    "One or two packets are lost per cycle, depending on which pairs of segments the ACKs cover at its peak. The pairs "
    "change with every pushed segment, and the pushed segments with the moment at which a third of the send buffer is "
    "free. A stall of the machine shifts this moment, and all later cycles."
)
_STALLS = (
    "The machine of the measurement stalled: single ACKs were late by about 2 ms or less. In a trace of about 60 "
    "segments, two late segments are too many."
)
_TIE = (
    "In slow start, ACKs arrive exactly when the bottleneck begins a transmission. Microseconds decide whether an "
    "arrival still finds that packet waiting. In the kernel's run, a packet was marked for this reason one round-trip "
    "time before the others, and the sender reacted earlier."
)
_HYSTART = (
    "The kernel's HyStart ends slow start one ACK later, because an ACK was late by 0.6 ms and the train of ACKs "
    "was interrupted."
)
_COMPRESSION = (
    "After the first loss of a connection, the kernel's receiver sends four duplicate ACKs at once before it "
    "compresses SACKs, and three after later losses. Ackclock's receiver always sends three. At small windows, a "
    "segment therefore leaves an ACK later here."
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
    "CUBIC's pace of growth depends on the tick of the clock in which an ACK arrives. The time of the ticks is not "
    "known well enough. At small windows, a segment of growth therefore comes an ACK earlier or later."
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
_HANDSHAKE = (
    "BBR's first rate and first minimum round-trip time are those of the handshake. The kernel's handshake was late by "
    "1.7 and 1.1 ms in these two runs, and by 0.2 to 0.4 ms in the others."
)
_MARGIN = (
    "Late ACKs raise the largest delivery rate that BBR measures, and most of all on short paths: in these runs, the "
    "kernel's estimate is 0.9 to 1.8 % above the rate of the link, against 0.2 to 0.7 % at 40 and 100 ms. BBR sends 1 "
    "% more slowly than its estimate. If the estimate is too high by more, the queue of a probe does not drain in the "
    "phases after it. If packets and ACKs are late by random times of up to the 99th percentile of the run's lateness "
    "(0.17 to 0.52 ms), our queues at 20 and 50 Mb/s are 7.9, 12.3 and 8.5 ms long, against 5.8, 5.5 and 8.0 ms in "
    "the kernel and 3.8, 3.8 and 2.8 ms without lateness; with half of these times they are 7.4, 4.0 and 3.0 ms. At 5 "
    "Mb/s, such times change nothing. But 0.4 % of the packets were late by more than 1 ms, and if the ACKs stall for "
    "2 ms three times a second, our queue grows from 13.5 to 14.4 ms, against 16.5 ms in the kernel. In repetition 3, "
    "with a fifth of the lateness, the queue at 50 Mb/s and 167 packets is 3.8 ms long instead of 8.0 ms, and with 17 "
    "packets those at 5 and 20 Mb/s are 15.4 and 4.0 ms long instead of 16.5 and 5.8 ms; but at 20 Mb/s and 67 "
    "packets it is 8.0 ms."
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
    "Scripted losses: reno_ecnstep20": _TIE,
    "Scripted losses: cubic_dev30": _HYSTART,
    "Scripted losses: reno_dev30": _COMPRESSION,
    "Scripted losses: *_d100_101_of_each_100": _COMPRESSION,
    "Scripted losses: cubic_tail1x3of60": _STALLS,
    "Scripted losses: *_burst20per500ms": _LIMITED,
    "Scripted losses: *_d20_50_51_52_80_paced": _PACING,
    "Scripted losses: *_paced": UNEXPLAINED,
    "Scripted losses: cubic_ecnstep20": UNEXPLAINED,
    "Scripted losses: cubic_*": _PACE,
    "Scripted losses with BBR: bbr_d20": _HANDSHAKE,
    "Scripted losses with BBR: bbr_d100x3": _HANDSHAKE,
    "Single flows: bbr, * Mb/s, 10 ms, *: mean round-trip time of BBR": _MARGIN,
    "Single flows: reno*: loss": _WRITES,
    "Competition: 1xcubic@20ms and 1xcubic@100ms, 400 packets: *": _SCATTER,
    "Competition: 1xcubic@40ms and 1xreno@40ms, 33 packets: *": _SCATTER,
    "Competition: 1xreno@20ms and 1xcubic@100ms, 100 packets: *": _SCATTER,
    "Single flows: cubic, 5 Mb/s, 40 ms, 67 packets: sawtooth period": _CONVERGENCE,
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
