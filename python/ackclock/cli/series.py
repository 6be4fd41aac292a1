"""Reads a series of numbers from text, CSV, Parquet or the folder of a run; times are counted in bins."""

from __future__ import annotations

import itertools
import math
import sys
from array import array
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.capture.folder import check, is_capture
from ackclock.files.inside import file_in
from ackclock.files.reading import Room, csv, footer, parquet, regular, row_count
from ackclock.values.errors import impossible, listed, near, refuse, unreadable
from ackclock.values.kinds import measured
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray

_WHAT: Final = "text with one number per line, CSV with a header, Parquet, or the folder of a run with arrivals"
_MOST_BINS: Final = 100_000_000
_LONGEST: Final = 1000
"""Maximum number of characters in a line of a text file."""
_PER_VALUE: Final = 80
"""Memory that the analysis needs for each number, in bytes."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """The series to analyse."""

    values: NDArray[np.float64]
    """One value per bin."""
    about: str
    """Description of the values."""
    bin: float | None
    """Bin width in seconds; None if unknown."""


def read(source: str, *, column: str | None, bin_: str | None, weight: str | None) -> Series:
    """Read a series.

    Parameters
    ----------
    source
        A file, the folder of a run, or ``-`` for standard input.
    column
        Name of the column to read, if the source is a table.
    bin_
        Bin width, if the numbers are times in seconds; None if each number is already the value of one bin.
    weight
        Name of the column whose values are summed in each bin; None counts the times in each bin.

    Raises
    ------
    ScenarioError
        The source cannot be read, or its numbers are not a valid series.
    """
    length = None if bin_ is None else _length(bin_)
    if weight is not None and length is None:
        raise refuse("--sum", weight, "must come with --bin: without --bin, each number is the value of one bin")
    path = Path(source)
    if path.is_dir() and (path / "arrivals.parquet").is_file():
        path = file_in(path, "arrivals.parquet")
    if path.suffix.lower() in {".csv", ".parquet"}:
        names: list[str] = []

        def choose(schema: pa.Schema) -> list[str]:
            names.append(_column(schema, column, default="time" if length else None))
            if weight is not None:
                names.append(_column(schema, weight, default=None, option="--sum"))
            return names

        table = _table(path, choose)
        name = names[0]
        numbers, weights = _numbers(path, table, name), None
        if weight is not None:
            weights = _numbers(path, table, names[1])
    else:
        given = next(((name, value) for name, value in (("--column", column), ("--sum", weight)) if value), None)
        if given is not None:
            raise refuse(*given, "must come with a CSV or Parquet file")
        name, numbers, weights = "values", _lines(source), None
    if length is None:
        return Series(values=_checked(source, numbers), about=f"{numbers.size} {name}, one per bin", bin=None)
    binned = _binned(source, numbers, weights, length)
    about = f"{weight or 'packets'} in {binned.size} bins of {bin_}, from {numbers.size} times"
    return Series(values=_checked(source, binned), about=about, bin=length)


def _length(text: str) -> float:
    return TIME.parse(measured(TIME, "1 us", "3600 s").require("--bin", text)) / PICOSECONDS_PER_SECOND


def _lines(source: str) -> NDArray[np.float64]:
    """Read one number per line; skip empty lines and lines that begin with ``#``."""
    numbers, room = array("d"), Room(source)
    if source != "-":
        regular(Path(source), _WHAT)
    try:
        with nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8") as file:
            for place in itertools.count(1):  # the input may be endless
                line = file.readline(_LONGEST)
                if not line:
                    break
                word = line.strip()
                if len(line) == _LONGEST and not line.endswith("\n"):
                    raise unreadable(source, f"line {place} is too long", _WHAT)
                if word and not word.startswith("#"):
                    numbers.append(_number(source, place, word))
                    room.take(_PER_VALUE)
    except OSError as error:
        raise unreadable(source, str(error.strerror or error), _WHAT) from None
    except UnicodeDecodeError:
        raise unreadable(source, "it is not text in UTF-8", _WHAT) from None
    return np.array(numbers)


def _number(source: str, place: int, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise refuse(f"{source}: line {place}", word, "must be one number") from None


def _table(path: Path, choose: Callable[[pa.Schema], list[str]]) -> pa.Table:
    """Read the chosen columns of a table."""
    import pyarrow as pa  # noqa: PLC0415  # slow to load

    if is_capture(path.parent):
        check(path.parent, [path.name])
    else:
        from ackclock.running import result  # noqa: PLC0415  # slow to load

        result.check(path.parent, [path.name])

    def chosen(schema: pa.Schema) -> list[str]:
        if any(map(_is_number, schema.names)):
            raise unreadable(path, "its first line contains a number instead of a header", _WHAT)
        return choose(schema)

    try:
        if path.suffix.lower() != ".parquet":
            return csv(path, _WHAT, chosen)
        regular(path, _WHAT)
        schema, metadata = footer(path)
        names = choose(schema)
        Room(path).fits(row_count(metadata) * _PER_VALUE)
        return parquet(path, names)
    except OSError as error:
        raise unreadable(path, error.strerror or str(error).splitlines()[0], _WHAT) from None
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise unreadable(path, str(error).splitlines()[0], _WHAT) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _column(schema: pa.Schema, asked: str | None, *, default: str | None, option: str = "--column") -> str:
    """Choose the requested numeric column, or the only numeric column except the time."""
    import pyarrow as pa  # noqa: PLC0415

    named = [
        field.name
        for field in schema
        if pa.types.is_integer(field.type) or pa.types.is_floating(field.type) or pa.types.is_null(field.type)
    ]
    if asked is not None:
        if asked not in named:
            raise refuse(option, asked, f"{near(asked, named)}must be a column of numbers: {listed(named)}")
        return asked
    others = [name for name in named if name != "time"] if default is None else [default] if default in named else []
    if len(others) != 1:
        raise impossible(
            f"--column: missing; must be one of the numeric columns: {listed(named) or '(there are none)'}"
        )
    return others[0]


def _numbers(path: Path, table: pa.Table, name: str) -> NDArray[np.float64]:
    column = table[name]
    if column.null_count:
        raise unreadable(path, f"column {name} has {column.null_count} rows without a number", _WHAT)
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _binned(
    source: str, times: NDArray[np.float64], weights: NDArray[np.float64] | None, length: float
) -> NDArray[np.float64]:
    """Count times, or sum their weights, per bin, from the bin of the first time on; the last bin is omitted."""
    if not times.size or not np.isfinite(times).all():
        raise unreadable(source, "its times must be finite", "times in seconds")
    start = math.floor(float(times.min()) / length)
    # The last bin is omitted because it is probably incomplete.
    count = math.floor(float(times.max()) / length) - start
    if count > _MOST_BINS:
        raise refuse("--bin", f"{length:g} s", f"must divide these times into at most {_MOST_BINS} bins")
    place = np.floor(times / length).astype(np.int64) - start
    there = place < count
    return np.bincount(place[there], weights=None if weights is None else weights[there], minlength=count).astype(
        np.float64
    )


def _checked(source: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reject a series that is too short or constant, or has an invalid value; the error gives its position."""
    from ackclock.analysis.scaling.verdict import LEAST  # noqa: PLC0415

    if values.size < LEAST:
        raise unreadable(source, f"it has {values.size} bins", f"a series of at least {LEAST} bins")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if wrong.size:
        raise refuse(f"{source}: value {wrong[0] + 1}", float(values[wrong[0]]), "must be finite and not negative")
    if values.min() == values.max():
        raise unreadable(source, f"all {values.size} values are {values[0]:g}", "a series that varies")
    return values
