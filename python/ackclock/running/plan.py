"""From a scenario to the engine's plan: integers in picoseconds, bit/s and bytes, numbers instead of names."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ackclock.capture.writing import CaptureRequest
from ackclock.running.catalogue import catalogue
from ackclock.running.records import Record
from ackclock.running.requests import refuse_too_many_requests, request_rate
from ackclock.scenario import (
    Clients,
    Connections,
    Constant,
    Exponential,
    Fixed,
    Flow,
    FractionalNoise,
    GraphLink,
    Greedy,
    Link,
    Lognormal,
    OnOff,
    Pareto,
    Poisson,
    Scenario,
    SizeTable,
    Tcp,
    Trace,
    Transfers,
    Udp,
)
from ackclock.scenario.errors import refuse
from ackclock.scenario.fields import HEADER_BYTES, LONGEST_RUN
from ackclock.scenario.links import links_of
from ackclock.scenario.quantity import PICOSECONDS_PER_SECOND, RATE, SIZE, TIME, seconds
from ackclock.scenario.routes import directed

# Between the scenario's flat fields and the engine's nested ones.
_SENDER_FIELDS = (
    "handshake",
    "initial_window",
    "lone_segments",
    "max_window",
    "limited_transmit",
    "exit_recovery",
    "grow_on_exit",
    "partial_ack_timer",
    "partial_ack_deflation",
    "deflate_on_exit",
    "recovery_burst",
    "sack",
    "sack_holds_new_data",
    "stale_records",
    "decrease_from",
    "grow_when_limited",
    "idle_restart",
)
# What sources of fractional Gaussian noise draw before a run can be stopped: seconds, and memory that stays.
_MOST_BINS: Final = 2**23
# What the rates of links that change take of memory.
_MOST_STEPS: Final = 2**22
_TIMER_FIELDS = ("clock", "min_rto", "max_rto", "initial_rto")


def plan(scenario: Scenario, records: Sequence[Record] = (), captures: Sequence[CaptureRequest] = ()) -> str:
    """Write the engine's plan of an effective scenario, as JSON."""
    _refuse_too_many_bins(scenario)
    _refuse_too_many_steps(scenario)
    refuse_too_many_requests(scenario)
    links, further = links_of(scenario), scenario.measure.links
    nodes = {node.name: number for number, node in enumerate(scenario.nodes)}
    return json.dumps(
        {
            "duration": TIME.parse(scenario.duration),
            "measure": {
                "from": TIME.parse(scenario.measure.from_),
                "bin": TIME.parse(scenario.measure.bin or ""),
                "link": links.number(scenario.measure.link or ""),
                **({"others": [links.number(name) for name in further]} if further else {}),
            },
            "topology": _dumbbell(scenario) if scenario.dumbbell is not None else _graph(scenario, nodes),
            "groups": [_group(scenario, place, nodes) for place in range(len(scenario.groups))],
            "records": [record.for_engine() for record in records],
            "captures": [capture.for_engine() for capture in captures],
        },
        allow_nan=False,
    )


def _refuse_too_many_bins(scenario: Scenario) -> None:
    bins, duration = 0, TIME.parse(scenario.duration)
    for place, group in enumerate(scenario.groups):
        if isinstance(group.source, FractionalNoise):
            bins += group.count * -(-duration // TIME.parse(group.source.bin))
            if bins > _MOST_BINS:
                at = f"{'clients' if scenario.clients else 'flows'}.{place}.source.bin"
                limit = f"must make at most {_MOST_BINS:,} bins of the run, those of all flows together"
                raise refuse(at, group.source.bin, limit)


def _refuse_too_many_steps(scenario: Scenario) -> None:
    dumbbell, steps = scenario.dumbbell, 0
    named: list[tuple[str, Link | GraphLink | None]] = [
        *((f"links.{place}", link) for place, link in enumerate(scenario.links)),
        *((f"clients.{place}.access", group.access) for place, group in enumerate(scenario.clients)),
    ]
    if dumbbell is not None:
        named += [("dumbbell.bottleneck", dumbbell.bottleneck), ("dumbbell.reverse", dumbbell.reverse)]
    for at, link in named:
        for name in ("rate_trace", "reverse_rate_trace"):
            trace = getattr(link, name, None)
            if trace is None:
                continue
            steps += trace.course().times.size
            if steps > _MOST_STEPS:
                field, value = ("steps", trace.steps) if trace.path is None else ("path", trace.path)
                limit = f"must leave the traces of all links together at most {_MOST_STEPS:,} steps"
                raise refuse(f"{at}.{name}.{field}", value, limit)


def packets_of(group: Clients | Flow) -> int | None:
    """Count the packets that a finite transfer takes; ``None`` for a source without an end."""
    if not isinstance(group.source, Greedy) or group.source.size is None or group.packet_size is None:
        return None
    payload = group.packet_size - HEADER_BYTES
    return -(-SIZE.parse(group.source.size) // payload)


def _dumbbell(scenario: Scenario) -> dict[str, Any]:
    dumbbell = scenario.dumbbell
    assert dumbbell is not None  # noqa: S101  # narrows the type; the caller looked
    return {
        "kind": "dumbbell",
        "bottleneck": _link(dumbbell.bottleneck),
        "reverse": _link(dumbbell.reverse),
        "access": [[_link(group.access), _link(group.access and group.access.back)] for group in scenario.clients],
    }


def _graph(scenario: Scenario, numbers: Mapping[str, int]) -> dict[str, Any]:
    return {
        "kind": "graph",
        "nodes": len(numbers),
        "links": [
            {"from": numbers[link.from_], "to": numbers[link.to], "link": _link(link.link)}
            for link in directed(scenario.links)
        ],
    }


def _link(link: Link | GraphLink | None) -> dict[str, Any]:
    assert link is not None and link.queue is not None  # noqa: S101, PT018  # an effective scenario has them
    loss = {} if link.loss is None else {"loss": link.loss.model_dump()}
    rate = RATE.parse(link.rate or "") if link.rate_trace is None else link.rate_trace.for_engine()
    return {"rate": rate, "delay": TIME.parse(link.delay), "queue": link.queue.for_engine(), **loss}


def _group(scenario: Scenario, place: int, numbers: Mapping[str, int]) -> dict[str, Any]:
    group = scenario.groups[place]
    return {
        "count": group.count,
        "path": [numbers[group.from_], numbers[group.to]] if isinstance(group, Flow) else None,
        "reverse": isinstance(group, Clients) and group.direction == "reverse",
        "packet_size": group.packet_size,
        "start": TIME.parse(group.start or ""),
        "spread": TIME.parse(group.spread or ""),
        "transport": _transport(group.transport, group.packet_size),
        "source": _source(scenario, group, f"{'clients' if scenario.clients else 'flows'}.{place}.source"),
    }


def _transport(transport: Tcp | Udp, packet_size: int | None) -> dict[str, Any]:
    if isinstance(transport, Udp):
        return {"kind": "udp", "sizes": transport.packet_sizes}
    variant = catalogue().variants[transport.variant]
    rtt: dict[str, object] = {name: TIME.parse(getattr(transport, name)) for name in _TIMER_FIELDS}
    rtt |= {
        "clock_phase": None if transport.clock_phase == "random" else TIME.parse(transport.clock_phase or ""),
        "arithmetic": transport.rtt_arithmetic,
        "backoff_after_floor": transport.backoff_after_floor,
        "timer_before_sample": transport.timer_before_sample,
    }
    sender = {name: getattr(transport, name) for name in _SENDER_FIELDS}
    sender |= {
        "packet_size": packet_size,
        "recovery": variant.recovery,
        "congestion": {"kind": variant.congestion, **transport.parameters},
        "rtt": rtt,
        "overhead": TIME.parse(transport.overhead or ""),
    }
    receiver = {
        "delayed_ack": TIME.parse(transport.delayed_ack_timeout or "") if transport.delayed_ack else None,
        "ack_gap_fill": transport.ack_gap_fill,
        "delay_duplicates": transport.delay_duplicates,
        "handshake": transport.handshake,
        "ack_first": transport.ack_first,
        "sack_blocks": transport.sack_blocks if variant.recovery == "sack" else 0,
    }
    return {"kind": "tcp", "sender": sender, "receiver": receiver}


def _source(scenario: Scenario, group: Clients | Flow, at: str) -> dict[str, Any]:
    fields: dict[str, Any]
    match group.source:
        case Poisson(rate=rate) | Constant(rate=rate):
            fields = {"rate": rate}
        case OnOff(rate=rate, on=on, off=off):
            fields = {"rate": rate, "on": _drawn(on, seconds), "off": _drawn(off, seconds)}
        case FractionalNoise(rate=rate, hurst=hurst, cov=cov, bin=width):
            width_ps = TIME.parse(width)
            bins = -(-TIME.parse(scenario.duration) // width_ps)
            fields = {"kind": "fractional", "rate": rate, "hurst": hurst, "cov": cov, "bin": width_ps, "bins": bins}
        case Greedy():
            fields = {"packets": packets_of(group)}
        case Transfers(size=size, think=think):
            fields = {"size": _sizes(size, group), "think": _drawn(think, seconds)}
        case Connections(size=size, connections=most):
            fields = {"rate": request_rate(scenario, group), "size": _sizes(size, group), "most": most}
        case Trace():
            fields = _trace(group.source, at)
    return {"kind": group.source.kind, **fields}


def _trace(trace: Trace, at: str) -> dict[str, Any]:
    """Give the rows of the trace at a place of the scenario, times scaled and in picoseconds."""
    import numpy as np  # noqa: PLC0415  # few scenarios have a trace

    found, picoseconds = trace.file, trace.scale * PICOSECONDS_PER_SECOND
    if found.times[-1] * trace.scale > seconds(LONGEST_RUN):
        raise refuse(f"{at}.scale", trace.scale, f"must end the trace by {LONGEST_RUN}")
    period = None if trace.period is None else round(TIME.parse(trace.period) * trace.scale)
    times = np.rint(found.times * picoseconds).astype(np.uint64)
    if period is not None and period < times[-1]:
        raise refuse(f"{at}.period", trace.period, "must reach the trace's last time")
    offset = None if trace.offset == "random" else round(TIME.parse(trace.offset) * trace.scale)
    return {
        "times": times.tolist(),
        "packets": None if found.packets is None else found.packets.tolist(),
        "period": period,
        "offset": offset,
    }


def _sizes(distribution: Exponential | Pareto | Lognormal | Fixed | SizeTable, group: Clients | Flow) -> dict[str, Any]:
    """Give a distribution of sizes in packets of a group."""
    payload = (group.packet_size or 0) - HEADER_BYTES
    if isinstance(distribution, SizeTable):
        values, shares = zip(*distribution.points, strict=True)
        return {"kind": "table", "values": [SIZE.parse(value) / payload for value in values], "shares": shares}
    return _drawn(distribution, lambda text: SIZE.parse(text) / payload)


def _drawn(distribution: Exponential | Pareto | Lognormal | Fixed, number: Callable[[str], float]) -> dict[str, Any]:
    """Give a distribution with its mean in the engine's unit."""
    return distribution.model_dump() | {"mean": number(distribution.mean)}
