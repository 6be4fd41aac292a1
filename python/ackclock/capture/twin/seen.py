"""Reads what a capture shows of one direction of a TCP connection, as a twin needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ackclock.capture.diagnosis import NEAR
from ackclock.capture.law.captured import of_packets
from ackclock.capture.law.trace import MOST_EVENTS
from ackclock.capture.round_trips import round_trips
from ackclock.capture.segments import segments_of
from ackclock.values.errors import impossible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from ackclock.capture.law.captured import Captured

    Numbers = NDArray[np.float64]
    Flags = NDArray[np.bool_]

Place = Literal["sender", "middle", "receiver"]

LEAST_SEGMENTS: Final = 50
"""Fewest segments of a connection that can be twinned."""
LEAST_TRIPS: Final = 10
"""Fewest round-trip times."""
LONGEST: Final = 3600
"""Longest connection that can be twinned, in s."""
_FIELDS: Final = (
    "back",
    "sequence",
    "ack",
    "flags",
    "window",
    "payload",
    "retransmission",
    "tsval",
    "bytes",
    "interface",
)
_LINK_HEADERS: Final = {0: 4, 1: 14, 12: 0, 14: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}
"""Bytes of the header of a link, by its type."""
_SYN, _RST, _ECE = 0x02, 0x04, 0x40


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One direction of a connection; times in s since its first packet, numbers of bytes since its start."""

    found: Captured
    """What congestion control is identified from."""
    place: Place
    """Where the capture seems to have been made."""
    full: int
    """Bytes of a full packet, with the headers of IP and TCP."""
    sent: Numbers
    """Times of all packets with data, in order."""
    starts: Numbers
    """Their first bytes."""
    ends: Numbers
    """The bytes after their last ones."""
    is_again: Flags
    """Whether each was sent again."""
    heard: Numbers
    """Times of all ACKs, in order."""
    acks: Numbers
    """The highest number that was acknowledged so far, at each ACK."""
    windows: Numbers
    """The advertised window in bytes at each ACK."""
    is_calm: Flags
    """Whether an ACK is outside of any recovery: neither it nor the one before has SACK blocks or is a duplicate."""
    echoes: Flags
    """Whether an ACK echoes a mark."""
    repeated: frozenset[int]
    """First bytes of segments that the receiver reports to have twice."""
    trip_times: Numbers
    """Times of ACKs that have a round-trip time."""
    trips: Numbers
    """These round-trip times between the sender and the receiver, in s."""
    has_syn: bool
    """Whether the capture has the connection's start."""

    @property
    def mss(self) -> int:
        """Bytes of data in a full packet."""
        return self.found.mss

    @property
    def new(self) -> float:
        """Bytes of data that were acknowledged."""
        return float(min(self.acks[-1], self.ends.max()) - self.starts.min())

    @property
    def duration(self) -> float:
        """Seconds from the first data to the last ACK of new data."""
        last = self.heard[np.flatnonzero(np.diff(self.acks, prepend=self.starts[0]) > 0)[-1]]
        return float(last - self.sent[0])

    @property
    def goodput(self) -> float:
        """Data in bits per second."""
        return 8 * self.new / self.duration if self.duration else 0.0

    @property
    def mean_trip(self) -> float:
        """Mean round-trip time in s."""
        return float(self.trips.mean())


def seen(packets: Path, connection: int, *, links: Sequence[int] = (), field: str = "connection") -> Seen:
    """Read a connection from a table of packets; at most its first `MOST_EVENTS` packets.

    `links` are the link types of the capture's interfaces.
    """
    found = of_packets(packets, connection, field=field)
    columns = _columns(packets, connection)
    back, payload, flags = columns["back"] > 0, columns["payload"], columns["flags"].astype(np.int64)
    is_ours = back == found.back
    is_reset = (flags & _RST) > 0  # a reset may have any sequence number
    data = is_ours & (payload > 0) & ~is_reset
    hears = ~is_ours & np.isfinite(columns["ack"]) & ((flags & _SYN) == 0) & ~is_reset
    _check(int(data.sum()), int(hears.sum()))
    start = columns["time"][0]
    sends = {name: columns[name][data] for name in ("time", "sequence", "payload", "retransmission")}
    sends["time"] = sends["time"] - start
    replies = {"time": columns["time"][hears] - start, "ack": columns["ack"][hears]}
    times, trips = round_trips(sends, replies)
    if trips.size < LEAST_TRIPS:
        raise _cannot(f"it has {trips.size} round-trip times, and {LEAST_TRIPS} are needed")
    whole = float(trips.min()) + found.shift
    _check_times(replies, sends, float(trips.mean()))
    is_near = bool(found.shift) and float(trips.min()) < NEAR * whole
    sends = _cut(sends, found.mss)
    acks = np.maximum.accumulate(replies["ack"])
    blocks = columns["sack"][hears]
    return Seen(
        found=found,
        place="receiver" if is_near else "middle" if found.shift else "sender",
        full=_full(columns, data, found.mss, links),
        sent=sends["time"],
        starts=sends["sequence"],
        ends=sends["sequence"] + sends["payload"],
        is_again=sends["retransmission"] == 1,
        heard=replies["time"],
        acks=acks,
        windows=columns["window"][hears],
        is_calm=_calm(acks, blocks),
        echoes=(flags[hears] & _ECE) > 0,
        repeated=_repeated(acks, blocks),
        trip_times=times,
        trips=trips + found.shift,
        has_syn=bool((is_ours & ((flags & _SYN) > 0)).any()),
    )


def _cut(sends: Mapping[str, Numbers], mss: int) -> dict[str, Numbers]:
    """Cut packets of several segments, as those of a sender with offload, into at most `MOST_EVENTS` segments."""
    count = np.maximum(np.ceil(sends["payload"] / mss), 1).astype(np.int64)
    kept = np.searchsorted(np.cumsum(count), MOST_EVENTS, side="right")
    count = count[:kept]
    row = np.repeat(np.arange(kept), count)
    offset = mss * (np.arange(row.size) - np.repeat(np.cumsum(count) - count, count)).astype(np.float64)
    cut = {name: column[row] for name, column in sends.items()}
    cut["sequence"] = cut["sequence"] + offset
    cut["payload"] = np.minimum(cut["payload"] - offset, mss)
    return cut


def _check(data: int, acks: int) -> None:
    if not data:
        raise _cannot("it has no data")
    if not acks:
        raise _cannot("the capture has packets of one direction only; capture both")
    if data < LEAST_SEGMENTS:
        raise _cannot(f"it has {data} segments with data, and {LEAST_SEGMENTS} are needed")


def _check_times(replies: Mapping[str, Numbers], sends: Mapping[str, Numbers], trip: float) -> None:
    length = float(replies["time"][-1] - sends["time"][0])
    if trip <= 0 or length <= 0:
        raise _cannot("its times do not advance")
    if max(length, float(sends["time"][-1] - sends["time"][0])) > LONGEST:
        raise _cannot(f"it lasts {length:,.0f} s, and at most {LONGEST:,} s are simulated")


def _cannot(why: str) -> Exception:
    return impossible(f"this connection cannot be twinned: {why}")


def _full(columns: Mapping[str, Any], data: Flags, mss: int, links: Sequence[int]) -> int:
    """Return the bytes of a packet with `mss` bytes of data, from IP on."""
    is_whole = data & (columns["payload"] == mss)
    if links and is_whole.any():
        size = float(np.median(columns["bytes"][is_whole]))
        link = links[min(int(columns["interface"][is_whole][0]), len(links) - 1)]
        if link in _LINK_HEADERS and size > mss + _LINK_HEADERS[link]:
            return int(size) - _LINK_HEADERS[link]
    has_stamps = bool(np.isfinite(columns["tsval"][data]).any())
    return mss + 20 + (40 if columns["is_6"] else 20) + (12 if has_stamps else 0)


def _columns(packets: Path, connection: int) -> dict[str, Any]:
    pieces: list[dict[str, Any]] = []
    count, is_6 = 0, False
    for part in segments_of(packets, connection, ["timestamp", "sack", "network", *_FIELDS]):
        rows = part.slice(0, MOST_EVENTS - count)
        count += len(rows)
        is_6 = is_6 or "ipv6" in rows["network"].unique().to_pylist()
        pieces.append(_arrays(rows))
        if count >= MOST_EVENTS:
            break
    first = pieces[0]["time"][0]
    for piece in pieces:
        piece["time"] = (piece["time"] - first) / 1e9
    whole: dict[str, Any] = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    whole["time"] = np.maximum.accumulate(whole["time"])
    known = np.isfinite(whole["sequence"]) & np.isfinite(whole["payload"])
    return {name: column[known] for name, column in whole.items()} | {"is_6": is_6}


def _arrays(rows: pa.Table) -> dict[str, Any]:
    columns: dict[str, Any] = {
        name: rows[name].cast("int64").cast("float64").to_numpy(zero_copy_only=False) for name in _FIELDS
    }
    columns["flags"] = np.nan_to_num(columns["flags"])
    columns["time"] = rows["timestamp"].cast("int64").to_numpy(zero_copy_only=False)
    columns["sack"] = np.empty(len(rows), dtype=object)
    columns["sack"][:] = rows["sack"].to_pylist() if rows["sack"].null_count < len(rows) else None
    return columns


def _calm(acks: Numbers, blocks: NDArray[np.object_]) -> Flags:
    disturbed = np.array([bool(each) for each in blocks]) | (np.diff(acks, prepend=-1.0) <= 0)
    before = np.append(False, disturbed[:-1])
    return np.asarray(~(disturbed | before))


def _repeated(acks: Numbers, blocks: NDArray[np.object_]) -> frozenset[int]:
    """Return the segments of duplicate SACK blocks: below the ACK, or within the second block (RFC 2883)."""
    found = set()
    for ack, each in zip(acks.tolist(), blocks, strict=True):
        if not each:
            continue
        first, rest = each[0], each[1:]
        if first["right"] <= ack or any(b["left"] <= first["left"] and first["right"] <= b["right"] for b in rest):
            found.add(int(first["left"]))
    return frozenset(found)
