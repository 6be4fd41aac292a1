"""The capture of Figure 3: a given capture, or simulated packets in place of the authors' capture.

The authors' capture is not public. It is replaced by simulated traffic with packets of mixed sizes: web pages and short
exchanges over TCP, and some UDP, with about as many packets and bytes in the same time. The simulated packets are
written as a capture, which is read as any other.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis import Hurst, hurst
from ackclock.capture import Capture, read_capture
from ackclock.capture.reading import WHAT
from ackclock.files.reading import parquet
from ackclock.papers.core.evidence import Row, Run
from ackclock.papers.selfsimilar.experiment import DEFINITION, TRACE
from ackclock.running.run import simulate
from ackclock.scenario import Scenario
from ackclock.values.errors import unreadable

Reals = NDArray[np.float64]

STAND_IN: Final = "stand-in.pcapng"
"""The file of the simulated packets, in the folder of the study."""

LAYERS: Final = tuple(TRACE["shares"])
"""Protocols whose shares of all packets the paper prints: protocols on links, then those on IP."""

_BOTH_WAYS: Final = "bottleneck,bottleneck.reverse"
_MOST: Final = 4_000_000  # packets: all are in memory at once, to be sorted by time
_MOST_BINS: Final = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class PacketSizes:
    """The packets of a capture: times in seconds, in any order, and sizes in bytes."""

    time: Reals
    size: Reals

    def __post_init__(self) -> None:
        if self.time.ndim != 1 or self.time.shape != self.size.shape:
            raise ValueError(f"size: must have the shape of time, {self.time.shape}, not {self.size.shape}")
        if not (np.isfinite(self.time).all() and self.time.size > 1 and np.ptp(self.time) > 0):
            raise ValueError("time: must be finite, with at least two packets, and not all equal")
        if not np.isfinite(self.size).all() or self.size.min() < 0:
            raise ValueError("size: must be finite and not below 0")

    @property
    def length(self) -> float:
        """Seconds from the first packet to the last."""
        return float(np.ptp(self.time))

    @property
    def bin(self) -> float:
        """The smallest power of ten, in seconds, that divides the length into 10,000 bins or fewer."""
        return 10.0 ** math.ceil(math.log10(self.length / _MOST_BINS))

    def per_bin(self, width: float) -> tuple[Reals, Reals]:
        """Count the packets and the bytes in each whole bin of `width` seconds from the first packet on.

        A capture that is shorter than one bin has one bin.
        """
        place = ((self.time - self.time.min()) / width).astype(np.int64)
        count = max(int(self.length / width), 1)
        packets = np.bincount(place, minlength=count)[:count].astype(np.float64)
        return packets, np.asarray(np.bincount(place, self.size, minlength=count)[:count], dtype=np.float64)


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """A series of bytes and its Hurst parameter, which is None if there are too few values or all are equal."""

    name: str
    values: Reals
    found: Hurst | None

    @property
    def long_range(self) -> bool:
        """Whether long-range dependence can be claimed."""
        return self.found is not None and self.found.long_range


def memory(sizes: PacketSizes) -> tuple[Memory, ...]:
    """Estimate H of the packet sizes in order of time, and of the bytes in bins of 1 and 10 times `PacketSizes.bin`."""
    series = {"f(t), packet by packet": sizes.size[np.argsort(sizes.time, kind="stable")]}
    for width in (sizes.bin, 10 * sizes.bin):
        series[f"bytes in {width:g} s"] = sizes.per_bin(width)[1]
    return tuple(Memory(name=name, values=values, found=_hurst(values)) for name, values in series.items())


def _hurst(values: Reals) -> Hurst | None:
    try:
        return hurst(values)
    except ValueError:
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """A capture with the results for Figure 3 and section 5; `simulated` if it replaces the authors' capture."""

    capture: Capture
    sha256: str
    sizes: PacketSizes
    memory: tuple[Memory, ...]
    simulated: bool = False

    @property
    def shares(self) -> dict[str, float]:
        """The share of each protocol of `LAYERS` in all packets, per cent; IP includes both versions."""
        counts = self.capture.protocols
        packets = {name: counts.get(name.lower(), 0) for name in LAYERS} | {"IP": self.capture.ip_packets}
        return {name: 100 * packets[name] / self.capture.packets for name in LAYERS}

    @property
    def path(self) -> Path:
        return self.capture.path

    @property
    def row(self) -> Row:
        """The results as a row: shares of protocols, per cent, and whether long-range dependence is claimed, 1 or 0."""
        sizes, bytes_, _ = self.memory
        claimed = {"f_long_range": float(sizes.long_range), "bytes_long_range": float(bytes_.long_range)}
        return Run(where={"file": str(self.path)}, seed=0, values={**self.shares, **claimed})

    @property
    def record(self) -> dict[str, Any]:
        """Name, checksum and length of the capture, stored in the study's folder so that the study can be repeated."""
        return {"file": str(self.capture.path), "sha256": self.sha256, "packets": self.capture.packets}

    @property
    def words(self) -> str:
        """Name, length and checksum of the capture as text."""
        kind = ", simulated" if self.simulated else ""
        return f"{self.capture.path.name}{kind}: {self.capture.packets:,} packets, SHA-256 {self.sha256}"


def read_trace(file: Path, *, simulated: bool = False) -> Trace:
    """Read a capture.

    Raises
    ------
    ScenarioError
        If it is no capture, cannot be read, has fewer than two or over four million packets, or all at the same time.

    """
    try:
        if file.exists() and not file.is_file():
            raise unreadable(file, "it is not a file", WHAT)
        with tempfile.TemporaryDirectory() as folder:
            packets = Path(folder) / "packets.parquet"
            capture = read_capture(file, packets=packets, progress=lambda _, count: _check_count(file, count))
            sizes = _sizes(file, packets)
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(file, str(error.strerror or error), WHAT) from None
    return Trace(capture=capture, sha256=digest, sizes=sizes, memory=memory(sizes), simulated=simulated)


def _check_count(file: Path, packets: int) -> None:
    if packets > _MOST:
        raise unreadable(file, f"it has more than {_MOST:,} packets", f"a capture of up to {_MOST:,} packets")


def _sizes(file: Path, packets: Path) -> PacketSizes:
    table = parquet(packets, ["time", "bytes"])
    try:
        return PacketSizes(time=table["time"].to_numpy(), size=table["bytes"].to_numpy().astype(np.float64))
    except ValueError:
        allowed = "a capture of at least two packets, not all at the same time"
        raise unreadable(file, "it has fewer than two packets, or all at the same time", allowed) from None


def mix() -> Scenario:
    """Return a small network whose packets stand in for the authors' capture."""
    return Scenario.from_dict(DEFINITION.table("stand_in"))


def stand_in(file: Path, *, seed: int) -> Trace:
    """Simulate `mix`, write its packets as a capture, as they arrive at the bottleneck from either side, and read it.

    The same seed gives the same bytes.
    """
    run = simulate(mix(), seed=seed, capture=[_BOTH_WAYS], jobs=1)
    run.write_pcapng(_BOTH_WAYS, file)
    return read_trace(file, simulated=True)
