"""Rates with and without headers, round-trip times and losses of flows, and data that crossed the link before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ackclock as ac

if TYPE_CHECKING:
    from pathlib import Path

RATE, DELAY = 12e6, 0.01
"""Of the bottleneck, bit/s and s: a packet of 1500 bytes takes 1 ms, one of 40 bytes 0.027 ms."""


def dumbbell(packets: int = 1000) -> ac.Dumbbell:
    """Make a network whose only slow link is the bottleneck."""
    bottleneck = ac.Link(rate="12 Mbps", delay="10 ms", queue=ac.DropTail(packets=packets))
    return ac.Dumbbell(access=ac.Link(rate="1200 Mbps", delay="0 s"), bottleneck=bottleneck)


def crossing(size: int) -> float:
    """Return the seconds that a packet takes over the idle path, one way."""
    return DELAY + 8 * size / RATE + 8 * size / 1.2e9


@pytest.mark.parametrize(("profile", "payload"), [("rfc", 1460), ("linux", 1448), ("ns2-2.35", 1460)])
def test_payload_is_goodput_without_headers(profile: str, payload: int) -> None:
    """Validates: payload_bps of a run, its groups and flows, for TCP and UDP.

    Source: definition: 1500 bytes on the wire hold 1460 bytes of data, 1448 with timestamps (RFC 7323), and a
        datagram 28 bytes less than its size (RFC 791, RFC 768).
    Tolerance: 1e-12.
    """
    groups = [
        ac.Clients(name="tcp", count=2, transport=ac.Tcp("sack"), source=ac.Greedy()),
        ac.Clients(name="udp", packet_size=228, transport=ac.Udp(), source=ac.Constant(rate=100)),
    ]
    scenario = ac.Scenario(
        profile=profile, duration="5 s", measure=ac.Measure(from_="1 s"), dumbbell=dumbbell(20), clients=groups
    )
    run = ac.simulate(scenario)
    tcp, udp = run.groups
    assert tcp.payload_bps == pytest.approx(tcp.goodput_bps * payload / 1500, rel=1e-12)
    assert udp.payload_bps == pytest.approx(udp.goodput_bps * 200 / 228, rel=1e-12)
    assert tcp.payload_bps is not None
    assert udp.payload_bps is not None
    assert run.summary.payload_bps == pytest.approx(tcp.payload_bps + udp.payload_bps, rel=1e-12)
    flows = run.table("flows").to_pylist()
    for row in flows:
        share = 200 / 228 if row["group"] == "udp" else payload / 1500
        assert row["payload_bps"] == pytest.approx(row["goodput_bps"] * share, rel=1e-12)


def test_datagrams_of_random_sizes_lose_their_headers() -> None:
    """Validates: headers of 28 bytes are subtracted from each datagram, and a shorter one holds no data.

    Source: definition. For exponential sizes of mean m, E[max(X - 28, 0)] = m exp(-28 / m).
    Tolerance: 5 standard errors of 100,000 datagrams of mean 100, of which rounding to whole bytes is a tenth.
    """
    group = ac.Clients(packet_size=100, transport=ac.Udp(packet_sizes="exponential"), source=ac.Constant(rate=10_000))
    run = ac.simulate(ac.Scenario(duration="10 s", dumbbell=dumbbell(), clients=[group]))
    assert run.summary.payload_bps == pytest.approx(10_000 * 8 * 100 * 0.75578, rel=0.016)


def test_round_trips_of_an_idle_path() -> None:
    """Validates: rtt_min and rtt_mean of a group and of a flow, whatever the tick of the sender's clock.

    Source: by hand. Packets one by one, 100 ms apart: a packet of 1500 bytes there, an ACK of 40 bytes back.
    Tolerance: a picosecond for each of four transmissions.
    """
    group = ac.Clients(
        name="lone", transport=ac.Tcp("reno", delayed_ack=False, clock="10 ms"), source=ac.Constant(rate=10)
    )
    scenario = ac.Scenario(duration="5 s", measure=ac.Measure(from_="1 s"), dumbbell=dumbbell(), clients=[group])
    run = ac.simulate(scenario)
    expected = crossing(1500) + crossing(40)
    (row,) = run.table("flows").to_pylist()
    found = [run.summary.rtt_mean, run.summary.rtt_min, run.groups[0].rtt_mean, row["rtt_mean"], row["rtt_min"]]
    assert found == pytest.approx([expected] * 5, abs=4e-12)
    # from the start, the handshake is the shortest sample
    whole = ac.simulate(scenario.changed({"measure.from": "0 s"})).summary
    assert whole.rtt_min == pytest.approx(2 * crossing(40), abs=4e-12)
    assert whole.rtt_mean == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("variant", ["reno", "vegas", "newreno", "sack", "rack", "bbr"])
def test_a_group_has_the_samples_of_its_flows(variant: str) -> None:
    """Validates: a full queue lengthens round trips; the means of flows lie around the mean of their group.

    Source: definition: the mean over the samples of all flows is between the smallest and the largest mean of a flow.
    Tolerance: exact.
    """
    group = ac.Clients(count=3, spread="1 s", transport=ac.Tcp(variant), source=ac.Greedy())
    run = ac.simulate(
        ac.Scenario(duration="10 s", measure=ac.Measure(from_="3 s"), dumbbell=dumbbell(50), clients=[group])
    )
    flows = run.table("flows").to_pandas()
    (found,) = run.groups
    assert found.rtt_min == flows["rtt_min"].min() > 2 * DELAY
    assert found.rtt_mean is not None
    assert found.rtt_min is not None
    assert flows["rtt_mean"].min() <= found.rtt_mean <= flows["rtt_mean"].max()
    assert found.rtt_mean >= found.rtt_min - 1e-12
    assert found.rtt_mean < 2 * DELAY + 0.06 + 0.2  # the queue, and a delayed ACK


def test_connections_keep_the_samples_of_closed_ones() -> None:
    """A client's connections each have a handshake of 20 ms, which is their shortest sample."""
    source = ac.Connections(load=0.1, size=ac.Fixed(mean="3 kB"), connections=2)
    group = ac.Clients(count=2, transport=ac.Tcp("reno"), source=source)
    run = ac.simulate(
        ac.Scenario(duration="20 s", measure=ac.Measure(from_="10 s"), dumbbell=dumbbell(), clients=[group])
    )
    assert run.summary.rtt_min == pytest.approx(2 * crossing(40), abs=4e-12)


def test_udp_has_no_round_trips_and_flows_have_losses() -> None:
    """Validates: the loss of each flow, and no round trip for UDP.

    Source: packet by packet, from the record of the link.
    Tolerance: 1e-12.
    """
    groups = [
        ac.Clients(name="udp", count=2, transport=ac.Udp(), source=ac.Poisson(rate=600)),
        ac.Clients(name="back", direction="reverse", transport=ac.Udp(), source=ac.Poisson(rate=600)),
    ]
    scenario = ac.Scenario(duration="5 s", measure=ac.Measure(from_="2 s"), dumbbell=dumbbell(5), clients=groups)
    run = ac.simulate(scenario, record=["packets@bottleneck"])
    packets = run.table("packets").to_pandas()
    packets = packets[packets["time"] >= 2]
    for row in run.table("flows").to_pylist():
        events = packets[packets["flow"] == row["flow"]]["event"].value_counts()
        assert row["rtt_mean"] is None
        assert row["rtt_min"] is None
        if row["group"] == "back":
            assert row["loss"] is None
        else:
            assert row["loss"] == pytest.approx(events["drop"] / (events["drop"] + events["enqueue"]), rel=1e-12)
            assert row["loss"] > 0.1
    assert run.summary.rtt_mean is None


def behind(folder: Path, from_: str) -> ac.Run:
    """Send 100 datagrams at once over the measured link, 1 ms each, and then over a slower one, 10 ms each."""
    (folder / "trace.csv").write_text("time,packets\n0,100\n")
    trace = ac.Trace(path=str(folder / "trace.csv"))
    return ac.simulate(
        ac.Scenario(
            duration="2 s",
            measure=ac.Measure(link="fast", from_=from_, bin="10 ms"),
            nodes=[ac.Node(name) for name in "abc"],
            links=[
                ac.GraphLink(name="fast", from_="a", to="b", rate="12 Mbps", delay="0 s"),
                ac.GraphLink(name="slow", from_="b", to="c", rate="1.2 Mbps", delay="0 s"),
            ],
            flows=[ac.Flow(from_="a", to="c", transport=ac.Udp(), source=trace)],
        )
    )


def test_data_behind_the_link_explains_goodput_above_what_it_carried(tmp_path: Path) -> None:
    """Validates: the notice of goodput above the data that the measured link carried, with both amounts.

    Source: by hand. All 100 packets have crossed the measured link after 100 ms. Packet k leaves the slow one at
        1 + 10 k ms: 49 before 0.5 s, so that 51 packets of 1500 bytes, 76.5 kB, arrive later: 0.408 Mb/s in 1.5 s,
        3.4 % of 12 Mb/s. From 0.05 s on, 50 packets cross the measured link, and 4 of the first 50 are delivered.
    Tolerance: exact.
    """
    run = behind(tmp_path, "500 ms")
    assert run.summary.throughput_bps == 0
    assert run.summary.goodput_bps == pytest.approx(408e3)
    (notice,) = (notice for notice in run.notices if "Goodput" in notice)
    assert notice == (
        "Goodput exceeds the data that fast carried in the measured time by 0.0765 MB (3.40% of the link's rate): "
        "0.0765 MB had crossed it before measure.from (500 ms), and were then behind it or waited at receivers for "
        "missing data."
    )
    (notice,) = (notice for notice in behind(tmp_path, "50 ms").notices if "Goodput" in notice)
    assert "by 0.069 MB" in notice
    assert "0.069 MB had crossed" in notice
    assert not any("Goodput" in notice for notice in behind(tmp_path, "0 s").notices)
