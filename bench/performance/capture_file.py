"""Generates a large capture for measurements of the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

_CAPTURED = 64
_FLOWS = 1000
_HEAD = bytes.fromhex("a1b23c4d000200040000000000000000")
"""Header of a big-endian pcap file with nanoseconds and Ethernet."""


def make(file: Path, count: int) -> None:
    """Write TCP, UDP and ARP between a thousand pairs; consecutive packets belong to different flows."""
    chance = np.random.default_rng(1)
    with file.open("wb") as out:
        out.write(_HEAD + (_CAPTURED).to_bytes(4, "big") + (1).to_bytes(4, "big"))
        for start in range(0, count, 1_000_000):
            out.write(records(chance, start, min(1_000_000, count - start)).tobytes())


def records(chance: np.random.Generator, start: int, count: int) -> np.ndarray:
    """Create ``count`` records of a header and 64 captured bytes."""
    rows = np.zeros((count, 16 + _CAPTURED), dtype=np.uint8)
    number = np.arange(start, start + count)
    nanoseconds = number * 1_000
    flow = chance.integers(0, _FLOWS, count)
    size = chance.choice([60, 590, 1514], count)
    big(rows, 0, 1_700_000_000 + nanoseconds // 1_000_000_000)
    big(rows, 4, nanoseconds % 1_000_000_000)
    big(rows, 8, np.full(count, _CAPTURED - 4))
    big(rows, 12, size)
    # The captured bytes: ARP has 60, the size of the shortest frame.
    rows = rows[:, : 16 + _CAPTURED - 4]
    frame = rows[:, 16:]
    frame[:, 12:14] = (8, 0)
    arp = chance.random(count) < 0.01
    frame[arp, 13] = 6
    frame[:, 14] = 0x45
    big(frame, 16, size - 14, width=2)
    frame[:, 22] = 64
    frame[:, 23] = np.where(flow % 10 == 0, 17, 6)
    big(frame, 26, 0x0A000000 + flow)
    big(frame, 30, 0x0A010000 + flow // 3)
    big(frame, 34, 1024 + flow, width=2)
    big(frame, 36, np.full(count, 443), width=2)
    big(frame, 38, number)
    frame[:, 46:48] = (0x50, 0x10)
    return np.ascontiguousarray(rows)


def big(rows: np.ndarray, at: int, values: np.ndarray, width: int = 4) -> None:
    """Write big-endian numbers into columns."""
    for place in range(width):
        rows[:, at + place] = (values >> (8 * (width - 1 - place))) & 0xFF
