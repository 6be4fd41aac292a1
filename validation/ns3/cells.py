"""Cells: one network with its flows, simulated with ns-3 and with Ackclock."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import ackclock as ac
from ackclock.study import Batch, Point, Wanted
from ns3.rules import GOODPUT, JITTER_MS, SEEDS, WAITING, Tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock import Run

DATA: Final = Path(__file__).resolve().parent / "data" / "runs.csv"
SINGLE, SEVERAL, FAULTY = PARTS = ("Single flows", "Several flows", "Faulty PRR")

PACKET: Final = 1502
"""Size of a full packet on ns-3's point-to-point links, in bytes."""
PAYLOAD: Final = 1448
"""Data in a full packet, in bytes."""
_BDP_PACKET = 1500  # ns-3's buffers are multiples of the bandwidth-delay product in packets of this size

_NAMES = {"TcpCubic": "CUBIC", "TcpLinuxReno": "Reno", "TcpDctcp": "DCTCP", "TcpBbr": "BBR"}
_QUEUES = {"fifo": "drop-tail", "codel": "CoDel", "fqcodel": "FQ-CoDel", "pie": "PIE", "step": "step"}
_PRR = {"classic": "off", "prr": "rfc6937"}

_COMMON: Final[Mapping[str, Any]] = {
    "kind": "tcp",
    "max_window": 11_586,  # 16 MiB
    "byte_counting": 1000,  # ns-3 counts every acknowledged segment
    "whole_growth": True,
    "decrease_from": "window",
}
SENDERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "TcpLinuxReno": {"variant": "reno", "recovery": "sack", "grow_on_exit": True},
    "TcpCubic": {"variant": "cubic", "rules": "linux", "grow_on_exit": True, "tail_loss_probe": False},
    "TcpDctcp": {"variant": "dctcp", "tail_loss_probe": False},
    "TcpBbr": {"variant": "bbr", "tail_loss_probe": False},
}
"""Variant, and options that differ from the profile `rfc`, by ns-3's name of the congestion control."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A network, with ns-3's runs of it, the longest first."""

    rows: Sequence[Mapping[str, str]]

    @property
    def types(self) -> list[str]:
        """ns-3's names of the flows' congestion controls."""
        return self._first["types"].split("+")

    @property
    def part(self) -> str:
        """The part of the page; rows with a window law that ns-3's faulty PRR reduces twice are a part of their own."""
        if self._first["recovery"] == "prr" and {"TcpCubic", "TcpLinuxReno"} & set(self.types):
            return FAULTY
        return SINGLE if len(self.types) == 1 else SEVERAL

    @property
    def name(self) -> str:
        """The flows and the network."""
        count: dict[str, int] = defaultdict(int)
        for kind in self.types:
            count[_NAMES[kind]] += 1
        flows = " and ".join(name if number == 1 else f"{number} {name}" for name, number in count.items())
        step = f" K = {self._first['step_k']}" if self._first["queue"] == "step" else ""
        ecn = " with ECN" if self._ecn else ""
        queue = f"{_QUEUES[self._first['queue']]}{step}{ecn}"
        return f"{flows}, {queue}, {self.rate:g} Mb/s, {self._rtt:g} ms, {self.buffer} packets"

    @property
    def rate(self) -> float:
        """Rate of the bottleneck, in Mb/s."""
        return float(self._first["mbps"])

    @property
    def buffer(self) -> int:
        """Buffer of the queue discipline, in packets."""
        return int(self._first["buffer_packets"])

    @property
    def delay_is_judged(self) -> bool:
        """Whether the queueing delay counts: not with BBR, whose ns-3 version keeps a queue that Linux's does not."""
        return "TcpBbr" not in self.types

    @property
    def scenario(self) -> ac.Scenario:
        """The same network in Ackclock."""
        delay = f"{self._rtt / 4:g} ms"
        first = self._first
        return ac.Scenario.from_dict(
            {
                "duration": f"{first['duration_s']} s",
                "packet_size": PACKET,
                "measure": {"from": f"{first['measured_from_s']} s"},
                "dumbbell": {
                    "bottleneck": {"rate": f"{self.rate:g} Mbps", "delay": delay, "queue": self._queue()},
                    "access": {"rate": "1 Gbps", "delay": delay},
                },
                "clients": [
                    {
                        "start": f"{100 * place} ms",
                        "spread": f"{JITTER_MS} ms",
                        "transport": self._transport(kind),
                        "source": {"kind": "greedy"},
                    }
                    for place, kind in enumerate(self.types)
                ],
            }
        )

    def theirs(self, tolerance: Tolerance) -> list[float]:
        """Return ns-3's value of a measure, for each of its runs."""
        if tolerance is WAITING:
            return [float(row["sojourn_mean_ms"]) for row in self.rows]
        return [sum(_by_flow(row)) for row in self.rows]

    @property
    def their_share(self) -> float | None:
        """Share of the first kind of flow in ns-3's longest run, if there are two kinds."""
        return _share(_by_flow(self._first), self.types)

    @property
    def _first(self) -> Mapping[str, str]:
        return self.rows[0]

    @property
    def _rtt(self) -> float:
        return float(self._first["rtt_ms"])

    @property
    def _ecn(self) -> bool:
        return self._first["ecn"] == "1"

    def _transport(self, kind: str) -> dict[str, Any]:
        options = {**_COMMON, **SENDERS[kind], "prr": _PRR[self._first["recovery"]]}
        if kind == "TcpCubic":
            bdp = self.rate * 1e3 * self._rtt / (8 * _BDP_PACKET)
            # ns-3's HyStart waits until the round-trip time has doubled
            options["slow_start"] = "hystart" if self.buffer > bdp + 1 else "standard"
        if kind in ("TcpCubic", "TcpLinuxReno") and self._ecn:
            options["ecn"] = "classic"
        return options

    def _queue(self) -> dict[str, Any]:
        """Return the queue: ns-3's discipline, and the packet that waits in the device behind it."""
        kind, packet_ms = self._first["queue"], 8 * PACKET / (self.rate * 1e3)
        queue: dict[str, Any] = {"packets": self.buffer + 1, "count_in_service": False}
        if kind == "fifo":
            return {"kind": "droptail", **queue}
        if kind == "step":
            return {"kind": "droptail", "mark_above": int(self._first["step_k"]) + 1, **queue}
        if kind == "pie":
            return {
                "kind": "pie",
                "delay_from": "timestamps",
                "target": f"{15 + packet_ms:.4f} ms",
                "mtu": 3 * PACKET // 2,
                **queue,
            }
        codel = {"target": f"{5 + packet_ms:.4f} ms", "mtu": PACKET, "ecn": self._ecn, **queue}
        return {"kind": "codel", **codel} if kind == "codel" else {"kind": "fq_codel", "quantum": PACKET, **codel}


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """The numbers of one of our runs: goodput by flow in Mb/s, and the mean queueing delay in ms."""

    goodput: Sequence[float]
    waiting: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """A cell, and our runs of it."""

    cell: Cell
    runs: Sequence[Taken]

    def ours(self, tolerance: Tolerance) -> list[float]:
        """Return our value of a measure, for each run."""
        return [run.waiting if tolerance is WAITING else sum(run.goodput) for run in self.runs]

    def agrees(self, tolerance: Tolerance) -> bool:
        """Whether a measure agrees."""
        return tolerance.agrees(self.ours(tolerance), self.cell.theirs(tolerance))

    @property
    def judged(self) -> list[Tolerance]:
        """The measures that count."""
        return [GOODPUT, WAITING] if self.cell.delay_is_judged else [GOODPUT]

    @property
    def our_share(self) -> float | None:
        """Mean share of the first kind of flow, if there are two kinds."""
        shares = [_share(run.goodput, self.cell.types) for run in self.runs]
        return fmean(share for share in shares if share is not None) if None not in shares else None


def cells(rows: Iterable[Mapping[str, str]] | None = None) -> list[Cell]:
    """Return all cells; ns-3's runs of one network with one recovery are one cell."""
    found = defaultdict(list)
    for row in _read() if rows is None else rows:
        network = tuple(
            row[key] for key in ("types", "queue", "ecn", "mbps", "rtt_ms", "buffer_packets", "step_k", "recovery")
        )
        found[network].append(row)
    made = [Cell(rows=sorted(group, key=lambda row: -float(row["duration_s"]))) for group in found.values()]
    return sorted(made, key=lambda cell: PARTS.index(cell.part))


def compare(asked: Sequence[Cell], *, jobs: int | None = None) -> list[Compared]:
    """Simulate all cells with all seeds."""
    batch = Batch()
    made = [
        batch.add(
            Wanted(
                points=[Point(name=cell.name, scenario=cell.scenario, work=cell.rate)],
                seeds=SEEDS,
                take=_Take(cell.rate, float(cell.rows[0]["measured_from_s"])),
                record=["queue@bottleneck/1ms"],
                make=lambda runs: [run.value for run in runs],
            )
        )
        for cell in asked
    ]
    batch.run(jobs=jobs, label="cells")
    return [Compared(cell=cell, runs=give()) for cell, give in zip(asked, made, strict=True)]


@dataclass(frozen=True, slots=True)
class _Take:
    """Computes the numbers of a run."""

    rate: float
    start: float

    def __call__(self, run: Run) -> Taken:
        """Take the mean wait in ns-3's queue discipline: the queue without the packet in the device (Little's law)."""
        table = run.table("queue")
        measured = table["time"].to_numpy() >= self.start
        waiting = np.maximum(table["packets"].to_numpy()[measured] - 1.0, 0.0).mean()
        departures_per_ms = self.rate * 1e3 / (8 * PACKET) * run.summary.utilization
        return Taken(
            goodput=[group.goodput_bps / 1e6 * PAYLOAD / PACKET for group in run.summary.groups],
            waiting=float(waiting / departures_per_ms),
        )


def _read() -> list[dict[str, str]]:
    with DATA.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _by_flow(row: Mapping[str, str]) -> list[float]:
    return [float(value) for value in row["goodput_mbps_by_flow"].split("+")]


def _share(goodput: Sequence[float], types: Sequence[str]) -> float | None:
    if len(set(types)) == 1:
        return None
    return sum(value for value, kind in zip(goodput, types, strict=True) if kind == types[0]) / sum(goodput)
