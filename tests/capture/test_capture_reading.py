"""Reading captures: comparison with tshark and capinfos, the folder's content, and errors."""

from __future__ import annotations

import collections
import dataclasses
import gzip
import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet
from tests.support.kept import hold
from typer.testing import CliRunner

import ackclock as ac
from ackclock.capture.report import capture_report
from ackclock.cli import app, main

CAPTURES = "tests/data/captures"
LAN = "examples/lan.pcapng"
"""The capture that the guide reads."""

FILES = (f"{CAPTURES}/ethernet.pcap", f"{CAPTURES}/cooked.pcap", LAN)

EXTENSIONS = {0, 43, 44, 60}
"""Headers between IPv6 and what it carries (RFC 8200, section 4.1)."""
NAMES = {6: "tcp", 17: "udp", 58: "icmpv6", 59: "proto-59", 132: "sctp"}


@pytest.fixture(scope="module")
def folder(root: Path) -> Path:
    return root / CAPTURES


def tshark(file: Path, *words: str) -> list[list[str]]:
    """Return fields of each packet, from tshark."""
    command = ["tshark", "-r", str(file), "-T", "fields", "-E", "occurrence=a", *words]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in found.splitlines()]


def mix_by_tshark(file: Path) -> dict[str, list[int]]:
    """Count packets and bytes by protocol, in our layers and by tshark's reading of each packet."""
    fields = ["frame.protocols", "frame.len", "ip.proto", "ipv6.nxt", "ipv6.hopopts.nxt", "ipv6.dstopts.nxt"]
    fields.append("ipv6.fraghdr.nxt")
    mix: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for protocols, length, version4, *version6 in tshark(file, *(word for name in fields for word in ("-e", name))):
        chain = protocols.replace("ieee8021ad", "vlan").split(":")
        names = {each for each in chain if each in {"eth", "sll", "vlan", "llc", "arp", "ip", "ipv6", "lldp"}}
        if chain[1:] == ["ethertype", "data"]:
            names.add("type-0x88b5")
        numbers = {int(number) for field in (version4, *version6) for number in field.split(",") if number}
        names |= {NAMES[number] for number in numbers - EXTENSIONS}
        for name in names:
            mix[name][0] += 1
            mix[name][1] += int(length)
    return dict(mix)


@pytest.mark.parametrize("name", FILES)
def test_mix_is_as_tshark_recorded_it(root: Path, name: str) -> None:
    recorded = json.loads((root / CAPTURES / "tshark.json").read_text(encoding="utf-8"))[Path(name).name]
    capture = ac.read_capture(root / name)
    assert {each.name: [each.packets, each.bytes] for each in capture.mix} == recorded["mix"]
    assert capture.packets == recorded["packets"]
    assert capture.bytes == recorded["bytes"]
    assert capture.retransmissions == recorded["retransmissions"]


@pytest.mark.needs("tshark")
@pytest.mark.parametrize("name", FILES)
def test_what_was_recorded_is_what_tshark_says(root: Path, name: str) -> None:
    recorded = json.loads((root / CAPTURES / "tshark.json").read_text(encoding="utf-8"))[Path(name).name]
    assert mix_by_tshark(root / name) == recorded["mix"]
    again = "tcp.analysis.retransmission || tcp.analysis.out_of_order"
    assert len(tshark(root / name, "-Y", again, "-e", "frame.number")) == recorded["retransmissions"]


@pytest.mark.needs("tshark")
@pytest.mark.parametrize("name", FILES)
def test_every_packet_is_tsharks_to_the_nanosecond(root: Path, name: str, tmp_path: Path) -> None:
    fields = ["frame.time_epoch", "frame.len", "frame.cap_len", "ip.src", "ipv6.src", "tcp.srcport", "udp.srcport"]
    fields += ["tcp.dstport", "udp.dstport", "frame.interface_id"]
    theirs = tshark(
        root / name,
        # The ports of the fragment that contains them, not of the packet that tshark reassembles.
        *("-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE"),
        *(word for field in fields for word in ("-e", field)),
    )
    ac.read_capture(root / name, packets=tmp_path / "packets.parquet")
    table = parquet.read_table(tmp_path / "packets.parquet")
    times = table["timestamp"].cast("int64").to_pylist()
    ours = table.select(["bytes", "captured", "source", "source_port", "destination_port", "interface"]).to_pylist()
    assert len(ours) == len(theirs)
    for time, row, (when, length, captured, *names, interface) in zip(times, ours, theirs, strict=True):
        seconds, _, fraction = when.partition(".")
        assert time == int(seconds) * 10**9 + int(fraction)
        assert (row["bytes"], row["captured"]) == (int(length), int(captured))
        four, six, tcp_from, udp_from, tcp_to, udp_to = names
        assert (row["source"] or "") == four + six
        # tshark reports the ports of a truncated packet only if it has the whole.
        if tcp_from or udp_from:
            assert (row["source_port"], row["destination_port"]) == (int(tcp_from + udp_from), int(tcp_to + udp_to))
        assert row["interface"] == int(interface or 0)


@pytest.mark.needs("tshark")
def test_round_trips_are_tsharks_where_nothing_is_lost(root: Path) -> None:
    theirs = tshark(root / LAN, "-Y", "ip.addr == 127.0.0.1 && tcp.analysis.ack_rtt", "-e", "tcp.analysis.ack_rtt")
    flow = local(ac.read_capture(root / LAN))
    samples = [flow["rtt_min"], flow["rtt_min_back"]]
    least = min(float(each[0]) for each in theirs)
    assert min(samples) == pytest.approx(least, abs=1e-9)


def local(capture: ac.Capture) -> dict[str, Any]:
    """Return the connection from the host to itself."""
    rows = capture.flows.to_pylist()
    return next(row for row in rows if row["source"] == "127.0.0.1" and row["protocol"] == "tcp")


def test_conversations(root: Path) -> None:
    capture = ac.read_capture(root / LAN)
    flow = local(capture)
    assert (flow["destination"], flow["destination_port"]) == ("127.0.0.1", 5001)
    assert flow["bytes"] > 20_000 > flow["bytes_back"]
    assert flow["retransmissions"] == 0
    assert 0 < flow["rtt_min"] <= flow["rtt_mean"] < 1
    largest = capture.flows.slice(0, 1).to_pylist()[0]
    # Each frame was delayed by 4 ms.
    assert 0.008 <= largest["rtt_min"] < 0.1
    assert largest["retransmissions"] > 0


def test_gzip_changes_nothing(folder: Path, tmp_path: Path) -> None:
    plain = ac.read_capture(folder / "cooked.pcap")
    zipped = tmp_path / "cooked.pcap.gz"
    zipped.write_bytes(gzip.compress((folder / "cooked.pcap").read_bytes()))
    again = ac.read_capture(zipped)
    assert (again.mix, again.span, again.flows) == (plain.mix, plain.span, plain.flows)


def test_arrivals_are_the_packets_in_their_bins(folder: Path, tmp_path: Path) -> None:
    capture = ac.read_capture(folder / "ethernet.pcap", bin="100 ms", packets=tmp_path / "packets.parquet")
    table = parquet.read_table(tmp_path / "packets.parquet", columns=["timestamp", "bytes"])
    times = np.array(table["timestamp"].cast("int64"))
    place = (times - times[0]) // 100_000_000
    assert capture.bin == 0.1
    assert capture.packets_per_bin.tolist() == np.bincount(place).tolist()
    assert capture.bytes_per_bin.tolist() == np.bincount(place, weights=np.array(table["bytes"])).tolist()


@pytest.fixture
def made(root: Path, tmp_path: Path) -> Path:
    out = tmp_path / "lan"
    result = CliRunner().invoke(app, ["capture", str(root / LAN), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "conversations" in result.output
    return out


def test_one_is_singular(folder: Path, tmp_path: Path) -> None:
    packets = tmp_path / "packets.parquet"
    capture = ac.read_capture(folder / "ethernet.pcap", packets=packets)
    one = dataclasses.replace(capture, flow_count=1, retransmissions=1, flows=capture.flows.slice(0, 1))
    report = capture_report(one, packets, scales=None, notices=[], command="ackclock capture")
    hold("capture", report)
    assert report.summary[0].text.startswith("378 packets in 1 conversation,")
    assert (
        report.summary[1].text
        == "1 TCP segment sent again, 0 overtaken by others, as observed at the point of capture."
    )
    (table,) = (section.table for section in report.sections if section.table)
    assert table.caption.startswith("The largest conversation: ")


def test_folder_holds_tables_figures_and_a_page(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads((made / "capture.json").read_text(encoding="utf-8"))
    for name in ("packets", "flows", "arrivals"):
        assert parquet.read_table(made / f"{name}.parquet").num_rows > 0
    assert {"sizes.png", "arrivals.svg", "cov.csv", "report.html"} <= {path.name for path in made.iterdir()}
    page = (made / "report.html").read_text(encoding="utf-8")
    assert "Packet size against time" in page
    assert f"{shown['packets']} packets in {shown['conversations']} conversations" in page
    assert shown["diagnosis"]["connection"] is not None
    assert '<figure id="connection"' in page
    largest = shown["top"][0]
    assert f"{largest['source']}:{largest['source_port']} &gt; {largest['destination']}" in page
    main_exits(["query", str(made), "select count(*) as n, sum(bytes) as b from packets", "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert row == {"n": shown["packets"], "b": shown["bytes"]}
    main_exits(["query", str(made), "select sum(packets + packets_back) as n from flows", "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert row["n"] == shown["ip_packets"]
    main_exits(["burstiness", str(made), "--column", "packets", "--json"])
    assert json.loads(capsys.readouterr().out)["count"] == shown["arrivals"]["count"] + 1
    # Queries cannot write files.
    main_exits(["query", str(made), "copy packets to 'elsewhere'"], code=2)


def main_exits(words: list[str], code: int = 0) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(words)
    assert exit_.value.code == code


def test_json_has_what_scripts_ask_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main_exits(["capture", str(folder / "ethernet.pcap"), "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["packets"] == shown["protocols"]["eth"]
    assert shown["bytes"] > shown["captured_bytes"] > 0
    assert shown["protocols"]["ip"] + shown["protocols"]["ipv6"] == shown["ip_packets"]
    assert shown["arrivals"]["cov"] > 0
    assert len(shown["top"][0]["first"]) == len(shown["first"]) == len("2026-11-22T14:59:57.735617000Z")
    assert shown["first"] <= shown["top"][0]["first"] <= shown["top"][0]["last"] <= shown["last"]


def test_other_names_keep_prefixes_and_ports(root: Path, tmp_path: Path) -> None:
    key = bytes(range(32))
    plain = ac.read_capture(root / LAN, packets=tmp_path / "plain.parquet")
    other = ac.read_capture(root / LAN, packets=tmp_path / "other.parquet", key=key)
    before, after = (parquet.read_table(tmp_path / f"{name}.parquet") for name in ("plain", "other"))
    names = dict(zip(before["source"].to_pylist(), after["source"].to_pylist(), strict=True))
    del names[None]
    assert len(set(names.values())) == len(names)
    assert not set(names) & set(names.values())
    first, second = (names[each].split(".") for each in ("10.7.0.1", "10.7.0.2"))
    assert first[:3] == second[:3]
    assert after["source_port"].equals(before["source_port"])
    assert after["bytes"].equals(before["bytes"])
    assert other.mix == plain.mix
    again = ac.read_capture(root / LAN, key=key)
    assert again.flows == other.flows


def test_a_random_key_is_reported(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main_exits(["capture", str(root / LAN), "--anonymise", "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert any("random key" in notice for notice in shown["notices"])
    assert "127.0.0.1" not in {row["source"] for row in shown["top"]}


def record(time: int, length: int = 60) -> bytes:
    return struct.pack("<IIII", time, 0, 0, length)


HEAD = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0, 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "at byte 0: the file is empty"),
        (b"hello, this is no capture", "at byte 0: not a capture (pcap, pcapng or snoop)"),
        (HEAD[:20], "at byte 0: the file ends within the file header: 20 of 24 bytes"),
        (HEAD + struct.pack("<IIII", 0, 0, 2**31, 60), "at byte 24: invalid number of captured bytes 2147483648"),
        (gzip.compress(HEAD + record(1), mtime=0)[:14], "at byte 0: the gzip data cannot be decompressed"),
    ],
)
def test_what_is_no_capture_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "broken.pcap"
    file.write_bytes(content)
    with pytest.raises(ac.ScenarioError, match="must be a capture") as refused:
        ac.read_capture(file)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["missing.pcap"], "missing.pcap: cannot be used: No such file or directory"),
        (["."], "cannot be used: at byte 0: Is a directory"),
        (["FILE", "--bin", "10"], "bin: '10' is not allowed; must be a time with its unit"),
        (["FILE", "--bin", "1 ns"], "bin: '1 ns' is not allowed; must be"),
        (["FILE", "--key", "00"], "--key: 'a key' is not allowed; must come with --anonymise"),
        (["FILE", "--anonymise", "--key", "xy"], "--key: '2 characters' is not allowed; must be 64 hexadecimal digits"),
    ],
)
def test_wrong_arguments_are_reported(
    folder: Path, words: list[str], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(folder / "cooked.pcap") if word == "FILE" else word for word in words]
    main_exits(["capture", *words], code=2)
    assert shown in capsys.readouterr().err


def test_damage_keeps_what_was_read_and_tells_where(tmp_path: Path) -> None:
    file = tmp_path / "cut.pcap"
    file.write_bytes(HEAD + record(1) + record(2) + record(3)[:9])
    capture = ac.read_capture(file)
    assert capture.packets == 2
    assert capture.stopped == (56, "the file ends within a record header: 9 of 16 bytes")
    assert capture.notices[0].startswith("The file is damaged or truncated: at byte 56 of the file")


def test_no_folder_is_left_where_there_is_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "empty.pcap").write_bytes(b"")
    main_exits(["capture", str(tmp_path / "empty.pcap"), "--out", str(tmp_path / "out")], code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.pcap"]


def test_times_far_apart_are_a_jump(tmp_path: Path) -> None:
    file = tmp_path / "years.pcap"
    file.write_bytes(HEAD + record(0) + record(2**32 - 1) + record(5))
    capture = ac.read_capture(file, packets=tmp_path / "packets.parquet")
    assert capture.duration == 5
    assert capture.packets_per_bin.sum() == 2
    assert any(notice.startswith("The clock jumps 2 times") for notice in capture.notices)
    assert parquet.read_table(tmp_path / "packets.parquet")["time"].to_pylist() == [0, 2**32 - 1, 5]


def test_long_captures_have_longer_bins(tmp_path: Path) -> None:
    file = tmp_path / "days.pcap"
    file.write_bytes(HEAD + b"".join(record(600 * place) for place in range(1000)))
    capture = ac.read_capture(file, bin="100 ms")
    assert capture.duration == 599_400
    assert capture.packets_per_bin.size <= 2**20
    assert capture.packets_per_bin.sum() == 1000
    assert any("so long that" in notice for notice in capture.notices)


def test_a_capture_without_packets_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nothing.pcap").write_bytes(HEAD)
    main_exits(["capture", str(tmp_path / "nothing.pcap"), "--out", str(tmp_path / "out"), "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert (shown["packets"], shown["protocols"], shown["first"]) == (0, {}, None)
