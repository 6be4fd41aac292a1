"""Who sends what: transports, and the groups of flows that use them."""

from typing import Annotated, Literal

from pydantic import Field

from ackclock.scenario.declared import Tcp
from ackclock.scenario.fields import (
    Count,
    Direction,
    GroupName,
    Instant,
    PacketSize,
    PacketSizes,
    PlainName,
    Wait,
)
from ackclock.scenario.model import Part
from ackclock.scenario.network import Link
from ackclock.scenario.sources import Connections, Greedy, Source, Transfers


class Udp(Part):
    """Each packet is sent at once and never again."""

    kind: Literal["udp"] = "udp"
    """``udp``."""

    packet_sizes: PacketSizes = "fixed"
    """Each packet has the group's ``packet_size``, or an exponential size with that mean, of 1 to 65535 whole bytes."""


Transport = Annotated[Tcp | Udp, Field(discriminator="kind")]


class Group(Part):
    """Flows that are alike."""

    name: GroupName | None = None
    """What results call the group: its place in the list where it is absent."""

    count: Count = 1
    """How many flows there are."""

    packet_size: PacketSize | None = None
    """Bytes of a full data packet on the wire, header included: the scenario's where it is absent. The mean, where the
    transport spreads its packet sizes."""

    start: Instant | None = None
    """When the sources start: at time 0 where it is absent."""

    spread: Wait | None = None
    """Maximum delay of each source's start after ``start``: uniform from 0, for each client and seed. At once,
    where it is absent."""

    transport: Transport
    """How data crosses the network."""

    source: Source
    """Where data comes from."""

    @property
    def has_transfers(self) -> bool:
        """Whether its sources hand over transfers that end."""
        return isinstance(self.source, Transfers | Connections) or (
            isinstance(self.source, Greedy) and self.source.size is not None
        )

    @property
    def flows(self) -> int:
        """Flows of the engine: one for each client, or one for each connection that a client can have at a time."""
        return self.count * (self.source.connections if isinstance(self.source, Connections) else 1)


class Clients(Group):
    """Clients of a dumbbell: each has an access link of its own and one flow to the server."""

    access: Link | None = None
    """The clients' access links: the dumbbell's where it is absent."""

    direction: Direction | None = None
    """``forward``, the default, is from the clients to the server, ``reverse`` from the server to the clients."""


class Flow(Group):
    """Flows from one node of a graph to another."""

    from_: Annotated[PlainName, Field(alias="from")]
    """The node that sends."""

    to: PlainName
    """The node that receives."""
