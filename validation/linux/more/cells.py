"""Cells of the second set: the network and the flows of each repetition, and the measures of a run."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from linux.more import measures
from linux.more.packets import Packets, Windows
from linux.senders import PAYLOAD, WRITES, bottleneck, scenario, transport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock import Run, Scenario
    from linux.more.measures import Numbers

REPETITIONS: Final = (1, 2, 3)

_MBPS, _ONE_WAY_MS, _BUFFER = 20.0, 20.0, 67  # Mb/s, and a buffer of one bandwidth-delay product
_PACKETS, _WINDOWS = "packets@bottleneck", "windows"
_OUTAGE = f"{Path(__file__).with_name('outage.py')}:Outage"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell(ABC):
    """A network with flows, of which the kernel has three repetitions.

    Parameters
    ----------
    kernel
        The kernel's name of the congestion control.
    """

    part: ClassVar[str]
    record: ClassVar[Sequence[str]] = (_PACKETS, _WINDOWS)

    kernel: str

    @property
    @abstractmethod
    def title(self) -> str:
        """Description of the cell on the page."""

    @abstractmethod
    def scenario(self, repetition: int, folder: Path) -> Scenario:
        """Return the scenario of a repetition; the files that it reads are written to a folder."""

    @abstractmethod
    def measure(self, run: Run, repetition: int) -> Numbers:
        """Return the measures of a run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ManyFlows(Cell):
    """Flows that start within 10 s on a slow link, with small packets."""

    part = "Many flows"
    record = (_PACKETS, f"{_WINDOWS}/250ms")

    buffer: int
    count: int

    _SLOW_MBPS: ClassVar = 1.6
    _PACKET: ClassVar = 552
    _PAYLOAD: ClassVar = 500
    _SPAN: ClassVar = (60.0, 120.0)

    @property
    def title(self) -> str:
        """Description of the cell on the page."""
        return f"{self.kernel}, {self.count} flows, {self.buffer} packets"

    def scenario(self, repetition: int, folder: Path) -> Scenario:  # noqa: ARG002  # reads no file
        """Return flows whose starts are drawn as for the kernel."""
        draw = random.Random(77 * self.count + self.buffer + repetition)  # noqa: S311  # repeats the kernel's starts
        starts = [round(0.1 + 10 * draw.random(), 3) for _ in range(self.count)]
        sender = transport(self.kernel, payload=self._PAYLOAD, send_buffer=100)
        flows = [_flow(start, sender) for start in starts]
        network = bottleneck(self._SLOW_MBPS, 50, self.buffer)
        begin, end = self._SPAN
        return scenario(end, network, flows, packet_size=self._PACKET, measure={"from": f"{begin} s"})

    def measure(self, run: Run, repetition: int) -> Numbers:  # noqa: ARG002  # all repetitions are equal
        """Return the measures of the second minute."""
        fair_bps = self._SLOW_MBPS * 1e6 * self._PAYLOAD / self._PACKET / self.count
        packets, windows = Packets.of(run), Windows.by_flow(run)
        found = measures.many_flows(packets, windows, span=self._SPAN, fair_bps=fair_bps, payload=self._PAYLOAD)
        return {**found, "rto_per_flow": (run.summary.timeouts or 0) / self.count}


@dataclass(frozen=True, kw_only=True, slots=True)
class Bursts(Cell):
    """One flow whose application writes a burst of segments at regular times."""

    part = "Bursts"

    segments: int
    gap_s: float

    _DURATIONS: ClassVar[Mapping[float, float]] = {0.5: 12.2, 1.0: 16.2, 3.0: 24.2}

    @property
    def title(self) -> str:
        """Description of the cell on the page."""
        return f"{self.kernel}, {self.segments} segments each {self.gap_s:g} s"

    def scenario(self, repetition: int, folder: Path) -> Scenario:
        """Return a flow that starts 1.3 ms later in each repetition."""
        writes = [write - self._start(repetition) for write in self._writes(repetition)]
        flow = _flow(self._start(repetition), _writing(self.kernel), _supply(folder, writes, self.segments))
        return scenario(self._duration, bottleneck(_MBPS, _ONE_WAY_MS, _BUFFER), [flow])

    def measure(self, run: Run, repetition: int) -> Numbers:
        """Return the means over all bursts except the first one, which is slow start."""
        (windows,) = Windows.by_flow(run)
        writes = self._writes(repetition)
        found = measures.bursts(Packets.of(run), windows, segments=self.segments, writes=writes, gap_s=self.gap_s)
        return measures.means(found[1:])

    @property
    def _duration(self) -> float:
        return self._DURATIONS[self.gap_s]

    def _start(self, repetition: int) -> float:
        return 0.6 + 0.0013 * repetition

    def _writes(self, repetition: int) -> list[float]:
        """Return the times of the bursts that end within the run."""
        start = self._start(repetition)
        return [start + number * self.gap_s for number in range(int((self._duration - start) // self.gap_s))]


@dataclass(frozen=True, kw_only=True, slots=True)
class Requests(Cell):
    """Bursts of 100 kB beside a bulk flow of the same kind."""

    part = "Requests beside a bulk flow"

    _SEGMENTS: ClassVar = 69
    _GAP_S: ClassVar = 2.0
    _DURATION: ClassVar = 40.0
    _WRITES: ClassVar = tuple(3.6 + 2.0 * number for number in range(18))
    _SPAN: ClassVar = (5.0, 40.0)

    @property
    def title(self) -> str:
        """Description of the cell on the page."""
        return self.kernel

    def scenario(self, repetition: int, folder: Path) -> Scenario:
        """Return two flows; the bulk flow starts 0.37 s later in each repetition."""
        writes = [write - self._WRITES[0] for write in self._WRITES]
        flows = [
            _flow(0.1 + 0.37 * repetition, transport(self.kernel)),
            _flow(self._WRITES[0], _writing(self.kernel), _supply(folder, writes, self._SEGMENTS)),
        ]
        return scenario(self._DURATION, bottleneck(_MBPS, _ONE_WAY_MS, _BUFFER), flows)

    def measure(self, run: Run, repetition: int) -> Numbers:  # noqa: ARG002  # the requests have the same times
        """Return the means over all requests, and the goodput of the bulk flow."""
        packets, windows = Packets.of(run), Windows.by_flow(run)
        requests = measures.bursts(
            packets.of_flow(1), windows[1], segments=self._SEGMENTS, writes=self._WRITES, gap_s=self._GAP_S
        )
        found = measures.means(requests)
        return {
            "bulk_mbps": measures.goodput_mbps(packets.of_flow(0), *self._SPAN),
            "request_ms": found["completion_ms"],
            "request_cwnd_end": found["cwnd_end"],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Outages(Cell):
    """A bulk flow whose data, ACKs or both are lost for some seconds."""

    part = "Outages"

    direction: str
    length_s: int

    _LOST: ClassVar[Mapping[str, str]] = {"both": "data and ACKs", "fwd": "data", "back": "ACKs"}

    @property
    def title(self) -> str:
        """Description of the cell on the page."""
        return f"{self.kernel}, {self._LOST[self.direction]} lost for {self.length_s} s"

    def scenario(self, repetition: int, folder: Path) -> Scenario:  # noqa: ARG002  # reads no file
        """Return a flow whose outage is 0.73 s later in each repetition."""
        begin = self._begin(repetition)
        outage = {"kind": "python", "discipline": _OUTAGE, "begin": begin, "end": begin + self.length_s}
        network = bottleneck(_MBPS, _ONE_WAY_MS, _BUFFER, queue=outage if self.direction != "back" else None)
        if self.direction != "fwd":
            network["reverse"]["queue"] = {**outage, "packets": 100_000, "count_in_service": False}
        measured = {"from": f"{begin:g} s"}
        return scenario(self._duration(repetition), network, [_flow(0.1, transport(self.kernel))], measure=measured)

    def measure(self, run: Run, repetition: int) -> Numbers:
        """Return the measures after the outage, and the timeouts from its start on."""
        (windows,) = Windows.by_flow(run)
        found = measures.outage(
            Packets.of(run),
            windows,
            end=self._begin(repetition) + self.length_s,
            duration=self._duration(repetition),
            rate_mbps=measures.payload_rate(_MBPS),
        )
        return {**found, "rtos": float(run.summary.timeouts or 0)}

    def _begin(self, repetition: int) -> float:
        return 5 + 0.73 * (repetition - 1)

    def _duration(self, repetition: int) -> float:
        return self._begin(repetition) + self.length_s + (18 if self.length_s == 10 else 12)


@dataclass(frozen=True, kw_only=True, slots=True)
class RateChanges(Cell):
    """A bulk flow with a deep buffer; the rate changes between 20 and 2 Mb/s each 10 s."""

    part = "Changes of the rate"
    record = (_PACKETS,)

    _SPANS: ClassVar = ((10, 20), (20, 30), (30, 40), (50, 60))

    @property
    def title(self) -> str:
        """Description of the cell on the page."""
        return self.kernel

    def scenario(self, repetition: int, folder: Path) -> Scenario:  # noqa: ARG002  # reads no file
        """Return a flow that starts 0.31 s later in each repetition."""
        network = bottleneck(_MBPS, _ONE_WAY_MS, 400)
        del network["bottleneck"]["rate"]
        steps = [[f"{10 * step} s", "2 Mbps" if step % 2 else "20 Mbps"] for step in range(7)]
        network["bottleneck"]["rate_trace"] = {"steps": steps}
        return scenario(70, network, [_flow(0.1 + 0.31 * (repetition - 1), transport(self.kernel))])

    def measure(self, run: Run, repetition: int) -> Numbers:  # noqa: ARG002  # the changes have the same times
        """Return the measures of whole periods of one rate."""
        return measures.changes(Packets.of(run), self._SPANS)


@dataclass(frozen=True, kw_only=True, slots=True)
class ShortFlows(Cell):
    """Two hundred transfers of equal size at random times, with a load of one half."""

    part = "Short flows"
    record = (_PACKETS,)

    segments: int

    _COUNT: ClassVar = 200

    @property
    def title(self) -> str:
        """Description of the cell on the page."""
        return f"{self.kernel}, {self.segments} segments"

    def scenario(self, repetition: int, folder: Path) -> Scenario:  # noqa: ARG002  # reads no file
        """Return transfers whose starts are drawn as for the kernel."""
        starts = self._starts(repetition)
        source = {"kind": "greedy", "size": f"{self.segments * PAYLOAD} B"}
        flows = [_flow(start, _writing(self.kernel), source) for start in starts]
        return scenario(round(starts[-1] + 6, 2), bottleneck(_MBPS, _ONE_WAY_MS, _BUFFER), flows)

    def measure(self, run: Run, repetition: int) -> Numbers:
        """Return the measures of all transfers."""
        return measures.transfers(Packets.of(run), self._starts(repetition), self.segments)

    def _starts(self, repetition: int) -> list[float]:
        draw = random.Random(1000 * self.segments + repetition)  # noqa: S311  # repeats the kernel's starts
        per_second = _MBPS * 1e6 / 2 / (self.segments * 12_000)
        time, starts = 0.3, []
        for _ in range(self._COUNT):
            time += draw.expovariate(per_second)
            starts.append(round(time, 6))
        return starts


def cell(name: str) -> Cell:
    """Return a cell by its name in `data/more.csv`, such as ``burst_reno_100_0.5``."""
    part, kernel, *numbers = name.split("_")
    match part:
        case "many":
            return ManyFlows(kernel=kernel, buffer=int(numbers[0]), count=int(numbers[1]))
        case "burst":
            return Bursts(kernel=kernel, segments=int(numbers[0]), gap_s=float(numbers[1]))
        case "request":
            return Requests(kernel=kernel)
        case "outage":
            return Outages(kernel=kernel, direction=numbers[0], length_s=int(numbers[1]))
        case "rate":
            return RateChanges(kernel=kernel)
        case "short":
            return ShortFlows(kernel=kernel, segments=int(numbers[0]))
        case _:
            raise ValueError(f"cell {name!r}: must begin with many, burst, request, outage, rate or short")


def _flow(start: float, sender: Mapping[str, Any], source: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {
        "start": f"{round(start * 1e6)} us",
        "transport": dict(sender),
        "source": dict(source or {"kind": "greedy"}),
    }


def _writing(kernel: str) -> dict[str, Any]:
    """Return the transport of an application that does not wait for room in the send buffer."""
    return {name: value for name, value in transport(kernel).items() if name not in WRITES}


def _supply(folder: Path, writes: Sequence[float], segments: int) -> dict[str, Any]:
    """Return a source that writes segments at times in s after its start."""
    file = folder / f"{segments}_each_{writes[1] - writes[0]:g}_s.csv"
    file.write_text("time,packets\n" + "".join(f"{time:.6f},{segments}\n" for time in writes), "utf-8")
    return {"kind": "trace", "path": str(file)}
