"""The networks of the experiments: a dumbbell with one measured link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ackclock.scenario import Clients, DropTail, Dumbbell, Greedy, Jitter, Link, Measure, RateTrace, Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.scenario import Queue, Tcp

__all__ = ["PACKET", "Path", "bulk", "dumbbell", "unequal", "with_rates"]

PACKET: Final = 1500
"""Bytes of a full packet."""
_FAST_LINK: Final = 100
"""Rate of the access links, as a multiple of the measured link's."""
_APART: Final = 0.02
"""Largest random delay of a packet on its access link, as a part of the round-trip time; also at most the time in which
the measured link sends a packet. Without it, a few flows repeat one cycle in all seeds, and meet a stream at the same
phase (Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched Gateways", Internetworking 1992)."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path: the rate of its narrowest link in Mb/s, and its round-trip time without queues in ms.

    Examples
    --------
    >>> path = Path(10, 40)
    >>> str(path), round(path.packets, 1), path.buffer(0.25)
    ('10 Mb/s, 40 ms', 33.3, 8)
    """

    rate: float
    rtt: float

    @property
    def packets(self) -> float:
        """The bandwidth-delay product in packets."""
        return self.rate * 1e6 * self.rtt * 1e-3 / (8 * PACKET)

    @property
    def packet_time(self) -> float:
        """The time in ms in which the link sends a packet."""
        return 8e-3 * PACKET / self.rate

    @property
    def jitter(self) -> Jitter:
        """The random delays of packets on their way to the link."""
        return Jitter(max=f"{1e6 * min(_APART * self.rtt, self.packet_time):.0f} ns")

    def buffer(self, part: float) -> int:
        """Return a part of the bandwidth-delay product in whole packets, at least one."""
        return max(1, round(part * self.packets))

    def __str__(self) -> str:
        """Return the rate and the round-trip time with units."""
        rate = f"{self.rate / 1000:g} Gb/s" if self.rate >= 1000 else f"{self.rate:g} Mb/s"
        return f"{rate}, {self.rtt:g} ms"


def bulk(name: str, transport: Tcp, count: int = 1, **fields: Any) -> Clients:
    """Return flows that always have data, and start at random within a second."""
    return Clients(
        **{"name": name, "count": count, "spread": "1 s", "transport": transport, "source": Greedy(), **fields}
    )


def dumbbell(
    path: Path,
    *groups: Clients,
    queue: Queue | int,
    duration: float = 60,
    since: float = 10,
    link: dict[str, Any] | None = None,
    **fields: Any,
) -> Scenario:
    """Make a dumbbell whose bottleneck has the rate and the delay of a path.

    Parameters
    ----------
    path
        The path.
    groups
        The flows.
    queue
        The queue of the bottleneck; a number is the limit of a drop-tail queue in packets.
    duration, since
        Simulated time in s, and when the measured time begins.
    link
        Further fields of the bottleneck.
    fields
        Further fields of the scenario.
    """
    return Scenario(
        **{
            "profile": "linux",
            "duration": f"{duration:g} s",
            "packet_size": PACKET,
            "measure": Measure(from_=f"{since:g} s"),
            "dumbbell": Dumbbell(
                access=Link(rate=f"{_FAST_LINK * path.rate:g} Mbps", delay="0 s", jitter=path.jitter),
                bottleneck=Link(
                    **{
                        "rate": f"{path.rate:g} Mbps",
                        "delay": f"{path.rtt / 2:g} ms",
                        "queue": DropTail(packets=queue) if isinstance(queue, int) else queue,
                        **(link or {}),
                    }
                ),
            ),
            "clients": groups,
            **fields,
        }
    )


def unequal(
    law: Tcp, rtts: Mapping[str, float], path: Path, *, queue: Queue, duration: float, since: float
) -> Scenario:
    """Make a dumbbell in which each group, of one flow, has a round-trip time of its own in ms.

    The delay of the path is a part of all of them.
    """
    groups = [
        bulk(name, law, access=Link(rate="1 Gbps", delay=f"{(rtt - path.rtt) / 2:g} ms", jitter=path.jitter))
        for name, rtt in rtts.items()
    ]
    return dumbbell(path, *groups, queue=queue, duration=duration, since=since)


def with_rates(scenario: Scenario, *steps: tuple[str, str], period: str | None = None) -> Scenario:
    """Give the bottleneck a rate that changes in steps: pairs of a time and the rate from then on."""
    trace = RateTrace(steps=steps, period=period)
    return scenario.changed({"dumbbell.bottleneck.rate": None, "dumbbell.bottleneck.rate_trace": trace})
