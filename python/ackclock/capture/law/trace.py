"""What a trace shows of one direction of a TCP connection: segments that were sent and ACKs that arrived, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ACK: Final = 0x80
"""Kind of an event that is an ACK; its ECN feedback is added."""
ORIGINAL: Final = 0x08
"""Added if the ACK answers the first transmission of a segment that was sent again."""
_EARLY: Final = 0.75
"""An ACK that arrives after less than this share of the shortest round trip cannot answer the last transmission."""
MOST_EVENTS: Final = 400_000
"""Events of a connection that are followed, from its begin on."""
MOST_BLOCKS: Final = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """Segments and ACKs of one direction, as the engine follows them.

    Parameters
    ----------
    times
        Times in ns, from 0 on, in ascending order.
    numbers
        The number of a segment that is sent, from 0 on, or the first segment that an ACK does not acknowledge. With a
        handshake, segment 0 is the SYN.
    kinds
        0 for a segment; `ACK` with three bits of ECN feedback for an ACK, and `ORIGINAL`.
    counts
        Number of SACK blocks of each event.
    blocks
        Starts and ends of all blocks, as numbers of segments.
    windows
        The receiver's window at each ACK, in segments; infinite if it is not known.
    ecn
        Codepoint of the data that is neither CE nor 0: 1 (ECT(1)), 2 (ECT(0)), or 0 if no data has one.
    handshake
        Whether the trace begins with the SYN and its answer.
    has_sack
        Whether the receiver sends SACK blocks.
    """

    times: NDArray[np.uint64]
    numbers: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    counts: NDArray[np.uint8]
    blocks: NDArray[np.uint64]
    windows: NDArray[np.float64]
    ecn: int = 0
    handshake: bool = False
    has_sack: bool = True

    @property
    def is_ack(self) -> NDArray[np.bool_]:
        """Which events are ACKs."""
        return self.kinds >= ACK

    @property
    def sent(self) -> int:
        """Number of segments that were sent at least once."""
        numbers = self.numbers[~self.is_ack]
        return int(numbers.max()) + 1 if len(numbers) else 0

    @property
    def duration(self) -> float:
        """Time from the first to the last event, in seconds."""
        return float(self.times[-1] - self.times[0]) / 1e9 if len(self.times) else 0.0

    def first_sent(self) -> NDArray[np.float64]:
        """Return when each segment was sent for the first time, in seconds; if the trace misses it, the next one's."""
        times = np.full(self.sent, np.nan)
        data = ~self.is_ack
        numbers, firsts = np.unique(self.numbers[data], return_index=True)
        times[numbers.astype(np.int64)] = self.times[data][firsts] / 1e9
        # a segment that the capture missed was sent before the next one
        known = np.where(np.isfinite(times), np.arange(self.sent), self.sent)
        after = np.minimum.accumulate(known[::-1])[::-1]
        return np.append(times, self.times[-1] / 1e9 if len(self.times) else np.nan)[after]


class Collector:
    """Collects the events of a trace, in the bytes of a connection; a segment has the connection's largest payload."""

    def __init__(self, mss: int, *, most: int = MOST_EVENTS) -> None:
        self._mss, self._most = mss, most
        self._highest = 0  # bytes that were sent
        self._events: list[tuple[int, int, int, int, float]] = []
        self._blocks: list[int] = []
        self._ecn = 0
        self._first = 0  # number of the first segment: 1 after a SYN
        self._acked = 0
        self._resent: dict[int, int] = {}
        self._sent_at: dict[int, int] = {}
        self._shortest = 0
        self._has_resent = False

    def opened(self, syn: int, answer: int) -> None:
        """Add the handshake, before all else: the times of the last SYN and of the answer.

        Earlier SYNs do not count: a law knows nothing of them if the second one is answered (Linux).
        """
        self._first = 1
        self._events += [(syn, 0, 0, 0, np.nan), (answer, 1, ACK, 0, np.inf)]
        self._shortest = answer - syn

    @property
    def is_full(self) -> bool:
        """Whether no more events are collected."""
        return len(self._events) >= self._most

    def sent(self, time: int, start: int, end: int, ecn: int = 0) -> None:
        """Add the bytes from `start` to `end` of the stream, sent at `time` (ns)."""
        if self.is_full or end <= start:
            return
        if ecn in (1, 2):
            self._ecn = self._ecn or ecn
        numbers = range(start // self._mss, -(-end // self._mss))
        if end > self._highest:
            known = -(-self._highest // self._mss)
            numbers = range(max(known, start // self._mss), numbers.stop)
            self._highest = end
        for number in numbers[: self._most]:
            if number in self._sent_at:
                self._resent[number] = time
                self._has_resent = True
            else:
                self._sent_at[number] = time
            self._events.append((time, number + self._first, 0, 0, np.nan))

    def acknowledged(
        self,
        time: int,
        next_byte: int,
        blocks: Sequence[tuple[int, int]] = (),
        echo: int = 0,
        window: float = np.inf,
    ) -> None:
        """Add an ACK for all bytes before `next_byte`, with SACK blocks in bytes and a window in bytes."""
        if self.is_full:
            return
        kept = [self._segments(*block) for block in blocks[:MOST_BLOCKS]]
        kept = [block for block in kept if block[0] < block[1]]
        self._blocks += [number for block in kept for number in block]
        number = self._whole(next_byte)
        kind = ACK | echo & 7 | (ORIGINAL if self._answers_original(time, number) else 0)
        self._events.append((time, number + self._first, kind, len(kept), window / self._mss))

    def _answers_original(self, time: int, number: int) -> bool:
        """Whether an ACK that acknowledges a segment that was sent again came too early for its last transmission."""
        is_original = False
        number = min(number, self._acked + len(self._sent_at))  # the ACK may claim anything
        for each in range(self._acked, number):
            sent, resent = self._sent_at.pop(each, None), self._resent.pop(each, None)
            if each == self._acked and resent is not None:
                is_original = time - resent < _EARLY * self._shortest
            if each == number - 1 and sent is not None and resent is None:
                self._shortest = min(self._shortest or time - sent, time - sent)
        self._acked = max(self._acked, number)
        return is_original

    def trace(self) -> Trace:
        """Return the events in order of time, from the first one on; events of equal times keep their order."""
        events = np.array(self._events, dtype=float).reshape(-1, 5)
        times = np.array([event[0] for event in self._events], dtype=np.int64)
        times = np.maximum.accumulate(times) if len(times) else times
        return Trace(
            times=(times - (times[0] if len(times) else 0)).astype(np.uint64),
            numbers=events[:, 1].astype(np.uint64),
            kinds=events[:, 2].astype(np.uint8),
            counts=events[:, 3].astype(np.uint8),
            blocks=np.array(self._blocks, dtype=np.uint64),
            windows=np.where(np.isnan(events[:, 4]), np.inf, events[:, 4]),
            ecn=self._ecn,
            handshake=self._first == 1,
            has_sack=bool(self._blocks) or not self._has_resent,
        )

    def _whole(self, byte: int) -> int:
        """Return the number of whole segments before a byte; the last segment may be short."""
        return -(-byte // self._mss) if byte >= self._highest else byte // self._mss

    def _segments(self, start: int, end: int) -> tuple[int, int]:
        return -(-start // self._mss) + self._first, self._whole(end) + self._first
