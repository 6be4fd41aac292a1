"""Converts a scenario to the engine's plan: integers in picoseconds, bit/s and bytes, and ids instead of names."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ackclock.engine.catalogue import catalogue
from ackclock.running.capturing import CaptureRequest
from ackclock.running.flow_plan import flow_changes_for_engine
from ackclock.running.link_plan import link_for_engine, medium_for_engine
from ackclock.running.records import Record
from ackclock.running.requests import refuse_too_many_requests, request_rate
from ackclock.scenario import (
    Clients,
    Flow,
    FractionalNoise,
    GraphLink,
    Link,
    Queue,
    Scenario,
    Tcp,
    Udp,
)
from ackclock.scenario.changes import of_link
from ackclock.scenario.data_source import Setting
from ackclock.scenario.files import TRACES
from ackclock.scenario.law_fields import PYTHON
from ackclock.scenario.links import links_of
from ackclock.scenario.media import numbered
from ackclock.scenario.routes import directed
from ackclock.values.errors import refuse
from ackclock.values.quantity import RATE, TIME

# Maximum number of bins of all sources of fractional Gaussian noise. They are drawn before a run can be interrupted,
# which takes seconds, and stay in memory for the whole run.
_MOST_BINS: Final = 2**23
# Maximum number of bins of one such source: the engine's limit.
_MOST_BINS_OF_A_FLOW: Final = 2**22
# Maximum number of steps of all traces of links, which bounds their memory.
_MOST_STEPS: Final = 2**22


def plan(scenario: Scenario, records: Sequence[Record] = (), captures: Sequence[CaptureRequest] = ()) -> str:
    """Return the engine's plan of an effective scenario, as JSON."""
    _refuse_too_many_bins(scenario)
    _refuse_too_many_steps(scenario)
    _refuse_small_bursts(scenario)
    refuse_too_many_requests(scenario)
    links, further = links_of(scenario), scenario.measure.links
    nodes = {node.name: number for number, node in enumerate(scenario.nodes)}
    own = [queue for _, queue in own_disciplines(scenario)]
    return json.dumps(
        {
            "duration": TIME.parse(scenario.duration),
            "measure": {
                "from": TIME.parse(scenario.measure.from_),
                "bin": TIME.parse(scenario.measure.bin or ""),
                "link": links.number(scenario.measure.link or ""),
                **({"others": [links.number(name) for name in further]} if further else {}),
                **({"convergence": _convergence(scenario)} if scenario.measure.convergence is not None else {}),
            },
            "topology": _dumbbell(scenario, own) if scenario.dumbbell is not None else _graph(scenario, nodes, own),
            **({"paths": scenario.routing.paths} if scenario.routing is not None else {}),
            **({"media": [medium_for_engine(medium) for medium in scenario.media]} if scenario.media else {}),
            "groups": [_group(scenario, place, nodes, law) for place, law in enumerate(_numbers_of_laws(scenario))],
            "records": [record.for_engine() for record in records],
            "captures": [capture.for_engine() for capture in captures],
        },
        allow_nan=False,
    )


def _convergence(scenario: Scenario) -> dict[str, Any]:
    given = scenario.measure.convergence
    assert given is not None  # noqa: S101  # narrows the type; the caller has checked
    return {"window": TIME.parse(given.window), "delta": given.delta}


def _table_of_groups(scenario: Scenario) -> str:
    return "clients" if scenario.clients else "flows"


def in_scenario(error: str, scenario: Scenario) -> str:
    """Replace the field of the plan with which the engine's error begins by the scenario's field.

    Examples
    --------
    >>> import ackclock as ac
    >>> graph = ac.Scenario.from_dict(
    ...     {
    ...         "duration": "1 s",
    ...         "measure": {"link": "l"},
    ...         "nodes": [{"name": "a"}, {"name": "b"}],
    ...         "links": [{"name": "l", "from": "a", "to": "b", "rate": "1 Mbps", "delay": "5 ms"}],
    ...         "flows": [{"from": "a", "to": "b", "transport": {"kind": "tcp"}, "source": {"kind": "greedy"}}],
    ...     }
    ... )
    >>> in_scenario("groups.0.transport.sender.rtt.clock: must be above 0", graph)
    'flows.0.transport.clock: must be above 0'
    >>> in_scenario("links.1.queue.packets: must be above 0", graph)
    'links.0.queue.packets: must be above 0'
    """
    field, colon, rest = error.partition(": ")
    places = [place for place, link in enumerate(scenario.links) for _ in link.directions]

    def link(found: re.Match[str]) -> str:
        number = int(found[1])
        if scenario.dumbbell is None:
            return f"links.{places[number]}" if number < len(places) else found[0]
        name = links_of(scenario).name(number)
        sides = {"bottleneck": "dumbbell.bottleneck", "bottleneck.reverse": "dumbbell.reverse"}
        return sides.get(name, "dumbbell.access")

    for pattern, new in (
        (r"^groups\b", _table_of_groups(scenario)),
        (r"\.transport\.(sender|receiver)(\.rtt|\.congestion)?\.", ".transport."),
        (r"\.source\.bins$", ".source.bin"),
        (r"^links\.(\d+)\b", link),
        (r"^topology\.", "dumbbell."),
    ):
        field = re.sub(pattern, new, field)
    return f"{field}{colon}{rest}"


def _refuse_too_many_bins(scenario: Scenario) -> None:
    bins, duration = 0, TIME.parse(scenario.duration)
    for place, group in enumerate(scenario.groups):
        if isinstance(group.source, FractionalNoise):
            own = -(-duration // TIME.parse(group.source.bin))
            bins += group.count * own
            at = f"{_table_of_groups(scenario)}.{place}.source.bin"
            if own > _MOST_BINS_OF_A_FLOW:
                limit = f"must give at most {_MOST_BINS_OF_A_FLOW:,} bins of a flow in the run, but gives {own:,}"
                raise refuse(at, group.source.bin, limit)
            if bins > _MOST_BINS:
                limit = f"must give at most {_MOST_BINS:,} bins in the run, summed over all flows"
                raise refuse(at, group.source.bin, limit)


def _refuse_too_many_steps(scenario: Scenario) -> None:
    steps = 0
    for at, link in _named_links(scenario):
        for name in TRACES:
            trace = getattr(link, name, None)
            if trace is None:
                continue
            steps += trace.course().times.size
            if steps > _MOST_STEPS:
                field, value = ("steps", trace.steps) if trace.path is None else ("path", trace.path)
                limit = f"must be shorter: the traces of all links may have at most {_MOST_STEPS:,} steps in total"
                raise refuse(f"{at}.{name}.{field}", value, limit)


def _refuse_small_bursts(scenario: Scenario) -> None:
    largest = max(group.packet_size or 0 for group in scenario.groups)
    for at, link in _named_links(scenario):
        framing = getattr(link, "framing", None)
        for name, least in (("policer", largest), ("shaper", framing.bytes(largest) if framing else largest)):
            bucket = getattr(link, name, None)
            if bucket is not None and bucket.burst < least:
                of = "packet_size" if least == largest else "packet_size with its framing"
                limit = f"must be at least {least} bytes, the largest {of}: a larger packet never conforms"
                raise refuse(f"{at}.{name}.burst", bucket.burst, limit)


def _named_links(scenario: Scenario) -> list[tuple[str, Link | GraphLink | None]]:
    """Return each link of the scenario with the name of its field."""
    dumbbell = scenario.dumbbell
    named: list[tuple[str, Link | GraphLink | None]] = [
        *((f"links.{place}", link) for place, link in enumerate(scenario.links)),
        *((f"clients.{place}.access", group.access) for place, group in enumerate(scenario.clients)),
    ]
    if dumbbell is not None:
        named += [("dumbbell.bottleneck", dumbbell.bottleneck), ("dumbbell.reverse", dumbbell.reverse)]
    return named


def own_disciplines(scenario: Scenario) -> list[tuple[str, Queue]]:
    """List the different queues whose disciplines are written in Python, each with the name of its field.

    The place in this list is the number by which the plan names the discipline.
    """
    found: list[tuple[str, Queue]] = []
    for at, link in _named_links(scenario):
        queue = link.queue if link is not None else None
        if queue is not None and queue.kind == PYTHON and queue not in (each for _, each in found):
            found.append((f"{at}.queue.discipline", queue))
    return found


def _dumbbell(scenario: Scenario, own: list[Queue]) -> dict[str, Any]:
    dumbbell = scenario.dumbbell
    assert dumbbell is not None  # noqa: S101  # narrows the type; the caller has checked
    first, access = 0, []
    for group in scenario.clients:
        # a change names the link of one client, in a group of one
        name = f"access.{first}"
        access.append([_link(scenario, group.access, name, own), _link(scenario, _back(group), f"{name}.reverse", own)])
        first += group.count
    return {
        "kind": "dumbbell",
        "bottleneck": _link(scenario, dumbbell.bottleneck, "bottleneck", own),
        "reverse": _link(scenario, dumbbell.reverse, "bottleneck.reverse", own),
        "access": access,
    }


def _back(group: Clients) -> Link | None:
    return group.access and group.access.back


def _graph(scenario: Scenario, numbers: Mapping[str, int], own: list[Queue]) -> dict[str, Any]:
    return {
        "kind": "graph",
        "nodes": len(numbers),
        "links": [
            {
                "from": numbers[link.from_],
                "to": numbers[link.to],
                "link": _link(scenario, link.link, link.name, own),
            }
            for link in directed(scenario.links)
        ],
    }


def _link(scenario: Scenario, link: Link | GraphLink | None, name: str, own: list[Queue]) -> dict[str, Any]:
    assert link is not None  # noqa: S101  # the scenario is effective
    converted = link_for_engine(link, of_link(scenario.changes, name), own)
    return {**converted, **numbered(scenario.media, link)}


def _group(scenario: Scenario, place: int, numbers: Mapping[str, int], law: int) -> dict[str, Any]:
    group = scenario.groups[place]
    return {
        "count": group.count,
        "path": [numbers[group.from_], numbers[group.to]] if isinstance(group, Flow) else None,
        **({"via": [numbers[node] for node in group.via]} if isinstance(group, Flow) and group.via else {}),
        **flow_changes_for_engine(group, scenario.changes, numbers),
        "reverse": isinstance(group, Clients) and group.direction == "reverse",
        "packet_size": group.packet_size,
        "start": TIME.parse(group.start or ""),
        "spread": TIME.parse(group.spread or ""),
        **({"schedule": _schedule(group)} if group.pauses else {}),
        **({"priority": group.priority} if group.priority else {}),
        **({"weight": group.weight} if group.weight != 1 else {}),
        **({"ceiling": RATE.parse(group.ceiling)} if group.ceiling else {}),
        **({"dscp": group.dscp} if group.dscp else {}),
        "transport": transport_for_engine(group.transport, group.packet_size, law),
        "source": group.source.for_engine(
            Setting(
                at=f"{'clients' if scenario.clients else 'flows'}.{place}.source",
                duration=TIME.parse(scenario.duration),
                payload=group.payload,
                request_rate=lambda: request_rate(scenario, group),
            )
        ),
    }


def _schedule(group: Clients | Flow) -> dict[str, Any]:
    stop: dict[str, int]
    if group.duration is not None:
        stop = {"after": TIME.parse(group.duration)}
    else:
        stop = {"at": TIME.parse(group.stop or (group.active or ())[0][1])}
    again = [[TIME.parse(begin), TIME.parse(end)] for begin, end in (group.active or ())[1:]]
    return {"stop": stop, "again": again, "unfinished": group.unfinished}


def _numbers_of_laws(scenario: Scenario) -> Iterator[int]:
    """Yield for each group how many groups before it have a law in Python; laws are numbered in this order."""
    number = 0
    for group in scenario.groups:
        yield number
        number += isinstance(group.transport, Tcp) and group.transport.law is not None


def transport_for_engine(transport: Tcp | Udp, packet_size: int | None, law: int = 0) -> dict[str, Any]:
    """Convert a transport with all defaults filled in; `law` is the number of its law in Python, if it has one."""
    if isinstance(transport, Udp):
        return {"kind": "udp", "sizes": transport.packet_sizes}
    parts = {
        part: {name: option.for_engine(getattr(transport, name)) for name, option in options.items()}
        for part, options in catalogue().options.items()
    }
    sender = parts["sender"] | {
        "packet_size": packet_size,
        "initial_rwnd": transport.initial_rwnd if transport.rwnd == "auto" else None,
        "read_rate": parts["receiver"]["read_rate"],
        "has_sack": transport.sack_blocks != 0,
        "congestion": transport.law_for_engine(law),
        "rtt": parts["rtt"],
    }
    receiver = parts["receiver"] | {
        "handshake": transport.handshake,
        "ecn": transport.ecn,
        "reports_originals": transport.undo in {"eifel", "both"}
        or (transport.recovery == "rack" and transport.rack == "rfc8985"),
        "max_window": transport.max_window,
        "acks_pushed": transport.push,
    }
    if transport.recovery not in {"sack", "rack"}:
        receiver["sack_blocks"] = 0
    return {"kind": "tcp", "sender": sender, "receiver": receiver}
