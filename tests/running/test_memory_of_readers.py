"""Small files whose content needs much memory are refused within the limit, in one line.

Each command runs in a process of its own with a limit of 100 MB, and its peak is measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tomli_w

import ackclock as ac
from ackclock.files.checksum import checksum, sealed
from ackclock.scenario.files import read_json

if TYPE_CHECKING:
    from pathlib import Path

LIMIT: Final = 100_000_000
PEAK: Final = 450_000_000
"""The program itself, with its libraries, takes 200 to 300 MB."""

PROGRAM: Final = f"""
import atexit, sys
from pathlib import Path
from ackclock.files import reading

def report():
    lines = Path("/proc/self/status").read_text().splitlines()
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))

atexit.register(report)
reading.limit = lambda: {LIMIT}
from ackclock.cli import main
main(sys.argv[1:])
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured in /proc")


def refused(folder: Path, *arguments: str) -> str:
    """Run a command that must be refused in one line within the limit, and return this line."""
    program = [sys.executable, "-c", PROGRAM, *arguments]
    ended = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr[-500:]
    peak = int(ended.stdout.split()[-1]) * 1024
    assert peak < PEAK, (arguments, peak)
    return ended.stderr


def rows(path: Path, table: pa.Table, groups: int) -> None:
    """Write the same rows as many row groups, which compress well."""
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(groups):
            writer.write_table(table)
    assert path.stat().st_size < 10_000_000


def test_many_rows(tmp_path: Path) -> None:
    rows(tmp_path / "s.parquet", pa.table({"packets": np.zeros(4_000_000)}), 20)
    rows(tmp_path / "t.parquet", pa.table({"time": np.zeros(4_000_000)}), 20)
    line = "s.parquet: cannot be used: its content needs at least 6.4 GB of memory, and the limit is 100 MB; must be"
    assert refused(tmp_path, "burstiness", "s.parquet").startswith(line)
    assert "t.parquet: cannot be used" in refused(tmp_path, "burstiness", "t.parquet", "--bin", "1 s")


def test_few_rows_of_long_texts_and_many_columns(tmp_path: Path) -> None:
    long = pa.array(["x" * 10_000_000]).take(pa.array([0] * 40))
    rows(tmp_path / "long.parquet", pa.table({"text": long, "packets": np.zeros(40)}), 1)
    wide = {f"c{place}": np.zeros(1000) for place in range(3000)}
    result(tmp_path / "long", tmp_path / "long.parquet")
    assert "its content needs at least" in refused(tmp_path, "plot", "long", "--out", "a.svg")
    rows(tmp_path / "wide.parquet", pa.table(wide), 10)
    result(tmp_path / "wide", tmp_path / "wide.parquet")
    assert "gauges.parquet: cannot be used: its content needs" in refused(tmp_path, "plot", "wide", "--out", "a.svg")


def scenario() -> ac.Scenario:
    """Return a small scenario."""
    return ac.Scenario(
        duration="1 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="5 ms")
        ),
        clients=[ac.Clients(transport=ac.Udp(), source=ac.Constant(rate=10))],
    )


def result(folder: Path, table: Path) -> None:
    """Save a result that also holds a table from elsewhere, with its checksum where results have some."""
    ac.simulate(scenario()).save(folder)
    (folder / "gauges.parquet").write_bytes(table.read_bytes())
    record: dict[str, Any] = read_json(folder / "record.json")
    if "checksum" in record:
        del record["checksum"]
        record["files"]["gauges.parquet"] = checksum(folder / "gauges.parquet")
        (folder / "record.json").write_text(json.dumps(sealed(record)))


def test_text_files(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("1\n" * 1_500_000)
    assert "its content needs at least" in refused(tmp_path, "burstiness", "lines.txt")
    (tmp_path / "long.txt").write_text("1" * 40_000_000)
    assert "line 1 is too long" in refused(tmp_path, "burstiness", "long.txt")
    (tmp_path / "header.csv").write_text("a," * 4_000_000 + "b\n")
    assert "header.csv: cannot be used: " in refused(tmp_path, "burstiness", "header.csv")
    (tmp_path / "many.csv").write_text("packets,b\n" + "1,2\n" * 15_000_000)
    assert "its content needs at least" in refused(tmp_path, "burstiness", "many.csv", "--column", "b")
    (tmp_path / "deep.json").write_text('{"a":[' + "{}," * 6_000_000 + "0]}")
    assert "its content needs at least" in refused(tmp_path, "run", "deep.json")
    (tmp_path / "deep.toml").write_text("\n".join(f"a{n}.b.c.d.e={n}" for n in range(500_000)))
    assert "its content needs at least" in refused(tmp_path, "run", "deep.toml")


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store, one of whose parts claims and has four million runs."""
    folder = tmp_path_factory.mktemp("forged")
    (folder / "study.toml").write_text(tomli_w.dumps({"replications": 3, "scenario": scenario().to_dict()}))
    with pytest.warns(UserWarning, match="fewer than 3 values"), pytest.warns(UserWarning, match="of another seed"):
        ac.sweep(scenario(), replications=2, store=folder / "store", jobs=1)
    (part,) = (folder / "store" / "parts").iterdir()
    table = pq.read_table(part / "runs.parquet").slice(0, 1)
    many = table.take(pa.array(np.zeros(200_000, dtype=np.int64)))
    rows(part / "runs.parquet", many, 20)
    record = read_json(part / "part.json")
    del record["checksum"]
    record["tables"]["runs"] = checksum(part / "runs.parquet")
    (part / "part.json").write_text(json.dumps(sealed(record)) + "\n")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["query", "store", "select count(*) from runs"],
        ["report", "store"],
        ["store", "check", "store"],
        ["sweep", "study.toml", "--store", "store", "--dry-run"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_parts_of_a_store(forged: Path, arguments: list[str]) -> None:
    assert "store: cannot be used: its content needs at least" in refused(forged, *arguments)


def test_an_answer_of_a_query(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="fewer than 3 values"), pytest.warns(UserWarning, match="of another seed"):
        ac.sweep(scenario(), replications=2, store=tmp_path / "store", jobs=1)
    query = "select a.range as x, a.range::varchar || 'xxxxxxxxxxxxxxx' as y from range(20000000) a"
    assert "query: cannot be used: its content needs" in refused(tmp_path, "query", "store", query)
    query = "select list(range) from range(200000000)"
    assert "memory" in refused(tmp_path, "query", "store", query).lower()
