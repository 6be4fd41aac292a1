"""Notices about what a scenario sets up and nothing uses: equal-cost paths, ECN."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.noticed import noticed

import ackclock as ac


def graph(joins: str, *flows: str) -> ac.Scenario:
    """Return an effective scenario of links such as ``a-b`` and flows such as ``a>d``."""
    links = [
        ac.GraphLink(from_=a, to=b, rate="10 Mbps", delay="1 ms")
        for a, b in (join.split("-") for join in joins.split())
    ]
    return ac.Scenario(
        duration="1 s",
        nodes=[ac.Node(name=name) for name in sorted({end for link in links for end in (link.from_, link.to)})],
        links=links,
        measure=ac.Measure(link=f"{links[0].from_}->{links[0].to}"),
        flows=[
            ac.Flow(count=3, from_=flow[0], to=flow[-1], transport=ac.Tcp("reno"), source=ac.Greedy()) for flow in flows
        ],
    ).effective()


def idle(scenario: ac.Scenario, seed: int = 1) -> list[str]:
    """Return the notices of a run about paths without packets."""
    notices = ac.simulate(scenario.changed(duration="10 ms"), seed=seed).notices
    return [notice for notice in notices if "several paths" in notice]


@pytest.mark.parametrize(
    ("joins", "flows", "expected"),
    [
        ("a-b b-c", ["a>c"], None),
        ("a-b b-d a-c c-d", ["a>d"], (3, "2 of the 4 links on these paths carry nothing: a->c, c->d.")),
        # both paths are in use: one by the data of another flow, or as the way of its ACKs
        ("a-b b-d a-c c-d", ["a>d", "a>c", "c>d"], None),
        (
            "a-b b-d a-c c-d",
            ["a>d", "d>a", "b>c"],
            (9, "2 of the 8 links on these paths carry nothing: c->d, d->c."),
        ),
        # the path over c and e is longer
        ("a-b b-d a-c c-e e-d", ["a>d"], None),
        # the other path begins after a common link
        ("a-b b-c c-e b-d d-e", ["a>e"], (3, "2 of the 5 links on these paths carry nothing: b->d, d->e.")),
    ],
)
def test_equal_paths(joins: str, flows: list[str], expected: tuple[int, str] | None) -> None:
    found = idle(graph(joins, *flows).changed(routing={"paths": "first"}))
    assert len(found) == (expected is not None)
    if expected:
        assert found[0].startswith(f"{expected[0]} flows have several paths with as few links: all flows between two")
        assert found[0].endswith(expected[1])


def test_hashes_that_use_all_paths_or_not() -> None:
    """Of three flows, all take one path with a probability of a quarter."""
    found = [idle(graph("a-b b-d a-c c-d", "a>d"), seed) for seed in range(1, 41)]
    told = [each[0] for each in found if each]
    assert 3 <= len(told) <= 19
    assert all("a hash of each flow selects its path" in each for each in told)


def test_many_idle_links_are_counted() -> None:
    middle = [f"a-{node} {node}-z" for node in "bcdefgh"]
    (found,) = idle(graph(" ".join(middle), "a>z").changed(routing={"paths": "first"}))
    assert found.endswith("12 of the 14 links on these paths carry nothing: a->c, c->z, a->d, d->z, a->e, e->z, ….")


def dumbbell(queue: Any, transport: ac.Tcp) -> ac.Scenario:
    return ac.Scenario(
        duration="1 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="1 Gbps", delay="1 ms"), bottleneck=ac.Link(rate="9 Mbps", delay="1 ms", queue=queue)
        ),
        clients=[ac.Clients(name="g", transport=transport, source=ac.Greedy())],
    ).effective()


@pytest.mark.parametrize(
    ("queue", "marks"),
    [
        (ac.DropTail(packets=9), False),
        (ac.DropTail(packets=9, mark_above=5), True),
        (ac.Queue("codel", ecn=False), False),
        (ac.Queue("codel", ecn=True), True),
        (ac.Queue("codel", ce_threshold="1 ms"), True),
        (ac.Queue("fq"), False),
        (ac.Queue("dualpi2"), True),
        (ac.Red(min_th=5, max_th=15, packets=50), False),
        (ac.Red(min_th=5, max_th=15, packets=50, ecn=True), True),
    ],
)
def test_ecn_with_a_queue_that_never_marks(queue: Any, marks: bool) -> None:  # noqa: FBT001  # a case
    assert noticed(dumbbell(queue, ac.Tcp("reno")), "ECN") == []
    found = noticed(dumbbell(queue, ac.Tcp("reno", ecn="classic")), "ECN")
    assert len(found) == (not marks)
    for each in found:
        assert each.startswith("ECN (classic) of group g has no effect: no queue that its data crosses marks packets")
        assert f"(droptail at the access links of g, {queue.kind} at bottleneck)" in each


def test_groups_with_unused_ecn_share_a_notice() -> None:
    """Five groups with one kind of feedback and one with another: a notice for each kind."""
    clients = [
        {"name": f"g{place}", "source": {"kind": "greedy"}, "transport": {"kind": "tcp", "variant": variant}}
        for place, variant in enumerate(["dctcp"] * 5 + ["prague"])
    ]
    whole = dumbbell(ac.DropTail(packets=9), ac.Tcp("reno")).to_dict() | {"clients": clients}
    several, one = sorted(noticed(ac.Scenario.from_dict(whole), "ECN"), key=len, reverse=True)
    assert several.startswith("ECN (dctcp) of 5 groups (g0, g1, g2, …) has no effect: no queue that their data crosses")
    assert "(droptail at the access links of g0, droptail at bottleneck, droptail at the access links of g1" in several
    assert one.startswith("ECN (accurate) of group g5 has no effect")


def test_laws_with_ecn_of_their_own() -> None:
    (found,) = noticed(dumbbell(ac.DropTail(packets=9), ac.Tcp("prague")), "ECN")
    assert found.startswith("ECN (accurate) of group g has no effect")


@pytest.mark.parametrize(
    ("fields", "queue", "unused"),
    [
        ({"weight": 2}, ac.Queue("fq"), []),
        ({"weight": 2, "ceiling": "1 Mbps"}, ac.Queue("fq_codel"), ["weight", "ceiling"]),
        ({"ceiling": "1 Mbps"}, ac.Queue("priority"), ["ceiling"]),
        ({"priority": 3}, ac.Queue("priority"), []),
        ({"priority": 3}, ac.DropTail(packets=9), ["priority"]),
        ({"dscp": "EF"}, ac.Queue("cake", tins="diffserv4"), []),
        ({"dscp": "EF"}, ac.Queue("cake"), ["dscp"]),
        ({"dscp": "CS0", "weight": 1, "priority": 0}, ac.DropTail(packets=9), []),
    ],
)
def test_fields_for_queues_that_no_queue_uses(fields: dict[str, Any], queue: Any, unused: list[str]) -> None:
    base = dumbbell(queue, ac.Tcp("reno"))
    scenario = base.changed({f"clients.0.{name}": value for name, value in fields.items()})
    found = noticed(scenario, "no queue that its packets cross uses it")
    assert [each.split()[1] for each in found] == unused
    for each in found:
        where = f"(droptail at the access links of g, {queue.kind} at bottleneck, droptail at bottleneck.reverse)"
        assert where in each


def test_rack_of_the_rfc_without_sack() -> None:
    queue = ac.DropTail(packets=9)
    (found,) = noticed(dumbbell(queue, ac.Tcp("rack", sack_blocks=0)), "has no SACK")
    assert found.startswith("Group g has no SACK (sack_blocks = 0), which RFC 8985 requires (section 4)")
    assert noticed(dumbbell(queue, ac.Tcp("rack", sack_blocks=0, rack="linux")), "has no SACK") == []
    assert noticed(dumbbell(queue, ac.Tcp("rack")), "has no SACK") == []
