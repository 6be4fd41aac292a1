"""Networks by name: sizes, names, replaced links, and paths of equal length."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import ackclock as ac
from ackclock.running.figures.network import tiers
from ackclock.scenario.routes import Routes, directed, routes_over

LINK = ac.Link(rate="10 Gbps", delay="1 us")
FAST = ac.Link(rate="40 Gbps", delay="2 us")


def whole(topology: Any, **fields: Any) -> ac.Scenario:
    """Return the effective scenario of a network with one flow."""
    joins = list(topology.joins())
    return ac.Scenario(
        **{
            "duration": "1 ms",
            "topology": topology,
            "measure": ac.Measure(link=f"{joins[0][0]}->{joins[0][1]}"),
            "flows": [ac.Flow(from_="h0", to="h1", transport=ac.Tcp("reno"), source=ac.Greedy())],
            **fields,
        }
    ).effective()


@pytest.mark.parametrize(
    ("topology", "hosts", "rows", "links"),
    [
        (ac.Star(hosts=5, access=LINK), 5, [5, 1], 5),
        (ac.DumbbellGraph(hosts=3, access=LINK, bottleneck=FAST), 6, [6, 2], 7),
        (ac.ParkingLot(bottlenecks=3, hosts=2, access=LINK, bottleneck=FAST), 8, [8, 4], 11),
        (ac.LeafSpine(leaves=3, spines=2, hosts=4, access=LINK, fabric=FAST), 12, [12, 3, 2], 18),
        # k = 4: k^3/4 hosts, k^2/2 edge and aggregation switches, k^2/4 core switches
        (ac.FatTree(k=4, access=LINK), 16, [16, 8, 8, 4], 48),
        (ac.FatTree(k=4, hosts=6, access=LINK), 48, [48, 8, 8, 4], 80),
        (ac.FatTree(k=6, access=LINK), 54, [54, 18, 18, 9], 162),
    ],
)
def test_sizes_and_names(topology: Any, hosts: int, rows: list[int], links: int) -> None:
    scenario = whole(topology)
    assert scenario.topology is None
    assert [len(row) for row in tiers(scenario)] == rows
    assert tiers(scenario)[0] == [f"h{host}" for host in range(hosts)]
    assert len(scenario.links) == links
    # a scenario that is read back has the same network
    assert ac.Scenario.from_dict(scenario.to_dict()).effective() == scenario


def test_switches_of_a_fat_tree_have_k_ports() -> None:
    ports = Counter(end for a, b, _ in ac.FatTree(k=8, access=LINK).joins() for end in (a, b))
    assert {ports[name] for name in ports if not name.startswith("h")} == {8}
    assert ports["h0"] == 1


@pytest.mark.parametrize(
    ("topology", "ends", "paths"),
    [
        (ac.LeafSpine(leaves=2, spines=3, hosts=1, access=LINK), ("h0", "h1"), 3),
        (ac.FatTree(k=4, access=LINK), ("h0", "h1"), 1),
        (ac.FatTree(k=4, access=LINK), ("h0", "h2"), 2),
        (ac.FatTree(k=4, access=LINK), ("h0", "h15"), 4),
        (ac.FatTree(k=8, access=LINK), ("h0", "h127"), 16),
    ],
)
def test_numbers_of_shortest_paths(topology: Any, ends: tuple[str, str], paths: int) -> None:
    """A fat tree has k/2 paths within a pod, and k*k/4 between pods (Al-Fares and others 2008)."""
    links = directed(whole(topology).links)
    assert routes_over(links).has_choice(ends) == (paths > 1)
    reached = {ends[0]: 1}
    while ends[1] not in reached:
        steps = [(link.from_, link.to) for link in links if link.from_ in reached]
        reached = {to: sum(reached[before] for before, after in steps if after == to) for _, to in steps}
    assert reached[ends[1]] == paths


def test_a_link_of_the_scenario_replaces_that_of_the_topology() -> None:
    slow = ac.GraphLink(from_="spine1", to="leaf0", rate="1 Gbps", delay="3 us", weight=5)
    more = ac.GraphLink(from_="h0", to="extra", rate="1 Gbps", delay="3 us")
    topology = ac.LeafSpine(leaves=2, spines=2, hosts=2, access=LINK, fabric=FAST)
    scenario = whole(topology, links=[slow, more], nodes=[ac.Node("extra")])
    rates = {link.name: link.rate for link in scenario.links}
    assert len(rates) == len(scenario.links) == 9
    assert rates["spine1->leaf0"] == "1 Gbps"
    assert rates["leaf0->spine0"] == "40 Gbps"
    assert "leaf0->spine1" not in rates


def test_fields_of_a_topology_can_be_changed() -> None:
    topology = ac.FatTree(k=4, access=LINK)
    scenario = ac.Scenario(
        duration="1 ms",
        topology=topology,
        measure=ac.Measure(link="h0->edge0.0", links="all"),
        flows=[ac.Flow(from_="h0", to="h15", transport=ac.Tcp("reno"), source=ac.Greedy())],
    )
    larger = scenario.changed({"topology.k": 6, "topology.access.rate": "1 Gbps"})
    assert len(larger.effective().links) == 162
    assert {link.rate for link in larger.effective().links} == {"1 Gbps"}
    assert len(scenario.effective().measure.links or ()) == 95


def test_a_choice_is_filled_in_only_where_there_is_one() -> None:
    assert whole(ac.Star(hosts=2, access=LINK)).routing is None
    assert whole(ac.Star(hosts=2, access=LINK), routing=ac.Routing("first")).routing is None
    across = [ac.Flow(from_="h0", to="h3", transport=ac.Tcp("reno"), source=ac.Greedy())]
    fabric = ac.LeafSpine(leaves=2, spines=2, hosts=2, access=LINK)
    assert whole(fabric, flows=across).routing == ac.Routing("ecmp")
    assert whole(fabric, flows=across, routing=ac.Routing("first")).routing == ac.Routing("first")


def test_routes_over_a_link() -> None:
    """A path leads over the link only where it is a shortest one."""
    ends = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "x"), ("x", "y"), ("y", "d")]
    routes = Routes(ends)
    assert routes.route("a", "d") == [0, 1]
    assert routes.through_link(["a", "d"], 3) == [2, 3]
    assert routes.through_link(["a", "d"], 5) == [0, 1]
    assert routes.route("d", "a") is None
    assert routes.route("a", "nowhere") is None
    assert Routes([("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")]).route("d", "b") is None
