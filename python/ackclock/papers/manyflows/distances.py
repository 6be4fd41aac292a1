"""Section 5.3: groups of connections at unequal distances, and what each gets of the bottleneck they share.

A row has these values: of each group, in order, its mean round-trip time ``rtt`` in seconds, the way through an empty
network and the mean wait of all, and the mean ``goodput`` of a connection in packets per second; ``rtt_ratio`` of the
last group to the first and ``goodput_ratio`` of the first to the last. ``flows`` is the goodput of each connection,
group after group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.manyflows import ns2
from ackclock.papers.manyflows.experiment import PACKET_SIZE, T1, bias_setting, scenario, work
from ackclock.papers.manyflows.padhye import mean_round_trips
from ackclock.papers.manyflows.places import WITH, WITHOUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Row, Scalar
    from ackclock.papers.core.parts import Taken
    from ackclock.running.run import Run
    from ackclock.scenario import Scenario

    Reals = NDArray[np.float64]
    Cell = tuple[Mapping[str, Scalar], "Case"]

OVERHEADS = {WITH: T1.service, WITHOUT: 0.0}
"""Longest processing times in seconds: one transmission, as the paper has it, and none."""

GROUPS = (1, 2, 5, 10, 25)
"""Connections of each of two groups, to see from which size on their shares can be predicted."""

NEARLY = tuple(round(4 * (1 + step / 100), 3) for step in range(-4, 5))
"""Propagation delays of the farther group, in those of the nearer one: nine that differ by 1 %."""

UNEQUAL = ((5, 45), (10, 40), (25, 25), (40, 10), (45, 5))
"""Near and far connections, where there are not as many of both."""

SEVERAL = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Propagation delays of five groups, in those of the nearest."""

_BUFFER, _SPAN = 160, (150, 600)

_DRAWN = (200, 260)
"""Seconds that Figure 24 shows."""

_LEAST = 1 / (_SPAN[1] - _SPAN[0])
"""Packets per second of a connection that gets a single one through: less cannot be distinguished from nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """Groups over a T1 link.

    Each has a number of connections, and a propagation delay there and back as a ratio to the first group's 102 ms.
    The buffer is in packets, the longest processing time and the measured span in seconds.
    """

    counts: tuple[int, ...]
    ratios: tuple[float, ...]
    buffer: int = _BUFFER
    overhead: float = T1.service
    span: tuple[int, int] = _SPAN

    @property
    def name(self) -> str:
        """What it is called."""
        groups = " and ".join(f"{count} at {ratio:g}" for count, ratio in zip(self.counts, self.ratios, strict=True))
        return f"{groups}, buffer {self.buffer}, {1000 * self.overhead:g} ms overhead"

    def scenario(self) -> Scenario:
        """Give the network."""
        equal = bias_setting(1, self.buffer, 1, overhead=self.overhead, span=self.span)
        near = 51
        access = tuple(f"{round(1000 * (ratio * near - equal.delay))} us" for ratio in self.ratios)
        made = scenario(replace(equal, access=access, flows=len(access)))
        groups = [
            group.model_copy(update={"count": count}) for group, count in zip(made.clients, self.counts, strict=True)
        ]
        return made.model_copy(update={"clients": tuple(groups)})


def figure23() -> list[Cell]:
    """Give the points at which ns-2 was run."""
    return [(row.where, case) for row, case in _read()]


def ns2_rows() -> list[Observed]:
    """Read what ns-2's groups got, one run a point: of goodput its ratio alone."""
    return [row for row, _ in _read()]


def split_name(counts: Sequence[int]) -> str:
    """Name two groups by their sizes."""
    return f"{counts[0]} near and {counts[1]} far"


CELLS: Mapping[str, list[Cell]] = {
    # two groups at nine distances that differ by 1 %
    "groups": [
        (
            {"processing": processing, "connections": size, "distance": ratio},
            Case(counts=(size, size), ratios=(1.0, ratio), overhead=overhead),
        )
        for processing, overhead in OVERHEADS.items()
        for size in GROUPS
        for ratio in NEARLY
    ],
    # the far one four times as far
    "unequal": [
        (
            {"processing": processing, "groups": split_name(counts)},
            Case(counts=counts, ratios=(1.0, 4.0), overhead=over),
        )
        for processing, over in OVERHEADS.items()
        for counts in UNEQUAL
    ],
    # ten connections at each distance
    "several": [
        ({"processing": processing}, Case(counts=(10,) * len(SEVERAL), ratios=SEVERAL, overhead=overhead))
        for processing, overhead in OVERHEADS.items()
    ],
}
"""Coordinates and groups of each point where ns-2 was not run, by the part."""


def distance_parts() -> list[Part]:
    """Give all runs at unequal distances; the courses of Figure 24 are of one seed."""
    near_and_far: Cell = ({"connections": 2}, Case(counts=(1, 1), ratios=(1.0, 2.0), buffer=60))
    return [
        *(
            Part(name=name, spots=_spots(cells), take=shares, work=work)
            for name, cells in {"figure23": figure23(), **CELLS}.items()
        ),
        Part(name="figure24", spots=_spots([near_and_far]), take=windows, record=("windows",), seeds=(1,), work=work),
    ]


def _spots(cells: Iterable[Cell]) -> list[Spot]:
    return [Spot(where=where, scenario=case.scenario()) for where, case in cells]


def _read() -> list[tuple[Observed, Case]]:
    measured = ns2.references("rtt_bias")
    found = []
    for row, reference in zip(ns2.rows("round_trips"), measured, strict=True):
        setting, ratio = reference.setting, reference.run.values["goodput_ratio"]
        group = int(row["group"])
        case = Case(
            counts=(group, group),
            ratios=(1.0, float(row["ratio"])),
            buffer=int(row["buffer"]),
            overhead=float(row["overhead_ms"]) / 1000,
            span=(setting.warm, setting.duration),
        )
        if (setting.flows, setting.buffer, setting.overhead) != (2 * group, case.buffer, case.overhead):
            raise ValueError("round_trips.csv: must have the rows of rtt_bias.csv, in their order")
        where: Mapping[str, Scalar] = {
            "processing": WITH if case.overhead else WITHOUT,
            "buffer": case.buffer,
            "connections": group,
            "distance": case.ratios[1],
        }
        rtt_ratio = float(row["round_trip_far"]) / float(row["round_trip_near"])
        values = {"rtt_ratio": rtt_ratio, "goodput_ratio": ratio}
        found.append((Observed(where=where, seed=reference.run.seed, values=values), case))
    return found


def shares(run: Run) -> Taken:
    """Take what the groups of a run got, as the module says."""
    flows = run.table("flows")["goodput_bps"].to_numpy() / (8 * PACKET_SIZE)
    ends = np.cumsum([group.count for group in run.scenario.groups])[:-1]
    rtt, goodput = (
        np.array([group.mean() for group in np.split(each, ends)]) for each in (mean_round_trips(run), flows)
    )
    return values_of(rtt, goodput, flows)


def values_of(rtt: Reals, goodput: Reals, flows: Reals) -> Taken:
    """Give the values of a row."""
    return {
        "rtt": rtt,
        "goodput": goodput,
        "rtt_ratio": rtt[-1] / rtt[0],
        "goodput_ratio": goodput[0] / goodput[-1],
        "flows": flows,
    }


def windows(run: Run) -> Taken:
    """Take time and window of the near and of the far connection over the seconds that Figure 24 shows."""
    table = run.table("windows")
    time, flow, cwnd = (table[name].to_numpy() for name in ("time", "flow", "cwnd"))
    late = {name: (flow == one) & (time >= _DRAWN[0]) & (time <= _DRAWN[1]) for one, name in enumerate(("near", "far"))}
    return {
        f"{name} {what}": column[chosen]
        for name, chosen in late.items()
        for what, column in (("time", time), ("cwnd", cwnd))
    }


def spread(rows: Sequence[Row]) -> float:
    """Give the standard deviation of the ratio of two groups' goodput, in powers of two."""
    return float(np.std([np.log2(row.values["goodput_ratio"] or np.nan) for row in rows], ddof=1))


def pair_spread(rows: Sequence[Row]) -> float:
    """Give the same of the ratio of single connections, one of each of two equal groups."""
    pairs = []
    for row in rows:
        near, far = np.split(np.asarray(row.values["flows"]), 2)
        pairs.append(np.log2(np.maximum(near, _LEAST) / np.maximum(far, _LEAST)))
    return float(np.std(np.concatenate(pairs), ddof=1))
