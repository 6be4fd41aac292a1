"""Writing captures: files compared with the engine's records and with common tools."""

from __future__ import annotations

import itertools
import json
import math
import re
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.support import pcapng

import ackclock as ac
from ackclock.cli import main
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VARIANTS = ("tahoe", "reno", "newreno", "sack", "vegas")
FLOWS = 4


def lossy(
    variant: str, profile: str = "rfc", duration: str = "20 s", clients: Sequence[ac.Clients] | None = None
) -> ac.Scenario:
    """Return a small dumbbell that drops and loses packets."""
    transport = ac.Tcp(variant, overhead="12 us")
    if variant == "reno":
        transport = ac.Tcp(variant, overhead="12 us", recovery="reno")  # without SACK
    tcp = ac.Clients(count=FLOWS, transport=transport, source=ac.Poisson(rate=100))
    return ac.Scenario(
        profile=profile,
        duration=duration,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="10 ms"),
            bottleneck=ac.Link(
                rate="4 Mbps",
                delay="10 ms",
                queue=ac.DropTail(packets=10),
                loss=ac.RandomLoss(probability=0.005),
            ),
        ),
        clients=clients or [tcp],
    )


def at_senders(flows: int) -> str:
    """Return the capture points for packets that leave and reach the senders."""
    return ",".join(f"access.{flow},access.{flow}.reverse@receive" for flow in range(flows))


def written(run: ac.Run, folder: Path, capture: str, snap_length: int = 96) -> Path:
    file = folder / "out.pcapng"
    run.write_pcapng(capture, file, snap_length=snap_length)
    return file


def test_one_segment_and_its_ack_byte_by_byte(tmp_path: Path) -> None:
    """The file has a handshake and one segment of 960 bytes, as two hosts would send them.

    Validates: headers, options, sequence numbers, times and checksums of a capture.
    Source: RFC 791, RFC 9293 and RFC 1071; times are size/rate + delay.
    Tolerance: exact, whole nanoseconds.
    """
    scenario = ac.Scenario(
        duration="1 s",
        packet_size=1000,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="1 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="10 ms")
        ),
        clients=[ac.Clients(transport=ac.Tcp("sack", delayed_ack=False), source=ac.Greedy(size="960 B"))],
    )
    run = ac.simulate(scenario, capture=[at_senders(1)])
    file = written(run, tmp_path, at_senders(1), snap_length=1500)
    found = pcapng.packets(file)
    there, back = (3_200 + 320_000) + 11_000_000, (320_000 + 3_200) + 11_000_000
    assert [packet.time for packet in found] == [
        0,
        there + back,
        there + back,
        there + back + 80_000 + 8_000_000 + 11_000_000 + back,
    ]
    assert [packet.length for packet in found] == [52, 52, 1000, 40]
    # from 10.0.0.1, port 49152, to 10.128.0.1, port 9: a SYN; MSS 960, SACK permitted, windows in units of 2^4 bytes
    assert found[0].data.hex(" ") == (
        "45 00 00 34 00 00 40 00 40 06 26 43 0a 00 00 01 0a 80 00 01 "
        "c0 00 00 09 00 00 00 00 00 00 00 00 80 02 ff ff 9c 7d 00 00 "
        "02 04 03 c0 01 01 04 02 01 03 03 04"
    )
    packets = [(each.flags, each.sequence, each.acknowledgment, each.forward) for each in found]
    assert packets == [(0x02, 0, 0, True), (0x12, 0, 1, False), (0x10, 1, 1, True), (0x10, 1, 961, False)]
    assert not any(found[2].data[40:])
    for packet in found:
        assert pcapng.ones_complement(packet.data[:20]) == 0xFFFF
        pseudo = packet.data[12:20] + bytes([0, packet.data[9]]) + (packet.length - 20).to_bytes(2)
        assert pcapng.ones_complement(pseudo + packet.data[20:]) == 0xFFFF
    section, interface = pcapng.head(file)
    assert section[4].decode() == f"Ackclock {ac.__version__}"
    assert "seed 1" in section[1].decode()
    assert interface[2].decode() == at_senders(1)
    assert interface[9] == bytes([9])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_capture_has_what_the_record_of_packets_has(variant: str, tmp_path: Path) -> None:
    """At each point, times to the nanosecond, flows, segments and fates are equal; sizes except for longer headers."""
    points = {"": ("enqueue", "drop", "lost"), "@dequeue": ("dequeue",), "@receive": ("receive",)}
    captures = [f"bottleneck{point},bottleneck.reverse{point}" for point in points]
    run = ac.simulate(lossy(variant, duration="5 s"), record=["packets@*"], capture=captures)
    rows = run.table("packets").to_pandas()
    rows = rows[rows["link"].isin(["bottleneck", "bottleneck.reverse"])]
    for capture, events in zip(captures, points.values(), strict=True):
        file = tmp_path / events[0]
        counts = run.write_pcapng(capture, file)
        found = pcapng.packets(file)
        here = rows[rows["event"].isin(events)]
        assert len(here) == len(found) == counts.packets
        # seconds as real numbers are exact to far less than a nanosecond in five seconds, but not below
        assert all(
            abs(packet.time - 1e9 * time) <= 1 for packet, time in zip(found, here["time"].tolist(), strict=True)
        )
        assert [packet.flow for packet in found] == here["flow"].tolist()
        comments = [packet.options.get(1, b"").decode() for packet in found]
        fates = {"drop": "dropped by the queue", "lost": "lost by the link"}
        assert comments == [fates.get(event, "") for event in here["event"]]
        direction = 1 if events == ("receive",) else 2
        assert {packet.options[2] for packet in found} == {direction.to_bytes(4, "little")}
        numbers = [_segment(packet, mss=1460) for packet in found]
        assert numbers == [_wanted(kind, segment) for kind, segment in zip(here["kind"], here["segment"], strict=True)]
        more = [packet.length - size for packet, size in zip(found, here["bytes"].tolist(), strict=True)]
        assert all(extra >= 0 for extra in more)
        assert (sum(extra > 0 for extra in more), sum(more)) == (counts.longer, counts.longer_by)
        assert sum(packet.length for packet in found) == counts.bytes
        sack = [packet for packet in found if b"\x01\x01\x05" in packet.tcp_options]
        assert (len(sack) > 0) == (variant == "sack")
        opening = [packet for packet in found if packet.flags & 0x02]
        assert counts.longer == len(sack) + len(opening)
        assert counts.longer_by == 4 * len(sack) + sum(len(packet.tcp_options) for packet in opening)


def _segment(packet: pcapng.Packet, mss: int) -> tuple[str, int]:
    """Return the content of a packet as the engine counts it, where segment 0 is the SYN."""
    kind = "syn" if packet.flags == 0x02 else "data" if packet.forward else "ack"
    byte = packet.sequence if packet.forward else packet.acknowledgment
    return kind, -(-byte // mss) if packet.flags & 0x02 else (byte - 1) // mss + 1


def _wanted(kind: str, segment: int) -> tuple[str, int]:
    return kind, segment


@pytest.mark.parametrize("variant", ["reno", "sack"])
def test_the_cov_of_a_capture_is_the_summary_s(variant: str, tmp_path: Path) -> None:
    """Packets are counted only from the times in the file, by exact sums.

    Validates: the c.o.v. of the exported file equals the simulator's, so that a capture can replace the run.
    Source: the definition, population standard deviation over mean of packets per bin.
    Tolerance: none, to the last digit.
    """
    scenario = lossy(variant).changed({"measure.from": "3 s", "measure.bin": "40 ms"})
    run = ac.simulate(scenario, capture=["bottleneck"])
    times = [packet.time for packet in pcapng.packets(written(run, tmp_path, "bottleneck"))]
    assert times == sorted(times)
    bins = (20_000_000_000 - 3_000_000_000) // 40_000_000
    counts = Counter((time - 3_000_000_000) // 40_000_000 for time in times if time >= 3_000_000_000)
    values = [counts[place] for place in range(bins)]
    total, squares = sum(values), sum(value * value for value in values)
    assert math.sqrt(bins * squares - total**2) / total == run.summary.cov
    assert total == run.summary.arrivals


def test_the_same_seed_gives_the_same_bytes_and_a_capture_changes_nothing(tmp_path: Path) -> None:
    plain = ac.simulate(lossy("sack", duration="3 s"))
    runs = [ac.simulate(lossy("sack", duration="3 s"), capture=["bottleneck"]) for _ in range(2)]
    files = [tmp_path / str(place) for place in range(2)]
    for run, file in zip(runs, files, strict=True):
        run.write_pcapng("bottleneck", file)
        assert run == plain
    assert files[0].read_bytes() == files[1].read_bytes()


def test_datagrams_of_any_size_have_their_headers(tmp_path: Path) -> None:
    scenario = ac.Scenario(
        duration="1 s",
        packet_size=60,
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name="a"), ac.Node(name="b")],
        links=[ac.GraphLink(from_="a", to="b", rate="10 Mbps", delay="1 ms")],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(packet_sizes="exponential"), source=ac.Poisson(rate=500))],
    )
    run = ac.simulate(scenario, record=["packets@*"], capture=["a->b"])
    rows = run.table("packets").to_pandas()
    sizes = rows[rows["event"] == "enqueue"]["bytes"].tolist()
    found = pcapng.packets(written(run, tmp_path, "a->b", snap_length=65_535))
    assert min(sizes) < 28 < max(sizes)
    assert [packet.length for packet in found] == [max(28, size) for size in sizes]
    for packet in found:
        assert packet.data[9] == 17
        assert int.from_bytes(packet.data[24:26]) == packet.length - 20 == len(packet.data) - 20
        pseudo = packet.data[12:20] + bytes([0, 17]) + packet.data[24:26]
        assert pcapng.ones_complement(pseudo + packet.data[20:]) == 0xFFFF


def test_parts_that_run_apart_are_one_capture(tmp_path: Path) -> None:
    """A scenario has two independent networks; flows and links have the numbers and names of the whole scenario."""
    ends = [("a", "b"), ("c", "d")]
    scenario = ac.Scenario(
        duration="5 s",
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name=name) for pair in ends for name in pair],
        links=[
            ac.GraphLink(from_=from_, to=to, rate="1 Mbps", delay="5 ms", queue=ac.DropTail(packets=5))
            for from_, to in ends
        ],
        flows=[ac.Flow(from_=from_, to=to, transport=ac.Tcp("sack"), source=ac.Greedy()) for from_, to in ends],
    )
    capture = "c->d,d->c@receive,a->b,b->a@receive"
    run = ac.simulate(scenario, capture=[capture], jobs=2)
    found = pcapng.packets(written(run, tmp_path, capture))
    times = [packet.time for packet in found]
    assert times == sorted(times)
    sent = [sum(packet.flow == flow and packet.forward for packet in found) for flow in range(2)]
    assert sent == run.table("flows")["sent"].to_pylist()
    assert any(b"\x01\x01\x05" in packet.tcp_options for packet in found)


@pytest.mark.parametrize(
    ("capture", "message"),
    [
        ("nowhere", "there is no link 'nowhere'"),
        ("bottleneck@middle", "must be one of dequeue, receive"),
        ("bottleneck,bottleneck", "must not name bottleneck twice"),
        ("", "there is no link ''"),
        (3, "must be a text"),
    ],
)
def test_a_wrong_request_is_refused(capture: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        ac.simulate(lossy("reno"), capture=[capture])


def test_what_cannot_be_written_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    run = ac.simulate(lossy("reno", duration="1 s"), capture=["bottleneck"])
    there = tmp_path / "there.pcapng"
    there.write_text("mine")
    with pytest.raises(ScenarioError, match="must not exist yet"):
        run.write_pcapng("bottleneck", there)
    with pytest.raises(ScenarioError, match="must be one of bottleneck"):
        run.write_pcapng("bottleneck.reverse", tmp_path / "new")
    with pytest.raises(ScenarioError, match="must be an integer from 80 to 65535"):
        run.write_pcapng("bottleneck", tmp_path / "new", snap_length=79)
    with pytest.raises(ScenarioError, match="cannot be used"):
        run.write_pcapng("bottleneck", there / "below")
    assert [path.name for path in tmp_path.iterdir()] == ["there.pcapng"]
    assert there.read_text() == "mine"


def test_the_command_writes_files_and_tells_what_differs(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gateway.pcapng"
    command = ["run", str(root / "examples/feng60.toml"), "--set", "duration=2 s", "--json"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--pcap", f"bottleneck={file}", "--snap-length", "80"])
    printed = capsys.readouterr()
    assert ended.value.code == 0
    assert "60 of" in printed.err
    assert "longer than in the simulation" in printed.err
    assert max(len(packet.data) for packet in pcapng.packets(file)) == 80
    for options, message in [
        (["--pcap", f"bottleneck={file}"], "must not exist yet"),
        (["--pcap", "bottleneck"], "must be links and a file"),
        (["--pcap", f"nowhere={tmp_path / 'a'}"], "there is no link 'nowhere'"),
        (["--pcap", f"bottleneck={tmp_path / 'a'}", "--pcap", f"bottleneck={tmp_path / 'b'}"], "twice"),
        (["--pcap", f"bottleneck={tmp_path / 'a'}", "--pcap", f"bottleneck.reverse={tmp_path / 'a'}"], "twice"),
        (["--pcap", f"bottleneck={tmp_path / 'a'}", "--snap-length", "12"], "must be an integer from 80"),
        (["--snap-length", "96"], "must come with --pcap"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main([*command, *options])
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["gateway.pcapng"]


def test_a_file_that_cannot_be_written_takes_no_summary_with_it(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    options = ["--set", "duration=2 s", "--json", "--pcap", f"bottleneck={tmp_path / 'file' / 'below.pcapng'}"]
    with pytest.raises(SystemExit) as ended:
        main(["run", str(root / "examples/feng60.toml"), *options])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert "must be a new file that can be written" in printed.err
    assert json.loads(printed.out)["summary"]["arrivals"] > 0


# The tests below compare with other programs and are skipped if these are missing.


def read_by(name: str, *arguments: str) -> str:
    """Return the output of a program, which must succeed."""
    return subprocess.run([name, *arguments], capture_output=True, text=True, check=True).stdout


def fields(file: Path, *names: str) -> list[list[str]]:
    """Return fields of each packet, from tshark, which verifies all checksums."""
    checks = itertools.chain(*(("-o", f"{layer}.check_checksum:TRUE") for layer in ("ip", "tcp", "udp")))
    columns = itertools.chain(*(("-e", name) for name in names))
    lines = read_by("tshark", "-r", str(file), *checks, "-T", "fields", *columns).splitlines()
    return [line.split("\t") for line in lines]


_CLASSES = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")


@pytest.mark.needs("tshark", "tcptrace")
@pytest.mark.parametrize("profile", ["rfc", "ns2-2000"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_tshark_and_tcptrace_find_our_retransmissions_at_the_sender(variant: str, profile: str, tmp_path: Path) -> None:
    """Four flows are captured at their senders, in both directions.

    Validates: the sum of tshark's classes of retransmissions (retransmission, fast, spurious, out of order; a packet in
        several of them counts once) equals the flow's `retransmissions`, as does tcptrace's count for data.
    Source: Debian's tshark and tcptrace.
    Tolerance: none.
    """
    run = ac.simulate(lossy(variant, profile), seed=2, capture=[at_senders(FLOWS)])
    file = written(run, tmp_path, at_senders(FLOWS))
    ours = run.table("flows")["retransmissions"].to_pylist()
    rows = fields(file, "ip.src", "ip.dst", "tcp.flags.syn", *(f"tcp.analysis.{name}" for name in _CLASSES))
    again = [(min(row[:2]), row[2] in ("1", "True")) for row in rows if any(row[3:])]
    theirs = Counter(sender for sender, _ in again)
    senders = [f"10.0.0.{flow + 1}" for flow in range(FLOWS)]
    assert [theirs[sender] for sender in senders] == ours
    assert min(ours) > 0
    printed = read_by("tcptrace", "-n", "-l", str(file))
    counts = map(int, re.findall(r"rexmt data pkts: +(\d+) ", printed)[::2])
    counted = dict(zip(re.findall(r"host [aceg]: +([\d.]+):", printed), counts, strict=True))
    openings = Counter(sender for sender, opens in again if opens)
    assert [counted[sender] + openings[sender] for sender in senders] == ours


@pytest.mark.needs("tshark")
def test_tshark_finds_openings_that_are_sent_again(tmp_path: Path) -> None:
    """A quarter of the packets is lost, and 15 % on the return path, including SYNs, SYN-ACKs and first segments."""
    flows = 30
    clients = [ac.Clients(count=flows, transport=ac.Tcp("sack"), source=ac.Greedy(size="50 kB"))]
    losing = {
        f"dumbbell.{link}.loss": {"kind": "random", "probability": share}
        for link, share in (("bottleneck", 0.25), ("reverse", 0.15))
    }
    scenario = lossy("sack", duration="60 s", clients=clients).effective().changed(losing)
    run = ac.simulate(scenario, capture=[at_senders(flows)])
    file = written(run, tmp_path, at_senders(flows))
    rows = fields(file, "ip.src", "tcp.flags.str", "tcp.ack", *(f"tcp.analysis.{name}" for name in _CLASSES))
    again = Counter(row[0] for row in rows if any(row[3:]))
    ours = run.table("flows")["retransmissions"].to_pylist()
    assert [again[f"10.0.0.{flow + 1}"] for flow in range(flows)] == ours
    assert any("S" in row[1] and any(row[3:]) for row in rows)
    # who waits for the first segment acknowledges the SYN once more, but does not answer it
    first = {"S" in row[1] for row in rows if row[0].startswith("10.128") and row[2] == "1"}
    assert first == {True, False}


@pytest.mark.needs("tshark", "capinfos")
@pytest.mark.parametrize("variant", VARIANTS)
def test_tshark_finds_nothing_wrong(variant: str, tmp_path: Path) -> None:
    """Complete packets at the gateway, in both directions, have right checksums, and none is malformed."""
    capture = "bottleneck,bottleneck.reverse"
    run = ac.simulate(lossy(variant, duration="5 s"), capture=[capture])
    file = written(run, tmp_path, capture, snap_length=65_535)
    names = ("frame.time_epoch", "ip.len", "ip.checksum.status", "tcp.checksum.status", "_ws.malformed")
    rows = fields(file, *names, "_ws.expert.severity")
    ours = pcapng.packets(file)
    assert [(row[0], int(row[1])) for row in rows] == [
        (f"{packet.time // 10**9}.{packet.time % 10**9:09}", packet.length) for packet in ours
    ]
    assert {tuple(row[2:5]) for row in rows} == {("1", "1", "")}
    error = 0x800000
    assert all(int(severity) < error for row in rows for severity in row[5].split(",") if severity)
    printed = read_by("capinfos", str(file))
    assert "nanoseconds (9)" in printed
    assert f"{len(ours)}" in next(line for line in printed.splitlines() if "Number of packets" in line)
    assert "Strict time order:   True" in printed


@pytest.mark.needs("tshark")
def test_tshark_finds_nothing_wrong_in_datagrams(tmp_path: Path) -> None:
    groups = (ac.Clients(count=2, transport=ac.Udp(packet_sizes="exponential"), source=ac.Poisson(rate=300)),)
    run = ac.simulate(lossy("reno", duration="2 s", clients=groups), capture=["bottleneck"])
    file = written(run, tmp_path, "bottleneck", snap_length=65_535)
    rows = fields(file, "udp.checksum.status", "_ws.malformed", "frame.protocols")
    assert {tuple(row[:2]) for row in rows} == {("1", "")}
    assert all(row[2].startswith("raw:ip:udp") for row in rows)
