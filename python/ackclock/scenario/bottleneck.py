"""The measured link, the flows whose data crosses it, and the size of the pipe (link and buffer) in packets."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ackclock.scenario import Clients, Flow, GraphLink, Link, Scenario, Tcp
from ackclock.scenario.effective import two_way_delays
from ackclock.scenario.links import links_of
from ackclock.scenario.network import mean_rate
from ackclock.scenario.routes import directed, routes_over
from ackclock.values.errors import refuse
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, RATE


@dataclass(frozen=True)
class Measured:
    """The measured link, and the groups of flows whose data crosses it."""

    link: Link | GraphLink
    groups: list[Clients | Flow]
    delays: list[int]
    """Round-trip propagation delay of each group, in picoseconds."""
    counts: list[int]
    """Number of flows of each group that cross the link, or that may cross it by their hash."""
    narrowest: list[float]
    """Highest rate, in bit/s, at which each group can send to the measured link through the links before it."""
    rate: int
    """The link's rate, bit/s: the mean over the run if the rate changes."""


def find_measured(scenario: Scenario) -> Measured:
    """Find the measured link of an effective scenario."""
    number = links_of(scenario).number(scenario.measure.link or "") or 0
    link, crossing = _in_dumbbell(scenario, number) if scenario.dumbbell else _in_graph(scenario, number)
    chosen = [
        (group, delay, *crosses)
        for group, delay, crosses in zip(scenario.groups, two_way_delays(scenario), crossing, strict=True)
        if crosses is not None
    ]
    return Measured(
        link,
        groups=[group for group, _, _, _ in chosen],
        delays=[delay for _, delay, _, _ in chosen],
        counts=[count for _, _, count, _ in chosen],
        narrowest=[rate for _, _, _, rate in chosen],
        rate=mean_rate(link, scenario.duration),
    )


_Crossing = tuple[int, float] | None
"""Number of a group's flows that cross the measured link, and the highest rate at which their data can reach the link,
in bit/s."""


def _in_dumbbell(scenario: Scenario, number: int) -> tuple[Link | GraphLink, list[_Crossing]]:
    dumbbell = scenario.dumbbell
    assert dumbbell is not None  # noqa: S101  # narrows the type; the caller has checked
    assert dumbbell.reverse is not None  # noqa: S101  # the scenario is effective
    direction = "reverse" if number % 2 else "forward"
    crossing: list[_Crossing] = [
        (group.count, group.count * _rate(scenario, group.access) if number == 0 else math.inf)
        if group.direction == direction
        else None
        for group in scenario.clients
    ]
    if number < 2:
        return dumbbell.reverse if number else dumbbell.bottleneck, crossing
    ends = list(itertools.accumulate(group.count for group in scenario.clients))
    owner = next(place for place, end in enumerate(ends) if number // 2 - 1 < end)
    access = scenario.clients[owner].access
    assert access is not None  # noqa: S101  # the scenario is effective
    before = math.inf if direction == "forward" else _rate(scenario, dumbbell.reverse)
    alone: list[_Crossing] = [
        (1, before) if crosses and place == owner else None for place, crosses in enumerate(crossing)
    ]
    return access.back if number % 2 else access, alone


def _in_graph(scenario: Scenario, number: int) -> tuple[Link | GraphLink, list[_Crossing]]:
    links = directed(scenario.links)
    routes = routes_over(links)
    hashed = scenario.routing is not None and scenario.routing.paths != "first"
    crossing: list[_Crossing] = []
    for flow in scenario.flows:
        stops = flow.stops()
        route = (routes.through_link(stops, number) if hashed else routes.through(stops)) or []
        before = route[: route.index(number)] if number in route else []
        narrowest = min((_rate(scenario, links[each].link) for each in before), default=math.inf)
        crossing.append((flow.count, narrowest) if number in route else None)
    return links[number].link, crossing


def _rate(scenario: Scenario, link: Link | GraphLink | None) -> int:
    return mean_rate(link, scenario.duration) if link is not None else 0


@dataclass(frozen=True)
class TcpLoad:
    """The TCP flows whose data crosses the measured link."""

    flows: int
    packet: float
    """Mean size of the flows' data packets on the wire, in bytes."""
    product: float
    """Bandwidth-delay product: the link's rate times the flows' mean round-trip propagation delay, in packets of mean
    size."""


def tcp_load(measured: Measured) -> TcpLoad | None:
    """Summarise the TCP flows whose data crosses the measured link; ``None`` if there are none."""
    tcp = [
        (count, group.packet_size or 0, delay)
        for group, delay, count in zip(measured.groups, measured.delays, measured.counts, strict=True)
        if isinstance(group.transport, Tcp)
    ]
    if not tcp:
        return None
    flows = sum(count for count, _, _ in tcp)
    packet = sum(count * size for count, size, _ in tcp) / flows
    delay = sum(count * delay for count, _, delay in tcp) / flows / PICOSECONDS_PER_SECOND
    return TcpLoad(flows, packet, measured.rate * delay / 8 / packet)


@dataclass(frozen=True, kw_only=True)
class Pipe:
    """Capacity of a bottleneck and its buffer in packets, compared with the number of connections that share it."""

    connections: int
    """Number of TCP flows whose data crosses the bottleneck (Conn in the paper cited at `pipe`)."""
    optimal: int
    """Bandwidth-delay product W_opt: the bottleneck's rate times the round-trip propagation delay, rounded to whole
    packets."""
    buffer: int
    """Capacity of the bottleneck's queue, B."""

    @property
    def capacity(self) -> int:
        """Capacity of the pipe and the buffer together, W_c = W_opt + B."""
        return self.optimal + self.buffer

    @property
    def window(self) -> float:
        """Each connection's share of the capacity, W."""
        return self.capacity / self.connections

    @property
    def size(self) -> Literal["large", "medium", "small"]:
        """Kind of pipe: large above three packets per connection, small below one packet, medium otherwise."""
        if self.capacity > 3 * self.connections:
            return "large"
        return "small" if self.capacity < self.connections else "medium"


def pipe(scenario: Scenario) -> Pipe:
    """Classify the measured link of a scenario as a large, medium or small pipe for its TCP flows.

    Parameters
    ----------
    scenario
        The scenario to classify.

    Returns
    -------
    Pipe
        The pipe. Packet sizes and delays that differ between flows are averaged. A buffer limit in bytes is converted
        to the number of whole packets that fit.

    Raises
    ------
    ScenarioError
        No TCP flow sends data through the measured link, or the link is not the single bottleneck of these flows: some
        flow has an equal or smaller fair share on another link of its path.

    Notes
    -----
    Qiu, Zhang and Keshav, "Understanding the performance of many TCP flows" (Computer Networks 37, 2001), section 5: in
    a large pipe losses are recovered by fast retransmission and all flows halve their windows together; in a small pipe
    timeouts shut some flows out.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario(
    ...     duration="100 s",
    ...     packet_size=500,
    ...     dumbbell=ac.Dumbbell(
    ...         access=ac.Link(rate="10 Mbps", delay="1 us"),
    ...         bottleneck=ac.Link(rate="1.6 Mbps", delay="50 ms", queue=ac.DropTail(packets=60)),
    ...     ),
    ...     clients=[ac.Clients(count=300, transport=ac.Tcp("reno"), source=ac.Greedy())],
    ... )
    >>> found = ac.pipe(scenario)
    >>> found.optimal, found.capacity, found.size
    (40, 100, 'small')
    """
    whole = scenario.effective()
    measured, name = find_measured(whole), whole.measure.link
    load = tcp_load(measured)
    if load is None:
        raise refuse("measure.link", name, "must carry the data of at least one TCP flow to form a pipe")
    if whole.routing is not None and whole.routing.paths != "first":
        raise refuse("routing.paths", whole.routing.paths, 'must be "first" to form a pipe: hashes choose other links')
    own = Fraction(measured.rate, sum(measured.counts))
    for other, share in _other_shares(whole):
        if share <= own:
            raise refuse(
                "measure.link",
                name,
                f"must be the single bottleneck of its flows to form a pipe: {other} gives each of its flows "
                f"{RATE.format(round(share))}, and {name} {RATE.format(round(own))}",
            )
    queue = measured.link.queue
    assert queue is not None  # noqa: S101  # the scenario is effective
    buffer = queue.packets if queue.bytes is None else int(queue.bytes / load.packet)
    return Pipe(connections=load.flows, optimal=round(load.product), buffer=buffer or 0)


def _other_shares(scenario: Scenario) -> Iterator[tuple[str, Fraction]]:
    """Yield the other links that the measured flows' data crosses, each with a flow's fair share of its rate."""
    number = links_of(scenario).number(scenario.measure.link or "") or 0
    if scenario.dumbbell is None:
        links = directed(scenario.links)
        routes = routes_over(links)
        ways = [routes.through(flow.stops()) or [] for flow in scenario.flows]
        flows = Counter[int]()
        for flow, way in zip(scenario.flows, ways, strict=True):
            flows.update(dict.fromkeys(way, flow.count))
        others = {each for way in ways if number in way for each in way} - {number}
        for each in sorted(others):
            yield links[each].name, Fraction(_rate(scenario, links[each].link), flows[each])
        return
    direction = "reverse" if number % 2 else "forward"
    alike = [group for group in scenario.clients if group.direction == direction]
    if number < 2:
        for group in alike:
            assert group.access is not None  # noqa: S101  # the scenario is effective
            access = group.access.back if direction == "reverse" else group.access
            yield f"an access link of {group.name}", Fraction(_rate(scenario, access))
        return
    shared = scenario.dumbbell.reverse if number % 2 else scenario.dumbbell.bottleneck
    name = "bottleneck.reverse" if number % 2 else "bottleneck"
    yield name, Fraction(_rate(scenario, shared), sum(group.count for group in alike))
