"""Notices about the course of a run: its start-up phase, flows that start late, and shares that still change."""

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Final

from ackclock.analysis import Warmup
from ackclock.scenario import Clients, Flow, Greedy, Scenario
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME, seconds

_WORTH_LEAVING_OUT: Final = 0.05
"""Relative change of the cov or of the mean arrivals, caused by the start-up phase, above which the phase is
reported."""
_STAGED: Final = 0.05
"""Share of the measured time after which the start of a group is an event of the scenario, not of its start-up
phase."""
_LATE: Final = 0.5
"""Share of the measured time without a group's flows from which their late start is reported."""
_SHARE_CHANGE: Final = 0.05
"""Change of a group's share of all arrivals between the last two thirds of the measured time that is reported."""


def steady_state(scenario: Scenario, bins: Sequence[int], warmup: Warmup) -> Iterator[str]:
    """Report too few bins, or a start-up phase that changes the results.

    The criterion is the size of the change. A significance test for the start-up phase would need a model of the
    dependence between bins. A test of the mean over the first tenth would miss a short phase that changes cov by half.
    Flows that start or end within the measured time are events: a scenario with such flows has no steady state to
    reach, and a later ``measure.from`` would leave out what it is about.
    """
    if len(bins) < 2:
        yield f"cov is undefined: the measured time contains fewer than two whole bins of {scenario.measure.bin}."
    if not has_steady_state(scenario, bins):
        return
    if warmup.drifting:
        yield (
            "The run does not reach steady state: arrivals still drift half-way through the measured time. "
            "Simulate a longer time."
        )
    elif warmup.length:
        yield from _start(scenario, bins, bins[warmup.length :], warmup_end(scenario, warmup.length))


def has_steady_state(scenario: Scenario, bins: Sequence[int]) -> bool:
    """Return whether all flows send from the start of the measured time to its end."""
    if any(isinstance(group.source, Greedy) and group.source.size is not None for group in scenario.groups):
        return False
    if any(_absent(scenario, group, spread=1.0) > _STAGED for group in scenario.groups):
        return False
    return any(bins[-math.ceil(_STAGED * len(bins)) :]) or not any(bins)


def _start(scenario: Scenario, bins: Sequence[int], rest: Sequence[int], end: float) -> Iterator[str]:
    (mean, cov), (later_mean, later_cov) = map(_mean_and_cov, (bins, rest))
    # Changes below these thresholds may occur by chance. For independent bins, they are four standard errors of the cov
    # and three of the mean. They are this wide because dependent bins vary more, and because MSER-5 chooses the
    # truncation point to exclude a bursty period.
    by_chance = 3 / math.sqrt(len(bins))
    changes = [
        f"{name} would be {later:.4g}, not {now:.4g}"
        for name, now, later, share in (
            ("cov", cov, later_cov, by_chance),
            ("arrivals per bin", mean, later_mean, by_chance * later_cov),
        )
        if abs(later - now) > max(_WORTH_LEAVING_OUT, share) * now
    ]
    if changes:
        yield (
            f"The run does not reach steady state before {end:.4g} s: measured from there, {' and '.join(changes)}. "
            f"A later measure.from (now {scenario.measure.from_}) excludes the start."
        )


def _mean_and_cov(bins: Sequence[int]) -> tuple[float, float]:
    """Return mean and coefficient of variation from exact sums; zeros if nothing arrives."""
    total, squares = sum(bins), sum(map(operator.mul, bins, bins))
    return total / len(bins), math.sqrt(len(bins) * squares - total**2) / total if total else 0.0


def warmup_end(scenario: Scenario, length: int) -> float:
    """Return the simulated time at the end of the first `length` bins of the measured time, in s."""
    from_, bin_ = (TIME.parse(text or "") for text in (scenario.measure.from_, scenario.measure.bin))
    return (from_ + length * bin_) / PICOSECONDS_PER_SECOND


def _absent(scenario: Scenario, group: Clients | Flow, *, spread: float) -> float:
    """Return the share of the measured time before the flows of a group start, after this share of their spread."""
    from_, end = TIME.parse(scenario.measure.from_), TIME.parse(scenario.duration)
    start = TIME.parse(group.start or "0 s") + spread * TIME.parse(group.spread or "0 s")
    return min(max(start - from_, 0) / (end - from_), 1.0)


def late_starts(scenario: Scenario) -> Iterator[str]:
    """Report groups whose flows start when half of the measured time, or more, is over."""
    for group in scenario.groups:
        absent = _absent(scenario, group, spread=0.5)
        if absent >= _LATE:
            start = f"{seconds(group.start or '0 s'):.4g} s"
            yield (
                f"The flows of group {group.name} start at {start}: rates and shares average over the whole measured "
                f"time, in {absent:.0%} of which they have not started. A later measure.from (now "
                f"{scenario.measure.from_}) excludes that time."
            )


def changing_shares(scenario: Scenario, bins: Sequence[int], thirds: Sequence[Sequence[int]]) -> Iterator[str]:
    """Report that the shares of groups still change, although all arrivals together may be steady.

    Parameters
    ----------
    scenario
        The effective scenario.
    bins
        Arrivals per bin at the measured link.
    thirds
        For each group, its arrivals in the first, second and last third of the measured time.
    """
    if not has_steady_state(scenario, bins):
        return
    middle, last = (sum(counts[third] for counts in thirds) for third in (1, 2))
    if not middle or not last:
        return
    largest: tuple[float, str] = (0.0, "")
    for group, counts in zip(scenario.groups, thirds, strict=True):
        before, after = counts[1] / middle, counts[2] / last
        # three standard errors of the difference, if arrivals were independent
        by_chance = 3 * math.sqrt(before * (1 - before) / middle + after * (1 - after) / last)
        change = abs(after - before)
        if change > max(_SHARE_CHANGE, by_chance, largest[0]):
            text = f"{before:.0%} of all arrivals in the second third of the measured time, {after:.0%} in the last"
            largest = change, f"The share of group {group.name} still changes: {text}. Simulate a longer time."
    if largest[1]:
        yield largest[1]
