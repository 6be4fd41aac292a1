"""Finds long waits in queues with the default limit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ackclock.scenario import Clients, Flow, GraphLink, Link, Scenario, profile
from ackclock.scenario.effective import two_way_delays
from ackclock.scenario.network import mean_rate
from ackclock.scenario.routes import directed, routes_over
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, seconds

Path = list[tuple[str, Link | GraphLink]]

_MOST_NAMED: Final = 3


def paths(scenario: Scenario) -> Iterator[tuple[Clients | Flow, Path, Path]]:
    """Yield each group, the links that its data crosses, in order and with names, and the links that its ACKs cross."""
    links = directed(scenario.links)
    routes = routes_over(links)
    dumbbell = scenario.dumbbell

    def route(a: str, b: str) -> Path:
        return [(links[each].name, links[each].link) for each in routes.route(a, b) or ()]

    for group in scenario.groups:
        if isinstance(group, Flow):
            yield group, route(group.from_, group.to), route(group.to, group.from_)
        elif dumbbell is not None and dumbbell.reverse is not None and group.access is not None:
            name = f"the access links of {group.name}"
            forward: Path = [(name, group.access), ("bottleneck", dumbbell.bottleneck)]
            reverse: Path = [("bottleneck.reverse", dumbbell.reverse), (name, group.access.back)]
            yield (group, forward, reverse) if group.direction == "forward" else (group, reverse, forward)


@dataclass(frozen=True)
class DefaultLimits:
    """A group whose data crosses queues with the default limit."""

    group: int
    """Index of the group in the scenario."""
    name: str
    queues: list[str]
    """Names of the links with queues of the default limit."""
    room: int
    """The default limit, in packets."""
    least: float
    """Delay of a packet in s, if `queues` and the queue of the measured link are empty and all other queues are
    full."""
    measured: bool
    """Whether the measured link is one of these links."""
    round_trip: float
    """Round-trip propagation delay, s."""


def default_limits(scenario: Scenario) -> Iterator[DefaultLimits]:
    """Find the groups of an effective scenario whose data crosses queues with the default limit."""
    room = profile.default(scenario.profile, "queue", "packets")
    assert isinstance(room, int)  # noqa: S101  # narrows the type
    for place, ((group, data, _), delay) in enumerate(zip(paths(scenario), two_way_delays(scenario), strict=True)):
        size = group.packet_size or scenario.packet_size
        queues, least = [], 0.0
        for name, link in data:
            each = 8 * size / mean_rate(link, scenario.duration)
            least += seconds(link.delay) + each
            queue = link.queue
            if queue is None:
                continue
            if (queue.kind, queue.packets) == ("droptail", room):
                queues.append(name)
            elif name != scenario.measure.link:
                least += each * (queue.packets or (queue.bytes or 0) / size)
        if queues:
            is_measured = scenario.measure.link in queues
            yield DefaultLimits(
                place, group.name or "", queues, room, least, is_measured, delay / PICOSECONDS_PER_SECOND
            )


def long_waits(
    found: Sequence[DefaultLimits], delays: Sequence[float | None], waits: Sequence[float | None]
) -> Iterator[str]:
    """Report queues with the default limit in which packets waited for longer than a round-trip time.

    Parameters
    ----------
    found
        The groups whose data crosses queues with the default limit.
    delays, waits
        For each group of the scenario, the mean delay of its packets from sender to receiver and the mean wait at the
        measured link, s.
    """
    for each in found:
        delay, wait = delays[each.group], waits[each.group]
        elsewhere = 0.0 if each.measured else wait or 0.0
        waited = (delay or 0.0) - elsewhere - each.least
        if waited > each.round_trip:
            names = ", ".join(each.queues[:_MOST_NAMED]) + (", …" if len(each.queues) > _MOST_NAMED else "")
            yield (
                f"Packets of group {each.name} waited {waited:.3g} s on average in queues with the default limit of "
                f"{each.room:,} packets: {names}. That is longer than the round trip without "
                f"queues ({each.round_trip:.3g} s): these queues held more than one bandwidth-delay product."
            )
