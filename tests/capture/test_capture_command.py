"""The parts of ``ackclock capture`` and of its folder, worked out by hand."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ackclock.capture import folder as folders
from ackclock.capture.reading import KEY_BYTES
from ackclock.cli import capture_reading
from ackclock.files.checksum import CHANGED, checksum
from ackclock.values.errors import DamagedError, ScenarioError, damaged

if TYPE_CHECKING:
    from pathlib import Path


def test_keys() -> None:
    key = capture_reading._key
    assert key(None, anonymise=False) is None
    drawn = [key(None, anonymise=True) for _ in range(2)]
    assert [len(each or b"") for each in drawn] == [KEY_BYTES] * 2
    assert drawn[0] != drawn[1]
    digits = "0f" * KEY_BYTES
    assert key(digits, anonymise=True) == bytes([15] * KEY_BYTES)
    with pytest.raises(ScenarioError, match="--key: 'a key' is not allowed; must come with --anonymise"):
        key(digits, anonymise=False)
    for wrong in (digits[2:], digits + "00", "x" * len(digits)):
        with pytest.raises(ScenarioError, match=f"{len(wrong)} characters.*must be {len(digits)} hexadecimal digits"):
            key(wrong, anonymise=True)


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "1970-01-01T00:00:00.000000000Z"),
        (1_000_000_001, "1970-01-01T00:00:01.000000001Z"),
        (86_399_999_999_999, "1970-01-01T23:59:59.999999999Z"),
    ],
)
def test_stamps(time: int, text: str) -> None:
    assert capture_reading._stamp(time) == text
    row = {"first": time, "last": 0, "packets": 3}
    assert capture_reading._plain(row) == {"first": text, "last": "1970-01-01T00:00:00.000000000Z", "packets": 3}


def read(counts: list[float]) -> Any:
    return SimpleNamespace(packets_per_bin=np.array(counts))


def test_time_scales_need_enough_bins_that_vary() -> None:
    """The last bin may be incomplete, so it counts neither as a bin nor as variation."""
    from ackclock.analysis.scaling.verdict import LEAST  # noqa: PLC0415  # slow to load

    few = [1.0, *[2.0] * (LEAST - 2), 9.0]
    assert capture_reading._scales(read(few)) == (
        None,
        [f"{LEAST - 1} whole bins are too few to analyse burstiness over time scales: at least {LEAST} are needed."],
    )
    flat = [2.0] * LEAST
    alike = "All bins have the same number of packets: there is no variation to analyse."
    assert capture_reading._scales(read([*flat, 9.0])) == (None, [alike])
    found, missing = capture_reading._scales(read([1.0, *flat[1:], 9.0]))
    assert missing == []
    assert found is not None
    assert found[0].bins[0] == LEAST


@pytest.fixture
def captured(tmp_path: Path) -> Path:
    """Return a folder with three files, of which the last has changed."""
    for name in ("packets", "flows", "arrivals"):
        (tmp_path / f"{name}.parquet").write_text(name)
    files = {file.name: checksum(file) for file in tmp_path.iterdir()}
    (tmp_path / "record.json").write_text(json.dumps({"files": files, "command": "ackclock capture x"}))
    (tmp_path / "arrivals.parquet").write_text("changed")
    return tmp_path


def test_only_the_tables_of_a_query_are_verified_before_it(captured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("ackclock.study.store.sql.closed", lambda *given: asked.append(given))
    monkeypatch.setattr("ackclock.study.store.sql.names", lambda query, name: name in query)
    folders.ask(captured, "from flows")
    tables = {name: captured / f"{name}.parquet" for name in ("packets", "flows", "arrivals")}
    assert asked == [("from flows", tables)]
    with pytest.raises(DamagedError, match=r"arrivals.parquet.*`ackclock capture x` makes it again"):
        folders.ask(captured, "from arrivals")


def test_a_table_that_cannot_be_read_is_looked_for(captured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The query names no table, so no file was verified; if all files are sound, the error of the query remains."""

    def closed(*_: object) -> None:
        raise damaged("somewhere", "it is odd", "nothing helps")

    monkeypatch.setattr("ackclock.study.store.sql.closed", closed)
    monkeypatch.setattr("ackclock.study.store.sql.names", lambda *_: False)
    with pytest.raises(DamagedError, match=r"arrivals.parquet"):
        folders.ask(captured, "select 1")
    (captured / "arrivals.parquet").write_text("arrivals")
    with pytest.raises(DamagedError, match="somewhere"):
        folders.ask(captured, "select 1")


def test_states_of_files(captured: Path) -> None:
    (captured / "flows.parquet").unlink()
    record = json.loads((captured / "record.json").read_text())
    assert folders.files_of(captured) == {
        "arrivals.parquet": CHANGED,
        "flows.parquet": "No such file or directory",
        "packets.parquet": "sound",
    }
    assert folders._wrong(captured, record, "record.json") is None  # it has no checksum
    (captured / "record.json").write_text(json.dumps({"files": list(record["files"])}))
    assert folders.files_of(captured) == {
        "arrivals.parquet": "no checksum: an earlier version wrote it",
        "flows.parquet": "No such file or directory",
        "packets.parquet": "no checksum: an earlier version wrote it",
    }
    folders.check(captured, ["arrivals.parquet"])
