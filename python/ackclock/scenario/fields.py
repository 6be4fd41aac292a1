"""The types of a scenario's fields, with the values that they allow."""

from collections.abc import Sequence
from typing import Annotated, Final

from ackclock.engine.catalogue import catalogue
from ackclock.scenario.profile import PROFILES
from ackclock.values.kinds import (
    class_name,
    digest,
    either,
    file_path,
    flag,
    measured,
    name,
    names,
    number,
    numbered,
    octets,
    periods,
    places,
    rising,
    steps,
    whole,
    word,
    word_or,
)
from ackclock.values.quantity import RATE, SIZE, TIME

MOST_FLOWS: Final = 1_000_000
MOST_BINS: Final = 10_000_000
MOST_LINKS: Final = 1000
"""Maximum length of a list of links."""
LONGEST_PACKET: Final = 65_535
"""The longest IP packet, in bytes (RFC 791, section 3.1)."""
HEADER_BYTES: Final = 40
"""Bytes of TCP and IP headers without options in a packet on the wire; also the size of an ACK."""
UDP_HEADER_BYTES: Final = 28
"""Bytes of UDP and IP headers in a packet on the wire."""

# The engine's clock ends after 213 days. A run may last 200 days, and single waits are far below the other 13 days.
LONGEST_RUN: Final = "17280000 s"
LONGEST_WAIT: Final = "1000000 s"

Duration = Annotated[str, measured(TIME, "1 ps", LONGEST_RUN)]
Instant = Annotated[str, measured(TIME, "0 s", LONGEST_RUN)]
Delay = Annotated[str, measured(TIME, "0 s", "3600 s")]
AirTime = Annotated[str, measured(TIME, "0 s", "1 s")]
SlotTime = Annotated[str, measured(TIME, "1 ns", "1 s")]
StateTime = Annotated[str, measured(TIME, "1 ns", LONGEST_WAIT)]
Wait = Annotated[str, measured(TIME, "0 s", LONGEST_WAIT)]
Rate = Annotated[str, measured(RATE, "1 bps", "1000 Gbps")]
RateSteps = Annotated[
    Sequence[tuple[str, str]],
    steps(measured(TIME, "0 s", LONGEST_RUN), measured(RATE, "0 bps", "1000 Gbps"), most=10_000),
]
DelaySteps = Annotated[
    Sequence[tuple[str, str]],
    steps(measured(TIME, "0 s", LONGEST_RUN), measured(TIME, "0 s", "3600 s"), most=10_000),
]
LossSteps = Annotated[
    Sequence[tuple[str, float]], steps(measured(TIME, "0 s", LONGEST_RUN), number(low=0, high=1), most=10_000)
]
Periods = Annotated[Sequence[tuple[str, str]], periods(measured(TIME, "0 s", LONGEST_RUN), most=10_000)]
Size = Annotated[str, measured(SIZE, "1 B", "1000000 GB")]

Count = Annotated[int, whole(1, MOST_FLOWS)]
Band = Annotated[int, whole(0, 7)]
Weight = Annotated[int, whole(1, 1000)]
Switches = Annotated[int, whole(1, 1000)]
HostsOfSwitch = Annotated[int, whole(1, 10_000)]
Arity = Annotated[int, whole(2, 64)]
Codepoint = Annotated[int, numbered(catalogue().codepoints, whole(0, 63))]
Overhead = Annotated[int, whole(-64, 256)]
LeastFrame = Annotated[int, whole(0, 256)]
FramingKind = Annotated[str, word(["plain", "atm", "ptm"])]
PacketSize = Annotated[int, octets(1, LONGEST_PACKET)]
Capacity = Annotated[int, whole(1, 10**15)]
CapacityInBytes = Annotated[int, octets(1, 10**15)]
WindowOfSlots = Annotated[int, whole(0, 65_535)]
PacketOverhead = Annotated[int, octets(0, 65_535)]
AggregatePackets = Annotated[int, whole(1, 1024)]
AggregateBytes = Annotated[int, octets(1, 10**9)]
Retries = Annotated[int, whole(0, 255)]
PACKETS_PER_SECOND: Final = number(low=1e-6, high=1e9)
PacketRate = Annotated[float | str, either(PACKETS_PER_SECOND, measured(RATE, "1 bps", "1000 Gbps"))]
"""Packets per second, or bits per second as a text, which the effective scenario converts with the packet size."""
FrameRate = Annotated[float, number(low=1e-3, high=1e6)]
FramePackets = Annotated[int, whole(1, 10_000)]
KeyDistance = Annotated[int, whole(0, 10**9)]
Load = Annotated[float, number(low=1e-9, high=100)]
Connected = Annotated[int, whole(1, 10_000)]
Bitrates = Annotated[Sequence[str], rising(measured(RATE, "1 kbps", "1 Gbps"), RATE, most=100)]
Bitrate = Annotated[str, measured(RATE, "1 kbps", "1 Gbps")]
BitrateRule = Annotated[str, word(["rate", "buffer"])]
ChunkTime = Annotated[str, measured(TIME, "10 ms", "60 s")]
Feedback = Annotated[str, measured(TIME, "1 ms", "10 s")]
PlayTime = Annotated[str, measured(TIME, "10 ms", "3600 s")]
PositiveShare = Annotated[float, number(above=0, high=1)]
Hurst = Annotated[float, number(low=0.01, high=0.99)]
Variation = Annotated[float, number(low=0, high=1)]
Probability = Annotated[float, number(low=0, high=1)]
Closeness = Annotated[float, number(low=1e-6, high=0.99)]
PositiveProbability = Annotated[float, number(low=1e-9, high=1)]
Places = Annotated[Sequence[int], places(10**12, most=100_000)]
Flag = Annotated[bool, flag()]
FilePath = Annotated[str, file_path()]
Digest = Annotated[str, digest()]
Scale = Annotated[float, number(low=1e-6, high=1e6)]
TraceOffset = Annotated[str, word_or(["random"], measured(TIME, "0 s", LONGEST_RUN))]

GroupName = Annotated[str, name(letter_first=True)]
LinkNames = Annotated[Sequence[str], names(most=MOST_LINKS)]
MeasuredLinks = Annotated[Sequence[str] | str, either(names(most=MOST_LINKS), word(["all"]))]
GroupNames = Annotated[Sequence[str], names(most=1000)]
Via = Annotated[Sequence[str], names(least=0, most=1000)]
PlainName = Annotated[str, name()]
ProfileName = Annotated[str, word(PROFILES, noun="profile")]
LawName = Annotated[str, class_name("Law")]
DisciplineName = Annotated[str, class_name("Discipline")]
VariantName = Annotated[str, word(catalogue().variants, noun="variant")]
QueueName = Annotated[str, word((*catalogue().queues, "python"), noun="queue")]
Direction = Annotated[str, word(["forward", "reverse"])]
LossPlace = Annotated[str, word(["before", "after"])]
Unfinished = Annotated[str, word(["dropped", "drained"])]
AirSchedule = Annotated[str, word(["turns", "airtime"])]
Waiting = Annotated[str, word(["kept", "lost"])]
Cellular = Annotated[str, word(["downlink", "uplink"])]
PacketSizes = Annotated[str, word(["fixed", "exponential"])]
PathChoice = Annotated[str, word(["ecmp", "ecmp-polarised", "first"])]
