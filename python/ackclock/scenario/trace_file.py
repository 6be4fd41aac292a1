"""Reads and checks trace files: packet times for a source, or rates for a link. A digest identifies their content.

A scenario may name any file that the user can read. Errors therefore never quote the content. They give the row and the
expected content.
"""

from __future__ import annotations

import codecs
import functools
import hashlib
import math
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ackclock.files.reading import content, encoding
from ackclock.scenario import mahimahi, published_traces
from ackclock.scenario.fields import LONGEST_RUN
from ackclock.values.errors import ScenarioError, unreadable
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, seconds

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

MOST_ROWS: Final = 5_000_000
MOST_PACKETS: Final = 1_000_000
"""Maximum number of packets at one time."""
LARGEST: Final = 500_000_000
"""Maximum size of a file, in bytes."""
_BLANK: Final = 1000
"""Number of lines that a table may have besides its rows."""
MOST_STEPS: Final = 1_000_000
FASTEST: Final = 10**12
"""The highest rate, bit/s."""


@dataclass(frozen=True)
class _Form:
    """The required columns and limits of a file."""

    words: str
    columns: tuple[str, ...]
    optional: tuple[str, ...]
    most: int
    """Maximum number of rows."""

    def refused(self, path: str, why: str) -> ScenarioError:
        """Make the error for a file that does not have this form."""
        return unreadable(path, why, self.words)

    def chosen(self, path: str, names: list[str]) -> list[str]:
        """Find the required columns and check that each occurs once."""
        for name in self.columns:
            if name not in names:
                raise self.refused(path, f"it has no column {name}")
        chosen = [*self.columns, *(name for name in self.optional if name in names)]
        for name in chosen:
            if names.count(name) > 1:
                raise self.refused(path, f"it has more than one column {name}")
        return chosen

    def check_rows(self, path: str, rows: int, *, spare: int = 0) -> None:
        """Check the number of rows."""
        if not 0 < rows <= self.most + spare:
            raise unreadable(path, f"it has {rows} rows", f"a trace of 1 to {self.most} rows")


_PACKETS: Final = _Form(
    "CSV with a header or Parquet, with a column time (seconds) and optionally packets (their number at that time)",
    columns=("time",),
    optional=("packets",),
    most=MOST_ROWS,
)


@dataclass(frozen=True)
class Column:
    """A column of a file of steps: a property of a link that changes in time."""

    name: str
    plural: str
    unit: str
    """The unit in the file; empty if there is none."""
    largest: int
    """The largest value in this unit; the smallest is 0."""
    to_engine: float
    """The engine's unit in this unit."""
    whole: bool = True
    """Whether the engine's values are whole numbers."""
    extra: str = ""
    """Another form that such a file may have."""
    usual: tuple[float, float] = (-math.inf, math.inf)
    """Bounds outside of which not all values of a file may lie, because they are then in another unit."""
    mistaken: str = ""
    """This other unit."""

    @property
    def form(self) -> _Form:
        """The form of the file."""
        unit = f" ({self.unit})" if self.unit else ""
        words = f"CSV with a header or Parquet, with the columns time (seconds) and {self.name}{unit}{self.extra}"
        return _Form(words, columns=("time", self.name), optional=(), most=MOST_STEPS)

    @property
    def limit(self) -> str:
        """The allowed values, for an error."""
        unit = f" {self.unit}" if self.unit else ""
        return f"a trace of {self.plural} from 0 to {self.largest}{unit}"

    def check_unit(self, path: str, values: NDArray[np.float64]) -> None:
        """Refuse values that are probably in another unit."""
        least, most = self.usual
        if values.any() and (values.max() < least or values.min() > most):
            bound = f"below {least:g}" if values.max() < least else f"above {most:g}"
            raise self.form.refused(
                path,
                f"all its {self.plural} are {bound} {self.unit}, as if in {self.mistaken} (steps in the scenario may "
                "have such values)",
            )


RATE: Final = Column(
    "rate",
    "rates",
    "bit/s",
    FASTEST,
    1,
    extra=", or a trace of mahimahi, Pensieve or G-NetTrack, or a throughput log",
    usual=(1000, math.inf),
    mistaken="kbit/s or Mbit/s",
)
DELAY: Final = Column("delay", "delays", "seconds", 3600, PICOSECONDS_PER_SECOND, usual=(0, 5), mistaken="milliseconds")
LOSS: Final = Column("loss", "losses", "", 1, 1, whole=False)
_MAHIMAHI: Final = _Form(
    "a mahimahi trace: a whole number of milliseconds in each line, in order, the last one above 0",
    columns=("line",),
    optional=(),
    most=MOST_ROWS,
)
_OPPORTUNITY: Final = re.compile(rb"[0-9]+\r?(\n|\Z)")
"""Matches the first line of a mahimahi trace, but no table with a header."""


@dataclass(frozen=True, eq=False)
class TraceFile:
    """The content of a trace file."""

    sha256: str
    """The digest of the file's content."""
    times: NDArray[np.float64]
    """Seconds from the beginning of the trace, in order."""
    packets: NDArray[np.int64] | None
    """Number of packets at each time; ``None`` for one packet at each time."""

    @property
    def total(self) -> int:
        """Total number of packets."""
        return self.times.size if self.packets is None else int(self.packets.sum())


@dataclass(frozen=True, eq=False)
class StepFile:
    """The content of a file of steps."""

    sha256: str
    """The digest of the file's content."""
    times: NDArray[np.uint64]
    """Start of each step, in picoseconds: 0 for the first, and increasing."""
    values: NDArray[np.float64]
    """The values, in the engine's unit."""
    period: int | None = None
    """Period of a trace that repeats by itself, in picoseconds."""
    end: int | None = None
    """End of the last step of a measurement, in picoseconds."""


def read(path: str) -> TraceFile:
    """Read a trace.

    Raises
    ------
    ScenarioError
        The file cannot be read, or contains no trace.
    """
    there = _status(path, _PACKETS)
    return _read(path, there.st_mtime_ns, there.st_size)


def read_steps(path: str, column: Column, direction: str = "downlink") -> StepFile:
    """Read one column of a file of steps; ``direction`` selects the rate of a log of G-NetTrack.

    Raises
    ------
    ScenarioError
        The file cannot be read, or contains no such steps.
    """
    there = _status(path, column.form)
    return _read_steps(path, column, direction, there.st_mtime_ns, there.st_size)


def other_digest(path: str, expected: str | None) -> ScenarioError:
    """Make the error for a file whose content differs from the content used for a result."""
    return unreadable(path, "its content has a different digest", f"the file with sha256 = {expected}")


def _status(path: str, form: _Form) -> os.stat_result:
    """Check that the file is a regular file. A device or a pipe may never end, and cannot be read twice."""
    try:
        there = Path(path).stat()
    except OSError as error:
        raise form.refused(path, error.strerror or str(error)) from None
    if not stat.S_ISREG(there.st_mode):
        raise form.refused(path, "it is not a regular file")
    return there


def _bytes(path: str, form: _Form) -> bytes:
    """Read the whole file, up to the size limit.

    The size that the file system reports may be wrong, or change during the read.
    """
    return content(Path(path), form.words, most=LARGEST)


def _text(data: bytes) -> bytes:
    """Leave out the byte order mark that some editors and spreadsheets write first."""
    return data.removeprefix(codecs.BOM_UTF8)


@functools.lru_cache(maxsize=4)
def _read(path: str, modified: int, size: int) -> TraceFile:
    """Read a trace, cached by path, size and time of modification."""
    del modified, size
    data = _bytes(path, _PACKETS)
    digest, table = hashlib.sha256(data).hexdigest(), _table(path, _text(data), _PACKETS)
    packets = _packets(path, table["packets"]) if "packets" in table.column_names else None
    return TraceFile(digest, _times(path, table["time"], _PACKETS), packets)


@functools.lru_cache(maxsize=12)
def _read_steps(path: str, column: Column, direction: str, modified: int, size: int) -> StepFile:
    """Read one column of a file of steps, cached by path, size and time of modification."""
    import numpy as np  # noqa: PLC0415

    del modified, size
    form = column.form
    data = _bytes(path, form)
    digest, data = hashlib.sha256(data).hexdigest(), _text(data)
    if column == RATE and _OPPORTUNITY.match(data):
        return StepFile(digest, *_opportunities(path, data))
    period = end = None
    if column == RATE and (kind := published_traces.kind_of(data)) is not None:
        form.check_rows(path, data.count(b"\n") + 1, spare=_BLANK)
        times, values, period, end = published_traces.steps(path, data, kind, direction)
    else:
        times, values = _columns(path, data, column)
    wrong = ~((values >= 0) & (values <= column.largest))
    if wrong.any():
        why = f"a {column.name} is out of bounds, in row {int(np.argmax(wrong)) + 1}"
        raise unreadable(path, why, column.limit)
    _check_length(path, times[-1])
    picoseconds = np.rint(times * PICOSECONDS_PER_SECOND).astype(np.uint64)
    if (np.diff(picoseconds) == 0).any():
        raise unreadable(path, "two times are the same", "a trace whose times differ by at least a picosecond")
    column.check_unit(path, values)
    values = values * column.to_engine
    repeats, ends = (None if each is None else round(each * PICOSECONDS_PER_SECOND) for each in (period, end))
    return StepFile(digest, picoseconds, np.rint(values) if column.whole else values, repeats, ends)


def _columns(path: str, data: bytes, column: Column) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the times and the values of a table."""
    import numpy as np  # noqa: PLC0415

    form = column.form
    table = _table(path, data, form)
    times = _times(path, table["time"], form)
    wrong = np.diff(times, prepend=-1.0) <= 0
    if times[0] != 0 or wrong.any():
        why = (
            "it does not start at time 0" if times[0] != 0 else f"a time is repeated, in row {int(wrong.argmax()) + 1}"
        )
        raise form.refused(path, why)
    return times, _numbers(path, column.name, table[column.name], form).astype(np.float64)


def _check_length(path: str, end: float) -> None:
    if end > seconds(LONGEST_RUN):
        raise unreadable(path, "it is too long", f"a trace up to {LONGEST_RUN}")


def _opportunities(path: str, data: bytes) -> tuple[NDArray[np.uint64], NDArray[np.float64], int]:
    """Read a mahimahi trace as steps and their period."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    form = _MAHIMAHI
    column = _table(path, data, form)["line"]
    if column.null_count or not pa.types.is_integer(column.type):
        raise form.refused(path, f"line {_first_wrong(column, pa.int64()) + 1} is not a valid whole number")
    milliseconds: NDArray[np.int64] = column.to_numpy().astype(np.int64)
    wrong = np.diff(milliseconds, prepend=0) < 0
    if wrong.any():
        raise form.refused(path, f"line {int(np.argmax(wrong)) + 1} is below the line before")
    if milliseconds[-1] == 0:
        raise form.refused(path, "it ends at 0")
    _check_length(path, milliseconds[-1] / 1000)
    if mahimahi.most_at_once(milliseconds) > mahimahi.MOST_AT_ONCE:
        most = f"a trace with at most {mahimahi.MOST_AT_ONCE} opportunities in a millisecond"
        raise unreadable(path, "too many lines give the same millisecond", most)
    times, rates, period = mahimahi.steps(milliseconds)
    if times.size > MOST_STEPS:
        raise unreadable(path, "it has too many different milliseconds", f"a trace of at most {MOST_STEPS // 2}")
    return times, rates.astype(np.float64), period


def _table(path: str, data: bytes, form: _Form) -> pa.Table:
    """Read the columns of a table."""
    if not data:
        raise form.refused(path, "it is empty")
    table = (_parquet if data.startswith(b"PAR1") else _csv)(path, data, form)
    form.check_rows(path, table.num_rows)
    return table


def _csv(path: str, data: bytes, form: _Form) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  # slow to load
    from pyarrow import csv  # noqa: PLC0415

    ragged: list[int] = []
    headings = int(form is not _MAHIMAHI)

    def skip(row: csv.InvalidRow) -> str:
        ragged.append(row.number - headings)
        return "skip"

    # in one thread, since otherwise Arrow does not number invalid rows
    if (problem := encoding(data)) is not None:
        raise form.refused(path, problem)
    form.check_rows(path, max(data.count(b"\n"), data.count(b"\r"), 1), spare=_BLANK)
    reading = csv.ReadOptions(use_threads=False, column_names=None if headings else form.columns)
    parsing = csv.ParseOptions(invalid_row_handler=skip, ignore_empty_lines=bool(headings))
    try:
        with csv.open_csv(pa.BufferReader(data), read_options=reading, parse_options=parsing) as stream:
            names = stream.schema.names
        chosen = form.chosen(path, names)
        ragged.clear()
        # columns that are not needed may be many
        convert = csv.ConvertOptions(include_columns=chosen)
        table = csv.read_csv(
            pa.BufferReader(data), read_options=reading, parse_options=parsing, convert_options=convert
        )
    except pa.ArrowException:  # its message may quote the file
        raise form.refused(path, "it cannot be read as CSV") from None
    if ragged:
        raise form.refused(path, f"it does not have one value for each column, in row {ragged[0]}")
    return table


def _parquet(path: str, data: bytes, form: _Form) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        chosen = form.chosen(path, file.schema_arrow.names)
        form.check_rows(path, file.metadata.num_rows)
        for name in chosen:  # checked before reading, because highly compressed data may not fit into memory
            if not _is_number(file.schema_arrow.field(name).type):
                raise form.refused(path, f"its column {name} holds values that are not numbers")
        return file.read(columns=chosen)
    except (pa.ArrowException, OSError):  # its message may quote the file
        raise form.refused(path, "it cannot be read as Parquet") from None


def _times(path: str, column: pa.ChunkedArray, form: _Form) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    times = _numbers(path, "time", column, form).astype(np.float64)
    for wrong, why in (
        (~np.isfinite(times), "a time is not finite"),
        (times < 0, "a time is negative"),
        (np.diff(times, prepend=0.0) < 0, "times decrease"),
    ):
        if wrong.any():
            raise form.refused(path, f"{why}, in row {int(np.argmax(wrong)) + 1}")
    return times


def _packets(path: str, column: pa.ChunkedArray) -> NDArray[np.int64]:
    import numpy as np  # noqa: PLC0415

    numbers = _numbers(path, "packets", column, _PACKETS)
    wrong = ~((numbers >= 0) & (numbers <= MOST_PACKETS) & (np.floor(numbers) == numbers))
    if wrong.any():
        why = f"packets is not a whole number within bounds, in row {int(np.argmax(wrong)) + 1}"
        raise unreadable(path, why, f"a trace with 0 to {MOST_PACKETS} whole packets at a time")
    return numbers.astype(np.int64)


def _numbers(path: str, name: str, column: pa.ChunkedArray, form: _Form) -> NDArray[np.float64]:
    import pyarrow as pa  # noqa: PLC0415

    if column.null_count or not _is_number(column.type):
        raise form.refused(
            path,
            f"its column {name} holds a value that is not a number, in row {_first_wrong(column, pa.float64()) + 1}",
        )
    numbers: NDArray[np.float64] = column.to_numpy()
    return numbers


def _is_number(type_: pa.DataType) -> bool:
    import pyarrow as pa  # noqa: PLC0415

    return bool(pa.types.is_integer(type_) or pa.types.is_floating(type_))


def _first_wrong(column: pa.ChunkedArray, number: pa.DataType) -> int:
    """Find the first value that cannot be cast to the type, by bisection."""
    import pyarrow as pa  # noqa: PLC0415

    def right(low: int, high: int) -> bool:
        part = column.slice(low, high - low)
        try:
            return not part.cast(pa.string()).cast(number).null_count
        except pa.ArrowException:
            return False

    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if right(low, middle) else (low, middle)
    return low
