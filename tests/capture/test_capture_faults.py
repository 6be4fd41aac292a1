"""Captures with one peculiarity each, made by hand: each has the right values that follow from how it was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import ackclock as ac
from ackclock.cli import app

FAULTS = Path("tests/data/captures/faults")


def read(root: Path, name: str, **options: Any) -> ac.Capture:
    return ac.read_capture(root / FAULTS / name, **options)


def both(capture: ac.Capture, count: str) -> int:
    """Add a count of all conversations in both directions."""
    return sum(row[count] + row[f"{count}_back"] for row in capture.flows.to_pylist())


ENCAPSULATED = ("eth", "snap_54", "mpls", "ppp", "hdlc", "radiotap", "wifi", "wire_less_than_captured", "clock_back")


@pytest.mark.parametrize("name", ENCAPSULATED)
def test_the_same_traffic_behind_any_header(root: Path, name: str) -> None:
    """Validates: packets and retransmissions of one connection behind each link header.

    Source: how the files were made; tshark 4.0.17.
    Tolerance: exact.
    """
    capture = read(root, f"{name}.pcap")
    assert (capture.packets, capture.protocols["tcp"], capture.retransmissions) == (12, 12, 3)
    assert (capture.overtaken, capture.connections) == (0, 1)


@pytest.mark.parametrize("name", ["gre", "vxlan", "ipip"])
def test_tunnels_are_opened_on_request(root: Path, name: str) -> None:
    outer, inner = read(root, f"{name}.pcap"), read(root, f"{name}.pcap", inner=True)
    assert (outer.retransmissions, outer.connections) == (0, 0)
    assert (inner.retransmissions, inner.connections, inner.flow_count) == (3, 1, 1)
    assert inner.protocols == outer.protocols
    (flow,) = inner.flows.to_pylist()
    assert (flow["protocol"], flow["packets"], flow["packets_back"]) == ("tcp", 10, 2)


RESETS = [("refused_then_accepted.pcap", 1), ("injected_rst.pcap", 0)]


@pytest.mark.parametrize(("name", "retransmissions"), RESETS)
def test_a_reset_is_not_of_the_stream(root: Path, name: str, retransmissions: int) -> None:
    """Validates: retransmissions after a refused SYN, and after a RST with a sequence number ahead of the stream.

    Source: how the files were made; tcptrace 6.6.7.
    Tolerance: exact.
    """
    capture = read(root, name)
    assert (capture.retransmissions, both(capture, "resets")) == (retransmissions, 1)
    assert capture.flows["rtt_min_back"].to_pylist() == [pytest.approx(0.001)]


def test_what_others_overtook_was_sent_once(root: Path, tmp_path: Path) -> None:
    """Validates: reordering is not retransmission; the identifications 10, 12, 11, 13 show the order of sending.

    Source: how the file was made; tcptrace 6.6.7 (1 out of order, 0 retransmitted).
    Tolerance: exact.
    """
    capture = read(root, "reordered.pcap", packets=tmp_path / "packets.parquet")
    assert (capture.retransmissions, capture.overtaken, both(capture, "uncertain")) == (0, 1, 0)
    rows = parquet.read_table(tmp_path / "packets.parquet")
    assert (sum(rows["overtaken"].to_pylist()), sum(rows["retransmission"].to_pylist())) == (1, 0)


def test_copies_are_reported_and_count_nowhere_else(root: Path) -> None:
    """Validates: a capture of each packet twice has no retransmissions, and the path's round-trip time.

    Source: how the file was made: a path of 50 ms.
    Tolerance: exact.
    """
    capture = read(root, "captured_twice.pcap")
    assert (capture.packets, capture.copies, capture.retransmissions) == (46, 23, 0)
    assert capture.flows["rtt_min"].to_pylist() == [pytest.approx(0.05)]
    assert any(notice.startswith("23 packets were captured twice") for notice in capture.notices)


@pytest.mark.parametrize("name", ["snap_34.pcap", "snap_48.pcap"])
def test_what_was_not_captured_is_unknown(root: Path, name: str, tmp_path: Path) -> None:
    capture = read(root, name, packets=tmp_path / "packets.parquet")
    assert (capture.retransmissions, capture.overtaken, capture.missed) == (None, None, None)
    assert capture.flows["retransmissions"].to_pylist() == [None]
    assert parquet.read_table(tmp_path / "packets.parquet")["retransmission"].to_pylist() == [None] * 12
    assert any("header of 12 segments was not captured" in notice for notice in capture.notices)
    shown = CliRunner().invoke(app, ["capture", str(root / FAULTS / name)])
    assert "retransmissions are unknown" in shown.output


def test_lengths_of_old_files_are_swapped(root: Path) -> None:
    """Validates: packets, bytes and captured bytes of a file of version 2.2.

    Source: capinfos and tshark 4.0.17.
    Tolerance: exact.
    """
    capture = read(root, "swapped_v22.pcap")
    assert (capture.packets, capture.bytes, capture.captured_bytes, capture.stopped) == (3, 222, 162, None)


def test_a_packet_without_a_time_has_none(root: Path, tmp_path: Path) -> None:
    capture = read(root, "timeless_first.pcapng", packets=tmp_path / "packets.parquet")
    assert capture.duration == pytest.approx(0.001)
    assert capture.packets_per_bin.sum() == 2
    rows = parquet.read_table(tmp_path / "packets.parquet")
    assert rows["timestamp"].null_count == rows["time"].null_count == 1
    assert rows["time"].to_pylist()[1:] == [0, pytest.approx(0.001)]


def test_a_wrong_first_time_leaves_the_others_in_their_bins(root: Path) -> None:
    capture = read(root, "clock_back.pcap")
    assert capture.packets_per_bin.sum() == 11
    assert capture.duration == pytest.approx(0.45)
    assert any(notice.startswith("The clock jumps once") for notice in capture.notices)


def test_lengths_below_the_captured_ones(root: Path) -> None:
    capture = read(root, "wire_less_than_captured.pcap")
    assert capture.bytes == capture.captured_bytes == 1448
    assert any("shorter than what it has captured" in notice for notice in capture.notices)


COUNTS = [
    ("ecn_marks.pcap", {"ce": 4, "ece": 1, "cwr": 1}),
    ("dup_acks.pcap", {"duplicate_acks": 3, "retransmissions": 1}),
    ("tap_missed.pcap", {"missed": 3, "missed_bytes": 3000, "retransmissions": 0}),
    ("zero_window.pcap", {"zero_windows": 2, "missed": 0, "retransmissions": 0}),
    ("wrap.pcap", {"retransmissions": 1, "overtaken": 0}),
]


@pytest.mark.parametrize(("name", "counts"), COUNTS)
def test_what_tcp_did(root: Path, name: str, counts: dict[str, int]) -> None:
    """Validates: marks and echoes, duplicate ACKs, segments that the capture missed, closed windows.

    Source: how the files were made; tshark 4.0.17.
    Tolerance: exact.
    """
    capture = read(root, name)
    assert {count: both(capture, count) for count in counts} == counts


def test_ports_used_again_are_connections_of_one_conversation(root: Path) -> None:
    capture = read(root, "port_reuse.pcap")
    assert (capture.connections, capture.flow_count, capture.retransmissions) == (5, 1, 0)


@pytest.mark.parametrize("name", ["three_packets.pcap", "one_way_keystrokes.pcap"])
def test_few_packets_have_no_hurst_parameter(root: Path, name: str) -> None:
    shown = CliRunner().invoke(app, ["capture", str(root / FAULTS / name), "--json"])
    assert shown.exit_code == 0
    arrivals = json.loads(shown.output)["arrivals"]
    assert arrivals["hurst"] == []
    assert any("too few to estimate the Hurst parameter" in notice for notice in arrivals["notices"])
    assert "Hurst parameter 0" not in CliRunner().invoke(app, ["capture", str(root / FAULTS / name)]).output


def test_damage_is_in_the_exit_status(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shown = CliRunner().invoke(app, ["capture", str(root / FAULTS / "cut_off.pcap"), "--json", "--out", str(out)])
    assert shown.exit_code == 1
    assert json.loads(shown.output)["packets"] == 11
    assert (out / "report.html").exists()
