"""Traces that a source replays or a link's rate follows: read from a file, checked, and known by their content."""

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
MOST_STEPS: Final = 1_000_000
FASTEST: Final = 10**12
"""The highest rate, bit/s."""
_RATES: Final = "CSV with a heading or Parquet, with the columns time (seconds) and rate (bit/s)"


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


@dataclass(frozen=True, eq=False)
class RateFile:
    """A rate trace as its file has it."""

    sha256: str
    """The digest of the file's content."""
    times: NDArray[np.float64]
    """Seconds at which a rate begins to hold: the first is 0, each later than the one before."""
    rates: NDArray[np.float64]
    """Which rate it is, bit/s."""


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


def read_rates(path: str) -> RateFile:
    """Read a rate trace.

    Raises
    ------
    ScenarioError
        The file cannot be read, or holds no rate trace.
    """
    try:
        there = Path(path).stat()
        return _read_rates(path, there.st_mtime_ns, there.st_size)
    except OSError as error:
        raise _refused(path, error.strerror or str(error), _RATES) from None


def other_digest(path: str, found: str, expected: str | None) -> ScenarioError:
    """Make the error for a file whose content is another than the one that a result was made of."""
    return unreadable(path, f"the digest of its content is {found}", f"the file with sha256 = {expected}")


@functools.lru_cache(maxsize=4)
def _read(path: str, modified: int, size: int) -> TraceFile:
    """Read a trace; what has the same size and time is the same."""
    del modified
    digest, table = _content(path, size, ["time"], MOST_ROWS, _WHAT)
    packets = _packets(path, table["packets"]) if "packets" in table.column_names else None
    return TraceFile(digest, _times(path, table["time"], _WHAT), packets)


@functools.lru_cache(maxsize=4)
def _read_rates(path: str, modified: int, size: int) -> RateFile:
    """Read a rate trace, likewise."""
    import numpy as np  # noqa: PLC0415

    del modified
    digest, table = _content(path, size, ["time", "rate"], MOST_STEPS, _RATES)
    times = _times(path, table["time"], _RATES)
    wrong = np.diff(times, prepend=-1.0) <= 0
    if times[0] != 0 or wrong.any():
        why = (
            "it does not begin at time 0" if times[0] != 0 else f"a time comes twice, in row {int(wrong.argmax()) + 1}"
        )
        raise _refused(path, why, _RATES)
    rates = _numbers(path, "rate", table["rate"], _RATES).astype(np.float64)
    wrong = ~((rates >= 0) & (rates <= FASTEST))
    if wrong.any():
        place = int(np.argmax(wrong))
        why = f"rate is {rates[place]:g}, in row {place + 1}"
        raise unreadable(path, why, f"a trace of rates from 0 to {FASTEST} bit/s")
    return RateFile(digest, times, rates)


def _content(path: str, size: int, columns: list[str], most: int, what: str) -> tuple[str, pa.Table]:
    """Read a table with some columns; and its digest."""
    if size > LARGEST:
        raise unreadable(path, "it is too large", f"a file of at most {LARGEST // 1_000_000} MB")
    content = Path(path).read_bytes()
    table = _table(path, content, what)
    for name in columns:
        if name not in table.column_names:
            raise _refused(path, f"it has no column {name}", what)
    if not 0 < table.num_rows <= most:
        raise unreadable(path, f"it has {table.num_rows} rows", f"a trace of 1 to {most} rows")
    return hashlib.sha256(content).hexdigest(), table


def _refused(path: str, why: str, what: str = _WHAT) -> ScenarioError:
    return unreadable(path, why, what)


def _table(path: str, content: bytes, what: str) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  # slow to load
    import pyarrow.csv  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    source = pa.BufferReader(content)
    try:
        if content.startswith(b"PAR1"):
            return pyarrow.parquet.read_table(source)
        return pyarrow.csv.read_csv(source)
    except (pa.ArrowException, OSError) as error:
        raise _refused(path, str(error).partition("\n")[0], what) from None


def _times(path: str, column: pa.ChunkedArray, what: str) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    times = _numbers(path, "time", column, what).astype(np.float64)
    for wrong, why in (
        (~np.isfinite(times), "a time is not finite"),
        (times < 0, "a time is negative"),
        (np.diff(times, prepend=0.0) < 0, "times go back"),
    ):
        if wrong.any():
            raise _refused(path, f"{why}, in row {int(np.argmax(wrong)) + 1}", what)
    return times


def _packets(path: str, column: pa.ChunkedArray) -> NDArray[np.int64]:
    import numpy as np  # noqa: PLC0415

    numbers = _numbers(path, "packets", column, _WHAT)
    wrong = ~((numbers >= 0) & (numbers <= MOST_PACKETS) & (np.floor(numbers) == numbers))
    if wrong.any():
        place = int(np.argmax(wrong))
        why = f"packets is {numbers[place]:g}, in row {place + 1}"
        raise unreadable(path, why, f"a trace with 0 to {MOST_PACKETS} whole packets at a time")
    return numbers.astype(np.int64)


def _numbers(path: str, name: str, column: pa.ChunkedArray, what: str) -> NDArray[np.float64]:
    import pyarrow as pa  # noqa: PLC0415

    if column.null_count or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise _refused(path, f"its column {name} holds something besides numbers", what)
    numbers: NDArray[np.float64] = column.to_numpy()
    return numbers
