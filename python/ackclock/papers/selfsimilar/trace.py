"""The capture behind Figure 3: one that a person has, or simulated packets that stand in for the authors'.

The capture that the authors drew is not public. In its place stands simulated traffic of mixed sizes: web pages and
short exchanges over TCP, and some UDP, with about as many packets and bytes in as many minutes. It is written as a
capture and read as any other.
"""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.capture import read_capture
from ackclock.capture.reading import WHAT
from ackclock.papers.selfsimilar.packet_sizes import PacketSizes, memory
from ackclock.running.run import simulate
from ackclock.scenario import (
    Clients,
    DropTail,
    Dumbbell,
    Exponential,
    Link,
    OnOff,
    Pareto,
    Scenario,
    Tcp,
    Transfers,
    Udp,
)
from ackclock.scenario.errors import unreadable

if TYPE_CHECKING:
    from ackclock.capture import Capture
    from ackclock.papers.selfsimilar.packet_sizes import Memory

__all__ = ["LAYERS", "STAND_IN", "Trace", "mix", "read_trace", "stand_in"]

STAND_IN: Final = "stand-in.pcapng"
"""The file of the simulated packets, in the folder of the study."""

LAYERS: Final = ("ARP", "IP", "LLC", "TCP", "UDP")
"""Protocols whose parts of all packets the paper prints: what links carry, then what IP carries."""

_DURATION: Final = 300
"""Seconds: the authors' five minutes."""

_BOTH_WAYS: Final = "bottleneck,bottleneck.reverse"

_MOST: Final = 4_000_000
"""Packets: all are held at once, to look at their order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """A capture as Figure 3 and section 5 look at one.

    Parameters
    ----------
    capture
        What it shows.
    sha256
        The digest of its file, in hexadecimal digits.
    sizes
        Its packets.
    memory
        What is known of the Hurst parameter of their sizes.
    simulated
        Whether it only stands in for one.

    """

    capture: Capture
    sha256: str
    sizes: PacketSizes
    memory: tuple[Memory, ...]
    simulated: bool = False

    @property
    def shares(self) -> dict[str, float]:
        """The part of each protocol of `LAYERS` in all packets, per cent; IP is that of both versions."""
        counts = self.capture.protocols
        packets = {name: counts.get(name.lower(), 0) for name in LAYERS} | {"IP": self.capture.ip_packets}
        return {name: 100 * packets[name] / self.capture.packets for name in LAYERS}

    @property
    def record(self) -> dict[str, Any]:
        """What the folder of the study keeps of it, so that the study can be made again."""
        return {"file": str(self.capture.path), "sha256": self.sha256, "packets": self.capture.packets}

    @property
    def told(self) -> str:
        """The same in words."""
        kind = ", simulated" if self.simulated else ""
        return f"{self.capture.path.name}{kind}: {self.capture.packets:,} packets, SHA-256 {self.sha256}"


def read_trace(file: Path, *, simulated: bool = False) -> Trace:
    """Read a capture.

    Parameters
    ----------
    file
        Pcap or pcapng, plain or in gzip.
    simulated
        Whether it only stands in for one.

    Raises
    ------
    ScenarioError
        If it is none, cannot be read, or has fewer than two or more than four million packets, or all at one time.

    """
    try:
        if file.exists() and not file.is_file():
            raise unreadable(file, "it is no file", WHAT)
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
    from pyarrow import parquet  # noqa: PLC0415 - slow to load

    table = parquet.read_table(packets, columns=["time", "bytes"])
    try:
        return PacketSizes(time=table["time"].to_numpy(), size=table["bytes"].to_numpy().astype(np.float64))
    except ValueError:
        allowed = "a capture of two packets or more, not all at one time"
        raise unreadable(file, "it has fewer than two packets, or all at one time", allowed) from None


def mix() -> Scenario:
    """Give a small network whose packets stand in for the authors' capture."""
    return Scenario(
        profile="rfc",
        duration=f"{_DURATION} s",
        dumbbell=Dumbbell(
            access=Link(rate="10 Mbps", delay="1 ms"),
            bottleneck=Link(rate="2 Mbps", delay="20 ms", queue=DropTail(packets=50)),
        ),
        clients=[
            Clients(
                name="web",
                count=10,
                packet_size=1500,
                direction="reverse",
                transport=Tcp("newreno"),
                source=Transfers(size=Pareto(mean="12 kB", shape=1.2), think=Pareto(mean="18 s", shape=1.5)),
            ),
            Clients(
                name="exchanges",
                count=10,
                packet_size=576,
                transport=Tcp("newreno"),
                source=Transfers(size=Exponential(mean="800 B"), think=Exponential(mean="8 s")),
            ),
            Clients(
                name="calls",
                count=2,
                packet_size=200,
                transport=Udp(packet_sizes="exponential"),
                source=OnOff(rate=2, on=Pareto(mean="2 s", shape=1.5), off=Pareto(mean="6 s", shape=1.5)),
            ),
        ],
    )


def stand_in(file: Path, *, seed: int) -> Trace:
    """Simulate `mix`, write its packets as a capture, as they come to the bottleneck from either side, and read it.

    Parameters
    ----------
    file
        A new file. The same seed gives the same bytes.
    seed
        Of the run.

    """
    run = simulate(mix(), seed=seed, capture=[_BOTH_WAYS], jobs=1)
    run.write_pcapng(_BOTH_WAYS, file)
    return read_trace(file, simulated=True)
