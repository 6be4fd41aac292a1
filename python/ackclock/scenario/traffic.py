"""Who sends what: transports, and the groups of flows that use them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.running.catalogue import Parameter, catalogue
from ackclock.scenario import errors
from ackclock.scenario.fields import (
    Arithmetic,
    Burst,
    ClockPhase,
    Count,
    DecreaseFrom,
    Direction,
    Flag,
    GroupName,
    IdleRestart,
    Instant,
    LoneSegments,
    PacketSize,
    PacketSizes,
    PartialAckTimer,
    PlainName,
    SackBlocks,
    SackRule,
    Timer,
    VariantName,
    Wait,
    Window,
)
from ackclock.scenario.model import Declared, Part
from ackclock.scenario.network import Link
from ackclock.scenario.sources import Connections, Greedy, Source, Transfers


class Udp(Part):
    """Each packet is sent at once and never again."""

    kind: Literal["udp"] = "udp"
    """``udp``."""

    packet_sizes: PacketSizes = "fixed"
    """Each packet has the group's ``packet_size``, or an exponential size with that mean, of 1 to 65535 whole bytes."""


class Tcp(Declared):
    """A TCP sender and its receiver. What is absent comes from the profile (``ackclock profile show``).

    Further fields are those that the window law declares (``ackclock list variants``).

    Examples
    --------
    >>> Tcp("vegas", max_window=20, alpha=2).parameters
    {'alpha': 2.0}
    """

    subject: ClassVar[str | None] = "variant"

    if TYPE_CHECKING:

        def __init__(self, variant: str = ..., /, **fields: object) -> None: ...

    kind: Literal["tcp"] = "tcp"
    """``tcp``."""

    variant: VariantName = "reno"
    """The sender: a loss recovery and a window law."""

    max_window: Window | None = None
    """The advertised window in packets, which is also the first slow-start threshold."""

    delayed_ack: Flag | None = None
    """The receiver acknowledges every second packet (RFC 5681, section 4.2)."""

    delayed_ack_timeout: Wait | None = None
    """How long a delayed ACK waits for a second packet."""

    ack_gap_fill: Flag | None = None
    """A packet that fills a gap is acknowledged at once, delayed ACKs or not."""

    delay_duplicates: Flag | None = None
    """The receiver also delays the ACK of a duplicate of the last packet in order."""

    ack_first: Flag | None = None
    """The first packet is acknowledged at once, delayed ACKs or not. A SYN always is."""

    sack_blocks: SackBlocks | None = None
    """Most blocks of selective acknowledgment in an ACK, where the sender makes use of them (RFC 2018)."""

    overhead: Wait | None = None
    """Longest processing time before sending: uniform from 0. It breaks the ties that round numbers make."""

    handshake: Flag | None = None
    """The first segment is a SYN, and data waits for its ACK."""

    initial_window: Window | None = None
    """The window once the connection is open, in packets."""

    lone_segments: LoneSegments | None = None
    """Data packets that go one at a time before the initial window applies."""

    limited_transmit: Flag | None = None
    """The first two duplicate ACKs each let a new packet go (RFC 3042)."""

    exit_recovery: Flag | None = None
    """The first new ACK ends fast recovery."""

    grow_on_exit: Flag | None = None
    """The ACK that ends fast recovery also grows the window."""

    partial_ack_timer: PartialAckTimer | None = None
    """Which partial ACKs restart the retransmission timer in NewReno's fast recovery: the first, or each (RFC 6582)."""

    partial_ack_deflation: Flag | None = None
    """In NewReno's fast recovery a partial ACK takes off the window what it acknowledges; otherwise all inflation."""

    deflate_on_exit: Flag | None = None
    """The ACK that ends NewReno's fast recovery leaves no more than the flight and one packet."""

    recovery_burst: Burst | None = None
    """In NewReno's fast recovery, how many packets an ACK lets go besides retransmissions: 0 for any number."""

    sack: SackRule | None = None
    """The rule of SACK recovery: RFC 6675's, or Fall and Floyd's of 1996, which ns-2 has."""

    sack_holds_new_data: Flag | None = None
    """With Fall and Floyd's rule, data that the source hands over between the first duplicate ACK and recovery waits.
    After a timeout, holes are sent again before it instead."""

    stale_records: Flag | None = None
    """Vegas trusts records that no longer hold, as ns-2's does: stale counts of transmissions, unsent packets that seem
    late."""

    decrease_from: DecreaseFrom | None = None
    """What a reduction is taken from: the flight, the window as a real number, or the window cut to whole packets."""

    grow_when_limited: Flag | None = None
    """The window grows also while the source or the advertised window limits the sender."""

    idle_restart: IdleRestart | None = None
    """What an idle period does: back to the initial window after one RTO, or a timer that never stops."""

    clock: Timer | None = None
    """Granularity of the clock that measures round-trip times."""

    clock_phase: ClockPhase | None = None
    """How far that clock is ahead at time 0: ``random``, or a time."""

    rtt_arithmetic: Arithmetic | None = None
    """How the smoothed round-trip time is kept: real numbers, or whole eighths and quarters of ticks."""

    min_rto: Wait | None = None
    """Smallest retransmission timeout."""

    max_rto: Timer | None = None
    """Largest retransmission timeout."""

    initial_rto: Timer | None = None
    """Retransmission timeout before the first round-trip sample."""

    backoff_after_floor: Flag | None = None
    """The back-off multiplies the timeout after its minimum was applied."""

    timer_before_sample: Flag | None = None
    """A new ACK restarts the timer before its own round-trip sample counts."""

    @classmethod
    def declared(cls, subject: object) -> Mapping[str, Parameter] | None:
        """Look up what the window law of a variant declares."""
        known = catalogue()
        return known.law_of(subject).parameters if isinstance(subject, str) and subject in known.variants else None

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check what the window law declares, and that nobody spreads the sizes of segments."""
        problems = super().own_problems({name: data[name] for name in data if name != "packet_sizes"}, part)
        if "packet_sizes" in data:
            allowed = "must be absent: TCP sends segments of one size, packet_size; UDP's may spread"
            problems.append(errors.wrong(("packet_sizes",), data["packet_sizes"], allowed))
        return problems


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
    """How much later than ``start`` each source starts at most: uniform from 0, anew for each client and seed. At once,
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

    from_: PlainName = Field(alias="from")
    """The node that sends."""

    to: PlainName
    """The node that receives."""
