"""Round trip of captures: files are read back unchanged, and their measures equal those of the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet
from tests.capture.test_capture_reading import tshark
from tests.capture.test_capture_writing import FLOWS, VARIANTS, at_senders, lossy, written
from tests.support import pcapng

import ackclock as ac
from ackclock.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def rows_of(file: Path, folder: Path) -> tuple[ac.Capture, pd.DataFrame]:
    """Read a capture with our reader; return it and the rows of its packets."""
    capture = ac.read_capture(file, packets=folder / "packets.parquet")
    return capture, parquet.read_table(folder / "packets.parquet").to_pandas()


@pytest.mark.parametrize("snap_length", [96, 65_535])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_packet_comes_back(variant: str, snap_length: int, tmp_path: Path) -> None:
    """Both directions at the gateway are captured, including dropped and lost packets.

    Validates: times, sizes, addresses and ports of our reader, packet by packet.
    Source: the tests' own pcapng reader, which is checked against the engine's record of packets.
    Tolerance: none, whole nanoseconds.
    """
    place = "bottleneck,bottleneck.reverse"
    run = ac.simulate(lossy(variant, duration="5 s"), capture=[place])
    file = written(run, tmp_path, place, snap_length=snap_length)
    capture, rows = rows_of(file, tmp_path)
    theirs = pcapng.packets(file)
    assert rows["timestamp"].astype("int64").tolist() == [packet.time for packet in theirs]
    assert rows["bytes"].tolist() == [packet.length for packet in theirs]
    assert rows["captured"].tolist() == [len(packet.data) for packet in theirs]
    ends = [(f"10.0.0.{packet.flow + 1}", f"10.128.0.{packet.flow + 1}") for packet in theirs]
    forward = [packet.forward for packet in theirs]
    there = [pair if ahead else pair[::-1] for pair, ahead in zip(ends, forward, strict=True)]
    assert list(zip(rows["source"], rows["destination"], strict=True)) == there
    assert rows["source_port"].tolist() == [49152 + packet.flow if packet.forward else 9 for packet in theirs]
    assert (capture.packets, capture.bytes) == (len(theirs), sum(packet.length for packet in theirs))
    assert capture.protocols == {"raw": len(theirs), "ip": len(theirs), "tcp": len(theirs)}
    assert (capture.format, capture.flow_count, capture.notices) == ("pcapng", FLOWS, ())


def test_datagrams_come_back(tmp_path: Path) -> None:
    """UDP packets of any size, from the size of their headers on."""
    udp = ac.Clients(count=2, transport=ac.Udp(packet_sizes="exponential"), source=ac.Poisson(rate=300))
    run = ac.simulate(lossy("reno", duration="3 s", clients=[udp]), capture=["bottleneck"])
    file = written(run, tmp_path, "bottleneck")
    capture, rows = rows_of(file, tmp_path)
    theirs = pcapng.packets(file)
    assert rows["timestamp"].astype("int64").tolist() == [packet.time for packet in theirs]
    assert rows["bytes"].tolist() == [packet.length for packet in theirs]
    assert capture.protocols["udp"] == len(theirs) > 1000
    assert capture.notices == ()


def with_codepoints(folder: Path) -> tuple[Path, set[tuple[str, str, int, int]]]:
    """Capture three groups with codepoints; return the file, and its addresses, codepoints and ECN fields."""
    voice: Any = "EF"
    groups = [
        ac.Clients(count=1, transport=ac.Tcp("dctcp"), source=ac.Greedy(), dscp=voice),
        ac.Clients(count=1, transport=ac.Udp(), source=ac.Poisson(rate=300), dscp=9),
        ac.Clients(count=1, transport=ac.Udp(), source=ac.Poisson(rate=300)),
    ]
    place = "bottleneck,bottleneck.reverse"
    file = written(ac.simulate(lossy("reno", duration="2 s", clients=groups), capture=[place]), folder, place)
    there, other, plain = ((f"10.0.0.{flow}", f"10.128.0.{flow}") for flow in (1, 2, 3))
    # a retransmission is not ECN-capable (RFC 3168, section 6.1.5)
    data = {(*there, 46, 2), (*there, 46, 0)}
    return file, data | {(*there[::-1], 46, 0), (*other, 9, 0), (*plain, 0, 0)}


def test_codepoints_come_back(tmp_path: Path) -> None:
    """Data and ACKs have the codepoint of their group, beside the ECN field.

    Validates: the second byte of the IPv4 header, six bits of the codepoint and two of ECN.
    Source: RFC 2474, section 3; RFC 3168, section 5; RFC 3246: EF is 46.
    Tolerance: none.
    """
    file, expected = with_codepoints(tmp_path)
    _, rows = rows_of(file, tmp_path)
    assert set(rows[["source", "destination", "dscp", "ecn"]].itertuples(index=False, name=None)) == expected


@pytest.mark.needs("tshark")
def test_tshark_reads_the_same_codepoints(tmp_path: Path) -> None:
    file, expected = with_codepoints(tmp_path)
    fields = ("ip.src", "ip.dst", "ip.dsfield.dscp", "ip.dsfield.ecn")
    found = tshark(file, *(word for name in fields for word in ("-e", name)))
    assert {(start, end, int(dscp), int(ecn)) for start, end, dscp, ecn in found} == expected


@pytest.mark.parametrize("profile", ["rfc", "ns2-2000"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_retransmissions_at_the_sender_are_the_runs(variant: str, profile: str, tmp_path: Path) -> None:
    """Four flows are captured at their senders, in both directions.

    Validates: our reader counts the sender's retransmissions of each flow; tshark and tcptrace agree.
    Source: the engine's own count.
    Tolerance: none.
    """
    run = ac.simulate(lossy(variant, profile), seed=2, capture=[at_senders(FLOWS)])
    capture = ac.read_capture(written(run, tmp_path, at_senders(FLOWS)))
    ours = {row["source"]: row["retransmissions"] for row in capture.flows.to_pylist()}
    counted = run.table("flows")["retransmissions"].to_pylist()
    assert [ours[f"10.0.0.{flow + 1}"] for flow in range(FLOWS)] == counted
    assert min(counted) > 0
    assert capture.retransmissions == sum(counted)


BINS = (
    "select count(time) as packets from range(75, 500) bins(bin) left join packets "
    "on epoch_ns(timestamp) // 40000000 = bin group by bin order by bin"
)
"""Packets in bins of 40 ms from 3 s to 20 s."""


@pytest.mark.parametrize(("variant", "seed"), [("reno", 2), ("sack", 1), ("vegas", 3)])
def test_the_cov_of_the_file_is_the_runs(
    variant: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQL counts packets in the run's bins, and the command analyses the counts like any series.

    Validates: ``ackclock burstiness`` of the exported file gives the run's c.o.v.
    Source: the run's summary, of exact integer sums.
    Tolerance: none, to the last digit.
    """
    scenario = lossy(variant).changed({"measure.from": "3 s", "measure.bin": "40 ms"})
    run = ac.simulate(scenario, seed=seed, capture=["bottleneck"])
    file = written(run, tmp_path, "bottleneck")
    out, counts = tmp_path / "gateway", tmp_path / "counts.csv"
    printed(["capture", str(file), "--out", str(out)], capsys)
    counts.write_text(printed(["query", str(out), BINS, "--csv"], capsys))
    assert sum(map(int, counts.read_text().split()[1:])) == run.summary.arrivals
    found = json.loads(printed(["burstiness", str(counts), "--json"], capsys))
    assert (found["cov"], found["count"]) == (run.summary.cov, 425)


def printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the output of a command, which must succeed."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    printed = capsys.readouterr()
    assert ended.value.code == 0, printed.err
    return printed.out
