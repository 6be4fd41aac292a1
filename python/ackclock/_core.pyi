"""The engine, written in Rust: runs plans and returns tables, and reads captures."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

class CaptureError(ValueError):
    """A file is not a capture: its place among the files, and where and why."""

class FilterError(ValueError):
    """A filter has a word that is not allowed: the word, empty at the end, and what is allowed."""

class Capture:
    """Captures being read. Each column that it returns is (name, type, little-endian bytes)."""

    def __new__(
        cls,
        paths: Sequence[str | os.PathLike[str]],
        width: int,
        rows: bool,
        inner: bool,
        expression: str | None,
        key: bytes | None,
        /,
    ) -> Self:
        """Open files, merged in order of time, or the standard input if there are none, with bins of `width` ns.

        Rows and tunnels are read on request; an `expression` selects packets; a `key` replaces addresses.
        """

    def read(self, most: int, /) -> tuple[list[tuple[str, str, bytes]], list[str], list[str]] | None:
        """Read up to `most` packets: columns, and the addresses and protocols they refer to; None at the end.

        Where the standard input pauses, the columns are empty, and the packets come with a later call.
        """

    def finish(self, now: bool, /) -> None:
        """Read no further than what the standard input has now, or not at all."""

    def flows(self) -> tuple[list[tuple[str, str, bytes]], list[str], list[str]]:
        """Return the conversations that ended since the last call, in the form of `read`."""

    def arrivals(self) -> list[tuple[str, str, bytes]]:
        """Return the packets and bytes in each bin, starting at the first packet."""

    def taken(self) -> int:
        """Return the number of bytes of the file read so far."""

    def packets(self) -> int:
        """Return the number of packets read so far."""

    def facts(self) -> str:
        """Return all other results as JSON."""

class Script:
    """A script in the language of packetdrill."""

    def __new__(cls, text: bytes, /) -> Self:
        """Read a script; PlanError has the line, the column and what is allowed."""

    def files(self) -> list[tuple[int, str]]:
        """Return the files of shell commands that the script executes, with their lines."""

    def setup(self, files: dict[str, str], /) -> str:
        """Return what the script demands of the sender, as JSON; `files` has the texts of files by name."""

    def run(self, files: dict[str, str], plan: str, seed: int, laws: Sequence[InterpretedLaw | CompiledLaw], /) -> str:
        """Run the script against the sender of the first group of a plan; the outcome as JSON."""

    def draw(self, files: dict[str, str], plan: str, seed: int, laws: Sequence[InterpretedLaw | CompiledLaw], /) -> str:
        """Run the script as `run` does; the outcome and the picture as JSON."""

class PlanError(ValueError):
    """A plan that the engine cannot run."""

class Rows:
    """The rows of a table, in the engine's form."""

    def is_empty(self) -> bool:
        """Return whether there are no rows."""

    def columns(self) -> list[tuple[str, str, bytes]]:
        """Convert the rows to columns: (name, type, little-endian bytes) each."""

class CapturedPackets:
    """The packets of a capture, in the engine's form."""

    def write(self, path: Path, setup_json: str, /) -> str:
        """Write the packets as pcapng into an existing file, and describe the written data as JSON."""

class Window:
    """What a law may change."""

    cwnd: float
    """Congestion window in packets."""

    ssthresh: float
    """Slow-start threshold in packets."""

    pacing_rate: float
    """Pacing rate in packets per second, which the option ``pacing = "law"`` uses; 0 if the law has none."""

class Ack:
    """A new ACK, after the sender has updated its own state."""

    @property
    def now(self) -> float:
        """Arrival time in seconds."""

    @property
    def srtt(self) -> float:
        """Smoothed round-trip time in seconds; NaN before the first sample."""

    @property
    def rtt(self) -> float:
        """Round-trip time of the last acknowledged packet in seconds; NaN if the packet was sent more than once."""

    @property
    def elapsed(self) -> float:
        """Time since the last transmission of that packet in seconds, also if it was sent more than once."""

    @property
    def counted(self) -> float:
        """Number of packets that the ACK counts for in congestion avoidance.

        1, or with the option ``byte_counting`` the number of packets acknowledged, at most one window.
        """

    @property
    def now_ps(self) -> int:
        """Arrival time in whole picoseconds."""

    @property
    def snd_una(self) -> int:
        """First unacknowledged packet."""

    @property
    def snd_nxt(self) -> int:
        """Next packet to send."""

    @property
    def newly_acked(self) -> int:
        """Number of packets newly acknowledged, cumulatively or, with RACK, selectively."""

    @property
    def advance(self) -> int:
        """Number of packets by which this ACK advances ``snd_una``."""

    @property
    def byte_counting(self) -> int:
        """The option ``byte_counting``."""

    @property
    def marked(self) -> int:
        """Number of marked packets that the ACKs since the last new one report."""

    @property
    def app_limited(self) -> bool:
        """Whether the sender had less in flight than the window allowed."""

class Congestion:
    """A loss or a mark that requires a window reduction: at most one per congestion event."""

    @property
    def now(self) -> float:
        """Time in seconds."""

    @property
    def window(self) -> float:
        """Window that the reduction is computed from, in packets.

        The flight size, or as the option ``decrease_from`` says.
        """

    @property
    def least(self) -> float:
        """Lower limit of the halved window: two packets, or one as in ns-2."""

    @property
    def now_ps(self) -> int:
        """Time in whole picoseconds."""

    @property
    def is_loss(self) -> bool:
        """Whether duplicate or selective ACKs, or a fine-grained timer, show a loss."""

    @property
    def is_mark(self) -> bool:
        """Whether a mark arrived."""

    @property
    def is_timeout(self) -> bool:
        """Whether the retransmission timer fired. The engine sets the window to one packet afterwards."""

    @property
    def lost_again(self) -> bool:
        """Whether the lost packet had already been retransmitted."""

    @property
    def abe(self) -> bool:
        """Whether a mark reduces the window less than a loss (RFC 8511)."""

class Rate:
    """A delivery-rate sample: an ACK that delivers data, also in a recovery."""

    @property
    def now(self) -> float:
        """Arrival time in seconds."""

    @property
    def rate(self) -> float:
        """Rate at which data is delivered, in packets per second; NaN if the interval is too short."""

    @property
    def rtt(self) -> float:
        """Round-trip time of the delivered packet that was sent last, in seconds.

        NaN if it was sent more than once.
        """

    @property
    def min_rtt(self) -> float:
        """Minimum round-trip time so far, in seconds."""

    @property
    def now_ps(self) -> int:
        """Arrival time in whole picoseconds."""

    @property
    def delivered(self) -> int:
        """Number of packets delivered so far."""

    @property
    def prior_delivered(self) -> int:
        """The same number when that packet was sent."""

    @property
    def lost(self) -> int:
        """Number of packets found lost since that packet was sent."""

    @property
    def tx_in_flight(self) -> int:
        """Number of packets in the network when that packet was sent, including it."""

    @property
    def newly_delivered(self) -> int:
        """Number of packets that this ACK delivers."""

    @property
    def newly_lost(self) -> int:
        """Number of packets that this ACK shows to be lost."""

    @property
    def prior_in_flight(self) -> int:
        """Number of packets in the network before this ACK."""

    @property
    def in_flight(self) -> int:
        """Number of packets in the network now."""

    @property
    def burst(self) -> int:
        """Number of packets that a paced sender sends at once."""

    @property
    def app_limited(self) -> bool:
        """Whether the application limits the rate."""

    @property
    def in_recovery(self) -> bool:
        """Whether losses are being repaired."""

    @property
    def after_timeout(self) -> bool:
        """Whether data is sent again after a timeout."""

class Lost:
    """A packet found lost, with the state of the sender when it was sent."""

    @property
    def number(self) -> int:
        """Number of the packet."""

    @property
    def tx_in_flight(self) -> int:
        """Number of packets in the network when it was sent, including it."""

    @property
    def lost(self) -> int:
        """Number of packets found lost since, including it."""

    @property
    def app_limited(self) -> bool:
        """Whether the application limited the sender then."""

class Idle:
    """The end of a time without anything in flight."""

    @property
    def now(self) -> float:
        """Time in seconds."""

    @property
    def idle(self) -> float:
        """Time since the last transmission, in seconds."""

    @property
    def now_ps(self) -> int:
        """Time in whole picoseconds."""

    @property
    def idle_ps(self) -> int:
        """Time since the last transmission, in whole picoseconds."""

class LawRandom:
    """The random numbers of a law or discipline: SplitMix64, seeded by the seed of the run and the flow or link."""

    def __new__(cls, seed: int, /) -> Self: ...
    def random(self) -> float:
        """Return a number that is uniform in [0, 1)."""

    def uniform(self, low: float, high: float, /) -> float:
        """Return a number that is uniform in [low, high)."""

    def exponential(self, mean: float, /) -> float:
        """Return an exponential number with the given mean."""

    def normal(self, mean: float, sd: float, /) -> float:
        """Return a normal number with the given mean and standard deviation."""

class LawFailedError(RuntimeError):
    """A law failed; the arguments are its name, flow, connection, simulated time in seconds, call and reason."""

class InterpretedLaw:
    """A law whose objects a Python function makes."""

    def __new__(cls, make: Callable[[int], tuple[Callable[..., None] | None, ...]], /) -> Self:
        """`make` returns the methods of a new law for a seed, in the order of `ackclock.laws.law.CALLS`."""

    @property
    def calls(self) -> int:
        """Number of calls begun and of calls ended, so far."""

class CompiledLaw:
    """A law compiled to machine code."""

    def __new__(cls, addresses: tuple[int | None, ...], state: bytes, code: object, /) -> Self:
        """`addresses` are those of the methods; `code` owns them; `state` begins with the one of the random numbers."""

class WaitingQueue:
    """A queue as its discipline finds it. Neither the packet in question nor the one in transmission is counted."""

    @property
    def now(self) -> float:
        """Current time in seconds."""

    @property
    def packets(self) -> int:
        """Number of waiting packets."""

    @property
    def bytes(self) -> int:
        """Number of waiting bytes."""

    @property
    def limit_packets(self) -> float:
        """Limit of the queue in packets; infinity if `limit_bytes` is the limit."""

    @property
    def limit_bytes(self) -> float:
        """Limit of the queue in bytes; infinity if `limit_packets` is the limit."""

    @property
    def rate(self) -> float:
        """Mean rate of the link in bit/s."""

    @property
    def in_service(self) -> int:
        """Size in bytes of the packet in transmission; 0 if the link is idle, and in `on_departure`."""

    @property
    def full(self) -> bool:
        """Whether the arriving packet has no space."""

    @property
    def now_ps(self) -> int:
        """Current time in whole picoseconds."""

class QueuedPacket:
    """The packet that a discipline decides about."""

    @property
    def size(self) -> int:
        """Size in bytes."""

    @property
    def flow(self) -> int:
        """Number of the flow."""

    @property
    def waited(self) -> float:
        """Time since its arrival at the queue, in seconds; 0 in `on_arrival`."""

    @property
    def ecn_capable(self) -> bool:
        """Whether the packet can be marked."""

    @property
    def ect1(self) -> bool:
        """Whether the packet asks for low latency by the codepoint ECT(1) (RFC 9331)."""

    @property
    def marked(self) -> bool:
        """Whether the packet is marked, by this queue or an earlier one."""

    @property
    def is_ack(self) -> bool:
        """Whether the packet is an acknowledgment without data."""

    @property
    def waited_ps(self) -> int:
        """Time since its arrival at the queue, in whole picoseconds."""

class DisciplineFailedError(RuntimeError):
    """A discipline failed; the arguments are its name, link, simulated time in seconds, call and reason."""

class InterpretedDiscipline:
    """A queue discipline whose objects a Python function makes."""

    def __new__(cls, make: Callable[[int], tuple[Callable[..., str] | None, ...]], /) -> Self:
        """`make` returns the methods of a new discipline for a seed, as in `ackclock.laws.discipline.CALLS`."""

    @property
    def calls(self) -> int:
        """Number of calls begun and of calls ended, so far."""

CBRT_ADDRESS: int
"""Address of the function that compiled laws call for `cbrt`."""

LAW_RECORDS: list[tuple[str, int, list[tuple[str, str, int]]]]
"""The records that laws get: name, size, and the name, type and offset of each field."""

def catalogue() -> str:
    """Return the engine's version and revision, and its variants, window laws and queues, as JSON."""

def cbrt(x: float, /) -> float:
    """Return the cube root, correctly rounded: the same bits on every machine, unlike ``math.cbrt``."""

def check_contract(
    law: InterpretedLaw | CompiledLaw, name: str, needs_json: str, seed: int, number: int, /
) -> tuple[str, float, str] | None:
    """Check a law in a conversation: None, or the broken rule, the simulated time, and the conversation in words."""

def law_counts_acks(
    law: InterpretedLaw | CompiledLaw, name: str, needs_json: str, /
) -> tuple[int, float, float] | None:
    """Look whether a law counts ACKs instead of packets.

    None, or a number of packets and how far the law moves its window with them, acknowledged one by one and in pairs.
    """

def check_law(spec_json: str, ecn: str, recovery: str, tick: int, /) -> tuple[str, str] | None:
    """Check a window law, its ECN feedback, recovery and tick in ps: None, or the invalid field and the problem."""

def check_queue(spec_json: str, /) -> tuple[str, str] | None:
    """Check constraints between the parameters of a queue: None, or the invalid field and the problem."""

def check_queue_change(before_json: str, after_json: str, /) -> tuple[str, str] | None:
    """Check that a queue's parameters can change to others in a run: None, or the invalid field and the problem."""

def check_law_change(before_json: str, after_json: str, /) -> tuple[str, str] | None:
    """Check that a law's parameters can change to others in a run: None, or the invalid field and the problem."""

def components(plan_json: str, /) -> list[list[int]]:
    """Partition the groups of a plan into sets that do not affect each other, even indirectly."""

def follow(
    plan_json: str,
    seed: int,
    handshake: bool,
    times: bytes,
    numbers: bytes,
    kinds: bytes,
    counts: bytes,
    blocks: bytes,
    /,
) -> list[tuple[str, str, bytes]]:
    """Let the law of the first group of a plan follow a trace; a row per ACK with what the law allowed."""

def footprint(plan_json: str, /) -> str:
    """Estimate the memory of a run before it begins: bytes by purpose, as JSON."""

def simulate(
    plan_json: str,
    seed: int,
    progress: Callable[[float], None] | None = None,
    jobs: int = 1,
    memory: int = ...,
    laws: Sequence[InterpretedLaw | CompiledLaw] = ...,
    disciplines: Sequence[InterpretedDiscipline] = ...,
) -> tuple[str, dict[str, Rows], list[CapturedPackets]]:
    """Run a plan, with up to `jobs` components in parallel in `memory` bytes: outcome as JSON, tables, captures."""

def replay(plan_json: str, seed: int, packets: bytes, /) -> tuple[str, dict[str, Rows]]:
    """Let the packets of a session enter the links of a plan again: outcome as JSON, and tables. Only on Linux."""

class Tun:
    """A TUN device. Only on Linux."""

    def __new__(cls) -> Self:
        """Open a new device."""

    def fileno(self) -> int:
        """Return the file descriptor, for its configuration."""

class Carrier:
    """The links of a plan for real packets. Only on Linux."""

    def __new__(cls, plan_json: str, seed: int, /) -> Self:
        """Build the idle links of a plan."""

    def supplies(self) -> int:
        """Make the pipe of what the sources supply, and return its reading end, which is the caller's.

        It gets 16 bytes for each supply: the flow, and the number of packets (2^64 - 1: unlimited data).
        """

    def run(self, senders: Tun, receivers: Tun, zero: int, segments: list[int], /) -> str:
        """Carry packets between two devices until the end of the run, which begins at `zero` ns on the monotonic clock.

        Returns facts about the emulator as JSON. `segments` has the data bytes of a full segment of each flow.
        """

    def finish(self, timeouts: list[int], /) -> tuple[str, dict[str, Rows]]:
        """End the run: the outcome as JSON, and the tables. `timeouts` has the timeouts of each flow."""

class Session:
    """The links of a plan for packets of any program. Only on Linux."""

    def __new__(cls, plan_json: str, seed: int, addresses: list[str], most: int, /) -> Self:
        """Build the idle links of a plan with two flows for each of `most` connections of two hosts."""

    def run(
        self, devices: list[Tun], zero: int, until: int, tap: tuple[int, int, str] | None = None, /
    ) -> tuple[str, bytes]:
        """Carry packets between devices, one for each host, from `zero` ns on the monotonic clock.

        The session ends when the pipe with the file descriptor `until` is closed. `tap` has a file descriptor, the
        number of a host whose packets are written there, and facts about the file as JSON. Returns facts as JSON, and
        the packets for `replay`.
        """

class Stepper:
    """A simulation that is stepped; an agent sets the windows or rates of flows between the steps."""

    def __new__(cls, plan_json: str, seed: int, groups: list[int], memory: int, /) -> Self:
        """Build a plan at time 0, with at most `memory` bytes. The flows of `groups` are watched, in this order."""

    def reset(self, seed: int, /) -> None:
        """Begin again at time 0 with a seed."""

    def set_window(self, place: int, packets: float, /) -> None:
        """Set the congestion window of a watched flow that has an agent, as below."""

    def set_rate(self, place: int, rate: float, /) -> None:
        """Set the pacing rate in packets/s."""

    def multiply(self, place: int, factor: float, /) -> None:
        """Multiply the window, which CUBIC sets otherwise, once."""

    def step(self, picos: int, /) -> Interval:
        """Simulate the next `picos` picoseconds, and return what the first watched flow saw."""

    def interval(self, place: int, /) -> Interval:
        """Return what a watched flow saw in the last step."""

    @property
    def watched(self) -> int:
        """The number of watched flows."""

    @property
    def now(self) -> float:
        """Simulated time in seconds."""

class Interval:
    """A step, as seen by the sender of a flow and by the measured link. Times are in seconds."""

    @property
    def begin(self) -> float:
        """Start of the step."""

    @property
    def span(self) -> float:
        """Length of the step."""

    @property
    def sent(self) -> int:
        """Packets sent, retransmissions included."""

    @property
    def acked(self) -> int:
        """Packets acknowledged cumulatively."""

    @property
    def lost(self) -> int:
        """Packets sent again because the sender took them for lost."""

    @property
    def timeouts(self) -> int:
        """Retransmission timeouts."""

    @property
    def samples(self) -> int:
        """Number of samples of the round-trip time; flows without an agent have none."""

    @property
    def rtt(self) -> float:
        """Mean of the samples; NaN without any."""

    @property
    def rtt_gradient(self) -> float:
        """Slope of the least-squares line through the samples, s/s; 0 with fewer than two."""

    @property
    def rtt_min(self) -> float:
        """Smallest sample of the episode; NaN before the first."""

    @property
    def srtt(self) -> float:
        """Smoothed round-trip time at the end; NaN before the first sample."""

    @property
    def cwnd(self) -> float:
        """Congestion window at the end, in packets."""

    @property
    def flight(self) -> int:
        """Packets in flight at the end."""

    @property
    def offered(self) -> int:
        """The flow's data packets that arrived at the measured link."""

    @property
    def dropped(self) -> int:
        """Those of them that the link dropped or lost."""

    @property
    def wait(self) -> float:
        """Mean waiting time of the flow's packets in the queue of the link; NaN without any."""

    @property
    def queue(self) -> int:
        """Packets of all flows that wait in the queue at the end."""

    @property
    def cov(self) -> float:
        """Coefficient of variation of the arrivals per bin at the link in the episode; NaN with fewer than two bins."""

    def info(self, packet_size: int, /) -> dict[str, float]:
        """Return measures of the step; `packet_size` in bytes."""

class Notices:
    """The notices of the runs of a plan."""

    def __new__(cls, plan_json: str, labels_json: str, /) -> Self:
        """Compute the notices that depend only on the plan, and on the names that the labels add."""

    def of(self, outcome_json: str, /) -> list[str]:
        """Return the notices of a run with this outcome."""

class Features:
    """The features of the last steps, as the bytes of an observation."""

    def __new__(cls, ranges: list[tuple[float, float]], steps: int, /) -> Self:
        """Keep features with these ranges for a number of steps, each 0 at first or the nearest end of its range."""

    def push(self, values: tuple[float, ...], /) -> bytearray:
        """Add the features of a step, and return all, the latest step last, as 32-bit floating-point numbers."""
