"""The rule by which a measure of live runs and of simulated runs is judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ackclock.engine.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.analysis import Interval
    from ackclock.running.run import Run

MARGINS: Final[Mapping[str, float]] = {
    "goodput_bps": 0.03,
    "rtt_mean": 0.10,
    "sojourn_mean": 0.15,
    "sojourn_p50": 0.15,
    "sojourn_p95": 0.15,
    "completion_mean": 0.15,
    "completion_p95": 0.15,
}
"""Differences that do not matter, as parts of the simulator's mean. They were fixed before any comparison was made."""
MEASURES: Final = (
    "goodput_bps",
    "utilization",
    "loss",
    "rtt_mean",
    "sojourn_mean",
    "sojourn_p50",
    "sojourn_p95",
    "retransmissions",
    "cov",
)
"""The measures of a run that are compared."""
OF_GROUPS: Final = ("completion_mean", "completion_p95")
"""The measures of a group that are compared."""

TOO_LATE: Final = "the emulator was too late to tell"
EQUAL: Final = "not distinguishable"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measure of both, over the repetitions."""

    measure: str
    group: str
    """Name of the group; empty for a measure of the run."""
    unit: str
    kernel: float
    """Mean of the live runs, in `unit`."""
    simulator: float
    """Mean of the simulated runs, in `unit`."""
    difference: float
    """Mean of kernel minus simulator, run by run, in `unit`."""
    half_width: float
    """Half of the width of its 95 % interval (Student's t; bootstrap from 30 repetitions on)."""
    verdict: str

    @property
    def name(self) -> str:
        """The measure, with its group if it has one."""
        return f"{self.measure} ({self.group})" if self.group else self.measure


def rows(kernel: Sequence[Run], simulator: Sequence[Run], *, late: bool) -> tuple[Row, ...]:
    """Judge all measures that all runs have; `late` is whether the emulator was too late in one of them."""
    found = [row(each, "", _values(kernel, each), _values(simulator, each), late=late) for each in MEASURES]
    for group in kernel[0].groups.names:
        found += [
            row(each, group, _values(kernel, each, group), _values(simulator, each, group), late=late)
            for each in OF_GROUPS
        ]
    return tuple(each for each in found if each is not None)


def _values(runs: Sequence[Run], measure: str, group: str = "") -> list[float | None]:
    return [getattr(run.groups[group] if group else run, measure) for run in runs]


def row(
    measure: str, group: str, kernel: list[float | None], simulator: list[float | None], *, late: bool
) -> Row | None:
    """Judge a measure; ``None`` if a run has no value.

    >>> row("loss", "", [0.010, 0.012, 0.011], [0.011, 0.011, 0.011], late=False).verdict
    'not distinguishable'
    >>> row("loss", "", [0.020, 0.021, 0.022], [0.010, 0.010, 0.010], late=False).verdict
    'differs by +110 %'
    >>> row("goodput_bps", "", [9.51e6, 9.52e6], [9.50e6, 9.50e6], late=False).verdict
    'within 3 %'
    >>> row("loss", "", [0.020, 0.021], [0.010, 0.010], late=True).verdict
    'the emulator was too late to tell'
    """
    from ackclock.analysis import compare_paired  # noqa: PLC0415  # slow to load

    known = catalogue().measures[measure]
    unit, factor = known.shown, known.factor
    values = [
        (factor * one, factor * other)
        for one, other in zip(kernel, simulator, strict=True)
        if one is not None and other is not None and math.isfinite(one + other)
    ]
    if len(values) < len(kernel):
        return None
    ours, theirs = ([pair[place] for pair in values] for place in (0, 1))
    interval = compare_paired(theirs, ours).difference
    base = sum(theirs) / len(theirs)
    return Row(
        measure=measure,
        group=group,
        unit=unit,
        kernel=sum(ours) / len(ours),
        simulator=base,
        difference=interval.mean,
        half_width=interval.half_width,
        verdict=TOO_LATE if late else verdict(interval, base, MARGINS.get(measure), unit),
    )


def verdict(interval: Interval, base: float, margin: float | None, unit: str) -> str:
    """Judge the interval of a mean difference from `base`."""
    if margin is not None and base and max(abs(interval.low), abs(interval.high)) <= margin * abs(base):
        return f"within {100 * margin:.3g} %"
    if interval.low <= 0 <= interval.high:
        return EQUAL
    if base:
        return f"differs by {100 * interval.mean / base:+.3g} %"
    return f"differs by {interval.mean:+.3g} {unit}".rstrip()
