"""Explanations of the numbers that do not agree: patterns of ``PART: CELL: MEASURE``, the first match counts."""

from __future__ import annotations

from typing import Final

EXPLAINED: Final = {
    "*BBR, *: mean queueing delay": (
        "ns-3's BBR keeps a standing queue of about a bandwidth-delay product even if it is alone: its rate samples "
        "are about 3 % above the link's rate, which the margin of 1 % does not compensate, so that the window's cap "
        "of two products limits the flight. Linux's BBR has no such queue, and ours behaves as Linux's. Beside CUBIC, "
        "ns-3's BBR also times out when a retransmission is lost (13 to 30 times in 60 s), which RACK avoids."
    ),
    "Faulty PRR: *": (
        "PRR of ns-3.44 takes the flight during the recovery for the flight before it (`RecoverFS = pipe`). The "
        "window is therefore reduced twice at each congestion, and the queue is shorter, or the link is idle. In "
        "these cells, ours uses the correct rule (RFC 6937)."
    ),
}
"""Text by pattern."""
