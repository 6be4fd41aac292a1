"""Checks that involve several tables of a scenario, after each field has passed its own check."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import InitErrorDetails

from ackclock.engine import core
from ackclock.scenario import changes_of_flows, changes_of_links, effective, media, profile
from ackclock.scenario.call import Call
from ackclock.scenario.changes import link_of
from ackclock.scenario.data_source import Paced
from ackclock.scenario.declared import Queue, Tcp
from ackclock.scenario.fields import MOST_BINS, MOST_FLOWS, MOST_LINKS
from ackclock.scenario.links import links_of
from ackclock.scenario.network import BOTTLENECK, GraphLink, Link
from ackclock.scenario.routes import directed, routes_over
from ackclock.scenario.sources import SOURCES, Greedy
from ackclock.scenario.topologies import expanded
from ackclock.scenario.traffic import Clients, Flow, data_bytes
from ackclock.values.errors import Location, missing, one_of, wrong
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario

_STEPS: Final = 10
_MOST_COUNTS: Final = 2**24
"""Steps of a window of convergence, and the most counts of bytes: the engine's limits."""


def problems(scenario: "Scenario") -> list[InitErrorDetails]:
    """Run the checks in order, and return the problems of the first check that fails."""
    checks = (
        _form,
        _graph,
        _routes,
        _groups,
        _queues,
        _media,
        _measure,
        changes_of_links.problems,
        changes_of_flows.problems,
    )
    if scenario.topology is not None and (scenario.dumbbell is not None or scenario.clients):
        given = "dumbbell" if scenario.dumbbell is not None else "clients"
        return [wrong(("topology",), scenario.topology.kind, f"must be absent when {given} is given")]
    scenario = expanded(scenario)
    for check in checks:
        found = list(check(scenario))
        if found:
            return found
    return []


def _form(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check that there is a complete dumbbell or a complete graph, but not both."""
    dumbbell = {"dumbbell": scenario.dumbbell is not None, "clients": bool(scenario.clients)}
    graph = {name: bool(getattr(scenario, name)) for name in ("nodes", "links", "flows")}
    given, other = (graph, dumbbell) if any(graph.values()) and not dumbbell["dumbbell"] else (dumbbell, graph)
    form = "a scenario has dumbbell and clients, or nodes, links and flows"
    if scenario.routing is not None and given is dumbbell:
        yield wrong(("routing",), scenario.routing.model_dump(), "must be absent in a dumbbell, where paths are unique")
    for name, there in other.items():
        if there:
            yield wrong((name,), getattr(scenario, name), f"must be absent when {_there(given)} is given: {form}")
    for name, there in given.items():
        if not there:
            yield missing((name,), f"must be given: {form}")


def _there(form: Mapping[str, bool]) -> str:
    return next(name for name, there in form.items() if there)


def _graph(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check that the names in a graph are unique and that links and flows join existing nodes."""
    if scenario.dumbbell is not None:
        return
    yield from _repeated((("nodes", place, "name"), node.name) for place, node in enumerate(scenario.nodes))
    nodes = {node.name: None for node in scenario.nodes}
    names: list[tuple[Location, str]] = []
    for place, link in enumerate(scenario.links):
        yield from _ends("links", place, link.from_, link.to, nodes)
        names += [(("links", place, "name"), name) for name, _, _ in link.directions]
    yield from _repeated(names)
    for place, flow in enumerate(scenario.flows):
        yield from _ends("flows", place, flow.from_, flow.to, nodes)
        yield from changes_of_flows.unknown_nodes(nodes, flow, flow.via or (), ("flows", place, "via"))


def _routes(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check that each flow of a graph has a route in both directions. Assumes that all names exist."""
    links = directed(scenario.links)
    graph = (links, routes_over(links))
    for place, flow in enumerate(scenario.flows):
        at: Location = ("flows", place, "to" if not flow.via else "via")
        yield from changes_of_flows.way_problems(graph, flow, flow.via or (), at)


def _ends(table: str, place: int, a: str, b: str, nodes: Mapping[str, None]) -> Iterator[InitErrorDetails]:
    for end, name in (("from", a), ("to", b)):
        if name not in nodes:
            yield wrong((table, place, end), name, one_of(name, nodes), noun="node")
    if a == b:
        yield wrong((table, place, "to"), b, "must differ from the node in from")


def _repeated(names: Iterable[tuple[Location, str]]) -> Iterator[InitErrorDetails]:
    seen: set[str] = set()
    for location, name in names:
        if name in seen:
            yield wrong(location, name, "must be unique among names of its kind")
        seen.add(name)


def _groups(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check each group of flows and the total number of flows."""
    table = "flows" if scenario.dumbbell is None else "clients"
    total = 0
    for place, group in enumerate(scenario.groups):
        total += group.flows
        if total > MOST_FLOWS:
            each = " of connections" if group.flows > group.count else ""
            yield wrong(
                (table, place, "count"),
                group.count,
                f"must keep the total{each} at or below {MOST_FLOWS} (it is {total} here)",
            )
            break
        yield from _group(scenario, (table, place), group)
    yield from _repeated(
        ((table, place, "name"), effective.name_of_group(scenario, place)) for place in range(len(scenario.groups))
    )


def _group(scenario: "Scenario", at: Location, group: Clients | Flow) -> Iterator[InitErrorDetails]:
    start, duration = TIME.parse(group.start or "0 s"), TIME.parse(scenario.duration)
    if start >= duration:
        yield wrong((*at, "start"), group.start, f"must be before the end, at {scenario.duration}")
    elif group.spread is not None and start + TIME.parse(group.spread) > duration:
        allowed = f"must be at most {TIME.format(duration - start)}, so that all flows start before the end"
        yield wrong((*at, "spread"), group.spread, allowed)
    yield from _schedule(at, group, scenario.duration)
    if isinstance(group, Clients) and group.access is None and scenario.dumbbell and scenario.dumbbell.access is None:
        yield missing((*at, "access"), "must be given here or as dumbbell.access")
    if not isinstance(group.transport, Tcp):
        if isinstance(group.source, Call) and group.transport.packet_sizes != "fixed":
            yield wrong((*at, "transport", "packet_sizes"), group.transport.packet_sizes, "must be fixed for a call")
        if not isinstance(group.source, Paced | Call):
            over_udp = (source for source in SOURCES if issubclass(source, Paced | Call))
            paced = ", ".join(source.model_fields["kind"].default for source in over_udp)
            allowed = f"must be one of {paced}: over UDP, no window limits the sending rate of other sources"
            yield wrong((*at, "source", "kind"), group.source.kind, allowed)
        return
    if isinstance(group.source, Call):
        yield wrong((*at, "source", "kind"), "call", "must be absent with TCP: a call adapts by itself, over UDP")
        return
    size = group.packet_size or scenario.packet_size
    whole = effective.tcp(scenario.profile, group.transport, size)
    payload = data_bytes(whole, size)
    if payload <= 0:
        where, headers = at if group.packet_size else (), size - payload
        allowed = f"must be above {headers} for TCP, whose headers have {headers} bytes"
        yield wrong((*where, "packet_size"), size, allowed)
        return
    yield from _timers((*at, "transport"), whole)
    yield from _law((*at, "transport"), whole)


def _schedule(at: Location, group: Clients | Flow, end: str) -> Iterator[InitErrorDetails]:
    """Check when the sources of a group stop, and what becomes of their data."""
    given = [name for name in ("stop", "duration", "active") if getattr(group, name) is not None]
    for name in given[1:]:
        yield wrong((*at, name), getattr(group, name), f"must be absent when {given[0]} is given")
    first = group.active[0][0] if group.active else group.start
    if group.start not in (None, first):
        yield wrong(
            (*at, "start"), group.start, f"must be absent, or the beginning of the first active period, {first}"
        )
    start = group.start or "0 s"
    if group.stop is not None and TIME.parse(group.stop) <= TIME.parse(start):
        yield wrong((*at, "stop"), group.stop, f"must be after the start, at {start}")
    last = group.stop or (group.active[-1][1] if group.active else start)
    if given and TIME.parse(last) > TIME.parse(end):
        yield wrong((*at, given[0]), getattr(group, given[0]), f"must be at most the end, at {end}")
    yield from _spread(at, group)
    if group.unfinished is not None:
        yield from _unfinished(at, group)


def _spread(at: Location, group: Clients | Flow) -> Iterator[InitErrorDetails]:
    """Check that all sources start before they stop for the first time."""
    begin, end = group.active[0] if group.active else (group.start or "0 s", group.stop)
    if end is not None and group.spread is not None:
        room = TIME.parse(end) - TIME.parse(begin)
        if TIME.parse(group.spread) > room > 0:
            allowed = f"must be at most {TIME.format(room)}, so that all sources start before they stop, at {end}"
            yield wrong((*at, "spread"), group.spread, allowed)


def _unfinished(at: Location, group: Clients | Flow) -> Iterator[InitErrorDetails]:
    """Check that the source allows the choice for data that is not sent."""
    never_ends = isinstance(group.source, Greedy) and group.source.size is None
    if not group.pauses:
        yield wrong((*at, "unfinished"), group.unfinished, "must be absent unless stop, duration or active is given")
    elif group.unfinished == "drained" and never_ends:
        allowed = "must be dropped for a greedy source without a size, whose data never ends"
        yield wrong((*at, "unfinished"), group.unfinished, allowed)
    elif group.unfinished == "dropped" and group.usual_unfinished == "drained":
        allowed = f"must be drained for {group.source.kind}: a transfer that has begun is completed"
        yield wrong((*at, "unfinished"), group.unfinished, allowed)


def _timers(at: Location, whole: Tcp) -> Iterator[InitErrorDetails]:
    largest = whole.max_rto
    for name in ("min_rto", "initial_rto"):
        value = getattr(whole, name)
        if largest is not None and TIME.parse(value) > TIME.parse(largest):
            yield wrong((*at, name), value, f"must be at most max_rto ({largest})")


def _law(at: Location, whole: Tcp) -> Iterator[InitErrorDetails]:
    """Check that the parameters of a window law, its ECN feedback, its recovery and its clock are consistent."""
    tick = TIME.parse(str(whole.timer_tick))
    found = core.check_law(json.dumps(whole.law_for_engine()), str(whole.ecn), str(whole.recovery), tick)
    if found is not None:
        name, message = found
        yield wrong((*at, name), getattr(whole, name), message.partition("; ")[2])
    if whole.recovery == "sack" and whole.sack_blocks == 0:
        yield wrong((*at, "sack_blocks"), 0, "must be at least 1 with recovery sack; recovery rack allows 0")


def _queues(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check that the parameters of each queue, with its defaults, are consistent."""
    for at, given in _given_queues(scenario):
        yield from _chosen(at, scenario.profile, given)
        whole = effective.queue(scenario.profile, given, scenario.packet_size)
        found = core.check_queue(json.dumps(whole.for_engine()))
        if found is not None:
            name, message = found
            yield wrong((*at, name), getattr(whole, name), message.partition("; ")[2])


def _chosen(at: Location, profile_name: str, given: Queue) -> Iterator[InitErrorDetails]:
    """Check that parameters of RED that ``target_delay`` chooses are absent, or have the default of the profile."""
    target = given.parameters.get("target_delay", "off")
    if target == "off":
        return
    for name in ("w_q", "min_th", "max_th"):
        value = given.parameters.get(name)
        if value not in (None, profile.default(profile_name, given.kind, name)):
            yield wrong((*at, name), value, f"must be absent: target_delay ({target}) chooses it")


def _media(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check the media and the links that share them."""
    yield from media.problems(scenario, _given_links(scenario))


def _given_queues(scenario: "Scenario") -> Iterator[tuple[Location, Queue]]:
    for at, link in _given_links(scenario):
        if link.queue is not None:
            yield (*at, "queue"), link.queue


def _given_links(scenario: "Scenario") -> Iterator[tuple[Location, Link | GraphLink]]:
    places: list[tuple[Location, Any]] = [
        *((("dumbbell", name), getattr(scenario.dumbbell, name, None)) for name in ("bottleneck", "reverse", "access")),
        *((("clients", place, "access"), group.access) for place, group in enumerate(scenario.clients)),
        *((("links", place), link) for place, link in enumerate(scenario.links)),
    ]
    yield from ((at, link) for at, link in places if link is not None)


def _measure(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check the measurement settings against the duration and the links."""
    duration = TIME.parse(scenario.duration)
    measure = scenario.measure
    if TIME.parse(measure.from_) >= duration:
        yield wrong(("measure", "from"), measure.from_, f"must be before the end, at {scenario.duration}")
    yield from _bin(scenario, duration)
    yield from _link(scenario)
    yield from _convergence(scenario)


def _bin(scenario: "Scenario", duration: int) -> Iterator[InitErrorDetails]:
    given = scenario.measure.bin
    if given is None:
        whole = effective.effective(scenario)
        given = whole.measure.bin or ""
        if effective.default_bin(whole) == 0:
            yield missing(("measure", "bin"), "must be given when no link has a delay")
            return
    width = TIME.parse(given)
    if width > duration:
        yield wrong(("measure", "bin"), given, f"must be at most the duration ({scenario.duration})")
    elif duration // width > MOST_BINS:
        count = duration // width
        yield wrong(
            ("measure", "bin"),
            given,
            f"must give at most {MOST_BINS} bins in {scenario.duration} (this width gives {count})",
        )


def _convergence(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    given = scenario.measure.convergence
    if given is None:
        return
    window, duration = TIME.parse(given.window), TIME.parse(scenario.duration)
    counts = duration // max(window // _STEPS, 1) * (sum(group.flows for group in scenario.groups) + 1)
    at: Location = ("measure", "convergence", "window")
    name = scenario.measure.link or BOTTLENECK
    measured = link_of(scenario, name) if links_of(scenario).number(name) is not None else None
    for place, change in enumerate(scenario.changes):
        if change.via is not None:
            allowed = (
                "must be absent with measure.convergence, which takes all flows of the measured link to stay there"
            )
            yield wrong(("changes", place, "via"), list(change.via), allowed)
    if measured is not None and (measured.medium is not None or measured.framing is not None):
        allowed = "must be absent: a link with a medium or framing never carries packets at its rate"
        yield wrong(at[:2], given.model_dump(exclude_none=True), allowed)
    if not _STEPS <= window <= duration:
        yield wrong(at, given.window, f"must be from {_STEPS} ps to the duration, {scenario.duration}")
    elif counts > _MOST_COUNTS:
        allowed = (
            f"must be longer: {_STEPS} steps for each window and flow give {counts:,} counts; at most {_MOST_COUNTS:,}"
        )
        yield wrong(at, given.window, allowed)


def _link(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    given, links = scenario.measure.link, links_of(scenario)
    if given is None and scenario.dumbbell is None:
        yield missing(("measure", "link"), one_of(None, links.names()))
    elif given is not None and links.number(given) is None:
        yield wrong(("measure", "link"), given, one_of(given, links.names()), noun="link")
    if scenario.measure.links == effective.ALL:
        at: Location = ("measure", "links")
        if scenario.dumbbell is not None:
            yield wrong(at, effective.ALL, "must be a list of links in a dumbbell")
        elif len(links) > MOST_LINKS:
            yield wrong(at, effective.ALL, f"must be a list of at most {MOST_LINKS} links: there are {len(links):,}")
        return
    for place, name in enumerate(scenario.measure.links or ()):
        if links.number(name) is None:
            yield wrong(("measure", "links", place), name, one_of(name, links.names()), noun="link")
        elif name == (given or BOTTLENECK):
            yield wrong(
                ("measure", "links", place), name, "must differ from measure.link, for which all measures exist already"
            )
