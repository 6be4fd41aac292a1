"""Cells: two flows through one bottleneck, on the testbed and in Ackclock."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import ackclock as ac
from ackclock.study import Batch, Point, Wanted
from l4s.rules import SEEDS, SPREAD_MS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock import Run

DATA: Final = Path(__file__).resolve().parent / "data"

NAMES: Final = {"cubic": "CUBIC", "prague": "Prague", "reno": "Reno"}
QUEUES: Final = {"dualpi2": "DualPI2", "droptail": "FIFO", "fq_codel": "FQ-CoDel"}

_SHARED: Final[Mapping[str, Mapping[str, Any]]] = {
    "dualpi2": {"kind": "dualpi2", "min_qlen_step": 2},  # the rule of 2020
    "fq_codel": {"kind": "fq_codel", "ecn": True},
}
_FIFO: Final = {10: 200, 50: 1000}
_RED: Final = {"kind": "red", "ecn": True, "adaptive": True, "gentle": False, "max_p": 0.02, "unit": "bytes"}
_SINGLE: Final[Mapping[str, Mapping[str, Any]]] = {
    "fq_codel(1q)": {"kind": "codel", "ecn": True},
    "fq_codel(1q,1ms/20ms)": {"kind": "codel", "ecn": True, "target": "1 ms", "interval": "20 ms"},
    "pie": {"kind": "pie", "ecn": True},
    "pie(100p/5ms)": {"kind": "pie", "ecn": True, "packets": 100, "target": "5 ms", "update": "32 ms"},
    # thresholds and weights that tc derives from the limit
    "red(150000b)": {**_RED, "bytes": 150_000, "min_th": 12_500 / 1500, "max_th": 37_500 / 1500, "w_q": 1 / 16},
    "red(400000b)": {**_RED, "bytes": 400_000, "min_th": 33_333 / 1500, "max_th": 100_000 / 1500, "w_q": 1 / 32},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Flow:
    """A flow of the testbed: its congestion control, round-trip time, and whether it has ECN."""

    law: str
    rtt_ms: float
    ecn: bool = True

    @property
    def client(self) -> dict[str, Any]:
        """The same flow in Ackclock. Prague of 2020 depends on its round-trip time."""
        options: dict[str, Any] = {"rtt_target": "0 s"} if self.law == "prague" else {"ecn": "classic"}
        if not self.ecn:
            options["ecn"] = "off"
        return {
            "spread": f"{SPREAD_MS} ms",
            "transport": {"kind": "tcp", "variant": self.law, **options},
            "source": {"kind": "greedy"},
            "access": {"rate": "10 Gbps", "delay": f"{self.rtt_ms / 2:g} ms"},
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell(ABC):
    """Two flows, and the rates that the testbed measured, in Mb/s."""

    mbps: int
    queue: str
    flows: tuple[Flow, Flow]
    kernel: tuple[float, float]

    @property
    @abstractmethod
    def discipline(self) -> Mapping[str, Any]:
        """The queue."""

    @property
    @abstractmethod
    def times_s(self) -> tuple[int, int]:
        """Start and end of the measured time, in s."""

    @property
    def scenario(self) -> ac.Scenario:
        """The same network in Ackclock."""
        rate, (start, end) = f"{self.mbps} Mbps", self.times_s
        return ac.Scenario.from_dict(
            {
                "profile": "linux",
                "duration": f"{end} s",
                "measure": {"from": f"{start} s"},
                "dumbbell": {
                    "bottleneck": {"rate": rate, "delay": "0 s", "queue": dict(self.discipline)},
                    "reverse": {"rate": rate, "delay": "0 s", "queue": dict(self.discipline)},
                    "access": {"rate": "10 Gbps", "delay": "0 s"},
                },
                "clients": [flow.client for flow in self.flows],
            }
        )


class Share(Cell):
    """Two flows with queues or marks of their own, or in a FIFO: the share of the first one."""

    @property
    def discipline(self) -> Mapping[str, Any]:
        """The queue."""
        return _SHARED.get(self.queue) or {"kind": self.queue, "packets": _FIFO[self.mbps]}

    @property
    def times_s(self) -> tuple[int, int]:
        """Start and end of the measured time, in s."""
        return (118, 178)


class Ratio(Cell):
    """Prague beside a classic flow in a queue with classic ECN: the ratio of their rates."""

    @property
    def discipline(self) -> Mapping[str, Any]:
        """The queue."""
        return _SINGLE[self.queue]

    @property
    def times_s(self) -> tuple[int, int]:
        """Start and end of the measured time, in s."""
        return (18, 58)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """A cell, and the rates of the two flows in our runs, in bit/s."""

    cell: Cell
    runs: Sequence[tuple[float, float]]

    @property
    def kernel_share(self) -> float:
        """Share of the first flow on the testbed."""
        first, second = self.cell.kernel
        return first / (first + second)

    @property
    def shares(self) -> list[float]:
        """Share of the first flow in each of our runs."""
        return [first / (first + second) for first, second in self.runs]

    @property
    def share(self) -> float:
        """Their mean."""
        return fmean(self.shares)


def shares() -> list[Share]:
    """Return the cells of `data/shares.csv`."""
    return [
        Share(
            mbps=int(row["mbps"]),
            queue=row["queue"],
            flows=(
                Flow(law=row["first"], rtt_ms=float(row["first_rtt_ms"])),
                Flow(law=row["second"], rtt_ms=float(row["second_rtt_ms"])),
            ),
            kernel=(float(row["first_mbps"]), float(row["second_mbps"])),
        )
        for row in _rows("shares.csv")
    ]


def ratios() -> list[Ratio]:
    """Return the cells of `data/ratios.csv`."""
    return [
        Ratio(
            mbps=50,
            queue=row["queue"],
            flows=(
                Flow(law="prague", rtt_ms=20),
                Flow(law=row["classic"], rtt_ms=20, ecn=row["ecn"] == "1"),
            ),
            kernel=(float(row["prague_mbps"]), float(row["classic_mbps"])),
        )
        for row in _rows("ratios.csv")
    ]


def compare(cells: Sequence[Cell], *, jobs: int | None = None) -> list[Compared]:
    """Simulate all cells."""
    batch = Batch()
    made = [
        batch.add(
            Wanted(
                points=[Point(name=str(place), scenario=cell.scenario)],
                seeds=SEEDS,
                take=_rates,
                make=lambda runs: [run.value for run in runs],
            )
        )
        for place, cell in enumerate(cells)
    ]
    batch.run(jobs=jobs, label="cells")
    return [Compared(cell=cell, runs=give()) for cell, give in zip(cells, made, strict=True)]


def _rates(run: Run) -> tuple[float, float]:
    first, second = run.groups
    return first.goodput_bps, second.goodput_bps


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
