"""The paper's network (Figure 1 and Table 1) and the grid of runs behind Figures 2, 3, 4 and 13.

What the paper does not print comes from the profile `ns2-2.35`, except one thing: on this dumbbell of round
numbers 21 % of the arrivals at the gateway fall on the same instant as another event, and who goes first
moves the results. Each TCP sender therefore takes up to 12 µs of processing time before it sends, as do those
of the ns-2 runs that we compare with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ackclock.papers import observation
from ackclock.papers.observation import summary
from ackclock.scenario import Clients, DropTail, Dumbbell, Link, Poisson, Red, Scenario, Tcp, Udp
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ackclock.papers.observation import Observation
    from ackclock.running.run import Run
    from ackclock.study import Wanted

BOTTLENECK_RATE = 50e6
"""Rate of the link from the gateway to the server, bit/s (Table 1: 50 Mbps)."""

ARRIVALS_PER_RTT = 10
"""Packets that one client generates in one round-trip propagation delay: 100 a second for 0.1 s."""

DURATION = 200
"""Seconds of one run (Table 1: total test time)."""

PACKET_SIZE = 1500
"""Bytes of a packet (Table 1)."""

ADVERTISED_WINDOW = 20
"""Packets that a receiver lets its sender have under way (Table 1)."""

CAPACITY = BOTTLENECK_RATE * DURATION / (8 * PACKET_SIZE)
"""Packets that the bottleneck can carry in one run; reached by 41.7 clients."""

RED_WEIGHT = 0.002
"""RED's averaging weight: not in the paper, but what Floyd and Jacobson (1993) recommend and ns then used."""

PAPERS_CLIENTS = (1, 2, 4, 8, 10, 15, 20, 25, 30, 34, 36, 38, 39, 40, 42, 44, 46, 48, 50, 55, 60)
"""Client counts within the paper's figures: denser where the bottleneck fills."""

FINE = 0.01
"""Seconds of the bins that arrivals are recorded in: all that is said of longer ones is added up from these."""

ARRIVALS = f"arrivals@bottleneck/{FINE:g}s"
"""The record of arrivals at the gateway. All who ask in the same words share a run."""

DROPS = "drops@bottleneck"
"""The record of drops there."""

HEAVY = tuple(clients for clients in PAPERS_CLIENTS if clients > 38)
"""The paper's heavily congested loads."""

CLIENTS = (*PAPERS_CLIENTS, 70, 80, 100)
"""Client counts that are run: the paper's, and more of them than it went to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """One curve of the paper's figures.

    Parameters
    ----------
    name
        The name in the paper's legends.
    protocol
        "udp", "reno" or "vegas".
    delayed_ack
        Whether the server delays its acknowledgments.
    red
        Whether the gateway runs RED, not FIFO.

    """

    name: str
    protocol: str
    delayed_ack: bool = False
    red: bool = False


VARIANTS = (
    Variant(name="UDP", protocol="udp"),
    Variant(name="Reno", protocol="reno"),
    Variant(name="Reno/DelAck", protocol="reno", delayed_ack=True),
    Variant(name="Vegas", protocol="vegas"),
    Variant(name="Reno/RED", protocol="reno", red=True),
    Variant(name="Reno/DelAck/RED", protocol="reno", delayed_ack=True, red=True),
    Variant(name="Vegas/RED", protocol="vegas", red=True),
)
"""The curves, in the order of the legends."""

BY_NAME = {variant.name: variant for variant in VARIANTS}
"""The same by their names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """Parameters that are varied to test the sensitivity of a result.

    Parameters
    ----------
    overhead
        Longest processing time before a TCP sender sends; without any, exact ties decide.
    buffer
        Buffer of the gateway, packets.
    red_weight
        RED's averaging weight.
    base_rtt
        How Vegas takes the round trip without queues; the profile's rule by default.

    """

    overhead: str = "12 us"
    buffer: int = 50
    red_weight: float = RED_WEIGHT
    base_rtt: Literal["minimum", "ns2"] | None = None


def scenario(variant: Variant, clients: int, *, profile: str = "ns2-2.35", setting: Setting | None = None) -> Scenario:
    """Give the paper's network with one kind of client: 200 s, measured from the start, as in the paper.

    The profile gives what the paper does not print; the setting, what is different from all other runs.
    """
    setting = setting or Setting()
    own: dict[str, Any] = {"base_rtt": setting.base_rtt} if variant.protocol == "vegas" and setting.base_rtt else {}
    transport = (
        Udp()
        if variant.protocol == "udp"
        else Tcp(
            variant.protocol,
            max_window=ADVERTISED_WINDOW,
            delayed_ack=variant.delayed_ack,
            overhead=setting.overhead,
            **own,
        )
    )
    queue = (
        Red(packets=setting.buffer, min_th=10, max_th=40, w_q=setting.red_weight)
        if variant.red
        else DropTail(packets=setting.buffer)
    )
    return Scenario(
        profile=profile,
        duration=f"{DURATION} s",
        packet_size=PACKET_SIZE,
        dumbbell=Dumbbell(
            access=Link(rate="10 Mbps", delay="25 ms"),
            bottleneck=Link(rate="50 Mbps", delay="25 ms", queue=queue),
        ),
        clients=(Clients(count=clients, transport=transport, source=Poisson(rate=100)),),
    )


def client_packets(clients: int) -> str:
    """Ask for the packets that this many clients send: the record of their access links."""
    return f"packets@{','.join(f'access.{client}' for client in range(clients))}"


def observations_wanted(
    cells: Sequence[tuple[Variant, int]],
    *,
    seeds: Iterable[int],
    profile: str = "ns2-2.35",
    setting: Setting | None = None,
    record: Sequence[str] = (),
    take: Callable[[Run], Mapping[str, float | None]] = summary,
) -> Wanted[Mapping[str, float | None], list[Observation]]:
    """Ask for cells of the grid, each a variant and a number of clients: cell after cell, seed after seed."""
    return observation.observations_wanted(
        cells,
        where=lambda cell: (cell[0].name, cell[1]),
        point=lambda cell: _point(*cell, profile, setting),
        seeds=seeds,
        take=take,
        record=record,
    )


def _point(variant: Variant, clients: int, profile: str, setting: Setting | None) -> Point:
    return Point(
        name=f"{variant.name} with {clients} clients",
        scenario=scenario(variant, clients, profile=profile, setting=setting),
        work=clients,
    )
