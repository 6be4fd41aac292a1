"""The networks of the experiments: a dumbbell with one measured link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ackclock.scenario import Clients, DropTail, Dumbbell, Greedy, Link, Measure, Scenario

if TYPE_CHECKING:
    from ackclock.scenario import Queue, Tcp

__all__ = ["PACKET", "Path", "bulk", "dumbbell"]

PACKET: Final = 1500
"""Bytes of a full packet."""
_FAST_LINK: Final = 100
"""Rate of the access links, as a multiple of the measured link's."""


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

    def buffer(self, part: float) -> int:
        """Return a part of the bandwidth-delay product in whole packets, at least two."""
        return max(2, round(part * self.packets))

    def __str__(self) -> str:
        """Return the rate and the round-trip time with units."""
        rate = f"{self.rate / 1000:g} Gb/s" if self.rate >= 1000 else f"{self.rate:g} Mb/s"
        return f"{rate}, {self.rtt:g} ms"


def bulk(name: str, transport: Tcp, count: int = 1, **fields: Any) -> Clients:
    """Return flows that always have data, and start within 100 ms of each other."""
    return Clients(
        **{"name": name, "count": count, "spread": "100 ms", "transport": transport, "source": Greedy(), **fields}
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
                access=Link(rate=f"{_FAST_LINK * path.rate:g} Mbps", delay="0 s"),
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
