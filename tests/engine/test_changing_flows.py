"""Flows that change in a run: their path, and the parameters of their congestion control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.running.plan import plan

if TYPE_CHECKING:
    from collections.abc import Sequence


def two_paths(*changes: ac.Change, via: Sequence[str] | None = None, **flow: Any) -> ac.Scenario:
    """Return a flow from a to c: over b, which takes 10 ms, or over m and n, which takes 50 ms."""

    def link(a: str, b: str, delay: str) -> ac.GraphLink:
        return ac.GraphLink(from_=a, to=b, rate="10 Mbps", delay=delay, queue=ac.DropTail(packets=1000))

    fields: dict[str, Any] = {"transport": ac.Udp(), "source": ac.Constant(rate=500)} | flow
    return ac.Scenario(
        duration="2 s",
        packet_size=1000,
        measure=ac.Measure(link="b->c", bin="100 ms"),
        nodes=[ac.Node(name=name) for name in "abcmn"],
        links=[
            *(link("a", "b", "5 ms"), link("b", "c", "5 ms")),
            *(link("a", "m", "20 ms"), link("m", "n", "20 ms"), link("n", "c", "10 ms")),
        ],
        flows=[ac.Flow(from_="a", to="c", via=via, **fields)],
        changes=changes,
    )


def arrivals(scenario: ac.Scenario, link: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the times at which packets arrive at a link."""
    table = ac.simulate(scenario, seed=1, record=[f"packets@{link}"]).table("packets")
    return np.asarray(table["time"].to_numpy()[table["event"].to_numpy() == "enqueue"], dtype=np.float64)


def test_packets_take_the_path_of_the_time_at_which_they_are_sent() -> None:
    """A packet every 2 ms leaves over b, over m and n from 500 ms to 1500 ms, and then over b again.

    Validates: the links that each packet crosses, and when it arrives there.
    Source: by hand: 0.8 ms for each transmission, and the delays before the link.
    Tolerance: a nanosecond.
    """
    changes = [ac.Change(at="0.5 s", via=["m", "n"]), ac.Change(at="1.5 s", via=[])]
    scenario = two_paths(*changes)
    sent = np.arange(0, 2, 0.002)
    # a change comes after the packets of the same instant
    away = (sent > 0.5) & (sent <= 1.5)
    for link, chosen, before in (("a->b", ~away, 0), ("b->c", ~away, 0.0058), ("n->c", away, 2 * 0.0208)):
        expected = sent[chosen] + before
        assert arrivals(scenario, link) == pytest.approx(expected[expected < 2], abs=1e-9)


def test_a_path_can_be_chosen_by_hand() -> None:
    whole = two_paths(via=["n"])
    assert len(arrivals(whole, "b->c")) == 0
    assert len(arrivals(whole, "n->c")) > 900
    assert whole.effective().measure.bin == "100 ms"


@pytest.mark.parametrize("delayed_ack", [False, True])
def test_a_connection_survives_a_change_of_its_path(*, delayed_ack: bool) -> None:
    """A window of 10 packets moves to the long path, and back to the short one, where packets overtake each other.

    Validates: packets arrive once and in order; there are 10 packets for each round trip of the path.
    Source: by hand: 21.7 ms over two links and 102.5 ms over three, with transmissions.
    Tolerance: 10 packets, a window, at each end of a time.
    """
    tcp = ac.Tcp("reno", max_window=10, delayed_ack=delayed_ack, min_rto="1 s")
    changes = [ac.Change(at="0.3 s", via=["m", "n"]), ac.Change(at="1.2 s", via=[])]
    run = ac.simulate(two_paths(*changes, transport=tcp, source=ac.Greedy()), seed=1, record=["throughput/100ms"])
    table = run.table("throughput")
    time, packets = table["time"].to_numpy(), table["bytes"].to_numpy() / 1000
    for begin, end, round_trip in ((0.5, 1.2, 0.1025), (1.5, 2.0, 0.0217)):
        found = packets[(time > begin - 0.01) & (time < end - 0.01)].sum()
        assert found == pytest.approx(10 * (end - begin) / round_trip, abs=20)
    assert run.summary.timeouts == 0


def test_vegas_takes_a_longer_path_for_a_queue() -> None:
    """A path becomes 80 ms longer.

    Validates: Vegas keeps the minimum round trip of the short path, and takes the longer propagation for a queue: its
        window falls until at most beta packets seem to wait: the whole part of W (1 - 21.7/102.5) is 3, so that W, in
        whole packets, is at most 5.
    Source: Mo, La, Anantharam and Walrand (INFOCOM 1999), section IV (rerouting), and Vegas' equilibrium.
    Tolerance: none.
    """
    tcp = ac.Tcp("vegas", max_window=1000)
    change = ac.Change(at="1 s", via=["m", "n"])
    longer = two_paths(change, transport=tcp, source=ac.Greedy()).changed(duration="12 s")
    table = ac.simulate(longer, seed=1, record=["windows/100ms"]).table("windows")
    at_end = table["cwnd"].to_numpy()[-1]
    assert 2 <= at_end < 6


def test_parameters_of_a_law_change_at_a_time() -> None:
    """Vegas keeps 1 to 3 packets in the queue, and 20 to 22 from 1 s on.

    Validates: the packets that wait at the bottleneck before and after the change.
    Source: Brakmo and Peterson (JSAC 1995): alpha and beta are the least and the most packets that a flow keeps queued.
    Tolerance: one packet, since Vegas counts a packet in transmission.
    """
    tcp = ac.Tcp("vegas", max_window=1000)
    change = ac.Change(at="1 s", transport=ac.Tcp("vegas", alpha=20, beta=22))
    scenario = two_paths(change, transport=tcp, source=ac.Greedy()).changed({"measure.link": "a->b"}, duration="9 s")
    table = ac.simulate(scenario, seed=1, record=["queue@a->b/100ms"]).table("queue")
    time, waiting = table["time"].to_numpy(), table["packets"].to_numpy()
    assert 0 <= np.median(waiting[(time > 0.5) & (time < 1)]) <= 4
    assert 19 <= np.median(waiting[time > 7]) <= 23


def test_the_next_connection_has_the_changed_parameters() -> None:
    """Connections of the same group that open later have the new parameters, too."""
    source = ac.Connections(load=0.2, size=ac.Fixed(mean="20 kB"), connections=3)
    changes = [ac.Change(at="0.5 s", transport=ac.Tcp("vegas", gamma=4, alpha=2, beta=4))]
    scenario = two_paths(*changes, transport=ac.Tcp("vegas"), source=source)
    assert '"gamma": 4' in plan(scenario.effective())
    assert ac.simulate(scenario, seed=1).summary.arrivals > 0


def test_one_change_can_name_links_and_groups() -> None:
    change = ac.Change(at="1 s", rate="1 Mbps", via=["m", "n"])
    whole = two_paths(change).effective().changes[0]
    assert (whole.links, whole.groups) == (("b->c",), ("flows-0",))
    assert change.words == "rate 1 Mbps, via m-n"
    assert ac.Change(at="1 s", via=[]).words == "shortest path"
    assert ac.Change(at="1 s", transport=ac.Tcp("vegas", beta=6)).words == "beta 6.0"


VEGAS = {"transport": ac.Tcp("vegas"), "source": ac.Greedy()}
RENO = {"transport": ac.Tcp("reno"), "source": ac.Greedy()}


@pytest.mark.parametrize(
    ("change", "flow", "message"),
    [
        ({"via": ["x"]}, {}, "changes.0.via.0: unknown node 'x'; must be one of a, b, c, m, n"),
        ({"via": ["a"]}, {}, "changes.0.via.0: 'a' is not allowed; must differ from the ends of the flow, a and c"),
        ({"via": ["m"], "groups": ["g"]}, {}, "changes.0.groups.0: unknown group 'g'; must be one of flows-0"),
        (
            {"rate": "1 Mbps", "groups": ["flows-0"]},
            {},
            "changes.0.groups: must be absent unless one of transport, via is given",
        ),
        (
            {"via": ["m"], "links": ["b->c"]},
            {},
            "changes.0.links: must be absent unless one of rate, delay, loss, queue, up is given",
        ),
        (
            {"transport": {"kind": "tcp", "variant": "vegas"}},
            {},
            "changes.0.transport: 'tcp' is not allowed; must be absent: group flows-0 uses udp: it has no law",
        ),
        (
            {"transport": {"kind": "tcp", "variant": "cubic"}},
            VEGAS,
            "changes.0.transport.variant: 'cubic' is not allowed; must be vegas, as in group flows-0",
        ),
        (
            {"transport": {"kind": "tcp", "variant": "vegas", "alpha": 10}},
            VEGAS,
            "changes.0.transport.beta: 3.0 is not allowed; must be at least alpha (10)",
        ),
        (
            {"transport": {"kind": "tcp", "variant": "vegas", "beta": 0.5}},
            VEGAS,
            "changes.0.transport.beta: 0.5 is not allowed; must be at least alpha (1)",
        ),
        (
            {"transport": {"kind": "tcp", "variant": "vegas", "base_rtt": "ns2"}},
            VEGAS,
            "changes.0.transport.base_rtt: 'ns2' is not allowed; must be \"minimum\": it cannot change in a run",
        ),
        (
            {"transport": {"kind": "tcp", "variant": "vegas", "max_window": 9}},
            VEGAS,
            "changes.0.transport.max_window: 9 is not allowed; must be absent: a run changes only parameters of laws",
        ),
        (
            {"transport": {"kind": "tcp", "variant": "reno"}},
            RENO,
            "changes.0.transport.variant: 'reno' is not allowed; it has no parameters that can change in a run",
        ),
    ],
)
def test_a_change_that_is_impossible_names_its_field(change: Any, flow: Any, message: str) -> None:
    tables = two_paths(**flow).to_dict() | {"changes": [{"at": "1 s"} | change]}
    with pytest.raises(ac.ScenarioError) as caught:
        ac.Scenario.from_dict(tables)
    assert str(caught.value) == message
