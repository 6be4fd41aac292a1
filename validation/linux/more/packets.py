"""Packets at the bottleneck and windows of senders, from the records of a run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock import Run

_FLOOR_S = 0.2  # the kernel adds at least this to srtt for its RTO
_ROUNDING = 0.15  # of a doubling: the variation of the round-trip time also makes the RTO longer


@dataclass(frozen=True, kw_only=True, slots=True)
class Packets:
    """Data packets in the order in which they arrived at the bottleneck.

    Parameters
    ----------
    times, flows, segments
        Time of the arrival in s, number of the flow, and number of the segment within the flow.
    lost
        Whether the queue dropped the packet.
    waits
        Time from the arrival to the end of the wait, in ms; NaN if the packet has not left the queue.
    delivered
        Time at which the packet reached the other end of the link, in s; NaN if it did not.
    """

    times: NDArray[np.float64]
    flows: NDArray[np.int64]
    segments: NDArray[np.int64]
    lost: NDArray[np.bool_]
    waits: NDArray[np.float64]
    delivered: NDArray[np.float64]

    @classmethod
    def of(cls, run: Run) -> Packets:
        """Read the record `packets` of a bottleneck that is first in, first out."""
        table = run.table("packets")
        table = table.filter(pc.equal(table["kind"].cast("string"), "data"))
        events = table["event"].cast("string")
        accepted, departed, received, dropped = (
            table.filter(pc.equal(events, event)) for event in ("enqueue", "dequeue", "receive", "drop")
        )
        enqueued = accepted["time"].to_numpy()
        waits, delivered = np.full((2, accepted.num_rows + dropped.num_rows), np.nan)
        waits[: departed.num_rows] = (departed["time"].to_numpy() - enqueued[: departed.num_rows]) * 1e3
        delivered[: received.num_rows] = received["time"].to_numpy()
        times = np.concatenate([enqueued, dropped["time"].to_numpy()])
        numbers = [
            np.concatenate([each[name].to_numpy() for each in (accepted, dropped)]) for name in ("flow", "segment")
        ]
        flows, segments = (column.astype(np.int64) for column in numbers)
        lost = np.arange(len(times)) >= accepted.num_rows
        found = cls(times=times, flows=flows, segments=segments, lost=lost, waits=waits, delivered=delivered)
        return found.select(np.argsort(times, kind="stable"))

    def select(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Packets:
        """Return some of the packets, by a mask or by their places."""
        return Packets(
            times=self.times[which],
            flows=self.flows[which],
            segments=self.segments[which],
            lost=self.lost[which],
            waits=self.waits[which],
            delivered=self.delivered[which],
        )

    def of_flow(self, flow: int) -> Packets:
        """Return the packets of one flow."""
        return self.select(self.flows == flow)

    def between(self, begin: float, end: float = np.inf) -> Packets:
        """Return the packets that arrived from `begin` to `end`, in s."""
        return self.select((self.times >= begin) & (self.times < end))

    def first_deliveries(self) -> Packets:
        """Return the first delivered transmission of each segment, ordered by flow and segment."""
        return self.select(~np.isnan(self.delivered)).first_transmissions()

    def first_transmissions(self) -> Packets:
        """Return the first transmission of each segment, ordered by flow and segment."""
        return self.select(np.unique(self.flows << 40 | self.segments, return_index=True)[1])


@dataclass(frozen=True, kw_only=True, slots=True)
class Windows:
    """A sender's state over time: the window and the threshold in segments, and the doublings of its RTO."""

    times: NDArray[np.float64]
    cwnd: NDArray[np.float64]
    ssthresh: NDArray[np.float64]
    doublings: NDArray[np.int64]

    @classmethod
    def by_flow(cls, run: Run) -> list[Windows]:
        """Read the record `windows`: one result per flow."""
        table = run.table("windows").sort_by([("flow", "ascending"), ("time", "ascending")])
        flows, times, cwnd, ssthresh, srtt, rto = (
            table[name].to_numpy() for name in ("flow", "time", "cwnd", "ssthresh", "srtt", "rto")
        )
        srtt = srtt.astype(np.float64)
        counts = doublings(srtt, rto)
        ends = np.searchsorted(flows, np.arange(flows[-1] + 2))
        return [
            cls(
                times=times[begin:end],
                cwnd=np.floor(cwnd[begin:end]),  # the kernel counts whole segments
                ssthresh=ssthresh[begin:end],
                doublings=counts[begin:end],
            )
            for begin, end in pairwise(ends)
        ]

    def place(self, time: float) -> int:
        """Return the place of the last state at or before a time, or of the first one."""
        return max(int(np.searchsorted(self.times, time, side="right")) - 1, 0)


def doublings(srtt: NDArray[np.float64], rto: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how often an RTO has been doubled, from its ratio to the RTO of a constant round-trip time.

    Before the first sample, which `srtt` shows by NaN, the RTO is 1 s.
    """
    single = np.where(np.isnan(srtt), 1.0, srtt + _FLOOR_S)
    counts: NDArray[np.int64] = np.floor(np.log2(np.maximum(rto / single, 1.0)) + _ROUNDING).astype(np.int64)
    return counts
