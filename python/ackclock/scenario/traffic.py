"""Transports, and the groups of flows that use them."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ackclock.scenario.declared import Tcp
from ackclock.scenario.fields import (
    HEADER_BYTES,
    UDP_HEADER_BYTES,
    Band,
    Count,
    Direction,
    Duration,
    GroupName,
    Instant,
    PacketSize,
    PacketSizes,
    Periods,
    PlainName,
    Unfinished,
    Via,
    Wait,
    Weight,
)
from ackclock.scenario.model import Part
from ackclock.scenario.network import Link
from ackclock.scenario.sources import Connections, Greedy, Pages, Requests, Source, Transfers


class Udp(Part):
    """Sends each packet immediately and never retransmits."""

    kind: Literal["udp"] = "udp"
    """``udp``."""

    packet_sizes: PacketSizes = "fixed"
    """Each packet has the group's ``packet_size``, or an exponential size with that mean, of 1 to 65535 whole bytes."""


Transport = Annotated[Tcp | Udp, Field(discriminator="kind")]


def data_bytes(transport: Tcp | Udp, packet_size: int) -> int:
    """Return the bytes of data in a full packet, for a transport with all defaults filled in.

    Examples
    --------
    >>> data_bytes(Tcp("reno", payload=1448), 1500), data_bytes(Tcp("reno", payload=1448), 1000), data_bytes(Udp(), 200)
    (1448, 960, 172)
    """
    if isinstance(transport, Udp):
        return max(packet_size - UDP_HEADER_BYTES, 0)
    most = packet_size - HEADER_BYTES
    return most if transport.payload is None else min(transport.payload, most)


class Group(Part):
    """A group of flows with equal parameters."""

    name: GroupName | None = None
    """Name of the group in results (default: ``clients-`` or ``flows-``, and the index of the group from 0)."""

    count: Count = 1
    """Number of flows."""

    packet_size: PacketSize | None = None
    """Size of a full data packet on the wire in bytes, header included (default: the scenario's ``packet_size``). If
    the transport varies packet sizes, this is the mean."""

    start: Instant | None = None
    """Start time of the sources (default: 0 s)."""

    spread: Wait | None = None
    """Maximum random delay of each source's start after ``start``. The delay is drawn uniformly, from 0 on, for each
    client and seed (default: no delay). Without it, greedy flows give the same run with every seed, unless something
    else in the scenario is random."""

    stop: Instant | None = None
    """Time at which the sources stop (default: they never stop). At most one of ``stop``, ``duration`` and ``active``
    can be given."""

    duration: Duration | None = None
    """How long each source is active after its own start, instead of ``stop``."""

    active: Periods | None = None
    """Periods in which the sources are active, instead of ``start`` and ``stop``, such as
    ``[["0 s", "20 s"], ["40 s", "60 s"]]``. The random delay of ``spread`` delays each beginning. A source's clock
    stands still in a pause, and the connection stays open."""

    unfinished: Unfinished | None = None
    """What happens to data that is not sent when a period ends: ``"dropped"``, or ``"drained"``, which sends all of it
    (default: dropped; drained for transfers, requests, connections and pages, which complete what has begun). Data that
    was sent once is delivered in any case. The rest of a greedy transfer with a ``size`` continues with the next
    period."""

    transport: Transport
    """Transport protocol."""

    source: Source
    """Data source."""

    priority: Band = 0
    """Band of the group's packets, ACKs included, at links with the queue ``priority``: from 0, which is served first
    (default), to 7."""

    weight: Weight = 1
    """Weight of each flow of the group, ACKs included, at links with the queue ``fq``: flows that always have packets
    there share the link in proportion to their weights, from 1 (default) to 1000."""

    @property
    def pauses(self) -> bool:
        """Whether the sources stop at some time."""
        return self.stop is not None or self.duration is not None or self.active is not None

    @property
    def usual_unfinished(self) -> str:
        """The default of ``unfinished``."""
        ends = isinstance(self.source, Transfers | Requests | Connections | Pages)
        return "drained" if ends else "dropped"

    @property
    def payload(self) -> int:
        """Bytes of data in a full packet of an effective group."""
        return data_bytes(self.transport, self.packet_size or 0)

    @property
    def has_transfers(self) -> bool:
        """Whether the group's sources send transfers that end."""
        return isinstance(self.source, Transfers | Requests | Connections | Pages) or (
            isinstance(self.source, Greedy) and self.source.size is not None
        )

    @property
    def flows(self) -> int:
        """Number of flows in the engine: one per client, or one per simultaneous connection of each client."""
        return self.count * (self.source.connections if isinstance(self.source, Connections | Pages) else 1)


class Clients(Group):
    """Clients of a dumbbell. Each has its own access link and one flow to or from the server."""

    access: Link | None = None
    """The clients' access links (default: the dumbbell's ``access``)."""

    direction: Direction | None = None
    """``forward`` for data from the clients to the server (default), ``reverse`` for data from the server to the
    clients."""


class Flow(Group):
    """Flows from one node of a graph to another."""

    from_: Annotated[PlainName, Field(alias="from")]
    """Sending node."""

    to: PlainName
    """Receiving node."""

    via: Via | None = None
    """Nodes that the data visits on its way, in order; the ACKs visit them in reverse. From each node to the next,
    packets take the shortest path (default: none, so that they take the shortest path of all)."""

    def stops(self, via: Sequence[str] | None = None) -> list[str]:
        """List the nodes that the data visits, or would visit with another ``via``."""
        return [self.from_, *((self.via or ()) if via is None else via), self.to]
