"""Schemes: what an agent does and sees, and its reward.

A scheme declares the action, the features of an observation and the reward, with their units and ranges. `Aurora` and
`Orca` follow the papers and the published code of these controllers; their docstrings list the differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from ackclock.gym.networks import PACKET
from ackclock.values.errors import one_of, refuse

if TYPE_CHECKING:
    import numpy as np

    from ackclock.engine.core import Interval
    from ackclock.gym.networks import Network

__all__ = ["SCHEMES", "Aurora", "Feature", "Orca", "Power", "Scheme", "scheme_named"]

Control = Literal["window", "rate", "factor"]


@dataclass(frozen=True, slots=True)
class Feature:
    """A number of an observation, or the action."""

    name: str
    unit: str
    low: float
    high: float
    """Ends of its range; values outside are set to the nearest end."""
    doc: str


class Scheme(ABC):
    """The state of an agent during an episode. A subclass is a way to control a flow.

    Parameters
    ----------
    network
        The network of the episode.
    generator
        Random numbers, for the initial control.
    duration
        Simulated time of the episode.
    flows
        Number of flows with agents.

    Attributes
    ----------
    base_rtt
        Round-trip time of the empty path, in seconds.
    fair_rate, mean_rate
        Equal share of the flow, and the whole, of the bottleneck's mean rate, in packets per second.

    """

    control: ClassVar[Control]
    """What `begin` and `act` return: a ``window`` in packets, a pacing ``rate`` in packets/s, or a ``factor`` by which
    the window of CUBIC is multiplied once."""
    action: ClassVar[Feature]
    """The action."""
    features: ClassVar[tuple[Feature, ...]]
    """The numbers that `observe` returns."""
    history: ClassVar[int] = 1
    """Number of steps in an observation, the latest one last."""
    interval: ClassVar[str] = "rtt"
    """Length of a step: a time, or ``rtt``, the smoothed round-trip time at its start."""
    reward_doc: ClassVar[str]
    """The reward in words."""

    def __init__(self, network: Network, generator: np.random.Generator, *, duration: str, flows: int = 1) -> None:
        self.network = network
        self.base_rtt = network.base_rtt
        self.fair_rate = network.fair_rate(duration, agents=flows) / (8 * PACKET)
        self.mean_rate = network.mean_rate(duration) / (8 * PACKET)
        self._generator = generator

    @abstractmethod
    def begin(self) -> float:
        """Return the control before the first action."""

    @abstractmethod
    def act(self, action: float) -> float:
        """Return the control that an action sets."""

    @abstractmethod
    def observe(self, seen: Interval) -> tuple[float, ...]:
        """Return the features of a step."""

    @abstractmethod
    def reward(self, seen: Interval) -> float:
        """Return the reward of a step."""


_LEAST: Final = 2.0
_LARGEST: Final = 1e6
_GROWTH: Final = 2.0


class Power(Scheme):
    """Sets the window; the reward is Kleinrock's power (1979), relative to an ideal flow."""

    control = "window"
    action = Feature("growth", "log2", -1.0, 1.0, "the window is multiplied by 2^a")
    features = (
        Feature("delay", "1", 0.0, 8.0, "mean round-trip time over the smallest sample, minus 1"),
        Feature("gradient", "s/s", -2.0, 2.0, "slope of the round-trip time"),
        Feature("loss", "1", 0.0, 1.0, "share of the sent packets that are sent again"),
        Feature("delivery", "1", 0.0, 4.0, "packets acknowledged over packets sent"),
        Feature("progress", "1", 0.0, 4.0, "packets acknowledged over the window, for one round-trip time"),
        Feature("growth", "log2", -1.0, 1.0, "the last action"),
    )
    history = 4
    reward_doc = (
        "rate of acknowledged packets over the flow's equal share of the link, at most 1, divided by the mean "
        "round-trip time over that of the empty path"
    )

    def __init__(self, network: Network, generator: np.random.Generator, *, duration: str, flows: int = 1) -> None:
        super().__init__(network, generator, duration=duration, flows=flows)
        self._window = 10.0
        self._last = 0.0

    def begin(self) -> float:
        """Return the initial window of RFC 6928."""
        return self._window

    def act(self, action: float) -> float:
        """Multiply the window."""
        self._last = action
        window: float = self._window * _GROWTH**action
        if not _LEAST <= window <= _LARGEST:
            window = min(max(window, _LEAST), _LARGEST)
        self._window = window
        return window

    def observe(self, seen: Interval) -> tuple[float, ...]:
        """Return the features of a step."""
        acked, sent, rtt = seen.acked, seen.sent, seen.rtt
        if rtt != rtt:  # noqa: PLR0124  # NaN: no sample, as after a burst of losses
            return 0.0, 0.0, seen.lost / sent if sent else 0.0, 0.0, 0.0, self._last
        return (
            rtt / seen.rtt_min - 1.0,
            seen.rtt_gradient,
            seen.lost / sent if sent else 0.0,
            acked / sent if sent else 1.0,
            acked * rtt / (seen.span * self._window),
            self._last,
        )

    def reward(self, seen: Interval) -> float:
        """Return the power of a step; 0 without a sample of the round-trip time."""
        rtt = seen.rtt
        if rtt != rtt:  # noqa: PLR0124
            return 0.0
        return min(seen.acked / (seen.span * self.fair_rate), 1.0) * self.base_rtt / rtt


class Aurora(Scheme):
    """The controller of Jay, Rotman, Godfrey, Schapira and Tamar (ICML 2019), which sets the rate.

    Differences from the paper and its published simulator:

    - the engine repairs losses and delivers data in order; the simulator sends packets without a transport;
    - an action is at most 10 in absolute value, and is given as a tenth of it;
    - the latency ratio relates to the smallest sample, not to the smallest mean of an interval;
    - the gradient is the slope of a least-squares line, as in PCC Vivace; the code takes the difference of two halves;
    - an interval without a sample has the smoothed round-trip time as its latency; in the code it has 0;
    - the reward is not scaled by 0.001;
    - a step is one round-trip time; in the code it is half of one.
    """

    control = "rate"
    action = Feature(
        "change",
        "1",
        -1.0,
        1.0,
        "a tenth of the paper's: with b = 10 a, the rate is multiplied by 1 + 0.025 b, or divided by "
        "1 - 0.025 b if b < 0",
    )
    features = (
        Feature("latency gradient", "s/s", -1.0, 10.0, "slope of the round-trip time"),
        Feature("latency ratio", "1", 1.0, 10_000.0, "mean round-trip time over the smallest sample"),
        Feature("send ratio", "1", 0.0, 1000.0, "packets sent over packets acknowledged"),
    )
    history = 10
    reward_doc = (
        "10 throughput - 1000 latency - 2000 loss, with packets acknowledged per s, the mean round-trip time in s, and "
        "the share of lost packets among lost and acknowledged ones"
    )

    _SCALE: Final = 0.025 * 10

    def begin(self) -> float:
        """Return a rate between 0.3 and 1.5 of the bottleneck's, as the published code does."""
        self._rate = float(self._generator.uniform(0.3, 1.5)) * self.mean_rate
        return self._rate

    def act(self, action: float) -> float:
        """Change the rate."""
        change = self._SCALE * action
        rate = self._rate * (1.0 + change) if change >= 0 else self._rate / (1.0 - change)
        self._rate = min(max(rate, 1.0), _LARGEST)
        return self._rate

    def observe(self, seen: Interval) -> tuple[float, ...]:
        """Return the three features of a step."""
        acked, rtt = seen.acked, seen.rtt
        ratio = seen.sent / acked if acked else 1.0
        if rtt != rtt:  # noqa: PLR0124
            return 0.0, 1.0, ratio
        return seen.rtt_gradient, rtt / seen.rtt_min, ratio

    def reward(self, seen: Interval) -> float:
        """Return the reward of a step."""
        acked, lost, rtt = seen.acked, seen.lost, seen.rtt
        if rtt != rtt:  # noqa: PLR0124
            srtt = seen.srtt
            rtt = srtt if srtt == srtt else self.base_rtt  # noqa: PLR0124
        loss = lost / (lost + acked) if lost else 0.0
        return 10.0 * acked / seen.span - 1000.0 * rtt - 2000.0 * loss


class Orca(Scheme):
    """The controller of Abbasloo, Yen and Chao (SIGCOMM 2020), which multiplies the window of CUBIC.

    Features and reward follow the published code. Differences: the engine's CUBIC is the one of RFC 9438, not Linux's;
    the pacing rate is the window per smoothed round-trip time; a step is 20 ms by default.
    """

    control = "factor"
    action = Feature("factor", "log4", -1.0, 1.0, "the window of CUBIC is multiplied by 4^a")
    features = (
        Feature("throughput", "1", 0.0, 1.0, "throughput over the largest so far"),
        Feature("pacing", "1", 0.0, 10.0, "window per smoothed round-trip time over the largest throughput so far"),
        Feature("loss", "1", 0.0, 5.0, "five times the rate of losses over the largest throughput so far"),
        Feature("samples", "1", 0.0, 4.0, "packets acknowledged over the window"),
        Feature("time", "s", 0.0, 10.0, "length of the step"),
        Feature("inverse delay", "1", 0.0, 1.0, "smallest sample over the smoothed round-trip time"),
        Feature("delay metric", "1", 0.0, 1.0, "1.25 times the same, at most 1"),
    )
    interval = "20 ms"
    reward_doc = "(throughput - 5 loss rate) over the largest throughput so far, times the delay metric"

    _MARGIN: Final = 1.25

    def __init__(self, network: Network, generator: np.random.Generator, *, duration: str, flows: int = 1) -> None:
        super().__init__(network, generator, duration=duration, flows=flows)
        self._most = 0.0

    def begin(self) -> float:
        """Return the factor that changes nothing."""
        return 1.0

    def act(self, action: float) -> float:
        """Return the factor."""
        return float(4.0**action)

    def _delay(self, seen: Interval) -> tuple[float, float]:
        least, srtt = seen.rtt_min, seen.srtt
        inverse = min(least / srtt, 1.0) if least == least and srtt > 0 else 1.0  # noqa: PLR0124
        return inverse, min(self._MARGIN * inverse, 1.0)

    def observe(self, seen: Interval) -> tuple[float, ...]:
        """Return the seven features of a step."""
        span, srtt, cwnd = seen.span, seen.srtt, seen.cwnd
        throughput = seen.acked / span
        self._most = max(self._most, throughput)
        most = self._most or 1.0
        inverse, metric = self._delay(seen)
        pacing = cwnd / srtt / most if srtt > 0 else 0.0
        return throughput / most, pacing, 5.0 * seen.lost / span / most, seen.acked / cwnd, span, inverse, metric

    def reward(self, seen: Interval) -> float:
        """Return the reward of a step; `observe` must be called first."""
        span = seen.span
        return (seen.acked - 5.0 * seen.lost) / span / (self._most or 1.0) * self._delay(seen)[1]


SCHEMES: Final[dict[str, type[Scheme]]] = {"power": Power, "aurora": Aurora, "orca": Orca}
"""The schemes by name."""


def scheme_named(scheme: str | type[Scheme]) -> type[Scheme]:
    """Return a scheme by its name; a class is returned unchanged.

    Raises
    ------
    ScenarioError
        There is no such scheme.

    Examples
    --------
    >>> scheme_named("aurora").reward_doc[:31]
    '10 throughput - 1000 latency - '
    """
    if isinstance(scheme, type) and issubclass(scheme, Scheme):
        return scheme
    if scheme not in SCHEMES:
        raise refuse("scheme", scheme, one_of(str(scheme), SCHEMES), noun="scheme")
    return SCHEMES[scheme]
