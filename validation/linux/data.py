"""The kernel's measurements, read from `data/` (`data/README.md` describes them)."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

DATA: Final = Path(__file__).resolve().parent / "data"
DATA_ROWS: Final = ("S",)
"""Events of data segments that the bottleneck accepts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Timing:
    """Lateness in one run, in ms: median and 99th percentile of data packets, and the mean over a whole round trip."""

    p50: float
    p99: float
    late: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """Data segments in the order in which they arrived at the bottleneck.

    Parameters
    ----------
    times
        Times in ms.
    segments
        Numbers of the segments, counted from 1.
    acks
        Times at which ACKs reached the sender, in ms, ascending.
    """

    times: NDArray[np.float64]
    segments: NDArray[np.int64]
    acks: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def until(self, end: float) -> Sent:
        """Return the segments of the first `end` ms."""
        kept = self.times < self.times[0] + end
        return replace(self, times=self.times[kept], segments=self.segments[kept])

    def nth(self) -> NDArray[np.int64]:
        """Return how often each segment was sent up to and including each of its transmissions."""
        return occurrences(self.segments)


def occurrences(segments: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often each segment occurs up to and including each of its places."""
    seen: dict[int, int] = {}
    counts = np.empty(len(segments), dtype=np.int64)
    for place, segment in enumerate(segments.tolist()):
        counts[place] = seen[segment] = seen.get(segment, 0) + 1
    return counts


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """Packets of one connection of the kernel: a table as in `data/traces.parquet`."""

    name: str
    table: pa.Table

    @property
    def kernel(self) -> str:
        """The kernel's name of the congestion control."""
        return self.name.split("_", 1)[0]

    @property
    def script(self) -> str:
        """The name of the trace without the congestion control."""
        return self.name.split("_", 1)[1]

    @property
    def start(self) -> float:
        """Time of the SYN, in ms."""
        return float(self._times(["SYN"])[0])

    @property
    def sent(self) -> Sent:
        """The data segments, including lost ones."""
        rows = self._rows(["S", "X"])
        return Sent(
            times=rows["time_us"].to_numpy() / 1e3, segments=rows["segment"].to_numpy(), acks=self._times(["A"])
        )

    @property
    def acks(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The segments that ACKs expect next, and the congestion windows before these ACKs (NaN: not known)."""
        rows = self._rows(["A"])
        return rows["segment"].to_numpy(), rows["cwnd"].to_numpy().astype(float)

    @property
    def answers(self) -> NDArray[np.float64]:
        """How long after each ACK the next segment was sent, in ms; NaN if another ACK came first."""
        rows = self._rows(["A", "S", "X"])
        times = rows["time_us"].to_numpy() / 1e3
        is_ack = pc.equal(rows["event"].cast("string"), "A").to_numpy(zero_copy_only=False)
        waits = np.where(np.append(is_ack[1:], True), np.nan, np.append(np.diff(times), 0.0))
        found: NDArray[np.float64] = waits[is_ack]
        return found

    def lateness(self, events: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the times of events at the sender's side, and how late these packets were at the other end, in ms."""
        found = self._rows(events)
        found = found.filter(pc.is_valid(found["late_us"]))
        return found["time_us"].to_numpy() / 1e3, found["late_us"].to_numpy() / 1e3

    @property
    def windows(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times in ms, and congestion windows in segments, before each ACK."""
        rows = self._rows(["A"])
        rows = rows.filter(pc.is_valid(rows["cwnd"]))
        return rows["time_us"].to_numpy() / 1e3, rows["cwnd"].to_numpy().astype(float)

    def _rows(self, events: Sequence[str]) -> pa.Table:
        return self.table.filter(pc.is_in(self.table["event"].cast("string"), _strings(events)))

    def _times(self, events: Sequence[str]) -> NDArray[np.float64]:
        times: NDArray[np.float64] = self._rows(events)["time_us"].to_numpy() / 1e3
        return times


def _strings(words: Sequence[str]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  # the module needs it for types only

    return pa.array(words, pa.string())


def rows(name: str) -> list[dict[str, str]]:
    """Read one of the CSV files."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def traces() -> dict[str, Trace]:
    """Read all traces, by name."""
    table = pq.read_table(DATA / "traces.parquet")
    names = table["trace"].cast("string")
    return {
        name: Trace(name=name, table=table.filter(pc.equal(names, name))) for name in sorted(set(names.to_pylist()))
    }


@cache
def timings() -> dict[str, Timing]:
    """Read the lateness of every trace, also of traces that are not stored, by name."""
    return {
        row["trace"]: Timing(
            p50=float(row["p50_us"]) / 1e3, p99=float(row["p99_us"]) / 1e3, late=float(row["late_us"]) / 1e3
        )
        for row in rows("timing")
    }
