"""Trace files: each limit with a value on it and one beyond it, and the row of the first wrong value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import ackclock as ac
from ackclock.scenario import mahimahi, trace_file
from ackclock.scenario.trace_file import RATE, read, read_steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes a file and returns its path."""

    def write(content: str) -> str:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.csv"
        path.write_text(content)
        return str(path)

    return write


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 8])
@pytest.mark.parametrize("wrong", ["x", "", "1;"])
def test_the_first_wrong_value_is_named(written: Callable[[str], str], rows: int, wrong: str) -> None:
    for first in range(1, rows + 1):
        values = ["5"] * rows
        values[first - 1] = wrong
        values[-1] = wrong  # a later one is not named
        table = written("time,packets\n" + "".join(f"0,{value}\n" for value in values))
        with pytest.raises(ac.ScenarioError, match=f"its column packets holds a value .* in row {first};"):
            read(table)
        if wrong == "x":
            # the first line says whether the file is a mahimahi trace
            lines = written("5\n" + "".join(f"{value}\n" for value in values))
            with pytest.raises(ac.ScenarioError, match=f"line {first + 1} is not a valid whole number"):
                read_steps(lines, RATE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("time,packets\n0,1000000\n", ""),
        ("time,packets\n0,0\n1,1000001\n", "packets is not a whole number within bounds, in row 2"),
        ("time\n0\n0\n", ""),
        ("time\n1\n0\n", "times decrease, in row 2"),
        ("time\n-0.0\n", ""),
        ("time\n-1e-9\n", "a time is negative, in row 1"),
        ("packets,time,time\n1,0,0\n", "more than one column time"),
        ("packets,packets,time\n1,1,0\n", "more than one column packets"),
        ("note,note,time\n1,1,0\n", ""),
    ],
)
def test_limits_of_packets(written: Callable[[str], str], content: str, message: str) -> None:
    path = written(content)
    if not message:
        assert read(path).total >= 0
        return
    with pytest.raises(ac.ScenarioError, match=re.escape(message)):
        read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("time,rate\n0,1000000000000\n", ""),
        ("time,rate\n0,1\n1,1000000000001\n", "a rate is out of bounds, in row 2"),
        ("time,rate\n0,0\n1,1000\n", ""),
        ("time,rate\n0,-1\n", "a rate is out of bounds, in row 1"),
        ("time,rate\n0,1\n17280000,1000\n", ""),
        ("time,rate\n0,1\n17280000.001,2\n", "it is too long; must be a trace up to 17280000 s"),
        ("time,rate\n0,1\n1e-12,1000\n", ""),
        ("time,rate\n0,1\n0,2\n", "a time is repeated, in row 2"),
        ("0\n17280000000\n", ""),
        ("0\n17280000001\n", "it is too long"),
        ("0\n1\n0\n", "line 3 is below the line before"),
        ("1\n", ""),
        ("0\n", "it ends at 0"),
        ("1\r\n2\r\n", ""),
        ("1\n\n2\n", "line 2 is not a valid whole number"),
    ],
)
def test_limits_of_rates(written: Callable[[str], str], content: str, message: str) -> None:
    path = written(content)
    if not message:
        assert read_steps(path, RATE).times[0] == 0
        return
    with pytest.raises(ac.ScenarioError, match=re.escape(message)):
        read_steps(path, RATE)


def test_times_and_rates_are_rounded_to_the_engines_units(written: Callable[[str], str]) -> None:
    found = read_steps(written("time,rate\n0,1.6\n0.0000000000026,2.4\n1.5,1e6\n"), RATE)
    assert found.times.tolist() == [0, 3, 1_500_000_000_000]
    assert found.values.tolist() == [2, 2, 1_000_000]
    assert found.period is None


def test_totals(written: Callable[[str], str]) -> None:
    assert read(written("time\n0\n1\n1\n")).total == 3
    assert read(written("time,packets\n0,4\n1,0\n1,2\n")).total == 6


@pytest.mark.parametrize("rows", [3, 4])
def test_limits_of_rows_and_bytes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, written: Callable[[str], str], rows: int
) -> None:
    form = trace_file._PACKETS
    path, parquet = written("time\n" + "0\n" * rows), str(tmp_path / "some.parquet")
    pyarrow.parquet.write_table(pa.table({"time": np.zeros(rows)}), parquet)
    monkeypatch.setattr(trace_file, "_PACKETS", type(form)(form.words, form.columns, form.optional, most=3))
    for each in (path, parquet):
        if rows <= 3:
            assert read(each).total == rows
        else:
            with pytest.raises(ac.ScenarioError, match="it has 4 rows; must be a trace of 1 to 3 rows"):
                read(each)
    monkeypatch.setattr(trace_file, "LARGEST", 5 + 2 * 3)
    larger = written("time\n" + "1\n" * rows)
    if rows <= 3:
        assert read(larger).total == rows
    else:
        with pytest.raises(ac.ScenarioError, match="it is too large"):
            read(larger)


def test_limits_of_different_milliseconds(monkeypatch: pytest.MonkeyPatch, written: Callable[[str], str]) -> None:
    # each different millisecond begins and ends an opportunity; the end of the last one is the period
    monkeypatch.setattr(trace_file, "MOST_STEPS", 6)
    assert read_steps(written("1\n2\n2\n3\n"), RATE).times.size == 6
    with pytest.raises(ac.ScenarioError, match="it has too many different milliseconds; must be a trace of at most 3"):
        read_steps(written("1\n2\n3\n4\n"), RATE)


def test_opportunities_at_zero_recur_at_the_end() -> None:
    # an opportunity takes 12 ns: 1500 bytes at 10^12 bit/s
    assert mahimahi.most_at_once(np.array([0, 0, 1, 1, 1, 4])) == 3
    assert mahimahi.most_at_once(np.array([0, 0, 1, 4, 4])) == 4
    times, rates, period = mahimahi.steps(np.array([0, 0, 1, 4]))
    assert times.tolist() == [0, 10**9 - 12_000, 10**9, 4 * 10**9 - 3 * 12_000]
    assert rates.tolist() == [0, 10**12, 0, 10**12]
    assert period == 4 * 10**9


@pytest.mark.parametrize(
    ("fields", "rate", "length"),
    [
        ({}, 4 / 2, 2.0),
        ({"scale": 2.0}, 4 / 4, 4.0),
        ({"period": "8 s"}, 4 / 8, 8.0),
        ({"period": "8 s", "scale": 0.5}, 4 / 4, 4.0),
    ],
)
def test_the_mean_rate_of_a_trace(
    written: Callable[[str], str], fields: dict[str, str], rate: float, length: float
) -> None:
    trace = ac.Trace.model_validate({"path": written("time,packets\n0,1\n2,3\n"), **fields})
    assert (trace.mean_rate, trace.length) == (rate, length)


def test_a_trace_of_one_instant_has_no_rate(written: Callable[[str], str]) -> None:
    assert ac.Trace(path=written("time\n0\n0\n")).mean_rate == np.inf


@pytest.mark.parametrize(
    ("duration", "mean"),
    [
        # 3 Mb/s for 1 s and 0 for 1 s, then 6 Mb/s for the last of 4 s
        (10**12, 3e6),
        (2 * 10**12, 1.5e6),
        (3 * 10**12, 1e6),
        (4 * 10**12, 9e6 / 4),
        (9 * 10**12, (2 * 9e6 + 3e6) / 9),
    ],
)
def test_the_mean_of_a_rate_trace(duration: int, mean: float) -> None:
    trace = ac.RateTrace(steps=[("0 s", "3 Mbps"), ("1 s", "0 bps"), ("3 s", "6 Mbps")], period="4 s")
    assert trace.course().mean(duration) == pytest.approx(mean)
    once = ac.RateTrace(steps=[("0 s", "3 Mbps"), ("1 s", "0 bps"), ("3 s", "6 Mbps")])
    assert once.course().mean(9 * 10**12) == pytest.approx((3e6 + 6 * 6e6) / 9)


def test_times_of_half_a_year_are_exact(written: Callable[[str], str]) -> None:
    """Picoseconds of more than 106 days do not fit into a signed 64-bit integer."""
    last, rates = 17_280_000 * 10**12, [1_000_000, 2_000_000]
    steps = ac.RateTrace(steps=[("0 s", "1 Mbps"), ("17280000 s", "2 Mbps")]).course()
    file = ac.RateTrace(path=written("time,rate\n0,1e6\n17280000,2e6\n")).course()
    for found in (steps, file):
        assert (found.times.tolist(), found.values.tolist()) == ([0, last], rates)
        assert found.mean(last) == pytest.approx(1e6)
    late = ac.RateTrace(path=written("1\n17280000000\n")).course()
    assert late.times.tolist() == [0, 10**9 - 12_000, 10**9, last - 12_000]
    assert late.period == last
    assert late.mean(last) == pytest.approx(2 * 12_000 / 17_280_000)
