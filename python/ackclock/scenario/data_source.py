"""What all data sources of flows have in common."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ackclock.scenario.fields import PACKETS_PER_SECOND
from ackclock.scenario.model import Part
from ackclock.values import errors
from ackclock.values.quantity import RATE, SIZE


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The properties of a scenario on which its sources depend."""

    at: str
    """Path of the source in the scenario, for errors."""
    duration: int
    """Simulated time, in ps."""
    payload: int
    """Data bytes of a full packet."""
    request_rate: Callable[[], float]
    """Returns the requests per second of each client, for `Connections`."""

    def packets(self, size: str) -> float:
        """Convert a size to packets."""
        return SIZE.parse(size) / self.payload


class DataSource(Part):
    """A source of data. To add a kind, write a subclass and add it to ``Source`` in ``sources.py``."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form. By default, this form has the same fields."""
        del setting
        return self.model_dump()


class Paced(DataSource):
    """A source that determines the time of each packet. Only such sources can send over UDP."""

    @property
    @abstractmethod
    def mean_rate(self) -> float:
        """Mean packets per second of each flow."""


class WithRate(Paced):
    """A source with a rate in packets per second, or in bits per second on the wire."""

    if TYPE_CHECKING:
        rate: float | str  # each subclass declares the field after its kind

    @property
    def packet_rate(self) -> float:
        """The rate in packets per second; a rate in bits per second must have been converted."""
        if isinstance(self.rate, str):
            raise errors.refuse("rate", self.rate, "must be in packets per second here: use scenario.effective()")
        return self.rate

    def of_packets(self, packet_size: int) -> Self:
        """Return the source with its rate in packets of this size per second."""
        if not isinstance(self.rate, str):
            return self
        packets = RATE.parse(self.rate) / (8 * packet_size)
        try:
            PACKETS_PER_SECOND.check(packets)
        except ValueError as error:
            allowed = f"{error} packets per second: these are {packets:g} of {packet_size} bytes"
            raise errors.refuse("source.rate", self.rate, allowed) from None
        return self.model_copy(update={"rate": packets})
