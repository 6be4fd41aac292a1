"""What users notice of each application: a number of a run, and the difference that does not matter to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ackclock.analysis.interval import Interval
    from ackclock.analysis.ranking import Better

__all__ = ["COLUMNS", "EVERY", "JUDGED", "OF_APPLICATIONS", "SHOWN", "Measure", "values"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A number of a run.

    Parameters
    ----------
    key
        Short name, for JSON.
    words
        The measure in words.
    head
        The short form, as the head of a column.
    unit
        The unit; empty for a number without one.
    better
        Which values are better.
    digits
        Decimal places to show.
    of
        Computes the number from the groups of a run by name; None if the run has none.
    absent
        The value of a run without the number, from the measured seconds.
    margin
        Largest difference that does not matter to a person, from the best value.
    why
        The margin in words, with its source.
    """

    key: str
    words: str
    head: str
    unit: str
    better: Better
    digits: int
    of: Callable[[Mapping[str, Mapping[str, Any]]], float | None]
    absent: Callable[[float], float]
    margin: Callable[[float], float] = lambda _: 0.0
    why: str = ""

    def shown(self, interval: Interval) -> str:
        """Format an interval without its unit."""
        return interval.shown(self.digits)


def _of(groups: Mapping[str, Mapping[str, Any]], name: str, field: str) -> list[float]:
    """Return the numbers of all groups of one kind that have them."""
    found = (row[field] for each, row in groups.items() if each.partition("-")[0] == name)
    return [value for value in found if value is not None]


def _score(groups: Mapping[str, Mapping[str, Any]]) -> float | None:
    return min(_of(groups, "speech", "mos"), default=None)


def _delay(groups: Mapping[str, Mapping[str, Any]]) -> float | None:
    late = max(_of(groups, "call", "delay_p95"), default=None)
    return None if late is None else 1e3 * late


def _page(groups: Mapping[str, Mapping[str, Any]]) -> float | None:
    """Return the median load time; for several round-trip times, the mean of their medians, by numbers of pages."""
    rows = [row for name, row in groups.items() if name.startswith("pages-") and row["pages"]]
    total = sum(row["pages"] for row in rows)
    return sum(row["pages"] * row["page_load_p50"] for row in rows) / total if total else None


def _bulk(groups: Mapping[str, Mapping[str, Any]]) -> float | None:
    return 1e-6 * sum((*_of(groups, "downloads", "goodput_bps"), *_of(groups, "uploads", "goodput_bps")))


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _bitrate(groups: Mapping[str, Mapping[str, Any]]) -> float | None:
    rate = _mean(_of(groups, "video", "video_bitrate"))
    return None if rate is None else 1e-6 * rate


def _stalled(groups: Mapping[str, Mapping[str, Any]]) -> float | None:
    share = _mean(_of(groups, "video", "stall_share"))
    return None if share is None else 100 * share


JUDGED: Final[Mapping[str, tuple[Measure, ...]]] = {
    "calls": (
        Measure(
            key="speech_score",
            words="score of speech",
            head="speech, score",
            unit="",
            better="higher",
            digits=2,
            of=_score,
            absent=lambda _: 1.0,
            margin=lambda _: 0.1,
            why="0.1: a third of the step from satisfied (4.03) to very satisfied (4.34) users in ITU-T G.107, annex B",
        ),
        Measure(
            key="call_delay_p95",
            words="95th percentile of a call's one-way delay",
            head="call delay, ms",
            unit="ms",
            better="lower",
            digits=1,
            of=_delay,
            absent=lambda seconds: 1e3 * seconds,
            margin=lambda _: 10.0,
            why="10 ms: half a packet of speech, which lasts 20 ms by default (RFC 3551, section 4.2); ITU-T G.114 "
            "allows 150 ms from mouth to ear",
        ),
    ),
    "pages": (
        Measure(
            key="page_load_p50",
            words="median load time of a page",
            head="page, s",
            unit="s",
            better="lower",
            digits=2,
            of=_page,
            absent=lambda seconds: seconds,
            margin=lambda best: max(0.1, 0.05 * best),
            why="0.1 s, within which a reaction seems immediate (Miller, AFIPS 1968), or 5 % if that is more, as for "
            "bulk transfers",
        ),
    ),
    "bulk": (
        Measure(
            key="bulk_goodput",
            words="goodput of all downloads and uploads",
            head="bulk, Mb/s",
            unit="Mb/s",
            better="higher",
            digits=1,
            of=_bulk,
            absent=lambda _: 0.0,
            margin=lambda best: 0.05 * best,
            why="5 % of the best: about the smallest difference between two durations that people notice (Getty, "
            "Perception & Psychophysics 18, 1975)",
        ),
    ),
}
"""The measures by which each application is judged, the first one first."""

SHOWN: Final = (
    Measure(
        key="video_bitrate",
        words="mean bitrate of the videos",
        head="video, Mb/s",
        unit="Mb/s",
        better="higher",
        digits=2,
        of=_bitrate,
        absent=lambda _: 0.0,
    ),
    Measure(
        key="video_stalled",
        words="share of the time in which videos stand still",
        head="video stalls, %",
        unit="%",
        better="lower",
        digits=1,
        of=_stalled,
        absent=lambda _: 100.0,
    ),
)
"""Measures that are shown, and do not decide."""

OF_APPLICATIONS: Final = tuple(each for measures in JUDGED.values() for each in measures)
"""The measures that can decide."""
EVERY: Final = (*OF_APPLICATIONS, *SHOWN)
"""All measures."""

COLUMNS: Final = ("mos", "delay_p95", "pages", "page_load_p50", "goodput_bps", "video_bitrate", "stall_share")
"""The measures of groups from which the numbers are computed."""


def values(groups: Mapping[str, Mapping[str, Any]], seconds: float) -> dict[str, float]:
    """Compute all measures of a run from its groups by name, and the measured time."""
    found = {each: each.of(groups) for each in EVERY}
    return {each.key: each.absent(seconds) if value is None else value for each, value in found.items()}
