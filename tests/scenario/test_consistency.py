"""Checks that involve several tables of a scenario: each limit, with a value on it and one beyond it."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac

LINK: dict[str, Any] = {"rate": "10 Mbps", "delay": "5 ms"}
TCP: dict[str, Any] = {"transport": ac.Tcp("reno"), "source": ac.Greedy()}


def dumbbell() -> ac.Scenario:
    """Return two groups of clients that share a dumbbell."""
    return ac.Scenario(
        duration="100 s",
        packet_size=1000,
        dumbbell=ac.Dumbbell(access=ac.Link(**LINK), bottleneck=ac.Link(**LINK)),
        clients=[ac.Clients(count=2, **TCP), ac.Clients(count=3, name="more", **TCP)],
    )


def graph() -> ac.Scenario:
    """Return a line of three nodes."""
    return ac.Scenario(
        duration="100 s",
        measure=ac.Measure(link="a->b"),
        nodes=[ac.Node(name=name) for name in "abc"],
        links=[ac.GraphLink(from_="a", to="b", **LINK), ac.GraphLink(from_="b", to="c", **LINK)],
        flows=[ac.Flow(from_="a", to="c", **TCP), ac.Flow(from_="c", to="b", **TCP)],
    )


def refusal(scenario: ac.Scenario, changes: dict[str, Any]) -> str:
    """Return the error of a changed scenario; empty if it is allowed."""
    try:
        scenario.changed(changes)
    except ac.ScenarioError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"measure.from": "99 s"}, ""),
        ({"measure.from": "100 s"}, "measure.from: '100 s' is not allowed; must be before the end, at 100 s"),
        ({"measure.bin": "100 s"}, ""),
        ({"measure.bin": "100001 ms"}, "must be at most the duration (100 s)"),
        ({"measure.bin": "10 us"}, ""),
        ({"measure.bin": "9 us"}, "must give at most 10000000 bins in 100 s (this width gives 11111111)"),
        ({"clients.0.start": "99999 ms"}, ""),
        ({"clients.1.start": "100 s"}, "clients.1.start: '100 s' is not allowed; must be before the end, at 100 s"),
        ({"clients.1.start": "40 s", "clients.1.spread": "60 s"}, ""),
        ({"clients.1.start": "40 s", "clients.1.spread": "60001 ms"}, "must be at most 60 s, so that all flows start"),
        ({"clients.0.spread": "100001 ms"}, "must be at most 100 s"),
        ({"packet_size": 41}, ""),
        ({"packet_size": 40}, "packet_size: 40 is not allowed; must be above 40 for TCP, whose headers have 40 bytes"),
        ({"clients.1.packet_size": 41}, ""),
        ({"clients.1.packet_size": 40}, "clients.1.packet_size: 40 is not allowed; must be above 40"),
        ({"clients.0.count": 999_997}, ""),
        ({"clients.0.count": 999_998}, "must keep the total at or below 1000000 (it is 1000001 here)"),
        ({"clients.0.name": "more"}, "clients.1.name: 'more' is not allowed; must be unique among names of its kind"),
        ({"clients.0.name": "clients-1"}, ""),
        ({"clients.1.name": "clients-0"}, "clients.1.name: 'clients-0' is not allowed; must be unique"),
        ({"clients.0.transport.min_rto": "60 s"}, ""),
        ({"clients.0.transport.min_rto": "60001 ms"}, "transport.min_rto: '60001 ms' is not allowed"),
        ({"clients.0.transport.max_rto": "1 s"}, ""),
        ({"clients.0.transport.max_rto": "1 s", "clients.0.transport.initial_rto": "2 s"},
         "clients.0.transport.initial_rto: '2 s' is not allowed; must be at most max_rto (1 s)"),
        ({"profile": "linux", "clients.0.transport": {"kind": "tcp", "variant": "cubic", "timer_tick": "3 ms"}},
         "clients.0.transport.timer_tick: '3 ms' is not allowed; must divide 1 s"),
        ({"profile": "linux", "clients.0.transport": {"kind": "tcp", "variant": "cubic", "timer_tick": "1 ms"}}, ""),
        ({"profile": "linux", "clients.0.transport": {"kind": "tcp", "variant": "reno", "timer_tick": "3 ms"}}, ""),
        ({"clients.0.transport": {"kind": "tcp", "variant": "rack", "sack_blocks": 0}}, ""),
        ({"clients.0.transport": {"kind": "tcp", "variant": "sack", "sack_blocks": 0}},
         "clients.0.transport.sack_blocks: 0 is not allowed; must be at least 1 with recovery sack"),
        ({"measure.links": ["bottleneck.reverse", "access.4"]}, ""),
        ({"measure.links": ["access.5"]}, "measure.links.0: unknown link 'access.5'"),
        ({"measure.links": ["access.0", "bottleneck"]}, "measure.links.1: 'bottleneck' is not allowed; must differ"),
        ({"measure.link": "access.0", "measure.links": ["bottleneck"]}, ""),
        ({"measure.link": "access.0", "measure.links": ["access.0"]}, "measure.links.0: 'access.0' is not allowed"),
        ({"nodes": [{"name": "a"}]}, "nodes: must be absent when dumbbell is given"),
        ({"clients": []}, "clients: missing; must be given: a scenario has dumbbell and clients, or nodes, links and"),
    ],
)  # fmt: skip
def test_limits_of_a_dumbbell(changes: dict[str, Any], message: str) -> None:
    said = refusal(dumbbell(), changes)
    assert message in said
    assert bool(said) == bool(message)


@pytest.mark.parametrize("place", ["dumbbell.bottleneck", "dumbbell.reverse", "dumbbell.access", "clients.1.access"])
def test_queues_are_checked_on_every_link(place: str) -> None:
    queue = {"kind": "red", "packets": 50, "min_th": 30, "max_th": 20}
    given = dumbbell().changed({place: LINK})
    assert refusal(given, {f"{place}.queue": queue}).startswith(f"{place}.queue.max_th: 20.0 is not allowed; must be a")
    assert refusal(graph(), {"links.1.queue": queue}).startswith("links.1.queue.max_th: ")


def test_a_target_delay_excludes_the_thresholds_that_it_chooses() -> None:
    queue = {"kind": "red", "packets": 50, "target_delay": "5 ms"}

    def said(**fields: object) -> str:
        return refusal(dumbbell(), {"dumbbell.bottleneck.queue": {**queue, **fields}})

    assert said(min_th=10) == (
        "dumbbell.bottleneck.queue.min_th: 10.0 is not allowed; must be absent: target_delay (5 ms) chooses it"
    )
    assert said(w_q=0.01).startswith("dumbbell.bottleneck.queue.w_q: 0.01 is not allowed; must be absent")
    assert said() == ""
    assert said(min_th=10, target_delay="off") == ""
    whole = dumbbell().changed({"dumbbell.bottleneck.queue": queue}).effective()
    assert whole.to_dict()["dumbbell"]["bottleneck"]["queue"]["min_th"] == 5
    assert refusal(whole, {"duration": "11 s"}) == "", "a result can be run again"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"flows.1.from": "a"}, ""),
        ({"flows.1.from": "b"}, "flows.1.to: 'b' is not allowed; must differ from the node in from"),
        ({"flows.1.from": "x"}, "flows.1.from: unknown node 'x'; must be one of a, b, c"),
        ({"links.1.from": "x"}, "links.1.from: unknown node 'x'; must be one of a, b, c"),
        ({"nodes.2.name": "a"}, "nodes.2.name: 'a' is not allowed; must be unique among names of its kind"),
        ({"links.1.name": "a->b"}, "links.1.name: 'a->b' is not allowed; must be unique"),
        ({"flows.0.name": "flows-1"}, "flows.1.name: 'flows-1' is not allowed; must be unique"),
        ({"links.1.duplex": False}, "flows.0.to: 'c' is not allowed; must have a route: no links lead from c"),
        ({"links.1.duplex": False, "flows.1.from": "a", "flows.0.to": "b"}, ""),
        ({"flows.0.transport": {"kind": "udp"}, "flows.0.source": {"kind": "poisson", "rate": 1},
          "links.1.duplex": False, "flows.1.from": "a"}, ""),
        ({"links": [{"from": "a", "to": "b", **LINK}]}, "flows.0.to: 'c' is not allowed; must have a route"),
        ({"links.0.delay": "0 s"}, ""),
        ({"links.0.delay": "0 s", "links.1.delay": "0 s"}, "measure.bin: missing; must be given when no link has a"),
        ({"links.0.delay": "0 s", "links.1.delay": "0 s", "measure.bin": "1 s"}, ""),
        ({"measure.link": "c->b"}, ""),
        ({"measure.link": "c->a"}, "measure.link: unknown link 'c->a'"),
        ({"flows": []}, "flows: missing; must be given: a scenario has dumbbell and clients, or nodes, links and"),
    ],
)  # fmt: skip
def test_limits_of_a_graph(changes: dict[str, Any], message: str) -> None:
    said = refusal(graph(), changes)
    assert message in said
    assert bool(said) == bool(message)


def test_connections_count_as_flows() -> None:
    requests = ac.Connections(load=0.5, size=ac.Fixed(mean="1 kB"), connections=10_000)
    scenario = dumbbell().changed({"clients.0.source": requests, "clients.1.count": 1})
    assert refusal(scenario, {"clients.0.count": 99}) == ""
    assert refusal(scenario, {"clients.0.count": 100}).startswith(
        "clients.1.count: 1 is not allowed; must keep the total at or below 1000000 (it is 1000001 here)"
    )
    assert refusal(scenario, {"clients.0.count": 101}).startswith(
        "clients.0.count: 101 is not allowed; must keep the total of connections at or below 1000000 (it is 1010000 "
    )
