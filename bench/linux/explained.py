"""Explanations of the comparisons that do not agree.

A key is a pattern of names, as `fnmatch` understands it: ``PART: CELL: MEASURE`` for a cell, and ``Scripted losses:
NAME`` for a trace. The first pattern that matches a name explains it, so special patterns precede general ones.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PROBE = (
    "The profile has no tail loss probe yet. The kernel sends the last segment again before the timeout, and Ackclock "
    "only at the timeout."
)
_IDLE = (
    "After an idle period, the kernel halves its window once per timeout. The profile restarts with the initial window."
)
_RECOVERY = (
    "The profile recovers by RFC 6675, without RACK and proportional rate reduction. The kernel spreads the reduction "
    "over a round-trip time, and detects lost retransmissions by their age."
)
_WHOLE_CUBIC = (
    "The kernel's CUBIC computes in whole segments. It rounds the distance to the last maximum down, and so reaches "
    "the maximum when less than one segment is missing, more than a second early. It always has the same maximum, so "
    "that fast convergence never applies; with fractions, every second maximum is slightly smaller than the last one."
)
_WHOLE_RENO = (
    "The kernel's Reno counts acknowledged segments in whole numbers. With an ACK for every second segment, one is "
    "often left over when the window grows. The next growth then comes before the duplicate ACKs of the first loss, "
    "and costs a second packet. Ackclock loses one packet per cycle."
)

EXPLAINED: Final[Mapping[str, str]] = {
    "Scripted losses: *_tail*": _PROBE,
    "Scripted losses: *_all10of10": _PROBE,
    "Scripted losses: *_one1of1x3": _PROBE,
    "Scripted losses: *_burst20per500ms": _IDLE,
    "Scripted losses: *_ecnstep20": "The sender does not react to ECN yet.",
    "Scripted losses: *": _RECOVERY,
    "Single flows: cubic*: sawtooth period": _WHOLE_CUBIC,
    "Single flows: cubic, 20 Mb/s, 40 ms, 67 packets: loss": _WHOLE_CUBIC,
    "Single flows: reno*: loss": _WHOLE_RENO,
}
"""Text by pattern."""

UNEXPLAINED: Final = "Not explained yet."


def explanation(name: str, texts: Mapping[str, str] = EXPLAINED) -> str:
    """Return the explanation of a comparison that does not agree."""
    return next((text for pattern, text in texts.items() if fnmatchcase(name, pattern)), UNEXPLAINED)


def grouped(names: Iterable[str], texts: Mapping[str, str] = EXPLAINED) -> dict[str, list[str]]:
    """Group names by their explanation; names without one come last."""
    found: dict[str, list[str]] = {text: [] for text in [*texts.values(), UNEXPLAINED]}
    for name in names:
        found[explanation(name, texts)].append(name)
    return {text: group for text, group in found.items() if group}
