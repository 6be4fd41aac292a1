"""Tables 2 and 3: what each flow sends, beside what the formulas of Padhye et al. make of its losses and delays."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from ackclock.analysis.models import WithinFactors, pftk, within_factors
from ackclock.papers.manyflows import ns2
from ackclock.papers.manyflows.experiment import T1, scenario
from ackclock.papers.observation import cells_wanted
from ackclock.scenario.network import mean_rate
from ackclock.scenario.quantity import seconds
from ackclock.study import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from ackclock.papers.manyflows.experiment import Setting
    from ackclock.running.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study import Replication, Wanted

    Reals = NDArray[np.float64]

__all__ = [
    "FACTORS",
    "FEW",
    "MODELS",
    "PAPER",
    "RECORD",
    "TOPOLOGIES",
    "UNTIMED",
    "Flows",
    "Ns2Shares",
    "Padhye",
    "Place",
    "empty_round_trips",
    "flows_of",
    "grid",
    "mean_round_trips",
    "ns2_shares",
    "padhye_wanted",
    "point_of",
    "points_off",
    "predicted",
    "shares",
    "topology",
    "unbacked_timeouts",
]

Model = Literal["approximate", "full"]
Place = tuple[bool, int, Model]
"""Whether there are processing times, number of the topology in Table 1, and which formula."""

MODELS: tuple[Model, ...] = ("approximate", "full")
FACTORS = (1.5, 2.0, 3.0, 4.0)
"""Those of the tables."""
TOPOLOGIES = (1, 2, 3, 4)
"""ISDN with few and with many connections, T1 with few and with many."""
FEW = 100
"""The most connections of topologies 1 and 3."""

PAPER: Mapping[tuple[int, Model], tuple[float, ...]] = {
    (1, "approximate"): (21.04, 78.48, 98.83, 99.31),
    (2, "approximate"): (31.65, 58.70, 87.23, 94.29),
    (3, "approximate"): (69.02, 78.92, 88.66, 91.77),
    (4, "approximate"): (77.01, 91.51, 97.58, 98.61),
    (5, "approximate"): (58.60, 78.60, 90.90, 95.42),
    (1, "full"): (7.00, 70.87, 99.03, 99.54),
    (2, "full"): (36.11, 71.96, 95.56, 99.29),
    (3, "full"): (67.59, 79.55, 89.20, 91.86),
    (4, "full"): (39.25, 79.25, 92.75, 95.59),
    (5, "full"): (74.36, 89.31, 95.85, 97.56),
}
"""Per cent of the flows within each of `FACTORS`: the paper's Tables 2 and 3, by topology and formula."""

RECORD = ("drops", "windows")
"""What `flows_of` reads."""

_SAMPLES = 40
"""How often the timeout of each flow is looked at, as in the reference runs."""
UNTIMED = 6.0
"""Seconds that count as the timeout of a flow that has no round-trip time: the first one."""
_LONGEST = 64.0
"""Seconds that no timeout exceeds."""
_ACK = 40
"""Bytes of an ACK."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Flows:
    """What the flows of a run sent, and what the formulas take: one number a flow.

    Parameters
    ----------
    sent
        Packets sent per second, retransmissions among them.
    goodput
        Packets per second that arrived for the first time and in order.
    loss
        Drops over packets sent; between the two there is only the flow's own link.
    rtt
        Mean round-trip time in seconds: that of the run for all its flows.
    timeout
        Mean timeout without back-off, in seconds.

    """

    sent: Reals
    goodput: Reals
    loss: Reals
    rtt: Reals
    timeout: Reals

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which flows the formulas have an answer for: they lost something, and not everything."""
        return (self.loss > 0) & (self.loss < 1) & (self.sent > 0)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Flows:
        """Give some of the flows."""
        return Flows(**{name: getattr(self, name)[which] for name in self.__slots__})

    @classmethod
    def joined(cls, parts: Iterable[Flows]) -> Flows:
        """Put the flows of several runs together."""
        every = list(parts)
        return cls(**{name: np.concatenate([getattr(part, name) for part in every]) for name in cls.__slots__})


@dataclass(frozen=True, kw_only=True, slots=True)
class Padhye:
    """All flows of the grid, usable ones and others.

    Parameters
    ----------
    flows
        By whether there are processing times, and the number of the topology.
    seeds
        How many there are.

    """

    flows: Mapping[tuple[bool, int], Flows]
    seeds: int


def grid() -> list[Setting]:
    """Give the places of Table 1 at which ns-2 was run."""
    return [reference.setting for reference in ns2.references("grid")]


def topology(setting: Setting) -> int:
    """Tell which topology of Table 1 a setting belongs to, from 1 to 4."""
    return (3 if setting.link is T1 else 1) + (setting.flows > FEW)


def padhye_wanted(settings: Sequence[Setting], *, seeds: Iterable[int]) -> Wanted[Flows, Padhye]:
    """Ask for all flows of some settings.

    Parameters
    ----------
    settings
        Of topologies 1 to 4, as `grid` gives them.
    seeds
        As for `ackclock.study.Wanted`.

    """
    seeds = list(seeds)

    def make(ran: list[tuple[Setting, list[Replication[Flows]]]]) -> Padhye:
        found: dict[tuple[bool, int], list[Flows]] = defaultdict(list)
        for setting, runs in ran:
            found[setting.overhead > 0, topology(setting)] += [run.value for run in runs]
        return Padhye(flows={place: Flows.joined(parts) for place, parts in found.items()}, seeds=len(seeds))

    return cells_wanted(settings, point=point_of, seeds=seeds, take=flows_of, make=make, record=RECORD)


def point_of(setting: Setting) -> Point:
    """Name a setting and what is simulated there."""
    return Point(
        name=f"{setting.flows} connections, {setting.name}",
        scenario=scenario(setting),
        work=setting.duration * setting.link.bps,
    )


def flows_of(run: Run) -> Flows:
    """Read the flows of a run over one bottleneck that has the records `RECORD`, from its warm-up on."""
    table = run.table("flows")
    begin, end = seconds(run.scenario.measure.from_ or ""), seconds(run.scenario.duration)
    count, length = table.num_rows, end - begin
    drops = run.table("drops")
    dropped = np.bincount(drops["flow"].to_numpy()[drops["time"].to_numpy() >= begin], minlength=count)
    sent = table["sent"].to_numpy()
    looked = begin + length * np.linspace(0, 1, _SAMPLES, endpoint=False)
    return Flows(
        sent=sent / length,
        goodput=table["goodput_packets"].to_numpy() / length,
        loss=np.divide(dropped, sent, out=np.zeros(count), where=sent > 0),
        rtt=mean_round_trips(run),
        timeout=unbacked_timeouts(run.table("windows"), count=count, at=looked).mean(axis=0),
    )


def mean_round_trips(run: Run) -> Reals:
    """Give the mean round-trip time of each flow of a dumbbell, in seconds.

    It is what an empty network takes, and by Little's law the packets that wait at the bottleneck over those that leave
    it in a second.
    """
    found, length = run.summary, seconds(run.scenario.duration) - seconds(run.scenario.measure.from_ or "")
    return found.queue_mean * length / found.departures + empty_round_trips(run.scenario)


def empty_round_trips(effective: Scenario) -> Reals:
    """Give the round-trip time of each flow of a dumbbell, in seconds, where nothing waits.

    Parameters
    ----------
    effective
        With every default written out; ACKs have 40 bytes.

    """
    dumbbell = effective.dumbbell
    if dumbbell is None or dumbbell.reverse is None:
        raise ValueError("effective: must be a dumbbell with every default written out")
    ways = [(dumbbell.bottleneck, effective.packet_size), (dumbbell.reverse, _ACK)]
    trips = []
    for group in effective.clients:
        own = group.access or dumbbell.access
        there_and_back = [*ways, (own, effective.packet_size), (own, _ACK)]
        trip = sum(
            seconds(link.delay) + 8 * size / mean_rate(link, effective.duration)
            for link, size in there_and_back
            if link
        )
        trips += [trip] * group.count
    return np.array(trips)


def unbacked_timeouts(windows: pa.Table, *, count: int, at: Reals) -> Reals:
    """Read the timeouts that flows would have without back-off.

    The record tells the timeout in force. A timer that expires doubles it, up to its maximum, and leaves a window of
    one packet; every other change of it, or of the smoothed round-trip time, is a sample, which ends the back-off.

    Parameters
    ----------
    windows
        The record of that name, of each change, of all flows.
    count
        How many flows there are.
    at
        When they are looked at, in seconds, ascending.

    Returns
    -------
    numpy.ndarray
        A row for each time, a column for each flow, in seconds. A flow whose round-trip time is unknown, or was
        forgotten after too many timeouts, counts as `UNTIMED`, as in the reference runs.

    """
    flow, time = windows["flow"].to_numpy(), windows["time"].to_numpy()
    order = np.lexsort((np.arange(flow.size), flow))
    flow, time = flow[order], time[order]
    rto, srtt, cwnd = (windows[name].to_numpy(zero_copy_only=False)[order] for name in ("rto", "srtt", "cwnd"))
    first = np.append(True, flow[1:] != flow[:-1])
    before, known = np.roll(rto, 1), ~np.isnan(srtt)
    doubled = (rto > before) & np.isclose(rto, np.minimum(2 * before, _LONGEST)) & (cwnd == 1)
    sampled = first | (~doubled & ((rto != before) | (known & (srtt != np.roll(srtt, 1)))))
    held = rto[np.maximum.accumulate(np.where(sampled, np.arange(flow.size), 0))]
    starts = np.searchsorted(flow, np.arange(count + 1))
    found = np.full((at.size, count), UNTIMED)
    for one, (begin, end) in enumerate(pairwise(starts.tolist())):
        place = begin + np.searchsorted(time[begin:end], at, side="right") - 1
        there = (place >= begin) & known[np.maximum(place, 0)]
        found[there, one] = held[place[there]]
    return found


def predicted(flows: Flows, model: Model) -> Reals:
    """Give what a formula says that usable flows send, in packets per second."""
    rates = pftk(p=flows.loss, rtt=flows.rtt, t0=flows.timeout)
    return rates.full if model == "full" else rates.approximate


def shares(flows: Flows, model: Model) -> WithinFactors:
    """Say how far a formula is off, of the flows that it has an answer for."""
    usable = flows.chosen(flows.usable)
    return within_factors(measured=usable.sent, predicted=predicted(usable, model), factors=FACTORS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ns2Shares:
    """What ns-2's runs of the grid give.

    Parameters
    ----------
    percent
        Of the flows within each of `FACTORS`.
    median
        Of predicted over sent.
    flows
        How many were usable.

    """

    percent: tuple[float, ...]
    median: float
    flows: int


def ns2_shares() -> dict[Place, Ns2Shares]:
    """Read what the same comparison gives with ns-2's flows: packets sent, and the mean round trip of the run."""
    text = files("ackclock.papers.manyflows").joinpath("data", "padhye.csv").read_text(encoding="utf-8")
    return {
        (row["overhead_percent"] != "0", int(row["topology"]), model): Ns2Shares(
            percent=tuple(float(row[f"within_{factor:g}"]) for factor in FACTORS),
            median=float(row["median_ratio"]),
            flows=int(row["flows"]),
        )
        for row in csv.DictReader(text.splitlines())
        for model in MODELS
        if row["model"] == model and (row["round_trip"], row["counted"]) == ("mean", "sent")
    }


def points_off(found: Padhye) -> dict[Place, Reals]:
    """Give how far our shares are from ns-2's, in points: ours less theirs, for each of `FACTORS`."""
    return {
        (busy, one, model): 100 * shares(found.flows[busy, one], model).shares - np.array(theirs.percent)
        for (busy, one, model), theirs in ns2_shares().items()
    }
