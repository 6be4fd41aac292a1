"""Open-loop sources: connections at random times, each with one transfer."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ackclock as ac
from ackclock.scenario.size_tables import TABLES

RATE = 100e6
PACKET = 1500


def scenario(*, load: float, size: Any, seconds: int = 30, count: int = 4, **more: Any) -> ac.Scenario:
    """Return open-loop clients on a dumbbell of 100 Mb/s with a 10 ms round trip and a buffer for any burst."""
    connections = more.pop("connections", 256)
    queue = ac.DropTail(packets=more.pop("packets", 100_000))
    clients = ac.Clients(
        name="web",
        count=count,
        transport=ac.Tcp("sack", **more),
        source=ac.Connections(load=load, size=size, connections=connections),
    )
    network = ac.Dumbbell(
        access=ac.Link(rate="1 Gbps", delay="1 ms"), bottleneck=ac.Link(rate="100 Mbps", delay="4 ms", queue=queue)
    )
    return ac.Scenario(duration=f"{seconds} s", dumbbell=network, clients=[clients])


@pytest.fixture(scope="module")
def light() -> ac.Run:
    """Run transfers of one packet at 5 % load, which rarely overlap."""
    return ac.simulate(scenario(load=0.05, size=ac.Fixed(mean="1 kB")), record=["transfers"])


def test_requests_are_a_poisson_process_of_the_load(light: ac.Run) -> None:
    """The requests of all clients together form a Poisson process.

    Validates: `load` is the requests' share of the link's rate, SYNs included; their superposition over the clients is
        Poisson.
    Source: gaps of a Poisson process are independent exponentials, and the variance of its counts equals the mean
        (Kingman, Poisson Processes, 1993).
    Tolerance: gaps at the 0.1 % level of Kolmogorov and Smirnov's test, the count of 12,000 to four standard errors.
    """
    starts = light.table("transfers")["start"].to_numpy()
    rate = 0.05 * RATE / (8 * (PACKET + 40))
    assert abs(len(starts) - 30 * rate) < 4 * math.sqrt(30 * rate)
    gaps = np.diff(starts, prepend=0)
    assert stats.kstest(gaps, stats.expon(scale=1 / rate).cdf).pvalue > 0.001
    assert abs(np.corrcoef(gaps[1:], gaps[:-1])[0, 1]) < 4 / math.sqrt(len(gaps))


def test_alone_a_transfer_takes_its_ideal_time_and_little_more_at_low_load(light: ac.Run) -> None:
    """Without a queue, transfers are hardly slower than ideal.

    Validates: each transfer opens a new connection (its time includes the handshake); slowdowns are at least 1.
    Source: M/D/1: at load rho a packet waits rho / (2 (1 - rho)) = 2.6 % of its transmission time on average (Pollaczek
        and Khinchine), here at most 120 us of the ideal 15.1 ms, for the SYN and for the packet.
    Tolerance: the bound, 1e-3 of the ideal time; the median is the ideal time to 1e-9.
    """
    slowdowns = light.table("transfers")["slowdown"].drop_null().to_numpy()
    assert slowdowns.min() >= 1 - 1e-12
    assert np.median(slowdowns) == pytest.approx(1, abs=1e-9)
    assert slowdowns.mean() - 1 < 1e-3
    group = light.groups["web"]
    assert (group.retransmissions, group.timeouts) == (0, 0)
    assert [notice.partition(" in ")[0] for notice in light.notices] == ["Group web was limited by its application"]
    assert group.completion_p99 == pytest.approx(0.01514, rel=0.01)


def test_the_load_is_the_utilization_in_the_long_run() -> None:
    """Check the mean size in whole packets, for every distribution of sizes.

    Validates: `load` agrees with the mean amount sent, for every distribution and for small transfers.
    Source: renewal reward: the offered bit rate is the rate of requests times the mean size.
    Tolerance: four standard errors of the sum of a Poisson number of sizes, estimated from the sizes of the run.
    """
    sizes = [
        ac.Fixed(mean="2 kB"),
        ac.Exponential(mean="3 kB"),
        ac.Lognormal(mean="20 kB", sigma=1.5),
        ac.Pareto(mean="10 kB", shape=2.5),
        ac.SizeTable(cdf=[("100 B", 0.3), ("2 kB", 0.6), ("100 kB", 1)]),
    ]
    for size in sizes:
        run = ac.simulate(scenario(load=0.3, size=size, seconds=20), record=["transfers"])
        packets = run.table("transfers")["packets"].to_numpy()
        wire = packets * PACKET + 40.0
        asked, error = 8 * wire.sum() / RATE / 20, 8 * math.sqrt((wire**2).sum()) / RATE / 20
        assert abs(asked - 0.3) < 4 * error, size
        assert run.summary.utilization == pytest.approx(asked, rel=0.03), size


def test_published_sizes_have_their_distribution() -> None:
    """Check drawn sizes against the published points and means.

    Validates: the named tables and their interpolation.
    Source: the points; published means of 1138 and 5117 packets (web search 1141 with linear interpolation).
    Tolerance: Kolmogorov and Smirnov's test at the 0.1 % level, for sizes above the first point, which has a
        probability mass.
    """
    assert round(ac.SizeTable("web-search").mean_bytes / 1460) == 1141
    assert round(ac.SizeTable("data-mining").mean_bytes / 1460) == 5117
    run = ac.simulate(
        scenario(load=0.4, size=ac.SizeTable("web-search"), seconds=60, packets=200), record=["transfers"]
    )
    packets = run.table("transfers")["packets"].to_numpy()
    values, shares = zip(*TABLES["web-search"].packets, strict=True)
    first = (packets == values[0]).mean()
    assert abs(first - shares[0]) < 4 * math.sqrt(shares[0] / len(packets))
    # sizes are rounded up to whole packets, which does not change the probability of at most n packets
    above = np.sort(packets[packets > values[0]])
    expected = (np.interp(above, values, shares) - shares[0]) / (1 - shares[0])
    found = np.searchsorted(above, above, side="right") / len(above)
    assert np.abs(found - expected).max() * math.sqrt(len(above)) < 1.95


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "web-search",
            "6 0.15, 13 0.2, 19 0.3, 33 0.4, 53 0.53, 133 0.6, 667 0.7, 1333 0.8, 3333 0.9, 6667 0.97, 20000 1",
        ),
        ("data-mining", "1 0.5, 2 0.6, 3 0.7, 7 0.8, 267 0.9, 2107 0.95, 66667 0.99, 666667 1"),
    ],
)
def test_published_sizes_are_the_points_of_the_scripts(name: str, lines: str) -> None:
    """Validates: every point of the named tables.
    Source: the files CDF_dctcp.tcl and CDF_vl2.tcl of pFabric's scripts: packets of 1460 bytes, and shares.
    Tolerance: none.
    """
    points = [(float(packets), float(share)) for packets, share in map(str.split, lines.split(","))]
    assert list(TABLES[name].packets) == points
    assert list(TABLES[name].points) == [(1460 * packets, share) for packets, share in points]


def test_processor_sharing_is_what_long_transfers_come_near() -> None:
    """Compare completion times with a queue that shares its server equally.

    Validates: load and completion times together, compared with an independent law.
    Source: M/G/1 with processor sharing: the mean time of a request is its time on an idle link divided by 1 - rho
        (Kleinrock, Queueing Systems II, 1976), for every distribution. TCP adds its handshake, slow start and queueing:
        30 ms to the 500 ms of a mean transfer on an idle link.
    Tolerance: from 5 % below to 20 % above: over six seeds the ratio was 1.09, with a standard deviation of 0.05.
    """
    slow = scenario(load=0.5, size=ac.Exponential(mean="600 kB"), seconds=1500, packets=30)
    run = ac.simulate(slow.changed({"dumbbell.bottleneck.rate": "10 Mbps"}), record=["transfers"])
    table = run.table("transfers").to_pandas().dropna()
    alone = table["packets"].sum() * 8 * PACKET / 10e6
    assert 0.95 < table["completion"].sum() / alone * (1 - run.summary.utilization) < 1.2


def test_requests_do_not_depend_on_the_network() -> None:
    """Requests are the same on a fast network and on a network with much loss, as an open loop requires."""

    def requests(run: ac.Run) -> list[tuple[float, int]]:
        return [(row["start"], row["packets"]) for row in run.table("transfers").to_pylist()]

    size = ac.Pareto(mean="30 kB", shape=1.3)
    good = ac.simulate(scenario(load=0.5, size=size, seconds=5), record=["transfers"])
    bad = ac.simulate(scenario(load=0.5, size=size, seconds=5, packets=5), record=["transfers"])
    assert requests(good) == requests(bad)
    assert good.summary.loss == 0
    assert (bad.summary.loss or 0) > 0.1


def test_requests_beyond_the_connections_wait_and_are_reported() -> None:
    """No request is lost if a client has too few connections, and a notice reports it."""
    run = ac.simulate(
        scenario(load=1.5, size=ac.Fixed(mean="100 kB"), seconds=4, count=1, connections=2), record=["transfers"]
    )
    table = run.table("transfers").to_pandas()
    open_ = table["end"].isna().sum()
    starts, ends = table["start"].to_numpy(), table["end"].to_numpy()
    busy = [((starts <= at) & ~(ends <= at)).sum() for at in (1, 2, 3)]
    assert min(busy) > 2, "more are asked for than served at a time"
    assert table["flow"].nunique() <= 2
    assert open_ > 10
    notices = " ".join(run.notices)
    assert "requests of group web waited for a connection, because each client has at most 2 at a time." in notices
    assert f"{open_} of {len(table)} transfers of group web were incomplete" in notices
    assert "Requests offer 150% of the rate of bottleneck" in notices


def test_a_flow_is_used_again_with_nothing_left_of_the_connection_before() -> None:
    """Consecutive connections on one flow have equal completion times.

    Validates: each connection has its own handshake and slow start, without state from earlier ones.
    Source: completion times of the same size on an idle path are equal.
    Tolerance: exact to a picosecond, at times of up to a minute as floating-point numbers.
    """
    run = ac.simulate(
        scenario(load=0.002, size=ac.Fixed(mean="60 kB"), seconds=60, count=1, connections=1), record=["transfers"]
    )
    rows = run.table("transfers").to_pandas()
    alone = rows[rows["start"] > rows["end"].shift(fill_value=0)]["completion"].dropna()
    assert len(alone) > 15
    assert alone.max() - alone.min() < 1e-10
    assert run.table("flows").column("flow").to_pylist() == [0]
    assert run.table("flows").column("completed").to_pylist() == [run.groups["web"].completed]


def test_records_of_flows_take_connections_in() -> None:
    """Windows and ACKs of connections are recorded, and recording does not change the run."""
    web = scenario(load=0.3, size=ac.Exponential(mean="50 kB"), seconds=2, connections=8)
    run = ac.simulate(web, record=["transfers", "windows@web", "acks", "packets@*"])
    assert run.summary == ac.simulate(web).summary
    flows = set(run.table("transfers")["flow"].to_pylist())
    assert set(run.table("windows")["flow"].to_pylist()) == flows == set(run.table("acks")["flow"].to_pylist())
    kinds = run.table("packets").to_pandas().query("link == 'bottleneck' and event == 'enqueue' and kind == 'syn'")
    assert len(kinds) == len(run.table("transfers")) - (run.table("transfers")["start"].to_numpy() > 1.998).sum()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"load": 0}, "clients.0.source.load: 0 is not allowed; must be a number from 1e-09 to 100"),
        ({"connections": 0}, "clients.0.source.connections: 0 is not allowed; must be an integer from 1 to 10000"),
        ({"size": {"kind": "table"}}, "clients.0.source.size.name: missing; must be one of web-search, data-mining"),
        ({"size": {"kind": "table", "name": "web"}}, "must be one of web-search, data-mining"),
        ({"size": {"kind": "table", "cdf": [["1 kB", 0.5]]}}, "with 1 as the last share"),
        (
            {"size": {"kind": "table", "cdf": [["1 kB", 0.5], ["1 B", 1]]}},
            "must not be below the value in the pair before",
        ),
        (
            {"size": {"kind": "table", "cdf": [["1 kB", 0.5], ["2 kB", 0.5]]}},
            "must be above the share in the pair before",
        ),
        ({"size": {"kind": "table", "cdf": [["0 B", 1]]}}, "must end with a size above 0 B"),
        ({"size": {"kind": "table", "name": "web-search", "cdf": [["1 kB", 1]]}}, "must be absent when"),
        (
            {"size": {"kind": "fixed", "mean": "1 s"}},
            "clients.0.source.size.mean: '1 s' is not allowed; must be a size",
        ),
        ({"size": {"kind": "fixed", "mean": "1 B"}, "load": 100}, "must give at most 30,000,000 requests in 9000 s"),
    ],
)
def test_what_cannot_be_meant_is_refused(change: dict[str, Any], message: str) -> None:
    """Errors name the field, the value and the allowed values."""
    tables = scenario(load=0.5, size=ac.SizeTable("web-search"), seconds=9000).to_dict()
    tables = json.loads(json.dumps(tables))
    tables["clients"][0]["source"] |= change
    with pytest.raises(ac.ScenarioError) as caught:
        ac.simulate(ac.Scenario.from_dict(tables))
    assert message in str(caught.value)


def test_it_needs_tcp_and_survives_a_round_trip() -> None:
    """Other transports are refused, and TOML preserves the scenario."""
    web = scenario(load=0.5, size=ac.SizeTable(cdf=[("1 kB", 0.5), ("100 kB", 1)]))
    assert ac.Scenario.from_dict(web.to_dict()) == web
    with pytest.raises(ac.ScenarioError, match="over UDP, no window limits the sending rate of other sources"):
        web.changed({"clients.0.transport": {"kind": "udp"}})


def test_captures_are_refused() -> None:
    """Captures are refused, because several connections on one flow would look like a single one."""
    with pytest.raises(ac.ScenarioError, match="the connections of group web share flows"):
        ac.simulate(scenario(load=0.5, size=ac.Fixed(mean="2 kB")), capture=["bottleneck"])


def test_several_links_are_measured_in_one_run(tmp_path: Any) -> None:
    """Check further links: their numbers are those that the link has when it is the measured one.

    Validates: `measure.links`, by name, in results and stores.
    Source: a separate run for each link.
    Tolerance: exact.
    """
    hops = [ac.GraphLink(name=f"hop{n}", from_=f"n{n}", to=f"n{n + 1}", rate="10 Mbps", delay="5 ms") for n in range(3)]
    flows = [
        ac.Flow(from_="n0", to="n3", transport=ac.Tcp("reno"), source=ac.Greedy()),
        ac.Flow(from_="n1", to="n2", count=2, transport=ac.Tcp("reno"), source=ac.Poisson(rate=400)),
    ]

    def of(link: str, *further: str) -> ac.Scenario:
        measure = ac.Measure(link=link, bin="50 ms", from_="1 s", links=further or None)
        nodes = [ac.Node(name=f"n{n}") for n in range(4)]
        return ac.Scenario(duration="5 s", measure=measure, nodes=nodes, links=hops, flows=flows)

    run = ac.simulate(of("hop1", "hop0", "hop2", "hop2.reverse"))
    assert run.summary.links.names == ("hop1", "hop0", "hop2", "hop2.reverse")
    for name in run.summary.links.names:
        alone = ac.simulate(of(name))
        assert alone.summary.links[0] == run.summary.links[name]
        assert alone.summary.links[0].loss == alone.summary.loss
    with pytest.raises(ac.ScenarioError, match="links: unknown link 'hop'"):
        run.summary.links["hop"]
    run.save(tmp_path / "run")
    from ackclock.running.result import load  # noqa: PLC0415

    assert load(tmp_path / "run").summary == run.summary
    assert "links" not in ac.simulate(of("hop1")).summary.to_dict()
    runs = ac.replicate(of("hop1", "hop0"), seeds=2)
    assert runs.links["hop0"].utilization.values == tuple(run.summary.links["hop0"].utilization for run in runs)
    for wrong, message in (("hop9", "measure.links.1"), ("hop1", "must differ from measure.link")):
        with pytest.raises(ac.ScenarioError, match=message):
            of("hop1", "hop0", wrong)


def test_a_store_has_the_links_of_its_runs(tmp_path: Any) -> None:
    """SQL can query the numbers of further measured links."""
    web = scenario(load=0.3, size=ac.Exponential(mean="50 kB"), seconds=2)
    web = web.changed({"measure": {"links": ["bottleneck.reverse"]}})
    store = ac.sweep(web, store=tmp_path / "store", over={"clients.0.source.load": [0.2, 0.4]}, replications=3)
    rows = store.sql(
        'select "clients.0.source.load" as load, links.name, links.utilization, runs.utilization as main '
        "from links join runs using (run_id) order by all"
    )
    found = rows.to_pylist()
    assert len(found) == 12
    for row in found:
        if row["name"] == "bottleneck":
            assert row["utilization"] == row["main"]
    assert {row["name"] for row in found} == {"bottleneck", "bottleneck.reverse"}


def test_parts_and_threads_give_the_same() -> None:
    """The number of components that run in parallel does not change the result."""
    nodes = [ac.Node(name=f"n{n}") for n in range(6)]
    links = [
        ac.GraphLink(name=f"l{n}", from_=f"n{2 * n}", to=f"n{2 * n + 1}", rate="20 Mbps", delay="3 ms")
        for n in range(3)
    ]
    flows = [
        ac.Flow(
            name=f"f{n}",
            from_=f"n{2 * n}",
            to=f"n{2 * n + 1}",
            count=2,
            transport=ac.Tcp("sack"),
            source=ac.Connections(load=0.4, size=ac.Exponential(mean="30 kB"), connections=4),
        )
        for n in range(3)
    ]
    measure = ac.Measure(link="l1", bin="50 ms", links=["l0", "l2"])
    graph = ac.Scenario(duration="5 s", measure=measure, nodes=nodes, links=links, flows=flows)
    one, two = (ac.simulate(graph, record=["transfers"], jobs=jobs) for jobs in (1, 3))
    assert one.summary == two.summary
    assert one.table("transfers").equals(two.table("transfers"))
    assert set(one.table("flows")["group"].to_pylist()) == {"f0", "f1", "f2"}
    assert one.summary.links["l0"].utilization == pytest.approx(0.4, rel=0.2)
