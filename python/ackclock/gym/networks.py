"""Networks of the environment: one bottleneck, with its parameters fixed or drawn from ranges."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.engine.catalogue import catalogue
from ackclock.scenario import Clients, DropTail, Dumbbell, Greedy, Link, Measure, RandomLoss, RateTrace, Scenario, Tcp
from ackclock.scenario.fields import HEADER_BYTES
from ackclock.scenario.profile import PROFILES
from ackclock.study.sampling import Range, draw, range_of
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import measured, number, steps, whole, word
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, RATE, TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ackclock.study.wanted import Scalar

__all__ = [
    "CHANGING",
    "DEFAULT",
    "LOSSY",
    "SETS",
    "SHARED",
    "STEADY",
    "Network",
    "Networks",
    "duration_of",
    "networks_of",
]

PACKET: Final = 1500
"""Size of a data packet on the wire, in bytes."""
_ACCESS: Final = 10
"""Rate of the access links, as a multiple of the bottleneck's highest rate."""
_LEAST_BUFFER: Final = 4
"""Smallest buffer of a drawn network, in packets."""
_MAX_WINDOW: Final = 100_000
"""Advertised window, in packets, which never limits a flow of the sets."""
_MOST_COMPETITORS: Final = 100
_SPREAD: Final = PICOSECONDS_PER_SECOND
"""Time within which the competitors start."""

_VARIANT: Final = word(catalogue().variants, noun="variant")
_KINDS: Final = {
    "rate": measured(RATE, "1 kbps", "10 Gbps"),
    "rtt": measured(TIME, "0.1 ms", "10 s"),
    "buffer": number(above=0, high=1e6),
    "loss": number(low=0, high=0.9),
    "competitors": whole(0, _MOST_COMPETITORS),
    "change": measured(TIME, "10 ms", "1 h"),
    "profile": word(PROFILES, noun="profile"),
}
_PACKETS: Final = whole(1, 10**9)
_STEPS: Final = steps(measured(TIME, "0 s", "1 h"), measured(RATE, "0 bps", "10 Gbps"), most=10_000)
_DURATION: Final = measured(TIME, "1 ms", "1 h")


def duration_of(text: str) -> int:
    """Read the simulated time of an episode, in picoseconds.

    Raises
    ------
    ScenarioError
        The text is not a time from 1 ms to 1 h.

    """
    return TIME.parse(_DURATION.require("duration", text))


@dataclass(frozen=True, kw_only=True)
class Network:
    """A bottleneck, shared by the agent's flow and its competitors, which send without limit.

    Half of the round-trip time is on the access links, the other half at the bottleneck, whose queue is drop-tail.

    Examples
    --------
    >>> network = Network(rate="10 Mbps", rtt="40 ms", buffer=33)
    >>> round(network.base_rtt, 6), network.fair_rate("20 s")
    (0.041355, 10000000.0)
    >>> import ackclock as ac
    >>> ac.simulate(network.scenario(ac.Tcp("cubic"), duration="5 s")).summary.utilization > 0.9
    True

    """

    rate: str | tuple[tuple[str, str], ...] = "10 Mbps"
    """Rate of the bottleneck, or its changes: pairs of a time and the rate from then on."""
    rtt: str = "40 ms"
    """Round-trip propagation delay."""
    buffer: int = 33
    """Limit of the queue in packets, the one in transmission included."""
    loss: float = 0.0
    """Probability of a random loss of a data packet before the bottleneck."""
    competitors: tuple[str, ...] = ()
    """TCP variants of the other flows, which start within the first second."""
    profile: str = "rfc"
    """Defaults of all senders and receivers: see ``ackclock list profiles``."""

    def __post_init__(self) -> None:
        """Check the fields.

        Raises
        ------
        ScenarioError
            A field is not allowed.
        """
        if isinstance(self.rate, str):
            _KINDS["rate"].require("rate", self.rate)
        else:
            _STEPS.require("rate", self.rate)
            if not max(self._rates):
                raise refuse("rate", self.rate, "must not always be 0")
        _KINDS["rtt"].require("rtt", self.rtt)
        _KINDS["loss"].require("loss", self.loss)
        _KINDS["profile"].require("profile", self.profile)
        _PACKETS.require("buffer", self.buffer)
        names: object = self.competitors
        if not isinstance(names, tuple) or len(names) > _MOST_COMPETITORS:
            raise refuse("competitors", self.competitors, f"must be a tuple of at most {_MOST_COMPETITORS} variants")
        for variant in self.competitors:
            _VARIANT.require("competitors", variant)

    @cached_property
    def _rates(self) -> list[int]:
        texts = [self.rate] if isinstance(self.rate, str) else [rate for _, rate in self.rate]
        return [RATE.parse(text) for text in texts]

    def mean_rate(self, duration: str) -> float:
        """Return the mean rate of the bottleneck from the start to `duration`, in bit/s."""
        if isinstance(self.rate, str):
            return float(self._rates[0])
        return RateTrace(steps=self.rate).course().mean(duration_of(duration))

    def fair_rate(self, duration: str, *, agents: int = 1) -> float:
        """Return the equal share of each flow of the mean rate, in bit/s."""
        return self.mean_rate(duration) / (agents + len(self.competitors))

    @cached_property
    def base_rtt(self) -> float:
        """The round-trip time of a packet that never waits, in seconds; with a changing rate, at the highest one."""
        bits = 8 * (PACKET + HEADER_BYTES) * (1 + 1 / _ACCESS)
        return TIME.parse(self.rtt) / PICOSECONDS_PER_SECOND + bits / max(self._rates)

    def scenario(self, transport: Tcp, *, duration: str) -> Scenario:
        """Return the scenario in which the agent's flow, the first client, has this transport.

        Raises
        ------
        ScenarioError
            A field or the duration is not allowed.
        """
        whole, rtt = duration_of(duration), TIME.parse(self.rtt)
        delay = TIME.format(rtt // 4)
        rates = {"rate": self.rate} if isinstance(self.rate, str) else {"rate_trace": RateTrace(steps=self.rate)}
        return Scenario(
            profile=self.profile,
            duration=duration,
            packet_size=PACKET,
            measure=Measure(bin=TIME.format(min(rtt, whole))),
            dumbbell=Dumbbell(
                access=Link(rate=RATE.format(_ACCESS * max(self._rates)), delay=delay),
                bottleneck=Link(
                    **rates,
                    delay=delay,
                    queue=DropTail(packets=self.buffer),
                    loss=RandomLoss(probability=self.loss) if self.loss else None,
                ),
            ),
            clients=[
                Clients(name="agent", transport=transport, source=Greedy()),
                *(
                    Clients(
                        name=f"competitor-{place}",
                        transport=Tcp(variant, max_window=_MAX_WINDOW),
                        source=Greedy(),
                        spread=TIME.format(min(_SPREAD, whole)),
                    )
                    for place, variant in enumerate(self.competitors)
                ),
            ],
        )


@dataclass(frozen=True, kw_only=True)
class Networks:
    """Ranges from which networks are drawn. A field with one value instead of two ends is fixed.

    Values are uniform in a range, by the sampling of studies.

    Examples
    --------
    >>> networks = Networks(rate=("2 Mbps", "20 Mbps"), rtt="50 ms", buffer=(0.5, 2.0))
    >>> for network in networks.draw(2, seed=1):
    ...     print(network.rate, network.rtt, network.buffer)
    13708700 bps 50 ms 64
    5193900 bps 50 ms 38

    """

    rate: str | tuple[str, str] = "10 Mbps"
    """Rate of the bottleneck."""
    rtt: str | tuple[str, str] = "40 ms"
    """Round-trip propagation delay."""
    buffer: float | tuple[float, float] = 1.0
    """Limit of the queue in bandwidth-delay products of the network, with its highest rate; at least 4 packets."""
    loss: float | tuple[float, float] = 0.0
    """Probability of a random loss."""
    competitors: int | tuple[int, int] = 0
    """Number of competing flows."""
    variants: tuple[str, ...] = ("cubic", "reno")
    """TCP variants from which each competitor's is drawn."""
    change: str | None = None
    """Time between changes of the rate, each to a new value from its range (default: the rate is constant)."""
    profile: str = "rfc"
    """Defaults of all senders and receivers."""
    _ranges: dict[str, Range] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the ranges, and check them at their ends.

        Raises
        ------
        ScenarioError
            A field is not allowed.
        """
        ranges = {}
        for name in ("rate", "rtt", "buffer", "loss", "competitors"):
            given = getattr(self, name)
            if isinstance(given, tuple | list):
                try:
                    ranges[name] = range_of(*given)
                except (ValueError, TypeError) as error:
                    raise refuse(name, given, f"must be a value, or the two ends of a range: {error}") from None
            for end in given if name in ranges else (given,):
                _KINDS[name].require(name, end)
        object.__setattr__(self, "_ranges", ranges)
        _KINDS["profile"].require("profile", self.profile)
        names: object = self.variants
        if not isinstance(names, tuple) or not names:
            raise refuse("variants", self.variants, "must be a tuple of TCP variants")
        for variant in self.variants:
            _VARIANT.require("variants", variant)
        if self.change is not None:
            _KINDS["change"].require("change", self.change)
            if "rate" not in ranges:
                raise refuse("change", self.change, "must be absent when the rate is not a range")

    def draw(self, count: int, *, seed: int, duration: str = "60 s") -> list[Network]:
        """Draw networks that cover the ranges evenly: as a Latin hypercube.

        Parameters
        ----------
        count
            Number of networks.
        seed
            Random seed.
        duration
            Time over which the rate changes, if it does.

        """
        generator = np.random.default_rng([seed, 1])
        points: Iterable[dict[str, Scalar]] = ({} for _ in range(count))
        if self._ranges:
            points = draw(self._ranges, method="latin-hypercube", count=count, seed=seed)
        return [self._network(point, generator, duration) for point in points]

    def draw_one(self, generator: np.random.Generator, *, duration: str = "60 s") -> Network:
        """Draw a network independently of others."""
        shares = generator.random(len(self._ranges)).tolist()
        point = {name: each.at(share) for (name, each), share in zip(self._ranges.items(), shares, strict=True)}
        return self._network(point, generator, duration)

    def _network(self, point: dict[str, Scalar], generator: np.random.Generator, duration: str) -> Network:
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.init} | point
        rate = values["rate"] if self.change is None else self._course(generator, duration)
        highest = RATE.parse(rate) if isinstance(rate, str) else max(RATE.parse(each) for _, each in rate)
        product = highest * TIME.parse(values["rtt"]) / PICOSECONDS_PER_SECOND / (8 * PACKET)
        return Network(
            rate=rate,
            rtt=values["rtt"],
            buffer=max(_LEAST_BUFFER, round(values["buffer"] * product)),
            loss=values["loss"],
            competitors=tuple(generator.choice(self.variants, values["competitors"]).tolist()),
            profile=self.profile,
        )

    def _course(self, generator: np.random.Generator, duration: str) -> tuple[tuple[str, str], ...]:
        step = TIME.parse(self.change or "")
        count = -(-duration_of(duration) // step)
        rates = self._ranges["rate"]
        shares = generator.random(count).tolist()
        return tuple((TIME.format(place * step), str(rates.at(share))) for place, share in enumerate(shares))


STEADY: Final = Networks(rate=("2 Mbps", "20 Mbps"), rtt=("20 ms", "200 ms"), buffer=(0.25, 4.0))
"""A constant rate, and no other flows."""
LOSSY: Final = Networks(rate=("2 Mbps", "20 Mbps"), rtt=("20 ms", "200 ms"), buffer=(0.25, 4.0), loss=(0.001, 0.02))
"""Random losses in addition."""
CHANGING: Final = Networks(rate=("2 Mbps", "20 Mbps"), rtt=("20 ms", "200 ms"), buffer=(0.25, 4.0), change="3 s")
"""A rate that changes every 3 s."""
SHARED: Final = Networks(rate=("2 Mbps", "20 Mbps"), rtt=("20 ms", "200 ms"), buffer=(0.25, 4.0), competitors=(1, 3))
"""One to three competitors with CUBIC or Reno."""

DEFAULT: Final = (STEADY, LOSSY, CHANGING, SHARED)
"""The networks of an environment that names none: of each kind with equal probability."""

SETS: Final = {"train": 1, "held_out": 2}
"""The scenario sets, and the first seed of each; the seeds of the sets alternate."""


def networks_of(
    which: str, count: int, *, kinds: Sequence[Networks] = DEFAULT, duration: str = "20 s"
) -> list[Network]:
    """Return a scenario set: the same number of networks of each kind, in turn.

    Parameters
    ----------
    which
        ``train`` or ``held_out``. The two sets come from the same ranges with different seeds.
    count
        Number of networks; a multiple of the number of kinds.
    kinds
        The ranges.
    duration
        Length of an episode, for rates that change.

    Raises
    ------
    ScenarioError
        The set does not exist, or `count` is not allowed.

    Examples
    --------
    >>> held_out = networks_of("held_out", 8)
    >>> [network.competitors != () for network in held_out]
    [False, False, False, True, False, False, False, True]

    """
    if which not in SETS:
        raise refuse("set", which, one_of(which, SETS), noun="set")
    if count < len(kinds) or count % len(kinds):
        raise refuse("count", count, f"must be a multiple of {len(kinds)}, the number of kinds of networks")
    # each kind has draws of its own, so that the networks are independent
    seeds = range(SETS[which], SETS[which] + len(SETS) * len(kinds), len(SETS))
    drawn = [
        kind.draw(count // len(kinds), seed=seed, duration=duration) for kind, seed in zip(kinds, seeds, strict=True)
    ]
    return [network for turn in zip(*drawn, strict=True) for network in turn]
