"""Where data comes from."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.quantity import seconds
from ackclock.scenario.distributions import PERIOD, TRANSFER, Distribution, misfits
from ackclock.scenario.fields import PacketRate, Size
from ackclock.scenario.model import Part


class Poisson(Part):
    """Single packets at exponential intervals."""

    kind: Literal["poisson"] = "poisson"
    """``poisson``."""

    rate: PacketRate
    """Mean packets per second of each flow."""

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow."""
        return self.rate


class Constant(Part):
    """Packets at equal intervals, the first at the start."""

    kind: Literal["constant"] = "constant"
    """``constant``."""

    rate: PacketRate
    """Packets per second of each flow."""

    @property
    def mean_rate(self) -> float:
        """Packets per second of each flow."""
        return self.rate


class OnOff(Part):
    """On and off periods: packets at equal intervals while on, none while off, which it is first.

    Examples
    --------
    >>> from ackclock import Exponential, Pareto
    >>> OnOff(rate=125, on=Pareto(mean="500 ms", shape=1.2), off=Exponential(mean="1500 ms")).mean_rate
    31.25
    """

    kind: Literal["onoff"] = "onoff"
    """``onoff``."""

    rate: PacketRate
    """Packets per second of each flow while it is on."""

    on: Distribution
    """The lengths of on periods, such as ``{ kind = "pareto", mean = "500 ms", shape = 1.2 }``."""

    off: Distribution
    """The lengths of off periods."""

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow, in the long run."""
        on, off = seconds(self.on.mean), seconds(self.off.mean)
        return self.rate * on / (on + off)

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that periods are times."""
        del data
        return misfits(part, {"on": PERIOD, "off": PERIOD})


class Greedy(Part):
    """As much as TCP will take."""

    kind: Literal["greedy"] = "greedy"
    """``greedy``."""

    size: Size | None = None
    """Length of a finite transfer, such as ``"1 MB"``; without end where it is absent."""


class Transfers(Part):
    """Transfers of drawn sizes on one connection, with a time to think before each.

    A transfer goes as fast as TCP lets it; the next time to think begins when all of it is acknowledged. The next
    transfer finds the connection's window as it was, if it comes within a retransmission timeout; after that TCP's
    ``idle_restart`` has it begin anew.
    """

    kind: Literal["transfers"] = "transfers"
    """``transfers``."""

    size: Distribution
    """Sizes, such as ``{ kind = "pareto", mean = "60 kB", shape = 1.2 }``: bytes of data, sent in whole packets."""

    think: Distribution
    """The times to think, the first one before the first transfer."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that sizes are sizes and times are times."""
        del data
        return misfits(part, {"size": TRANSFER, "think": PERIOD})


Source = Annotated[Poisson | Constant | OnOff | Greedy | Transfers, Field(discriminator="kind")]

SOURCES: Final = (Poisson, Constant, OnOff, Greedy, Transfers)
"""All of them."""

PACED: Final = (Poisson, Constant, OnOff)
"""Those that hand over each packet at a time of its own: what UDP can send."""
