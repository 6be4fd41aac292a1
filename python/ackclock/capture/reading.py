"""Reads and analyses a capture in one pass."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ackclock.capture.notices import notices_of
from ackclock.engine import core
from ackclock.files.reading import regular
from ackclock.values.errors import refuse, unreadable
from ackclock.values.kinds import measured
from ackclock.values.quantity import TIME
from ackclock.values.words import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from ackclock.capture.keeping import Largest

__all__ = ["BIN", "KEY_BYTES", "STANDARD_INPUT", "WHAT", "Asked", "Capture", "Protocol", "read_capture", "read_watched"]

BIN: Final = measured(TIME, "1 us", "3600 s")
KEY_BYTES: Final = 32
WHAT: Final = "a capture: pcap, pcapng or snoop, plain or compressed with gzip, Zstandard or LZ4"

STANDARD_INPUT: Final = Path("-")
"""What commands call the standard input."""

_ROWS: Final = 1 << 16
"""Number of packets read at a time."""
_PICOSECONDS_PER_NANOSECOND: Final = 1000


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The packets of one protocol in a capture."""

    name: str
    """The protocol's name in tshark."""
    layer: str
    """``link``, ``network`` (carried by links) or ``transport`` (carried by IP): a packet counts once in each layer."""
    packets: int
    """Number of packets; each fragment counts separately."""
    bytes: int
    """Bytes as sent, including link headers."""


@dataclass(frozen=True, kw_only=True)
class Capture:
    """The results of analysing a capture.

    Examples
    --------
    >>> import ackclock as ac
    >>> capture = ac.read_capture("tests/data/captures/ethernet.pcap")
    >>> capture.packets > 300, "tcp" in capture.protocols
    (True, True)
    >>> capture
    Capture(ethernet.pcap; 378 packets in 4.892 s; 21 conversations; 2 notices)
    """

    files: tuple[Path, ...]
    """The files. None for the standard input."""
    format: str
    """``pcap``, ``pcapng`` or ``snoop``, or several of them."""
    packets: int
    """Number of packets read."""
    bytes: int
    """Bytes of these packets as sent, including link headers."""
    captured_bytes: int
    """Bytes of these packets that the file contains."""
    start: int | None
    """Time of the first packet in ns since 1970. None without packets."""
    span: tuple[int, int] | None
    """The earliest and the latest time, in ns since 1970."""
    mix: tuple[Protocol, ...]
    """All protocols, by layer and name."""
    ip_packets: int
    """Number of IP packets of both versions."""
    ip_bytes: int
    """Bytes of the IP packets."""
    bin: float
    """Bin width in s."""
    packets_per_bin: NDArray[np.float64] = field(repr=False)
    """Packets in each bin, starting at the first packet; the last bin may be incomplete."""
    bytes_per_bin: NDArray[np.float64] = field(repr=False)
    """Bytes in each bin."""
    flows: pa.Table = field(repr=False)
    """The 1000 TCP connections and other conversations with the most bytes (`ackclock.capture.tables.FLOWS`)."""
    flow_count: int
    """Number of conversations."""
    connections: int
    """Number of TCP connections: more than conversations if ports were used again."""
    retransmissions: int | None
    """TCP segments sent again, in all conversations. None if the TCP header of no segment was captured."""
    overtaken: int | None
    """TCP segments that others overtook on their way. They were sent once."""
    missed: int | None
    """TCP segments that were acknowledged but not captured."""
    copies: int
    """Packets captured twice, or at two points of one path. They count nowhere else but in the numbers of packets and
    bytes."""
    interfaces: tuple[tuple[str, int], ...]
    """Name and link type of the capture interfaces."""
    sources: tuple[int, ...]
    """For each interface, the place of its file among the files, from 0."""
    filtered: int
    """Packets that the filter did not select. They count nowhere else."""
    stopped: tuple[int, str] | None
    """Byte offset at which reading stopped, and the reason, for the first damaged file; None if all was read."""
    notices: tuple[str, ...]
    """Facts that a user of these numbers must know."""

    def __repr__(self) -> str:
        packets = f"{counted(self.packets, 'packet')} in {self.duration:.4g} s"
        there = [packets, counted(self.flow_count, "conversation")]
        there += [counted(len(self.notices), "notice")] if self.notices else []
        return f"Capture({self.name}; {'; '.join(there)})"

    def _repr_html_(self) -> str:
        """Return the notices, the main numbers and the arrivals over time, for notebooks."""
        from ackclock.capture.conversations import known  # noqa: PLC0415  # only notebooks need it
        from ackclock.drawing.inline import block, small_line, table  # noqa: PLC0415

        rate = [("mean rate", f"{8e-6 * self.bytes / self.duration:.4g}", "Mb/s")] if self.duration else []
        rows = [
            ("packets", f"{self.packets:,}", ""),
            ("bytes as sent", f"{self.bytes:,}", ""),
            ("duration", f"{self.duration:.6g}", "s"),
            *rate,
            ("conversations", f"{self.flow_count:,}", ""),
            ("TCP retransmissions", known(self.retransmissions), "packets"),
            ("TCP segments overtaken", known(self.overtaken), "packets"),
            *((each.name, f"{each.packets:,}", f"packets ({each.layer})") for each in self.mix),
        ]
        label = f"packets per {self.bin:g} s, at most {self.packets_per_bin.max(initial=0):,.0f}"
        arrivals = small_line(self.packets_per_bin, label)
        return block(f"Capture {self.name}", table(rows), arrivals, notices=self.notices)

    @property
    def path(self) -> Path:
        """The file, or the first one of several; ``-`` for the standard input."""
        return self.files[0] if self.files else STANDARD_INPUT

    @property
    def name(self) -> str:
        """Name of the file, and the number of other files."""
        others = len(self.files) - 1
        return f"{self.path.name} and {counted(others, 'other file')}" if others > 0 else self.path.name

    @property
    def protocols(self) -> dict[str, int]:
        """Packets by protocol name. A packet counts in each of its protocols, such as ``eth``, ``ip``, ``tcp``."""
        return {each.name: each.packets for each in self.mix}

    @property
    def duration(self) -> float:
        """Seconds between the earliest and the latest packet with a time, without those beyond a jump of the clock."""
        return 0.0 if self.span is None else (self.span[1] - self.span[0]) / 1e9


def read_capture(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    bin: str = "10 ms",  # noqa: A002  # the natural name
    packets: str | os.PathLike[str] | None = None,
    flows: str | os.PathLike[str] | None = None,
    inner: bool = False,
    filter: str | None = None,  # noqa: A002
    key: bytes | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Capture:
    """Read a capture in one pass: pcap, pcapng or snoop, plain or compressed with gzip, Zstandard or LZ4.

    Memory does not grow with the file: about 200 MB, up to 300 MB with millions of conversations, and up to 400 MB if
    the conversations are also written to a file. A damaged file is read up to the damage, and a notice states its
    position.

    Parameters
    ----------
    path
        The file, or several files, which are merged in order of time.
    bin
        Width of the bins in which arrivals are counted, starting at the first packet. If a capture has more than a
        million bins, the width is doubled until there are at most a million, and a notice reports the new width.
    packets
        Path of a Parquet file with a row per packet (`ackclock.capture.tables.PACKETS`).
    flows
        Path of a Parquet file with a row per TCP connection and other conversation (`ackclock.capture.tables.FLOWS`).
    inner
        Opens tunnels (IP in IP, GRE, VXLAN, Geneve, GTP-U): a tunnelled packet belongs to the conversation of the
        innermost packet instead of to that of the tunnel. Shares of protocols are those of the outer packets.
    filter
        Selects packets by an expression in the language of pcap filters, such as ``tcp port 443 and not host
        10.0.0.1``. All results are those of the selected packets. The guide on captures lists what is allowed.
    key
        32 secret bytes for anonymization: addresses are replaced, and two addresses with a common prefix still have a
        common prefix of the same length (Crypto-PAn; Xu et al., ICNP 2002). Ports do not change.
    progress
        Called regularly with the number of bytes of the files and the number of packets read so far.

    Raises
    ------
    ScenarioError
        A file is not a capture, cannot be read, or is damaged before its first packet; or an argument is not allowed.
    """
    paths = [Path(path)] if isinstance(path, str | os.PathLike) else [Path(each) for each in path]
    if not paths:
        raise refuse("path", "[]", "must have at least one file")
    watch = None if progress is None else lambda reader: progress(reader.taken(), reader.packets())
    asked = Asked(bin=bin, packets=packets, flows=flows, inner=inner, filter=filter, key=key)
    return read_watched(paths, asked, watch=watch)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of captures: the arguments of `read_capture`."""

    bin: str
    packets: str | os.PathLike[str] | None = None
    flows: str | os.PathLike[str] | None = None
    inner: bool = False
    filter: str | None = None
    key: bytes | None = None


def read_watched(paths: Sequence[Path], asked: Asked, *, watch: Callable[[core.Capture], None] | None) -> Capture:
    """Read captures, or the standard input if there are no paths, and call a function with the reader regularly."""
    # slow to load
    from ackclock.capture.keeping import Largest, writer  # noqa: PLC0415
    from ackclock.capture.tables import (  # noqa: PLC0415
        FLOWS,
        PACKETS,
        first_time,
        flow_table,
        numbers,
        packet_table,
    )

    width = TIME.parse(BIN.require("bin", asked.bin)) // _PICOSECONDS_PER_NANOSECOND
    reader = _open(paths, asked, width)
    found = Largest()
    start: int | None = None
    with ExitStack() as files:
        packet_file = None if asked.packets is None else files.enter_context(writer(asked.packets, PACKETS))
        flow_file = None if asked.flows is None else files.enter_context(writer(asked.flows, FLOWS))
        while (batch := reader.read(_ROWS)) is not None:
            if packet_file is not None and len(batch[0][0][2]):
                start = first_time(batch) if start is None else start
                packet_file.write_table(packet_table(batch, start or 0))
            ended = flow_table(reader.flows())
            if flow_file is not None and len(ended):
                flow_file.write_table(ended)
            found.add(ended)
            if watch is not None:
                watch(reader)
    facts = json.loads(reader.facts())
    if facts["stopped"] and not facts["packets"] + facts["oddities"]["filtered"]:
        first = facts["stopped"][0]
        raise unreadable(_name(paths, first["file"]), f"at byte {first['offset']}: {first['problem']}", WHAT)
    return _capture(paths, facts, numbers(reader.arrivals()), found, asked=width)


def _open(paths: Sequence[Path], asked: Asked, width: int) -> core.Capture:
    if asked.key is not None and len(asked.key) != KEY_BYTES:
        raise refuse("key", f"{len(asked.key)} bytes", f"must be {KEY_BYTES} bytes")
    for path in paths:
        regular(path, WHAT)
        if len(paths) > 1 and not path.is_file():
            raise unreadable(path, "it is not a regular file, and can be opened only once", WHAT)
        if paths.count(path) > 1:
            raise refuse("path", path, "must be named once")
    try:
        return core.Capture(paths, width, asked.packets is not None, asked.inner, asked.filter, asked.key)
    except core.FilterError as error:
        word, allowed = error.args
        raise refuse("filter", word or "the end", allowed) from None
    except core.CaptureError as error:
        place, problem = error.args
        raise unreadable(_name(paths, place), problem, WHAT) from None
    except OSError as error:
        raise unreadable(paths[0], error.strerror or str(error), WHAT) from None


def _name(paths: Sequence[Path], place: int) -> Path | str:
    return paths[place] if paths else "the standard input"


def _capture(
    paths: Sequence[Path],
    facts: Mapping[str, Any],
    arrivals: Mapping[str, NDArray[Any]],
    found: Largest,
    *,
    asked: int,
) -> Capture:
    stopped = facts["stopped"]
    segments = sum(each["packets"] for each in facts["protocols"] if each["name"] == "tcp")
    is_read = not segments or facts["oddities"]["unread"] < segments
    return Capture(
        files=tuple(paths),
        format=listed(sorted({each["format"] for each in facts["files"]})),
        packets=facts["packets"],
        bytes=facts["bytes"],
        captured_bytes=facts["captured_bytes"],
        start=facts["start"],
        span=None if facts["span"] is None else tuple(facts["span"]),
        mix=tuple(Protocol(**each) for each in facts["protocols"]),
        ip_packets=facts["ip"]["packets"],
        ip_bytes=facts["ip"]["bytes"],
        bin=facts["bin"] / 1e9,
        packets_per_bin=arrivals["packets"].astype("float64"),
        bytes_per_bin=arrivals["bytes"].astype("float64"),
        flows=found.largest,
        flow_count=facts["conversations"],
        connections=facts["connections"],
        retransmissions=found.sums["retransmissions"] if is_read else None,
        overtaken=found.sums["overtaken"] if is_read else None,
        missed=found.sums["missed"] if is_read else None,
        copies=facts["oddities"]["copies"],
        interfaces=tuple((each["name"], each["number"]) for each in facts["interfaces"]),
        sources=tuple(each["file"] for each in facts["interfaces"]),
        filtered=facts["oddities"]["filtered"],
        stopped=(stopped[0]["offset"], stopped[0]["problem"]) if stopped else None,
        notices=tuple(notices_of(facts, found.sums, asked=asked, names=[str(path) for path in paths])),
    )
