"""Draws one TCP connection: time-sequence graph, round-trip times, goodput and bytes in flight, on one time axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.capture.segments import segments_of
from ackclock.drawing.chart import Axis, Chart, Panel, Series
from ackclock.report.html import Drawing, Table
from ackclock.report.scaling import columns_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["connection_drawing"]

_MOST: Final = 1_000_000
"""Maximum number of packets that are drawn; memory is bounded by them."""
_MARKS: Final = 3000
"""Maximum number of segments, ACKs or round-trip times of a drawing; of more, every k-th one is drawn."""
_BINS: Final = 100
_ROOM: Final = 1.5
"""The edge of the window is drawn up to this multiple of the highest sequence number."""
_BURST: Final = 1e-3
"""Longest gap in s within a burst."""
_FIELDS: Final = ("back", "sequence", "ack", "flags", "window", "payload", "retransmission")
_RST: Final = 4


def connection_drawing(packets: Path, row: Mapping[str, Any], command: str) -> Drawing | None:
    """Draw a connection in the direction with more data; None without data.

    Parameters
    ----------
    packets
        Parquet file with the packets of the capture.
    row
        The connection's row of the table of flows.
    command
        The command that creates the page.
    """
    found = _read(packets, row["connection"])
    is_back = row["payload_back"] > row["payload"]
    sends = (found["back"] == is_back) & (found["payload"] > 0)
    hears = (found["back"] != is_back) & np.isfinite(found["ack"])
    if not sends.any():
        return None
    data: dict[str, Any] = {name: column[sends] for name, column in found.items()}
    acks: dict[str, Any] = {name: column[hears] for name, column in found.items()}
    start, end = float(found["time"].min()), float(found["time"].max())
    for each in (data, acks):
        each["time"] = each["time"] - start
    length = max(end - start, 1e-6)
    trips = _round_trips(data, acks)
    sacked = _sacked(acks["time"], found["blocks"][hears])
    delivered = _delivered(data, acks, sacked)
    panels = [
        _sequence(data, acks, sacked),
        _panel("RTT, ms", [_points("round-trip time", trips[0], 1e3 * trips[1], "blue")]),
        _rates(data, delivered, length),
        _flight(data, delivered, length),
        _arrivals(found, start, length, is_back=is_back),
    ]
    labels = [*[""] * (len(panels) - 1), "Time since the first packet of the connection, s"]
    panels = [
        replace(panel, x=Axis(label=label, low=0.0, high=length)) for panel, label in zip(panels, labels, strict=True)
    ]
    first = found["time"].size >= _MOST
    return Drawing(
        slug="connection",
        title=f"Connection {row['connection']}",
        caption=(
            f"{row['source']} port {row['source_port']} to {row['destination']} port {row['destination_port']}, "
            f"{'data from the second to the first' if is_back else 'data from the first to the second'}"
            f"{f'; its first {_MOST:,} packets' if first else ''}. As in tcptrace, each segment is a bar "
            "from its first to its last byte; below is the line of ACKs, above the edge of the receiver's window. "
            "Goodput counts data when they were first acknowledged, by number or by a SACK block. Round-trip times and "
            "bytes in flight are those at the point of capture."
        ),
        chart=Chart(panels=panels, height=11.0),
        csv=columns_text({"time": data["time"], "sequence": data["sequence"], "payload": data["payload"]}),
        numbers=_numbers(found, data, trips, is_back=is_back),
        command=command,
    )


def _read(packets: Path, connection: int) -> dict[str, Any]:
    import pyarrow.compute as pc  # noqa: PLC0415

    pieces: list[dict[str, Any]] = []
    count = 0
    for part in segments_of(packets, connection, ["timestamp", "sack", *_FIELDS]):
        # a reset may have any sequence number
        rows = part.filter(pc.equal(pc.bit_wise_and(part["flags"], _RST), 0))
        count += len(rows)
        if len(rows):
            pieces.append(_columns(rows.slice(0, len(rows) - max(count - _MOST, 0))))
        if count >= _MOST:
            break
    if not pieces:
        names = ("time", *_FIELDS, "blocks")
        return dict.fromkeys(names, np.zeros(0))
    first = pieces[0]["time"][0]
    for piece in pieces:
        piece["time"] = (piece["time"] - first) / 1e9
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _columns(rows: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: _numbers_of(rows[name]) for name in _FIELDS}
    columns["time"] = rows["timestamp"].cast("int64").to_numpy(zero_copy_only=False)
    columns["back"] = columns["back"] > 0
    blocks = np.empty(len(rows), dtype=object)
    blocks[:] = rows["sack"].to_pylist() if rows["sack"].null_count < len(rows) else None
    columns["blocks"] = blocks
    return columns


def _numbers_of(column: Any) -> Numbers:
    values: Numbers = column.cast("int64").cast("float64").to_numpy(zero_copy_only=False)
    return values


def _round_trips(data: Mapping[str, Numbers], acks: Mapping[str, Numbers]) -> tuple[Numbers, Numbers]:
    """Return times of ACKs and their round-trip times, without ambiguous ones (Karn's rule)."""
    new = data["retransmission"] == 0
    ends = np.maximum.accumulate((data["sequence"] + data["payload"])[new])
    sent = data["time"][new]
    highest = np.maximum.accumulate(acks["ack"])
    advance = np.diff(highest, prepend=-np.inf) > 0
    times, numbers = acks["time"][advance], highest[advance]
    place = np.searchsorted(ends, numbers, side="right") - 1
    known = (place >= 0) & (numbers > ends[0] - 1)
    place = np.maximum(place, 0)
    known &= np.diff(place, prepend=-1) > 0
    again = np.sort(data["time"][~new])
    known &= np.searchsorted(again, times, side="right") == np.searchsorted(again, sent[place])
    known &= times >= sent[place]
    return times[known], (times - sent[place])[known]


def _sacked(times: Numbers, blocks: NDArray[np.object_]) -> Numbers:
    """Return times, left and right edges of SACK blocks, a row each."""
    rows = [
        (time, block["left"], block["right"]) for time, each in zip(times, blocks, strict=True) for block in each or ()
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 3).T


def _delivered(data: Mapping[str, Numbers], acks: Mapping[str, Numbers], sacked: Numbers) -> tuple[Numbers, Numbers]:
    """Return when segments were first acknowledged, by number or by a SACK block, in order, and their bytes."""
    if not acks["time"].size:
        return np.zeros(0), np.zeros(0)
    left, first = np.unique(data["sequence"], return_index=True)
    size = data["payload"][first]
    right = left + size
    highest = np.maximum.accumulate(acks["ack"])
    place = np.searchsorted(highest, right)
    times = np.append(acks["time"], np.inf)[place]
    # most blocks repeat an earlier one and extend it, so only what is new of each is looked at
    seen: dict[int, int] = {}
    starts, ends = np.searchsorted(left, sacked[1]), np.searchsorted(right, sacked[2], side="right")
    for time, start, end in zip(sacked[0], starts.tolist(), ends.tolist(), strict=True):
        known = seen.get(start, start)
        if end > known:
            np.minimum(times[known:end], time, out=times[known:end])
            seen[start] = end
    order = np.argsort(times, kind="stable")
    order = order[np.isfinite(times[order])]
    return times[order], size[order]


def _sequence(data: Mapping[str, Numbers], acks: Mapping[str, Numbers], sacked: Numbers) -> Panel:
    """Draw data, ACKs, window and SACK blocks."""
    again = data["retransmission"] == 1
    low, high = data["sequence"] / 1e6, (data["sequence"] + data["payload"]) / 1e6
    line = _thin(acks["time"].size)
    answered = np.maximum.accumulate(acks["ack"])[line] / 1e6
    edge = np.maximum.accumulate(acks["ack"] + acks["window"])[line] / 1e6
    # a window far above the data would leave no room for them
    edge[edge > _ROOM * high.max()] = np.nan
    series = [
        _bars("segments", data["time"][~again], low[~again], high[~again], "ink"),
        _bars("SACK blocks", sacked[0], sacked[1] / 1e6, sacked[2] / 1e6, "sky"),
        _points("sent again", data["time"][again], high[again], "red"),
        _steps("ACKs", acks["time"][line], answered, "green"),
    ]
    if np.isfinite(edge).any():
        series.append(_steps("window", acks["time"][line], edge, "amber"))
    return _panel("Sequence number, MB", [each for each in series if np.asarray(each.x).size])


def _rates(data: Mapping[str, Numbers], delivered: tuple[Numbers, Numbers], length: float) -> Panel:
    """Draw the rate at which data were first acknowledged, or the rate of new data if no ACK was captured."""
    times, sizes = delivered
    if not times.size:
        new = data["retransmission"] == 0
        times, sizes = data["time"][new], data["payload"][new]
    edges = np.linspace(0, length, _BINS + 1)
    volume, _ = np.histogram(times, edges, weights=sizes)
    return _panel("Goodput, Mb/s", [_steps("goodput", edges[:-1], 8e-6 * volume / (length / _BINS), "green")])


def _flight(data: Mapping[str, Numbers], delivered: tuple[Numbers, Numbers], length: float) -> Panel:
    """Draw the bytes in flight, and their largest number in each bin as the estimated window."""
    new = data["retransmission"] == 0
    times = data["time"][new]
    answered = np.cumsum(np.append(0.0, delivered[1]))[np.searchsorted(delivered[0], times, side="right")]
    flight = np.maximum(np.cumsum(data["payload"][new]) - answered, 0.0)
    bins = np.minimum((times / length * _BINS).astype(np.int64), _BINS - 1)
    most = np.full(_BINS, -1.0)
    np.maximum.at(most, bins, flight)
    starts = np.arange(_BINS) * length / _BINS
    line = _thin(times.size)
    series = [
        Series(name="bytes in flight", x=times[line], y=flight[line] / 1e3, colour="sky", width=0.7),
        _steps("estimated window", starts[most >= 0], most[most >= 0] / 1e3, "blue"),
    ]
    return _panel("In flight, kB", series)


def _arrivals(found: Mapping[str, Any], start: float, length: float, *, is_back: bool) -> Panel:
    """Draw the packets of each direction per bin."""
    edges = np.linspace(0, length, 3 * _BINS + 1)
    series = []
    for name, own, colour in (("data", is_back, "ink"), ("ACKs", not is_back, "green")):
        counts, _ = np.histogram((found["time"] - start)[found["back"] == own], edges)
        series.append(_steps(f"packets, side of the {name}", edges[:-1], counts.astype(np.float64), colour))
    return _panel(f"Packets per {length / (3 * _BINS):.2g} s", series)


def _bursts(times: Numbers) -> Numbers:
    """Return the numbers of packets of bursts: runs of packets with gaps of at most 1 ms."""
    if not times.size:
        return np.zeros(0)
    starts = np.flatnonzero(np.diff(np.sort(times), prepend=-np.inf) > _BURST)
    return np.diff(np.append(starts, times.size)).astype(np.float64)


def _numbers(
    found: Mapping[str, Any], data: Mapping[str, Numbers], trips: tuple[Numbers, Numbers], *, is_back: bool
) -> Table:
    again = int((data["retransmission"] == 1).sum())
    rows = [
        ["segments", f"{data['time'].size:,}"],
        ["sent again", f"{again:,}"],
        ["round-trip times", f"{trips[1].size:,}"],
    ]
    for name, own in (("data", is_back), ("ACKs", not is_back)):
        bursts = _bursts(found["time"][found["back"] == own])
        if bursts.size:
            rows += [
                [f"mean burst, {name}, packets", f"{bursts.mean():.3g}"],
                [f"largest burst, {name}, packets", f"{bursts.max():.0f}"],
            ]
    if trips[1].size:
        low, middle = 1e3 * trips[1].min(), 1e3 * float(np.median(trips[1]))
        rows += [["smallest, ms", f"{low:.4g}"], ["median, ms", f"{middle:.4g}"]]
    return Table(caption="The connection", head=["", "value"], rows=rows)


def _panel(label: str, series: list[Series]) -> Panel:
    most = max((float(np.nanmax(each.y)) for each in series if np.asarray(each.y).size), default=1.0)
    return Panel(x=Axis(), y=Axis(label=label, low=0.0, high=1.05 * most if most > 0 else 1.0), series=series)


def _points(name: str, x: Numbers, y: Numbers, colour: str) -> Series:
    few = _thin(x.size)
    return Series(name=name, x=x[few], y=y[few], colour=colour, dash="none", marker="circle", size=1.6)


def _bars(name: str, time: Numbers, low: Numbers, high: Numbers, colour: str) -> Series:
    """Draw vertical bars as one line with gaps."""
    few = _thin(time.size)
    time, low, high = time[few], low[few], high[few]
    gaps = np.full(time.size, np.nan)
    x, y = np.column_stack([time, time, gaps]).ravel(), np.column_stack([low, high, gaps]).ravel()
    return Series(name=name, x=x, y=y, colour=colour, width=1.2)


def _steps(name: str, x: Numbers, y: Numbers, colour: str) -> Series:
    return Series(name=name, x=np.repeat(x, 2)[1:], y=np.repeat(y, 2)[:-1], colour=colour, width=0.9)


def _thin(count: int) -> slice:
    return slice(None, None, max(-(-count // _MARKS), 1))
