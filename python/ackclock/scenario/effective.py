"""Makes effective scenarios: fills in every default, so that a result records all of its inputs."""

import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ackclock.engine.catalogue import Parameter, catalogue
from ackclock.scenario import profile
from ackclock.scenario.changes import place_of_losses
from ackclock.scenario.data_source import WithRate
from ackclock.scenario.declared import Queue, Tcp
from ackclock.scenario.declaring import WINDOWS
from ackclock.scenario.files import TRACES
from ackclock.scenario.law_classes import of_python
from ackclock.scenario.law_fields import LAW_FIELDS, PYTHON
from ackclock.scenario.network import BOTTLENECK, Dumbbell, GraphLink, Link, mean_delay, reverse_of
from ackclock.scenario.routes import directed, routes_over
from ackclock.scenario.routing import Routing, flows_with_choice
from ackclock.scenario.sources import Trace
from ackclock.scenario.traffic import Clients, Flow, data_bytes
from ackclock.values.quantity import SIZE, TIME

if TYPE_CHECKING:
    from ackclock.scenario.changes import Change
    from ackclock.scenario.whole import Scenario

ALL: Final = "all"
"""The value of ``measure.links`` that means all other links of a graph."""
MICROSECOND: Final = TIME.parse("1 us")
_Group = TypeVar("_Group", Clients, Flow)
_Line = TypeVar("_Line", Link, GraphLink)
_Table = TypeVar("_Table", Queue, Tcp, Dumbbell)


def effective(scenario: "Scenario") -> "Scenario":
    """Fill in every default of a checked scenario."""
    network: dict[str, Any]
    if scenario.dumbbell is not None:
        dumbbell = _dumbbell(scenario.profile, scenario.dumbbell, scenario.packet_size)
        clients = [_clients(scenario, dumbbell, place, group) for place, group in enumerate(scenario.clients)]
        network = {"dumbbell": dumbbell, "clients": tuple(clients)}
    else:
        network = {
            "links": tuple(_graph_link(scenario, link) for link in scenario.links),
            "flows": tuple(
                _group(scenario, name_of_group(scenario, place), group) for place, group in enumerate(scenario.flows)
            ),
        }
    whole = scenario.model_copy(update=network)
    measured = scenario.measure.link or BOTTLENECK
    measure = {
        "bin": scenario.measure.bin or TIME.format(default_bin(whole)),
        "link": measured,
        "links": _other_links(scenario),
    }
    changes = sorted(
        (_change(scenario, change, measured) for change in scenario.changes),
        key=lambda change: TIME.parse(change.at),
    )
    update = {"measure": scenario.measure.model_copy(update=measure), "changes": tuple(changes)}
    whole = whole.model_copy(update=update)
    if whole.dumbbell is not None:
        return whole
    has_choice = any(True for _ in flows_with_choice(whole))
    return whole.model_copy(update={"routing": (scenario.routing or Routing()) if has_choice else None})


def _other_links(scenario: "Scenario") -> Sequence[str] | str | None:
    if scenario.measure.links != ALL:
        return scenario.measure.links
    return tuple(link.name for link in directed(scenario.links) if link.name != scenario.measure.link)


def name_of_group(scenario: "Scenario", place: int) -> str:
    """Return the name of a group of flows in results."""
    return scenario.groups[place].name or f"{'clients' if scenario.clients else 'flows'}-{place}"


def _change(scenario: "Scenario", given: "Change", measured: str) -> "Change":
    links = given.links or ((measured,) if given.changes_links else None)
    update: dict[str, Any] = {"links": links}
    if given.changes_flows:
        update["groups"] = given.groups or (name_of_group(scenario, 0),)
    if given.loss is not None and links is not None:
        update["loss"] = given.loss.model_copy(update={"place": place_of_losses(scenario, links[0])})
    return given.model_copy(update=update)


def sealed(whole: "Scenario") -> "Scenario":
    """Add the digests of the files that an effective scenario names, so that equal scenarios have equal data."""
    network: dict[str, Any] = {
        "clients": tuple(
            _sealed_source(group, {"access": group.access and _sealed_link(group.access)}) for group in whole.clients
        ),
        "flows": tuple(_sealed_source(group, {}) for group in whole.flows),
        "links": tuple(_sealed_link(link) for link in whole.links),
    }
    if whole.dumbbell is not None:
        lines = {name: getattr(whole.dumbbell, name) for name in ("bottleneck", "reverse", "access")}
        own = {name: line and _sealed_link(line) for name, line in lines.items()}
        network["dumbbell"] = whole.dumbbell.model_copy(update=own)
    return whole.model_copy(update=network)


def _sealed_source(group: _Group, update: dict[str, Any]) -> _Group:
    if isinstance(group.source, Trace):
        update["source"] = group.source.model_copy(update={"sha256": group.source.file.sha256})
    return group.model_copy(update=update) if update else group


def _sealed_link(given: _Line) -> _Line:
    traces = {
        name: trace.model_copy(update={"sha256": trace.course().sha256})
        for name in TRACES
        if (trace := getattr(given, name)) is not None and trace.path is not None
    }
    return given.model_copy(update=traces) if traces else given


def _names_class(given: Queue | Tcp | Dumbbell) -> bool:
    """Return whether a table names a class in Python."""
    if isinstance(given, Queue):
        return given.kind == PYTHON
    if isinstance(given, Tcp):
        return given.law is not None
    links = (given.bottleneck, given.reverse, given.access)
    return any(link is not None and link.queue is not None and _names_class(link.queue) for link in links)


def _kept(function: Callable[[str, _Table, int], _Table]) -> Callable[[str, _Table, int], _Table]:
    """Keep the results of a function, since the points of a study share most of their tables.

    Results for tables that name a class in Python are not kept, because the class may become known later.
    """
    kept = functools.lru_cache(maxsize=1024)(function)

    @functools.wraps(function)
    def call(profile_name: str, given: _Table, packet_size: int) -> _Table:
        return (function if _names_class(given) else kept)(profile_name, given, packet_size)

    return call


@_kept
def queue(profile_name: str, given: Queue, packet_size: int) -> Queue:
    """Fill in the defaults of a queue in a scenario with this packet size."""

    def default(name: str) -> object:
        own = profile.default(profile_name, given.kind, name)
        return profile.default(profile_name, "queue", name) if own is None else own

    fields: dict[str, object] = {}
    if given.count_in_service is None:
        fields["count_in_service"] = default("count_in_service")
    if given.packets is None and given.bytes is None:
        fields["packets"] = default("packets")
    if given.kind == PYTHON:
        own = of_python(given.model_dump(), "discipline") or {}
        return given.completed(fields, {name: each.default for name, each in own.items()})
    declared = catalogue().queues[given.kind].parameters
    return given.completed(fields, _parameters(profile_name, given.kind, declared, packet_size))


@_kept
def tcp(profile_name: str, given: Tcp, packet_size: int) -> Tcp:
    """Fill in the defaults of a TCP transport that sends packets of this size, and convert windows to packets."""
    whole = _completed(profile_name, given, packet_size)
    in_bytes = {name: size for name in WINDOWS if isinstance(size := getattr(given, name), str)}
    each = data_bytes(whole, packet_size)
    windows = {name: max(1, SIZE.parse(size) // each) for name, size in in_bytes.items()}
    return whole.model_copy(update=windows) if windows else whole


def _completed(profile_name: str, given: Tcp, packet_size: int) -> Tcp:
    """Fill in the defaults; windows in bytes stay as they are."""
    recovery = recovery_of(profile_name, given)
    named = catalogue().named(given.variant, recovery)
    fields: dict[str, object] = {
        name: profile.default(profile_name, "tcp", name, variant=named)
        for name in Tcp.model_fields
        if getattr(given, name) is None
    }
    fields["recovery"] = recovery
    options = catalogue().tcp_options
    own = {name: fields.pop(name) for name in LAW_FIELDS if name in fields}
    if given.law is not None and "compiled" in own:
        own["compiled"] = False
    for name, value in fields.items():
        if isinstance(value, profile.PacketSize):
            fields[name] = value.of(packet_size)
    fields |= {name: options[name].default for name, value in fields.items() if value is None}
    if given.law is not None:
        declared = of_python(given.model_dump(), "law") or {}
        return given.completed(fields | own, {name: each.default for name, each in declared.items()})
    law = catalogue().variants[given.variant].congestion
    return given.completed(fields, _parameters(profile_name, law, catalogue().congestion[law].parameters, packet_size))


def recovery_of(profile_name: str, given: Tcp) -> str:
    """Return the loss recovery of a transport: its variant's, or the given one, or the profile's for its variant."""
    fixed = catalogue().variants[given.variant].recovery or given.recovery
    return fixed or str(profile.default(profile_name, "tcp", "recovery", variant=given.variant))


def _parameters(
    profile_name: str, scope: str, declared: Mapping[str, Parameter], packet_size: int
) -> dict[str, object]:
    """Take declared parameters from the profile, or from their declaration if the profile does not set them."""
    defaults: dict[str, object] = {name: profile.default(profile_name, scope, name) for name in declared}
    for name, value in defaults.items():
        if isinstance(value, profile.PacketSize):
            defaults[name] = declared[name].kind.check(value.of(packet_size))
    return {name: declared[name].default if value is None else value for name, value in defaults.items()}


def two_way_delays(whole: "Scenario") -> list[int]:
    """Compute the round-trip propagation delay of each group of an effective scenario, in picoseconds."""
    if whole.dumbbell is not None and whole.dumbbell.reverse is not None:
        shared = sum(mean_delay(link, whole.duration) for link in (whole.dumbbell.bottleneck, whole.dumbbell.reverse))
        access = [group.access for group in whole.clients if group.access is not None]
        return [shared + 2 * mean_delay(link, whole.duration) for link in access]
    links = directed(whole.links)
    delays = [mean_delay(link.link, whole.duration) for link in links]
    routes = routes_over(links)
    return [
        sum(delays[index] for stops in (flow.stops(), flow.stops()[::-1]) for index in routes.through(stops) or ())
        for flow in whole.flows
    ]


def default_bin(whole: "Scenario") -> int:
    """Compute the mean round-trip propagation delay over all flows, in picoseconds: the default of ``measure.bin``.

    The result is rounded to microseconds, or to picoseconds if it would otherwise be 0. It is 0 if no link has a delay.
    """
    delays = zip(whole.groups, two_way_delays(whole), strict=True)
    total = sum(group.count * delay for group, delay in delays)
    mean = Fraction(total, sum(group.count for group in whole.groups))
    return round(mean / MICROSECOND) * MICROSECOND or round(mean)


@_kept
def _dumbbell(profile_name: str, given: Dumbbell, packet_size: int) -> Dumbbell:
    reverse = reverse_of(given)
    return given.model_copy(
        update={
            "bottleneck": _link(profile_name, given.bottleneck.forth, packet_size),
            "reverse": _link(profile_name, reverse, packet_size),
            "access": given.access and _link(profile_name, given.access, packet_size),
        }
    )


def _link(profile_name: str, given: Link, packet_size: int) -> Link:
    return given.model_copy(update={"queue": queue(profile_name, given.queue or Queue("droptail"), packet_size)})


def _graph_link(scenario: "Scenario", given: GraphLink) -> GraphLink:
    return given.model_copy(
        update={
            "queue": queue(scenario.profile, given.queue or Queue("droptail"), scenario.packet_size),
            "name": given.directions[0][0],
            "duplex": given.duplex is not False,
        }
    )


def _clients(scenario: "Scenario", dumbbell: Dumbbell, place: int, given: Clients) -> Clients:
    group = _group(scenario, name_of_group(scenario, place), given)
    access = _link(scenario.profile, given.access, scenario.packet_size) if given.access else dumbbell.access
    return group.model_copy(update={"access": access, "direction": given.direction or "forward"})


def _group(scenario: "Scenario", name: str, given: _Group) -> _Group:
    packet_size = given.packet_size or scenario.packet_size
    return given.model_copy(
        update={
            "name": given.name or name,
            "packet_size": packet_size,
            "start": given.start or (given.active[0][0] if given.active else "0 s"),
            "unfinished": given.unfinished or (given.usual_unfinished if given.pauses else None),
            "spread": given.spread or "0 s",
            "transport": tcp(scenario.profile, given.transport, packet_size)
            if isinstance(given.transport, Tcp)
            else given.transport,
            "source": given.source.of_packets(packet_size) if isinstance(given.source, WithRate) else given.source,
        }
    )
