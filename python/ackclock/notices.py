"""What a user of a result must know: silence about these would be a bug."""

import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ackclock.quantity import PICOSECONDS_PER_SECOND, RATE
from ackclock.scenario import Clients, Flow, GraphLink, Greedy, Link, Queue, Scenario, Tcp, Udp
from ackclock.scenario.effective import two_way_delays
from ackclock.scenario.links import links_of
from ackclock.scenario.routes import Routes, directed

WINDOW_LIMITED: Final = 0.5
"""The share of send turns from which a group counts as limited by its advertised window."""

_FEWEST_BINS: Final = 20


def notices(scenario: Scenario, facts: Mapping[str, Any]) -> Iterator[str]:
    """Say what a user must know of a run.

    Parameters
    ----------
    scenario
        The effective scenario.
    facts
        What the engine saw besides its summary: ``red_avg_max``, ``window_limited`` per group, and ``bins``, the
        arrivals per bin.
    """
    measured = _measured(scenario)
    if not measured.groups:
        yield f"No flow sends its data over the measured link, {scenario.measure.link}."
    yield from _bins(scenario, facts["bins"])
    yield from _window_limited(scenario, facts["window_limited"])
    yield from _red(measured.link.queue, facts["red_avg_max"])
    yield from _small_buffer(scenario, measured)
    yield from _overload(measured)


@dataclass(frozen=True)
class _Measured:
    """The measured link, and the groups whose data crosses it."""

    link: Link | GraphLink
    groups: list[Clients | Flow]
    delays: list[int]
    """Their propagation delays there and back, in picoseconds."""


def _measured(scenario: Scenario) -> _Measured:
    number = links_of(scenario).number(scenario.measure.link or "") or 0
    link, crossing = _in_dumbbell(scenario, number) if scenario.dumbbell else _in_graph(scenario, number)
    chosen = [
        (group, delay)
        for group, delay, crosses in zip(scenario.groups, two_way_delays(scenario), crossing, strict=True)
        if crosses
    ]
    return _Measured(link, [group for group, _ in chosen], [delay for _, delay in chosen])


def _in_dumbbell(scenario: Scenario, number: int) -> tuple[Link | GraphLink, list[bool]]:
    dumbbell = scenario.dumbbell
    assert dumbbell is not None  # noqa: S101  # narrows the type; the caller looked
    assert dumbbell.reverse is not None  # noqa: S101  # the scenario is effective
    direction = "reverse" if number % 2 else "forward"
    crossing = [group.direction == direction for group in scenario.clients]
    if number < 2:
        return dumbbell.reverse if number else dumbbell.bottleneck, crossing
    ends = list(itertools.accumulate(group.count for group in scenario.clients))
    owner = next(place for place, end in enumerate(ends) if number // 2 - 1 < end)
    access = scenario.clients[owner].access
    assert access is not None  # noqa: S101  # the scenario is effective
    return access, [crosses and place == owner for place, crosses in enumerate(crossing)]


def _in_graph(scenario: Scenario, number: int) -> tuple[Link | GraphLink, list[bool]]:
    links = directed(scenario.links)
    routes = Routes(links)
    return links[number].link, [number in (routes.route(flow.from_, flow.to) or ()) for flow in scenario.flows]


def _bins(scenario: Scenario, bins: Sequence[int]) -> Iterator[str]:
    """Tell of too few bins, and of a start that differs from the rest."""
    if len(bins) < 2:
        yield f"cov says nothing: the measured time holds fewer than two whole bins of {scenario.measure.bin}."
    if len(bins) < _FEWEST_BINS:
        return
    first, rest = bins[: len(bins) // 10], bins[len(bins) // 10 :]
    start, later = statistics.fmean(first), statistics.fmean(rest)
    error = statistics.stdev(first, start) / math.sqrt(len(first))
    if abs(start - later) > max(3 * error, 0.05 * later):
        share = f"{abs(start / later - 1):.0%} {'above' if start > later else 'below'}" if later else "unlike"
        yield (
            f"The run was still warming up: arrivals in the first tenth of the measured time are {share} the rest. "
            f"A later measure.from (now {scenario.measure.from_}) leaves the start out."
        )


def _window_limited(scenario: Scenario, shares: Sequence[float | None]) -> Iterator[str]:
    for group, share in zip(scenario.groups, shares, strict=True):
        if share is not None and share >= WINDOW_LIMITED and isinstance(group.transport, Tcp):
            yield (
                f"Group {group.name} was limited by its advertised window (max_window = {group.transport.max_window}) "
                f"in {share:.0%} of its send turns: congestion control had little to do there."
            )


def _red(queue: Queue | None, highest: float | None) -> Iterator[str]:
    threshold = queue.parameters.get("min_th") if queue else None
    if highest is not None and threshold is not None and highest <= threshold:
        yield f"RED never acted: its average queue reached {highest:.3g}, and min_th is {threshold:g}."


def _small_buffer(scenario: Scenario, measured: _Measured) -> Iterator[str]:
    """Compare the buffer with the bandwidth-delay product of the TCP flows that cross it."""
    tcp = [
        (group.count, group.packet_size or scenario.packet_size, delay)
        for group, delay in zip(measured.groups, measured.delays, strict=True)
        if isinstance(group.transport, Tcp)
    ]
    queue = measured.link.queue
    if not tcp or queue is None:
        return
    flows = sum(count for count, _, _ in tcp)
    packet = sum(count * size for count, size, _ in tcp) / flows
    delay = sum(count * delay for count, _, delay in tcp) / flows / PICOSECONDS_PER_SECOND
    product = RATE.parse(measured.link.rate) * delay / 8 / packet
    buffer = queue.packets if queue.bytes is None else queue.bytes / packet
    if buffer is not None and buffer < product:
        yield (
            f"The buffer of {scenario.measure.link} ({buffer:.0f} packets) is below one bandwidth-delay product "
            f"({product:.0f} packets of {packet:.0f} bytes)."
        )


def _overload(measured: _Measured) -> Iterator[str]:
    """Tell where sources that nothing slows down offer more than the link carries."""
    offered = sum(
        group.count * group.source.rate * 8 * (group.packet_size or 0)
        for group in measured.groups
        if isinstance(group.transport, Udp) and not isinstance(group.source, Greedy)
    )
    share = offered / RATE.parse(measured.link.rate)
    if share > 1:
        yield f"UDP sources alone offer {share:.0%} of the measured link's rate: its queue stays full."
