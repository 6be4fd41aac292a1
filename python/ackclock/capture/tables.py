"""Converts the reader's columns to Arrow tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from ackclock.values.columns import texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["FLOWS", "PACKETS", "array", "flow_table", "numbers", "packet_table"]

_NUMPY_TYPES: Final = {"u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8", "u8": "u1", "bool": "u1"}

_NAME: Final = pa.dictionary(pa.int32(), pa.string())
_EDGES: Final = pa.struct([("left", pa.int64()), ("right", pa.int64())])
_SACK: Final = pa.list_(_EDGES)
_STAMP: Final = pa.timestamp("ns", tz="UTC")

PACKETS: Final = pa.schema(
    [
        ("time", pa.float64()),
        ("timestamp", _STAMP),
        ("interface", pa.uint32()),
        ("bytes", pa.uint32()),
        ("captured", pa.uint32()),
        ("network", _NAME),
        ("protocol", _NAME),
        ("source", _NAME),
        ("source_port", pa.uint16()),
        ("destination", _NAME),
        ("destination_port", pa.uint16()),
        ("dscp", pa.uint8()),
        ("ecn", pa.uint8()),
        ("fragment", pa.bool_()),
        ("retransmission", pa.bool_()),
        ("overtaken", pa.bool_()),
        ("copy", pa.bool_()),
        ("ip_id", pa.uint16()),
        ("ttl", pa.uint8()),
        ("connection", pa.uint32()),
        ("back", pa.bool_()),
        ("sequence", pa.int64()),
        ("ack", pa.int64()),
        ("flags", pa.uint8()),
        ("window", pa.uint32()),
        ("payload", pa.uint32()),
        ("tsval", pa.uint32()),
        ("tsecr", pa.uint32()),
        ("sack", _SACK),
    ]
)
"""One row per packet. ``time`` is in s since the first packet with a time; ``timestamp`` is exact; both are null if the
file has none. ``bytes`` are as sent. ``retransmission`` and ``overtaken`` are null for TCP segments whose header was
not captured; ``copy`` marks packets that were captured before. ``back`` is true for packets to the sender of the first
packet. Sequence numbers, ACKs and the edges of SACK blocks are relative to the start of the connection, with 64 bits.
Fields that a packet does not have are null."""

_OF_PACKETS: Final = ("unread", "copies")
"""Counts that need no TCP header."""
TCP_COUNTS: Final = (
    "retransmissions",
    "fast",
    "timeouts",
    "tail_probes",
    "spurious",
    "overtaken",
    "uncertain",
    "duplicate_acks",
    "sacks",
    "zero_windows",
    "resets",
    "fins",
    "ce",
    "ece",
    "cwr",
    "missed",
    "missed_bytes",
    *_OF_PACKETS,
)
"""What is counted of TCP in each direction. The guide on captures defines each."""
UNKNOWN_IF_UNREAD: Final = tuple(name for name in TCP_COUNTS if name not in _OF_PACKETS)
"""Counts that are unknown if the TCP header of no segment was captured."""

LIMITS: Final = ("application_limited", "receiver_limited", "network_limited")
"""Shares of the time of a transfer in which something limited it."""

_WAY: Final = [
    ("packets", pa.uint64()),
    ("bytes", pa.uint64()),
    *((name, pa.uint64()) for name in TCP_COUNTS),
    ("rtt_samples", pa.uint64()),
    ("rtt_mean", pa.float64()),
    ("rtt_min", pa.float64()),
    ("rtt_median", pa.float64()),
    ("rtt_p95", pa.float64()),
    ("rtt_p99", pa.float64()),
    ("rtt_handshake", pa.float64()),
    ("queue_mean", pa.float64()),
    ("queue_median", pa.float64()),
    ("queue_p95", pa.float64()),
    ("payload", pa.uint64()),
    ("transfer", pa.float64()),
    ("goodput", pa.float64()),
    ("initial_window", pa.uint64()),
    ("largest_flight", pa.uint64()),
    ("application_limited", pa.float64()),
    ("receiver_limited", pa.float64()),
    ("network_limited", pa.float64()),
    ("mss", pa.uint16()),
    ("wscale", pa.uint8()),
    ("sack_permitted", pa.bool_()),
    ("timestamps", pa.bool_()),
]
FLOWS: Final = pa.schema(
    [
        ("protocol", _NAME),
        ("source", _NAME),
        ("source_port", pa.uint16()),
        ("destination", _NAME),
        ("destination_port", pa.uint16()),
        ("first", _STAMP),
        ("last", _STAMP),
        ("connection", pa.uint32()),
        *_WAY,
        *((f"{name}_back", kind) for name, kind in _WAY),
    ]
)
"""One row per TCP connection and per conversation of other protocols. ``source`` sent the first packet; columns with
``_back`` refer to packets sent to ``source``. Round-trip times are in s, from a segment to its acknowledgment at the
point of capture. They therefore cover only the path from this point to the receiver and back."""

_UNTIMED: Final = np.iinfo(np.int64).min
"""Marks a time that the file does not have."""

_Columns = list[tuple[str, str, bytes]]


def numbers(columns: _Columns) -> dict[str, NDArray[Any]]:
    """Return the reader's columns as arrays."""
    return {name: np.frombuffer(content, dtype=_NUMPY_TYPES[kind]) for name, kind, content in columns}


def first_time(batch: tuple[_Columns, list[str], list[str]]) -> int | None:
    """Return the first time of a batch of packets in ns since 1970, or None if no packet has one."""
    times = numbers(batch[0][:1])["timestamp"]
    timed = times[times != _UNTIMED]
    return int(timed[0]) if timed.size else None


def packet_table(batch: tuple[_Columns, list[str], list[str]], start: int) -> pa.Table:
    """Make a table with a row per packet; ``start`` is the time of the first packet in ns since 1970."""
    columns, addresses, protocols = batch
    values = numbers(columns)
    untimed = values["timestamp"] == _UNTIMED
    # Times that are far apart overflow 64 bits; their difference in floating point is accurate enough.
    since = values["timestamp"] - np.int64(start)
    far = np.abs(values["timestamp"].astype(np.float64) - start) > 2.0**62
    time = np.where(far, values["timestamp"].astype(np.float64) - start, since) / 1e9
    time[untimed] = np.nan
    sack = _blocks(values["sack_blocks"], values["sack_left"], values["sack_right"])
    return _table(PACKETS, {**values, "time": time, "sack": sack}, addresses, protocols)


def _blocks(counts: NDArray[np.uint8], *edges: NDArray[np.int64]) -> pa.Array:
    """Make lists of SACK blocks; those without blocks are null."""
    offsets = np.zeros(counts.size + 1, dtype=np.int32)
    np.cumsum(counts, out=offsets[1:])
    pairs = pa.StructArray.from_arrays([array(each) for each in edges], fields=list(_EDGES))
    bits = pa.py_buffer(np.packbits(counts > 0, bitorder="little"))
    return pa.Array.from_buffers(_SACK, counts.size, [bits, pa.py_buffer(offsets)], children=[pairs])


def flow_table(batch: tuple[_Columns, list[str], list[str]]) -> pa.Table:
    """Make a table with a row per TCP connection and per conversation of other protocols."""
    columns, addresses, protocols = batch
    values = numbers(columns)
    for back in ("", "_back"):
        samples = values.pop(f"round_trips{back}")
        total, least = values.pop(f"round_trip_sum{back}"), values.pop(f"round_trip_least{back}")
        none = np.where(samples > 0, 1.0, np.nan)
        values[f"rtt_samples{back}"] = samples
        values[f"rtt_mean{back}"] = none * total / np.maximum(samples, 1) / 1e9
        values[f"rtt_min{back}"] = none * least / 1e9
        values |= _measured(values, back)
        unread = (values[f"unread{back}"] > 0) & (values[f"unread{back}"] == values[f"packets{back}"])
        for name in UNKNOWN_IF_UNREAD:
            values[name + back] = np.where(unread, np.nan, values[name + back])
    return _table(FLOWS, values, addresses, protocols)


def _measured(values: Mapping[str, NDArray[Any]], back: str) -> dict[str, NDArray[Any]]:
    """Return the measures of one direction in s and b/s, and as shares of time. The guide on captures defines each."""
    found: dict[str, NDArray[Any]] = {}
    for name in ("rtt_median", "rtt_p95", "rtt_p99", "rtt_handshake"):
        found[name] = _seconds(values[name + back])
    for name in ("mean", "median", "p95"):
        rtt = found[f"rtt_{name}"] if name != "mean" else values[f"rtt_mean{back}"]
        found[f"queue_{name}"] = np.maximum(rtt - values[f"rtt_min{back}"], 0.0)
    found["transfer"] = _seconds(values[f"data_last{back}"], values[f"data_first{back}"])
    with np.errstate(divide="ignore", invalid="ignore"):
        delivered = values[f"payload{back}"] - values[f"outstanding{back}"]
        goodput = 8 * np.maximum(delivered, 0) / found["transfer"]
        found["goodput"] = np.where(np.isfinite(goodput), goodput, np.nan)
        limits = {name: _seconds(values[name + back]) for name in LIMITS}
        total = sum(limits.values())
        found |= {name: each / total for name, each in limits.items()}
    return {name + back: each for name, each in found.items()}


def _seconds(times: NDArray[np.int64], since: NDArray[np.int64] | int = 0) -> NDArray[np.float64]:
    missing = (times == _UNTIMED) | (since == _UNTIMED)
    return np.where(missing, np.nan, (times - since) / 1e9)


def array(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an Arrow array of numbers.

    `pa.array` would import an installed pandas to check the type of the values: 2 s of CPU time.
    """
    bits = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing is not None and missing.any() else None
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, values.size, [bits, pa.py_buffer(np.ascontiguousarray(values))])


def _table(
    schema: pa.Schema, values: Mapping[str, NDArray[Any] | pa.Array], addresses: Sequence[str], protocols: Sequence[str]
) -> pa.Table:
    names = {"source": addresses, "destination": addresses, "network": protocols, "protocol": protocols}
    dictionaries = {name: texts(words) for name, words in names.items()}
    return pa.table([_array(field, values[field.name], dictionaries) for field in schema], schema=schema)


def _array(field: pa.Field, values: NDArray[Any] | pa.Array, dictionaries: Mapping[str, pa.Array]) -> pa.Array:
    if isinstance(values, pa.Array):
        return values
    there = array(values, _missing(values))
    if field.name in dictionaries:
        return pa.DictionaryArray.from_arrays(there.cast(pa.int32()), dictionaries[field.name])
    return there.cast(field.type)


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are missing: negative indices and ports, numbers that are none, times that the file lacks."""
    missing: NDArray[np.bool_]
    if values.dtype == np.int32:
        missing = values < 0
    elif values.dtype == np.int64:
        missing = values == _UNTIMED
    else:
        missing = np.isnan(values)
    return missing
