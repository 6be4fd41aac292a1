"""The places of the map: Reno clients, Vegas clients that join them, and the gateway where they meet.

The network is that of the burstiness papers with 60 clients, 12 µs of processing time included
(`ackclock.papers.burstiness.experiment`). A pair of one Reno and one Vegas client has a bottleneck of a fifth of
that rate, which it can fill; the share of each is six times as large, so its application makes six times as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, PACKET_SIZE, RED_WEIGHT
from ackclock.papers.core.definition import Definition
from ackclock.scenario import (
    Clients,
    DropTail,
    Dumbbell,
    Exponential,
    Greedy,
    Link,
    Measure,
    Pareto,
    Poisson,
    Red,
    Scenario,
    Tcp,
    Trace,
    Transfers,
)

if TYPE_CHECKING:
    from ackclock.scenario.sources import Source

DEFINITION = Definition("ackclock.papers.vegas")

Gateway = Literal["FIFO", "RED"]

CLIENTS = 60  # of both kinds together

BUFFERS = (10, 50, 150, 500, 1500, 3000)
"""Buffers of the gateway, packets; the pipe of the 60 clients holds 417 more, the pair's 83."""

SHARES = (3, 15, 30, 45, 57)  # clients of the 60 that run Vegas: 5, 25, 50, 75 and 95 %

STARTS = (0, 1, 10, 60)  # seconds after Reno's when Vegas starts

GATEWAYS: tuple[Gateway, ...] = ("FIFO", "RED")
"""RED's thresholds are a fifth and four fifths of the buffer, as in the papers' RED 10/40 and RED1 300/1200."""

DURATION, FROM = 150, 90
"""Seconds of a run with 60 clients, and from when it is measured: when the last newcomers have been there for 30 s."""

PAIR_DURATION, PAIR_FROM = 600, 120
"""Seconds of a run of a pair and its measurement, whose windows are larger and take longer."""

WIDE = 4000
"""An advertised window, in packets, that is larger than pipe and buffer together: it never holds a sender back."""

POISSON, GREEDY, OPEN, TRANSFERS, TRACE = APPLICATIONS = (
    "Poisson",
    "greedy",
    "greedy, open window",
    "transfers",
    "trace",
)
"""What clients send, with the papers' window of 20 packets; `OPEN` has one of `WIDE`."""

RATE = 100  # packets a second of each of the 60 clients with Poisson sources (the papers' Table 1)

_PAIR_SHARE = 6  # fair share of a client of a pair, relative to a client of 60

_TRACE = str(files("ackclock.papers.vegas").joinpath("data", "trace.csv"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """One place of the map by its coordinates, and what can be changed there to test the sensitivity of a result.

    Parameters
    ----------
    application
        One of `APPLICATIONS`.
    buffer
        Buffer of the gateway, packets.
    vegas
        Clients of the 60 that run Vegas, the others Reno.
    pair
        Whether there are only two clients, one of each kind.
    start
        Seconds after Reno's start when Vegas starts.
    gateway
        Queue discipline of the gateway.
    load
        Rate of Poisson sources as a share of the usual one; transfers are that much rarer.
    base_rtt
        Vegas' rule for the round-trip time without queues: ns-2's, or the least sample.
    ties
        Whether senders take no processing time, so that exact ties decide.
    whole
        Whether the run is measured from the start.

    """

    application: str = POISSON
    buffer: int = 50
    vegas: int = CLIENTS // 2
    pair: bool = False
    start: int = 10
    gateway: Gateway = "FIFO"
    load: float = 1.0
    base_rtt: Literal["minimum", "ns2"] = "ns2"
    ties: bool = False
    whole: bool = False

    @property
    def clients(self) -> tuple[int, int]:
        """How many run Reno and how many Vegas."""
        return (1, 1) if self.pair else (CLIENTS - self.vegas, self.vegas)

    @property
    def window(self) -> int:
        """Advertised window, packets."""
        return WIDE if self.pair or self.application == OPEN else ADVERTISED_WINDOW

    @property
    def duration(self) -> int:
        """Seconds of the run."""
        return PAIR_DURATION if self.pair else DURATION

    @property
    def measured_from(self) -> int:
        """Seconds from which on it is measured."""
        return 0 if self.whole else PAIR_FROM if self.pair else FROM

    @property
    def name(self) -> str:
        """Name in messages."""
        who = "one against one" if self.pair else f"{100 * self.vegas // CLIENTS} % Vegas"
        when = "together" if not self.start else f"after {self.start} s"
        return f"{who}, {self.application}, {self.gateway} of {self.buffer:,} packets, {when}"


def scenario(place: Place) -> Scenario:
    """Make the scenario of a place; its groups are ``reno`` and ``vegas``."""
    reno, vegas = place.clients
    source = _source(place)
    common: dict[str, Any] = {
        "max_window": place.window,
        "delayed_ack": False,
        "overhead": "0 s" if place.ties else "12 us",
    }
    own: dict[str, Any] = {"base_rtt": place.base_rtt} if place.base_rtt != "ns2" else {}
    queue = (
        DropTail(packets=place.buffer)
        if place.gateway == "FIFO"
        else Red(packets=place.buffer, min_th=place.buffer / 5, max_th=4 * place.buffer / 5, w_q=RED_WEIGHT)
    )
    return Scenario(
        profile="ns2-2.35",
        duration=f"{place.duration} s",
        packet_size=PACKET_SIZE,
        measure=Measure.model_validate({"from": f"{place.measured_from} s"}),
        dumbbell=Dumbbell(
            access=Link(rate="100 Mbps" if place.pair else "10 Mbps", delay="25 ms"),
            bottleneck=Link(rate="10 Mbps" if place.pair else "50 Mbps", delay="25 ms", queue=queue),
        ),
        clients=(
            Clients(name="reno", count=reno, transport=Tcp("reno", **common), source=source),
            Clients(
                name="vegas",
                count=vegas,
                start=f"{place.start} s",
                transport=Tcp("vegas", **common, **own),
                source=source,
            ),
        ),
    )


def _source(place: Place) -> Source:
    """Make the application of one client, whose rate is proportional to its share of the link."""
    share = _PAIR_SHARE if place.pair else 1
    if place.application == POISSON:
        return Poisson(rate=RATE * place.load * share)
    if place.application == TRANSFERS:
        return Transfers(
            size=Pareto(mean=f"{600 * share} kB", shape=1.2), think=Exponential(mean=f"{1 / place.load:g} s")
        )
    if place.application == TRACE:
        return Trace(path=_TRACE, period="60 s", scale=1 / share, offset="random")
    return Greedy()
