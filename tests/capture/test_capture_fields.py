"""Fields of TCP in the table of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

import ackclock as ac

if TYPE_CHECKING:
    from pathlib import Path

FAULTS = "tests/data/captures/faults"


def rows(file: Path, folder: Path) -> list[dict[str, Any]]:
    ac.read_capture(file, packets=folder / "packets.parquet")
    found: list[dict[str, Any]] = parquet.read_table(folder / "packets.parquet").to_pylist()
    return found


def test_sequence_numbers_go_on_where_those_of_the_header_wrap(root: Path, tmp_path: Path) -> None:
    sent = [row["sequence"] for row in rows(root / FAULTS / "wrap.pcap", tmp_path) if row["payload"]]
    assert sorted(set(sent)) == list(range(1, max(sent) + 1, 100))


def test_ports_used_again_count_connections_from_0(root: Path, tmp_path: Path) -> None:
    found = rows(root / FAULTS / "port_reuse.pcap", tmp_path)
    assert sorted({row["connection"] for row in found}) == [0, 1, 2, 3, 4]
    starts = [row for row in found if row["flags"] & 2]
    assert {row["sequence"] for row in starts} == {0}
    assert {row["ack"] for row in starts} == {None, 1}


@pytest.mark.parametrize("name", ["snap_34.pcap", "snap_48.pcap"])
def test_headers_that_were_not_captured_are_null(root: Path, tmp_path: Path, name: str) -> None:
    for row in rows(root / FAULTS / name, tmp_path):
        fields = ("sequence", "ack", "flags", "window", "payload", "tsval", "tsecr", "sack")
        assert [row[field] for field in fields] == [None] * len(fields)
        assert row["ttl"] is not None


def test_options_of_a_real_capture(root: Path, tmp_path: Path) -> None:
    # the values are those of tshark 4.0.17
    found = rows(root / "examples/lan.pcapng", tmp_path)
    with_sack = [row for row in found if row["sack"] is not None]
    assert len(with_sack) == 97
    first = with_sack[0]
    assert (first["back"], first["ack"], first["sack"]) == (True, 8689, [{"left": 10137, "right": 11585}])
    assert {row["tsval"] is None for row in found if row["flags"] is None} == {True}
