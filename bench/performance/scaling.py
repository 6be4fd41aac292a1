"""Check that nothing is superlinear: ``python -m performance.scaling [WORD...]``.

A dimension of a run grows: the number of flows or groups, the window of a flow, with and without losses and reordering,
the length of a chain of links, the number of active queues, or the length of a run with records. The number of packets
grows with it, and the instructions of each packet, on each link of a chain, must not. Their exponent is fitted over the
sizes; the exponent of the whole cost, one more, must be at most `MOST`. A packet of many flows also waits for memory,
which instructions do not show (`make bench PARTS=scale`).

The words select the rows whose names contain one of them.
"""

from __future__ import annotations

import math
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ackclock
from performance.simulations import ours_as

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST = 1.1
JOBS = 2
PACKETS = 30_000
"""Packets that are counted; as many before them are not."""
PAYLOAD_BITS = 12_000
RTT_S = 0.04
ROUND_TRIPS = 25
"""Round trips that are counted, at least: slow start to a window of 3,300 packets takes nine."""
LAWS = ("reno", "cubic", "vegas", "highspeed", "scalable", "bbr", "bbr3", "copa", "dctcp", "prague")
SPARSE_RATE = 2
"""Packets per second of a sparse flow."""
CAKE_ONE_HOST = 1.45
"""The exponent of CAKE where one host receives from all flows. Each queue may send the quantum over their number in a
round, so a packet takes as many rounds, which visit all queues, as in Linux. There are at most 1,024 queues."""


@dataclass(frozen=True)
class Row:
    """A run whose size grows."""

    name: str
    sizes: Sequence[int]
    scenario: Callable[[int], Mapping[str, Any]]
    """The scenario of a size, without its duration."""
    packets_per_second: Callable[[int], float]
    links: Callable[[int], int] = lambda _: 1
    """Number of equal links on the path: the cost is that of a packet on each of them."""
    least_seconds: Callable[[int], float] = lambda _: ROUND_TRIPS * RTT_S
    """Seconds that are counted, at least; as many before them are not."""
    record: tuple[str, ...] = ()
    most: float = MOST
    """The largest exponent allowed."""

    def cost(self, size: int) -> float:
        """Instructions per packet."""
        seconds = max(PACKETS / self.packets_per_second(size), self.least_seconds(size))
        scenario = ackclock.Scenario.from_dict({**self.scenario(size), "duration": f"{2 * seconds:.6f} s"})
        simulation = ours_as(f"scaling-{self.name}-{size}".replace(" ", "_").replace("/", "_"), scenario, self.record)
        return simulation.instructions_per_packet(seconds, 2 * seconds) / self.links(size)


def dumbbell(mbps: float, queue: Mapping[str, Any], clients: Mapping[str, Any], **bottleneck: Any) -> dict[str, Any]:
    """Return a path with a round-trip time of `RTT_S` and the senders of Linux."""
    return {
        "profile": "linux",
        "dumbbell": {
            "access": {"rate": "400 Gbps", "delay": "1 ms"},
            "bottleneck": {"rate": f"{mbps} Mbps", "delay": "19 ms", "queue": dict(queue), **bottleneck},
        },
        "clients": [dict(clients)],
    }


def tcp(law: str, count: int = 1, **options: Any) -> dict[str, Any]:
    """Greedy flows that may use any window."""
    transport = {"kind": "tcp", "variant": law, "max_window": 10_000_000, **options}
    return {"count": count, "spread": "100 ms", "transport": transport, "source": {"kind": "greedy"}}


def pps(mbps: float) -> float:
    """Packets per second of a rate."""
    return mbps * 1e6 / PAYLOAD_BITS


def of_flows(law: str) -> Row:
    """Ten to a thousand flows with 10 Mb/s each."""

    def scenario(flows: int) -> dict[str, Any]:
        return dumbbell(10 * flows, {"kind": "droptail", "packets": 33 * flows}, tcp(law, flows))

    return Row(f"flows {law}", (10, 100, 1_000), scenario, lambda flows: pps(10 * flows))


def sparse(law: str, count: int = 1) -> dict[str, Any]:
    """Flows that send a packet now and then, and never wait for each other."""
    return {
        "count": count,
        "transport": {"kind": "tcp", "variant": law},
        "source": {"kind": "poisson", "rate": SPARSE_RATE},
    }


def sparse_path(clients: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a path with room for all packets of sparse flows."""
    return {**dumbbell(100_000, {"kind": "droptail", "packets": 1_000_000}, {}), "clients": list(clients)}


def of_many_flows(law: str, record: tuple[str, ...] = ()) -> Row:
    """Ten to 100,000 flows with two packets per second each."""
    sizes = (10, 1_000, 100_000) if not record else (10, 100, 1_000)
    return Row(
        " ".join([f"sparse flows {law}", *(f"record {word}" for word in record)]),
        sizes,
        lambda flows: sparse_path([sparse(law, flows)]),
        lambda flows: SPARSE_RATE * flows,
        record=record,
    )


def of_groups() -> Row:
    """Ten to a thousand groups of a flow each."""
    return Row(
        "groups",
        (10, 100, 1_000),
        lambda groups: sparse_path([sparse("cubic")] * groups),
        lambda groups: SPARSE_RATE * groups,
    )


def of_window(law: str, words: str = "", **bottleneck: Any) -> Row:
    """One flow at 10 Mb/s to 1 Gb/s: windows of 33 to 3,300 packets."""

    def scenario(packets: int) -> dict[str, Any]:
        queue = {"kind": "droptail", "packets": packets}
        mbps = packets * PAYLOAD_BITS / RTT_S / 1e6
        return dumbbell(mbps, queue, tcp(law, slow_start="standard"), **bottleneck)

    name = f"window {law} {words}".rstrip()
    return Row(name, (33, 330, 3_300), scenario, lambda packets: packets / RTT_S)


def of_loss(law: str, loss: float) -> Row:
    """Add random losses to the row of the window."""
    return of_window(law, f"loss {loss:g}", loss={"kind": "random", "probability": loss})


def of_reordering(law: str) -> Row:
    """Add packets that others overtake, the more the higher the rate."""
    return of_window(law, "reordering", reorder={"probability": 0.02, "delay": "4 ms"})


def of_chain() -> Row:
    """Send over 10 to 1,000 links in a row, of which the first one is the slowest."""

    def scenario(length: int) -> dict[str, Any]:
        queue = {"kind": "droptail", "packets": 333}
        delay = f"{RTT_S / 2 / length:.9f} s"
        links = [
            {
                "name": f"hop{number}",
                "from": f"n{number}",
                "to": f"n{number + 1}",
                "rate": "100 Mbps" if number == 0 else "1 Gbps",
                "delay": delay,
                "queue": queue,
            }
            for number in range(length)
        ]
        flow = {**tcp("cubic"), "name": "flow", "from": "n0", "to": f"n{length}"}
        return {
            "profile": "linux",
            "measure": {"link": "hop0"},
            "nodes": [{"name": f"n{number}"} for number in range(length + 1)],
            "links": links,
            "flows": [flow],
        }

    return Row("links", (10, 100, 1_000), scenario, lambda _: pps(100), links=lambda length: length)


def of_queues(kind: str, words: str = "", most: float = MOST, **parameters: Any) -> Row:
    """Flows that do not respond, each in a queue of its own, at twice the rate of the link."""

    def scenario(flows: int) -> dict[str, Any]:
        source = {"kind": "poisson", "rate": 2 * pps(100) / flows}
        clients = {"count": flows, "transport": {"kind": "udp"}, "source": source}
        return dumbbell(100, {"kind": kind, **parameters}, clients)

    sizes = (10, 100, 1_000) if kind == "cake" else (10, 1_000, 10_000)
    return Row(f"queues {kind} {words}".rstrip(), sizes, scenario, lambda _: pps(100), most=most)


def of_record(record: str) -> Row:
    """Record 2 to 200 seconds of a flow at 10 Mb/s."""
    queue = {"kind": "droptail", "packets": 33}
    return Row(
        f"duration record {record}",
        (1, 10, 100),
        lambda _: dumbbell(10, queue, tcp("cubic")),
        lambda _: math.inf,
        least_seconds=lambda seconds: 2 * seconds,
        record=(record,),
    )


def rows() -> list[Row]:
    """All rows."""
    return [
        *map(of_flows, ("reno", "cubic", "bbr", "dctcp")),
        *map(of_many_flows, ("reno", "cubic", "bbr")),
        of_groups(),
        of_many_flows("cubic", ("windows", "acks", "throughput")),
        *map(of_window, LAWS),
        *(of_loss(law, loss) for law in ("bbr", "bbr3") for loss in (0.01, 0.1, 0.2)),
        *map(of_reordering, ("reno", "cubic", "bbr")),
        of_chain(),
        *(of_queues(kind, queues=65_536) for kind in ("fq", "fq_codel")),
        of_queues("cake", isolation="flows"),
        of_queues("cake", "one host", most=CAKE_ONE_HOST),
        *map(of_record, ("packets", "acks", "windows/10ms", "queue")),
    ]


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Return the exponent of the whole cost, from the costs per packet.

    Examples
    --------
    >>> round(exponent([10, 100, 1000], [5, 50, 500]), 6)
    2.0
    """
    return 1 + statistics.linear_regression(list(map(math.log, sizes)), list(map(math.log, costs))).slope


def main() -> None:
    """Measure the rows."""
    chosen = [row for row in rows() if not sys.argv[1:] or any(word in row.name for word in sys.argv[1:])]
    failed = []
    for row in chosen:
        with ThreadPoolExecutor(JOBS) as pool:
            costs = list(pool.map(row.cost, row.sizes))
        power = exponent(row.sizes, costs)
        print(f"{row.name}: {', '.join(f'{cost:.0f}' for cost in costs)}; exponent {power:.2f}", flush=True)
        if power > row.most:
            failed.append(row.name)
    if failed:
        sys.exit(f"the cost of a packet grows: {', '.join(failed)}")


if __name__ == "__main__":
    main()
