"""Commands of runs over one bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.manyflows.experiment import SINK_ACK, SINK_DATA, T1, grid_setting
from ackclock.papers.reading import run_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.claim import Said
    from ackclock.papers.core.quantities import Quantity
    from ackclock.papers.manyflows.experiment import Bottleneck, Setting

FILE = "examples/manyflows100.toml"
"""The scenario that commands start from: the large pipe over T1."""


def run_of(setting: Setting, *, profile: str = "", record: str = "") -> str:
    """Give the command that makes a run of a setting with a single group, with another profile or a record."""
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


def at_each(start: str, asked: Callable[[str], Answers], ways: Mapping[str, str]) -> Callable[[Said], str]:
    """Say at how many points each of several ways of asking, which have words, is answered "yes"."""
    return lambda said: (
        f"{start} " + "; ".join(f"{said.counted(asked(way), 'points')} {words}" for way, words in ways.items()) + "."
    )


def pair(said: Said, of: Quantity) -> str:
    """Write the numbers of two points."""
    return " and ".join(point.shown(of.digits) for point in said(of).cells.values())
