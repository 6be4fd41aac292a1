"""Reads our pcapng files byte by byte, independently of the package."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6


@dataclass(frozen=True)
class Packet:
    """A packet of a file."""

    time: int
    """Nanoseconds."""
    length: int
    """Bytes of the complete packet."""
    data: bytes
    """The stored bytes."""
    options: dict[int, bytes]

    @property
    def flow(self) -> int:
        """The flow, by the address of its sender or receiver."""
        source = int.from_bytes(self.data[12:16])
        return (source & ~(1 << 23)) - int.from_bytes(bytes([10, 0, 0, 1]))

    @property
    def forward(self) -> bool:
        """Whether it goes from the sender to the receiver."""
        return not self.data[13] & 0x80

    @property
    def flags(self) -> int:
        """TCP's flags."""
        return self.data[33]

    @property
    def sequence(self) -> int:
        return int.from_bytes(self.data[24:28])

    @property
    def acknowledgment(self) -> int:
        return int.from_bytes(self.data[28:32])

    @property
    def window(self) -> int:
        """The window field, not scaled."""
        return int.from_bytes(self.data[34:36])

    @property
    def headers(self) -> int:
        """Bytes of the IPv4 and TCP headers."""
        return 20 + self.data[32] // 16 * 4

    @property
    def tcp_options(self) -> bytes:
        return self.data[40 : self.headers]


def packets(file: Path) -> list[Packet]:
    """Return the packets of a file."""
    found = []
    for kind, body in blocks(file):
        if kind == _PACKET:
            interface, high, low, kept, length = struct.unpack_from("<5I", body)
            assert interface == 0
            data = body[20 : 20 + kept]
            found.append(Packet((high << 32) + low, length, data, _options(body[20 + (kept + 3) // 4 * 4 :])))
    return found


def head(file: Path) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """Return the options of the section and of the interface."""
    (section, first), (interface, second), *_ = blocks(file)
    assert (section, interface) == (_SECTION, _INTERFACE)
    return _options(first[16:]), _options(second[8:])


def blocks(file: Path) -> Iterator[tuple[int, bytes]]:
    """Return the type and the body of each block."""
    content, at = file.read_bytes(), 0
    while at < len(content):
        kind, length = struct.unpack_from("<2I", content, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", content, at + length - 4) == (length,)
        yield kind, content[at + 8 : at + length - 4]
        at += length


def _options(body: bytes) -> dict[int, bytes]:
    options, at = {}, 0
    while at < len(body):
        code, length = struct.unpack_from("<2H", body, at)
        if code == 0:
            break
        options[code] = body[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
    return options


def ones_complement(content: bytes) -> int:
    """Return the ones' complement sum of 16-bit words (RFC 1071): 0xffff for data with a correct checksum."""
    total = sum(int.from_bytes(content[at : at + 2].ljust(2, b"\0")) for at in range(0, len(content), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total
