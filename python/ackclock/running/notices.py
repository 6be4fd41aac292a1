"""Generates notices: facts that users of a result must know, such as a window limit or an overload."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ackclock.analysis import Warmup
from ackclock.running.default_limits import default_limits, long_waits, paths
from ackclock.running.limits import limits
from ackclock.running.steady import changing_shares, late_starts, steady_state
from ackclock.running.unused import unused_ecn, unused_paths, unused_rate
from ackclock.scenario import Clients, Connections, Flow, GraphLink, Link, Scenario, Tcp, Udp
from ackclock.scenario.bottleneck import Measured, find_measured, tcp_load
from ackclock.scenario.earlier import changed_meaning
from ackclock.scenario.fields import HEADER_BYTES, LONGEST_PACKET
from ackclock.scenario.sources import Paced
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME

_CUT_WORTH_TELLING: Final = 0.001
"""Smallest fraction of exponential packet sizes above the maximum packet size that is reported."""
_LEFT_OUT: Final = 0.05
"""Fraction of incomplete transfers above which a notice reports that completion times exclude them."""
_EXCESS_WORTH_TELLING: Final = 0.001
"""Smallest excess of goodput over the data that the measured link carried, relative to the link's rate, that is
reported: more than the packets in flight at the ends of a run of some seconds."""
_RARE_SIZE: Final = math.log(1e6)
"""An exponential size exceeds this multiple of its mean once in a million packets."""


class Notices:
    """The notices of the runs of a scenario.

    Notices that depend only on the scenario are computed once for all of its runs.

    Parameters
    ----------
    scenario
        The effective scenario.
    given
        The scenario as given, if its defaults matter.
    """

    def __init__(self, scenario: Scenario, given: Scenario | None = None) -> None:
        self._scenario = scenario
        self._measured = measured = find_measured(scenario)
        self._before = tuple(_nothing_measured(scenario, measured))
        self._default_limits = tuple(default_limits(scenario))
        self._after = (
            *changed_meaning(given or scenario, scenario),
            *_red_out_of_reach(scenario, measured),
            *_cut_sizes(scenario),
            *_no_room(scenario),
            *_small_buffer(scenario, measured),
            *_no_room_for_copa(scenario, measured),
            *_overload(measured),
            *_overload_of_requests(scenario, measured),
            *unused_rate(scenario),
            *unused_paths(scenario),
            *unused_ecn(scenario),
            *late_starts(scenario),
        )

    def of(self, facts: Mapping[str, Any], warmup: Warmup) -> tuple[str, ...]:
        """Return the notices of a run.

        Parameters
        ----------
        facts
            Facts from the engine in addition to its summary: ``red_avg_max``; the ``utilization``; per group
            ``limited``, the shares of time in which something limited it by their names in the summary, the
            transfers ``unfinished`` and ``completed``, the mean delay, the mean ``wait`` at the measured link, and
            ``thirds``, the arrivals in each third of the measured time;
            ``goodput``, the rate of data that the link ``carried``, bit/s, and the bytes ``crossed_before``; and
            ``bins``, the arrivals per bin.
        warmup
            The result of MSER-5 for the arrivals per bin.
        """
        return (
            *self._before,
            *steady_state(self._scenario, facts["bins"], warmup),
            *changing_shares(self._scenario, facts["bins"], facts["thirds"]),
            *limits(self._scenario, self._measured, facts["limited"], facts["utilization"]),
            *_red(self._measured, facts["red_avg_max"]),
            *_waited(self._scenario, facts["waited"]),
            *_unfinished(self._scenario, facts["unfinished"], facts["completed"]),
            *long_waits(self._default_limits, facts["delay"], facts["wait"]),
            *_crossed_before(self._scenario, self._measured, facts),
            *self._after,
        )


def _unfinished(scenario: Scenario, counts: Sequence[int], completed: Sequence[int]) -> Iterator[str]:
    for group, left, ended in zip(scenario.groups, counts, completed, strict=True):
        if left > _LEFT_OUT * (left + ended):
            yield (
                f"{left} of {left + ended} transfers of group {group.name} were incomplete at the end of the run. "
                "Completion times exclude them, and they tend to be the longest: simulate a longer time."
            )


def _crossed_before(scenario: Scenario, measured: Measured, facts: Mapping[str, Any]) -> Iterator[str]:
    """Report goodput above what the measured link carried: data that crossed the link before the measured time."""
    excess = facts["goodput"] - facts["carried"]
    if excess > _EXCESS_WORTH_TELLING * measured.rate:
        duration, from_ = (TIME.parse(text) for text in (scenario.duration, scenario.measure.from_))
        more, before = excess * (duration - from_) / PICOSECONDS_PER_SECOND / 8, facts["crossed_before"]
        yield (
            f"Goodput exceeds the data that {scenario.measure.link} carried in the measured time by {more / 1e6:.3g} "
            f"MB ({excess / measured.rate:.2%} of the link's rate): {before / 1e6:.3g} MB had crossed it before "
            f"measure.from ({scenario.measure.from_}), and were then behind it or waited at receivers for missing data."
        )


def _waited(scenario: Scenario, counts: Sequence[int]) -> Iterator[str]:
    for group, count in zip(scenario.groups, counts, strict=True):
        if count and isinstance(group.source, Connections):
            yield (
                f"{count} requests of group {group.name} waited for a connection, because each client has at most "
                f"{group.source.connections} at a time. Their completion times include that wait."
            )


def _overload_of_requests(scenario: Scenario, measured: Measured) -> Iterator[str]:
    """Report requests whose load reaches the link's rate, so that there is no steady state."""
    load = sum(group.source.load for group in measured.groups if isinstance(group.source, Connections))
    if load >= 1:
        yield (
            f"Requests offer {load:.0%} of the rate of {scenario.measure.link}: they accumulate, and completion times "
            "grow with the length of the run."
        )


def _nothing_measured(scenario: Scenario, measured: Measured) -> Iterator[str]:
    if not measured.groups:
        yield f"No flow sends its data over the measured link, {scenario.measure.link}."


def _red(measured: Measured, highest: float | None) -> Iterator[str]:
    """Report that RED's average queue, in packets or bytes, never exceeded ``min_th``."""
    queue = measured.link.queue
    if highest is None or queue is None or queue.kind != "red":
        return
    size = queue.parameters["mean_packet_size"]
    in_bytes = queue.parameters["unit"] == "bytes"
    reached, threshold = highest / size if in_bytes else highest, queue.parameters["min_th"]
    if reached <= threshold:
        unit = f" packets of {size:g} bytes" if in_bytes else ""
        yield f"RED never dropped early: its average queue reached {reached:.3g}{unit}, below min_th ({threshold:g})."


def _red_out_of_reach(scenario: Scenario, measured: Measured) -> Iterator[str]:
    """Report a RED queue that is full before its average can reach ``max_th``."""
    queue = measured.link.queue
    if queue is None or queue.kind != "red":
        return
    sizes = [group.packet_size or scenario.packet_size for group in measured.groups] or [scenario.packet_size]
    size = queue.parameters["mean_packet_size"]
    if queue.parameters["unit"] == "bytes":
        most = (queue.bytes if queue.packets is None else queue.packets * max(sizes)) or 0
        held = most / size
    else:
        held = (queue.packets if queue.bytes is None else queue.bytes / min(sizes)) or 0
    threshold = queue.parameters["max_th"]
    if threshold >= held:
        unit = f" packets of {size:g} bytes" if queue.parameters["unit"] == "bytes" else " packets"
        yield (
            f"RED cannot reach max_th ({threshold:g}): the queue of {scenario.measure.link} is full at "
            f"{held:.4g}{unit}."
        )


def _spread(group: Clients | Flow) -> bool:
    """Return whether the group's packets have random sizes."""
    return isinstance(group.transport, Udp) and group.transport.packet_sizes != "fixed"


def _cut_sizes(scenario: Scenario) -> Iterator[str]:
    """Report exponential packet sizes whose mean is lowered by the maximum packet size.

    The mean is lowered by the fraction ``exp(-longest / mean)``.
    """
    for group in scenario.groups:
        mean = group.packet_size or scenario.packet_size
        cut = math.exp(-LONGEST_PACKET / mean)
        if _spread(group) and cut > _CUT_WORTH_TELLING:
            yield (
                f"Group {group.name} cuts {cut:.1%} of its packets to {LONGEST_PACKET} bytes: its mean packet size is "
                f"{mean * (1 - cut):.0f} bytes, not {mean}."
            )


def _no_room(scenario: Scenario) -> Iterator[str]:
    """Report queues whose limit in bytes is below the size of a packet that must pass them."""
    told: set[tuple[str, int]] = set()
    for name, link, size in _passages(scenario):
        queue = link.queue
        if queue is None or queue.bytes is None or queue.bytes >= size or (name, size) in told:
            continue
        told.add((name, size))
        yield (
            f"The queue of {name} drops every packet of {size} bytes: its limit is {queue.bytes} bytes, "
            "and even an empty queue must have space for a packet."
        )


def _passages(scenario: Scenario) -> Iterator[tuple[str, Link | GraphLink, int]]:
    """Yield the name, the link and the packet size for each link that a group's data or ACKs cross.

    For random packet sizes, the yielded size is exceeded by one packet in a million.
    """
    for group, there, back in paths(scenario):
        data = group.packet_size or scenario.packet_size
        if _spread(group):
            data = min(LONGEST_PACKET, round(data * _RARE_SIZE))
        ack = HEADER_BYTES if isinstance(group.transport, Tcp) else 0
        for way, size in ((there, data), (back, ack)):
            yield from ((name, link, size) for name, link in way)


def _small_buffer(scenario: Scenario, measured: Measured) -> Iterator[str]:
    """Compare the buffer with the bandwidth-delay product of the TCP flows that cross it."""
    load = tcp_load(measured)
    queue = measured.link.queue
    if load is None or queue is None:
        return
    packet, product = load.packet, load.product
    buffer = queue.packets if queue.bytes is None else queue.bytes / packet
    if buffer is not None and round(buffer) < round(product):  # as printed
        yield (
            f"The buffer of {scenario.measure.link} ({buffer:.0f} packets) is below one bandwidth-delay product "
            f"({product:.0f} packets of {packet:.0f} bytes)."
        )


_SWING: Final = 2.5
"""How far the queue of Copa flows swings, in units of the packets that they aim to keep there (Arun and Balakrishnan
2018, section 2.3)."""


def _no_room_for_copa(scenario: Scenario, measured: Measured) -> Iterator[str]:
    """Report Copa flows that together aim at a queue which never empties, so that none of them measures its delay."""
    load, queue = tcp_load(measured), measured.link.queue
    copa = [
        (count, count / group.transport.parameters["delta"])
        for group, count in zip(measured.groups, measured.counts, strict=True)
        if isinstance(group.transport, Tcp) and group.transport.variant == "copa"
    ]
    if load is None or queue is None or queue.kind != "droptail" or not copa:
        return
    flows, target = map(sum, zip(*copa, strict=True))
    buffer = queue.packets if queue.bytes is None else queue.bytes / load.packet
    if target <= load.product and (buffer is None or _SWING * target < buffer):
        return
    room = "" if buffer is None else f" and the buffer {buffer:.0f}"
    yield (
        f"The {flows} Copa flows aim to keep {target:.0f} packets (1 / delta each) in the queue of "
        f"{scenario.measure.link}, which then swings up to {_SWING * target:.0f}; one bandwidth-delay product is "
        f"{load.product:.0f} packets{room}. Such a queue does not empty: Copa cannot measure its delay, and may lose "
        "many packets."
    )


def _overload(measured: Measured) -> Iterator[str]:
    """Report UDP sources that offer more than the link carries.

    The notice does not say that the queue is full: if the limit includes the packet in service, the queue may be too
    short for any other packet.
    """
    offered = sum(
        min(count * group.source.mean_rate * 8 * (group.packet_size or 0), narrowest)
        for group, count, narrowest in zip(measured.groups, measured.counts, measured.narrowest, strict=True)
        if isinstance(group.transport, Udp) and isinstance(group.source, Paced)
    )
    share = offered / measured.rate
    if share > 1:
        yield f"UDP sources alone offer {share:.0%} of the measured link's rate: the excess is lost at its queue."
