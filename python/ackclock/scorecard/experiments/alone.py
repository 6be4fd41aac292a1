"""One flow alone on a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ackclock.scenario import CoDel, DualPi2, FqCodel, Pie
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import BUSY, no_less, no_longer_queue, no_more_loss, no_storm
from ackclock.scorecard.measures import P99, UTILIZATION
from ackclock.scorecard.networks import Path, bulk, dumbbell
from ackclock.scorecard.rules import Limit, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ackclock.scenario import Queue, Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_MANAGED: Final[dict[str, Callable[..., Queue]]] = {"CoDel": CoDel, "FQ-CoDel": FqCodel, "PIE": Pie, "DualPI2": DualPi2}

_LEAST: Final = 4
"""Packets of the smallest buffer: smaller ones are not the part of the product that they are called."""


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    rates, rtts = ((10, 100), (40, 100)) if setting.fast else ((1, 10, 100), (10, 40, 100, 300))
    for path in (Path(rate, rtt) for rate in rates for rtt in rtts):
        for part in (0.25, 1, 4) if setting.fast else (0.1, 0.25, 0.5, 1, 2, 4, 16):
            if path.buffer(part) >= _LEAST:
                yield _cell(path, setting.queue(path.buffer(part)), f"buffer {part:g} BDP", part)
    for path in [Path(10, 40)] if setting.fast else [Path(10, 40), Path(100, 40)]:
        for name, queue in _MANAGED.items():
            yield _cell(path, queue(packets=path.buffer(16)), name, 16)


def _cell(path: Path, queue: Queue, words: str, part: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        # The measured time begins after 20 round trips with a full buffer, so that it has nothing of the start.
        since = max(10.0, 20e-3 * path.rtt * (1 + part))
        return dumbbell(path, bulk("law", law), queue=queue, duration=since + 50, since=since)

    managed = words in _MANAGED
    full = Limit(measure=UTILIZATION, worse="lower", than=BUSY)
    used: Rule = full if part >= 1 and not managed else no_less(UTILIZATION, 0.15)
    return Cell(
        place=f"{path}, {words}",
        scenario=scenario,
        rules=[used, no_more_loss(), no_longer_queue(path, 1 if managed else part), no_storm()],
        shown=[P99],
    )


EXPERIMENT = Experiment(
    key="alone",
    title="Alone on a path",
    question="Does a single flow use the path, without long queues, many losses or repeated timeouts?",
    source="RFC 9743, sections 5.1.1 to 5.1.3, 6.1 and 7.1; RFC 7928",
    advice="Plot the window and the queue of a failing cell: a queue that stays full calls for a larger "
    "reduction or an earlier signal, an idle link for faster growth or a smaller reduction.",
    headline=UTILIZATION.name,
    cells=_cells,
)
