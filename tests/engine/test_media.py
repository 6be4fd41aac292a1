"""Links that share a medium, compared with arithmetic, published numbers and ns-3.

The tolerances were set from the arithmetic before the first run of the engine. Each run has a fixed seed.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING, Any

import pytest
from scipy import optimize

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Note = Callable[[str, object], None]

DOT11A: dict[str, Any] = {
    "aifs": "34 us",
    "preamble": "20 us",
    "overhead": 36,
    "aggregate_packets": 1,
}
"""802.11a at 5 GHz: DIFS, the preamble of OFDM, and frames of 24 + 8 + 4 bytes in addition to their data."""

DOT11B: dict[str, Any] = {
    "slot": "20 us",
    "sifs": "10 us",
    "aifs": "50 us",
    "cw_min": 31,
    "preamble": "192 us",
    "symbol": "0 s",
    "ack": "248 us",
    "overhead": 34,
    "aggregate_packets": 1,
}
"""802.11b with long preambles, and acknowledgements of 14 bytes at 2 Mb/s."""


def cell(
    rates: Sequence[str],
    *,
    up: bool = False,
    size: int = 1500,
    seconds: float = 5,
    load: float = 10_000,
    link: dict[str, Any] | None = None,
    transport: ac.Tcp | ac.Udp | None = None,
    sizes: Sequence[int] = (),
    **medium: Any,
) -> ac.Scenario:
    """Return an access point and stations, each with a flow of datagrams that fills its queue, or a greedy TCP flow."""
    stations = [f"s{number}" for number in range(len(rates))]
    links = [
        ac.GraphLink(
            from_="ap",
            to=station,
            name=station,
            rate=rate,
            delay="0 s",
            medium="wlan",
            queue=ac.DropTail(packets=200),
            **(link or {}),
        )
        for station, rate in zip(stations, rates, strict=True)
    ]
    source = ac.Constant(rate=load) if transport is None else ac.Greedy()
    ends = [(station, "ap") if up else ("ap", station) for station in stations]
    return ac.Scenario(
        duration=f"{seconds} s",
        packet_size=size,
        measure=ac.Measure(
            link="s0.reverse" if up else "s0",
            from_="500 ms",
            bin="100 ms",
            links=[f"{station}.reverse" if up else station for station in stations[1:]] or None,
        ),
        media=[ac.Medium(name="wlan", **medium)],
        nodes=[ac.Node("ap"), *(ac.Node(station) for station in stations)],
        links=links,
        flows=[
            ac.Flow(from_=a, to=b, packet_size=own, transport=transport or ac.Udp(), source=source)
            for (a, b), own in zip(ends, sizes or [size] * len(ends), strict=True)
        ],
    )


def goodputs(run: ac.Run) -> list[float]:
    """Return the goodput of each flow in Mb/s, without headers."""
    return [(group.payload_bps or 0) / 1e6 for group in run.summary.groups]


def shares(run: ac.Run) -> list[float]:
    """Return the share of the air time of each link, of that of all."""
    times = [link.air_time or 0 for link in run.summary.links]
    return [time / sum(times) for time in times]


def exchange(
    packets: int,
    size: int,
    mbps: float,
    *,
    preamble: float = 36,
    symbol: float = 4,
    overhead: int = 38,
    sifs: float = 16,
    ack: float | None = None,
) -> float:
    """Compute the time of a transmission and its acknowledgement, in microseconds."""
    one = size + overhead
    total = one if packets == 1 else packets * (4 + one) + (packets - 1) * (-(4 + one) % 4)
    time = 8 * total / mbps if symbol == 0 else math.ceil((8 * total + 22) / (mbps * symbol) - 1e-9) * symbol
    answer = (28 if packets == 1 else 32) if ack is None else ack
    return preamble + time + sifs + answer


@pytest.mark.parametrize(
    ("size", "most", "packets"), [(1500, 1, 1), (500, 1, 1), (1500, 64, 20), (500, 64, 58), (100, 64, 64)]
)
def test_a_station_without_backoff_sends_to_the_microsecond(size: int, most: int, packets: int) -> None:
    """One saturated link at 65 Mb/s with a contention window of 0.

    Validates: the number of packets in 4.5 s is that of whole exchanges, each AIFS, preamble, symbols, SIFS and
        acknowledgement; an aggregate of up to 4 ms has 20 packets of 1500 bytes, 58 of 500 or 64 of 100.
    Source: IEEE Std 802.11-2016, 10.13 and 19.4.3; computed by hand: 20 packets of 1544 bytes take 951 symbols, 58 of
        544 bytes 972.
    Tolerance: the packets of one exchange.
    """
    run = ac.simulate(cell(["65 Mbps"], size=size, load=100_000, cw_min=0, aggregate_packets=most), seed=1)
    cycle = 43 + exchange(packets, size, 65)
    assert run.summary.departures == pytest.approx(packets * 4.5e6 / cycle, abs=packets)
    assert run.summary.air_time == pytest.approx((cycle - 43) / cycle, abs=1e-3)
    assert run.summary.medium_busy == run.summary.air_time


@pytest.mark.parametrize(("size", "most"), [(1500, 1), (500, 1), (1500, 64), (100, 64)])
def test_a_station_alone_waits_for_half_its_window(size: int, most: int, record_property: Note) -> None:
    """One saturated link at 65 Mb/s with the contention window of best effort.

    Validates: throughput follows from the exchanges and a mean backoff of 7.5 slots.
    Source: Høiland-Jørgensen et al., "Ending the Anomaly", USENIX ATC 2017, section 2.2.1; Bianchi 2000 for one
        station.
    Tolerance: 1 %.
    """
    run = ac.simulate(cell(["65 Mbps"], size=size, load=100_000, aggregate_packets=most), seed=1)
    packets = {(1500, 64): 20, (100, 64): 64}.get((size, most), 1)
    expected = packets * 8 * size / (43 + 7.5 * 9 + exchange(packets, size, 65))
    measured = run.summary.throughput_bps / 1e6
    record_property("measured", f"{size} bytes, {packets} packets: {measured:.3f} for {expected:.3f} Mb/s")
    assert measured == pytest.approx(expected, rel=0.01)


def saturation(stations: int, payload: float, slot: float, success: float, collision: float) -> float:
    """Compute Bianchi's throughput of saturated stations, in Mb/s, for windows from 16 to 1024."""
    window, doublings = 16, 6

    def attempts(p: float) -> float:
        growth = p * sum((2 * p) ** power for power in range(doublings))
        return 2 / (1 + window + window * growth)

    p = optimize.brentq(lambda p: p - 1 + (1 - attempts(p)) ** (stations - 1), 1e-9, 1 - 1e-9)
    tau = attempts(p)
    any_ = 1 - (1 - tau) ** stations
    alone = stations * tau * (1 - tau) ** (stations - 1)
    return alone * payload / ((1 - any_) * slot + alone * success + (any_ - alone) * collision)


@pytest.mark.parametrize(("mbps", "ack"), [(6, 44), (54, 28)])
@pytest.mark.parametrize("stations", [2, 5, 10, 20])
def test_saturated_stations_have_the_throughput_of_bianchi(
    stations: int, mbps: int, ack: int, record_property: Note
) -> None:
    """Stations that always have a packet for the access point, without aggregation.

    Validates: the throughput of all of them together, with collisions and windows that double.
    Source: Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC 18(3), 2000,
        equations 7, 9 and 13.
    Tolerance: 1.5 %; the formula takes collisions for independent.
    """
    scenario = cell(
        [f"{mbps} Mbps"] * stations,
        up=True,
        seconds=20,
        load=5_000,
        ack=f"{ack} us",
        cw_max=1023,
        retries=255,
        **DOT11A,
    )
    run = ac.simulate(scenario, seed=1)
    measured = sum(goodputs(run)) / 1472 * 1500
    time = exchange(1, 1500, mbps, preamble=20, overhead=36, ack=ack) + 34
    expected = saturation(stations, 12_000, 9, time, time)
    record_property("measured", f"{stations} stations at {mbps} Mb/s: {measured:.3f} for {expected:.3f} Mb/s")
    assert measured == pytest.approx(expected, rel=0.015)


PUBLISHED = {5: 4.6899, 10: 4.3197, 20: 3.9589, 50: 3.4711}
"""Throughput in Mb/s at 6 Mb/s, with EIFS after collisions, in ns-3's example `wifi-bianchi`."""


@pytest.mark.parametrize("stations", PUBLISHED)
def test_saturated_stations_have_published_throughputs(stations: int, record_property: Note) -> None:
    """Stations of 802.11a at 6 Mb/s, with packets of 1500 bytes.

    Validates: throughput as tabulated by others, with their constants.
    Source: the table `bianchiResultsEifs` in ns-3's `src/wifi/examples/wifi-bianchi.cc`.
    Tolerance: 2 %; the table is of Bianchi's model, and ns-3's own runs may differ from it by 5 %.
    """
    scenario = cell(["6 Mbps"] * stations, up=True, seconds=30, load=1_000, ack="44 us", retries=255, **DOT11A)
    measured = sum(goodputs(ac.simulate(scenario, seed=1))) / 1472 * 1500
    record_property("measured", f"{stations} stations: {measured:.3f} for {PUBLISHED[stations]} Mb/s")
    assert measured == pytest.approx(PUBLISHED[stations], rel=0.02)


@pytest.mark.parametrize(("hosts", "slow"), [(2, 1.0), (2, 2.0), (2, 5.5), (5, 1.0), (10, 1.0)])
def test_a_slow_host_slows_all_others_down(hosts: int, slow: float, record_property: Note) -> None:
    """Hosts of 802.11b that always have a packet, all but one at 11 Mb/s.

    Validates: all hosts have about the same throughput, which is below the rate of the slow one.
    Source: Heusse, Rousseau, Berger-Sabbatel and Duda, "Performance anomaly of 802.11b", INFOCOM 2003, equations 1 to
        5, and its abstract: below 1 Mb/s beside a host of 1 Mb/s.
    Tolerance: 6 % of the mean, since the paper approximates contention and collisions; 10 % between hosts.
    """
    rates = [f"{slow} Mbps", *["11 Mbps"] * (hosts - 1)]
    run = ac.simulate(cell(rates, up=True, seconds=60, load=800, retries=255, **DOT11B), seed=1)
    measured = [value / 1472 * 1500 for value in goodputs(run)]
    contention = 20 * (1 + 1 - (1 - 1 / 31) ** (hosts - 1)) / (2 * hosts) * 31 / 2
    times = [50 + exchange(1, 1500, rate, preamble=192, symbol=0, overhead=34, sifs=10, ack=248) for rate in (11, slow)]
    fast, long = (time + contention for time in times)
    collisions = 1 - (1 - 1 / 31) ** (hosts - 1)
    jam = 2 / hosts * long + (1 - 2 / hosts) * fast
    expected = 12_000 / ((hosts - 1) * fast + long + collisions * jam * hosts)
    mean = sum(measured) / hosts
    record_property("measured", f"{hosts} hosts, one at {slow} Mb/s: {mean:.3f} for {expected:.3f} Mb/s")
    assert mean == pytest.approx(expected, rel=0.06)
    assert measured == pytest.approx([mean] * hosts, rel=0.1)
    assert mean < slow


ANOMALY = {
    "turns": (5, [1336, 1524, 1415], [0.10, 0.11, 0.79], [11.7, 13.4, 5.0]),
    "airtime": (18, [1537, 1544, 1415], [1 / 3, 1 / 3, 1 / 3], [42.2, 42.3, 2.2]),
}
"""Packets per aggregate of the fast stations, sizes of packets, shares of air time in the paper, and rates in Mb/s."""


@pytest.mark.parametrize("schedule", ANOMALY)
def test_airtime_fairness_ends_the_anomaly(schedule: str, record_property: Note) -> None:
    """An access point with two stations at 144.4 Mb/s and one at 7.2 Mb/s.

    The aggregates have the bytes that the paper's stations had: 6892, 7833 and 2914 with a FIFO, which serves stations
    in turn, and 28434, 28557 and 2914 with fair air time.

    Validates: with turns the slow station takes most of the air time; with fair air time each has a third, and the sum
        is three times as high.
    Source: Høiland-Jørgensen et al., "Ending the Anomaly", USENIX ATC 2017, table 1, the columns of its model. The
        rates with turns are computed by hand from the bytes and overheads: 550, 602 and 3406 us per aggregate. The
        paper has 9.7, 11.4 and 5.1 Mb/s, since it multiplies shares without overhead by rates with overhead. Its
        testbed measured 7.1, 6.3 and 5.3 Mb/s, and 38.8, 35.6 and 2.0 Mb/s.
    Tolerance: 1.5 points of the shares, 5 % of the rates.
    """
    most, sizes, times, rates = ANOMALY[schedule]
    constants: dict[str, Any] = {
        "aifs": "34 us",
        "preamble": "32 us",
        "symbol": "0 s",
        "ack": "19 us",
        "block_ack": "19 us",
    }
    scenario = cell(
        ["144.4 Mbps", "144.4 Mbps", "7.2 Mbps"],
        sizes=sizes,
        seconds=20,
        aggregate_packets=most,
        schedule=schedule,
        **constants,
    )
    run = ac.simulate(scenario, seed=1)
    found = [value * size / (size - 28) for value, size in zip(goodputs(run), sizes, strict=True)]
    record_property("measured", f"{schedule}: {[round(value, 1) for value in found]} for {rates} Mb/s")
    assert shares(run) == pytest.approx(times, abs=0.015)
    assert found == pytest.approx(rates, rel=0.05)


CUBIC = ac.Tcp("cubic")
NS3: dict[str, tuple[dict[str, Any], list[float]]] = {
    "one station, no aggregates": ({"rates": 1, "up": True, "aggregate_packets": 1}, [30.70, 30.71, 30.73]),
    "five stations, no aggregates": ({"rates": 5, "up": True, "aggregate_packets": 1}, [30.61, 30.52, 30.45]),
    "ten stations, no aggregates": ({"rates": 10, "up": True, "aggregate_packets": 1}, [28.74, 28.86, 28.75]),
    "one station, no aggregates, 500 bytes": (
        {"rates": 1, "up": True, "size": 500, "aggregate_packets": 1},
        [14.57, 14.58, 14.58],
    ),
    "one station": ({"rates": 1, "up": True}, [59.60, 59.61, 59.59]),
    "five stations": ({"rates": 5, "up": True}, [50.99, 50.69, 51.09]),
    "a download, no aggregates": ({"rates": 1, "transport": CUBIC, "aggregate_packets": 1}, [24.55, 24.58, 24.55]),
    "a download": ({"rates": 1, "transport": CUBIC}, [53.07, 52.29, 52.37]),
}
"""Goodput of ns-3.44 in Mb/s without headers, by cell, of runs 1 to 3."""


@pytest.mark.parametrize("name", NS3)
def test_simple_cells_agree_with_ns3(name: str, record_property: Note) -> None:
    """Cells of 802.11n at 5 GHz with 65 Mb/s, of stations with datagrams of 1500 bytes.

    Validates: the goodput of all stations together.
    Source: ns-3.44 (`StaWifiMac` and `ApWifiMac`, `HtMcs7`, control frames at 24 Mb/s, all nodes in one place, 10 s
        from 1 s after the start), with `UseExplicitBarAfterMissedBlockAck` false for five stations with aggregates. By
        default it asks for a block acknowledgement after each collision of aggregates, which takes time of its own:
        47.96 Mb/s.
    Tolerance: 3 % of the mean of three runs of each.
    """
    given, theirs = NS3[name]
    fields = {**given, "rates": ["65 Mbps"] * given["rates"], "aggregate_time": "5484 us", "load": 8_500}
    runs = ac.replicate(cell(seconds=10, **fields), seeds=3, jobs=1)
    ours = sum(sum(goodputs(run)) for run in runs) / 3
    expected = sum(theirs) / len(theirs)
    record_property("measured", f"{name}: {ours:.2f} for {expected:.2f} Mb/s")
    assert ours == pytest.approx(expected, rel=0.03)


def test_lost_packets_are_sent_again_and_keep_their_order() -> None:
    """A saturated link whose packets are lost in a third of their transmissions.

    Validates: no packet is lost for good with many retries; with few, the share `p^(retries + 1)` is; packets arrive in
        order.
    Source: independent losses.
    Tolerance: 1 % of the packets; order exact.
    """
    lossy = {"loss": ac.RandomLoss(probability=0.3, place="after")}
    for retries, lost in ((30, 0), (0, 0.3), (1, 0.09)):
        run = ac.simulate(cell(["65 Mbps"], link=lossy, retries=retries), seed=1, record=["packets@s0"])
        summary = run.summary
        assert summary.corrupted / summary.departures == pytest.approx(lost, abs=0.01 if lost else 0)
        packets = run.table("packets").to_pandas()
        arrivals = packets[packets["event"] == "receive"]
        assert arrivals["segment"].is_monotonic_increasing
        assert arrivals["time"].is_monotonic_increasing


def download(**medium: Any) -> ac.Scenario:
    """Return a dumbbell whose bottleneck shares a medium with its way back."""
    bottleneck = ac.Link(rate="65 Mbps", delay="1 ms", medium="wlan", queue=ac.FqCodel())
    return ac.Scenario(
        duration="5 s",
        measure=ac.Measure(from_="1 s", links=["bottleneck.reverse"]),
        media=[ac.Medium(name="wlan", **medium)],
        dumbbell=ac.Dumbbell(bottleneck=bottleneck, access=ac.Link(rate="1 Gbps", delay="5 ms")),
        clients=[ac.Clients(transport=ac.Tcp("cubic"), source=ac.Greedy())],
    )


def test_acks_compete_with_data() -> None:
    """A TCP flow whose ACKs share the medium, without and with aggregates, in a dumbbell.

    Validates: with aggregates TCP has more than twice the goodput; the links of both directions use the medium, and
        never more than all of it.
    Source: the medium is half-duplex.
    Tolerance: exact.
    """
    found = []
    for most in (1, 64):
        run = ac.simulate(download(aggregate_packets=most), seed=1)
        back = run.summary.links["bottleneck.reverse"]
        assert run.summary.air_time is not None
        assert back.air_time is not None
        assert 0 < back.air_time < run.summary.air_time < 1
        assert run.summary.medium_busy == back.medium_busy
        found.append(run.summary.goodput_bps)
    assert found[1] > 2 * found[0]


@pytest.mark.parametrize("queue", [ac.DropTail(packets=50), ac.FqCodel(), ac.Cake(), ac.CoDel()])
@pytest.mark.parametrize("form", ["graph", "dumbbell"])
def test_a_run_repeats_whatever_is_recorded(form: str, queue: ac.Queue) -> None:
    """TCP over a medium. In the dumbbell, endpoints enter one of its links directly, and packets reach the other.

    Validates: records and threads change no byte of the summary.
    Source: results depend on the scenario and the seed only.
    Tolerance: exact.
    """
    given = queue.model_dump(exclude_none=True)
    if form == "graph":
        both = cell(["65 Mbps", "6.5 Mbps"], transport=ac.Tcp("cubic"), seconds=2)
        scenario = both.changed({"links.0.queue": given})
    else:
        scenario = download(aggregate_packets=16).changed({"dumbbell.bottleneck.queue": given, "duration": "2 s"})
    plain = ac.simulate(scenario, seed=3)
    recorded = ac.simulate(scenario, seed=3, record=["packets@*", "queue@*/10ms", "throughput/100ms"], jobs=2)
    assert plain.summary == recorded.summary
    assert all(value > 0 for value in itertools.chain(goodputs(plain), shares(plain)))


@pytest.mark.parametrize(
    ("fields", "ceiling", "message"),
    [
        ({"framing": {"overhead": 10}}, None, "dumbbell.bottleneck.framing: must be absent on a link with a medium"),
        ({"queue": {"kind": "fq"}}, "10 Mbps", "dumbbell.bottleneck.queue.kind: 'fq' .* while groups have a ceiling"),
    ],
)
def test_what_a_medium_cannot_have_is_refused(fields: Any, ceiling: str | None, message: str) -> None:
    tables = download().to_dict()
    tables["dumbbell"]["bottleneck"] |= fields
    if ceiling is not None:
        tables["clients"][0]["ceiling"] = ceiling
    with pytest.raises(ac.ScenarioError, match=message):
        ac.Scenario.from_dict(tables)


def test_an_idle_link_of_a_busy_medium_knows_that_it_is_busy() -> None:
    """Two access points with a client each, and a link without flows on the second medium.

    Validates: the busy time of a medium is the same for all of its links, and each medium draws its own backoffs.
    Source: the definition of `medium_busy`.
    Tolerance: exact.
    """

    def link(a: str, b: str, medium: str) -> ac.GraphLink:
        return ac.GraphLink(
            from_=a, to=b, rate="54 Mbps", delay="0 s", medium=medium, duplex=False, queue=ac.DropTail(packets=50)
        )

    names = [("ap", "c1", "one"), ("c1", "ap", "one"), ("ap", "c2", "two"), ("c2", "ap", "two")]
    scenario = ac.Scenario(
        duration="1 s",
        measure=ac.Measure(link="ap->c1", bin="10 ms", links=["ap->c2", "c2->ap"]),
        media=[ac.Medium(name="one"), ac.Medium(name="two")],
        nodes=[ac.Node(name=name) for name in ("ap", "c1", "c2")],
        links=[link(*each) for each in names],
        flows=[
            ac.Flow(from_="ap", to=client, transport=ac.Udp(), source=ac.Constant(rate="80 Mbps"))
            for client in ("c1", "c2")
        ],
    )
    summary = ac.simulate(scenario, seed=1).summary
    busy, idle = (summary.links[name] for name in ("ap->c2", "c2->ap"))
    assert busy.medium_busy == idle.medium_busy
    assert busy.medium_busy is not None
    assert busy.medium_busy > 0.9
    assert busy.medium_busy != summary.medium_busy


def test_no_notice_blames_another_queue_for_a_wait_on_a_medium() -> None:
    """A slow station's queue waits for the medium much longer than its packets take at the rate of its link."""
    scenario = download(aggregate_packets=1).changed(
        {"dumbbell.bottleneck.rate": "6.5 Mbps", "dumbbell.bottleneck.queue": {"kind": "droptail", "packets": 300}},
        measure={"from": "1 s", "link": "bottleneck.reverse"},
    )
    assert not any("default limit" in notice for notice in ac.simulate(scenario, seed=1).notices)


def test_the_guide_has_each_constant_of_a_standard(root: Path) -> None:
    """Each constant of a medium is in the table of standards, except what is a choice of the network."""
    rows = re.findall(r"^\| (`.*?`) \|", (root / "docs/guide/wifi.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert set(ac.Medium.model_fields) - named == {"name", "overhead", "retries", "schedule"}
