"""A live run refuses what it cannot do whole, in one line, before anything is made. No test here needs privileges."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac
from ackclock.live.refusing import MOST_FLOWS, refuse_impossible
from ackclock.live.running import Request

BASE = ac.Scenario(
    duration="10 s",
    dumbbell=ac.Dumbbell(
        access=ac.Link(rate="100 Mbps", delay="5 ms"),
        bottleneck=ac.Link(rate="10 Mbps", delay="5 ms", queue=ac.DropTail(packets=50)),
    ),
    clients=[ac.Clients(count=2, transport=ac.Tcp("cubic"), source=ac.Greedy())],
)
UDP = {"kind": "udp"}
SIZE = {"kind": "fixed", "mean": "15 kB"}
SECOND = {"kind": "fixed", "mean": "1 s"}

HOSTILE: dict[str, dict[str, Any]] = {
    "many flows": {"clients.0.count": 1_000_000},
    "one flow too many": {"clients.0.count": MOST_FLOWS + 1},
    "100 Gbit/s": {"dumbbell.bottleneck.rate": "100 Gbps", "dumbbell.access.rate": "100 Gbps"},
    "250 Mbit/s": {"dumbbell.bottleneck.rate": "250 Mbps", "dumbbell.access.rate": "1 Gbps"},
    "a year": {"duration": "365 days"},
    "an hour": {"duration": "1 h"},
    "tiny packets": {"clients.0.packet_size": 100},
    "jumbo packets": {"clients.0.packet_size": 20_000},
    "many small packets": {"clients.0.packet_size": 140, "dumbbell.bottleneck.rate": "100 Mbps"},
    "UDP at 1 Gbit/s": {"clients.0.transport": UDP, "clients.0.source": {"kind": "constant", "rate": 100_000}},
    "a flood of UDP": {"clients.0.transport": UDP, "clients.0.source": {"kind": "poisson", "rate": 1e9}},
    "bursts of UDP": {
        "clients.0.transport": UDP,
        "clients.0.source": {
            "kind": "onoff",
            "rate": 1e7,
            "on": {"kind": "fixed", "mean": "1 s"},
            "off": {"kind": "fixed", "mean": "1 s"},
        },
    },
    "random sizes": {
        "clients.0.transport": {"kind": "udp", "packet_sizes": "exponential"},
        "clients.0.source": {"kind": "constant", "rate": 10},
    },
    "new connections": {"clients.0.source": {"kind": "connections", "load": 0.5, "size": SIZE}},
    "pages": {
        "clients.0.source": {"kind": "pages", "document": SIZE, "objects": 3, "size": SIZE, "think": SECOND},
    },
    "frames": {"clients.0.transport": UDP, "clients.0.source": {"kind": "frames", "rate": 50}},
    "a stop": {"clients.0.stop": "5 s"},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_too_much_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(ac.ScenarioError) as error:
        Request.of(BASE.changed(HOSTILE[name]), ())
    assert "\n" not in error.value.headline
    assert len(error.value.headline) < 300


@pytest.mark.parametrize("name", ["new connections", "pages", "frames"])
def test_a_refused_source_names_those_that_work(name: str) -> None:
    with pytest.raises(ac.ScenarioError, match="must be one of constant, greedy, onoff, poisson, requests, transfers"):
        Request.of(BASE.changed(HOSTILE[name]), ())


@pytest.mark.parametrize("record", ["acks", "states", "phases"])
def test_records_of_the_engines_senders_are_refused(record: str) -> None:
    with pytest.raises(ac.ScenarioError, match="in a live run"):
        Request.of(BASE, [record])


def test_a_graph_is_refused() -> None:
    with pytest.raises(ac.ScenarioError, match="two hosts"):
        Request.of(ac.Scenario.from_toml("examples/parking_lot.toml"), ())


def test_groups_that_differ_in_a_setting_of_the_namespace_are_refused() -> None:
    plain = BASE.to_dict()["clients"][0]
    marked = plain | {"transport": {"kind": "tcp", "variant": "cubic", "ecn": "classic"}}
    with pytest.raises(ac.ScenarioError, match="setting of the namespace"):
        Request.of(BASE.changed(clients=[plain, marked]), ())


def test_what_is_possible_is_accepted() -> None:
    request = Request.of(BASE.changed({"dumbbell.bottleneck.rate": "200 Mbps"}), ["queue/10ms", "windows/50ms"])
    assert refuse_impossible(request.prepared, request.given) == request.plan
    assert not list(request.left_out())
    asked = request.for_worker(3)
    assert [flow["law"] for flow in asked["flows"]] == ["cubic", "cubic"]
    assert (asked["flows"][0]["size"], asked["mtu"], asked["ecn"], asked["gso"]) == (1448, 1500, False, False)
    assert asked["sample"] == 50 * 10**9
    assert '"windows"' not in asked["plan"]
    assert request.prepared.scenario.profile == "linux"
    assert request.least_rtt() == pytest.approx(0.02)
    assert request.packet_time() == pytest.approx(60e-6)


@pytest.mark.parametrize(
    ("option", "value"), [("max_window", 5), ("send_buffer", 100), ("read_rate", "1 Mbps"), ("ecn", "accurate")]
)
def test_options_that_limit_a_sender_are_refused(option: str, value: object) -> None:
    transport = {"kind": "tcp", "variant": "reno", option: value}
    with pytest.raises(ac.ScenarioError, match=rf"clients\.0\.transport\.{option}: .* in a live run"):
        Request.of(BASE.changed({"clients.0.transport": transport}), ())


def test_options_that_are_the_kernels_own_are_named() -> None:
    transport = {"kind": "tcp", "variant": "reno", "initial_window": 4, "min_rto": "1 s"}
    (notice,) = Request.of(BASE.changed({"clients.0.transport": transport}), ()).left_out()
    assert notice == "clients.0.transport: the kernel has its own values for initial_window, min_rto"
