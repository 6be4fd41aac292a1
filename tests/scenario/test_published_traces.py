"""Traces of mobile networks in the forms in which they are published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ackclock as ac
from ackclock.scenario import published_traces

if TYPE_CHECKING:
    from pathlib import Path

GNETTRACK = """Timestamp,Speed,NetworkMode,RSRP,DL_bitrate,UL_bitrate,State
2019.12.14_10.16.58,0,5G,-91,22,36,D
2019.12.14_10.16.58,1,5G,-91,73,27,D
2019.12.14_10.17.00,1,5G,-,-,-,D
2019.12.14_10.17.01,1,LTE,-90,50000,9000,D
"""
LOG = """1453121790686 39287 51.0386528 3.7322078 2493100 1000
1453121791687 40288 51.0386532 3.7322284 2763504 1001
1453121792686 41287 51.0386553 3.7322514 2728896 0999
"""


def course(folder: Path, text: str, **fields: Any) -> tuple[list[float], list[float], float | None]:
    """Return the times in s, the rates in bit/s and the period in s of a trace."""
    file = folder / "trace"
    file.write_text(text)
    found = ac.RateTrace(path=str(file), **fields).course()
    period = None if found.period is None else found.period / 1e12
    return (found.times / 1e12).tolist(), found.values.tolist(), period


def test_a_log_of_gnettrack_has_two_directions(tmp_path: Path) -> None:
    """Of two rows of a second the last one counts, and a row without a rate leaves the rate before.

    Validates: times from the first row, rates in bit/s.
    Source: the columns of the 5G dataset of Raca and others (MMSys 2020); by hand.
    Tolerance: exact.
    """
    assert course(tmp_path, GNETTRACK) == ([0, 3], [73_000, 50_000_000], None)
    assert course(tmp_path, GNETTRACK, direction="uplink") == ([0, 3], [27_000, 9_000_000], None)
    assert course(tmp_path, GNETTRACK, period="4 s")[2] == 4


def test_a_log_that_ends_with_an_outage_repeats(tmp_path: Path) -> None:
    """Validates: a log whose last rate is 0 repeats from the end of its last row: a second of G-NetTrack, and the given
        time of a throughput log. A given period counts instead, and other logs keep their last rate.

    Source: by hand.
    Tolerance: exact.
    """
    ends = GNETTRACK.replace("50000,9000", "0,9000")
    assert course(tmp_path, ends) == ([0, 3], [73_000, 0], 4)
    assert course(tmp_path, ends, period="9 s")[2] == 9
    assert course(tmp_path, ends, direction="uplink")[2] is None
    times, rates, period = course(tmp_path, LOG.replace("2728896", "0"))
    assert (times[-1], rates[-1], period) == (2.001, 0, 3)
    with pytest.raises(ac.ScenarioError, match="it ends in an outage"):
        course(tmp_path, GNETTRACK.replace("73,27", "0,27").replace("50000,9000", "0,9000"))


@pytest.mark.parametrize("text", [GNETTRACK, LOG, "0.5 9.9\n1.5 2.0\n3.5 4\n", "time,rate\n0,5e6\n", "1\n3\n7\n"])
def test_a_byte_order_mark_changes_nothing(text: str, tmp_path: Path) -> None:
    """Spreadsheets write this mark before the first line of CSV."""
    assert course(tmp_path, "\ufeff" + text) == course(tmp_path, text)


@pytest.mark.parametrize(
    ("trace", "row", "why"),
    [
        (
            ac.RateTrace,
            "100,0.02",
            r"all its rates are below 1000 bit/s, as if in kbit/s or Mbit/s .*; must be .* rate \(bit/s\)",
        ),
        (
            ac.DelayTrace,
            "1e8,25",
            r"all its delays are above 5 seconds, as if in milliseconds .*; must be .* delay \(seconds\)",
        ),
    ],
)
def test_a_trace_in_another_unit_is_refused(trace: Any, row: str, why: str, tmp_path: Path) -> None:
    """One row in the usual unit, or a list in the scenario, shows that the values are meant."""
    file = tmp_path / "trace.csv"
    file.write_text(f"time,rate,delay\n0,{row}\n")
    with pytest.raises(ac.ScenarioError, match=f"trace.csv: cannot be used: {why}"):
        trace(path=str(file)).course()
    file.write_text(f"time,rate,delay\n0,{row}\n1,1000,5\n")
    assert len(trace(path=str(file)).course().values) == 2
    assert ac.RateTrace(steps=[("0 s", "100 bps")]).course().values == [100]
    assert ac.DelayTrace(steps=[("0 s", "8 min")]).course().values == [480e12]


def test_a_throughput_log_gives_its_bytes(tmp_path: Path) -> None:
    """Validates: each interval has the rate of its bytes.

    Source: the form of van der Hooft and others (2016), with the lines of the example on the page of the logs.
    Tolerance: half a bit per second, since the engine's rates are whole numbers.
    """
    times, rates, period = course(tmp_path, LOG)
    assert times == [0, 1, 2.001]
    assert rates == pytest.approx([19_944_800, 8 * 2_763_504 / 1.001, 8 * 2_728_896 / 0.999], abs=0.5)
    assert period is None


def test_a_trace_of_pensieve_repeats(tmp_path: Path) -> None:
    """Validates: a rate holds up to the time of its line, and the period is the time from the first line to the last.

    Source: Pensieve's simulation of the network (Mao, Netravali and Alizadeh 2017), by hand.
    Tolerance: exact.
    """
    for separator in (" ", "\t", "   "):
        lines = [f"0.5{separator}9.9", f"1.5{separator}2.0", f"3.5{separator}4", ""]
        assert course(tmp_path, "\n".join(lines)) == ([0, 1], [2_000_000, 4_000_000], 3)
    with pytest.raises(ac.ScenarioError, match="those of mahimahi and Pensieve repeat by themselves"):
        course(tmp_path, "0.5 9.9\n1.5 2.0\n", period="9 s")


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(1, 5000)), min_size=1, max_size=50))
def test_the_integral_of_a_throughput_log_is_its_bytes(intervals: list[tuple[int, int]]) -> None:
    text = "".join(f"0 0 1.5 -2.5 {received} {length}\n" for received, length in intervals)
    found = published_traces.steps("a file", text.encode(), "log", "downlink")
    lengths = np.diff(found.times, append=sum(length for _, length in intervals) / 1000)
    assert float(found.rates @ lengths) / 8 == pytest.approx(sum(received for received, _ in intervals), rel=1e-12)


def test_a_link_carries_what_the_log_received(tmp_path: Path) -> None:
    """Packets of 1000 bytes cross a link that follows the log.

    Validates: the packets that leave in the 3 s of the log.
    Source: 7,985,500 bytes in the log.
    Tolerance: a packet.
    """
    file = tmp_path / "report.log"
    file.write_text(LOG)
    trace = ac.RateTrace(path=str(file))
    scenario = ac.Scenario(
        duration="3 s",
        packet_size=1000,
        measure=ac.Measure(link="a->b", bin="100 ms"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate_trace=trace, delay="0 s", queue=ac.DropTail(packets=10**6))],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=ac.Constant(rate="40 Mbps"))],
    )
    assert ac.simulate(scenario, seed=1).summary.departures == pytest.approx(7_985.5, abs=1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 2 3 4 5 6\n1 2 3\n", "it cannot be read; must be a throughput log"),
        ("1 2 3 4 5 0\n", "it has a time that takes no time, or no time at all; must be a throughput log"),
        ("1 2 3 4 nan 1\n", "it has no column time"),
        ("1 2 3 4 5 1\n1 2 3 4 nan 1\n", "it has a value that is not a number; must be a throughput log"),
        ("1 2 3 4 -5 1\n", "a rate is out of bounds, in row 1"),
        ("1 2\n", "it has a time that takes no time, or no time at all; must be a trace of Pensieve"),
        ("1 2\n1 3\n", "it has a time that takes no time, or no time at all; must be a trace of Pensieve"),
        ("Timestamp,DL_bitrate\nx,5\n", "it cannot be read; must be a log of G-NetTrack"),
        ("Timestamp,DL_bitrate\n2019.12.14_10.16.30,-\n", "it has no value of DL_bitrate; must be a log of G-NetTrack"),
        (
            "Timestamp,DL_bitrate\n2019.12.14_10.16.30,4\n2019.12.14_10.16.29,4\n",
            "times decrease, in row 2; must be a log of G-NetTrack",
        ),
        ("Timestamp,UL_bitrate\n2019.12.14_10.16.30,4\n", "it cannot be read; must be a log of G-NetTrack"),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ac.ScenarioError, match="cannot be used: ") as caught:
        course(tmp_path, text)
    assert why in str(caught.value)


def test_a_direction_needs_a_file() -> None:
    with pytest.raises(
        ac.ScenarioError, match="direction: 'uplink' is not allowed; must be absent when there is no path"
    ):
        ac.RateTrace(steps=[("0 s", "1 Mbps")], direction="uplink")


def test_a_file_that_a_check_of_the_whole_reads_is_named(tmp_path: Path) -> None:
    """The default of ``measure.bin`` is the mean round trip, so it needs the delay trace."""
    file = tmp_path / "trace.csv"
    file.write_text("time,delay\n0,25\n15,45\n")
    link = {"rate": "10 Mbps", "delay_trace": {"path": str(file)}}
    clients = [{"transport": {"kind": "tcp"}, "source": {"kind": "greedy"}}]
    access = {"rate": "1 Gbps", "delay": "1 ms"}
    whole = {"duration": "9 s", "dumbbell": {"access": access, "bottleneck": link}, "clients": clients}
    with pytest.raises(ac.ScenarioError, match=r"^\S*trace.csv: cannot be used: all its delays are above 5 seconds"):
        ac.Scenario.from_dict(whole)
