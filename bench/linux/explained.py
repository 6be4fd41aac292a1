"""Explanations of the comparisons that do not agree.

A key is a pattern of names, as `fnmatch` understands it: ``PART: CELL: MEASURE`` for a cell, and ``trace: NAME`` for a
trace. The first pattern that matches a name explains it, so special patterns precede general ones.
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

EXPLAINED: Final[Mapping[str, str]] = {
    "trace: *_tail*": _PROBE,
    "trace: *_all10of10": _PROBE,
    "trace: *_one1of1x3": _PROBE,
    "trace: *_burst20per500ms": "After an idle period, the kernel halves its window once per timeout. The profile "
    "restarts with the initial window.",
    "trace: *_ecnstep20": "The sender does not react to ECN yet.",
    "trace: *": "The profile recovers by RFC 6675, without RACK and proportional rate reduction. The kernel spreads "
    "the reduction over a round-trip time, and detects lost retransmissions by their age.",
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
