"""Section 5.3: groups of connections at unequal distances, and what each gets of the bottleneck they share."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import student_interval
from ackclock.analysis.models import rtt_bias_band
from ackclock.papers.manyflows import ns2
from ackclock.papers.manyflows.experiment import PACKET_SIZE, T1, bias_setting, scenario
from ackclock.papers.manyflows.padhye import mean_round_trips
from ackclock.papers.observation import cells_wanted
from ackclock.papers.reading import high, low
from ackclock.study import Point, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from ackclock.analysis import Interval
    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study import Batch, Replication

    Reals = NDArray[np.float64]

__all__ = [
    "GROUPS",
    "NEARLY",
    "OVERHEADS",
    "SEVERAL",
    "UNEQUAL",
    "Case",
    "Course",
    "Distances",
    "Share",
    "Spot",
    "exponents_of",
    "figure23",
    "gather_distances",
    "ns2_shares",
    "pair_spread",
    "spots",
    "spread",
]

OVERHEADS = (T1.service, 0.0)
"""Longest processing times in seconds: one transmission, as the paper has it, and none."""

GROUPS = (1, 2, 5, 10, 25)
"""Connections of each of two groups, to see from which size on their shares can be told."""

NEARLY = tuple(round(4 * (1 + step / 100), 3) for step in range(-4, 5))
"""Propagation delays of the farther group, in those of the nearer one: nine that nobody would tell apart."""

UNEQUAL = ((5, 45), (10, 40), (25, 25), (40, 10), (45, 5))
"""Near and far connections, where there are not as many of both."""

SEVERAL = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Propagation delays of five groups, in those of the nearest."""

_BUFFER, _SPAN = 160, (150, 600)

_DRAWN = (200, 260)
"""Seconds that Figure 24 shows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """Groups over a T1 link.

    Parameters
    ----------
    counts
        Connections of each group.
    ratios
        Its propagation delay there and back in that of the first group, 102 ms.
    buffer
        Packets that the gateway has room for.
    overhead
        Longest processing time, in seconds.
    span
        From when to when it is measured, in seconds.

    """

    counts: tuple[int, ...]
    ratios: tuple[float, ...]
    buffer: int = _BUFFER
    overhead: float = T1.service
    span: tuple[int, int] = _SPAN

    @property
    def name(self) -> str:
        """What people call it."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """What the groups of one run got.

    Parameters
    ----------
    case
        Who they are.
    seed
        Of the run.
    rtt
        Mean round-trip time of each group, in seconds: its way through an empty network, and the mean wait of all.
    goodput
        Mean goodput of a connection of each group, in packets per second.
    flows
        The same of each connection, group after group; none of ns-2.

    """

    case: Case
    seed: int
    rtt: tuple[float, ...]
    goodput: tuple[float, ...]
    flows: Reals

    @property
    def rtt_ratio(self) -> float:
        """Round trip of the last group in that of the first one."""
        return self.rtt[-1] / self.rtt[0]

    @property
    def ratio(self) -> float:
        """Goodput of a connection of the first group over that of one of the last."""
        return self.goodput[0] / self.goodput[-1]

    @property
    def exponent(self) -> float:
        """The power of the round-trip time that goodput falls with: by least squares, of the groups' logarithms."""
        return -float(np.polyfit(np.log(self.rtt), np.log(self.goodput), 1)[0])

    def pairs(self) -> Reals:
        """Give the goodput of each connection of the first of two groups over that of one of the second."""
        near, far = np.split(self.flows, [self.case.counts[0]])
        return np.maximum(near, _LEAST) / np.maximum(far, _LEAST)


_LEAST = 1 / (_SPAN[1] - _SPAN[0])
"""Packets per second of a connection that gets a single one through: less can not be told from nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """Windows of two connections, as Figure 24 has them.

    Parameters
    ----------
    time, cwnd
        Of the near one and of the far one: seconds, and packets.

    """

    time: tuple[Reals, Reals]
    cwnd: tuple[Reals, Reals]


@dataclass(frozen=True, kw_only=True, slots=True)
class Distances:
    """All runs at unequal distances.

    Parameters
    ----------
    figure23
        Where ns-2 was run.
    groups
        Groups of `GROUPS` connections each at the distances `NEARLY`.
    unequal
        Groups of `UNEQUAL` sizes, the far one four times as far.
    several
        Ten connections at each distance of `SEVERAL`.
    course
        Two windows.

    """

    figure23: Sequence[Share]
    groups: Sequence[Share]
    unequal: Sequence[Share]
    several: Sequence[Share]
    course: Course


def figure23() -> list[Case]:
    """Give the places at which ns-2 was run."""
    return [share.case for share in ns2_shares()]


def ns2_shares() -> list[Share]:
    """Read what ns-2's groups got, one run a place; of goodput its ratio alone is known."""
    text = files("ackclock.papers.manyflows").joinpath("data", "round_trips.csv").read_text(encoding="utf-8")
    measured = ns2.references("rtt_bias")
    found = []
    for row, reference in zip(csv.DictReader(text.splitlines()), measured, strict=True):
        setting, ratio = reference.setting, reference.run.values["goodput_ratio"]
        group = int(row["group"])
        case = Case(
            counts=(group, group),
            ratios=(1.0, float(row["ratio"])),
            buffer=int(row["buffer"]),
            overhead=float(row["overhead_ms"]) / 1000,
            span=(setting.warm, setting.duration),
        )
        if (setting.flows, setting.buffer, setting.overhead) != (
            2 * group,
            case.buffer,
            case.overhead,
        ) or ratio is None:
            raise ValueError("round_trips.csv: must have the rows of rtt_bias.csv, in their order")
        found.append(
            Share(
                case=case,
                seed=reference.run.seed,
                rtt=(float(row["round_trip_near"]), float(row["round_trip_far"])),
                goodput=(ratio, 1.0),
                flows=np.empty(0),
            )
        )
    return found


def gather_distances(batch: Batch, *, seeds: Sequence[int]) -> Callable[[], Distances]:
    """Ask for all runs at unequal distances.

    Parameters
    ----------
    batch
        Where to ask.
    seeds
        The seeds of the runs; Figure 24 has the first.

    Returns
    -------
    Callable
        Gives them once the batch has run.

    """
    pairs = [
        Case(counts=(group, group), ratios=(1.0, ratio), overhead=overhead)
        for overhead in OVERHEADS
        for group in GROUPS
        for ratio in NEARLY
    ]
    unequal = [
        Case(counts=counts, ratios=(1.0, 4.0), overhead=overhead) for overhead in OVERHEADS for counts in UNEQUAL
    ]
    several = [Case(counts=(10,) * len(SEVERAL), ratios=SEVERAL, overhead=overhead) for overhead in OVERHEADS]
    parts = [batch.add(_shares_wanted(cases, seeds=seeds)) for cases in (figure23(), pairs, unequal, several)]
    course = batch.add(_course_wanted(seeds[0]))

    def made() -> Distances:
        places, groups, sizes, distances = (part() for part in parts)
        return Distances(figure23=places, groups=groups, unequal=sizes, several=distances, course=course())

    return made


def _shares_wanted(cases: Sequence[Case], *, seeds: Iterable[int]) -> Wanted[tuple[Reals, Reals], list[Share]]:
    def make(ran: list[tuple[Case, list[Replication[tuple[Reals, Reals]]]]]) -> list[Share]:
        return [_share(case, run.seed, *run.value) for case, runs in ran for run in runs]

    return cells_wanted(cases, point=_point, seeds=seeds, take=_take, make=make)


def _point(case: Case) -> Point:
    return Point(name=case.name, scenario=case.scenario(), work=case.span[1] * T1.bps)


def _take(run: Run) -> tuple[Reals, Reals]:
    """Give the mean round-trip time in seconds and the goodput in packets per second of each flow."""
    return mean_round_trips(run), run.table("flows")["goodput_bps"].to_numpy() / (8 * PACKET_SIZE)


def _share(case: Case, seed: int, rtt: Reals, goodput: Reals) -> Share:
    ends = np.cumsum(case.counts)[:-1]
    return Share(
        case=case,
        seed=seed,
        rtt=tuple(float(group.mean()) for group in np.split(rtt, ends)),
        goodput=tuple(float(group.mean()) for group in np.split(goodput, ends)),
        flows=goodput,
    )


def _course_wanted(seed: int) -> Wanted[Course, Course]:
    case = Case(counts=(1, 1), ratios=(1.0, 2.0), buffer=60)

    def take(run: Run) -> Course:
        table = run.table("windows")
        time, flow, cwnd = (table[name].to_numpy() for name in ("time", "flow", "cwnd"))
        late = [(flow == one) & (time >= _DRAWN[0]) & (time <= _DRAWN[1]) for one in range(2)]
        return Course(time=(time[late[0]], time[late[1]]), cwnd=(cwnd[late[0]], cwnd[late[1]]))

    return Wanted(points=[_point(case)], seeds=[seed], take=take, record=["windows"], make=lambda ran: ran[0].value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A point of Figure 23: the means over the seeds of a place.

    Parameters
    ----------
    case
        The groups.
    rtt_ratio
        Round trip of the far group in that of the near one.
    ratio
        Goodput of the near group over that of the far one.

    """

    case: Case
    rtt_ratio: float
    ratio: Interval

    @property
    def inside(self) -> bool:
        """Whether the ratio lies within the paper's band, or no further off than chance may put it."""
        band = rtt_bias_band(rtt_1=1.0, rtt_2=self.rtt_ratio)
        return low(self.ratio) <= float(band.high) and high(self.ratio) >= float(band.low)


def spots(shares: Iterable[Share]) -> list[Spot]:
    """Average over the seeds of each place, in the order in which places appear."""
    places: dict[Case, list[Share]] = {}
    for share in shares:
        places.setdefault(share.case, []).append(share)
    return [
        Spot(
            case=case,
            rtt_ratio=float(np.mean([share.rtt_ratio for share in some])),
            ratio=student_interval([share.ratio for share in some]),
        )
        for case, some in places.items()
    ]


def exponents_of(shares: Iterable[Share]) -> dict[tuple[float, tuple[int, ...]], Interval]:
    """Average the powers over the seeds, by the longest processing time and the numbers of connections."""
    found: dict[tuple[float, tuple[int, ...]], list[float]] = {}
    for share in shares:
        found.setdefault((share.case.overhead, share.case.counts), []).append(share.exponent)
    return {place: student_interval(sample) for place, sample in found.items()}


def spread(shares: Iterable[Share]) -> float:
    """Give the standard deviation of the ratio of two groups' goodput, in powers of two."""
    return float(np.std([np.log2(share.ratio) for share in shares], ddof=1))


def pair_spread(shares: Iterable[Share]) -> float:
    """Give the same of the ratio of single connections, one of each group."""
    return float(np.std(np.concatenate([np.log2(share.pairs()) for share in shares]), ddof=1))
