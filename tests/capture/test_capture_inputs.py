"""Inputs of captures: filters, several files, formats and the standard input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ackclock as ac
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

COMMAND = [sys.executable, "-m", "ackclock", "capture"]

SELECTED = {
    "tcp": (337, 324),
    "icmp": (0, 0),
    "tcp and host 10.7.0.1": (284, 271),
    "tcp dst portrange 5002-40000": (128, 128),
    "tcp and src and dst net 10.0.0.0/8": (284, 271),
    "arp or tcp and host fd07::2 and port 5001": (53, 53),
    "ip and not (udp or icmp)": (285, 272),
    "not tcp and ip and not udp": (1, 1),
    "tcp or arp and not src port 5001": (185, 172),
    "arp": (2, 2),
    "src host 10.7.0.1 and tcp dst port 5001": (156, 143),
    "tcp src port 5001 or 5002": (154, 154),
    "ip net 10.7.0.0/24 and not port 5001": (7, 7),
    "ip6 net fd07::/64": (61, 61),
}
"""Packets of both real captures that ``tcpdump --count`` 4.99.3 selects by an expression."""


@pytest.fixture
def captures(root: Path) -> Path:
    return root / "tests" / "data" / "captures"


@pytest.mark.parametrize("expression", SELECTED)
def test_filters_select_what_tcpdump_selects(captures: Path, expression: str) -> None:
    files = [captures / f"{name}.pcap" for name in ("ethernet", "cooked")]
    assert tuple(ac.read_capture(file, filter=expression).packets for file in files) == SELECTED[expression]


def test_filters_see_through_tags_and_extension_headers(captures: Path) -> None:
    """Beside the 12 and 14 of tcpdump: UDP behind VLAN tags, SNAP, and IPv6's extension headers."""
    found = [ac.read_capture(captures / f"{name}.pcap", filter="udp").packets for name in ("ethernet", "cooked")]
    assert found == [16, 16]


def test_a_capture_file_answers_sql(captures: Path) -> None:
    sql = "select count(*) as n, (select sum(packets) from arrivals) as all from packets where protocol = 'tcp'"
    words = [sys.executable, "-m", "ackclock", "query", str(captures / "ethernet.pcap"), sql, "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [{"n": 337, "all": 378}]


def test_a_filter_is_told(captures: Path) -> None:
    found = ac.read_capture(captures / "ethernet.pcap", filter="tcp")
    assert (found.filtered, found.protocols["tcp"], found.ip_packets) == (41, 337, 337)
    assert found.notices[0].startswith("The filter selects 337 of 378 packets")
    with pytest.raises(ScenarioError, match=r"^filter: 'vlan' is not allowed; must be host, net, port"):
        ac.read_capture(captures / "ethernet.pcap", filter="tcp and vlan 3")


def test_parts_of_a_capture_give_what_the_whole_gives(captures: Path, tmp_path: Path) -> None:
    """Three parts, compressed in three ways, named in another order: one connection over all of them."""
    whole = captures / "ethernet.pcap"
    content = whole.read_bytes()
    parts: list[bytes] = [content[:24]]
    at, count = 24, 0
    while at < len(content):
        size = 16 + int.from_bytes(content[at + 8 : at + 12], "little")
        if count in {120, 250}:
            parts.append(content[:24])
        parts[-1] += content[at : at + size]
        at, count = at + size, count + 1
    files = [tmp_path / name for name in ("2.pcap", "0.pcap.zst", "1.pcap.lz4")]
    packed = [parts[2], pa.compress(parts[0], "zstd", asbytes=True), pa.compress(parts[1], "lz4", asbytes=True)]
    for file, bytes_ in zip(files, packed, strict=True):
        file.write_bytes(bytes_)
    one, several = ac.read_capture(whole), ac.read_capture(files)
    for name in ("format", "packets", "bytes", "span", "mix", "flow_count", "connections", "retransmissions", "missed"):
        assert getattr(one, name) == getattr(several, name), name
    assert one.flows.to_pylist() == several.flows.to_pylist()
    assert (one.packets_per_bin == several.packets_per_bin).all()
    assert several.sources == (1, 2, 0)
    assert repr(several).startswith("Capture(2.pcap and 2 other files; 378 packets")


def test_files_of_a_set_are_checked(captures: Path, tmp_path: Path) -> None:
    good = captures / "ethernet.pcap"
    other = tmp_path / "other.pcap"
    other.write_bytes(b"\xfd7zXZ\0 and so on")
    with pytest.raises(ScenarioError, match=r"other\.pcap: .*compressed with xz, which is not read; `unxz`"):
        ac.read_capture([good, other])
    with pytest.raises(ScenarioError, match=r"ethernet\.pcap is not allowed; must be named once"):
        ac.read_capture([good, good])
    with pytest.raises(ScenarioError, match="must have at least one file"):
        ac.read_capture([])
    other.write_bytes(good.read_bytes()[:-1])
    found = ac.read_capture([captures / "cooked.pcap", other])
    assert found.stopped is not None
    assert found.packets == 377 + 365
    assert found.notices[0].startswith(f"{other} is damaged or truncated: at byte ")


def run(*words: object, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *map(str, words)], input=given, capture_output=True, check=False)


def test_the_standard_input(captures: Path) -> None:
    content = (captures / "ethernet.pcap").read_bytes()
    ran = run("-", "--json", "--filter", "tcp", given=content)
    found = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr, found["packets"], found["input"]) == (0, b"", 337, "-")
    assert json.loads(run("-", "--json", given=pa.compress(content, "zstd", asbytes=True)).stdout)["packets"] == 378
    refused = run("-", given=b"text, no capture")
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.startswith(b"the standard input: cannot be used: at byte 0: not a capture")
    assert run("-", given=b"").stderr.startswith(b"the standard input: cannot be used: at byte 0: the file is empty")
    assert run("-", given=content[:-1]).returncode == 1
    assert b"FILE: '-' is not allowed; must be the only input" in run("-", captures / "ethernet.pcap").stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_a_live_capture_with_what_was_read(captures: Path, tmp_path: Path, number: int) -> None:
    """Also where the writer goes on, and in the middle of a packet."""
    content = (captures / "ethernet.pcap").read_bytes()
    out = tmp_path / "out"
    words: Sequence[str] = [*COMMAND, "-", "--json", "--out", str(out)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(content[:-1])
        process.stdin.flush()
        while not (out.parent.exists() and any(out.parent.glob("*/packets.parquet"))):
            time.sleep(0.05)
        time.sleep(0.5)
        os.kill(process.pid, number)
        found: dict[str, Any] = json.loads(process.stdout.read())
        assert process.wait(30) == 0
    assert found["packets"] == 377
    assert found["stopped"] is None
    assert pq.read_metadata(out / "packets.parquet").num_rows == 377
    assert (out / "report.html").exists()
