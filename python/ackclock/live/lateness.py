"""How late the emulator was, and whether its results can be trusted."""

from dataclasses import asdict, dataclass
from typing import Any, Final

MOST_OF_RTT: Final = 0.05
"""The 99th percentile of the lateness may be at most this part of the shortest round-trip time without queues."""
MOST_OF_PACKET: Final = 1.0
"""The median of the lateness may be at most this many times the transmission time of a packet at the bottleneck."""
MOST_FOREIGN: Final = 0.001
"""At most this part of the packets may have been refused by the other end."""


@dataclass(frozen=True, kw_only=True)
class Lateness:
    """Times in s by which packets left later than the links had computed, and counts of packets.

    The kernel sees these times: a packet that is late adds to its round-trip time, and several that are late together
    arrive as a burst.
    """

    packets: int
    """Number of packets that left."""
    p50: float
    """Median."""
    p90: float
    """90th percentile."""
    p99: float
    """99th percentile."""
    p999: float
    """99.9th percentile."""
    longest: float
    """Longest."""
    late: int
    """Number of packets that were more than 1 ms late."""
    refused: int
    """Number of packets that the other end did not take."""
    rtt: float
    """Shortest round-trip time of a flow without queues, by the plan."""
    packet: float
    """Transmission time of a full packet at the bottleneck."""
    realtime: bool
    """Whether the emulator had real-time priority."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the run is not to be trusted; empty if it is."""
        found = []
        if self.packets == 0:
            found.append("no packet crossed the network")
        if self.p99 > MOST_OF_RTT * self.rtt:
            found.append(
                f"1 % of the packets left more than {self.p99 * 1e3:.2f} ms late, which is more than "
                f"{MOST_OF_RTT:.0%} of the shortest round-trip time of {self.rtt * 1e3:.3g} ms"
            )
        if self.p50 > MOST_OF_PACKET * self.packet:
            found.append(
                f"half of the packets left more than {self.p50 * 1e6:.0f} us late, which is longer than a packet "
                f"takes at the bottleneck, {self.packet * 1e6:.0f} us"
            )
        if self.refused > MOST_FOREIGN * self.packets:
            found.append(f"an end refused {self.refused} packets")
        if found and self.longest > _STALL:
            found.append(f"the machine stood still for up to {self.longest * 1e3:.0f} ms (load, or its hypervisor)")
        if found and not self.realtime:
            found.append("the emulator had no real-time priority")
        return tuple(found)

    @property
    def trusted(self) -> bool:
        """Whether the emulator was on time."""
        return not self.reasons

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and the judgement."""
        return asdict(self) | {"trusted": self.trusted, "reasons": list(self.reasons)}

    def brief(self) -> str:
        """Return the numbers in one line."""
        return (
            f"emulator late by {self.p50 * 1e6:.0f} us (median), {self.p99 * 1e6:.0f} us (99 %), "
            f"{self.longest * 1e3:.2f} ms (longest) over {self.packets:,} packets: "
            f"{'within the limits' if self.trusted else 'beyond the limits'} of a run that can be trusted"
        )


_STALL: Final = 0.005
