"""The record of packets at every link."""

from __future__ import annotations

import ackclock as ac

CROWDED = ac.Scenario(
    profile="ns2-2.35",
    duration="10 s",
    dumbbell=ac.Dumbbell(
        access=ac.Link(rate="10 Mbps", delay="10 ms"),
        bottleneck=ac.Link(rate="5 Mbps", delay="10 ms", queue=ac.DropTail(packets=10)),
    ),
    clients=(ac.Clients(count=6, transport=ac.Tcp("reno", overhead="12 us"), source=ac.Poisson(rate=100)),),
)
"""A small dumbbell that loses packets."""


def test_a_packet_is_followed_link_by_link() -> None:
    """A segment of 1000 bytes and its ACK of 40 take 8 ms and 0.32 ms at 1 Mbps, 80 us and 3.2 us at 100 Mbps.

    Validates: the time of a segment and its ACK is the sum of serialisation and propagation at each link.
    Source: arithmetic: size/rate + delay.
    Tolerance: exact to 0.1 us.
    """
    scenario = ac.Scenario(
        duration="1 s",
        packet_size=1000,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="1 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="10 ms")
        ),
        clients=[
            ac.Clients(transport=ac.Tcp("reno", handshake=False, delayed_ack=False), source=ac.Greedy(size="960 B"))
        ],
    )
    rows = ac.simulate(scenario, record=["packets@*"]).table("packets").to_pylist()
    seen = [(round(1e6 * row["time"], 1), row["link"], row["event"], row["kind"], row["bytes"]) for row in rows]
    assert seen == [
        (0.0, "access.0", "enqueue", "data", 1000),
        (0.0, "access.0", "dequeue", "data", 1000),
        (1080.0, "access.0", "receive", "data", 1000),
        (1080.0, "bottleneck", "enqueue", "data", 1000),
        (1080.0, "bottleneck", "dequeue", "data", 1000),
        (19080.0, "bottleneck", "receive", "data", 1000),
        (19080.0, "bottleneck.reverse", "enqueue", "ack", 40),
        (19080.0, "bottleneck.reverse", "dequeue", "ack", 40),
        (29400.0, "bottleneck.reverse", "receive", "ack", 40),
        (29400.0, "access.0.reverse", "enqueue", "ack", 40),
        (29400.0, "access.0.reverse", "dequeue", "ack", 40),
        (30403.2, "access.0.reverse", "receive", "ack", 40),
    ]
    assert not any(row["retransmission"] for row in rows)


def test_packets_agree_with_what_else_is_counted() -> None:
    run = ac.simulate(CROWDED, seed=3, record=["packets@*", "drops"])
    packets = run.table("packets").to_pandas()
    assert packets["time"].is_monotonic_increasing
    sent = packets[packets["link"].str.match(r"access\.\d+$") & (packets["event"] == "enqueue")]
    flows = run.table("flows").to_pandas()
    assert sent.groupby("flow").size().tolist() == flows["sent"].tolist()
    assert sent.groupby("flow")["retransmission"].sum().tolist() == flows["retransmissions"].tolist()
    dropped = packets[packets["event"] == "drop"]
    assert dropped[["time", "flow", "segment"]].values.tolist() == (
        run.table("drops").to_pandas()[["time", "flow", "segment"]].values.tolist()
    )
    at = packets[packets["link"] == "bottleneck"]["event"].value_counts()
    assert at["enqueue"] + at["drop"] == run.summary.arrivals
    assert 0 <= at["enqueue"] - at["receive"] <= 20


def test_a_link_tells_what_it_lost() -> None:
    scenario = CROWDED.changed({"dumbbell.bottleneck.loss": {"kind": "list", "packets": [3]}})
    packets = ac.simulate(scenario, record=["packets@bottleneck"]).table("packets").to_pandas()
    lost = packets[packets["event"] == "lost"]
    assert sorted(lost["flow"]) == list(range(6))
    assert set(lost["kind"]) == {"data"}
