"""Waiting in queues with the default limit is reported."""

from __future__ import annotations

from typing import Any

import pytest

import ackclock as ac

ROOM = "in queues with the default limit of"


def two_way(**reverse: Any) -> ac.Scenario:
    """Return short transfers in one direction and two greedy flows with large windows in the other."""
    tcp = ac.Tcp("reno", max_window=2000)
    small = ac.Transfers(size=ac.Fixed(mean="30 kB"), think=ac.Exponential(mean="200 ms"))
    return ac.Scenario(
        duration="10 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="1 Gbps", delay="1 ms"),
            bottleneck=ac.Link(rate="10 Mbps", delay="19 ms", queue=ac.DropTail(packets=33)),
            **reverse,
        ),
        clients=[
            ac.Clients(name="web", count=3, transport=tcp, source=small),
            ac.Clients(name="up", count=2, direction="reverse", transport=tcp, source=ac.Greedy()),
        ],
    )


def said(scenario: ac.Scenario) -> list[str]:
    return [notice for notice in ac.simulate(scenario).notices if ROOM in notice]


def test_a_reverse_queue_that_nobody_limited_is_reported() -> None:
    run = ac.simulate(two_way(), record=["packets@bottleneck.reverse"])
    notices = [notice for notice in run.notices if ROOM in notice]
    assert len(notices) == 1
    assert notices[0].startswith("Packets of group up waited ")
    assert "the default limit of 100,000 packets: bottleneck.reverse." in notices[0]
    assert "the round trip without queues (0.04 s)" in notices[0]
    rows = run.table("packets").to_pandas()
    data = rows[(rows["kind"] == "data") & (rows["retransmission"] == False) & (rows["flow"] >= 3)]  # noqa: E712
    times = data.pivot_table(index=["flow", "segment"], columns="event", values="time", observed=True)
    waits = (times["dequeue"] - times["enqueue"])[times["receive"].notna()]
    # of what was delivered within the run; the access link adds less than a millisecond
    assert float(notices[0].split()[5]) == pytest.approx(waits.mean(), rel=0.01)


def test_a_queue_that_is_limited_or_short_is_not() -> None:
    reverse = {"rate": "10 Mbps", "delay": "19 ms"}
    short = {"kind": "droptail", "packets": 33}
    assert said(two_way(reverse=ac.Link.model_validate(reverse | {"queue": short}))) == []
    fast = ac.Link.model_validate(reverse | {"rate": "1 Gbps", "queue": short | {"packets": 3000}})
    assert said(two_way(reverse=fast)) == []
    light = two_way().changed({"clients.1.source": {"kind": "poisson", "rate": 10}})
    assert said(light) == []


def test_a_wait_at_the_measured_link_is_reported_too() -> None:
    """The bottleneck of the forward flows is measured, and its queue has the default limit."""
    deep = two_way().changed({"dumbbell.bottleneck.queue.packets": 100_000, "clients.1.direction": "forward"})
    run = ac.simulate(deep)
    (notice,) = [notice for notice in run.notices if ROOM in notice and "group up" in notice]
    assert notice.endswith("one bandwidth-delay product.")
    assert "packets: bottleneck. That" in notice
    # the access link adds less than a millisecond
    assert float(notice.split()[5]) == pytest.approx(run.groups["up"].sojourn_mean, rel=0.01)


def test_a_graph_is_looked_through_as_well() -> None:
    """Before it reaches the measured link, the flow waits at a slow link with the default queue limit."""
    nodes = [ac.Node(name=name) for name in "abc"]
    links = [
        ac.GraphLink(from_="a", to="b", rate="2 Mbps", delay="10 ms"),
        ac.GraphLink(from_="b", to="c", rate="10 Mbps", delay="10 ms"),
    ]
    flow = ac.Flow(from_="a", to="c", transport=ac.Tcp("reno", max_window=500), source=ac.Greedy())
    scenario = ac.Scenario(duration="10 s", measure=ac.Measure(link="b->c"), nodes=nodes, links=links, flows=[flow])
    assert "packets: a->b. That" in said(scenario)[0]
    assert "packets: a->b. That" in said(scenario.changed({"measure.link": "a->b"}))[0]
