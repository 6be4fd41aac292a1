"""Data sources of flows."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import Field
from pydantic_core import InitErrorDetails

from ackclock.scenario.call import Call
from ackclock.scenario.data_source import DataSource, Paced, Setting, WithRate
from ackclock.scenario.distributions import PERIOD, TRANSFER, Distribution, Sizes, misfits
from ackclock.scenario.fields import (
    LONGEST_RUN,
    Connected,
    Digest,
    Duration,
    FilePath,
    FramePackets,
    FrameRate,
    Hurst,
    KeyDistance,
    Load,
    PacketRate,
    Scale,
    Size,
    TraceOffset,
    Variation,
)
from ackclock.scenario.trace_file import TraceFile, other_digest, read
from ackclock.scenario.video import Video
from ackclock.values import errors
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, SIZE, TIME, seconds


class Poisson(WithRate):
    """Single packets at exponential intervals."""

    kind: Literal["poisson"] = "poisson"
    """``poisson``."""

    rate: PacketRate
    """Mean packets per second of each flow, or bits per second such as ``"5 Mbps"``."""

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow."""
        return self.packet_rate


class Constant(WithRate):
    """Packets at equal intervals, the first at the start."""

    kind: Literal["constant"] = "constant"
    """``constant``."""

    rate: PacketRate
    """Packets per second of each flow, or bits per second such as ``"5 Mbps"``."""

    @property
    def mean_rate(self) -> float:
        """Packets per second of each flow."""
        return self.packet_rate


class Frames(Paced):
    """Frames of a call at equal intervals, the first at the start, each sent at once: speech or video.

    A frame of speech is one packet: 50 per second of 120 bytes are Opus at 32 kbit/s with the headers of RTP, UDP and
    IP. A frame of video is several packets, and each ``key_every``-th one, from the first on, may have more. Over UDP,
    the summary of the group has the one-way delays of its packets, the share that is lost, and, for speech, the mean
    opinion score.

    Examples
    --------
    >>> Frames(rate=50).mean_rate
    50.0
    >>> Frames(rate=30, packets=4, key_every=300, key_packets=34).mean_rate
    123.0
    """

    kind: Literal["frames"] = "frames"
    """``frames``."""

    rate: FrameRate
    """Frames per second of each flow."""

    packets: FramePackets = 1
    """Packets per frame."""

    key_every: KeyDistance = 0
    """Frames from one key frame to the next (default: 0, no key frames)."""

    key_packets: FramePackets = 1
    """Packets per key frame."""

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that key frames have a distance."""
        del data
        if part is None or part.key_every or part.key_packets == 1:
            return []
        return [errors.wrong(("key_packets",), part.key_packets, "must be absent unless key_every is given")]

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow."""
        more = self.rate * (self.key_packets - self.packets) / self.key_every if self.key_every else 0.0
        return self.rate * self.packets + more


class OnOff(WithRate):
    """Alternating off and on periods, off first: packets at equal intervals while on, none while off.

    Examples
    --------
    >>> from ackclock import Exponential, Pareto
    >>> OnOff(rate=125, on=Pareto(mean="500 ms", shape=1.2), off=Exponential(mean="1500 ms")).mean_rate
    31.25
    """

    kind: Literal["onoff"] = "onoff"
    """``onoff``."""

    rate: PacketRate
    """Packets per second of each flow while it is on, or bits per second such as ``"5 Mbps"``."""

    on: Distribution
    """The lengths of on periods, such as ``{ kind = "pareto", mean = "500 ms", shape = 1.2 }``."""

    off: Distribution
    """The lengths of off periods."""

    @property
    def mean_rate(self) -> float:
        """Long-run mean packets per second of each flow."""
        on, off = seconds(self.on.mean), seconds(self.off.mean)
        return self.packet_rate * on / (on + off)

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with periods in seconds."""
        return super().for_engine(setting) | {"on": self.on.for_engine(seconds), "off": self.off.for_engine(seconds)}

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that ``on`` and ``off`` are times, not sizes."""
        del data
        return misfits(part, {"on": PERIOD, "off": PERIOD})


_NEVER_BELOW_ZERO: Final = 0.1
"""Coefficient of variation below which `mean_rate` ignores clipping: at 0.1, the rate is below 0 once in 1e23 bins."""


class FractionalNoise(WithRate):
    """Self-similar traffic with a given Hurst parameter: the packet rate follows fractional Gaussian noise.

    In each bin packets arrive as a Poisson process with a normally distributed rate; the noise is exact (Davies and
    Harte 1987). Counts per bin have the variance ``n + (n cov)^2``, where ``n = rate bin`` is their mean. The first
    term is due to the Poisson process and has no memory, so the dependence is visible only in bins of more than ``1 /
    cov^2`` packets. Negative rates are clipped to 0, which is negligible for ``cov`` up to 0.3. At a ``cov`` of 0.5,
    clipping increases the mean rate by 0.4 % and reduces the standard deviation of the rate by 0.8 %; at 1, by 8 % and
    17 %.

    Examples
    --------
    >>> FractionalNoise(rate=500, hurst=0.8, cov=0.3, bin="100 ms").hurst
    0.8
    """

    kind: Literal["fgn"] = "fgn"
    """``fgn``."""

    rate: PacketRate
    """Mean packets per second of each flow, before negative rates are clipped to 0, or bits per second."""

    hurst: Hurst
    """Hurst parameter: 0.5 for independent bins; values toward 1 give longer dependence."""

    cov: Variation
    """Coefficient of variation of the rate (standard deviation over mean), before clipping."""

    bin: Duration
    """Length of a bin, within which the rate is constant."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with the number of bins."""
        width = TIME.parse(self.bin)
        numbers = {"kind": "fractional", "bin": width, "bins": -(-setting.duration // width)}
        return super().for_engine(setting) | numbers

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow: slightly above ``rate`` because of the clipping."""
        if self.cov < _NEVER_BELOW_ZERO:
            return self.packet_rate
        zero = 1 / self.cov
        density = math.exp(-(zero**2) / 2) / math.sqrt(2 * math.pi)
        return self.packet_rate * ((1 + math.erf(zero / math.sqrt(2))) / 2 + self.cov * density)


class Greedy(DataSource):
    """Data is always available: TCP sends as much as it can."""

    kind: Literal["greedy"] = "greedy"
    """``greedy``."""

    size: Size | None = None
    """Length of a finite transfer, such as ``"1 MB"`` (default: infinite)."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with the packets of a finite transfer or ``None``."""
        packets = None if self.size is None else -(-SIZE.parse(self.size) // setting.payload)
        return {"kind": self.kind, "packets": packets}


class Transfers(DataSource):
    """Transfers of random sizes on one connection, each after a random think time.

    A transfer is sent as fast as TCP allows; the next think time begins when the whole transfer is acknowledged. The
    next transfer starts with the previous window if the connection was idle for less than a retransmission timeout;
    otherwise TCP's ``idle_restart`` applies.
    """

    kind: Literal["transfers"] = "transfers"
    """``transfers``."""

    size: Sizes
    """Sizes, such as ``{ kind = "pareto", mean = "60 kB", shape = 1.2 }``: bytes of data, sent in whole packets."""

    think: Distribution
    """Think times; the first think time precedes the first transfer."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with sizes in packets and times in seconds."""
        sizes = self.size.for_engine(setting.packets)
        return {"kind": self.kind, "size": sizes, "think": self.think.for_engine(seconds)}

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that ``size`` is a size and ``think`` a time."""
        del data
        return misfits(part, {"size": TRANSFER, "think": PERIOD})


class Requests(DataSource):
    """Requests on one connection at given times, such as an object every 2 s: an open loop.

    The first request is at the start. A response is sent as fast as TCP allows. A request does not wait for the
    network: if the connection is still busy, the response is sent after the ones before it, and its completion time
    counts from the request. With an exponential ``every``, requests are a Poisson process.

    Examples
    --------
    >>> from ackclock import Fixed
    >>> Requests(size=Fixed(mean="100 kB"), every=Fixed(mean="2 s")).every.mean
    '2 s'
    """

    kind: Literal["requests"] = "requests"
    """``requests``."""

    size: Sizes
    """Sizes, such as ``{ kind = "fixed", mean = "100 kB" }``: bytes of data, sent in whole packets."""

    every: Distribution
    """Times from request to request, such as ``{ kind = "fixed", mean = "2 s" }``."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with sizes in packets and times in seconds."""
        sizes = self.size.for_engine(setting.packets)
        return {"kind": self.kind, "size": sizes, "every": self.every.for_engine(seconds)}

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that ``size`` is a size and ``every`` a time."""
        del data
        return misfits(part, {"size": TRANSFER, "every": PERIOD})


class Connections(DataSource):
    """Requests at random times. Each request opens a new connection for one transfer.

    Requests are a Poisson process, independent of the progress of earlier transfers. Each connection has its own
    handshake, slow start and timers, and ends when the whole transfer is acknowledged.

    Examples
    --------
    >>> from ackclock import SizeTable
    >>> Connections(load=0.6, size=SizeTable("web-search")).connections
    256
    """

    kind: Literal["connections"] = "connections"
    """``connections``."""

    load: Load
    """Offered load of the whole group on the measured link, as a share of its rate. Headers and SYNs count,
    retransmissions do not."""

    size: Sizes
    """Sizes, such as ``{ kind = "table", name = "web-search" }``: bytes of data, sent in whole packets."""

    connections: Connected = 256
    """Maximum number of simultaneous connections of a client; further requests wait until a connection ends."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with sizes in packets and the rate of requests."""
        sizes = self.size.for_engine(setting.packets)
        return {"kind": self.kind, "rate": setting.request_rate(), "size": sizes, "most": self.connections}

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that ``size`` is a size, not a time."""
        del data
        return misfits(part, {"size": TRANSFER})


class Pages(DataSource):
    """Web pages, one after the other: a closed loop of a browser.

    A page begins with its document, alone on a connection. When the document is complete, all other objects are
    requested over at most ``connections`` connections, which carry one object at a time and stay open for the page
    (HTTP/1.1). A page is loaded with its last object; the next one follows after a think time, on new connections. The
    first page is at the start.

    Examples
    --------
    >>> from ackclock import Fixed
    >>> size = Fixed(mean="40 kB")
    >>> Pages(document=size, objects=70, size=size, think=Fixed(mean="5 s")).connections
    6
    """

    kind: Literal["pages"] = "pages"
    """``pages``."""

    document: Sizes
    """Sizes of documents, such as ``{ kind = "fixed", mean = "30 kB" }``: bytes of data, sent in whole packets."""

    objects: FramePackets
    """Number of other objects of a page."""

    size: Sizes
    """Sizes of objects, such as ``{ kind = "lognormal", mean = "37 kB", sigma = 1.5 }``."""

    think: Distribution
    """Times from the end of a page to the next one."""

    connections: Connected = 6
    """Maximum number of connections of a client (default: 6, as browsers open to a server)."""

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the source into the engine's form, with sizes in packets and times in seconds."""
        return {
            "kind": self.kind,
            "document": self.document.for_engine(setting.packets),
            "objects": {"kind": "fixed", "mean": float(self.objects)},
            "size": self.size.for_engine(setting.packets),
            "think": self.think.for_engine(seconds),
            "most": self.connections,
        }

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that sizes are sizes and ``think`` is a time."""
        del data
        return misfits(part, {"document": TRANSFER, "size": TRANSFER, "think": PERIOD})


class Trace(Paced):
    """Packets at the times listed in a file, once or periodically.

    The file is CSV with a header or Parquet, with a column ``time`` in seconds and optionally ``packets``, the number
    of packets at that time (default: 1). A run's table ``arrivals`` has this form. A result stores the file's path and
    digest, and can be rerun only with the same content.
    """

    kind: Literal["trace"] = "trace"
    """``trace``."""

    path: FilePath
    """Path of the file, relative to the scenario's file or else to the current directory."""

    sha256: Digest | None = None
    """SHA-256 digest that the file's content must have (default: any content). Results store the digest."""

    scale: Scale = 1.0
    """Factor for all times of the trace, including period and offset: 2 plays the trace at half the speed."""

    period: Duration | None = None
    """Period after which the trace repeats, before scaling (default: the trace is played once)."""

    offset: TraceOffset = "0 s"
    """Time in the trace at which flows start. It is the same for all flows, or, with ``random``, a random time within
    the period for each flow."""

    @property
    def file(self) -> TraceFile:
        """The content of the file.

        Raises
        ------
        ScenarioError
            The file cannot be read, contains no trace, or has a different digest.
        """
        found = read(self.path)
        if self.sha256 not in (None, found.sha256):
            raise other_digest(self.path, self.sha256)
        return found

    @property
    def length(self) -> float:
        """Simulated time until the trace ends or repeats, in seconds."""
        return self.scale * (float(self.file.times[-1]) if self.period is None else seconds(self.period))

    @property
    def mean_rate(self) -> float:
        """Mean packets per second of each flow while the trace plays; infinite if all packets have time 0."""
        return self.file.total / self.length if self.length else math.inf

    def for_engine(self, setting: Setting) -> dict[str, Any]:
        """Convert the trace into the engine's form, with scaled times in picoseconds."""
        import numpy as np  # noqa: PLC0415  # few scenarios have a trace

        found, picoseconds = self.file, self.scale * PICOSECONDS_PER_SECOND
        if self.scale == 1 and found.times[-1] > seconds(LONGEST_RUN):
            raise errors.unreadable(self.path, f"its last time is after {LONGEST_RUN}", "a trace of times in seconds")
        if found.times[-1] * self.scale > seconds(LONGEST_RUN):
            raise errors.refuse(
                f"{setting.at}.scale", self.scale, f"must be smaller, so that the trace ends by {LONGEST_RUN}"
            )
        period = None if self.period is None else round(TIME.parse(self.period) * self.scale)
        times = np.rint(found.times * picoseconds).astype(np.uint64)
        if period is not None and period < times[-1]:
            raise errors.refuse(f"{setting.at}.period", self.period, "must be at least the trace's last time")
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
            return [errors.wrong(("offset",), part.offset, "must be a time when no period is given")]
        if part.offset != "random" and TIME.parse(part.offset) >= TIME.parse(part.period):
            return [errors.wrong(("offset",), part.offset, f"must be below the period ({part.period})")]
        return []


Source = Annotated[
    Poisson
    | Constant
    | OnOff
    | FractionalNoise
    | Trace
    | Greedy
    | Transfers
    | Requests
    | Connections
    | Pages
    | Frames
    | Video
    | Call,
    Field(discriminator="kind"),
]

SOURCES: Final[tuple[type[DataSource], ...]] = get_args(get_args(Source)[0])
"""All kinds of source."""
