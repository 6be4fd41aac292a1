"""The numbers that claims and figures ask of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import Interval, student_interval
from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.core.evidence import Grid
from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.manyflows.distances import spread
from ackclock.papers.manyflows.experiment import PACKET_SIZE, T1
from ackclock.papers.manyflows.internet import giant_component
from ackclock.papers.manyflows.looks import PIPES
from ackclock.papers.manyflows.padhye import FACTORS, pooled
from ackclock.papers.manyflows.places import PACKETS_EACH, STEADY, WINDOWS, is_tabled, printed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Key, Row, Side

    Number = Callable[[Row], float | None]

STABLE = 0.5  # the share of the spread of single pairs that groups may have to be called stable


def _percent(name: str, label: str, digits: int = 0) -> Measure:
    def number(row: Row) -> float | None:
        return None if (value := row.values.get(name)) is None else 100 * value

    return Measure(name=name, label=label, unit="%", digits=digits, of=number)


def _of_buffer(name: str, label: str) -> Measure:

    def number(row: Row) -> float:
        return 100 * (row.values[name] or 0.0) / PIPES[str(row.where["pipe"])].buffer

    return Measure(name=name, label=label, unit="%", digits=0, of=number)


def connections(row: Row) -> int:
    return int(row.where["connections"])


def _tabled(number: Number) -> Number:
    """Leave out the points that are in no table."""
    return lambda row: number(row) if is_tabled(str(row.where["curve"]), connections(row)) else None


def _over_paper(row: Row) -> float:
    paper = printed(str(row.where["processing"]), str(row.where["curve"]), connections(row))
    return (row.values["loss"] or 0.0) / float(paper)


def _over_formula(law: str) -> Measure:
    each = {f"B = {each} n": each for each in PACKETS_EACH}

    def number(row: Row) -> float:
        window = each[str(row.where["curve"])] + T1.pipe / connections(row)
        return (row.values["loss"] or 0.0) / float(getattr(large_pipe_loss(window=window, smooth=True), law))

    return Measure(name=f"over_{law}", label=f"loss relative to the {law} formula", digits=3, of=number)


def _sent(row: Row) -> float:
    """Give what leaves the bottleneck and what is lost there, in thousand packets over T1."""
    start, end = (T1.warm, T1.duration) if row.where["counting"] == STEADY.title else (0, WINDOWS["T1"][1])
    whole = (end - start) * T1.bps / 8 / PACKET_SIZE / 1e3
    return whole * (row.values["throughput"] or 0.0) / (1 - (row.values["loss"] or 0.0))


def _wasted(row: Row) -> float:
    return 100 * ((row.values["throughput"] or 0.0) - (row.values["goodput"] or 0.0))


def _power(row: Row) -> float:
    return -float(np.polyfit(np.log(row.values["rtt"]), np.log(row.values["goodput"]), 1)[0])


# of all connections over one bottleneck
LOSS = _percent("loss", "loss", 2)
TABLED_LOSS = Measure(name="loss", label="loss", unit="%", digits=2, of=_tabled(LOSS))
LOST_PART = Measure(name="loss", label="lost share of packets", digits=4, of=_tabled(lambda row: row.values["loss"]))
OVER_PAPER = Measure(name="over_paper", label="loss relative to the paper's own curve", of=_tabled(_over_paper))
OVER_PRINTED, OVER_CORRECTED = map(_over_formula, ("printed", "corrected"))
SENT = Measure(name="sent", label="packets sent", unit="thousand packets", of=_sent)
LOST = Measure(
    name="lost", label="packets lost", unit="thousand packets", of=lambda row: _sent(row) * (row.values["loss"] or 0.0)
)
THROUGHPUT = Measure(name="throughput", label="throughput", digits=4)
GOODPUT = Measure(name="goodput", label="goodput", digits=4)
WASTED = Measure(name="wasted", label="throughput minus goodput", unit="%", of=_wasted)
SHUT_OFF = Measure(name="shut_off", label="connections shut off", digits=1)
ACTIVE = Measure(
    name="active",
    label="active connections",
    digits=0,
    of=lambda row: connections(row) - (row.values["shut_off"] or 0),
)
JAIN = Measure(name="jain_index", label="Jain's index", digits=3)

# of a pipe that is looked at closely
CORRELATION = Measure(name="correlation", label="loss correlation", digits=3)
SHARE = _percent("share", "share of connections that lose in an epoch")
LOW = _of_buffer("low", "buffer's 5th percentile")
MIDDLE = _of_buffer("middle", "buffer's median")
HIGH = _of_buffer("high", "buffer's 95th percentile")
SWING = Measure(
    name="swing",
    label="distance between the buffer's 5th and 95th percentiles",
    unit="%",
    digits=0,
    of=lambda row: (HIGH(row) or 0.0) - (LOW(row) or 0.0),
)
LEAST = Measure(name="least", label="packets of the connection that receives least", digits=0)
MOST = Measure(name="most", label="packets of the connection that receives most", digits=0)
STARVED = Measure(name="starved", label="connections below a tenth of their fair share", digits=0)

# of the abstraction of section 2
AT_BACKBONE = _percent("at_backbone", "share of drops at the backbone", 1)
ACCESS_GOODPUT = _percent("goodput", "goodput", 1)
AT_ENTRY = _percent("at_entry", "share of drops at the entry")
STAYS = _percent("steady", "share of connections that keep their bottleneck")
ALIKE = _percent("together", "share of connections congested where most connections of their access link are")
LARGEST = Measure(name="largest", label="share of the domains in the largest component", digits=3)
COMPONENTS = Measure(name="components", label="components for each 100 domains", digits=1)
OFF_THE_LAW = Measure(
    name="off_the_law",
    label="difference of the largest component's share of the domains from the share in a random graph",
    digits=3,
    of=lambda row: row.values["largest"] - giant_component(float(row.where["degree"])),
)

# of single flows: Tables 2 and 3
WITHIN = Profile(
    name="within",
    label="flows within a factor",
    unit="%",
    axes={"factor": FACTORS},
    of=lambda row: [row.values[f"within_{factor:g}"] for factor in FACTORS],
)

# of groups at unequal distances
RTT_RATIO = Measure(name="rtt_ratio", label="round-trip time, far over near")
GOODPUT_RATIO = Measure(name="goodput_ratio", label="goodput, near over far")
POWER = Measure(name="power", label="power of the round-trip time with which goodput falls", of=_power)


class OverSquare(Quantity):
    """The ratio of two groups' goodput over the square of the ratio of their mean round-trip times."""

    def __init__(self, **where: str) -> None:
        self._goodput, self._rtt = (one.at("figure23", **where) for one in (GOODPUT_RATIO, RTT_RATIO))
        self.words = self.label = self._goodput.words.replace(
            GOODPUT_RATIO.label, "ratio of goodput over the square of the ratio of round-trip times"
        )
        self.unit, self.digits = "", 2

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        goodput, rtt = self._goodput.samples(side), self._rtt.points(side)
        return Grid(
            goodput.axes,
            {
                key: {seed: value / rtt.cells[key].mean ** 2 for seed, value in sample.items()}
                for key, sample in goodput.cells.items()
            },
        )


class Excess(Quantity):
    """By how much groups vary more than the stable share of what two connections do, in powers of two.

    It is computed of all distances and seeds together, with Tukey's pseudo-values for its interval.
    """

    words = label = (
        f"standard deviation of the log2 of the goodput ratio of two groups, minus {STABLE:g} times the standard "
        "deviation for two connections"
    )
    unit, digits = "", 2

    def __init__(self, small: int, large: int) -> None:
        self._sizes = small, large

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        rows: dict[Key, list[Row]] = {}
        for row in side.part("groups"):
            if row.where["connections"] in self._sizes:
                rows.setdefault((row.where["processing"],), []).append(row)
        return Grid(("processing",), {key: self._pseudo(some) for key, some in rows.items()})

    def _pseudo(self, rows: list[Row]) -> Mapping[int, float]:
        seeds, whole = sorted({row.seed for row in rows}), self._of(rows)
        if len(seeds) < 2:
            return dict.fromkeys(seeds, whole)
        rests = {seed: self._of([row for row in rows if row.seed != seed]) for seed in seeds}
        return {seed: len(seeds) * whole - (len(seeds) - 1) * rest for seed, rest in rests.items()}

    def _of(self, rows: list[Row]) -> float:
        single, group = ([row for row in rows if row.where["connections"] == size] for size in self._sizes)
        return spread(group) - STABLE * spread(single)


class WithinTwo(Quantity):
    """The share of the flows within a factor of 2 of a formula, with Wilson's interval."""

    words = label = "share of the flows within a factor of 2 of the formula"
    unit, digits = "%", 0

    def _rows(self, side: Side) -> dict[Key, Row]:
        return {tuple(row.where.values()): row for row in side.part("padhye") if row.where["topology"] != 5}

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        cells = {key: {row.seed: float(row.values["within_2"])} for key, row in self._rows(side).items()}
        return Grid(("processing", "topology", "formula"), cells)

    def points(self, side: Side) -> Grid[Interval]:
        from scipy.stats import binomtest  # noqa: PLC0415 - slow to load

        def interval(row: Row) -> Interval:
            share, count = float(row.values["within_2"]), int(row.values["flows"])
            ends = binomtest(round(share / 100 * count), count).proportion_ci(method="wilson")
            low, high = 100 * ends.low, 100 * ends.high
            return Interval(
                mean=share,
                half_width=(high - low) / 2,
                standard_error=float(np.sqrt(share * (100 - share) / count)),
                count=count,
                level=0.95,
                shift=(low + high) / 2 - share,
            )

        return Grid(self.samples(side).axes, {key: interval(row) for key, row in self._rows(side).items()})


class MoreWithinTwo(Quantity):
    """By how much more of the flows are within a factor of 2 of the approximate formula than of the full one."""

    words = label = (
        "share of the flows within a factor of 2 of the approximate formula, minus the share for the full formula"
    )
    unit, digits = "%", 1

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        return self._differences(side).map(lambda each: dict(enumerate(each.tolist())))

    def points(self, side: Side) -> Grid[Interval]:
        return self._differences(side).map(lambda each: student_interval(each.tolist()))

    def _differences(self, side: Side) -> Grid[NDArray[np.float64]]:
        rows: dict[Key, list[Row]] = {}
        for row in side.part("flows"):
            rows.setdefault((row.where["processing"], row.where["topology"]), []).append(row)

        def difference(some: list[Row]) -> NDArray[np.float64]:
            approximate, full = (
                (np.abs(np.log(pooled(some, model))) <= np.log(2)).astype(float) for model in ("approximate", "full")
            )
            return np.asarray(100 * (approximate - full))

        return Grid(("processing", "topology"), {key: difference(some) for key, some in rows.items()})
