"""The engine's input: numbers only, with all defaults filled in."""

import json
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac
from ackclock.running.plan import plan
from ackclock.running.records import understand


def planned(scenario: ac.Scenario, *requests: str) -> dict[str, Any]:
    effective = scenario.effective()
    result: dict[str, Any] = json.loads(plan(effective, understand(requests, effective)))
    return result


@pytest.fixture
def feng60(root: Path) -> ac.Scenario:
    return ac.Scenario.from_toml(root / "examples" / "feng60.toml")


@pytest.fixture
def parking_lot(root: Path) -> ac.Scenario:
    return ac.Scenario.from_toml(root / "examples" / "parking_lot.toml")


def test_the_dumbbell_of_the_issue(feng60: ac.Scenario) -> None:
    second = 10**12
    unbounded = {"kind": "droptail", "limit": {"packets": 100_000}, "count_in_service": True}
    unbounded |= {"ties": "departure", "mark_above": 0, "drop": "tail"}
    access = {"rate": 10_000_000, "delay": second // 40, "queue": unbounded}
    bottleneck = {"rate": 50_000_000, "delay": second // 40}
    assert planned(feng60) == {
        "duration": 200 * second,
        "measure": {"from": 0, "bin": second // 10, "link": 0},
        "topology": {
            "kind": "dumbbell",
            "bottleneck": bottleneck | {"queue": unbounded | {"limit": {"packets": 50}}},
            "reverse": bottleneck | {"queue": unbounded},
            "access": [[access, access]],
        },
        "groups": [
            {
                "count": 60,
                "path": None,
                "reverse": False,
                "packet_size": 1500,
                "start": 0,
                "spread": 0,
                "transport": {
                    "kind": "tcp",
                    "sender": {
                        "packet_size": 1500,
                        "initial_rwnd": None,
                        "read_rate": None,
                        "has_sack": True,
                        "handshake": True,
                        "initial_window": 2,
                        "slow_start": "standard",
                        "byte_counting": 0,
                        "whole_growth": False,
                        "lone_segments": 0,
                        "max_window": 20,
                        "limited_transmit": True,
                        "recovery": "reno",
                        "exit_recovery": True,
                        "grow_on_exit": True,
                        "partial_ack_timer": "first",
                        "partial_ack_deflation": True,
                        "deflate_on_exit": False,
                        "recovery_burst": 2,
                        "sack": "fall-floyd",
                        "sack_holds_new_data": True,
                        "prr": "off",
                        "tail_loss_probe": True,
                        "rack": "rfc8985",
                        "timer_tick": 0,
                        "tick_phase": None,
                        "timestamps": False,
                        "frto": False,
                        "undo": "off",
                        "pacing": "off",
                        "pacing_ss_ratio": 200,
                        "pacing_ca_ratio": 120,
                        "pacing_burst": 1,
                        "pacing_credit": 0,
                        "gso": "off",
                        "gso_max_segs": 65535,
                        "limit_output_bytes": 0,
                        "push": False,
                        "write_size": 0,
                        "payload": 1460,
                        "send_buffer": 0,
                        "abe": False,
                        "stale_records": True,
                        "congestion": {"kind": "reno"},
                        "decrease_from": "window",
                        "grow_when_limited": True,
                        "remember_full_window": False,
                        "ecn": "off",
                        "most_marks": False,
                        "idle_restart": "timeout",
                        "rtt": {
                            "clock": second // 100,
                            "clock_phase": None,
                            "rtt_arithmetic": "integer",
                            "min_rto": second // 5,
                            "max_rto": 60 * second,
                            "initial_rto": 3 * second,
                            "backoff_after_floor": True,
                            "rto_floor": "total",
                            "timer_before_sample": False,
                        },
                        "overhead": 12_000_000,
                    },
                    "receiver": {
                        "delayed_ack": False,
                        "ack_every": 2,
                        "acks_per_rtt": 0,
                        "delayed_ack_timeout": 10**11,
                        "delayed_ack_rule": "fixed",
                        "delayed_ack_tick": 0,
                        "ack_gap_fill": True,
                        "delay_duplicates": True,
                        "handshake": True,
                        "ack_first": True,
                        "quick_acks": 0,
                        "quick_acks_again": 0,
                        "quick_acks_pause": 2 * 10**11,
                        "sack_blocks": 0,
                        "dsack": False,
                        "sack_compression": 0,
                        "sack_compression_delay": 10**9,
                        "sack_compression_rtt_percent": 5,
                        "sack_compression_slack": 10**8,
                        "gro_interval": 0,
                        "gro_packets": 45,
                        "ecn": "off",
                        "rwnd": "fixed",
                        "initial_rwnd": 44,
                        "initial_buffer": 44,
                        "read_rate": None,
                        "max_window": 20,
                        "reports_originals": False,
                        "acks_pushed": False,
                    },
                },
                "source": {"kind": "poisson", "rate": 100.0},
            }
        ],
        "records": [],
        "captures": [],
    }


def test_a_graph_numbers_both_directions_of_each_link(parking_lot: ac.Scenario) -> None:
    found = planned(parking_lot)
    ends = [(link["from"], link["to"]) for link in found["topology"]["links"]]
    assert ends == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    assert found["measure"]["link"] == 2
    assert [group["path"] for group in found["groups"]] == [[0, 3], [0, 1], [1, 2], [2, 3], [3, 0], [3, 1]]


def test_losses_and_extra_delays_reach_the_bottleneck_alone() -> None:
    link = ac.Link(rate="10 Mbps", delay="5 ms")
    bottleneck = ac.Link(
        rate="10 Mbps",
        delay="5 ms",
        loss=ac.ListedLoss(packets=(40, 24, 26), place="after"),
        policer=ac.Policer(rate="8 Mbps", burst=15_000),
        shaper=ac.Shaper(rate="7 Mbps", burst=1_500),
        jitter=ac.Jitter(max="2 ms"),
        reorder=ac.Reorder(probability=0.25, delay="1 us"),
    )
    scenario = ac.Scenario(
        duration="1 s",
        dumbbell=ac.Dumbbell(access=link, bottleneck=bottleneck),
        clients=[ac.Clients(transport=ac.Tcp("sack"), source=ac.Greedy())],
    )
    found = planned(scenario)
    assert found["topology"]["bottleneck"]["loss"] == {"kind": "list", "packets": [24, 26, 40]}
    assert found["topology"]["bottleneck"]["loss_place"] == "after"
    assert found["topology"]["bottleneck"]["policer"] == {"rate": 8 * 10**6, "burst": 15_000}
    assert found["topology"]["bottleneck"]["shaper"] == {"rate": 7 * 10**6, "burst": 1_500}
    assert found["topology"]["bottleneck"]["jitter"] == {"max": 2 * 10**9, "reorders": False}
    assert found["topology"]["bottleneck"]["reorder"] == {"probability": 0.25, "delay": 10**6}
    assert set(found["topology"]["reverse"]) == {"rate", "delay", "queue"}
    assert found["groups"][0]["transport"]["receiver"]["sack_blocks"] == 4


@pytest.mark.parametrize(
    ("profile", "packet_size", "payload", "size", "packets"),
    [
        ("rfc", 1500, None, "1460 B", 1),
        ("rfc", 1500, None, "1461 B", 2),
        ("rfc", 1500, None, "1 MB", 685),
        ("rfc", 1500, None, "1 GB", 684_932),
        ("linux", 1500, None, "1448 kB", 1000),
        ("linux", 576, None, "1049 B", 3),
        ("linux", 9000, None, "8948 B", 1),
        ("linux", 1500, 1460, "1460 B", 1),
        # results of earlier versions store a payload for packets of 1500 bytes beside packets of other sizes
        ("rfc", 1000, 1460, "961 B", 2),
        ("rfc", 1500, 500, "1001 B", 3),
        ("ns2-2.35", 1000, None, "961 B", 2),
        ("ns2-2000", 9000, None, "8960 B", 1),
        ("ns2-1999-qiu", 1500, None, "1460 B", 1),
    ],
)
def test_a_transfer_takes_whole_packets(
    profile: str, packet_size: int, payload: int | None, size: str, packets: int
) -> None:
    """Validates: packets hold packet_size minus 40 bytes of headers, 52 with the timestamps of ``linux``, or payload.

    Source: RFC 9293, section 3.7.1; RFC 7323, section 3.2: 10 bytes and two no-operations.
    Tolerance: exact.
    """
    scenario = ac.Scenario(
        profile=profile,
        packet_size=packet_size,
        duration="1 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="10 Mbps", delay="5 ms")
        ),
        clients=[
            ac.Clients(
                transport=ac.Tcp("vegas", delayed_ack=True, payload=payload),
                source=ac.Greedy(size=size),
            )
        ],
    )
    group = planned(scenario)["groups"][0]
    assert group["source"] == {"kind": "greedy", "packets": packets}
    sender = group["transport"]["sender"]
    assert payload is not None or sender["payload"] == packet_size - (52 if profile == "linux" else 40)
    if profile == "rfc":
        assert group["transport"]["receiver"]["delayed_ack_timeout"] == 2 * 10**11
        assert sender["congestion"]["base_rtt"] == "minimum"


@pytest.mark.parametrize(("profile", "headers"), [("rfc", 40), ("linux", 52), ("ns2-2.35", 40)])
def test_a_packet_holds_more_than_its_headers(profile: str, headers: int) -> None:
    def scenario(packet_size: int) -> ac.Scenario:
        link = ac.Link(rate="10 Mbps", delay="5 ms")
        return ac.Scenario(
            profile=profile,
            packet_size=packet_size,
            duration="1 s",
            dumbbell=ac.Dumbbell(access=link, bottleneck=link),
            clients=[ac.Clients(transport=ac.Tcp("reno"), source=ac.Greedy())],
        )

    assert planned(scenario(headers + 1))["groups"][0]["transport"]["sender"]["payload"] == 1
    refused = f"packet_size: {headers} is not allowed; must be above {headers} for TCP"
    with pytest.raises(ac.ScenarioError, match=refused):
        scenario(headers)


@pytest.mark.parametrize(
    ("request_", "record"),
    [
        ("arrivals", {"kind": "arrivals", "links": [0], "bin": 10**11}),
        ("arrivals@bottleneck.reverse/1s", {"kind": "arrivals", "links": [1], "bin": 10**12}),
        ("queue", {"kind": "queue", "links": [0], "every": 10**11}),
        ("queue/10 ms", {"kind": "queue", "links": [0], "every": 10**10}),
        ("drops@access.2,access.2.reverse", {"kind": "drops", "links": [6, 7]}),
        ("windows@0,9,19", {"kind": "windows", "flows": [0, 9, 19], "every": None}),
        ("windows@clients-0/100ms", {"kind": "windows", "flows": list(range(60)), "every": 10**11}),
        ("acks@59,59", {"kind": "acks", "flows": [59]}),
    ],
)
def test_records(feng60: ac.Scenario, request_: str, record: dict[str, Any]) -> None:
    assert planned(feng60, request_)["records"] == [record]


def test_records_of_a_graph(parking_lot: ac.Scenario) -> None:
    found = planned(parking_lot, "arrivals", "queue@hop1.reverse", "acks@voice,back")
    assert [record.get("links", record.get("flows")) for record in found["records"]] == [
        [2],
        [1],
        [6, 7, 8, 9, 10, 5],
    ]


@pytest.mark.parametrize(
    ("requests", "message"),
    [
        (["arrival"], "record: 'arrival' is not allowed; did you mean 'arrivals'?"),
        (["arrivals@botleneck"], "did you mean 'bottleneck'?"),
        (["arrivals@access.60"], "there is no link 'access.60'"),
        (["arrivals@access.00"], "there is no link 'access.00'"),
        (["windows@60"], "must be one of clients-0, or flow numbers from 0 to 59"),
        (["windows@"], "there is no group or flow ''"),
        (["queue/10"], "the interval must be a time with its unit"),
        (["queue/0 s"], "the interval must be above 0 s"),
        (["drops/10ms"], "must not have an interval"),
        (["arrivals", "arrivals/10ms"], "must not request arrivals twice"),
        (["queue/1us"], "must fill at most 50000000 rows: this would be 200000000"),
        (["windows/100us"], "must fill at most 50000000 rows: this would be 120000000"),
        ([5], "must be a text"),
    ],
)
def test_records_that_cannot_be(feng60: ac.Scenario, requests: list[Any], message: str) -> None:
    effective = feng60.effective()
    with pytest.raises(ac.ScenarioError) as caught:
        understand(requests, effective)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
