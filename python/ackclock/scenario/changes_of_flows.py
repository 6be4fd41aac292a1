"""Checks of the paths of flows, and of changes against the groups of flows that they change."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pydantic_core import InitErrorDetails

from ackclock.engine import core
from ackclock.engine.catalogue import catalogue
from ackclock.scenario import effective
from ackclock.scenario.call import Call
from ackclock.scenario.changes import Change
from ackclock.scenario.declared import Tcp
from ackclock.scenario.routes import DirectedLink, Routes, directed, routes_over
from ackclock.scenario.traffic import Clients, Flow
from ackclock.values.errors import Location, missing, one_of, wrong
from ackclock.values.quantity import TIME

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario

_NAMES_LAW: Final = frozenset({"kind", "variant"})
"""The fields of a transport that say which law has the parameters."""


def problems(scenario: "Scenario") -> Iterator[InitErrorDetails]:
    """Check each change of flows: its groups, and what changes there."""
    names = [effective.name_of_group(scenario, place) for place in range(len(scenario.groups))]
    laws: dict[str, Tcp] = {}
    in_order = sorted(enumerate(scenario.changes), key=lambda change: TIME.parse(change[1].at))
    for place, change in in_order:
        if not change.changes_flows:
            continue
        at: Location = ("changes", place)
        if change.groups is None and len(names) > 1:
            yield missing((*at, "groups"), f"must be given, as there are several groups: {', '.join(names)}")
        for index, name in enumerate(change.groups or names[:1]):
            if name not in names:
                yield wrong((*at, "groups", index), name, one_of(name, names), noun="group")
                continue
            group = scenario.groups[names.index(name)]
            if change.transport is not None:
                yield from _law(scenario, (*at, "transport"), (name, group), change, laws)
            if change.via is not None:
                yield from _via(scenario, (*at, "via"), group, change.via)


def _law(
    scenario: "Scenario", at: Location, named: tuple[str, Clients | Flow], change: Change, laws: dict[str, Tcp]
) -> Iterator[InitErrorDetails]:
    """Check the new parameters of a window law; `laws` has what the changes before have made of it."""
    name, group = named
    given = change.transport
    assert given is not None  # noqa: S101  # narrows the type
    if not isinstance(group.transport, Tcp):
        yield wrong(at, "tcp", f"must be absent: group {name} uses {group.transport.kind}: it has no law")
        return
    size = group.packet_size or scenario.packet_size
    before = laws.get(name) or effective.tcp(scenario.profile, group.transport, size)
    known = catalogue().variants
    if before.law is not None:
        yield wrong(at, "tcp", f"must be absent: the parameters of a law in Python, as in group {name}, cannot change")
        return
    if known[given.variant].congestion != known[before.variant].congestion:
        yield wrong((*at, "variant"), given.variant, f"must be {before.variant}, as in group {name}")
        return
    for field in type(given).model_fields:
        value = getattr(given, field)
        if value is not None and field not in _NAMES_LAW:
            allowed = "must be absent: a run changes only parameters of laws"
            yield wrong((*at, field), value, allowed)
    after = before.with_parameters(given)
    laws[name] = after
    found = core.check_law_change(*(json.dumps(transport.law_for_engine()) for transport in (before, after)))
    if found is not None:
        field, message = found
        # a value that is wrong beside the new ones may be an old one
        value = given.variant if field == "kind" else after.parameters.get(field)
        yield wrong((*at, "variant" if field == "kind" else field), value, message.partition("; ")[2] or message)


def _via(scenario: "Scenario", at: Location, group: Clients | Flow, via: Sequence[str]) -> Iterator[InitErrorDetails]:
    """Check a new way of the flows of a group."""
    if not isinstance(group, Flow):
        yield wrong(at, via, "must be absent in a dumbbell, where each flow has one path")
        return
    nodes, links = {node.name: None for node in scenario.nodes}, directed(scenario.links)
    unknown = list(unknown_nodes(nodes, group, via, at))
    yield from unknown or way_problems((links, routes_over(links)), group, via, at)


def unknown_nodes(
    nodes: Mapping[str, None], flow: Flow, via: Sequence[str], at: Location
) -> Iterator[InitErrorDetails]:
    """Check that the nodes that a flow visits exist, and lie between its ends."""
    for index, name in enumerate(via):
        if name not in nodes:
            yield wrong((*at, index), name, one_of(name, nodes), noun="node")
        elif name in (flow.from_, flow.to):
            yield wrong((*at, index), name, f"must differ from the ends of the flow, {flow.from_} and {flow.to}")


def way_problems(
    graph: tuple[Sequence[DirectedLink], Routes], flow: Flow, via: Sequence[str], at: Location
) -> Iterator[InitErrorDetails]:
    """Check that a flow has a route along these nodes, and back for ACKs or reports. Assumes that all names exist."""
    links, routes = graph
    stops = flow.stops(via)
    value = list(via) if via else flow.to
    is_tcp = isinstance(flow.transport, Tcp)
    for way in (stops, stops[::-1]) if is_tcp or isinstance(flow.source, Call) else (stops,):
        purpose = "" if way == stops else f", the path of the {'ACKs' if is_tcp else 'reports'}"
        crossed = routes.through(way)
        if crossed is None:
            a, b = next(pair for pair in itertools.pairwise(way) if routes.route(*pair) is None)
            yield wrong(at, value, f"must have a route: no links lead from {a} to {b}{purpose}")
        elif len(set(crossed)) < len(crossed):
            twice = next(link for link in crossed if crossed.count(link) > 1)
            yield wrong(at, value, f"must not lead over link {links[twice].name} twice{purpose}")
