"""Replay of a trace: packets at the file's times, checks of the file, and its digest in results."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import ackclock as ac
from ackclock.cli import main
from ackclock.scenario import trace_file


def wide(source: ac.Trace | ac.OnOff, count: int = 1) -> ac.Scenario:
    """Return a fast link and UDP flows: arrivals equal the packets that the sources send."""
    return ac.Scenario(
        duration="10 s",
        packet_size=1000,
        measure=ac.Measure(link="a->b", bin="100 ms"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="100 Gbps", delay="0 s")],
        flows=[ac.Flow(from_="a", to="b", count=count, transport=ac.Udp(), source=source)],
    )


def sent(scenario: ac.Scenario, seed: int = 1) -> list[float]:
    """Return the times at which packets were sent."""
    rows = ac.simulate(scenario, seed=seed, record=["packets@a->b"]).table("packets").to_pandas()
    times: list[float] = rows[rows["event"] == "enqueue"]["time"].tolist()
    return times


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text("time,packets,note\n0,1,first\n0.5,2,\n0.5,0,\n2,1,last\n")
    return path


@pytest.mark.parametrize(
    ("fields", "times"),
    [
        ({}, [0, 0.5, 0.5, 2]),
        ({"scale": 2}, [0, 1, 1, 4]),
        ({"offset": "0.5 s"}, [0, 0, 1.5]),
        ({"period": "3 s"}, [0, 0.5, 0.5, 2, 3, 3.5, 3.5, 5, 6, 6.5, 6.5, 8, 9, 9.5, 9.5]),
        ({"period": "3 s", "offset": "1 s", "scale": 2}, [2, 4, 5, 5, 8]),
        # a period may end with the last packet: the first of the next one is sent at the same time
        ({"period": "2 s"}, [0, 0.5, 0.5, 2, 2, 2.5, 2.5, 4, 4, 4.5, 4.5, 6, 6, 6.5, 6.5, 8, 8, 8.5, 8.5]),
    ],
)
def test_packets_come_when_the_trace_says(csv: Path, fields: dict[str, Any], times: list[float]) -> None:
    assert sent(wide(ac.Trace(path=str(csv), **fields))) == pytest.approx(times, abs=1e-9)


def test_a_random_place_is_each_clients_own(csv: Path) -> None:
    scenario = wide(ac.Trace(path=str(csv), period="3 s", offset="random"), count=20)
    times = np.array(sent(scenario))
    assert len(set(np.round(times % 3, 6))) > 50
    assert sent(scenario) == times.tolist()
    assert sent(scenario, seed=2) != times.tolist()


def test_a_runs_own_arrivals_are_a_trace(tmp_path: Path) -> None:
    on_off = ac.OnOff(rate=200, on=ac.Pareto(mean="300 ms", shape=1.5), off=ac.Exponential(mean="300 ms"))
    first = ac.simulate(wide(on_off, count=5), record=["arrivals"])
    first.save(tmp_path / "first")
    trace = ac.Trace(path=str(tmp_path / "first" / "arrivals.parquet"))
    assert trace.mean_rate == pytest.approx(first.summary.arrivals / 9.9)
    again = ac.simulate(wide(trace), record=["arrivals"])
    assert again.table("arrivals")["packets"].equals(first.table("arrivals")["packets"])
    assert again.summary.cov == first.summary.cov


def test_a_result_runs_again_with_the_same_content_only(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = wide(ac.Trace(path=str(csv)))
    (tmp_path / "scenario.toml").write_text(scenario.to_toml().replace(str(csv), "trace.csv"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for file, out in (("../scenario.toml", "first"), ("first", "second")):
        with pytest.raises(SystemExit, match="0"):
            main(["run", file, "--out", out])
    record = Path("first/record.json").read_bytes()
    assert Path("second/record.json").read_bytes() == record
    source = json.loads(record)["scenario"]["flows"][0]["source"]
    assert source["path"] == str(csv)
    assert source["sha256"] == trace_file.read(str(csv)).sha256
    csv.write_text(csv.read_text().replace("0.5,2", "0.5,22"))
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        main(["run", "first"])
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert f"must be the file with sha256 = {source['sha256']}" in printed


def test_a_run_is_read_without_its_trace(csv: Path, tmp_path: Path) -> None:
    from ackclock.running import result  # noqa: PLC0415

    run = ac.simulate(wide(ac.Trace(path=str(csv))))
    run.save(tmp_path / "run")
    csv.unlink()
    assert result.load(tmp_path / "run").summary == run.summary


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be used: it is empty; must be CSV with a header or Parquet"),
        ("\n", "cannot be used: it cannot be read as CSV; must be CSV with a header or Parquet"),
        ("time\n", "it has 0 rows; must be a trace of 1 to 5000000 rows"),
        ("at\n1\n", "it has no column time"),
        ("time\n1\nx\n", "its column time holds a value that is not a number, in row 2"),
        ("time,packets\n1,2\n2,\n3,4\n", "its column packets holds a value that is not a number, in row 2"),
        ("time,time\n1,2\n", "it has more than one column time"),
        ("time\n1\ninf\n", "a time is not finite, in row 2"),
        ("time\n1\n-2\n", "a time is negative, in row 2"),
        ("time\n1\n2\n1.5\n", "times decrease, in row 3"),
        (
            "time,packets\n1,1\n2,1.5\n",
            "packets is not a whole number within bounds, in row 2; must be a trace with 0 to 1000000 whole packets",
        ),
        ("time,packets\n1,-1\n", "packets is not a whole number within bounds, in row 1"),
        ("time,packets\n1,1\n1\n", "cannot be used: it does not have one value for each column, in row 2"),
        (
            "time\n1e9\n",
            "its last time is after 17280000 s; must be a trace of times in seconds",
        ),
        ("time\n7\n", "flows.0.source.period: '3 s' is not allowed; must be at least the trace's last time"),
    ],
)
def test_files_that_are_no_trace(csv: Path, content: str, message: str) -> None:
    csv.write_text(content)
    with pytest.raises(ac.ScenarioError) as caught:
        ac.simulate(wide(ac.Trace(path=str(csv), period="3 s")))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    scenario = wide(ac.Trace(path=str(tmp_path / "none.csv")))
    with pytest.raises(ac.ScenarioError, match=r"none\.csv: cannot be used: No such file or directory; must be CSV"):
        scenario.effective()


def test_a_parquet_file_of_something_else(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"time": ["a"]}), tmp_path / "words.parquet")
    with pytest.raises(ac.ScenarioError, match="its column time holds values that are not numbers"):
        ac.simulate(wide(ac.Trace(path=str(tmp_path / "words.parquet"))))


def rates(path: str) -> ac.Scenario:
    """Return a link whose rate follows a file."""
    link = {"from": "a", "to": "b", "rate_trace": {"path": path}, "delay": "1 ms"}
    return wide(ac.OnOff(rate=1, on=ac.Fixed(mean="1 s"), off=ac.Fixed(mean="1 s"))).changed({"links": [link]})


def refusals(path: Path) -> list[str]:
    """Return the error messages for a file used as a trace of packets and as a trace of rates."""
    said = []
    for scenario in (wide(ac.Trace(path=str(path))), rates(str(path))):
        with pytest.raises(ac.ScenarioError) as caught:
            ac.simulate(scenario)
        said.append(str(caught.value))
    return said


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a writer
    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path):
        for said in refusals(path):
            assert "cannot be used: it is not a regular file; must be CSV" in said


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="files that hide their size are Linux's")
def test_the_limit_holds_while_a_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = Path("/proc/self/status")
    assert hidden.stat().st_size == 0
    monkeypatch.setattr(trace_file, "LARGEST", 100)
    for said in refusals(hidden):
        assert "it is too large" in said


@pytest.mark.parametrize(
    "content",
    [
        b"time,rate,packets\n0,1,1\nsecret\n",
        b"time,rate,packets\nsecret,1,1\n",
        b"time,rate,packets\n0,secret,secret\n",
        b"time,rate,packets\n0,87654321e12,87654321\n",
        b"time,rate,packets\n87654321,1,1\n",
        b"time,rate,packets\n0,1,1\n1,-87654321,-87654321\n",
        b"PAR1 secret PAR1",
        b"secret\nsecret\0secret\xff",
    ],
)
def test_errors_never_quote_a_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(content)
    for said in refusals(path):
        assert not re.search("secret|87654321|8.76", said)


def test_parquet_of_too_many_rows_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "many.parquet"
    pyarrow.parquet.write_table(pa.table({"time": np.zeros(5_000_001), "rate": np.zeros(5_000_001)}), path)
    monkeypatch.setattr("pyarrow.parquet.ParquetFile.read", lambda *_, **__: pytest.fail("it is read"))
    assert [said.partition("it has ")[2][:12] for said in refusals(path)] == ["5000001 rows"] * 2
