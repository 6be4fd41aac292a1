"""Request rates of open-loop clients, computed from their `load`."""

from collections.abc import Iterator
from typing import Final

from ackclock.scenario import Clients, Connections, Flow, Scenario, Tcp
from ackclock.scenario.bottleneck import find_measured
from ackclock.scenario.fields import HEADER_BYTES
from ackclock.values.errors import refuse
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME

MOST_REQUESTS: Final = 30_000_000
"""Maximum number of requests in a run; a table of more requests would not fit into memory."""


def wire_bytes(group: Clients | Flow) -> float:
    """Return the mean number of bytes on the wire per transfer of a group, with its SYN and without retransmissions."""
    source, transport = group.source, group.transport
    assert isinstance(source, Connections)  # noqa: S101  # narrows the type; the caller has checked
    assert isinstance(transport, Tcp)  # noqa: S101  # transfers require TCP
    packet = group.packet_size or 0
    opening = HEADER_BYTES if transport.handshake else 0
    return source.size.mean_packets(group.payload) * packet + opening


def request_rate(scenario: Scenario, group: Clients | Flow) -> float:
    """Return the mean requests per second of each client of an effective group."""
    assert isinstance(group.source, Connections)  # noqa: S101  # narrows the type; the caller has checked
    return group.source.load * find_measured(scenario).rate / (8 * wire_bytes(group)) / group.count


def refuse_too_many_requests(scenario: Scenario) -> None:
    """Check that the number of requests in a run is at most `MOST_REQUESTS`.

    Raises
    ------
    ScenarioError
        The clients of all groups make more than `MOST_REQUESTS` requests in a run.
    """
    requests = 0.0
    for at, group in open_loops(scenario):
        seconds = (TIME.parse(scenario.duration) - TIME.parse(group.start or "0 s")) / PICOSECONDS_PER_SECOND
        requests += request_rate(scenario, group) * group.count * seconds
        if requests > MOST_REQUESTS:
            allowed = (
                f"must give at most {MOST_REQUESTS:,} requests in {scenario.duration} (now {requests:,.0f}); "
                "shorten the run, or make transfers larger"
            )
            raise refuse(f"{at}.source.load", getattr(group.source, "load", None), allowed)


def open_loops(scenario: Scenario) -> Iterator[tuple[str, Clients | Flow]]:
    """Yield the groups whose clients open connections, each with its location in the scenario."""
    table = "clients" if scenario.clients else "flows"
    for place, group in enumerate(scenario.groups):
        if isinstance(group.source, Connections):
            yield f"{table}.{place}", group
