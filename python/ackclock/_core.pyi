"""The engine, written in Rust: runs plans and returns tables, and reads captures."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

class CaptureError(ValueError):
    """The file is not a capture; the message says where and why."""

class Capture:
    """A capture being read. Each column that it returns is (name, type, little-endian bytes)."""

    def __new__(cls, path: str | os.PathLike[str], width: int, rows: bool, key: bytes | None, /) -> Self:
        """Open a file, with bins of `width` ns. `read` returns packets only if `rows`; a `key` replaces addresses."""

    def read(self, most: int, /) -> tuple[list[tuple[str, str, bytes]], list[str], list[str]] | None:
        """Read up to `most` packets: columns, and the addresses and protocols they refer to; None at the end."""

    def flows(self) -> tuple[list[tuple[str, str, bytes]], list[str], list[str]]:
        """Return the conversations that ended since the last call, in the form of `read`."""

    def arrivals(self) -> list[tuple[str, str, bytes]]:
        """Return the packets and bytes in each bin, starting at the first packet."""

    def taken(self) -> int:
        """Return the number of bytes of the file read so far."""

    def packets(self) -> int:
        """Return the number of packets read so far."""

    def facts(self) -> str:
        """Return all other results as JSON."""

class PlanError(ValueError):
    """A plan that the engine cannot run."""

class Rows:
    """The rows of a table, in the engine's form."""

    def columns(self) -> list[tuple[str, str, bytes]]:
        """Convert the rows to columns: (name, type, little-endian bytes) each."""

class CapturedPackets:
    """The packets of a capture, in the engine's form."""

    def write(self, path: Path, setup_json: str, /) -> str:
        """Write the packets as pcapng into an existing file, and describe the written data as JSON."""

def catalogue() -> str:
    """Return the engine's version and revision, and its variants, window laws and queues, as JSON."""

def check_law(spec_json: str, ecn: str, /) -> tuple[str, str] | None:
    """Check constraints between the parameters of a window law: None, or the invalid field and the problem."""

def check_queue(spec_json: str, /) -> tuple[str, str] | None:
    """Check constraints between the parameters of a queue: None, or the invalid field and the problem."""

def components(plan_json: str, /) -> list[list[int]]:
    """Partition the groups of a plan into sets that do not affect each other, even indirectly."""

def footprint(plan_json: str, /) -> str:
    """Estimate the memory of a run before it begins: bytes by purpose, as JSON."""

def simulate(
    plan_json: str,
    seed: int,
    progress: Callable[[float], None] | None = None,
    jobs: int = 1,
    memory: int = ...,
) -> tuple[str, dict[str, Rows], list[CapturedPackets]]:
    """Run a plan, with up to `jobs` components in parallel in `memory` bytes: outcome as JSON, tables, captures."""
