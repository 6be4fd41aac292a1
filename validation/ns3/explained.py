"""Explanations of the numbers that do not agree: patterns of ``PART: CELL: MEASURE``, the first match counts."""

from __future__ import annotations

from typing import Final

EXPLAINED: Final = {
    "*BBR, *: mean queueing delay": (
        "ns-3's BBR keeps a standing queue of about a bandwidth-delay product even if it is alone: its rate samples "
        "are about 3 % above the link's rate, which the margin of 1 % does not compensate, so that the window's cap "
        "of two products limits the flight. Linux's BBR has no such queue, and ours behaves as Linux's. Beside CUBIC, "
        "ns-3's BBR also times out when a retransmission is lost (7 to 30 times in a run), which RACK avoids."
    ),
    "Faulty PRR: 2 CUBIC and 2 BBR, drop-tail, 10 Mb/s, 20 ms, 67 packets: goodput": (
        "ns-3's goodput is above the largest possible one, 9.64 Mb/s: data count when the receiver delivers them in "
        "order, and at the start of the measured time much data was waiting for a missing segment."
    ),
    "Faulty PRR: *": (
        "PRR of ns-3.44 takes the flight during the recovery for the flight before it (`RecoverFS = pipe`). The "
        "window is therefore reduced twice at each congestion, and the queue is shorter, or the link is idle. In "
        "these cells, ours uses the correct rule (RFC 6937)."
    ),
}
"""Text by pattern."""
