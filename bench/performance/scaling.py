"""Check that nothing is superlinear: ``python -m performance.scaling [WORD...]``.

A dimension of a run grows: the number of flows, the window of a flow, with and without losses, or the number of active
queues. The number of packets grows with it, and the instructions of each packet must not. Their exponent is fitted
over the sizes; the exponent of the whole cost, one more, must be at most `MOST`. A packet of many flows also waits for
memory, which instructions do not show (`make bench PARTS=scale`).

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
QUEUES = ("fq", "fq_codel", "cake")


@dataclass(frozen=True)
class Row:
    """A run whose size grows."""

    name: str
    sizes: Sequence[int]
    scenario: Callable[[int], Mapping[str, Any]]
    """The scenario of a size, without its duration."""
    packets_per_second: Callable[[int], float]

    def cost(self, size: int) -> float:
        """Instructions per packet."""
        seconds = max(PACKETS / self.packets_per_second(size), ROUND_TRIPS * RTT_S)
        scenario = ackclock.Scenario.from_dict({**self.scenario(size), "duration": f"{2 * seconds:.6f} s"})
        simulation = ours_as(f"scaling-{self.name}-{size}".replace(" ", "_"), scenario)
        return simulation.instructions_per_packet(seconds, 2 * seconds)


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


def of_window(law: str, loss: float = 0.0) -> Row:
    """One flow at 10 Mb/s to 1 Gb/s: windows of 33 to 3,300 packets."""
    options = {} if loss == 0 else {"loss": {"kind": "random", "probability": loss}}

    def scenario(packets: int) -> dict[str, Any]:
        queue = {"kind": "droptail", "packets": packets}
        return dumbbell(packets * PAYLOAD_BITS / RTT_S / 1e6, queue, tcp(law, slow_start="standard"), **options)

    words = f"window {law}" if loss == 0 else f"window {law} loss {loss:g}"
    return Row(words, (33, 330, 3_300), scenario, lambda packets: packets / RTT_S)


def of_queues(kind: str) -> Row:
    """Flows that do not respond, each in a queue of its own, at twice the rate of the link."""

    def scenario(flows: int) -> dict[str, Any]:
        source = {"kind": "poisson", "rate": 2 * pps(100) / flows}
        clients = {"count": flows, "transport": {"kind": "udp"}, "source": source}
        return dumbbell(100, {"kind": kind}, clients)

    return Row(f"queues {kind}", (10, 100, 1_000), scenario, lambda _: pps(100))


def rows() -> list[Row]:
    """All rows."""
    return [
        *map(of_flows, ("reno", "cubic", "bbr", "dctcp")),
        *map(of_window, LAWS),
        *(of_window(law, loss) for law in ("bbr", "bbr3") for loss in (0.01, 0.1)),
        *map(of_queues, QUEUES),
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
        if power > MOST:
            failed.append(row.name)
    if failed:
        sys.exit(f"the cost of a packet grows: {', '.join(failed)}")


if __name__ == "__main__":
    main()
