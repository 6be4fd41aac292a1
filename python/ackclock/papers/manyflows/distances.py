"""Section 5.3: groups of connections at unequal distances, and their shares of the bottleneck.

A row has these values. For each group, in order: ``rtt``, its round-trip time in the empty network plus the mean wait
of all packets, in seconds; and ``goodput``, the mean of a connection in packets per second. ``rtt_ratio`` is the ratio
of the last group to the first, ``goodput_ratio`` of the first to the last. ``flows`` is the goodput of each connection,
group by group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ackclock.papers.core.evidence import Row, Scalar
from ackclock.papers.core.parts import Part, Taken
from ackclock.papers.core.table import ns2_runs
from ackclock.papers.manyflows.experiment import PACKET_SIZE, T1, Setting, part
from ackclock.papers.manyflows.padhye import mean_round_trips
from ackclock.papers.manyflows.places import WITH, WITHOUT
from ackclock.running.run import Run

Reals = NDArray[np.float64]
Cell = tuple[Mapping[str, Scalar], "Case"]

OVERHEADS = {WITH: T1.service, WITHOUT: 0.0}  # longest processing time: one transmission, as in the paper, and 0
GROUPS = (1, 2, 5, 10, 25)  # connections in each of two equal groups
NEARLY = tuple(round(4 * (1 + step / 100), 3) for step in range(-4, 5))  # nine distance ratios around 4, 1 % apart
UNEQUAL = ((5, 45), (10, 40), (25, 25), (40, 10), (45, 5))  # numbers of near and far connections
SEVERAL = (1.0, 2.0, 4.0, 8.0, 16.0)  # propagation delays of five groups, relative to the nearest
_NEAR = 51  # one-way propagation delay of the nearest group in ms, 50 ms of it over the bottleneck
_SHORT = {(60, 10), (60, 25), (160, 10)}  # buffers and group sizes for which ns-2 was measured from 100 to 400 s
_DRAWN = (200, 260)  # seconds that Figure 24 shows
_LEAST = 1 / 450  # goodput of a connection that delivers a single packet, in packets per second


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """Groups of connections over a T1 link.

    `counts` has the connections of each group, `ratios` its round-trip propagation delay relative to 102 ms. The buffer
    is in packets; `overhead`, the longest processing time, and `span`, the measured interval, are in seconds.
    """

    counts: tuple[int, ...]
    ratios: tuple[float, ...]
    buffer: int = 160
    overhead: float = T1.service
    span: tuple[int, int] = (150, 600)

    @property
    def setting(self) -> Setting:
        return Setting(
            link=T1,
            flows=sum(self.counts),
            counts=self.counts,
            capacity=self.buffer + T1.pipe,
            overhead=self.overhead,
            access=tuple(f"{round(ratio * _NEAR - 50, 3):g} ms" for ratio in self.ratios),
            duration=self.span[1],
            warm=self.span[0],
            clock="10 ms",
            detuned=0 if self.overhead else T1.detuned,
        )


def figure23(where: Mapping[str, Scalar]) -> Case:
    """Return the groups at a point of Figure 23 that ns-2 ran."""
    group, buffer = int(where["connections"]), int(where["buffer"])
    return Case(
        counts=(group, group),
        ratios=(1.0, float(where["distance"])),
        buffer=buffer,
        overhead=OVERHEADS[str(where["processing"])],
        span=(100, 400) if (buffer, group) in _SHORT else (150, 600),
    )


def split_name(counts: Sequence[int]) -> str:
    return f"{counts[0]} near and {counts[1]} far"


CELLS: Mapping[str, list[Cell]] = {
    "figure23": [(row.where, figure23(row.where)) for row in ns2_runs("manyflows").part("figure23")],
    # two groups at nine distances: how predictable are their shares, by the size of the groups?
    "groups": [
        (
            {"processing": processing, "connections": size, "distance": ratio},
            Case(counts=(size, size), ratios=(1.0, ratio), overhead=overhead),
        )
        for processing, overhead in OVERHEADS.items()
        for size in GROUPS
        for ratio in NEARLY
    ],
    # two groups of unequal size, one four times as far away as the other
    "unequal": [
        (
            {"processing": processing, "groups": split_name(counts)},
            Case(counts=counts, ratios=(1.0, 4.0), overhead=over),
        )
        for processing, over in OVERHEADS.items()
        for counts in UNEQUAL
    ],
    # five groups of ten connections
    "several": [
        ({"processing": processing}, Case(counts=(10,) * len(SEVERAL), ratios=SEVERAL, overhead=overhead))
        for processing, overhead in OVERHEADS.items()
    ],
}


def distance_parts() -> list[Part]:
    """Return the parts with unequal distances; Figure 24 uses a single seed."""
    courses = [({"connections": 2}, Case(counts=(1, 1), ratios=(1.0, 2.0), buffer=60).setting)]
    return [
        *(part(name, [(where, case.setting) for where, case in cells], shares) for name, cells in CELLS.items()),
        replace(part("figure24", courses, windows, record=("windows",)), seeds=(1,)),
    ]


def shares(run: Run) -> Taken:
    """Return the values of a run that the module's docstring defines."""
    flows = run.table("flows")["goodput_bps"].to_numpy() / (8 * PACKET_SIZE)
    ends = np.cumsum([group.count for group in run.scenario.groups])[:-1]
    rtt, goodput = (
        np.array([group.mean() for group in np.split(each, ends)]) for each in (mean_round_trips(run), flows)
    )
    return values_of(rtt, goodput, flows)


def values_of(rtt: Reals, goodput: Reals, flows: Reals) -> Taken:
    return {
        "rtt": rtt,
        "goodput": goodput,
        "rtt_ratio": rtt[-1] / rtt[0],
        "goodput_ratio": goodput[0] / goodput[-1],
        "flows": flows,
    }


def windows(run: Run) -> Taken:
    """Return times and windows of the near and the far connection for the interval of Figure 24."""
    table = run.table("windows")
    time, flow, cwnd = (table[name].to_numpy() for name in ("time", "flow", "cwnd"))
    late = {name: (flow == one) & (time >= _DRAWN[0]) & (time <= _DRAWN[1]) for one, name in enumerate(("near", "far"))}
    return {
        f"{name} {what}": column[chosen]
        for name, chosen in late.items()
        for what, column in (("time", time), ("cwnd", cwnd))
    }


def spread(rows: Sequence[Row]) -> float:
    """Compute the standard deviation of the log2 of the goodput ratio of two groups."""
    return float(np.std([np.log2(row.values["goodput_ratio"] or np.nan) for row in rows], ddof=1))


def pair_spread(rows: Sequence[Row]) -> float:
    """Compute the standard deviation of the log2 of the goodput ratio of two connections, one of each group."""
    pairs = []
    for row in rows:
        near, far = np.split(np.asarray(row.values["flows"]), 2)
        pairs.append(np.log2(np.maximum(near, _LEAST) / np.maximum(far, _LEAST)))
    return float(np.std(np.concatenate(pairs), ddof=1))
