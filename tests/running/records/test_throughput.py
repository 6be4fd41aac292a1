"""The record ``throughput``: bytes per bin that reach the application of a flow, or leave a link."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.running.plan import plan
from ackclock.running.records import understand

QUEUES = ("droptail", "codel")


def scenario(queue: str = "droptail") -> ac.Scenario:
    """Make a network of TCP flows, of transfers, and of UDP with packets of random sizes; 4 s are measured of 8 s."""
    return ac.Scenario(
        profile="linux",
        duration="8 s",
        measure=ac.Measure(from_="4 s"),
        dumbbell=ac.Dumbbell(
            bottleneck=ac.Link(rate="10 Mbps", delay="10 ms", queue=ac.Queue(kind=queue, packets=30)),
            access=ac.Link(rate="100 Mbps", delay="1 ms"),
        ),
        clients=[
            ac.Clients(name="bulk", count=3, transport=ac.Tcp("cubic"), source=ac.Greedy()),
            ac.Clients(
                name="web",
                count=2,
                transport=ac.Tcp("cubic"),
                source=ac.Transfers(size=ac.Fixed(mean="50 kB"), think=ac.Fixed(mean="100 ms")),
            ),
            ac.Clients(
                name="udp", transport=ac.Udp(packet_sizes="exponential"), source=ac.Poisson(rate=100), packet_size=600
            ),
        ],
    )


def of_flows(run: ac.Run) -> Any:
    return run.table("throughput").to_pandas()


@pytest.mark.parametrize("queue", QUEUES)
def test_bins_of_flows_add_up_to_their_goodput(queue: str) -> None:
    """Flows of TCP and UDP, with losses, measured from a bin on.

    Validates: the bytes of the bins in the measured time are the goodput of each flow and group.
    Source: docs/measures.md.
    Tolerance: exact.
    """
    run = ac.simulate(scenario(queue), record=["throughput/500ms"])
    table = of_flows(run)
    assert list(table.columns) == ["time", "flow", "group", "bytes"]
    assert len(table) == 16 * 6
    measured = table[table.time >= 4]
    flows = run.table("flows").to_pandas()
    assert (8 * measured.groupby("flow").bytes.sum() / 4).to_list() == flows.goodput_bps.to_list()
    for group in run.groups:
        own = measured[measured.group == group.name].bytes.sum()
        assert 8 * own / 4 == group.goodput_bps
    tcp = flows.flow < 5
    assert (measured[measured.flow < 5].groupby("flow").bytes.sum() / 1500).to_list() == flows[
        tcp
    ].goodput_packets.to_list()
    assert run.summary.drops > 0


@pytest.mark.parametrize("queue", QUEUES)
def test_bins_of_a_link_add_up_to_its_departures(queue: str) -> None:
    """Two links, one without and one with packets of several sizes.

    Validates: the bytes of the bins in the measured time are those of the departures, as in the record `packets`.
    Source: docs/measures.md.
    Tolerance: exact.
    """
    base = scenario(queue)
    run = ac.simulate(base, record=["throughput@bottleneck,access.0/1s", "packets@bottleneck,access.0"])
    table = of_flows(run)
    assert list(table.columns) == ["time", "link", "bytes"]
    assert len(table) == 8 * 2
    packets = run.table("packets").to_pandas()
    sent = packets[packets.event == "dequeue"]
    for link in ("bottleneck", "access.0"):
        bins = sent[sent.link == link].groupby(sent.time.floordiv(1)).bytes.sum()
        assert table[table.link == link].bytes.to_list() == bins.reindex(range(8), fill_value=0).to_list()
    assert len(sent[(sent.link == "bottleneck") & (sent.time >= 4)]) == run.summary.departures


def test_a_record_of_one_kind_does_not_need_the_other() -> None:
    both = ac.simulate(scenario(), record=["throughput@bulk,5/1s"])
    assert set(of_flows(both).flow) == {0, 1, 2, 5}
    all_flows = of_flows(ac.simulate(scenario(), record=["throughput/1s", "packets@bottleneck"]))
    assert of_flows(both).bytes.to_list() == all_flows[all_flows.flow.isin([0, 1, 2, 5])].bytes.to_list()


def test_the_interval_is_that_of_the_bins_by_default() -> None:
    run = ac.simulate(scenario().changed({"measure.bin": "250 ms"}), record=["throughput@0"])
    assert of_flows(run).time.to_list() == [0.25 * place for place in range(32)]


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("throughput@bottleneck,0", "there is no group or flow 'bottleneck'"),
        ("throughput@bottlenek", "or only links: did you mean 'bottleneck'?"),
        ("throughput@9", "or flow numbers from 0 to 5; or only links"),
        ("throughput/0s", "the interval must be above 0 s"),
        ("throughput/1us", "must fill at most 50000000 rows"),
    ],
)
def test_what_cannot_be_recorded_is_refused(request_: str, says: str) -> None:
    with pytest.raises(ac.ScenarioError) as caught:
        ac.simulate(scenario().changed({"duration": "100 s"}), record=[request_])
    assert says in str(caught.value)


def test_a_group_with_the_name_of_a_link_is_the_group() -> None:
    named = scenario().changed({"clients.0.name": "bottleneck"}).effective()
    (record,) = understand(["throughput@bottleneck/1s"], named)
    assert (record.of_links, record.numbers) == (False, (0, 1, 2))
    (spec,) = json.loads(plan(named, [record], ()))["records"]
    assert spec == {"kind": "throughput", "flows": [0, 1, 2], "bin": 10**12}


def test_figures_are_of_flows_or_of_a_link() -> None:
    flows = ac.simulate(scenario(), record=["throughput/1s", "packets@bottleneck"])
    assert flows.plot().axes[0].get_ylabel() == "Goodput, Mb/s"
    axes = flows.plot(figure="throughput", flow=0).axes[0]
    mean = of_flows(flows).query("flow == 0").bytes.mean() * 8e-6
    assert np.asarray(axes.lines[0].get_ydata(), dtype=np.float64).mean() == pytest.approx(mean)
    link = ac.simulate(scenario(), record=["throughput@bottleneck/1s"])
    assert link.plot(link="bottleneck").axes[0].get_ylabel() == "Throughput of bottleneck, Mb/s"
    with pytest.raises(ac.ScenarioError, match="flow: 0 is not allowed; must be absent"):
        link.plot(flow=0)
    runs = ac.replicate(scenario(), seeds=2, record=["throughput/1s"], jobs=1)
    assert len(runs.plot().axes[0].collections) == 6, "an interval for each of six flows"
