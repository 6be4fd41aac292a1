"""What the rules on many flows share: curves of the grid, points beside the paper's hyperbolas, commands of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.manyflows.experiment import SINK_ACK, SINK_DATA, T1, grid_setting
from ackclock.papers.manyflows.looks import PIPES, observations
from ackclock.papers.reading import along, run_command
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.manyflows.evidence import Side
    from ackclock.papers.manyflows.experiment import Bottleneck, Setting
    from ackclock.papers.observation import Observation
    from ackclock.papers.reading import Measure

    Points = dict[int, Interval]

__all__ = ["agreed", "command", "curves_of", "exponent", "looked", "means", "run_of", "slope", "squares"]

FILE = "examples/manyflows100.toml"
"""The scenario that commands start from: the large pipe over T1."""


def curves_of(runs: Sequence[Observation], measure: Measure) -> dict[str, Points]:
    """Give a measure of each curve along its connections.

    Raises
    ------
    LookupError
        If there are no runs.

    """
    counts = sorted({run.clients for run in runs})
    if not runs:
        raise LookupError("no runs")
    return {name: along(runs, name, counts, measure) for name in dict.fromkeys(run.variant for run in runs)}


def looked(side: Side, fraction: float, pipe: str, measure: Measure) -> Interval:
    """Give what was measured of a pipe looked at closely.

    Raises
    ------
    LookupError
        If it was not looked at.

    """
    flows = PIPES[pipe].flows
    return along(observations(side.looks[fraction]), pipe, (flows,), measure)[flows]


def means(points: Points) -> tuple[np.ndarray, np.ndarray]:
    """Give connections and means as arrays."""
    return np.array(list(points), dtype=float), np.array([point.mean for point in points.values()])


def exponent(points: Points) -> float:
    """Give the power of the connections that a measure grows with: the slope of its logarithm."""
    x, y = means(points)
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def squares(points: Points, degree: int) -> float:
    """Give the part of the variance that a polynomial of this degree explains, R^2."""
    x, y = means(points)
    return float(1 - np.var(y - np.polyval(np.polyfit(x, y, degree), x)) / np.var(y))


def slope(points: Points) -> float:
    """Give the slope of the straight line through the means."""
    return float(np.polyfit(*means(points), 1)[0])


def run_of(setting: Setting, *, profile: str = "", record: str = "") -> str:
    """Give the command that makes a run of a setting.

    Parameters
    ----------
    setting
        What is run; a single group.
    profile
        Whose TCP, if not that of 1999.
    record
        A table to keep, if any.

    """
    usual = grid_setting(T1, 440, 100)
    sets = [f"profile={profile}"] if profile else []
    if setting.link.bps + setting.detuned != usual.link.bps + usual.detuned:
        rate = f"{setting.link.bps + setting.detuned} bps"
        sets += [f"dumbbell.bottleneck.rate={rate}", f"dumbbell.reverse.rate={rate}"]
    if setting.delay != usual.delay:
        sets.append(f"dumbbell.bottleneck.delay={1000 * setting.delay + SINK_DATA} us")
        sets.append(f"dumbbell.reverse.delay={1000 * setting.delay + SINK_ACK} us")
    if setting.buffer != usual.buffer:
        sets.append(f"dumbbell.bottleneck.queue.packets={setting.buffer}")
    if setting.flows != usual.flows:
        sets.append(f"clients.0.count={setting.flows}")
    if setting.overhead:
        sets.append(f"clients.0.transport.overhead={round(1e6 * setting.overhead)} us")
    if setting.max_rto != usual.max_rto:
        sets.append(f"clients.0.transport.max_rto={setting.max_rto}")
    if setting.spread != usual.spread:
        sets.append(f"clients.0.spread={setting.spread}")
    if setting.duration != usual.duration:
        sets.append(f"duration={setting.duration} s")
    if setting.warm != usual.warm:
        sets.append(f"measure.from={setting.warm} s")
    return run_command(FILE, sets, record=record)


def command(link: Bottleneck, capacity: int, flows: int, *, fraction: float = 0.0, record: str = "") -> str:
    """Give the command that makes a run of the grid, as `grid_setting` has it."""
    return run_of(grid_setting(link, capacity, flows, fraction=fraction), record=record)


def agreed(verdicts: Collection[Verdict], setting: str) -> tuple[Verdict, str]:
    """Give one verdict for several ways of asking: theirs if they agree, else that it depends on the way.

    Where only some are undecided, so is the whole, unless others differ already.
    """
    decided = set(verdicts) - {Verdict.UNDECIDED}
    if len(decided) > 1:
        return Verdict.DEPENDS, setting
    return (Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else decided.pop()), ""
