"""The paper's network: many connections over one T1 or ISDN link with a buffer.

Settings that the paper does not state are as in the reference runs of ns-2 (`data/README.md`): profile `ns2-1999-qiu`,
windows without a limit, packets of 500 bytes on the wire, starts within the first second. Each connection has a link of
10 Mb/s and 0.001 ms at both ends. No packet waits in the sinks' links, so the delays of the bottleneck include the time
that a packet and its ACK spend there. Without this time, arrivals at the bottleneck would be 0.43 ms closer to its
departures; with little processing time, such phases decide which packets are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.papers.core.evidence import Scalar
from ackclock.papers.core.parts import Part, Spot, Taken
from ackclock.papers.observation import summary
from ackclock.running.run import Run
from ackclock.scenario import Clients, DropTail, Dumbbell, Greedy, Link, Measure, Scenario, Tcp
from ackclock.scenario.network import mean_rate
from ackclock.values.quantity import seconds

PROFILE = "ns2-1999-qiu"
MODERN = "ns2-2.35"  # profile of current ns-2, for results that depend on TCP's timers
PACKET_SIZE = 500  # bytes on the wire, headers included: otherwise W_opt is not the paper's 40 packets
WINDOW = 100_000  # advertised window in packets, which never limits a connection
ACCESS = "1 us"  # propagation delay of the sources' links of 10 Mb/s
SINK_DATA, SINK_ACK = 401, 33  # microseconds for 500 and 40 bytes to cross a sink's link: 10 Mb/s, and 0.001 ms
CAPACITIES = (100, 200, 300, 400, 500)  # W_c: packets that the pipe and the buffer hold together
FLOWS = (10, 20, 60, 100, 150, 200, 300, 450, 600)  # numbers of connections


@dataclass(frozen=True, kw_only=True, slots=True)
class Bottleneck:
    """A link that the connections share."""

    name: str
    bps: int
    pipe: int  # W_opt: packets that the path holds without the buffer, rounded as in the paper
    duration: int  # seconds that a run lasts
    warm: int  # start of the measurement, in seconds
    detuned: int  # change of the rate in bit/s without processing times: see `Setting`

    @property
    def service(self) -> float:
        return 8 * PACKET_SIZE / self.bps


# with a T1 rate of 1.6 Mb/s, W_opt is the paper's
T1 = Bottleneck(name="T1", bps=1_600_000, pipe=40, duration=200, warm=50, detuned=1)
ISDN = Bottleneck(name="ISDN", bps=64_000, pipe=2, duration=2000, warm=500, detuned=-1)
LINKS: Mapping[str, Bottleneck] = {link.name: link for link in (T1, ISDN)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A network and its connections.

    Without processing times, packets that timers and ACKs release reach the gateway at the same instant. A bottleneck
    whose rate differs by `detuned` bit/s breaks such ties as ns-2 does ("Ties" in docs/agreement_manyflows.md). At 0,
    ties are broken at random, and the loss differs by up to a fifth.
    """

    link: Bottleneck
    flows: int  # connections of all groups together
    capacity: int  # W_c in packets: the buffer plus W_opt
    overhead: float = 0.0  # longest processing time before sending, in seconds: uniform from 0
    delay: int = 50  # propagation delay of the bottleneck, in milliseconds
    access: tuple[str, ...] = (ACCESS,)  # propagation delay of the sources' links, group by group
    counts: tuple[int, ...] = ()  # connections of each group
    duration: int
    warm: int
    spread: str = "1 s"  # the time over which the connections start
    max_rto: str = "64 s"
    clock: str | None = None  # the granularity of the round-trip clock; the profile's by default
    detuned: int = 0
    profile: str = PROFILE

    @property
    def buffer(self) -> int:
        """Size of the gateway's buffer in packets, including the packet in transmission."""
        return self.capacity - self.link.pipe

    @property
    def name(self) -> str:
        words = [f"{self.link.name}, W_c {self.capacity}"]
        words += [f"{1000 * self.overhead:g} ms overhead"] if self.overhead else []
        words += [f"access {' and '.join(self.access)}"] if self.access != (ACCESS,) else []
        words += [f"start within {self.spread}"] if self.spread != "1 s" else []
        words += [f"max_rto {self.max_rto}"] if self.max_rto != "64 s" else []
        words += [f"from {self.warm} to {self.duration} s"]
        return ", ".join(words)


def grid_setting(
    link: Bottleneck,
    capacity: int,
    flows: int,
    *,
    fraction: float = 0.0,
    span: tuple[int, int] | None = None,
    **others: Any,
) -> Setting:
    """Return a point of the grid; `fraction` is the longest processing time in RTTs with a full buffer."""
    warm, duration = span or (link.warm, link.duration)
    return Setting(
        link=link,
        flows=flows,
        capacity=capacity,
        overhead=fraction * capacity * link.service,
        duration=duration,
        warm=warm,
        detuned=0 if fraction else link.detuned,
        **others,
    )


def scenario(setting: Setting) -> Scenario:
    rate = f"{setting.link.bps + setting.detuned} bps"
    overhead = f"{round(1e6 * setting.overhead)} us"
    transport = Tcp("reno", max_window=WINDOW, overhead=overhead, max_rto=setting.max_rto, clock=setting.clock)
    return Scenario(
        profile=setting.profile,
        duration=f"{setting.duration} s",
        packet_size=PACKET_SIZE,
        measure=Measure(from_=f"{setting.warm} s"),
        dumbbell=Dumbbell(
            bottleneck=Link(
                rate=rate, delay=f"{1000 * setting.delay + SINK_DATA} us", queue=DropTail(packets=setting.buffer)
            ),
            reverse=Link(rate=rate, delay=f"{1000 * setting.delay + SINK_ACK} us"),
        ),
        clients=[
            Clients(
                count=count,
                spread=setting.spread,
                access=Link(rate="10 Mbps", delay=delay),
                transport=transport,
                source=Greedy(),
            )
            for delay, count in zip(setting.access, setting.counts or (setting.flows,), strict=True)
        ],
    )


def work(made: Scenario) -> float:
    """Estimate the cost of a run over one bottleneck: the bits that the bottleneck can carry."""
    link = made.dumbbell.bottleneck if made.dumbbell else made.links[0]
    return seconds(made.duration) * mean_rate(link, made.duration)


def flow_summary(run: Run) -> Mapping[str, float | None]:
    """Return the summary of a run, with throughput and goodput as shares of the bottleneck's rate."""
    found = run.summary
    rate = found.throughput_bps / found.utilization if found.utilization else 0.0
    goodput = found.goodput_bps / rate if rate else 0.0
    return {**summary(run), "throughput": found.utilization, "goodput": goodput}


def part(
    name: str,
    cells: Iterable[tuple[Mapping[str, Scalar], Setting]],
    take: Callable[[Run], Taken] = flow_summary,
    *,
    record: Sequence[str] = (),
    network: Callable[[Setting], Scenario] = scenario,
) -> Part:
    """Make a part whose points have the given settings."""
    spots = [Spot(where=where, scenario=network(setting)) for where, setting in cells]
    return Part(name=name, spots=spots, take=take, record=record, work=work)
