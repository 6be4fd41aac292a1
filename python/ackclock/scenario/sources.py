"""Where data comes from."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.scenario import errors
from ackclock.scenario.distributions import PERIOD, TRANSFER, Distribution, Sizes, misfits
from ackclock.scenario.fields import (
    LONGEST_RUN,
    Connected,
    Digest,
    Duration,
    FilePath,
    Hurst,
    Load,
    PacketRate,
    Scale,
    Size,
    TraceOffset,
    Variation,
)
from ackclock.scenario.model import Part
from ackclock.scenario.quantity import PICOSECONDS_PER_SECOND, SIZE, TIME, seconds
from ackclock.scenario.trace_file import TraceFile, other_digest, read


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a source depends on in the scenario around it."""

    at: str
    """Where the source stands in the scenario, for errors."""
    duration: int
    """Simulated time, in ps."""
    payload: int
    """Data bytes of a full packet."""
    request_rate: Callable[[], float]
    """Requests per second of each client, for connections."""

    def packets(self, size: str) -> float:
        """Give a size in packets."""
        return SIZE.parse(size) / self.payload


class DataSource(Part):
    """A source of data. A new kind is a subclass and its name in `Source`."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Give the source as the engine takes it: its fields, where they are plain numbers."""
        del setting
        return self.model_dump()


class Paced(DataSource):
    """A source that hands over each packet at a time of its own: only such sources can send over UDP."""

    @property
    @abstractmethod
    def mean_rate(self) -> float:
        """Mean packets per second of each flow."""


class Poisson(Paced):
    """Single packets at exponential intervals."""

    kind: Literal["poisson"] = "poisson"
    """``poisson``."""

    rate: PacketRate
    """Mean packets per second of each flow."""

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow."""
        return self.rate


class Constant(Paced):
    """Packets at equal intervals, the first at the start."""

    kind: Literal["constant"] = "constant"
    """``constant``."""

    rate: PacketRate
    """Packets per second of each flow."""

    @property
    def mean_rate(self) -> float:
        """Packets per second of each flow."""
        return self.rate


class OnOff(Paced):
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

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Give the source with its periods in seconds."""
        return super().for_engine(setting) | {"on": self.on.for_engine(seconds), "off": self.off.for_engine(seconds)}

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that periods are times."""
        del data
        return misfits(part, {"on": PERIOD, "off": PERIOD})


_NEVER_BELOW_ZERO: Final = 0.1
"""A rate that varies less than that is below 0 once in 1e23 bins."""


class FractionalNoise(Paced):
    """Packets whose rate follows fractional Gaussian noise: self-similar traffic of a Hurst parameter that is given.

    In each bin packets come as a Poisson process of a rate that is normally distributed; the noise is exact (Davies and
    Harte 1987). Counts per bin have the variance ``n + (n cov)^2``, where ``n = rate bin`` is their mean: the first
    part is the Poisson process's and does not last, so that the dependence shows from bins on that hold more than ``1 /
    cov^2`` packets. A rate below 0 counts as none. With ``cov`` up to 0.3 that shows in nothing; at 0.5 it lifts the
    mean by 0.4 % and takes 0.8 % off the standard deviation of the rate, at 1 that is 8 % and 17 %.

    Examples
    --------
    >>> FractionalNoise(rate=500, hurst=0.8, cov=0.3, bin="100 ms").hurst
    0.8
    """

    kind: Literal["fgn"] = "fgn"
    """``fgn``."""

    rate: PacketRate
    """Mean packets per second of each flow, before rates below 0 count as none."""

    hurst: Hurst
    """The Hurst parameter: 0.5 for independent bins, up to 1 for dependence that lasts longer and longer."""

    cov: Variation
    """Standard deviation over mean of the rate, likewise."""

    bin: Duration
    """How long a rate holds."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Give the source with its bins counted."""
        width = TIME.parse(self.bin)
        numbers = {"kind": "fractional", "bin": width, "bins": -(-setting.duration // width)}
        return super().for_engine(setting) | numbers

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow: a little above ``rate``, as no rate is below 0."""
        if self.cov < _NEVER_BELOW_ZERO:
            return self.rate
        zero = 1 / self.cov
        density = math.exp(-(zero**2) / 2) / math.sqrt(2 * math.pi)
        return self.rate * ((1 + math.erf(zero / math.sqrt(2))) / 2 + self.cov * density)


class Greedy(DataSource):
    """As much as TCP will take."""

    kind: Literal["greedy"] = "greedy"
    """``greedy``."""

    size: Size | None = None
    """Length of a finite transfer, such as ``"1 MB"``; without end where it is absent."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Give the source with the packets of a finite transfer, or None."""
        packets = None if self.size is None else -(-SIZE.parse(self.size) // setting.payload)
        return {"kind": self.kind, "packets": packets}


class Transfers(DataSource):
    """Transfers of drawn sizes on one connection, with a time to think before each.

    A transfer goes as fast as TCP lets it; the next time to think begins when all of it is acknowledged. The next
    transfer finds the connection's window as it was, if it comes within a retransmission timeout; after that TCP's
    ``idle_restart`` resets it.
    """

    kind: Literal["transfers"] = "transfers"
    """``transfers``."""

    size: Sizes
    """Sizes, such as ``{ kind = "pareto", mean = "60 kB", shape = 1.2 }``: bytes of data, sent in whole packets."""

    think: Distribution
    """The times to think, the first one before the first transfer."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Give the source with sizes in packets and times in seconds."""
        sizes = self.size.for_engine(setting.packets)
        return {"kind": self.kind, "size": sizes, "think": self.think.for_engine(seconds)}

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that sizes are sizes and times are times."""
        del data
        return misfits(part, {"size": TRANSFER, "think": PERIOD})


class Connections(DataSource):
    """Requests at random times, each with a connection of its own that carries one transfer.

    Requests are a Poisson process: they come whether or not those before are served. Each opens a fresh connection,
    with its own handshake, slow start and timers, which ends when all of the transfer is acknowledged.

    Examples
    --------
    >>> from ackclock import SizeTable
    >>> Connections(load=0.6, size=SizeTable("web-search")).connections
    256
    """

    kind: Literal["connections"] = "connections"
    """``connections``."""

    load: Load
    """What the group's transfers ask of the measured link, as a share of its rate: headers and SYNs count, packets that
    are sent again do not. The clients share the requests."""

    size: Sizes
    """Sizes, such as ``{ kind = "table", name = "web-search" }``: bytes of data, sent in whole packets."""

    connections: Connected = 256
    """Most connections of a client at a time: further requests wait until one ends."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Give the source with sizes in packets and the rate of its requests."""
        sizes = self.size.for_engine(setting.packets)
        return {"kind": self.kind, "rate": setting.request_rate(), "size": sizes, "most": self.connections}

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that sizes are sizes."""
        del data
        return misfits(part, {"size": TRANSFER})


class Trace(Paced):
    """Packets at the times that a file gives, once or over and over.

    The file is CSV with a heading or Parquet: a column ``time`` in seconds, and ``packets`` if not one comes each time,
    such as a run's table ``arrivals``. A result keeps its path and the digest of its content, and runs again only with
    that content.
    """

    kind: Literal["trace"] = "trace"
    """``trace``."""

    path: FilePath
    """The file: from where the scenario's file lies, or else from the present directory."""

    sha256: Digest | None = None
    """The digest that its content must have: where it is absent, any. Results have it."""

    scale: Scale = 1.0
    """What all times of the trace are multiplied by, period and offset too: 2 plays it at half the speed."""

    period: Duration | None = None
    """Period after which it repeats, in the trace's own time; without a period it is played once."""

    offset: TraceOffset = "0 s"
    """Where in the trace its flows begin: a time, the same for all, or ``random`` within the period, for each flow its
    own."""

    @property
    def file(self) -> TraceFile:
        """What the file holds.

        Raises
        ------
        ScenarioError
            It cannot be read, holds no trace, or has another digest.
        """
        found = read(self.path)
        if self.sha256 not in (None, found.sha256):
            raise other_digest(self.path, self.sha256)
        return found

    @property
    def length(self) -> float:
        """Seconds of simulated time until it ends or repeats."""
        return self.scale * (float(self.file.times[-1]) if self.period is None else seconds(self.period))

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow while it plays; infinite if all come at once."""
        return self.file.total / self.length if self.length else math.inf

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Give the rows of the trace, times scaled and in picoseconds."""
        import numpy as np  # noqa: PLC0415  # few scenarios have a trace

        found, picoseconds = self.file, self.scale * PICOSECONDS_PER_SECOND
        if found.times[-1] * self.scale > seconds(LONGEST_RUN):
            raise errors.refuse(f"{setting.at}.scale", self.scale, f"must end the trace by {LONGEST_RUN}")
        period = None if self.period is None else round(TIME.parse(self.period) * self.scale)
        times = np.rint(found.times * picoseconds).astype(np.uint64)
        if period is not None and period < times[-1]:
            raise errors.refuse(f"{setting.at}.period", self.period, "must reach the trace's last time")
        offset = None if self.offset == "random" else round(TIME.parse(self.offset) * self.scale)
        return {
            "kind": self.kind,
            "times": times.tolist(),
            "packets": None if found.packets is None else found.packets.tolist(),
            "period": period,
            "offset": offset,
        }

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that the trace can begin at its offset."""
        del data
        if part is None or (part.period is None and part.offset != "random"):
            return []
        if part.period is None:
            return [errors.wrong(("offset",), part.offset, "must be a time, unless there is a period to choose from")]
        if part.offset != "random" and TIME.parse(part.offset) >= TIME.parse(part.period):
            return [errors.wrong(("offset",), part.offset, f"must be below the period ({part.period})")]
        return []


Source = Annotated[
    Poisson | Constant | OnOff | FractionalNoise | Trace | Greedy | Transfers | Connections, Field(discriminator="kind")
]

SOURCES: Final[tuple[type[DataSource], ...]] = get_args(get_args(Source)[0])
"""All of them."""
