"""Explanations of the comparisons that do not agree.

A key is a pattern of names, as `fnmatch` understands it: ``PART: CELL: MEASURE`` for a cell, and ``Scripted losses:
NAME`` for a trace. The first pattern that matches a name explains it, so special patterns precede general ones.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TIMER = (
    "The kernel's retransmission timeout is the smoothed round-trip time plus at least 200 ms. In Ackclock, their sum "
    "is at least 200 ms, so that a timer fires earlier."
)
_IDLE = (
    "After an idle period, the kernel halves its window once per timeout. The profile restarts with the initial window."
)
_RECOVERY = (
    "Recoveries still differ in details: the second reduction for losses after the recovery point, the granularity of "
    "the reordering timer, and the segments that the receiver acknowledges at once because they end a write."
)
_HYSTART = "HyStart does not end slow start in this version of the sender."
_WHOLE_RENO = (
    "The kernel's Reno counts acknowledged segments in whole numbers. With an ACK for every second segment, one is "
    "often left over when the window grows. The next growth then comes before the duplicate ACKs of the first loss, "
    "and costs a second packet. Ackclock loses one packet per cycle."
)

EXPLAINED: Final[Mapping[str, str]] = {
    "Scripted losses: *_tail*": _TIMER,
    "Scripted losses: *_one1of1x3": _TIMER,
    "Scripted losses: *_burst20per500ms": _IDLE,
    "Scripted losses: cubic_*": _HYSTART,
    "Scripted losses: *": _RECOVERY,
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
