"""Measures of claims and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ackclock.analysis import Interval, student_interval
from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.core.evidence import Grid, Key, Row, Side, grouped
from ackclock.papers.core.measures import Measure, Profile
from ackclock.papers.core.paired import wilson
from ackclock.papers.core.quantities import Quantity, pseudo_values
from ackclock.papers.manyflows.distances import spread
from ackclock.papers.manyflows.experiment import PACKET_SIZE, T1
from ackclock.papers.manyflows.internet import giant_component
from ackclock.papers.manyflows.padhye import FACTORS, pooled
from ackclock.papers.manyflows.pipes import PIPES
from ackclock.papers.manyflows.places import DEFINITION, PACKETS_EACH, STEADY, WINDOWS, is_tabled, printed

Number = Callable[[Row], float | None]

STABLE = 0.5  # groups are stable if their spread is below this share of the spread of single pairs


measure = DEFINITION.measure


def _percent(name: str, key: str = "") -> Measure:
    def number(row: Row) -> float | None:
        return None if (value := row.values.get(name)) is None else 100 * value

    return measure(key or name, of=number)


def _of_buffer(name: str) -> Measure:
    def number(row: Row) -> float:
        return 100 * (row.values[name] or 0.0) / PIPES[str(row.where["pipe"])].buffer

    return measure(name, of=number)


def connections(row: Row) -> int:
    return int(row.where["connections"])


def _tabled(number: Number) -> Number:
    """Restrict a measure to the points through which hyperbolas are fitted."""
    return lambda row: number(row) if is_tabled(str(row.where["curve"]), connections(row)) else None


def _over_paper(row: Row) -> float:
    paper = printed(str(row.where["processing"]), str(row.where["curve"]), connections(row))
    return (row.values["loss"] or 0.0) / float(paper)


def _over_formula(law: str) -> Measure:
    each = {f"B = {each} n": each for each in PACKETS_EACH}

    def number(row: Row) -> float:
        window = each[str(row.where["curve"])] + T1.pipe / connections(row)
        return (row.values["loss"] or 0.0) / float(getattr(large_pipe_loss(window=window, smooth=True), law))

    return measure(f"over_{law}", of=number)


def _sent(row: Row) -> float:
    """Return the packets that leave the T1 bottleneck or are lost there, in thousands."""
    start, end = (T1.warm, T1.duration) if row.where["counting"] == STEADY.title else (0, WINDOWS["T1"][1])
    whole = (end - start) * T1.bps / 8 / PACKET_SIZE / 1e3
    return whole * (row.values["throughput"] or 0.0) / (1 - (row.values["loss"] or 0.0))


def _wasted(row: Row) -> float:
    return 100 * ((row.values["throughput"] or 0.0) - (row.values["goodput"] or 0.0))


def _power(row: Row) -> float:
    return -float(np.polyfit(np.log(row.values["rtt"]), np.log(row.values["goodput"]), 1)[0])


# measures of all connections over one bottleneck
LOSS = _percent("loss")
TABLED_LOSS = measure("tabled_loss", of=_tabled(LOSS))
LOST_PART = measure("lost_part", of=_tabled(lambda row: row.values["loss"]))
OVER_PAPER = measure("over_paper", of=_tabled(_over_paper))
OVER_PRINTED, OVER_CORRECTED = map(_over_formula, ("printed", "corrected"))
SENT = measure("sent", of=_sent)
LOST = measure("lost", of=lambda row: _sent(row) * (row.values["loss"] or 0.0))
THROUGHPUT, GOODPUT = map(measure, ("throughput", "goodput"))
WASTED = measure("wasted", of=_wasted)
SHUT_OFF = measure("shut_off")
ACTIVE = measure("active", of=lambda row: connections(row) - (row.values["shut_off"] or 0))
JAIN = measure("jain_index")

# detailed measures of a pipe
CORRELATION = measure("correlation")
SHARE = _percent("share")
LOW, MIDDLE, HIGH = map(_of_buffer, ("low", "middle", "high"))
SWING = measure("swing", of=lambda row: (HIGH(row) or 0.0) - (LOW(row) or 0.0))
LEAST, MOST, STARVED = map(measure, ("least", "most", "starved"))

# measures of section 2
AT_BACKBONE = _percent("at_backbone")
ACCESS_GOODPUT = _percent("goodput", "access_goodput")
AT_ENTRY = _percent("at_entry")
STAYS = _percent("steady")
ALIKE = _percent("together")
LARGEST, COMPONENTS = map(measure, ("largest", "components"))
OFF_THE_LAW = measure("off_the_law", of=lambda row: row.values["largest"] - giant_component(float(row.where["degree"])))

# measures of single flows: Tables 2 and 3
WITHIN = Profile(
    name="within",
    label="flows within a factor",
    unit="%",
    axes={"factor": FACTORS},
    of=lambda row: [row.values[f"within_{factor:g}"] for factor in FACTORS],
)

# measures of groups at unequal distances
RTT_RATIO, GOODPUT_RATIO = map(measure, ("rtt_ratio", "goodput_ratio"))
POWER = measure("power", of=_power)


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
    """The spread of the goodput ratio of two groups, minus `STABLE` times the spread for two connections.

    The spread is the standard deviation of the log2 over all distances and seeds; its interval uses pseudo-values.
    """

    words = label = (
        f"standard deviation of the log2 of the goodput ratio of two groups, minus {STABLE:g} times the standard "
        "deviation for two connections"
    )
    unit, digits = "", 2

    def __init__(self, small: int, large: int) -> None:
        self._sizes = small, large

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        return grouped(side.part("groups"), "processing").map(self._each)

    def _each(self, rows: list[Row]) -> Mapping[int, float]:
        def excess(without: int | None) -> float:
            single, group = (
                [row for row in rows if row.where["connections"] == size and row.seed != without]
                for size in self._sizes
            )
            return spread(group) - STABLE * spread(single)

        return pseudo_values({row.seed for row in rows}, excess)


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
        def interval(row: Row) -> Interval:
            share, count = float(row.values["within_2"]), int(row.values["flows"])
            return wilson(round(share / 100 * count), count, whole=100)

        return Grid(self.samples(side).axes, {key: interval(row) for key, row in self._rows(side).items()})


class MoreWithinTwo(Quantity):
    """The share of flows within a factor of 2 of the approximate formula, minus the share for the full formula."""

    words = label = (
        "share of the flows within a factor of 2 of the approximate formula, minus the share for the full formula"
    )
    unit, digits = "%", 1

    def samples(self, side: Side) -> Grid[Mapping[int, float]]:
        return self._differences(side).map(lambda each: dict(enumerate(each.tolist())))

    def points(self, side: Side) -> Grid[Interval]:
        return self._differences(side).map(lambda each: student_interval(each.tolist()))

    def _differences(self, side: Side) -> Grid[NDArray[np.float64]]:
        def difference(some: list[Row]) -> NDArray[np.float64]:
            approximate, full = (
                (np.abs(np.log(pooled(some, model))) <= np.log(2)).astype(float) for model in ("approximate", "full")
            )
            return np.asarray(100 * (approximate - full))

        return grouped(side.part("flows"), "processing", "topology").map(difference)
