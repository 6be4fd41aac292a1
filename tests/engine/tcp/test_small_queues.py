"""A sender whose first link is the bottleneck, with TCP small queues, beside a kernel's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ackclock as ac

Note = Callable[[str, object], None]
"""pytest's ``record_property``."""


def sent(law: str, mbps: int, rtt: int, queue: ac.Queue, limit: int) -> ac.Run:
    """Run a greedy sender whose first link is slow, measured once its window has grown."""
    scenario = ac.Scenario(
        profile="linux",
        duration="10 s",
        packet_size=1500,
        nodes=[ac.Node("a"), ac.Node("b")],
        links=[ac.GraphLink(from_="a", to="b", rate=f"{mbps} Mbps", delay=f"{rtt / 2} ms", queue=queue)],
        flows=[ac.Flow(from_="a", to="b", transport=ac.Tcp(law, limit_output_bytes=limit), source=ac.Greedy())],
        measure=ac.Measure(link="a->b", from_="5 s"),
    )
    return ac.simulate(scenario, record=["windows"])


@pytest.mark.parametrize("kind", ["droptail", "fq_codel"])
@pytest.mark.parametrize(
    ("law", "mbps", "rtt", "backlog", "cwnd"),
    [
        ("reno", 10, 40, 3, 78),
        ("reno", 2, 40, 2, 20),
        ("cubic", 10, 40, 2, 40),
        ("bbr", 10, 40, 2, 78),
        ("cubic", 50, 20, 5, 127),
    ],
)
def test_the_queue_of_a_kernel(
    kind: str, law: str, mbps: int, rtt: int, backlog: int, cwnd: int, record_property: Note
) -> None:
    """The kernel's device was limited by a token bucket of one packet (tbf); the rest of the path added no queue.

    Validates: the queue of the first link, the packet in transmission included, and the congestion window after 10 s:
        neither grows further, and nothing is lost, although the link's queue has room for 1000 packets.
    Source: Linux 6.18.44, measured (`tc -s qdisc` and `ss`), with tcp_limit_output_bytes 4194304 and without
        segmentation offload.
    Tolerance: exact for the queue, 2 packets for the window, in which the kernel's first round trips differ.
    """
    queue = ac.DropTail(packets=1000) if kind == "droptail" else ac.Queue(kind)
    run = sent(law, mbps, rtt, queue, 4_194_304)
    windows = run.table("windows")["cwnd"].to_pylist()
    record_property("window", windows[-1])
    assert run.summary.queue_mean + 1 == backlog
    assert windows[-1] == pytest.approx(cwnd, abs=2)
    assert (run.summary.utilization, run.summary.retransmissions) == (1, 0)


@pytest.mark.parametrize(
    ("waiting", "limit", "least", "most"), [("lost", 0, 0.9, 1), ("lost", 2**18, 0.9, 1), ("kept", 2**18, 0, 0.05)]
)
def test_a_first_link_that_goes_down_at_a_handover(waiting: str, limit: int, least: float, most: float) -> None:
    """A phone whose first link goes down takes another path of 20 Mb/s.

    Validates: packets that the link loses no longer count for the limit, and the sender fills the other path. Packets
        that it keeps count, as in a queue of a host that is stopped but not down, and the sender cannot send.
    Source: Linux, `dev_deactivate_many`, which empties the queue of an interface that goes down, and `tcp_wfree`.
    Tolerance: nine tenths of the link 10 s after the change; a probe of the timer now and then.
    """

    def link(start: str, end: str, rate: str) -> ac.GraphLink:
        return ac.GraphLink(from_=start, to=end, rate=rate, delay="10 ms", queue=ac.DropTail(packets=50))

    transport = ac.Tcp("cubic", limit_output_bytes=limit)
    scenario = ac.Scenario(
        profile="linux",
        duration="30 s",
        nodes=[ac.Node(name) for name in ("phone", "wifi", "mobile", "server")],
        links=[
            link("phone", "wifi", "10 Mbps"),
            link("wifi", "server", "20 Mbps"),
            link("phone", "mobile", "20 Mbps"),
            link("mobile", "server", "20 Mbps"),
        ],
        flows=[ac.Flow(from_="phone", to="server", via=["wifi"], transport=transport, source=ac.Greedy())],
        changes=[
            ac.Change(at="10 s", links=["phone->wifi"], up=False, waiting=waiting, via=["mobile"]),
        ],
        measure=ac.Measure(link="mobile->server", from_="20 s"),
    )
    assert least <= ac.simulate(scenario).summary.utilization <= most


def test_without_the_limit_the_queue_grows() -> None:
    run = sent("cubic", 10, 40, ac.DropTail(packets=1000), 0)
    assert run.summary.queue_mean > 100
