"""Infers what the application of a connection sent: all that the network took, a transfer, or data at certain times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.capture.twin.path import Path
    from ackclock.capture.twin.seen import Seen

    Numbers = NDArray[np.float64]

_PAUSE: Final = 0.1
"""Share of the shortest round trip from which a time without outstanding data is a pause; at least 2 ms."""
_LEAST_PAUSE: Final = 2e-3
_SILENT: Final = 3
"""ACKs of new data, outside of recovery, after which a silent sender that is not paced has nothing to send."""
_OFTEN: Final = 4
"""Number of such silences from which they are the application's: a single one may be the sender's."""
_PROMPT: Final = 0.1
"""Share of a packet's time at the bottleneck up to which a packet follows an ACK or another packet promptly."""
_LEAST_PROMPT: Final = 3e-5
_FREE: Final = 0.5
"""Share of packets that follow nothing promptly, from which the application sets their times."""
_SLACK: Final = 0.95
"""Share of the bottleneck's rate up to which a sender can be slower than the network."""


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """What the application sent."""

    kind: Literal["greedy", "transfer", "writes"]
    size: int = 0
    """Bytes of a transfer."""
    times: tuple[float, ...] = ()
    """Times of writes in s since the first data."""
    packets: tuple[int, ...] = ()
    """Their full packets."""


def pattern_of(seen: Seen, path: Path, *, is_paced: bool) -> Pattern:
    """Infer the pattern of the application.

    A stretch of data ends with a pause: all data is acknowledged, or ACKs release none although no data was lost.
    Senders whose law paces them (`is_paced`) do the latter to measure the round trip. Within a stretch, the application
    sets the times if most packets follow neither an ACK nor another packet promptly, if the stretch uses less than
    `_SLACK` of the bottleneck, and if no queue waits there. Otherwise the network sets them, and the whole stretch was
    there at its begin.
    """
    new = ~seen.is_again
    sent, sizes, ends = seen.sent[new], (seen.ends - seen.starts)[new], np.maximum.accumulate(seen.ends[new])
    if not sent.size:
        return Pattern(kind="greedy")
    heard = np.searchsorted(seen.heard, sent, side="right") - 1
    acked = np.where(heard >= 0, seen.acks[np.maximum(heard, 0)], 0.0)
    since = sent - np.where(heard >= 0, seen.heard[np.maximum(heard, 0)], -np.inf)
    pause = max(_PAUSE * float(seen.trips.min()), _LEAST_PAUSE)
    is_first = np.append(True, (acked[1:] >= ends[:-1]) & (since[1:] > pause))
    if not is_paced:
        calm = np.append(0, np.cumsum(seen.is_calm & (np.diff(seen.acks, prepend=0.0) > 0)))
        silent = np.diff(calm[np.searchsorted(seen.heard, sent)], prepend=0)
        disturbed = np.append(0, np.cumsum(~seen.is_calm))
        quiet = np.diff(disturbed[np.searchsorted(seen.heard, sent)], prepend=0) == 0
        rests = ((silent >= _SILENT) & quiet & (np.diff(sent, prepend=-np.inf) > pause))[1:]
        is_first[1:] |= rests & (np.count_nonzero(rests) >= _OFTEN)
    begins = np.flatnonzero(is_first)
    stretches = list(zip(begins.tolist(), [*begins[1:].tolist(), sent.size], strict=True))
    follows = np.minimum(since, np.diff(sent, prepend=-np.inf))
    free = follows > max(_PROMPT * 8 * seen.full / path.rate.value, _LEAST_PROMPT)
    times: list[float] = []
    packets: list[int] = []
    is_free = False
    for first, last in stretches:
        total = float(sizes[first:last].sum())
        if _is_free(seen, path, sent[first:last], free[first:last], total):
            times += (sent[first:last] - sent[0]).tolist()
            packets += np.maximum(np.rint(sizes[first:last] / seen.mss), 1).astype(int).tolist()
            is_free = True
        else:
            times.append(float(sent[first] - sent[0]))
            packets.append(max(1, -(-int(total) // seen.mss)))
    if is_free or len(stretches) > 1:
        return Pattern(kind="writes", times=tuple(times), packets=tuple(packets))
    if seen.acks[-1] >= seen.ends.max():
        return Pattern(kind="transfer", size=int(seen.new))
    return Pattern(kind="greedy")


def _is_free(seen: Seen, path: Path, sent: Numbers, free: NDArray[np.bool_], total: float) -> bool:
    if sent.size < 3 or np.mean(free) < _FREE:
        return False
    rate = 8 * total * seen.full / seen.mss / max(float(sent[-1] - sent[0]), 1e-9)
    inside = (seen.trip_times >= sent[0]) & (seen.trip_times <= sent[-1])
    step = 8 * seen.full / path.rate.value
    return bool(rate < _SLACK * path.rate.value and inside.any() and float(np.median(path.queue[inside])) < step)
