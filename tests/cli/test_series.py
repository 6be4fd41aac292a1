"""The series that ``ackclock burstiness`` reads: columns, lines, bins and refusals, worked out by hand."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from ackclock.cli import series
from ackclock.files import reading
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path


def binned(times: list[float], length: float, weights: list[float] | None = None) -> list[float]:
    heavy = None if weights is None else np.array(weights)
    found: list[float] = series._binned("x", np.array(times), heavy, length).tolist()
    return found


def test_times_are_counted_in_whole_bins() -> None:
    """Bins of 2 s begin at 4 s, where the first time lies; the bin of the last time is incomplete and omitted."""
    assert binned([5, 5.5, 4, 6, 11.5, 12.5], 2) == [3, 1, 0, 1]
    assert binned([5, 5.5, 4, 6, 11.5, 12.5], 2, [1, 2, 4, 0.5, 8, 99]) == [7, 0.5, 0, 8]
    assert binned([-0.5, 0.5, 2.5], 1) == [1, 1, 0]
    assert binned([7], 1) == []


def test_the_number_of_bins_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "_MOST_BINS", 3)
    assert len(binned([0, 3], 1)) == 3
    with pytest.raises(ScenarioError, match="--bin: '1 s' is not allowed; must divide these times into at most 3 bins"):
        binned([0, 4], 1)


@pytest.mark.parametrize("times", [[], [1, np.nan], [np.inf, 1]])
def test_times_are_finite(times: list[float]) -> None:
    with pytest.raises(ScenarioError, match="x: cannot be used: its times must be finite"):
        binned(times, 1)


def test_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("# a comment\n 1 \n\n2e1\n"))
    assert series._lines("-").tolist() == [1, 20]
    file = tmp_path / "numbers"
    file.write_text("1\n\nx\n")
    with pytest.raises(ScenarioError, match="line 3: 'x' is not allowed; must be one number"):
        series._lines(str(file))
    file.write_text("1\n" + "2" * 1001)
    with pytest.raises(ScenarioError, match="line 2 is too long"):
        series._lines(str(file))
    monkeypatch.setattr(reading, "limit", lambda: 1000)
    file.write_text("1\n" * 16)
    with pytest.raises(ScenarioError, match="its content needs at least"):
        series._lines(str(file))


TABLE = pa.table(
    {
        "time": pa.array([0.5]),
        "size": pa.array([1]),
        "name": pa.array(["a"]),
        "none": pa.nulls(1),
        "flag": pa.array([True]),
    }
)


@pytest.mark.parametrize(
    ("names", "asked", "default", "chosen"),
    [
        (["time", "size", "name", "flag"], None, None, "size"),
        (["time", "none"], None, None, "none"),
        (["time", "size"], None, "time", "time"),
        (["time", "size", "none"], "none", None, "none"),
        (["time", "size"], "time", None, "time"),
    ],
)
def test_columns(names: list[str], asked: str | None, default: str | None, chosen: str) -> None:
    assert series._column(TABLE.select(names).schema, asked, default=default) == chosen


@pytest.mark.parametrize(
    ("names", "asked", "default", "option", "message"),
    [
        (["time", "size", "none"], None, None, "--column", "--column: missing; .*: time, size, none"),
        (["time"], None, None, "--column", "numeric columns: time"),
        (["name"], None, None, "--column", r"\(there are none\)"),
        (["size"], None, "time", "--column", "numeric columns: size"),
        (["time", "name"], "name", None, "--sum", "--sum: 'name' is not allowed; must be a column of numbers: time"),
        (["time", "size"], "siez", None, "--sum", "did you mean 'size'"),
    ],
)
def test_columns_that_are_refused(
    names: list[str], asked: str | None, default: str | None, option: str, message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        series._column(TABLE.select(names).schema, asked, default=default, option=option)


def test_values_that_are_no_series() -> None:
    from ackclock.analysis.scaling.verdict import LEAST  # noqa: PLC0415  # slow to load

    good = np.arange(LEAST, dtype=np.float64)
    assert series._checked("x", good) is good
    with pytest.raises(ScenarioError, match=f"it has {LEAST - 1} bins"):
        series._checked("x", good[1:])
    for wrong, words in ((-1.0, "-1.0"), (np.nan, "nan"), (np.inf, "inf")):
        values = good.copy()
        values[[2, 5]] = wrong
        with pytest.raises(ScenarioError, match=f"x: value 3: {words} is not allowed; must be finite and not negative"):
            series._checked("x", values)
    with pytest.raises(ScenarioError, match=f"all {LEAST} values are 7"):
        series._checked("x", np.full(LEAST, 7.0))


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "a.csv"
    file.write_text(text)
    return file


ROWS = "time,size\n" + "".join(f"{place / 4},{place % 3}\n" for place in range(500))


@pytest.mark.parametrize(
    ("options", "first", "size", "about", "width"),
    [
        # a bin has five rows; their sizes are 0, 1, 2, 0, 1 in the first and 2, 0, 1, 2, 0 in the second
        ({"bin_": "1250 ms"}, [5, 5, 5], 99, "packets in 99 bins of 1250 ms, from 500 times", 1.25),
        ({"bin_": "1250 ms", "weight": "size"}, [4, 5, 6], 99, "size in 99 bins of 1250 ms, from 500 times", 1.25),
        ({"column": "size"}, [0, 1, 2], 500, "500 size, one per bin", None),
        ({}, [0, 1, 2], 500, "500 size, one per bin", None),
    ],
)
def test_a_table_is_read(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    options: dict[str, str],
    first: list[float],
    size: int,
    about: str,
    width: float | None,
) -> None:
    monkeypatch.setattr(series, "_checked", lambda _, values: values)
    given: dict[str, Any] = {"column": None, "bin_": None, "weight": None} | options
    found = series.read(str(written(tmp_path, ROWS)), **given)
    assert (found.values[:3].tolist(), found.values.size) == (first, size)
    assert (found.about, found.bin) == (about, width)


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("a.csv", {"weight": "size"}, "--sum: 'size' is not allowed; must come with --bin"),
        ("a.txt", {"column": "size"}, "--column: 'size' is not allowed; must come with a CSV or Parquet file"),
        ("a.txt", {"bin_": "1 s", "weight": "size"}, "--sum: 'size' is not allowed; must come with a CSV or Parquet"),
        ("a.csv", {"bin_": "0 s"}, "--bin: '0 s' is not allowed"),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, file: str, options: dict[str, str], message: str) -> None:
    given: dict[str, Any] = {"column": None, "bin_": None, "weight": None} | options
    with pytest.raises(ScenarioError, match=message):
        series.read(str(tmp_path / file), **given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,4\n", "its first line contains a number instead of a header"),
        ("a,b\n1,\n2,3\n,4\n", "column a has 1 rows without a number"),
        ("a\n", "it has 0 bins"),
    ],
)
def test_tables_that_are_no_series(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        series.read(str(written(tmp_path, text)), column="a" if text[0] == "a" else None, bin_=None, weight=None)
