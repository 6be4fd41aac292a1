"""What a live run can do: refuses all else in one line before anything is made."""

import json
from typing import Any, Final

from ackclock.running.run import Prepared, is_in_python
from ackclock.scenario import Scenario
from ackclock.values.errors import refuse
from ackclock.values.quantity import RATE

MOST_FLOWS: Final = 64
"""Maximum number of flows."""
MOST_RATE: Final = 200_000_000
"""Maximum rate in bit/s: of TCP at both directions of the bottleneck, and of what UDP sends."""
MOST_PACKETS: Final = 25_000
"""Maximum number of packets per second at this rate."""
LONGEST: Final = 600
"""Longest run in seconds."""
MOST_EMISSIONS: Final = 2_000_000
"""Maximum number of times at which the source of a flow supplies data."""
RECORDS: Final = (
    "arrivals",
    "drops",
    "gauges",
    "link_throughput",
    "marks",
    "packets",
    "queue",
    "throughput",
    "transfers",
    "windows",
)
"""The records that a live run can make."""

APPLIED: Final = frozenset({"kind", "variant", "law", "packet_size", "ecn", "gso", "packet_sizes"})
"""Fields of a transport that a live run applies."""
_LIMITS: Final = ("max_window", "send_buffer", "read_rate")
"""Fields of a transport that limit a sender, and that are not passed to the kernel."""

_SOURCES: Final = {"greedy", "constant", "poisson", "onoff", "transfers", "requests"}
_PICOSECONDS: Final = 10**12
_LEAST_DATAGRAM: Final = 29
_LEAST_PACKET, _MOST_PACKET = 140, 9000
"""Sizes of packets in bytes: of UDP with a byte of data, and of TCP that the kernel accepts as a maximum segment."""


def refuse_impossible(prepared: Prepared, given: Scenario) -> dict[str, Any]:
    """Refuse a scenario, as it was given, that a live run cannot carry out whole; return its plan."""
    plan: dict[str, Any] = json.loads(prepared.plan)
    if plan["duration"] > LONGEST * _PICOSECONDS:
        raise refuse("duration", prepared.scenario.duration, f"must be at most {LONGEST} s in a live run")
    for request in prepared.record:
        kind = request.partition("@")[0].partition("/")[0]
        if kind not in RECORDS:
            raise refuse("record", request, f"must be one of {', '.join(RECORDS)} in a live run")
    if is_in_python(prepared.scenario):
        raise refuse("law", "Python", "must be the kernel's in a live run, and a queue the engine's")
    if plan["topology"]["kind"] != "dumbbell":
        raise refuse("nodes", "given", "must be absent in a live run, which has two hosts: use a dumbbell")
    _refuse_options(given)
    flows = 0
    for place, group in enumerate(plan["groups"]):
        flows += group["count"]
        _refuse_group(f"clients.{place}", group)
    if flows > MOST_FLOWS:
        raise refuse("clients.count", flows, f"must be at most {MOST_FLOWS} flows together in a live run")
    _refuse_rate(plan)
    _refuse_mixed(plan)
    return plan


def _refuse_options(given: Scenario) -> None:
    """Refuse options of transports that limit a sender, or that the kernel does not have."""
    for place, clients in enumerate(given.clients):
        transport, field = clients.transport, f"clients.{place}.transport"
        for name in _LIMITS:
            if name in transport.model_fields_set:
                allowed = "must be absent in a live run: the kernel has its own"
                raise refuse(f"{field}.{name}", getattr(transport, name), allowed)
        if getattr(transport, "ecn", None) == "accurate":
            raise refuse(f"{field}.ecn", "accurate", "must be off or classic in a live run")


def _refuse_group(name: str, group: dict[str, Any]) -> None:
    """Refuse a group of flows whose sources or changes the kernel cannot follow."""
    kind = group["source"]["kind"]
    if kind not in _SOURCES:
        allowed = f"must be one of {', '.join(sorted(_SOURCES))} in a live run"
        raise refuse(f"{name}.source.kind", kind, allowed)
    for field in ("schedule", "changes"):
        if group.get(field):
            raise refuse(f"{name}.{field}", "given", "must be absent in a live run")
    transport = group["transport"]
    if transport["kind"] == "udp":
        if transport.get("sizes", "fixed") != "fixed":
            raise refuse(f"{name}.transport.packet_sizes", transport["sizes"], "must be fixed in a live run")
        if group["packet_size"] < _LEAST_DATAGRAM:
            raise refuse(f"{name}.packet_size", group["packet_size"], f"must be at least {_LEAST_DATAGRAM} B")
    elif not _LEAST_PACKET <= group["packet_size"] <= _MOST_PACKET:
        allowed = f"must be from {_LEAST_PACKET} B to {_MOST_PACKET} B in a live run"
        raise refuse(f"{name}.packet_size", group["packet_size"], allowed)


def _refuse_rate(plan: dict[str, Any]) -> None:
    """Refuse traffic that the emulator would not carry in time."""
    topology, groups = plan["topology"], plan["groups"]
    tcp = [(place, group) for place, group in enumerate(groups) if group["transport"]["kind"] == "tcp"]
    bits = 0.0
    for reverse, link in ((False, topology["bottleneck"]), (True, topology["reverse"])):
        side = int(reverse)
        access = [
            group["count"] * top_rate(topology["access"][place][side])
            for place, group in tcp
            if group["reverse"] == reverse
        ]
        bits += min(top_rate(link), sum(access))
    supplied = [(group["count"] * _packets_per_second(group), group) for group in groups]
    udp = sum(8.0 * rate * group["packet_size"] for rate, group in supplied if group["transport"]["kind"] == "udp")
    if bits + udp > MOST_RATE:
        field = "dumbbell.bottleneck.rate" if bits > udp else "clients.source.rate"
        limit = f"must be at most {RATE.format(MOST_RATE)} together with other traffic in a live run"
        raise refuse(field, RATE.format(round(bits + udp)), limit)
    bits += udp
    packets = bits / (8.0 * min(group["packet_size"] for group in groups))
    if packets > MOST_PACKETS:
        raise refuse(
            "packet_size", f"{packets:,.0f} packets per second", f"must be at most {MOST_PACKETS:,} in a live run"
        )
    emissions = sum(rate for rate, _ in supplied) * plan["duration"] / _PICOSECONDS
    if emissions > MOST_EMISSIONS:
        raise refuse("source", f"{emissions:,.0f} packets", f"must supply at most {MOST_EMISSIONS:,} in a live run")


def top_rate(link: dict[str, Any]) -> float:
    """Return the highest rate of a link of a plan, in bit/s."""
    return float(link["rate"] if isinstance(link["rate"], int) else max(link["rate"]["rates"]))


def _packets_per_second(group: dict[str, Any]) -> float:
    """Return the rate at which a source supplies packets, while it is on; 0 for a greedy one."""
    return float(group["source"].get("rate", 0.0))


def _refuse_mixed(plan: dict[str, Any]) -> None:
    """Refuse groups that ask for different settings of one namespace."""
    tcp = [
        (place, group["transport"]["sender"])
        for place, group in enumerate(plan["groups"])
        if "sender" in group["transport"]
    ]
    for field, meaning in (("ecn", "ECN"), ("gso", "GSO")):
        values = {str(sender.get(field, "off")) for _, sender in tcp}
        if len({value != "off" for value in values}) > 1:
            place = next(place for place, sender in tcp if str(sender.get(field, "off")) != "off")
            allowed = f"must be on or off for all groups in a live run: {meaning} is a setting of the namespace"
            raise refuse(f"clients.{place}.transport.{field}", tcp[0][1].get(field, "off"), allowed)
