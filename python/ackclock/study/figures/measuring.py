"""Measures that a store's figures can show: those of runs, and those of groups, named ``GROUP.MEASURE``."""

from __future__ import annotations

from typing import Final

from ackclock.engine.catalogue import catalogue
from ackclock.running.summary import GROUP_MEASURES
from ackclock.values.errors import one_of

__all__ = ["WORDS", "better", "displayed", "label", "resolved", "spoken", "words"]

WORDS: Final = {
    name: measure.title for name, measure in catalogue().measures_of("run").items() if measure.title is not None
}
"""Name of each measure of a run in titles and on axes."""

_OF_GROUPS: Final = catalogue().measures_of("group")

_COMPLETION: Final = {
    "completed": "Completed transfers",
    "completion_mean": "Completion time, mean",
    "completion_p50": "Completion time, median",
    "completion_p95": "Completion time, 95th percentile",
    "completion_p99": "Completion time, 99th percentile",
    "slowdown_mean": "Slowdown, mean",
}
"""Names of measures that only groups have and whose tables print no title."""

_LOWER: Final = (
    "loss", "lost", "cov", "queue_", "sojourn_", "delay_", "jitter", "rtt_", "timeouts", "retransmissions",
    "duplicates", "drops", "convergence_", "shut_off", "starved", "completion_", "page_load_", "slowdown_", "stall",
    "startup_",
)  # fmt: skip
_HIGHER: Final = (
    "throughput", "goodput", "payload", "utilization", "jain_", "converged", "completed", "mos",
    "video_bitrate", "pages",
)  # fmt: skip
"""Beginnings of the names of measures of which usually lower, or higher, values are wanted."""


def _parts(measure: str) -> tuple[str, str]:
    group, _, name = measure.rpartition(".")
    return group, name


def words(measure: str) -> str:
    """Return the name of a measure in titles.

    >>> words("delay_mean"), words("calls.delay_mean")
    ('One-way delay, mean', 'One-way delay of calls, mean')
    """
    group, name = _parts(measure)
    if not group:
        return WORDS[name]
    title = _OF_GROUPS[name].title or _COMPLETION.get(name) or name.replace("_", " ").capitalize()
    first, comma, rest = title.partition(",")
    return f"{first} of {group}{comma}{rest}"


def spoken(measure: str) -> str:
    """Return the name of a measure in sentences.

    >>> spoken("calls.delay_mean")
    'One-way delay of calls (mean)'
    """
    name, comma, rest = words(measure).partition(", ")
    return f"{name} ({rest})" if comma else name


def displayed(measure: str) -> tuple[str, float]:
    """Return the display unit of a measure, and the factor that converts to this unit."""
    group, name = _parts(measure)
    found = _OF_GROUPS[name] if group else catalogue().measures_of("run")[name]
    return found.shown, found.factor


def label(measure: str) -> str:
    """Return the axis label of a measure, with its unit."""
    unit = displayed(measure)[0]
    return f"{words(measure)}, {unit}" if unit else words(measure)


def better(measure: str) -> str:
    """Return which values of a measure are usually better, ``lower`` or ``higher``, or an empty text.

    >>> better("web.completion_p95"), better("goodput_bps"), better("arrivals")
    ('lower', 'higher', '')
    """
    name = _parts(measure)[1]
    return "lower" if name.startswith(_LOWER) else "higher" if name.startswith(_HIGHER) else ""


def resolved(measure: str, defined: list[str]) -> list[str]:
    """Return the measures that a name stands for; a measure that only groups have stands for that of each group.

    Raises
    ------
    ValueError
        There is no such measure; the message lists those that there are.

    """
    if measure in WORDS or measure in defined:
        return [measure]
    found = [each for each in defined if _parts(each)[0] and _parts(each)[1] == measure]
    if found and measure in GROUP_MEASURES:
        return found
    raise ValueError(one_of(measure, [*WORDS, *(each for each in defined if each not in WORDS)]))
