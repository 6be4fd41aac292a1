"""The captures with which `ackclock twin` is developed and graded: made by our simulator, and by a Linux kernel.

Both sets are fixed by a random seed each (`GRADED`, `DEVELOPED`), and were fixed before any graded capture was made.
Networks of ours have rates of 1 to 100 Mb/s, round-trip times of 5 to 150 ms, buffers of 0.3 to 4 bandwidth-delay
products and random losses of 0 to 1 %. Captures of the kernel are its traces of at least 300 segments, written as pcap
files.
"""

from __future__ import annotations

import csv
import math
import random
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

GRADED: Final = 45
DEVELOPED: Final = 1
HELD: Final = 46
"""A third set, for what was changed after the first grade."""
OF_EACH: Final = 20
"""Captures of our simulator, and of the kernel, in a set."""
LEAST_SEGMENTS: Final = 300
MSS: Final = 1448
TAP: Final = "access.0,access.0.reverse@receive"
DURATION: Final = 20
KINDS: Final = (*["greedy"] * 8, *["transfer"] * 4, "bursts", "bursts", "trickle", "trickle", *["poisson", "tcp"] * 2)
"""What the connection sends, or what it competes with."""
_WINDOW_SCALE: Final = 7


@dataclass(frozen=True, kw_only=True)
class Truth:
    """A path of ours: rate in Mb/s, round-trip time in ms, buffer in packets."""

    name: str
    law: str
    profile: str
    kind: str
    rate: float
    rtt: float
    buffer: int
    loss: float

    def scenario(self) -> ac.Scenario:
        """Return the scenario."""
        linux = {"payload": MSS} if self.profile == "linux" else {}
        transport: dict[str, Any] = {"kind": "tcp", "variant": self.law, "recovery": "rack", **linux}
        link: dict[str, Any] = {
            "rate": f"{self.rate} Mbps",
            "delay": f"{round(500 * self.rtt - 500)} us",
            "queue": {"kind": "droptail", "packets": self.buffer},
        }
        if self.loss:
            link["loss"] = {"kind": "random", "probability": self.loss}
        clients: list[dict[str, Any]] = [{"transport": transport, "source": self._source()}]
        if self.kind == "poisson":
            source = {"kind": "poisson", "rate": f"{round(4e5 * self.rate)} bps"}
            clients.append({"transport": {"kind": "udp"}, "source": source})
        if self.kind == "tcp":
            other = {"kind": "tcp", "variant": "cubic"}
            clients.append({"transport": other, "source": {"kind": "greedy"}, "start": "2 s"})
        network = {"bottleneck": link, "access": {"rate": "1 Gbps", "delay": "0.5 ms"}}
        tables: dict[str, Any] = {"profile": self.profile, "duration": f"{DURATION} s"}
        return ac.Scenario.from_dict({**tables, "dumbbell": network, "clients": clients})

    def _source(self) -> dict[str, Any]:
        whole = self.rate * 1e6 / 8 * DURATION
        if self.kind == "transfer":
            return {"kind": "greedy", "size": f"{round(0.4 * whole / 1000)} kB"}
        periods = {"kind": "exponential", "mean": "1500 ms"}
        if self.kind == "bursts":
            size = {"kind": "exponential", "mean": f"{round(0.05 * whole / 1000)} kB"}
            return {"kind": "transfers", "size": size, "think": periods}
        if self.kind == "trickle":
            return {"kind": "onoff", "rate": f"{round(5e5 * self.rate)} bps", "on": periods, "off": periods}
        return {"kind": "greedy"}


def networks(seed: int) -> Iterator[Truth]:
    """Yield the networks of a set."""
    draw = random.Random(seed)  # noqa: S311  # the same set again
    laws = ["reno", "cubic", "bbr"] * 7
    draw.shuffle(laws)
    for place, (kind, law) in enumerate(zip(KINDS, laws, strict=False)):
        rate = round(math.exp(draw.uniform(0, math.log(100))), 1)
        rtt = round(math.exp(draw.uniform(math.log(5), math.log(150))), 1)
        products = math.exp(draw.uniform(math.log(0.3), math.log(4)))
        yield Truth(
            name=f"own-{seed}-{place:02}-{kind}-{law}",
            law=law,
            profile=draw.choice(["rfc", "linux"]),
            kind=kind,
            rate=rate,
            rtt=rtt,
            buffer=max(4, round(products * rate * rtt / 12)),
            loss=draw.choice([0, 0, 0.001, 0.01]),
        )


def own(truth: Truth, folder: Path) -> Path:
    """Write a capture of ours, unless it exists."""
    file = folder / f"{truth.name}.pcapng"
    if not file.exists():
        ac.simulate(truth.scenario(), seed=1, capture=[TAP]).write_pcapng(TAP, file)
    return file


def traces(folder: Path, seed: int) -> list[Path]:
    """Return the kernel's traces of a set; no trace is in two sets."""
    eligible = [path for path in sorted(folder.glob("*.csv")) if _segments(path) >= LEAST_SEGMENTS]
    graded = random.Random(GRADED).sample(eligible, OF_EACH)  # noqa: S311  # the same set again
    if seed == GRADED:
        return graded
    others = [path for path in eligible if path not in graded]
    developed = random.Random(DEVELOPED).sample(others, OF_EACH)  # noqa: S311
    if seed == DEVELOPED:
        return developed
    rest = [path for path in others if path not in developed]
    return random.Random(seed).sample(rest, min(OF_EACH, len(rest)))  # noqa: S311


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _segments(path: Path) -> int:
    return sum(row["event"] in ("S", "X") for row in _rows(path))


def kernel(path: Path, folder: Path) -> Path:
    """Write a trace of the kernel as a capture at the sender, unless it exists."""
    file = folder / f"kernel-{path.stem}.pcap"
    if not file.exists():
        packets = sorted(_packets(_rows(path)), key=lambda packet: packet[0])
        ecn = 2 if "ecn" in path.stem else 0
        head = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
        file.write_bytes(head + b"".join(_record(*packet, ecn) for packet in packets))
    return file


def _packets(rows: list[dict[str, str]]) -> Iterator[tuple[int, bytes, int]]:
    """Yield the time, the headers and the payload of each packet."""
    for row in rows:
        time = round(float(row["t_ms"]) * 1e6)
        if row["event"] in ("SYN", "SYNACK"):
            back = row["event"] == "SYNACK"
            options = struct.pack(">BBHBBBB", 2, 4, 1460, 3, 3, _WINDOW_SCALE, 1) + b"\x04\x02\x01\x01\x00"
            yield time, _headers(0, 1 if back else 0, 0x12 if back else 0x02, options, back=back), 0
            if back:  # the traces leave out the sender's answer
                yield time + 10_000, _headers(1, 1, 0x10, b"", back=False), 0
        elif row["event"] in ("S", "X"):
            yield time, _headers(_byte(row["seg"]), 1, 0x10, b"", back=False), int(row["bytes"] or MSS)
        elif row["event"] == "A":
            blocks = [each.split("-") for each in row["sack_or_reason"].split()]
            edges = [(_byte(first), _byte(last) + MSS) for first, last in blocks]
            flags = 0x50 if row["ecn"] == "ECE" else 0x10
            window = int(float(row["snd_wnd"] or 0)) >> _WINDOW_SCALE
            yield time, _headers(1, _byte(row["seg"]), flags, _sack(edges), window or 65535, back=True), 0


def _byte(segment: str) -> int:
    return round((float(segment) - 1) * MSS) + 1


def _sack(edges: Sequence[tuple[int, int]]) -> bytes:
    edges = edges[:3]
    if not edges:
        return b""
    return struct.pack(">BBBB", 1, 1, 5, 2 + 8 * len(edges)) + b"".join(struct.pack(">II", *each) for each in edges)


def _headers(sequence: int, ack: int, flags: int, options: bytes, window: int = 65535, *, back: bool) -> bytes:
    if not flags & 0x02:
        options = b"\x01\x01\x08\x0a" + bytes(8) + options  # the kernel's timestamps, whose values are not known
    ports = (80, 40000) if back else (40000, 80)
    fields = (*ports, sequence, ack, (20 + len(options)) // 4 << 4, flags, min(window, 65535), 0, 0)
    return struct.pack(">HHIIBBHHH", *fields) + options


def _record(time: int, tcp: bytes, payload: int, ecn: int) -> bytes:
    back = tcp[:2] == struct.pack(">H", 80)
    addresses = (bytes([10, 0, 0, 2]), bytes([10, 0, 0, 1])) if back else (bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    size = 20 + len(tcp) + payload
    packet = (
        struct.pack(">BBHHHBBH", 0x45, ecn if payload else 0, size, 0, 0x4000, 64, 6, 0) + b"".join(addresses) + tcp
    )
    return struct.pack("<IIII", time // 10**9, time % 10**9, len(packet), size) + packet
