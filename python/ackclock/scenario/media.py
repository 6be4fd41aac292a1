"""Media that links share: the air of a wireless last hop."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic_core import InitErrorDetails

from ackclock.scenario.fields import (
    AggregateBytes,
    AggregatePackets,
    AirSchedule,
    AirTime,
    PacketOverhead,
    PlainName,
    Retries,
    SlotTime,
    WindowOfSlots,
)
from ackclock.scenario.model import Part
from ackclock.scenario.network import GraphLink, Link
from ackclock.values import errors
from ackclock.values.errors import Location, one_of, wrong

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario

_DECIDE_AT_ARRIVAL: Final = ("red", "pie")
"""Queues that do not store their packets, so that no aggregate can take them later."""


class Medium(Part):
    """A half-duplex medium that links share, such as the air between an access point and its stations.

    Links name it in their field ``medium``. Those that begin at one node are a station. A station waits for a random
    number of slots before it transmits, and collides with others that begin in the same slot. A transmission carries
    up to ``aggregate_packets`` packets of one link at the rate of that link, and an acknowledgement follows. Losses of
    a link with ``place = "after"`` apply to each packet of a transmission, which is then sent again.

    The defaults are those of IEEE 802.11n with one spatial stream at 5 GHz, best effort, and acknowledgements at
    24 Mbit/s (IEEE Std 802.11-2016, tables 9-137, 17-21 and 19-25). Aggregates last up to 4 ms, as with Linux's ath9k.

    Examples
    --------
    >>> Medium(name="air", schedule="turns")
    Medium(name='air', slot='9 us', sifs='16 us', aifs='43 us', cw_min=15, cw_max=1023, preamble='36 us', ...)
    """

    name: PlainName
    """The name by which links refer to the medium."""

    slot: SlotTime = "9 us"
    """Length of a slot of the backoff."""

    sifs: AirTime = "16 us"
    """Time between a transmission and its acknowledgement (SIFS)."""

    aifs: AirTime = "43 us"
    """Time for which the medium is idle before slots count (DIFS, or AIFS: SIFS and 3 slots for best effort)."""

    cw_min: WindowOfSlots = 15
    """The contention window at first: a backoff has 0 to this number of slots."""

    cw_max: WindowOfSlots = 1023
    """The largest contention window. The window doubles when no packet of a transmission arrives."""

    preamble: AirTime = "36 us"
    """Time of a transmission before its first byte."""

    symbol: AirTime = "4 us"
    """Length of a symbol. A transmission takes whole symbols, and 22 bits more than its bytes; with ``"0 s"`` it may
    have any length."""

    ack: AirTime = "28 us"
    """Duration of the acknowledgement of a transmission of one packet."""

    block_ack: AirTime = "32 us"
    """Duration of the acknowledgement of an aggregate."""

    overhead: PacketOverhead = 38
    """Bytes that each packet has in addition: the headers of 802.11 and LLC, and the check sequence. In aggregates a
    packet also has a delimiter of 4 bytes, and begins at a multiple of 4 bytes."""

    aggregate_packets: AggregatePackets = 64
    """Maximum number of packets of a transmission; 1: there are no aggregates."""

    aggregate_bytes: AggregateBytes = 65_535
    """Maximum size of an aggregate."""

    aggregate_time: AirTime = "4 ms"
    """Maximum duration of an aggregate. A single packet may take longer."""

    retries: Retries = 7
    """How often a packet is sent again before it is lost."""

    schedule: AirSchedule = "airtime"
    """How a station with several links chooses the next one: ``"turns"``, one transmission each, or ``"airtime"``,
    equal air time for all that have packets."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the contention window can grow."""
        del data
        if part is None or part.cw_min <= part.cw_max:
            return []
        return [errors.wrong(("cw_max",), part.cw_max, f"must be at least cw_min ({part.cw_min})")]


def numbered(media: Sequence[Medium], link: Link | GraphLink) -> dict[str, int]:
    """Return the field of the engine's link that numbers its medium, if it has one."""
    names = [medium.name for medium in media]
    return {} if link.medium is None else {"medium": names.index(link.medium)}


def problems(scenario: "Scenario", links: Iterable[tuple[Location, Link | GraphLink]]) -> Iterator[InitErrorDetails]:
    """Check that media have different names, and that the links on them name one and can share it."""
    names: dict[str, None] = {}
    has_ceilings = any(group.ceiling is not None for group in scenario.groups)
    for place, medium in enumerate(scenario.media):
        if medium.name in names:
            yield wrong(("media", place, "name"), medium.name, "must be unique among names of its kind")
        names[medium.name] = None
    for at, link in links:
        if link.medium is None:
            continue
        if link.medium not in names:
            allowed = (
                one_of(link.medium, names) if names else "must be the name of one of the media, but there are none"
            )
            yield wrong((*at, "medium"), link.medium, allowed, noun="medium")
        for name in ("rate_trace", "reverse_rate_trace", "shaper"):
            given = getattr(link, name)
            if given is not None:
                yield wrong((*at, name), given, "must be absent on a link with a medium, which has a constant rate")
        if link.framing is not None:
            allowed = "must be absent on a link with a medium, whose overhead is that of the medium"
            yield wrong((*at, "framing"), link.framing.model_dump(exclude_none=True), allowed)
        yield from _queue(at, link, has_ceilings=has_ceilings)


def _queue(at: Location, link: Link | GraphLink, *, has_ceilings: bool) -> Iterator[InitErrorDetails]:
    """Check that packets of a queue contend for the medium as long as there are some."""
    kind = link.queue.kind if link.queue is not None else None
    if kind in _DECIDE_AT_ARRIVAL:
        allowed = "must be a queue that stores its packets on a link with a medium, such as fq_codel or droptail"
        yield wrong((*at, "queue", "kind"), kind, allowed)
    if kind == "fq" and has_ceilings:
        allowed = (
            "must be another queue on a link with a medium while groups have a ceiling: held packets do not contend"
        )
        yield wrong((*at, "queue", "kind"), kind, allowed)
