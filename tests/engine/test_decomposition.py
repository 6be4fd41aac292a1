"""Components of a scenario, and wide-area scenarios with many components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import ackclock as ac
from ackclock.papers.manyflows.abstract import abstract_internet

NAMES = [f"d{place}" for place in range(12)]
LINK = ac.Link(rate="1.5 Mbps", delay="5 ms", queue=ac.DropTail(packets=10))

pairs = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1])


def network(connections: dict[tuple[str, str], int], *, transport: ac.Tcp | None = None) -> ac.Scenario:
    """Return a dozen domains behind T1 links, and greedy flows between them."""
    return ac.wide_area(
        dict.fromkeys(NAMES, LINK),
        connections,
        duration="5 s",
        transport=transport or ac.Tcp("reno"),
        source=ac.Greedy(),
        packet_size=500,
    )


def clusters(names: list[str], connections: dict[tuple[str, str], int]) -> np.ndarray:
    """Find the component of each domain by SciPy."""
    place = {name: number for number, name in enumerate(names)}
    ends = np.array([[place[sender], place[receiver]] for sender, receiver in connections])
    graph = coo_array((np.ones(len(ends)), ends.T), shape=(len(names), len(names)))
    return np.asarray(connected_components(graph, directed=False)[1])


@given(st.dictionaries(pairs, st.integers(1, 3), min_size=1, max_size=10))
@settings(max_examples=50, deadline=None)
def test_components_are_those_of_the_graph_of_domains(connections: dict[tuple[str, str], int]) -> None:
    """Domains that flows join, directly or through others, are one component.

    Validates: decomposition into independent components of a wide-area scenario.
    Source: SciPy's connected components; Qiu, Zhang and Keshav, section 2.2.
    Tolerance: none.
    """
    label = dict(zip(NAMES, clusters(NAMES, connections), strict=True))
    expected: dict[int, list[str]] = {}
    for sender, receiver in connections:
        expected.setdefault(label[sender], []).append(f"from-{sender}-to-{receiver}")
    found = ac.components(network(connections))
    assert [list(component.groups) for component in found] == list(expected.values())
    assert sum(component.flows for component in found) == sum(connections.values())


def test_what_happens_in_one_component_shows_in_no_other() -> None:
    connections = {("d0", "d1"): 3, ("d2", "d3"): 4, ("d1", "d4"): 2, ("d5", "d2"): 1}
    plain = network(connections)
    changed = plain.changed(
        {f"flows.{place}.transport.variant": "vegas" for place in (1, 3)} | {"links.2.rate": "64 kbps"}
    )
    tables = [ac.simulate(scenario, record=["drops@d0,d2", "acks"]) for scenario in (plain, changed)]
    for name in ("flows", "drops", "acks"):
        before, after = (run.table(name).to_pandas() for run in tables)
        own = [set(before["flow"][before["flow"] < 3]) | {7, 8}] * 2
        kept = [
            rows[rows["flow"].isin(mine)].reset_index(drop=True)
            for rows, mine in zip((before, after), own, strict=True)
        ]
        assert len(kept[0])
        assert kept[0].equals(kept[1])
        assert not before.equals(after)


@pytest.mark.parametrize("jobs", [2, 5])
def test_components_that_run_side_by_side_give_the_same_bytes(jobs: int) -> None:
    scenario = network({("d0", "d1"): 3, ("d2", "d3"): 4, ("d4", "d5"): 2, ("d6", "d7"): 1})
    record = ["drops", "packets@d2,d3.reverse", "queue@d11,d2/100ms", "windows", "arrivals@d4,d0"]
    alone, together = (ac.simulate(scenario, record=record, jobs=number) for number in (1, jobs))
    assert alone.summary == together.summary
    assert all(alone.table(name).equals(together.table(name)) for name in alone.tables)
    assert alone.table("packets").num_rows > 1000


def test_a_backbone_that_all_share_makes_one_component() -> None:
    connections = {("d0", "d1"): 3, ("d2", "d3"): 4}
    shared = ac.wide_area(
        dict.fromkeys(NAMES, LINK),
        connections,
        duration="5 s",
        transport=ac.Tcp("reno"),
        source=ac.Greedy(),
        packet_size=500,
        backbone=ac.Link(rate="1 Mbps", delay="1 ms"),
        measure=ac.Measure(link="backbone"),
    )
    assert len(ac.components(shared)) == 1
    assert len(ac.components(network(connections))) == 2
    # 1 Mbps is less than the rate of an access link, so packets wait there, including ACKs
    assert ac.simulate(shared).summary.queue_mean > 5


def test_random_traffic_has_one_giant_component_and_clustered_traffic_many() -> None:
    """The largest component of random traffic is that of a random graph.

    Validates: traffic between random domains has one giant component, clustered traffic small ones.
    Source: Erdos and Renyi 1960: the share S of a giant component solves S = 1 - exp(-c S), c the mean degree.
    Tolerance: 0.03, four standard deviations at 2,000 domains and c = 2.
    """
    names = [f"d{place}" for place in range(2000)]
    for degree in (2.0, 3.0):
        drawn = ac.clustered_connections(names, round(degree * len(names) / 2))
        share = np.bincount(clusters(names, drawn)).max() / len(names)
        assert share == pytest.approx(brentq(lambda s, c=degree: s - 1 + np.exp(-c * s), 0.1, 1.0), abs=0.03)
    below = ac.clustered_connections(names, round(0.5 * len(names) / 2))
    assert np.bincount(clusters(names, below)).max() < 30
    assert np.bincount(clusters(names, ac.clustered_connections(names, 20_000, cluster=10))).max() == 10


def test_connections_are_drawn_evenly_within_their_clusters() -> None:
    drawn = ac.clustered_connections(NAMES, 33_000, cluster=4)
    assert sum(drawn.values()) == 33_000
    assert len(drawn) == 36  # 12 ordered pairs in each of three clusters
    assert {NAMES.index(sender) // 4 - NAMES.index(receiver) // 4 for sender, receiver in drawn} == {0}
    # 917 each on average; the tolerance is four standard deviations of 30
    assert all(800 < count < 1040 for count in drawn.values())


def test_the_abstract_internet_has_the_papers_twelve_parameters() -> None:
    kinds = ("isdn", "t1", "t3")
    counts = {(sender, receiver): 1 + 3 * i + j for i, sender in enumerate(kinds) for j, receiver in enumerate(kinds)}
    scenario = abstract_internet(
        counts,
        delay="50 ms",
        buffer_in=20,
        buffer_out=60,
        duration="2 s",
        transport=ac.Tcp("reno"),
        source=ac.Greedy(),
    )
    assert [flow.count for flow in scenario.flows] == list(range(1, 10))
    links = {link.name: link for link in scenario.links}
    assert links["in.t1"].rate == "1500 kbps"
    assert [links[name].queue for name in ("in.t1", "out.isdn.reverse")] == [
        ac.DropTail(packets=20),
        ac.DropTail(packets=60),
    ]
    assert len(ac.components(scenario)) == 1
    # there and back over half of 50 ms each
    assert scenario.effective().measure.bin == "100 ms"


def twelve(*, delay: str = "50 ms", buffer_in: int = 20) -> ac.Scenario:
    return abstract_internet(
        {("t1", "t1"): 1},
        delay=delay,
        buffer_in=buffer_in,
        buffer_out=60,
        duration="2 s",
        transport=ac.Tcp("reno"),
        source=ac.Greedy(),
    )


def test_what_makes_no_network_is_refused() -> None:
    def refused(make: object, words: str) -> None:
        with pytest.raises(ac.ScenarioError, match=words):
            make()  # type: ignore[operator]

    refused(lambda: network({("d0", "d99"): 1}), "connections: 'd99' is not allowed; did you mean 'd9'")
    refused(lambda: network({}), "must map at least one pair of domains")
    refused(lambda: network({"ab": 1}), "connections: 'ab' is not allowed; must be a pair of domains")  # type: ignore[dict-item]
    refused(
        lambda: ac.wide_area(
            {"backbone": LINK, "a": LINK},
            {("a", "backbone"): 1},
            duration="1 s",
            transport=ac.Tcp("reno"),
            source=ac.Greedy(),
        ),
        "access: 'backbone' is not allowed; must not be a domain's name",
    )
    refused(lambda: ac.clustered_connections(["a", "a"], 5), "domains: .* must be two or more different names")
    refused(lambda: ac.clustered_connections(NAMES, 5, seed=-1), "seed: -1 is not allowed")
    refused(lambda: ac.clustered_connections(NAMES, 10**13), "count: 10000000000000 is not allowed")
    refused(lambda: twelve(delay="-5 ms"), "delay: '-5 ms' is not allowed")
    refused(lambda: twelve(buffer_in=0), "buffer_in: 0 is not allowed")
    refused(lambda: network({("d0", "d0"): 1}), "flows.0.to")
    refused(lambda: ac.clustered_connections(NAMES, 5, cluster=5), "cluster: 5 is not allowed; must divide")
    refused(lambda: ac.clustered_connections(NAMES, 0), "count: 0 is not allowed")
    refused(lambda: ac.components(None), "must be a Scenario")
    refused(lambda: ac.simulate(network({("d0", "d1"): 1}), jobs=0), "jobs: 0 is not allowed")
    refused(lambda: ac.simulate(network({("d0", "d1"): 1}), jobs="2"), "jobs: '2' is not allowed")  # type: ignore[arg-type]


def test_the_abstract_internet_has_moved_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="has moved to ackclock.papers.manyflows.abstract"):
        assert ac.abstract_internet is abstract_internet
