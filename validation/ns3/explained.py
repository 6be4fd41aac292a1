"""Explanations of the numbers that do not agree: patterns of ``PART: CELL: MEASURE``, the first match counts."""

from __future__ import annotations

from typing import Final

EXPLAINED: Final = {
    "*BBR, *: mean queueing delay": (
        "ns-3's BBR keeps a standing queue of about a bandwidth-delay product even if it is alone. Its rate samples "
        "are about 3 % above the link's rate, and its margin of 1 % does not compensate this. The flight therefore "
        "grows until it reaches the window's limit of two bandwidth-delay products. Linux's BBR has no such queue, and "
        "ours behaves as Linux's. Beside CUBIC, ns-3's BBR also times out when a retransmission is lost (7 to 30 times "
        "in a run). RACK avoids these timeouts."
    ),
    "Faulty PRR: 2 CUBIC and 2 BBR, drop-tail, 10 Mb/s, 20 ms, 67 packets: goodput": (
        "ns-3's goodput is above the largest possible goodput, 9.64 Mb/s. Data count when the receiver delivers them "
        "in order. At the start of the measured time, much data was waiting for a missing segment, and then counted."
    ),
    "Faulty PRR: *": (
        "PRR of ns-3.44 uses the flight during the recovery instead of the flight before the recovery (`RecoverFS = "
        "pipe`). It therefore reduces the window twice at each congestion. The queue is then shorter, or the link is "
        "idle at times. In these cells, Ackclock uses the correct rule (RFC 6937)."
    ),
}
"""Text by pattern."""
