"""The kernel's congestion controls in terms of the profile `linux`: the only table to change with the sender."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ackclock import Run

PROFILE: Final = "linux"
PACKET: Final = 1500
"""Size of a full packet, with headers, in bytes."""
PAYLOAD: Final = 1448
"""Data in a full packet, in bytes."""
WIRE: Final = "100 Gbps"
"""Rate of links that the path emulator does not limit."""

WRITES: Final = {"write_size": 65_536, "send_buffer": 1840}
"""The application of the measurement: bytes per write, and a send buffer of 4 MB; a segment takes 2280 bytes of it."""

CUBIC: Final = "cubic"
"""The kernel's name of CUBIC."""
BBR: Final = "bbr"
"""The kernel's name of BBR, version 1."""

SENDERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "reno": {"variant": "reno", "recovery": "rack", **WRITES},
    CUBIC: {"variant": "cubic", **WRITES},
    BBR: {"variant": "bbr", **WRITES},
}
"""Variant, and options that differ from the profile, by the kernel's name of the congestion control."""


def transport(kernel: str, **options: Any) -> dict[str, Any]:
    """Return the transport for a congestion control of the kernel."""
    return {"kind": "tcp", **SENDERS[kernel], **options}


def bottleneck(
    rate_mbps: float, one_way_ms: float, buffer: int, *, queue: Mapping[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    """Return the limited link in both directions; the buffer counts waiting packets only, as in the emulator."""
    delay = f"{one_way_ms:g} ms"
    whole = {"kind": "droptail", "packets": buffer, "count_in_service": False, **(queue or {})}
    return {
        "bottleneck": {"rate": f"{rate_mbps:g} Mbps", "delay": delay, "queue": whole, **fields},
        "reverse": {"rate": WIRE, "delay": delay},
        "access": {"rate": WIRE, "delay": "0 s"},
    }


def scenario(
    duration: float, network: Mapping[str, Any], flows: Iterable[Mapping[str, Any]], **fields: Any
) -> ac.Scenario:
    """Return a scenario of the profile."""
    return ac.Scenario.from_dict(
        {
            "profile": PROFILE,
            "duration": f"{duration * 1e6:.0f} us",
            "packet_size": PACKET,
            "dumbbell": dict(network),
            "clients": [dict(flow) for flow in flows],
            **fields,
        }
    )


def packet_ms(rate_mbps: float) -> float:
    """Return the transmission time of a packet at the bottleneck, in ms."""
    return 8 * PACKET / (rate_mbps * 1e3)


def waiting_ms(run: Run, rate_mbps: float) -> float:
    """Return the mean wait of a departing packet before its transmission, in ms (Little's law)."""
    packets_per_ms = run.summary.utilization / packet_ms(rate_mbps)
    return run.summary.queue_mean / packets_per_ms if packets_per_ms else 0.0
