"""The diagnosis of a connection, on captures of simulated transfers with one cause each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import ackclock as ac
from ackclock.capture.connection import _delivered, connection_drawing
from ackclock.capture.diagnosis import busiest, diagnose
from ackclock.cli import app

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FAULTS: Final = "tests/data/captures/faults"
SENDER: Final = "access.0,access.0.reverse@receive"


def capture_of(
    folder: Path,
    link: Mapping[str, Any],
    *,
    tcp: ac.Tcp | None = None,
    source: Any = None,
    duration: str = "20 s",
    tap: str = SENDER,
) -> Path:
    """Capture one transfer over a link of 10 Mb/s with a round-trip time of 40 ms, beside its sender."""
    bottleneck: dict[str, Any] = {"rate": "10 Mbps", "delay": "20 ms", "queue": ac.DropTail(packets=30), **link}
    scenario = ac.Scenario(
        profile="linux",
        duration=duration,
        dumbbell=ac.Dumbbell(access=ac.Link(rate="1 Gbps", delay="0.1 ms"), bottleneck=ac.Link(**bottleneck)),
        clients=[ac.Clients(count=1, transport=tcp or ac.Tcp("cubic"), source=source or ac.Greedy())],
    )
    file = folder / "one.pcapng"
    ac.simulate(scenario, capture=[tap]).write_pcapng(tap, file)
    return file


CASES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "a slow uplink with a large buffer": (
        "bufferbloat",
        {"link": {"rate": "2 Mbps", "queue": ac.DropTail(packets=100)}},
    ),
    "Reno in a large buffer": (
        "bufferbloat",
        {"link": {"rate": "5 Mbps", "delay": "10 ms", "queue": ac.DropTail(packets=200)}, "tcp": ac.Tcp("reno")},
    ),
    "2 % of losses": ("loss", {"link": {"loss": ac.RandomLoss(probability=0.02)}}),
    "losses for Reno": ("loss", {"link": {"loss": ac.RandomLoss(probability=0.03)}, "tcp": ac.Tcp("reno")}),
    "a window of 20 segments": ("receiver", {"link": {}, "tcp": ac.Tcp("cubic", max_window=20)}),
    "a small window on a long path": (
        "receiver",
        {"link": {"rate": "100 Mbps", "delay": "50 ms"}, "tcp": ac.Tcp("reno", max_window=40)},
    ),
    "random small messages": ("application", {"link": {}, "source": ac.Poisson(rate=50)}),
    "a packet every 200 ms": ("application", {"link": {}, "source": ac.Constant(rate=5)}),
    "marks of CoDel": (
        "marked",
        {"link": {"queue": ac.CoDel(ecn=True)}, "tcp": ac.Tcp("cubic", ecn="classic")},
    ),
    "marks for DCTCP": (
        "marked",
        {
            "link": {"queue": ac.Red(min_th=5, max_th=15, max_p=0.1, ecn=True, packets=100)},
            "tcp": ac.Tcp("reno", ecn="classic"),
        },
    ),
    "FQ-CoDel": ("healthy", {"link": {"queue": ac.FqCodel()}}),
    "BBR, which starts with more in flight than it needs later": (
        "healthy",
        {"link": {"rate": "5 Mbps", "queue": ac.DropTail(packets=300)}, "tcp": ac.Tcp("bbr"), "duration": "30 s"},
    ),
    "an application that reads slowly": (
        "receiver",
        {"link": {}, "tcp": ac.Tcp("cubic", rwnd="auto", read_rate="2 Mbps")},
    ),
    "a small buffer of a receiver that reads slowly": (
        "receiver",
        {"link": {}, "tcp": ac.Tcp("cubic", max_window=100, read_rate="1 Mbps")},
    ),
    "the handshake and little more": ("unclear", {"link": {}, "duration": "0.06 s"}),
    "beside the receiver": ("unclear", {"link": {}, "tap": "bottleneck@receive,bottleneck.reverse"}),
}
"""What each simulated capture suffers from, by construction."""


@pytest.mark.parametrize("name", CASES)
def test_a_known_cause_is_found(name: str, tmp_path: Path) -> None:
    """Each capture is that of a simulated transfer whose cause is set by the scenario.

    Validates: the rules of the diagnosis.
    Source: the scenario.
    Tolerance: none, the cause must be the first one named.
    """
    kind, setting = CASES[name]
    found = diagnose(busiest(ac.read_capture(capture_of(tmp_path, **setting)).flows))
    assert (found.kind, found.connection) == (kind, 0), found.text


def test_goodput_counts_what_was_acknowledged(tmp_path: Path) -> None:
    """Validates: goodput of a transfer that ends with a full queue, at most the payload that the link carries.

    Source: the scenario: 1,448 of each 1,500 bytes at 2 Mb/s.
    Tolerance: a packet.
    """
    link = {"rate": "2 Mbps", "queue": ac.DropTail(packets=300)}
    row = busiest(ac.read_capture(capture_of(tmp_path, link, duration="3 s")).flows)
    assert row is not None
    assert row["payload"] * 8 / row["transfer"] > 2e6, "more was sent than the link has carried"
    assert row["goodput"] <= 2e6 * 1448 / 1500 + 1448 * 8 / row["transfer"]


def test_refused_and_reset_connections(root: Path) -> None:
    reset = diagnose(busiest(ac.read_capture(root / FAULTS / "injected_rst.pcap").flows))
    assert (reset.kind, reset.connection) == ("reset", 0)
    assert reset.text.endswith("5,000 bytes without a FIN.")
    row = busiest(ac.read_capture(root / FAULTS / "eth.pcap").flows)
    assert row is not None
    nothing = {"payload": 0, "payload_back": 0, "sack_permitted_back": None, "resets_back": 1}
    assert diagnose(row | nothing).kind == "refused"


def test_one_direction_alone_is_not_diagnosed(tmp_path: Path) -> None:
    file = capture_of(tmp_path, {}, tap="access.0", duration="2 s")
    result = CliRunner().invoke(app, ["capture", str(file)])
    assert result.stdout.startswith("Too little to diagnose: the capture has packets of one direction")
    result = CliRunner().invoke(app, ["law", str(file), "--json"])
    found = json.loads(result.stdout)
    assert (found["law"], found["reason"], found["fits"]) == (None, "one way", [])


def test_delays_and_losses_are_those_of_the_simulation(tmp_path: Path) -> None:
    """Validates: round-trip times, queueing delay, goodput and the causes of retransmissions of a transfer.

    Source: the scenario: 40.2 ms without a queue, 12 Mb of data and headers per 6 s at 2 Mb/s, and a full queue of 100
    packets of 1,500 bytes, 600 ms.
    Tolerance: 5 % of the goodput; the queue never exceeds the buffer.
    """
    _, setting = CASES["a slow uplink with a large buffer"]
    file = capture_of(tmp_path, **setting)
    row = busiest(ac.read_capture(file, flows=tmp_path / "flows.parquet").flows)
    assert row is not None
    assert row["rtt_min"] == pytest.approx(0.0402, abs=0.001)
    assert row["rtt_handshake"] == pytest.approx(row["rtt_min"], abs=0.001)
    assert row["rtt_min"] <= row["rtt_median"] <= row["rtt_p95"] <= row["rtt_p99"] <= 0.68
    assert row["queue_median"] == pytest.approx(row["rtt_median"] - row["rtt_min"])
    assert row["goodput"] == pytest.approx(2e6 * 1448 / 1500, rel=0.05)
    assert row["fast"] == row["retransmissions"] > 0
    assert (row["mss"], row["sack_permitted"], row["initial_window"]) == (1460, True, 10 * 1448)
    assert row["network_limited"] == pytest.approx(1.0, abs=0.01)
    # what the other side did not do is null
    assert (row["rtt_median_back"] is None) == (row["rtt_samples_back"] == 0)
    assert row["largest_flight_back"] is row["application_limited_back"] is None
    stored = parquet.read_table(tmp_path / "flows.parquet", columns=["goodput", "payload"]).to_pylist()
    assert stored == [{"goodput": row["goodput"], "payload": row["payload"]}]


def test_the_first_line_is_the_diagnosis(tmp_path: Path) -> None:
    file = capture_of(tmp_path, {"rate": "2 Mbps", "queue": ac.DropTail(packets=100)}, duration="5 s")
    shown = CliRunner().invoke(app, ["capture", str(file), "--out", str(tmp_path / "out")])
    assert shown.exit_code == 0
    words = " ".join(shown.output.split())
    assert words.startswith("This upload waits: RTT 40")
    assert "(bufferbloat)" in words
    assert "Hurst" not in words
    assert "Long-range" not in words
    record = json.loads((tmp_path / "out/capture.json").read_text())
    assert (record["diagnosis"]["kind"], record["diagnosis"]["connection"]) == ("bufferbloat", 0)
    page = (tmp_path / "out/report.html").read_text()
    assert "This upload waits" in page
    assert page.index("The connection over time") < page.index("Packets over time")
    assert (tmp_path / "out/connection.svg").exists()


@pytest.mark.parametrize("number", ["5", "99"])
def test_a_connection_that_does_not_exist_is_refused(root: Path, number: str) -> None:
    shown = CliRunner().invoke(app, ["capture", str(root / FAULTS / "port_reuse.pcap"), "--connection", number])
    assert isinstance(shown.exception, ac.ScenarioError)
    assert "must be 0 to 4" in str(shown.exception)


def test_data_are_delivered_when_first_acknowledged_by_number_or_block() -> None:
    """Validates: times at which segments were first acknowledged.

    Source: by hand. Four segments of 10 bytes; the second is lost. Blocks report the third at 3 s, then both of the
        others at 4 s; the last ACK at 5 s fills the hole.
    Tolerance: exact.
    """
    data = {"sequence": np.array([1.0, 11, 21, 31, 11]), "payload": np.full(5, 10.0)}
    acks = {"time": np.array([2.0, 3, 4, 5]), "ack": np.array([11.0, 11, 11, 41])}
    sacked = np.array([[3.0, 4], [21, 21], [31, 41]])
    times, sizes = _delivered(data, acks, sacked)
    assert times.tolist() == [2, 3, 4, 5]
    assert sizes.tolist() == [10, 10, 10, 10]


def test_the_picture_shows_no_more_than_the_path_carries(tmp_path: Path) -> None:
    """Validates: goodput and bytes in flight of the picture of a connection with losses.

    Source: the scenario: 2 Mb/s, of which 1,448 of 1,500 bytes are payload, a round-trip time of 40.2 ms, and a buffer
    of 50 packets.
    Tolerance: two packets per bin, for bins that begin within a packet; 10 packets in flight on the access link.
    """
    file = capture_of(tmp_path, {"rate": "2 Mbps", "queue": ac.DropTail(packets=50)}, duration="10 s")
    packets = tmp_path / "packets.parquet"
    row = busiest(ac.read_capture(file, packets=packets).flows)
    assert row is not None
    assert row["retransmissions"] > 0
    drawn = connection_drawing(packets, row, "")
    assert drawn is not None
    goodput, flight = (
        np.concatenate([np.asarray(each.y) for each in panel.series])
        for panel in drawn.chart.panels
        if panel.y.label in {"Goodput, Mb/s", "In flight, kB"}
    )
    assert goodput.max() <= 2 * 1448 / 1500 + 2 * 1448 * 8e-6 / 0.09  # the transfer takes 9 to 10 s, in 100 bins
    assert 1e3 * flight.max() <= 2e6 / 8 * 0.0402 + (50 + 10) * 1448
