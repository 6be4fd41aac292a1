"""The places of the map: combinations of conditions under which Vegas clients join Reno clients at a gateway.

`ackclock.papers.burstiness.experiment` has the same network with 60 clients, and up to 12 µs of processing time. A pair
of one Reno and one Vegas client has a bottleneck of a fifth of the rate, which two clients can fill. The fair share of
each is six times as large as with 60 clients, so its application generates six times as much data.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, PACKET_SIZE, RED_WEIGHT
from ackclock.papers.core.definition import Definition
from ackclock.scenario import Scenario

DEFINITION = Definition("ackclock.papers.vegas")

Gateway = Literal["FIFO", "RED"]

CLIENTS = 60  # of both kinds together

BUFFERS = (10, 50, 150, 500, 1500, 3000)
"""Buffers of the gateway, packets; the path holds 417 further packets with 60 clients, and 83 with a pair."""

SHARES = (3, 15, 30, 45, 57)  # clients of the 60 that run Vegas: 5, 25, 50, 75 and 95 %

STARTS = (0, 1, 10, 60)  # starts of Vegas, seconds after the start of Reno

GATEWAYS: tuple[Gateway, ...] = ("FIFO", "RED")
"""RED's thresholds are a fifth and four fifths of the buffer, as in the papers' RED 10/40 and RED1 300/1200."""

DURATION, FROM = 150, 90
"""Length of a run with 60 clients, and start of the measurement, seconds: all clients have then run for 30 s."""

PAIR_DURATION, PAIR_FROM = 600, 120
"""Length of a run of a pair, and start of the measurement, seconds; larger windows take longer to grow."""

WIDE = 4000
"""An advertised window, in packets, that is larger than path and buffer together, so that it never limits a sender."""

POISSON, GREEDY, OPEN, TRANSFERS, TRACE = APPLICATIONS = (
    "Poisson",
    "greedy",
    "greedy, open window",
    "transfers",
    "trace",
)
"""Applications of the clients; the advertised window is the papers' 20 packets, but `WIDE` for `OPEN`."""

RATE = 100  # packets a second of each of the 60 clients with Poisson sources (the papers' Table 1)

_PAIR_SHARE = 6  # fair share of a client of a pair, relative to a client of 60

_TRACE = str(files("ackclock.papers.vegas").joinpath("data", "trace.csv"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """One place of the map: its coordinates, and settings that are changed to test the sensitivity of a result."""

    application: str = POISSON  # one of `APPLICATIONS`
    buffer: int = 50  # of the gateway, packets
    vegas: int = CLIENTS // 2  # clients of the 60 that run Vegas, the others Reno
    pair: bool = False  # only two clients, one of each kind
    start: int = 10  # seconds after Reno's start when Vegas starts
    gateway: Gateway = "FIFO"
    load: float = 1.0  # rate of Poisson sources relative to the usual rate; transfers have think times of 1 / load s
    base_rtt: Literal["minimum", "ns2"] = "ns2"  # Vegas' base round-trip time: the smallest sample, or as in ns-2
    ties: bool = False  # senders take no processing time, so that exact ties occur
    whole: bool = False  # the run is measured from 0 s on

    @property
    def clients(self) -> tuple[int, int]:
        """Number of Reno clients and number of Vegas clients."""
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
        """Start of the measurement, seconds."""
        return 0 if self.whole else PAIR_FROM if self.pair else FROM

    @property
    def name(self) -> str:
        """Name of the place in messages."""
        who = "one against one" if self.pair else f"{100 * self.vegas // CLIENTS} % Vegas"
        when = "together" if not self.start else f"after {self.start} s"
        return f"{who}, {self.application}, {self.gateway} of {self.buffer:,} packets, {when}"


def scenario(place: Place) -> Scenario:
    """Make the scenario of a place; its groups are ``reno`` and ``vegas``."""
    queue: dict[str, Any] = {"kind": "droptail", "packets": place.buffer}
    if place.gateway == "RED":
        queue |= {"kind": "red", "min_th": place.buffer / 5, "max_th": 4 * place.buffer / 5, "w_q": RED_WEIGHT}
    fields: dict[str, Any] = {
        "packet_size": PACKET_SIZE,
        "duration": f"{place.duration} s",
        "measure.from": f"{place.measured_from} s",
        "dumbbell.bottleneck.queue": queue,
        "clients.1.start": f"{place.start} s",
    }
    for group, count in enumerate(place.clients):
        fields |= {
            f"clients.{group}.count": count,
            f"clients.{group}.source": _source(place),
            f"clients.{group}.transport.max_window": place.window,
            f"clients.{group}.transport.overhead": "0 s" if place.ties else "12 us",
        }
    if place.base_rtt != "ns2":
        fields["clients.1.transport.base_rtt"] = place.base_rtt
    return DEFINITION.scenario("pair" if place.pair else "many", **fields)


def _source(place: Place) -> dict[str, Any]:
    """Make the application of one client, whose rate is proportional to its share of the link."""
    share = _PAIR_SHARE if place.pair else 1
    sources: dict[str, dict[str, Any]] = {
        POISSON: {"kind": "poisson", "rate": RATE * place.load * share},
        TRANSFERS: {
            "kind": "transfers",
            "size": {"kind": "pareto", "mean": f"{600 * share} kB", "shape": 1.2},
            "think": {"kind": "exponential", "mean": f"{1 / place.load:g} s"},
        },
        TRACE: {"kind": "trace", "path": _TRACE, "period": "60 s", "scale": 1 / share, "offset": "random"},
    }
    return sources.get(place.application, {"kind": "greedy"})
