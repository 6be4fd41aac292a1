"""Traces that a source replays: read from a file, checked, and known by their content."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ackclock.errors import ScenarioError, unreadable

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

MOST_ROWS: Final = 5_000_000
MOST_PACKETS: Final = 1_000_000
"""Most packets at one time."""
LARGEST: Final = 500_000_000
"""Most bytes of a file."""
_WHAT: Final = "CSV with a heading or Parquet, with a column time (seconds), and packets where not one comes each time"


@dataclass(frozen=True, eq=False)
class TraceFile:
    """A trace as its file has it."""

    sha256: str
    """The digest of the file's content."""
    times: NDArray[np.float64]
    """Seconds from the beginning of the trace, in order."""
    packets: NDArray[np.int64] | None
    """How many come at each time; ``None`` for one."""

    @property
    def total(self) -> int:
        """How many packets there are."""
        return self.times.size if self.packets is None else int(self.packets.sum())


def read(path: str) -> TraceFile:
    """Read a trace.

    Raises
    ------
    ScenarioError
        The file cannot be read, or holds no trace.
    """
    try:
        there = Path(path).stat()
        return _read(path, there.st_mtime_ns, there.st_size)
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from None


@functools.lru_cache(maxsize=4)
def _read(path: str, modified: int, size: int) -> TraceFile:
    """Read a trace; what has the same size and time is the same."""
    del modified
    if size > LARGEST:
        raise unreadable(path, "it is too large", f"a file of at most {LARGEST // 1_000_000} MB")
    content = Path(path).read_bytes()
    table = _table(path, content)
    if "time" not in table.column_names:
        raise _refused(path, "it has no column time")
    if not 0 < table.num_rows <= MOST_ROWS:
        raise unreadable(path, f"it has {table.num_rows} rows", f"a trace of 1 to {MOST_ROWS} rows")
    packets = _packets(path, table["packets"]) if "packets" in table.column_names else None
    return TraceFile(hashlib.sha256(content).hexdigest(), _times(path, table["time"]), packets)


def _refused(path: str, why: str) -> ScenarioError:
    return unreadable(path, why, _WHAT)


def _table(path: str, content: bytes) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  # slow to load
    import pyarrow.csv  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    source = pa.BufferReader(content)
    try:
        if content.startswith(b"PAR1"):
            return pyarrow.parquet.read_table(source)
        return pyarrow.csv.read_csv(source)
    except (pa.ArrowException, OSError) as error:
        raise _refused(path, str(error).partition("\n")[0]) from None


def _times(path: str, column: pa.ChunkedArray) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    times = _numbers(path, "time", column).astype(np.float64)
    for wrong, why in (
        (~np.isfinite(times), "a time is not finite"),
        (times < 0, "a time is negative"),
        (np.diff(times, prepend=0.0) < 0, "times go back"),
    ):
        if wrong.any():
            raise _refused(path, f"{why}, in row {int(np.argmax(wrong)) + 1}")
    return times


def _packets(path: str, column: pa.ChunkedArray) -> NDArray[np.int64]:
    import numpy as np  # noqa: PLC0415

    numbers = _numbers(path, "packets", column)
    wrong = ~((numbers >= 0) & (numbers <= MOST_PACKETS) & (np.floor(numbers) == numbers))
    if wrong.any():
        place = int(np.argmax(wrong))
        why = f"packets is {numbers[place]:g}, in row {place + 1}"
        raise unreadable(path, why, f"a trace with 0 to {MOST_PACKETS} whole packets at a time")
    return numbers.astype(np.int64)


def _numbers(path: str, name: str, column: pa.ChunkedArray) -> NDArray[np.float64]:
    import pyarrow as pa  # noqa: PLC0415

    if column.null_count or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise _refused(path, f"its column {name} holds something besides numbers")
    numbers: NDArray[np.float64] = column.to_numpy()
    return numbers
