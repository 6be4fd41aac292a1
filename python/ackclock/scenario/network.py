"""Links and networks: a dumbbell or any graph."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeVar

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.scenario.declared import Queue
from ackclock.scenario.fields import (
    CapacityInBytes,
    Delay,
    Flag,
    LossPlace,
    Places,
    PlainName,
    PositiveProbability,
    Probability,
    Rate,
    StateTime,
    Weight,
)
from ackclock.scenario.framing import Framing
from ackclock.scenario.model import Part
from ackclock.scenario.rate_trace import RateTrace
from ackclock.scenario.step_trace import DelayTrace, LossTrace
from ackclock.values import errors
from ackclock.values.quantity import RATE, TIME

BOTTLENECK: Final = "bottleneck"
"""The name of a dumbbell's shared link, from the gateway to the server."""


class _Loss(Part):
    """Losses on a link that are not caused by its queue."""

    place: LossPlace = "before"
    """Where packets are lost: ``"before"`` the queue, so that they take no transmission time, or ``"after"`` their
    transmission, as on a wireless link (default: before)."""


class ListedLoss(_Loss):
    """Loses listed packets. The list applies to each flow and to each direction of the link.

    Examples
    --------
    >>> ListedLoss(packets=[24, 26, 40])
    ListedLoss(place='before', kind='list', packets=(24, 26, 40))
    """

    kind: Literal["list"] = "list"
    """``list``."""

    packets: Places
    """Indices of the lost packets among a flow's data packets that arrive at the link, counted from 1. Retransmissions
    count as well. SYNs and ACKs do not count and are never lost."""


class RandomLoss(_Loss):
    """Loses each packet independently with the same probability, ACKs included.

    Examples
    --------
    >>> RandomLoss(probability=0.01)
    RandomLoss(place='before', kind='random', probability=0.01)
    """

    kind: Literal["random"] = "random"
    """``random``."""

    probability: Probability
    """Loss probability of a packet."""

    idle: Probability | None = None
    """Loss probability of a packet that finds the link idle, with nothing in transmission (default: ``probability``).
    Only for ``place`` before."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the state of the link is known where packets are lost."""
        del data
        if part is None or part.idle is None or part.place == "before":
            return []
        return [errors.wrong(("idle",), part.idle, "must be absent with place after: there the link is never idle")]


class GilbertElliottPackets(_Loss):
    """A channel with a good and a bad state, which loses packets in bursts (Gilbert 1960, Elliott 1963).

    The state may change after each packet, so that it waits while nobody sends: for states that last in time, as on a
    wireless link, use `GilbertElliottTime`. The initial state is drawn from the stationary distribution: bad with
    probability ``to_bad / (to_bad + to_good)``.

    Examples
    --------
    >>> GilbertElliottPackets(to_bad=0.001, to_good=0.1).loss
    0.0099...
    """

    kind: Literal["gilbert-elliott-packets"] = "gilbert-elliott-packets"
    """``gilbert-elliott-packets``."""

    to_bad: Probability
    """Probability of a change from good to bad after a packet."""

    to_good: PositiveProbability
    """Probability of a change from bad to good after a packet: bad periods last ``1 / to_good`` packets on average."""

    good: Probability = 0.0
    """Loss probability in the good state."""

    bad: Probability = 1.0
    """Loss probability in the bad state."""

    @property
    def loss(self) -> float:
        """Long-run share of packets that are lost."""
        return (self.good * self.to_good + self.bad * self.to_bad) / (self.to_good + self.to_bad)


class GilbertElliottTime(_Loss):
    """A channel with a good and a bad state that last in time, whether or not packets are sent.

    The durations of the states are exponential: a Markov process in continuous time. The initial state is drawn from
    the stationary distribution: bad with probability ``bad_time / (good_time + bad_time)``.

    Examples
    --------
    >>> GilbertElliottTime(good_time="4950 ms", bad_time="50 ms").loss
    0.01
    """

    kind: Literal["gilbert-elliott-time"] = "gilbert-elliott-time"
    """``gilbert-elliott-time``."""

    good_time: StateTime
    """Mean duration of the good state, such as ``"2 s"``."""

    bad_time: StateTime
    """Mean duration of the bad state, such as ``"50 ms"``."""

    good: Probability = 0.0
    """Loss probability in the good state."""

    bad: Probability = 1.0
    """Loss probability in the bad state."""

    @property
    def loss(self) -> float:
        """Long-run share of the time in which packets are lost."""
        good, bad = TIME.parse(self.good_time), TIME.parse(self.bad_time)
        return (self.good * good + self.bad * bad) / (good + bad)


Loss = ListedLoss | RandomLoss | GilbertElliottPackets | GilbertElliottTime
"""Losses on a link that are not caused by its queue."""


class _TokenBucket(Part):
    """A bucket of tokens, one for each byte. It is full at first."""

    rate: Rate
    """Rate at which tokens are added, such as ``"8 Mbps"``."""

    burst: CapacityInBytes
    """Capacity of the bucket in bytes; at least the largest packet."""


class Policer(_TokenBucket):
    """Drops the packets that do not conform to a token bucket, before they reach the queue (RFC 2697, with one rate).

    A packet conforms if the bucket has as many tokens as the packet has bytes; it then takes these tokens.

    Examples
    --------
    >>> Policer(rate="8 Mbps", burst=15_000)
    Policer(rate='8 Mbps', burst=15000)
    """


class Shaper(_TokenBucket):
    """Delays the packets that do not conform to a token bucket.

    The link sends a packet at its own rate as soon as the bucket has as many tokens as the packet has bytes; the packet
    then takes these tokens. After a pause, the link therefore sends up to ``burst`` bytes at its own rate.

    Examples
    --------
    >>> Shaper(rate="8 Mbps", burst=15_000)
    Shaper(rate='8 Mbps', burst=15000)
    """


class Jitter(Part):
    """Random extra delays: each packet has an extra delay, independent and uniform from 0 to ``max``, ACKs included.

    Examples
    --------
    >>> Jitter(max="2 ms")
    Jitter(max='2 ms', reorders=False)
    """

    max: Delay
    """Upper limit of the extra delay, such as ``"2 ms"``."""

    reorders: Flag = False
    """Whether packets may overtake each other (default: false). If not, a packet that would arrive before its
    predecessor arrives just after it, as behind a queue."""


class Reorder(Part):
    """Reordering: a share of the packets is held back after the link, ACKs included, so that later packets overtake.

    Examples
    --------
    >>> Reorder(probability=0.01, delay="5 ms")
    Reorder(probability=0.01, delay='5 ms')
    """

    probability: Probability
    """Probability with which a packet is held back, independently of other packets."""

    delay: Delay
    """How long such a packet is held back, such as ``"5 ms"``."""


class Link(Part):
    """A bidirectional link. Both directions have the same rate and delay and a queue each; rate traces may differ.

    In a dumbbell, ``bottleneck.queue`` is the queue towards the server; data towards the clients waits in that of
    ``reverse``, which is another table with a rate and a delay of its own.

    Examples
    --------
    >>> Link(rate="10000 kbps", delay="0.025 s")
    Link(rate='10 Mbps', delay='25 ms')
    """

    rate: Rate | None = None
    """Transmission rate of each direction, such as ``"10 Mbps"``."""

    rate_trace: RateTrace | None = None
    """Changing rate, instead of ``rate``."""

    reverse_rate_trace: RateTrace | None = None
    """Changing rate of the reverse direction (default: ``rate_trace``)."""

    delay: Delay | None = None
    """Propagation delay of each direction, such as ``"25 ms"``."""

    delay_trace: DelayTrace | None = None
    """Changing propagation delay of each direction, instead of ``delay``."""

    queue: Queue | None = None
    """Queue discipline for waiting packets (default: drop-tail with a limit of 100,000 packets)."""

    loss: Loss | None = Field(default=None, discriminator="kind")
    """Losses in addition to drops by the queue (default: none)."""

    loss_trace: LossTrace | None = None
    """Losses with a changing probability, instead of ``loss``."""

    framing: Framing | None = None
    """Bytes that the link sends for each packet (default: those of the packet)."""

    policer: Policer | None = None
    """Limit of the rate and the bursts that reach the queue; other packets are dropped (default: none)."""

    shaper: Shaper | None = None
    """Limit of the rate and the bursts that the link sends (default: none)."""

    medium: PlainName | None = None
    """The medium that the link shares with others, in both directions (default: none)."""

    jitter: Jitter | None = None
    """Random extra delays in addition to ``delay`` (default: none)."""

    reorder: Reorder | None = None
    """Packets that are held back, so that later packets overtake them (default: none)."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that a rate and a delay are given, each as a value or as a trace, and that there is one order."""
        return [*_problems(data), *_order(part)]

    @classmethod
    def prepared(cls, data: object) -> object:
        """Replace the former name of a loss model."""
        return _renamed(data)

    @property
    def forth(self) -> "Link":
        """The forward direction as a separate link."""
        return self.model_copy(update={"reverse_rate_trace": None})

    @property
    def back(self) -> "Link":
        """The reverse direction as a separate link."""
        return _back(self)


class Dumbbell(Part):
    """Clients on one side of a bottleneck, a server on the other.

    The server is at the end of the bottleneck and has no access link. Without queues, a round trip takes twice the sum
    of the delays of ``access`` and ``bottleneck``, plus the transmission times; a table ``reverse`` gives the way back
    a delay of its own.
    """

    bottleneck: Link
    """The link from the gateway to the server."""

    reverse: Link | None = None
    """The link from the server to the gateway (default of the whole table: the bottleneck's rate, delay and medium,
    the default queue, and none of its other properties)."""

    access: Link | None = None
    """The link from each client to the gateway and back, for groups without an ``access`` of their own."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the rate of the reverse direction is not given twice."""
        del data
        if part is None or part.reverse is None:
            return []
        return [
            errors.wrong((name, "reverse_rate_trace"), link.reverse_rate_trace, f"must be absent: {why}")
            for name, link, why in (
                ("bottleneck", part.bottleneck, "the table reverse gives the rate of that direction"),
                ("reverse", part.reverse, "this link is the reverse direction itself; use rate_trace"),
            )
            if link.reverse_rate_trace is not None
        ]


class Node(Part):
    """A node of a graph."""

    subject: ClassVar[str | None] = "name"

    if TYPE_CHECKING:

        def __init__(self, name: str) -> None: ...

    name: PlainName
    """The name by which links and flows refer to the node."""


class GraphLink(Part):
    """A link between two nodes of a graph."""

    from_: Annotated[PlainName, Field(alias="from")]
    """Source node."""

    to: PlainName
    """Destination node."""

    rate: Rate | None = None
    """Transmission rate, such as ``"10 Mbps"``."""

    rate_trace: RateTrace | None = None
    """Changing rate, instead of ``rate``."""

    reverse_rate_trace: RateTrace | None = None
    """Changing rate of the reverse direction (default: ``rate_trace``)."""

    delay: Delay | None = None
    """Propagation delay, such as ``"25 ms"``."""

    delay_trace: DelayTrace | None = None
    """Changing propagation delay, instead of ``delay``."""

    queue: Queue | None = None
    """Queue discipline for waiting packets (default: drop-tail with a limit of 100,000 packets)."""

    loss: Loss | None = Field(default=None, discriminator="kind")
    """Losses in addition to drops by the queue (default: none)."""

    loss_trace: LossTrace | None = None
    """Losses with a changing probability, instead of ``loss``."""

    framing: Framing | None = None
    """Bytes that the link sends for each packet (default: those of the packet)."""

    policer: Policer | None = None
    """Limit of the rate and the bursts that reach the queue; other packets are dropped (default: none)."""

    shaper: Shaper | None = None
    """Limit of the rate and the bursts that the link sends (default: none)."""

    medium: PlainName | None = None
    """The medium that the link shares with others, in both directions (default: none)."""

    jitter: Jitter | None = None
    """Random extra delays in addition to ``delay`` (default: none)."""

    reorder: Reorder | None = None
    """Packets that are held back, so that later packets overtake them (default: none)."""

    weight: Weight | None = None
    """Share of the flows that take this link, in both directions, relative to other links of equally short paths: from
    1 (default) to 1000."""

    name: PlainName | None = None
    """The name by which records and ``measure.link`` refer to the link (default: ``from->to``)."""

    duplex: Flag | None = None
    """Also create the reverse direction (default: true). Its name is ``to->from``, or ``name.reverse`` if the link has
    a name."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check the same as `Link`, and that a simplex link has no reverse rate."""
        found = [*_problems(data), *_order(part)]
        trace = data.get("reverse_rate_trace")
        if data.get("duplex") is not False or trace is None:
            return found
        return [*found, errors.wrong(("reverse_rate_trace",), trace, "must be absent when duplex is false")]

    @classmethod
    def prepared(cls, data: object) -> object:
        """Replace the former name of a loss model."""
        return _renamed(data)

    @property
    def back(self) -> "GraphLink":
        """The reverse direction as a separate link."""
        return _back(self)

    @property
    def directions(self) -> list[tuple[str, str, str]]:
        """The directed links that this link creates: name, source and destination."""
        plain = f"{self.from_}->{self.to}"
        name = self.name or plain
        back = f"{self.to}->{self.from_}" if name == plain else f"{name}.reverse"
        forth = (name, self.from_, self.to)
        return [forth] if self.duplex is False else [forth, (back, self.to, self.from_)]


_Line = TypeVar("_Line", Link, GraphLink)


def _back(link: _Line) -> _Line:
    if link.reverse_rate_trace is None:
        return link
    return link.model_copy(update={"rate": None, "rate_trace": link.reverse_rate_trace, "reverse_rate_trace": None})


def _problems(data: Mapping[str, Any]) -> list[InitErrorDetails]:
    found = []
    for name, allowed in (("rate", RATE.allowed), ("delay", TIME.allowed), ("loss", None)):
        trace = f"{name}_trace"
        if data.get(trace) is None:
            if data.get(name) is None and allowed is not None:
                found.append(errors.missing((name,), f"must be {allowed}, unless there is a {trace}"))
        elif data.get(name) is not None:
            found.append(errors.wrong((name,), data[name], f"must be absent when {trace} is given"))
    return found


def _order(part: "Link | GraphLink | None") -> list[InitErrorDetails]:
    """Check that a delay that changes and jitter agree on the order of packets."""
    if part is None or part.delay_trace is None or part.jitter is None:
        return []
    reorders = part.jitter.reorders
    if part.delay_trace.reorders == reorders:
        return []
    allowed = f"must be {str(reorders).lower()} as jitter.reorders: a link has one order"
    return [errors.wrong(("delay_trace", "reorders"), part.delay_trace.reorders, allowed)]


def _renamed(data: object) -> object:
    """Read ``gilbert-elliott``, the name of version 0.2 for the channel whose states change with packets."""
    loss = data.get("loss") if isinstance(data, Mapping) else None
    if not (isinstance(data, Mapping) and isinstance(loss, Mapping) and loss.get("kind") == "gilbert-elliott"):
        return data
    return {**data, "loss": {**loss, "kind": "gilbert-elliott-packets"}}


_FORWARD_ONLY: Final[Mapping[str, None]] = dict.fromkeys(
    ("queue", "loss", "loss_trace", "policer", "shaper", "jitter", "reorder")
)
"""Fields of a bottleneck that its reverse direction does not have unless the scenario gives them."""


def reverse_of(given: Dumbbell) -> Link:
    """Return the link from the server to the gateway, before its defaults are filled in."""
    return given.reverse or given.bottleneck.back.model_copy(update=_FORWARD_ONLY)


def mean_delay(link: Link | GraphLink, duration: str) -> int:
    """Compute the mean propagation delay of a link over a run, in picoseconds.

    Raises
    ------
    ScenarioError
        A file that the link names cannot be read.

    Examples
    --------
    >>> mean_delay(Link(rate="1 Mbps", delay_trace=DelayTrace(steps=[("0 s", "1 ms"), ("5 s", "2 ms")])), "20 s")
    1750000000
    """
    if link.delay_trace is None:
        return TIME.parse(link.delay or "")
    return round(link.delay_trace.course().mean(TIME.parse(duration)))


def mean_rate(link: Link | GraphLink, duration: str) -> int:
    """Compute the mean rate of a link over a run, rounded to bit/s and at least 1.

    Raises
    ------
    ScenarioError
        A file that the link names cannot be read.

    Examples
    --------
    >>> mean_rate(Link(delay="1 ms", rate_trace=RateTrace(steps=[("0 s", "1 Mbps"), ("5 s", "2 Mbps")])), "20 s")
    1750000
    """
    if link.rate_trace is None:
        return RATE.parse(link.rate or "")
    return max(1, round(link.rate_trace.course().mean(TIME.parse(duration))))
