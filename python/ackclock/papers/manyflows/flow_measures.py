"""The numbers that claims and figures ask of single flows, groups at unequal distances, and the abstraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis import Interval, student_interval
from ackclock.papers.core.evidence import Grid
from ackclock.papers.core.quantities import Measure, Quantity
from ackclock.papers.manyflows.distances import spread
from ackclock.papers.manyflows.internet import giant_component
from ackclock.papers.manyflows.padhye import pooled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Key, Row, Side

STABLE = 0.5
"""The share of the spread of single pairs that groups may have to be called stable."""


def _percent(name: str, label: str, digits: int = 0) -> Measure:
    def number(row: Row) -> float | None:
        return None if (value := row.values.get(name)) is None else 100 * value

    return Measure(name=name, label=label, unit="%", digits=digits, of=number)


def _power(row: Row) -> float:
    """Fit the power by least squares on the groups' logarithms."""
    return -float(np.polyfit(np.log(row.values["rtt"]), np.log(row.values["goodput"]), 1)[0])


AT_BACKBONE = _percent("at_backbone", "share of drops at the backbone", 1)
GOODPUT = _percent("goodput", "goodput", 1)
AT_ENTRY = _percent("at_entry", "share of drops at the entry")
STEADY = _percent("steady", "share of connections that keep their bottleneck")
TOGETHER = _percent("together", "share of connections that congest where most of their neighbours do")
LARGEST = Measure(name="largest", label="share of the domains in the largest component", digits=3)
COMPONENTS = Measure(name="components", label="components for each 100 domains", digits=1)
OFF_THE_LAW = Measure(
    name="off_the_law",
    label="share of the domains in the largest component less the law's",
    digits=3,
    of=lambda row: row.values["largest"] - giant_component(float(row.where["degree"])),
)
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
        goodput, rtt = self._goodput.samples(side), self._rtt.samples(side)
        squares = {key: float(np.mean(list(sample.values()))) ** 2 for key, sample in rtt.cells.items()}
        return Grid(
            goodput.axes,
            {
                key: {seed: value / squares[key] for seed, value in sample.items()}
                for key, sample in goodput.cells.items()
            },
        )


class Excess(Quantity):
    """By how much groups vary more than the stable share of what two connections do, in powers of two.

    It is computed of all distances and seeds together, with Tukey's pseudo-values for its interval.
    """

    words = label = (
        f"standard deviation of the log2 of the goodput ratio of two groups, less {STABLE:g} times the one of two "
        "connections"
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

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        axes = ("processing", "topology", "formula")
        return Grid(
            axes,
            {
                tuple(row.where[axis] for axis in axes): {row.seed: float(row.values["within_2"])}
                for row in side.part("padhye")
                if row.where["topology"] != 5
            },
        )

    def points(self, side: Side) -> Grid[Interval]:
        from scipy.stats import binomtest  # noqa: PLC0415 - slow to load

        counts = {tuple(row.where.values()): int(row.values["flows"]) for row in side.part("padhye")}
        found: dict[Key, Interval] = {}
        samples = self.samples(side)
        for key, sample in samples.cells.items():
            (share,), count = sample.values(), counts[key]
            ends = binomtest(round(share / 100 * count), count).proportion_ci(method="wilson")
            low, high = 100 * ends.low, 100 * ends.high
            found[key] = Interval(
                mean=share,
                half_width=(high - low) / 2,
                standard_error=float(np.sqrt(share * (100 - share) / count)),
                count=count,
                level=0.95,
                shift=(low + high) / 2 - share,
            )
        return Grid(samples.axes, found)


class MoreWithinTwo(Quantity):
    """By how much more of the flows are within a factor of 2 of the approximate formula than of the full one."""

    words = label = (
        "share of the flows within a factor of 2 of the approximate formula less the one of the full formula"
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
