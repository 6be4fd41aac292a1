"""Draws the run of a script as sequence numbers over time, as tcptrace draws connections."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.conformance.running import ScriptResult
from ackclock.drawing.chart import Axis, Band, Chart, Note, Panel, Series

_HEIGHT: Final = 3.6
_ROOM: Final = 0.05
"""Free space at the ends of the axes, as a share of their spans."""
_BESIDE: Final = 0.005
"""What is sent is drawn this far beside what arrives in the same instant, as a share of the span."""
_COLUMNS: Final = 2500
"""Columns of the picture: in each, segments that touch become one line."""
_GAP: Final = 0.004
"""Space between segments of one instant, as a share of the vertical span."""
_TICKS: Final = 8
_WORDS: Final = {"equal": "equal", "differs": "differs at", "inexpressible": "not expressible from"}

Event = Mapping[str, Any]
Points = list[tuple[float, float]]


def picture(result: ScriptResult, drawn: Mapping[str, Any]) -> Chart:
    """Draw a run.

    Parameters
    ----------
    result
        The result of the script.
    drawn
        The events and the pauses of the run, as the engine records them.

    Returns
    -------
    Chart
        What arrives, what the sender does and, where it differs, what the script expects. Pauses are shortened.
    """
    events, clock = drawn["events"], _Clock(drawn["pauses"])
    frame = _Frame.of(events, clock)
    series, bands, notes = _Parts(frame, events).series(), [], []
    for pause in drawn["pauses"]:
        begin, end = clock.shown(pause["from"]), clock.shown(pause["until"])
        inner = (begin + 0.1 * (end - begin), end - 0.1 * (end - begin))
        bands.append(_stripe("pause", inner, frame, "grey"))
        notes.append(Note(x=inner[0], y=frame.high, text=f" +{pause['until'] - pause['from']:.3g} s"))
    if result.verdict == "differs":
        wrong = [each["time"] for each in events if each["status"] == "wrong"]
        at = clock.shown(min([result.time or 0.0, *wrong])) - 2 * _BESIDE * frame.span
        series.append(
            Series(name="first difference", x=[at] * 2, y=[frame.low, frame.high], colour="orange", width=1.2)
        )
        bands.append(_stripe("not compared", (at, frame.right), frame, "orange"))
        notes.append(Note(x=at, y=frame.high, text=f" line {result.line}"))
    panel = Panel(
        x=Axis(label="time, s", low=frame.left, high=frame.right, ticks=clock.ticks(frame.left, frame.right)),
        y=Axis(label="sequence number, bytes", low=frame.low, high=frame.high, ticks=frame.numbers()),
        series=series,
        bands=bands,
        notes=notes,
        title=f"{result.path.name}: {_WORDS[result.verdict]}{'' if result.line is None else f' line {result.line}'}",
    )
    return Chart(panels=[panel], height=_HEIGHT)


def _stripe(name: str, ends: tuple[float, float], frame: "_Frame", colour: str) -> Band:
    """Shade a span of time."""
    return Band(name=name, x=ends, low=[frame.low] * 2, high=[frame.high] * 2, colour=colour, listed=False)


class _Clock:
    """Times of a picture whose pauses are shortened."""

    def __init__(self, pauses: Sequence[Mapping[str, float]]) -> None:
        self._pauses = pauses

    def shown(self, time: float) -> float:
        """Convert a time to its position in the picture."""
        place = time
        for pause in self._pauses:
            length = pause["until"] - pause["from"]
            place -= max(0.0, min(time, pause["until"]) - pause["from"]) * (1 - pause["shown"] / length)
        return place

    def ticks(self, low: float, high: float) -> list[tuple[float, str]]:
        """Choose round times outside of the pauses, with their positions."""
        step = _step(high - low)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        edges = [0.0, *(each[end] for each in self._pauses for end in ("from", "until")), math.inf]
        found = []
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            number = math.ceil(begin / step - 1e-9)
            while number * step <= end and (place := self.shown(number * step)) <= high:
                if place >= low:
                    found.append((place, f"{number * step:.{digits}f}"))
                number += 1
        return found


def _step(span: float) -> float:
    """Choose the distance between ticks."""
    rough = span / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


@dataclass(frozen=True, kw_only=True)
class _Frame:
    """The axes of a picture."""

    clock: _Clock
    left: float
    right: float
    low: float
    high: float
    span: float
    """Time between the first and the last event."""
    rise: float
    """Bytes between the lowest and the highest sequence number."""

    @classmethod
    def of(cls, events: Sequence[Event], clock: _Clock) -> "_Frame":
        """Choose axes with some space around all events."""
        times = [clock.shown(time) for each in events for time in (each["time"], each.get("until", each["time"]))]
        heights = [each[end] for each in events for end in ("start", "end", "ack") if end in each]
        times, heights = times or [0.0], heights or [0, 1]
        span, rise = max(times) - min(times) or 1.0, max(heights) - min(heights) or 1.0
        return cls(
            clock=clock,
            left=min(times) - _ROOM / 2 * span,
            right=max(times) + _ROOM * span,
            low=min(heights) - 2 * _ROOM * rise,
            high=max(heights) + _ROOM * rise,
            span=span,
            rise=rise,
        )

    def numbers(self) -> list[tuple[float, str]]:
        """Choose round sequence numbers as ticks."""
        step = max(1, round(_step(self.high - self.low)))
        numbers = range(max(0, math.ceil(self.low / step)) * step, math.floor(self.high) + 1, step)
        return [(float(number), f"{number:,}".replace(",", "\u2009")) for number in numbers]


class _Parts:
    """The lines and markers of a picture."""

    def __init__(self, frame: _Frame, events: Sequence[Event]) -> None:
        self._clock, self._span, self._rise = frame.clock, frame.span, frame.rise
        self._low, self._high, self._end = frame.low, frame.high, frame.right
        self._events = {
            kind: [each for each in events if each["kind"] == kind] for kind in ("segment", "ack", "assertion")
        }

    def series(self) -> list[Series]:
        segments = [each for each in self._events["segment"] if each["status"] != "missing"]
        acks = [each for each in self._events["ack"] if each["status"] != "missing"]
        is_peer = any(each["status"] == "given" for each in segments)
        again = [each for each in segments if each.get("retransmission")]
        first = [each for each in segments if not each.get("retransmission")]
        missing = [each for kind in ("segment", "ack") for each in self._events[kind] if each["status"] == "missing"]
        reached = list(itertools.accumulate((each["ack"] for each in acks), max))
        blocks = [(self._x(each), *block) for each in acks for block in each.get("sacks", [])]
        limits = [each for each in acks if "limit" in each]
        lines = [
            self._stairs("end of the window", limits, [each["limit"] for each in limits], "grey", dashed=True),
            self._stairs("ACK sent" if is_peer else "ACK", acks, reached, "green", dashed=False),
            self._bars("SACK block", blocks, "mint", 2.2),
            self._bars("segment that arrives" if is_peer else "segment", self._ends(first), "blue", 1.6),
            self._bars("retransmission", self._ends(again), "red", 2.2),
            self._boxes("expected", missing),
        ]
        probes = [each for each in segments if each["start"] == each["end"]]
        marks = [each for each in (*segments, *acks) if each.get("cwr") or each.get("ce") or each.get("ece")]
        wrong = [each for each in (*segments, *acks) if each["status"] == "wrong"]
        duplicates = [each for each, end, before in zip(acks[1:], reached[1:], reached, strict=False) if end == before]
        asserted = self._events["assertion"]
        points: list[tuple[str, Iterable[Event], dict[str, Any]]] = [
            ("duplicate ACK", duplicates, {"colour": "green", "marker": "circle", "size": 2.6}),
            ("window probe", probes, {"colour": "blue", "marker": "circle", "filled": False, "size": 5.0}),
            ("lost", [each for each in segments if each.get("lost")], {"colour": "red", "marker": "down", "size": 3.4}),
            ("ECN", marks, {"colour": "amber", "marker": "diamond", "size": 4.4}),
            ("not expected", wrong, {"colour": "orange", "marker": "circle", "filled": False, "size": 11.0}),
            (
                "assertion",
                [each for each in asserted if each["status"] == "met"],
                {"colour": "green", "marker": "triangle"},
            ),
            (
                "assertion that fails",
                [each for each in asserted if each["status"] != "met"],
                {"colour": "red", "marker": "down", "size": 6.0},
            ),
        ]
        dots = [
            Series(
                name=name, x=[self._x(each) for each in of], y=[self._middle(each) for each in of], dash="none", **pen
            )
            for name, of, pen in points
        ]
        return [each for each in (*lines, *dots) if np.isfinite(np.asarray(each.y, dtype=np.float64)).any()]

    def _x(self, event: Event) -> float:
        beside = event["status"] != "given" and event["kind"] != "assertion"
        return self._clock.shown(event["time"]) + (_BESIDE * self._span if beside else 0.0)

    def _middle(self, event: Event) -> float:
        if event["kind"] == "assertion":
            return self._low + _ROOM / 2 * self._rise
        return float(event["ack"] if event["kind"] == "ack" else (event["start"] + event["end"]) / 2)

    def _ends(self, segments: Iterable[Event]) -> list[tuple[float, float, float]]:
        return [(self._x(each), each["start"], each["end"]) for each in segments]

    def _bars(self, name: str, bars: Sequence[tuple[float, float, float]], colour: str, width: float) -> Series:
        """Draw vertical lines, with a space between those that touch."""
        gap = _GAP * self._rise
        points: Points = []
        for x, low, high in _merged(bars, self._span / _COLUMNS):
            inset = gap if high - low > 4 * gap else 0.0
            points += [(x, low + inset), (x, high - inset), (math.nan, math.nan)]
        return _line(name, points, colour, width)

    def _stairs(self, name: str, acks: Sequence[Event], heights: ArrayLike, colour: str, *, dashed: bool) -> Series:
        """Draw a value that each ACK sets."""
        x, y = np.array([self._x(each) for each in acks]), np.asarray(heights, dtype=np.float64)
        if dashed and not (y <= self._high).any():
            y = np.full_like(y, math.nan)  # the window never ends within the picture
        places, steps = np.append(np.repeat(x, 2)[1:], self._end), np.repeat(np.minimum(y, 2 * self._high), 2)
        kept = thinned(places[: steps.size], steps, self._span / _COLUMNS)
        return _line(name, kept, colour, 1.2 if not dashed else 0.9, dashed=dashed)

    def _boxes(self, name: str, missing: Iterable[Event]) -> Series:
        """Draw the time and the bytes of expected packets as boxes."""
        points: Points = []
        for each in missing:
            left, right = self._x(each), self._clock.shown(each.get("until", each["time"])) + _BESIDE * self._span
            low, high = (each["ack"], each["ack"]) if each["kind"] == "ack" else (each["start"], each["end"])
            left, right = left - _BESIDE * self._span, right + _BESIDE * self._span
            low, high = (low, high) if high > low else (low - 0.01 * self._rise, high + 0.01 * self._rise)
            points += [(left, low), (right, low), (right, high), (left, high), (left, low), (math.nan, math.nan)]
        return _line(name, points, "orange", 1.1, dashed=True)


def _line(
    name: str, points: Iterable[tuple[float, float]], colour: str, width: float, *, dashed: bool = False
) -> Series:
    x, y = np.array(list(points), dtype=np.float64).reshape(-1, 2).T
    return Series(name=name, x=x, y=y, colour=colour, width=width, dash="dashed" if dashed else "solid")


def _merged(bars: Sequence[tuple[float, float, float]], column: float) -> Iterable[tuple[float, float, float]]:
    """Join bars that touch within a column of the picture, if there are many."""
    if len(bars) < _COLUMNS:
        return bars
    found: list[tuple[float, float, float]] = []
    for x, low, high in sorted(bars, key=lambda bar: (bar[0] // column, bar[1])):
        if found and x // column == found[-1][0] // column and low <= found[-1][2]:
            found[-1] = (found[-1][0], found[-1][1], max(high, found[-1][2]))
        else:
            found.append((x, low, high))
    return found


def thinned(x: NDArray[np.float64], y: NDArray[np.float64], column: float) -> Points:
    """Keep the first and the last point of each column of the picture, if there are many."""
    if x.size < _COLUMNS:
        return list(zip(x, y, strict=True))
    columns = x // column
    is_edge = np.append(True, columns[1:] != columns[:-1]) | np.append(columns[1:] != columns[:-1], True)
    return list(zip(x[is_edge], y[is_edge], strict=True))
