"""Figures and the page of a capture: packet sizes against time, arrivals, and their variation over time scales."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.capture.connection import connection_drawing
from ackclock.capture.conversations import HEAD, TOP, conversations
from ackclock.capture.diagnosis import chosen, diagnose, is_single
from ackclock.capture.shares import SHARES, shares
from ackclock.drawing.chart import Axis, Chart, Dots, Panel, Series
from ackclock.report.html import Drawing, Report, Section, Statement, Table
from ackclock.report.scaling import columns_text, hurst_words, scaling_drawings
from ackclock.values.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ackclock.analysis import Burstiness, Hurst
    from ackclock.capture import Capture

__all__ = ["capture_report", "sizes_panel"]

_COLUMNS: Final = 500
_ROWS: Final = 300
_FEW: Final = 5000
"""Number of packets up to which dots are drawn larger, so that they are visible."""
_POINTS: Final = 1000
"""Maximum number of points of a line; with more bins, neighbouring bins are merged."""


def sizes_panel(time: NDArray[np.float64], size: NDArray[np.float64], *, end: float, largest: float) -> Panel:
    """Draw f(t): a dot for each packet, with its size in bytes against its time.

    Parameters
    ----------
    time, size
        Times from 0 in seconds, and sizes in bytes.
    end, largest
        Upper ends of the axes.
    """
    coarser = 1 if time.size > _FEW else 2
    dots = Dots(name="packets", x=time, y=size, colour="blue", columns=_COLUMNS // coarser, rows=_ROWS // coarser)
    x = Axis(label="Time, s", low=0.0, high=end)
    return Panel(x=x, y=Axis(label="Packet size, bytes", low=0.0, high=largest), series=(), dots=dots)


def capture_report(
    capture: Capture,
    packets: Path,
    *,
    scales: tuple[Burstiness, Hurst] | None,
    notices: Sequence[str],
    command: str,
    connection: int | None = None,
) -> Report:
    """Create the page of a capture.

    Parameters
    ----------
    capture
        The capture's summary.
    packets
        Parquet file with the packets of the capture.
    scales
        Variation of packets per bin over time scales, and the Hurst parameter; None if there are too few bins.
    notices
        Warnings for the reader.
    command
        The command that creates the page.
    connection
        Number of the TCP connection to diagnose and draw (default: the one with the most data).

    Returns
    -------
    Report
        The page, for `ackclock.report.html.render`.
    """
    drawings = [*_course(capture, packets, command)] if capture.packets else []
    sections = [Section(title="Packets over time", drawings=drawings)] if drawings else []
    if scales is not None:
        sections.append(
            Section(
                title="Over time scales", drawings=list(scaling_drawings(*scales, bin_=capture.bin, command=command))
            )
        )
    row = chosen(capture.flows, connection)
    drawn = None if row is None or capture.span is None else connection_drawing(packets, row, command)
    if drawn is not None:
        sections.insert(0, Section(title="The connection over time", drawings=[drawn]))
    if len(capture.flows):
        sections.insert(0, Section(title="Largest conversations", drawings=[], table=_conversations(capture)))
    return Report(
        title=f"Capture {capture.name}",
        source=f"{capture.packets:,} packets, {capture.bytes:,} bytes as sent, in {capture.duration:.6g} s.",
        answer=_answer(capture) if row is None else diagnose(row).text,
        shows="arrivals" if drawn is None and drawings else "" if drawn is None else "connection",
        summary=[
            *([] if row is None else [Statement(lead="Traffic:", text=_answer(capture))]),
            *_statements(capture, scales),
            *(Statement(lead="Note:", text=notice) for notice in notices),
        ],
        overview=_mix(capture),
        sections=sections,
        provenance=[("Command", command)],
    )


def _answer(capture: Capture) -> str:
    """Summarise the capture's size in a sentence."""
    there = f"{counted(capture.packets, 'packet')} in {counted(capture.flow_count, 'conversation')}"
    if not capture.duration:
        return f"{there}."
    return f"{there}, {8e-6 * capture.bytes / capture.duration:.3g} Mb/s on average over {capture.duration:.4g} s."


def _statements(capture: Capture, scales: tuple[Burstiness, Hurst] | None) -> Iterator[Statement]:
    if capture.retransmissions is None or capture.overtaken is None:
        text = "unknown, since no TCP header was captured."
    else:
        again = f"{counted(capture.retransmissions, 'TCP segment')} sent again"
        text = f"{again}, {capture.overtaken:,} overtaken by others, as observed at the point of capture."
    yield Statement(lead="Retransmissions:", text=text)
    if scales is not None:
        ladder, found = scales
        cov = f"c.o.v. {ladder.cov[0]:.4g} in bins of {capture.bin:g} s."
        # the arrivals of one connection follow its window, so their scaling says little about traffic
        if is_single(capture):
            yield Statement(lead="Burstiness:", text=cov)
            return
        yield Statement(lead="Burstiness:", text=f"{cov} {hurst_words(found)}")
        for notice in found.notices:
            yield Statement(lead="Note:", text=notice)


def _mix(capture: Capture) -> Table:
    rows = [[each.name, each.layer, *numbers] for each, numbers in shares(capture)]
    caption = "Protocols. A packet counts once per layer: link, network and transport."
    return Table(caption=caption, head=["protocol", "layer", *SHARES], rows=rows)


def _conversations(capture: Capture) -> Table:
    count = min(TOP, len(capture.flows))
    largest = "The largest conversation" if count == 1 else f"The {count} largest conversations by bytes"
    caption = (
        f"{largest}: packets, bytes, retransmissions and mean round-trip "
        "time from the first sender to the other side, and back. All conversations are in flows.parquet."
    )
    return Table(caption=caption, head=HEAD, rows=list(conversations(capture)))


def _course(capture: Capture, packets: Path, command: str) -> Iterator[Drawing]:
    end = _end(capture)
    time, size, largest = _dots(packets, capture.start or 0, end)
    yield Drawing(
        slug="sizes",
        title="Packet size against time",
        caption="f(t): each dot stands for at least one packet with this time and size, link headers included.",
        chart=Chart(panels=[sizes_panel(time, size, end=end, largest=largest)], height=3.6),
        csv=columns_text({"time": time, "bytes": size}),
        numbers=Table(
            caption="Upper ends of the axes", head=["time, s", "bytes"], rows=[[f"{end:.6g}", f"{largest:.0f}"]]
        ),
        command=command,
    )
    width = -(-capture.packets_per_bin.size // _POINTS)
    length = width * capture.bin
    counts, volumes = (_merged(each, width) for each in (capture.packets_per_bin, capture.bytes_per_bin))
    starts = length * np.arange(counts.size, dtype=np.float64)
    series = [
        ("Packets per second", counts / length, "blue"),
        ("Megabits per second", 8e-6 * volumes / length, "green"),
    ]
    panels = [
        Panel(
            x=Axis(label="Time, s" if place else "", low=0.0, high=end),
            y=Axis(label=label, low=0.0),
            series=[Series(name=label, x=starts, y=values, colour=colour, width=0.9, listed=False)],
        )
        for place, (label, values, colour) in enumerate(series)
    ]
    yield Drawing(
        slug="arrivals",
        title="Arrivals",
        caption=f"Bins of {length:g} s; the last bin may be incomplete.",
        chart=Chart(panels=panels, height=4.5),
        csv=columns_text({"time": starts, "packets": counts, "bytes": volumes}),
        numbers=Table(
            caption="Per bin",
            head=["", "mean", "maximum"],
            rows=[
                [name, f"{each.mean():.6g}", f"{each.max():.6g}"]
                for name, each in (("packets", counts), ("bytes", volumes))
            ],
        ),
        command=command,
    )


def _end(capture: Capture) -> float:
    """Compute the end of the time axis: the end of the last bin."""
    return capture.packets_per_bin.size * capture.bin


def _dots(packets: Path, start: int, end: float) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return times and sizes of the drawing's non-empty cells, and the end of the size axis."""
    from pyarrow import parquet  # noqa: PLC0415

    with parquet.ParquetFile(packets.absolute(), pre_buffer=False) as file:
        pieces = [
            file.metadata.row_group(number).column(file.schema_arrow.get_field_index("bytes")).statistics
            for number in range(file.num_row_groups)
        ]
        largest = 1.02 * max([1.0, *(float(each.max) for each in pieces)])
        cells = np.zeros((_ROWS, _COLUMNS), dtype=bool)
        for batch in file.iter_batches(columns=["timestamp", "bytes"]):
            times = batch["timestamp"].cast("int64").fill_null(start - 1)
            time = (times.to_numpy(zero_copy_only=False) - np.int64(start)) / 1e9
            size = np.from_dlpack(batch["bytes"]).astype(np.float64)
            there = (time >= 0) & (time < end)
            cells[(size[there] / largest * _ROWS).astype(np.int64), (time[there] / end * _COLUMNS).astype(np.int64)] = (
                True
            )
    up, along = np.nonzero(cells)
    return (along + 0.5) / _COLUMNS * end, (up + 0.5) / _ROWS * largest, largest


def _merged(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    whole = np.zeros(-(-values.size // width) * width)
    whole[: values.size] = values
    merged: NDArray[np.float64] = whole.reshape(-1, width).sum(axis=1)
    return merged
