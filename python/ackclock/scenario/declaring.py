"""The tables whose kinds declare further fields: what they have in common, and what is checked."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic_core import InitErrorDetails

from ackclock.running.catalogue import Parameter, catalogue
from ackclock.scenario import errors
from ackclock.scenario.fields import (
    Arithmetic,
    Burst,
    Capacity,
    ClockPhase,
    DecreaseFrom,
    Flag,
    IdleRestart,
    LoneSegments,
    PartialAckTimer,
    QueueName,
    SackBlocks,
    SackRule,
    Timer,
    VariantName,
    Wait,
    Window,
)
from ackclock.scenario.model import Declared


class TcpTable(Declared):
    """The fields of a TCP transport, and their checks."""

    subject: ClassVar[str | None] = "variant"

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


class QueueTable(Declared):
    """The fields of a queue, and their checks."""

    subject: ClassVar[str | None] = "kind"

    kind: QueueName
    """The queue discipline."""

    packets: Capacity | None = None
    """The limit, in packets."""

    bytes: Capacity | None = None
    """The limit, in bytes, instead of in packets."""

    count_in_service: Flag | None = None
    """The limit counts the packet in transmission."""

    @classmethod
    def declared(cls, subject: object) -> Mapping[str, Parameter] | None:
        """Look up what a queue discipline declares."""
        known = catalogue().queues
        return known[subject].parameters if isinstance(subject, str) and subject in known else None

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that there is one limit."""
        problems = super().own_problems(data, part)
        if data.get("packets") is not None and data.get("bytes") is not None:
            problems.append(errors.wrong(("bytes",), data["bytes"], "must be absent where packets gives the limit"))
        return problems

    def for_engine(self) -> dict[str, Any]:
        """Give an effective queue as the engine reads it."""
        limit = {"packets": self.packets} if self.bytes is None else {"bytes": self.bytes}
        return {
            "kind": self.kind,
            "limit": limit,
            "count_in_service": self.count_in_service,
            **self.parameters,
        }
