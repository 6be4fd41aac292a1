"""Reads the trace of a connection from the packets of a capture."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ackclock.capture.diagnosis import NEAR, busiest
from ackclock.capture.law.trace import MOST_EVENTS, Collector, Trace
from ackclock.capture.reading import read_capture
from ackclock.capture.segments import segments_of
from ackclock.values.errors import refuse

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from ackclock.capture.reading import Capture

COLUMNS: Final = (
    "timestamp", "back", "sequence", "ack", "flags", "window", "payload", "ecn", "sack", "retransmission",
)  # fmt: skip
_SYN, _RST, _ACK, _ECE, _CWR = 0x02, 0x04, 0x10, 0x40, 0x80
_ECT1: Final = 1
_FAR_SHARE: Final = 0.05
"""Share of the round trip between the sender and the tap from which on ACKs are moved to where the sender sees them."""
_BACK, _AHEAD = 1_000_000_000, 3_600_000_000_000
"""Steps of the clock in ns, back and ahead, by which it was set, as in the reader's notes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Captured:
    """The trace of the direction of a connection that carries more data.

    Parameters
    ----------
    trace
        What the sender did.
    connection
        Number of the connection in the capture.
    back
        Whether the data goes to the side that sent the first packet.
    mss
        Largest payload of a packet that is not several segments, in bytes.
    shift
        Time by which ACKs were moved because the capture was made away from the sender, in seconds.
    is_whole
        Whether all packets of the connection were used.
    resent
        Number of packets that were sent again.
    is_beside_receiver
        Whether the capture was made beside the receiver, so that a queue before it hides what the sender saw.
    """

    trace: Trace
    connection: int
    back: bool
    mss: int
    shift: float
    is_whole: bool
    resent: int
    is_beside_receiver: bool = False


def captured(
    path: str | os.PathLike[str],
    connection: int | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Capture, Captured]:
    """Read a capture, and the trace of a connection: by default, the one with the most bytes.

    At most `MOST_EVENTS` segments and ACKs of a connection are used, from its start on.
    """
    with tempfile.TemporaryDirectory() as folder:
        packets = Path(folder) / "packets.parquet"
        read = read_capture(path, packets=packets, progress=progress)
        number = _busiest(read) if connection is None else connection
        return read, of_packets(packets, number, field="--connection" if connection is not None else "the capture")


def _busiest(read: Capture) -> int:
    row = busiest(read.flows)
    if row is None:
        raise refuse("the capture", read.path.name, "must contain a TCP connection")
    return int(row["connection"])


def of_packets(packets: Path, connection: int, *, field: str = "connection") -> Captured:
    """Return the trace of a connection from a table of packets."""
    rows: list[pa.Table] = []
    count, is_whole = 0, True
    for part in segments_of(packets, connection, COLUMNS):
        kept = part.filter(pc.is_valid(part["sequence"]))
        rows.append(kept)
        count += len(kept)
        if count >= MOST_EVENTS:
            is_whole = False
            break
    if not count:
        raise refuse(field, connection, "must be the number of a TCP connection of the capture")
    table = pa.concat_tables(rows)
    steps = np.diff(table["timestamp"].cast(pa.int64()).to_numpy())
    if np.any((steps <= -_BACK) | (steps >= _AHEAD)):
        raise refuse(field, connection, "must have a clock that runs on: it was set while this connection was captured")
    return _captured(table, connection, is_whole=is_whole)


def _captured(table: pa.Table, connection: int, *, is_whole: bool) -> Captured:
    columns: dict[str, Any] = {name: table[name].to_numpy() for name in COLUMNS if name not in ("sack", "timestamp")}
    times = table["timestamp"].cast(pa.int64()).to_numpy()
    times = np.maximum.accumulate(times) - int(times[0])
    payload = np.nan_to_num(columns["payload"].astype(float)).astype(np.int64)
    back = columns["back"].astype(bool)
    flags = columns["flags"].astype(np.int64)
    is_backward = bool(payload[back].sum() > payload[~back].sum())
    ours = back == is_backward
    is_syn = (flags & _SYN) > 0
    mss = _mss(payload[ours & (payload > 0)])
    shift, is_beside_receiver = _shift(times, ours, is_syn)
    collector = Collector(mss)
    syns, answers = times[ours & is_syn], times[~ours & is_syn]
    if len(syns) and len(answers) and not is_backward:
        collector.opened(int(max(syns[syns <= answers[0]], default=answers[0])), int(answers[0]) + shift)
    elif len(syns) and is_backward:
        final = times[~ours & ~is_syn & (np.arange(len(times)) > np.flatnonzero(ours & is_syn)[-1])]
        if len(final):
            collector.opened(int(syns[-1]), int(final[0]) + shift)
    sequence = columns["sequence"].astype(np.int64)
    is_reset = (flags & _RST) > 0  # a reset may have any numbers
    data = ours & (payload > 0) & ~is_reset
    origin = 1 if len(syns) else int(sequence[data].min()) if data.any() else 0
    acks = ~ours & ~is_syn & ~is_reset & ((flags & _ACK) > 0)
    moved = times + np.where(acks, shift, 0)
    sacks, marks = table["sack"], _Marks(is_accurate=bool(np.any(columns["ecn"][data] == _ECT1)))
    total = np.nan_to_num(columns["window"].astype(float), nan=np.inf)
    if not (len(syns) and len(answers)):  # the scale is unknown
        total[:] = np.inf
    for place in np.flatnonzero(data | acks)[np.argsort(moved[data | acks], kind="stable")].tolist():
        at = int(moved[place])
        if data[place]:
            start = int(sequence[place]) - origin
            collector.sent(at, max(start, 0), start + int(payload[place]), int(columns["ecn"][place]))
            continue
        blocks = sacks[place].as_py() or ()
        edges = [(max(0, each["left"] - origin), max(0, each["right"] - origin)) for each in blocks]
        echo = marks.echo(int(flags[place]))
        collector.acknowledged(at, max(0, int(columns["ack"][place]) - origin), edges, echo, float(total[place]))
    return Captured(
        trace=collector.trace(),
        connection=connection,
        back=is_backward,
        mss=mss,
        shift=shift / 1e9,
        is_whole=is_whole and not collector.is_full,
        is_beside_receiver=is_beside_receiver,
        resent=int(np.count_nonzero(np.nan_to_num(columns["retransmission"].astype(float))[data])),
    )


class _Marks:
    """Reads the marks that ACKs report from the flags CWR and ECE.

    With classic feedback, ECE says whether there are any. With accurate feedback, both are the lower bits of the
    counter ACE (RFC 9768), whose third bit the table does not have: it follows unless one ACK reports four marks or
    more.
    """

    def __init__(self, *, is_accurate: bool) -> None:
        self._is_accurate = is_accurate
        self._last: int | None = None
        self._count = 0

    def echo(self, flags: int) -> int:
        ece, cwr = int(flags & _ECE > 0), int(flags & _CWR > 0)
        if not self._is_accurate:
            return ece
        value = 2 * cwr + ece
        if self._last is not None:
            self._count += (value - self._last) % 4
        self._last = value
        return self._count % 8


def _mss(payloads: Any) -> int:
    """Return the payload of a whole segment: the most frequent one, by bytes, that fits into an Ethernet frame."""
    fitting = payloads[payloads <= 1500]  # larger ones are several segments (offload)
    if not len(fitting):
        return 1448
    sizes, counts = np.unique(fitting, return_counts=True)
    return max(1, int(sizes[np.argmax(sizes * counts)]))


def _shift(times: Any, ours: Any, is_syn: Any) -> tuple[int, bool]:
    """Return the round trip between the tap and the sender in ns if it is not small, and whether the rest is short.

    Both are those of the handshake: its first SYN, the answer, and the ACK. If it was repeated, the shortest answers
    count. The packets are in the order of the capture, which counts where times are equal.
    """
    place = np.arange(len(times))
    theirs, own = place[~ours & is_syn], place[ours & is_syn]
    if not len(theirs) or not len(own):
        return 0, False
    first, second, is_first = (own, theirs, ours) if own[0] < theirs[0] else (theirs, own, ~ours)
    ends = place[is_first & ~is_syn & (place > second[-1])]
    pairs = [(first[first < each][-1], each) for each in second if (first < each).any()]
    if not len(ends) or not pairs:
        return 0, False
    answered = min(int(times[answer] - times[asked]) for asked, answer in pairs)
    ended = int(times[ends[0]] - times[second[-1]])
    near = ended if first is own else answered
    whole = answered + ended
    return (near, whole - near < NEAR * whole) if near > _FAR_SHARE * whole else (0, False)
