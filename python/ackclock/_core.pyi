"""The engine: a plan goes in, tables come up; and captures are read. Everything else about it is Rust."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

class CaptureError(ValueError):
    """A file that is no capture."""

class Capture:
    """A capture that is being read: its columns are (name, type, little-endian bytes) each."""

    def __new__(cls, path: str | os.PathLike[str], width: int, rows: bool, key: bytes | None, /) -> Self:
        """Open a file, with bins of so many ns; whether packets are wanted as rows; a key if addresses are replaced."""

    def read(self, most: int, /) -> tuple[list[tuple[str, str, bytes]], list[str], list[str]] | None:
        """Read up to so many packets: columns, and the addresses and protocols they number; ``None`` at the end."""

    def flows(self) -> tuple[list[tuple[str, str, bytes]], list[str], list[str]]:
        """Give the conversations that ended since this was asked last: as `read`."""

    def arrivals(self) -> list[tuple[str, str, bytes]]:
        """Give packets and bytes in each bin."""

    def taken(self) -> int:
        """Tell how many bytes of the file are read."""

    def packets(self) -> int:
        """Tell how many packets are read."""

    def facts(self) -> str:
        """Tell all else, as JSON."""

class PlanError(ValueError):
    """A plan that the engine cannot run."""

class Rows:
    """The rows of a table, as the engine keeps them."""

    def columns(self) -> list[tuple[str, str, bytes]]:
        """Write them out: (name, type, little-endian bytes) of each column."""

class CapturedPackets:
    """The packets of a capture, as the engine keeps them."""

    def write(self, path: Path, setup_json: str, /) -> str:
        """Write them as pcapng into a file that is there already, and tell as JSON what was written."""

def catalogue() -> str:
    """Tell the engine's version and revision, and describe its variants, window laws and queues, as JSON."""

def check_law(spec_json: str, /) -> tuple[str, str] | None:
    """Check the parameters of a window law against each other: ``None``, or the field and what is wrong with it."""

def check_queue(spec_json: str, /) -> tuple[str, str] | None:
    """Check the parameters of a queue against each other: ``None``, or the field and what is wrong with it."""

def components(plan_json: str, /) -> list[list[int]]:
    """Find the groups of a plan that affect each other, directly or through others."""

def footprint(plan_json: str, /) -> str:
    """Estimate the memory of a run before it begins: bytes by what they are for, as JSON."""

def simulate(
    plan_json: str,
    seed: int,
    progress: Callable[[float], None] | None = None,
    jobs: int = 1,
    memory: int = ...,
) -> tuple[str, dict[str, Rows], list[CapturedPackets]]:
    """Run a plan, so many of its components at once in so many bytes: the outcome as JSON, tables, captures."""
