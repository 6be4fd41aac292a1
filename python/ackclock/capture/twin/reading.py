"""Infers the twin of a connection from a capture."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.capture.diagnosis import chosen
from ackclock.capture.reading import read_capture
from ackclock.capture.twin.seen import seen
from ackclock.capture.twin.twinning import Twin, twin_of
from ackclock.values.errors import refuse

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from ackclock.capture.reading import Capture

__all__ = ["read_twin"]


def read_twin(
    path: str | os.PathLike[str],
    connection: int | None = None,
    *,
    check: Callable[[Capture, int | None], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Twin:
    """Read a capture, and infer the twin of a connection: by default, of the one with the most data.

    Raises
    ------
    ScenarioError
        The file is not a capture, has no such connection, or shows too little of it.
    """
    with tempfile.TemporaryDirectory() as folder:
        packets = Path(folder) / "packets.parquet"
        read = read_capture(path, packets=packets, progress=progress)
        if check is not None:
            check(read, connection)
        row = chosen(read.flows, connection)
        if row is None:
            raise refuse("the capture", read.path.name, "must contain a TCP connection")
        links = [link for _, link in read.interfaces]
        return twin_of(seen(packets, row["connection"], links=links), _limited(row))


def _limited(row: dict[str, float | None]) -> float:
    """Return the share of the time in which the receiver's window was full, of the direction with more data."""
    back = "_back" if (row["payload_back"] or 0) > (row["payload"] or 0) else ""
    return row[f"receiver_limited{back}"] or 0.0
